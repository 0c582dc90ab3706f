// SPDX-License-Identifier: GPL-3.0-or-later
// The walk over a handler: holdings, failures, retries, choices, streams and stages; and the
// database, the pool and the services.
#include "make.hpp"
#include "models/mechanisms.hpp"

#include <map>
#include <set>

namespace narrows::models::test {
namespace {

constexpr Threads kPlatform = Threads::platform;

TEST(Hikari, SizeTimeoutAndHandOff) {
    Scenario s = scenario_of({query(1)});
    s.application.hikari_maximum_pool_size = 50;
    s.application.hikari_connection_timeout = 5s;
    s.database.hand_off = scenario::PoolDiscipline::hikari;
    plan::Plan p = compile(s, kPlatform);
    EXPECT_EQ(find_pool(p, "hikari")->capacity, 50);
    EXPECT_EQ(find_pool(p, "hikari")->discipline, plan::Discipline::hikari);
    EXPECT_EQ(first(p, plan::Op::acquire).timeout, 5'000'000'000);
    s.application.hikari_maximum_pool_size = 800; // of 100 that the database accepts
    s.application.hikari_connection_timeout = 0s;
    p = compile(s, kPlatform);
    EXPECT_EQ(find_pool(p, "hikari")->capacity, 100);
    EXPECT_EQ(first(p, plan::Op::acquire).timeout, -1);
    EXPECT_EQ(find_pool(compile(scenario_of({cpu(1)}), kPlatform), "hikari"), nullptr);
}

TEST(Database, CoresAndScalabilityLaw) {
    Scenario s = scenario_of({step(scenario::QueryStep{ms(2), ms(3)})});
    s.database.cores = 8;
    s.database.usl_alpha = 0.0095;
    s.database.usl_beta = 0.002;
    const plan::Plan p = compile(s, Threads::virtual_threads);
    ASSERT_EQ(p.cpus.size(), 2U);
    EXPECT_EQ(p.cpus[1].name, "db.cpu");
    EXPECT_EQ(p.cpus[1].cores, 8);
    EXPECT_EQ(p.cpus[1].usl_alpha, 0.0095);
    EXPECT_EQ(p.cpus[1].usl_beta, 0.002);
    EXPECT_EQ(request_lines(s, Threads::virtual_threads)[2], "work    db.cpu 2ms   park");
    EXPECT_EQ(request_lines(s, Threads::virtual_threads)[3], "delay   database 3ms park");
}

TEST(Handler, ATransactionHoldsOneConnectionThroughout) {
    const Scenario s = scenario_of({transaction({query(1), transaction({query(2)}), call("enrichment")}), cpu(1)});
    const plan::Plan p = compile(s, kPlatform);
    EXPECT_EQ(count(p, "request", plan::Op::acquire), 1);
    EXPECT_EQ(count(p, "request", plan::Op::release), 1);
    const auto held = plan::holdings(p, index_of(p, "request"));
    const auto& code = program(p, "request").code;
    for (std::size_t pc = 0; pc < code.size(); ++pc)
        if (code[pc].op == plan::Op::delay) {
            EXPECT_EQ(held[pc].size(), 1U);
        }
}

TEST(Handler, MonitorsAndLocksReEnterSemaphoresDoNot) {
    const auto acquires = [](const Steps& steps) {
        return count(compile(scenario_of(steps), kPlatform), "request", plan::Op::acquire);
    };
    EXPECT_EQ(acquires({synchronized("m", {synchronized("m", {sleep(1)})})}), 1);
    EXPECT_EQ(acquires({synchronized("m", {synchronized("n", {sleep(1)})})}), 2);
    EXPECT_EQ(acquires({lock("l", {lock("l", {sleep(1)})})}), 1);
    EXPECT_EQ(acquires({synchronized("", {sleep(1)})}), 0);
    const scenario::SemaphoreStep inner{"s", 2, {}, {sleep(1)}};
    EXPECT_EQ(acquires({step(scenario::SemaphoreStep{"s", 2, {}, {step(inner)}})}), 2);
}

TEST(Handler, PermitsOfEachKind) {
    Scenario s = scenario_of({synchronized("m", {}), lock("l", {}), step(scenario::SemaphoreStep{"s", 5, 100ms, {}}),
                              use("http", {sleep(1)})});
    s.pools["http"] = {7, 3s, scenario::PoolWait::park, scenario::PoolDiscipline::hikari, {}};
    const plan::Plan p = compile(s, kPlatform);
    EXPECT_EQ(find_pool(p, "monitor m")->discipline, plan::Discipline::barging);
    EXPECT_EQ(find_pool(p, "lock l")->discipline, plan::Discipline::barging);
    EXPECT_EQ(find_pool(p, "semaphore s")->discipline, plan::Discipline::barging);
    EXPECT_EQ(find_pool(p, "semaphore s")->capacity, 5);
    EXPECT_EQ(find_pool(p, "http")->capacity, 7);
    EXPECT_EQ(find_pool(p, "http")->discipline, plan::Discipline::hikari);
    std::vector<Nanos> timeouts;
    for (const auto& i : program(p, "request").code)
        if (i.op == plan::Op::acquire) timeouts.push_back(i.timeout);
    EXPECT_EQ(timeouts, (std::vector<Nanos>{-1, -1, 100'000'000, 3'000'000'000}));
}

TEST(Handler, AFailureReleasesWhatIsHeldInnermostFirst) {
    Scenario s = scenario_of({transaction({lock("l", {use("http", {sleep(1)})})})});
    s.pools["http"].size = 7;
    s.pools["http"].timeout = 3s;
    EXPECT_EQ(request_lines(s, kPlatform), (std::vector<std::string>{
                                               "run on  tomcat.threads  [200]",
                                               "acquire hikari 30s hold else L1",
                                               "acquire lock l     hold",
                                               "acquire http 3s    hold else L2",
                                               "delay   sleep 1ms  hold",
                                               "release http",
                                               "release lock l",
                                               "release hikari",
                                               "end     ok",
                                               "L1:",
                                               "end     pool_timeout",
                                               "L2:",
                                               "release lock l",
                                               "release hikari",
                                               "end     pool_timeout",
                                           }));
}

TEST(Handler, ARetryUndoesItsOwnAndBacksOff) {
    scenario::RetryStep retry{3, ms(100), 2, {lock("l", {step(scenario::CallStep{"enrichment", 50ms})})}};
    const Scenario s = scenario_of({transaction({step(retry)})});
    EXPECT_EQ(request_lines(s, kPlatform), (std::vector<std::string>{
                                               "run on  tomcat.threads  [200]",
                                               "acquire hikari 30s                   hold else L2",
                                               "L1:",
                                               "acquire lock l                       hold",
                                               "delay   enrichment 100ms within 50ms hold else L3",
                                               "release lock l",
                                               "branch  on, counting anew",
                                               "release hikari",
                                               "end     ok",
                                               "L2:",
                                               "end     pool_timeout",
                                               "L3:",
                                               "release lock l",
                                               "branch  L4 up to 3 times",
                                               "release hikari",
                                               "end     call_timeout",
                                               "L4:",
                                               "delay   backoff 50ms x2              hold",
                                               "branch  L1",
                                           }));
}

TEST(Handler, TheFirstBackoffIsThePlainOne) {
    scenario::RetryStep retry{4, Distribution::uniform(30e6, 60e6), 3, {step(scenario::CallStep{"enrichment", 50ms})}};
    const plan::Plan p = compile(scenario_of({step(retry)}), kPlatform);
    for (const auto& i : program(p, "request").code) {
        if (i.what != "backoff") continue;
        // The engine multiplies by factor^counter, and the counter is 1 at the first pause.
        EXPECT_DOUBLE_EQ(i.amount.first * i.factor, 30e6);
        EXPECT_DOUBLE_EQ(i.amount.second * i.factor, 60e6);
    }
}

TEST(Handler, NestedRetriesCountApart) {
    const Step failing = step(scenario::CallStep{"enrichment", 50ms});
    Step nest = failing;
    for (int depth = 0; depth < plan::kCounters; ++depth)
        nest = step(scenario::RetryStep{2, ms(1), 1, {nest}});
    const plan::Plan p = compile(scenario_of({nest}), kPlatform);
    std::set<int> counters;
    for (const auto& i : program(p, "request").code)
        if (i.op == plan::Op::branch && i.branch == plan::Branch::count && i.limit == 2) counters.insert(i.counter);
    EXPECT_EQ(counters, (std::set<int>{0, 1, 2, 3}));
    nest = step(scenario::RetryStep{2, ms(1), 1, {nest}});
    EXPECT_THROW((void)compile(scenario_of({nest}), kPlatform), std::invalid_argument);
}

TEST(Handler, ChooseTakesConditionalChances) {
    const scenario::ChooseStep choose{{{1, {sleep(1)}}, {2, {sleep(2)}}, {0, {sleep(9)}}, {1, {sleep(3)}}}};
    const plan::Plan p = compile(scenario_of({step(choose)}), kPlatform);
    std::vector<double> chances;
    std::set<int> streams;
    for (const auto& i : program(p, "request").code)
        if (i.op == plan::Op::branch && i.branch == plan::Branch::chance) {
            chances.push_back(i.probability);
            streams.insert(i.step);
        }
    ASSERT_EQ(chances.size(), 2U);
    EXPECT_DOUBLE_EQ(chances[0], 1.0 / 4);
    EXPECT_DOUBLE_EQ(chances[1], 2.0 / 3); // of what the first left
    EXPECT_EQ(streams.size(), 2U) << "independent draws";
}

TEST(Handler, ParallelStartsNewVirtualThreadsInBothServletModels) {
    Scenario s = scenario_of({synchronized("", {step(scenario::ParallelStep{{{sleep(1)}, {query(2)}}})})});
    s.runtime.jdk = 21;
    for (const Threads t : {Threads::platform, Threads::virtual_threads}) {
        const plan::Plan p = compile(s, t);
        const auto& child = program(p, "parallel");
        EXPECT_EQ(p.runners[static_cast<std::size_t>(child.runner)].name, "carriers");
        EXPECT_EQ(child.code[0].waiting, plan::Waiting::park) << "the parent's monitor is not on its stack";
        EXPECT_FALSE(child.code[0].pinned);
        EXPECT_EQ(child.code[0].stage, -1);
    }
    EXPECT_TRUE(first(compile(s, Threads::virtual_threads), plan::Op::join).pinned);
    const plan::Plan loops = compile(s, Threads::event_loop);
    EXPECT_EQ(loops.runners[static_cast<std::size_t>(program(loops, "parallel").runner)].name, "event loops");
    EXPECT_EQ(find_runner(compile(scenario_of({sleep(1)}), kPlatform), "carriers"), nullptr);
}

TEST(Handler, AFailedChildFailsTheRequestAsItDid) {
    Scenario s = scenario_of({lock("l", {step(scenario::ParallelStep{{{sleep(1)}, {query(2)}}})})});
    const plan::Plan p = compile(s, kPlatform);
    const plan::Instruction join = first(p, plan::Op::join);
    ASSERT_GE(join.on_child_failure, 0);
    const auto& code = program(p, "request").code;
    EXPECT_EQ(code[static_cast<std::size_t>(join.on_child_failure)].op, plan::Op::release);
    EXPECT_EQ(code.back().outcome, plan::Outcome::pool_timeout);
    EXPECT_EQ(first(compile(scenario_of({step(scenario::ParallelStep{{{sleep(1)}}})}), kPlatform), plan::Op::join)
                  .on_child_failure,
              -1);
}

TEST(Services, APlainOneIsADelay) {
    const Scenario s = scenario_of({step(scenario::CallStep{"enrichment", 50ms})});
    const plan::Plan p = compile(s, Threads::virtual_threads);
    const plan::Instruction i = first(p, plan::Op::delay);
    EXPECT_EQ(i.timeout, 50'000'000);
    EXPECT_EQ(program(p, "request").code.back().outcome, plan::Outcome::call_timeout);
}

TEST(Services, ALimitedOneRunsAtTheFarSide) {
    Scenario s = scenario_of({step(scenario::CallStep{"enrichment", 50ms})});
    s.services["enrichment"].limit = 3;
    s.services["enrichment"].cores = 2;
    s.services["enrichment"].cpu = ms(4);
    const plan::Plan p = compile(s, Threads::virtual_threads);
    EXPECT_EQ(find_pool(p, "service enrichment")->capacity, 3);
    EXPECT_EQ(lines(p, "far side of enrichment"), (std::vector<std::string>{
                                                      "run on  client",
                                                      "acquire service enrichment",
                                                      "delay   enrichment 100ms",
                                                      "work    enrichment.cpu 4ms",
                                                      "release service enrichment",
                                                      "end     ok",
                                                  }));
    EXPECT_EQ(request_lines(s, Threads::virtual_threads), (std::vector<std::string>{
                                                              "run on  carriers  [6]",
                                                              "fork    far side of enrichment",
                                                              "join    50ms park late L1",
                                                              "end     ok",
                                                              "L1:",
                                                              "end     call_timeout",
                                                          }));
}

TEST(Handler, UnknownNamesAreErrors) {
    EXPECT_THROW((void)compile(scenario_of({call("nobody")}), kPlatform), std::invalid_argument);
    EXPECT_THROW((void)compile(scenario_of({use("nothing", {})}), kPlatform), std::invalid_argument);
    const Step two = step(scenario::SemaphoreStep{"s", 2, {}, {sleep(1)}});
    const Step three = step(scenario::SemaphoreStep{"s", 3, {}, {sleep(1)}});
    EXPECT_THROW((void)compile(scenario_of({two, three}), kPlatform), std::invalid_argument);
}

TEST(Handler, TheSameStepDrawsTheSameUnderEachModel) {
    const Scenario s = scenario_of({cpu(1), step(scenario::QueryStep{ms(2), ms(3)}), call("enrichment"), sleep(4),
                                    step(scenario::ChooseStep{{{1, {}}, {1, {}}}})});
    using Draws = std::multimap<int, double>;
    std::vector<Draws> draws;
    for (const Threads t : kAll) {
        Draws d;
        const plan::Plan p = compile(s, t);
        for (const auto& i : program(p, "request").code)
            if (i.step != 0) d.emplace(i.step, i.amount.first);
        draws.push_back(d);
    }
    EXPECT_EQ(draws[0], draws[1]);
    EXPECT_EQ(draws[0], draws[2]);
    ASSERT_EQ(draws[0].size(), 6U);
    std::set<int> different;
    for (const auto& [stream, amount] : draws[0])
        different.insert(stream);
    EXPECT_EQ(different.size(), 6U);
}

TEST(Handler, StagesAreInTheHandlersOrder) {
    Step named = cpu(3);
    named.name = "render";
    const Scenario s = scenario_of(
        {cpu(1), query(1), cpu(2), query(2), call("enrichment"), named, step(scenario::ParallelStep{{{cpu(1)}}})});
    const plan::Plan p = compile(s, kPlatform);
    EXPECT_EQ(p.stages,
              (std::vector<std::string>{"wait for a connection", "wait for a thread", "cpu", "wait for hikari", "query",
                                        "cpu 2", "query 2", "call enrichment", "render", "parallel"}));
    for (const auto& i : program(p, "request").code) {
        const std::string stage = i.stage >= 0 ? p.stages[static_cast<std::size_t>(i.stage)] : "";
        if (i.op == plan::Op::acquire) {
            EXPECT_EQ(stage, "wait for hikari");
        }
        if (i.op == plan::Op::delay) {
            EXPECT_EQ(stage, "call enrichment");
        }
        if (i.op == plan::Op::join) {
            EXPECT_EQ(stage, "parallel");
        }
    }
}

TEST(Warnings, SayWhatIsIgnoredWithFigures) {
    Scenario s = scenario_of({query(1)});
    EXPECT_TRUE(warnings(s, kPlatform).empty());
    s.application.tomcat_threads_max = 400;
    EXPECT_TRUE(warnings(s, kPlatform).empty());
    const auto w = warnings(s, Threads::virtual_threads);
    ASSERT_EQ(w.size(), 1U);
    EXPECT_EQ(w[0], "server.tomcat.threads.* (max 400) is ignored: virtual threads have no pool");
    EXPECT_EQ(warnings(s, Threads::event_loop).size(), 1U);
}

TEST(Warnings, ConnectionsAndPools) {
    Scenario s = scenario_of({query(1)});
    s.load.users = 8193;
    EXPECT_TRUE(warnings(s, kPlatform).empty());
    s.load.users = 8293;
    ASSERT_EQ(warnings(s, kPlatform).size(), 1U);
    EXPECT_NE(warnings(s, kPlatform)[0].find("wait in the backlog"), std::string::npos);
    s.load.users = 8294;
    ASSERT_EQ(warnings(s, kPlatform).size(), 1U);
    EXPECT_NE(warnings(s, kPlatform)[0].find("retry after"), std::string::npos);
    EXPECT_TRUE(warnings(s, Threads::event_loop).empty());
    s.load.users = 10;
    s.application.hikari_maximum_pool_size = 101;
    ASSERT_EQ(warnings(s, kPlatform).size(), 1U);
    EXPECT_NE(warnings(s, kPlatform)[0].find("max_connections 100"), std::string::npos);
    s.database.max_connections = 1000;
    s.application.hikari_maximum_pool_size = 201;
    ASSERT_EQ(warnings(s, kPlatform).size(), 1U);
    EXPECT_NE(warnings(s, kPlatform)[0].find("above the 200 threads"), std::string::npos);
    EXPECT_TRUE(warnings(s, Threads::virtual_threads).empty());
}

TEST(Warnings, AWarmUpShorterThanACycle) {
    Scenario s = scenario_of({sleep(5)});
    s.load.think = Distribution::constant(10e6);
    for (const auto& [warmup, count] : {std::pair{15ms, 0U}, {14ms, 1U}, {0ms, 1U}}) {
        s.measure.warmup = warmup;
        EXPECT_EQ(warnings(s, kPlatform).size(), count) << warmup.count();
    }
    EXPECT_EQ(warnings(s, kPlatform)[0], "measure.warmup 0ms is shorter than one cycle, 15ms of think time and least "
                                         "response: the measured part includes the start");
    s.load.timeout = 2ms; // the user gives up sooner
    s.measure.warmup = 12ms;
    EXPECT_TRUE(warnings(s, kPlatform).empty());
    s.load.kind = scenario::LoadKind::burst; // has no warm-up
    s.load.requests = 5;
    s.measure.warmup = 0ms;
    EXPECT_TRUE(warnings(s, kPlatform).empty());
    s.measure.warmup.reset();
    s.load.kind = scenario::LoadKind::closed;
    EXPECT_TRUE(warnings(s, kPlatform).empty());
}

TEST(Warnings, WhatPinsAndWhatBlocks) {
    Scenario s = scenario_of({synchronized("", {sleep(1), call("enrichment")})});
    s.runtime.jdk = 21;
    EXPECT_EQ(warnings(s, Threads::virtual_threads),
              (std::vector<std::string>{"2 of the handler's waits pin the carrier on JDK 21"}));
    EXPECT_EQ(warnings(s, Threads::event_loop),
              (std::vector<std::string>{"2 of the handler's waits block the event loop"}));
    s.runtime.jdk = 24;
    EXPECT_TRUE(warnings(s, Threads::virtual_threads).empty());
}

} // namespace
} // namespace narrows::models::test
