// SPDX-License-Identifier: GPL-3.0-or-later
// Tomcat's admission as the session sees it, and the load.
#include "make.hpp"
#include "models/mechanisms.hpp"

namespace narrows::models::test {
namespace {

Scenario one_call() {
    return scenario_of({call("enrichment")});
}

TEST(Tomcat, OneConnectionMoreThanTheLatchAndABacklog) {
    Scenario s = one_call();
    s.application.tomcat_max_connections = 20;
    s.application.tomcat_accept_count = 7;
    for (const Threads t : {Threads::platform, Threads::virtual_threads}) {
        const plan::Plan p = compile(s, t);
        const plan::Pool* pool = find_pool(p, "tomcat.connections");
        ASSERT_NE(pool, nullptr);
        EXPECT_EQ(pool->capacity, 21);
        EXPECT_EQ(pool->queue_limit, 7);
        EXPECT_EQ(pool->discipline, plan::Discipline::fifo);
    }
    EXPECT_EQ(find_pool(compile(s, Threads::event_loop), "tomcat.connections"), nullptr);
    s.application.tomcat_max_connections = -1;
    EXPECT_EQ(find_pool(compile(s, Threads::platform), "tomcat.connections"), nullptr);
}

TEST(Load, UsersBeginWithinTheCycleTheirTimeOutAllows) {
    Scenario s = scenario_of({sleep(3.6e6)}); // an hour
    s.load.think = ms(5);
    EXPECT_EQ(compile(s, Threads::platform).load.spread, 3'600'005'000'000);
    s.load.timeout = 20ms;
    EXPECT_EQ(compile(s, Threads::platform).load.spread, 25'000'000);
}

TEST(Load, ALongHandlerIsCompiledAtOnce) {
    Steps steps;
    for (int i = 0; i < 12'000; ++i)
        steps.push_back(cpu(1));
    const auto start = std::chrono::steady_clock::now();
    const auto plan = compile(scenario_of(std::move(steps)), Threads::platform);
    // Trying every number anew for each step takes a minute; a tenth of a second is what it should take.
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    EXPECT_EQ(plan.stages.back(), "cpu 12000");
}

TEST(Tomcat, KeepAliveSessionThroughThinkTime) {
    Scenario s = one_call();
    s.load.think = ms(5);
    EXPECT_EQ(lines(compile(s, Threads::virtual_threads), "session"),
              (std::vector<std::string>{
                  "run on  client",
                  "L1:",
                  "send",
                  "acquire tomcat.connections  full L6",
                  "L2:",
                  "fork    request",
                  "join                        failed L5",
                  "answer",
                  "branch  L3 up to 100 times ; keep-alive requests",
                  "release tomcat.connections",
                  "branch  L8 while more",
                  "end     ok",
                  "L3:",
                  "branch  L4 while more",
                  "release tomcat.connections",
                  "end     ok",
                  "L4:",
                  "delay   think 5ms",
                  "send",
                  "branch  L2",
                  "L5:",
                  "answer",
                  "branch  on, counting anew",
                  "release tomcat.connections",
                  "branch  L8 while more",
                  "end     ok",
                  "L6:",
                  "delay   SYN retry 1s x2",
                  "branch  L7 up to 7 times",
                  "answer  refused",
                  "branch  L8 while more",
                  "end     ok",
                  "L7:",
                  "acquire tomcat.connections  full L6",
                  "branch  on, counting anew",
                  "branch  L2",
                  "L8:",
                  "delay   think 5ms",
                  "branch  L1",
              }));
}

TEST(Tomcat, WithoutKeepAliveTheConnectionEndsWithTheAnswer) {
    Scenario s = one_call();
    s.load.keep_alive = false;
    s.load.think = ms(5);
    const plan::Plan p = compile(s, Threads::platform);
    const auto& code = program(p, "session").code;
    const auto held = plan::holdings(p, index_of(p, "session"));
    for (std::size_t pc = 0; pc < code.size(); ++pc)
        if (code[pc].op == plan::Op::delay) {
            EXPECT_TRUE(held[pc].empty()) << "holds while it pauses at " << pc;
        }
}

TEST(Tomcat, AClientTimeoutLeavesTheConnectionToTheServer) {
    Scenario s = one_call();
    s.load.timeout = 2s;
    const plan::Plan p = compile(s, Threads::virtual_threads);
    const auto& code = program(p, "session").code;
    const auto held = plan::holdings(p, index_of(p, "session"));
    int joins = 0;
    for (const auto& i : code) {
        if (i.op != plan::Op::join) continue;
        ++joins;
        EXPECT_EQ(i.timeout, 2'000'000'000);
        ASSERT_GE(i.gives, 0);
        EXPECT_EQ(p.pools[static_cast<std::size_t>(i.gives)].name, "tomcat.connections");
        ASSERT_GE(i.on_failure, 0);
        EXPECT_TRUE(held[static_cast<std::size_t>(i.on_failure)].empty());
    }
    EXPECT_EQ(joins, 1);
}

TEST(Tomcat, ARefusedClientDoesNotComeBackInNoTime) {
    Scenario s = one_call();
    EXPECT_EQ(count(compile(s, Threads::platform), "session", plan::Op::delay), 1); // SYN retry
    s.application.tomcat_max_queue_capacity = 0;
    EXPECT_EQ(count(compile(s, Threads::platform), "session", plan::Op::delay), 2);
    EXPECT_EQ(count(compile(s, Threads::virtual_threads), "session", plan::Op::delay), 1);
}

TEST(Load, EndpointsByWeight) {
    Scenario s = one_call();
    s.endpoints[0].name = "read";
    s.endpoints[0].weight = 3;
    s.endpoints.push_back(s.endpoints[0]);
    s.endpoints[1].name = "write";
    s.endpoints[1].weight = 1;
    const plan::Plan p = compile(s, Threads::platform);
    EXPECT_EQ(p.endpoints, (std::vector<std::string>{"read", "write"}));
    for (const auto& i : program(p, "session").code) {
        if (i.op != plan::Op::fork) continue;
        EXPECT_TRUE(i.choose);
        ASSERT_EQ(i.children.size(), 2U);
        EXPECT_DOUBLE_EQ(i.children[0].weight, 0.75);
        EXPECT_DOUBLE_EQ(i.children[1].weight, 0.25);
        EXPECT_EQ(p.programs[static_cast<std::size_t>(i.children[1].program)].endpoint, 1);
    }
    EXPECT_EQ(p.stages[2], "read: call enrichment");
    EXPECT_EQ(p.stages[3], "write: call enrichment");
}

TEST(Load, ClosedStartsAreSpreadOverACycle) {
    Scenario s = scenario_of({cpu(1), query(2), call("enrichment")});
    s.load.think = ms(500);
    plan::Load l = compile(s, Threads::platform).load;
    EXPECT_EQ(l.kind, plan::LoadKind::closed);
    EXPECT_EQ(l.users, 10);
    EXPECT_FALSE(l.together);
    EXPECT_EQ(l.spread, 603'000'000);
    s.load.start = scenario::Start::together;
    l = compile(s, Threads::platform).load;
    EXPECT_TRUE(l.together);
    EXPECT_EQ(l.spread, 0);
}

TEST(Load, UnhinderedTimeOfEachKindOfStep) {
    Scenario s = one_call();
    s.services["enrichment"].cores = 2;
    s.services["enrichment"].cpu = ms(10);
    const Steps steps = {
        cpu(1),
        step(scenario::QueryStep{ms(2), ms(3)}),                           // 5
        transaction({query(4)}),                                           // 4
        call("enrichment"),                                                // 110
        step(scenario::CallStep{"enrichment", 50ms}),                      // 50
        step(scenario::ParallelStep{{{sleep(7)}, {sleep(9)}}}),            // 9
        step(scenario::ChooseStep{{{3, {sleep(4)}}, {1, {sleep(8)}}}}),    // 5
        step(scenario::NativeStep{ms(1), {sleep(1)}}),                     // 2
        step(scenario::ClassInitStep{ms(1), {}}),                          // 1
        step(scenario::FileIoStep{ms(1)}),                                 // 1
        step(scenario::RetryStep{3, ms(100), 1, {sleep(2)}}),              // 2
        synchronized("", {lock("a", {sleep(1)})}),                         // 1
        step(scenario::SemaphoreStep{"s", 1, {}, {use("p", {sleep(1)})}}), // 1
    };
    EXPECT_DOUBLE_EQ(unhindered_time(s, steps), 192e6);
}

TEST(Load, OtherKinds) {
    Scenario s = one_call();
    s.load.kind = scenario::LoadKind::open;
    s.load.rate = 50;
    s.load.arrivals = scenario::Arrivals::constant;
    plan::Load l = compile(s, Threads::platform).load;
    EXPECT_EQ(l.kind, plan::LoadKind::open);
    EXPECT_EQ(l.rate, 50);
    EXPECT_FALSE(l.poisson);

    s.load.kind = scenario::LoadKind::burst;
    s.load.requests = 60;
    l = compile(s, Threads::platform).load;
    EXPECT_EQ(l.kind, plan::LoadKind::burst);
    EXPECT_EQ(l.requests, 60);
    EXPECT_TRUE(l.together);

    s.load.kind = scenario::LoadKind::fixed;
    l = compile(s, Threads::platform).load;
    EXPECT_EQ(l.kind, plan::LoadKind::fixed);
    EXPECT_TRUE(l.together);
    s.load.requests = 9; // for 10 users
    EXPECT_THROW((void)compile(s, Threads::platform), std::invalid_argument);

    s.load.kind = scenario::LoadKind::stages;
    s.load.start_users = 3;
    s.load.stages = {{10s, 100}, {5s, 0}};
    l = compile(s, Threads::platform).load;
    ASSERT_EQ(l.stages.size(), 2U);
    EXPECT_EQ(l.stages[0].length, 10'000'000'000);
    EXPECT_EQ(l.stages[0].users, 100);
    EXPECT_EQ(l.start_users, 3);
}

TEST(Load, AMeanBeyondAllClocksIsNoNegativeSpread) {
    Scenario s = scenario_of({sleep(1)});
    s.load.think = Distribution::constant(1e30);
    EXPECT_GT(compile(s, Threads::platform).load.spread, 0);
}

TEST(Load, AThreadPerUserHasNoTomcat) {
    Scenario s = scenario_of({sleep(1)});
    s.load.users = 1000;
    s.load.thread_per = scenario::ThreadPer::user;
    const auto platform = compile(s, Threads::platform);
    EXPECT_TRUE(platform.load.keeps_worker);
    EXPECT_TRUE(platform.pools.empty());
    const auto& runner = platform.runners[static_cast<std::size_t>(program(platform, "request").runner)];
    EXPECT_EQ(runner.name, "threads");
    EXPECT_EQ(runner.workers, 1000); // server.tomcat.threads.max is 200
    EXPECT_TRUE(compile(s, Threads::virtual_threads).load.keeps_worker);
    EXPECT_THROW((void)compile(s, Threads::event_loop), std::invalid_argument);
    s.load.thread_per = scenario::ThreadPer::request;
    EXPECT_FALSE(compile(s, Threads::platform).load.keeps_worker);
}

TEST(Load, ARequestInNoTimeIsRefused) {
    EXPECT_THROW((void)compile(scenario_of({}), Threads::platform), std::invalid_argument);
    EXPECT_NO_THROW((void)compile(scenario_of({sleep(1)}), Threads::platform));
}

} // namespace
} // namespace narrows::models::test
