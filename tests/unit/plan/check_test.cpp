// SPDX-License-Identifier: GPL-3.0-or-later
#include "make.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace narrows::plan::test {
namespace {

using Spoil = std::function<void(Plan&)>;

/// The one problem that spoiling the small plan makes.
std::string problem(const Spoil& spoil) {
    Plan p = small();
    spoil(p);
    const auto found = problems(p);
    EXPECT_EQ(found.size(), 1U) << (found.size() > 1 ? found[0] + " / " + found[1] : "");
    return found.empty() ? "" : found[0];
}

/// A request with these instructions.
std::string request_problem(std::vector<Instruction> code) {
    return problem([&](Plan& p) { request(p) = std::move(code); });
}

Instruction acquire_or(int failed, Nanos timeout = 1000) {
    Instruction i = on(Op::acquire, 0);
    i.timeout = timeout;
    i.on_failure = failed;
    return i;
}

TEST(Problems, ASmallPlanHasNone) {
    EXPECT_TRUE(problems(small()).empty());
}

TEST(Problems, Resources) {
    EXPECT_EQ(problem([](Plan& p) { p.cpus[0].cores = 0; }), "cpu app.cpu: cores must be above 0");
    EXPECT_EQ(problem([](Plan& p) { p.cpus[0].cores = std::numeric_limits<double>::quiet_NaN(); }),
              "cpu app.cpu: cores must be above 0");
    EXPECT_EQ(problem([](Plan& p) { p.cpus[0].usl_beta = -1; }),
              "cpu app.cpu: the scalability law's coefficients must be 0 or more");
    EXPECT_EQ(problem([](Plan& p) { p.pools[0].capacity = 0; }), "pool hikari: capacity must be 1 or more");
    EXPECT_EQ(problem([](Plan& p) { p.pools[0].queue_limit = -2; }),
              "pool hikari: queue limit must be -1 (none) or more");
    EXPECT_EQ(problem([](Plan& p) { p.runners[1].workers = 0; }), "runner tomcat.threads: needs at least 1 worker");
    EXPECT_EQ(problem([](Plan& p) { p.runners[1].cpu = 1; }), "runner tomcat.threads: its cpu does not exist");
    EXPECT_EQ(problem([](Plan& p) { p.runners[1].cpu = -1; }), "runner tomcat.threads: its cpu does not exist");
    EXPECT_EQ(problem([](Plan& p) { p.runners[1].start_cost = -1; }), "runner tomcat.threads: costs must be 0 or more");
    EXPECT_EQ(problem([](Plan& p) { p.runners[0].start_cost = 1; }), "runner client: costs need a cpu");
    EXPECT_EQ(problem([](Plan& p) { p.runners[1].kind = RunnerKind::carriers; }),
              "runner tomcat.threads: max workers must be at least the workers");
}

TEST(Problems, Indices) {
    EXPECT_EQ(problem([](Plan& p) { p.programs[1].runner = 2; }), "request: its runner does not exist");
    EXPECT_EQ(problem([](Plan& p) { p.programs[1].endpoint = 1; }), "request: its endpoint does not exist");
    EXPECT_EQ(problem([](Plan& p) { request(p).clear(); }), "request: has no instructions");
    EXPECT_EQ(request_problem({work(1, 3), end()}), "request:0: works on a cpu that does not exist");
    EXPECT_EQ(request_problem({on(Op::acquire, 7), end()}), "request:0: acquires from a pool that does not exist");
    EXPECT_EQ(request_problem({on(Op::release, -1), end()}), "request:0: releases a pool that does not exist");
    EXPECT_EQ(request_problem({fork(9), op(Op::join), end()}), "request:0: forks a program that does not exist");
    EXPECT_EQ(request_problem({branch(Branch::always, 2), end()}), "request:0: branches outside the program");
    EXPECT_EQ(request_problem({acquire_or(9), on(Op::release, 0), end()}), "request:0: a label outside the program");
    EXPECT_EQ(problem([](Plan& p) { p.load.session = 5; }), "load: its session program does not exist");
    EXPECT_EQ(problem([](Plan& p) { request(p)[1].stage = 0; }), "request:1: its stage does not exist");
}

TEST(Problems, Amounts) {
    EXPECT_EQ(request_problem({work(-1), end()}), "request:0: an amount that cannot be drawn");
    EXPECT_EQ(request_problem({work(std::numeric_limits<double>::infinity()), end()}),
              "request:0: an amount that cannot be drawn");
    Instruction i = delay(0);
    i.amount.shape = Shape::mixture;
    i.amount.parts = {{0.5, {}}, {0.4, {}}};
    EXPECT_EQ(request_problem({i, end()}), "request:0: an amount that cannot be drawn");
    i.amount.parts[1].weight = 0.5;
    Plan p = small();
    request(p) = {i, end()};
    EXPECT_TRUE(problems(p).empty());
    i.amount = {};
    i.amount.shape = Shape::empirical;
    EXPECT_EQ(request_problem({i, end()}), "request:0: an amount that cannot be drawn");
    i.amount.shape = Shape::pareto;
    i.amount.second = 1;
    EXPECT_EQ(request_problem({i, end()}), "request:0: an amount that cannot be drawn");
}

TEST(Problems, WeightsAndChances) {
    EXPECT_EQ(problem([](Plan& p) {
                  p.programs[0].code[1].choose = true;
                  p.programs[0].code[1].children = {{1, 0.5}, {1, 0.4}};
              }),
              "session:1: weights that do not sum to 1");
    Instruction b = branch(Branch::chance, 1);
    b.probability = 1.5;
    EXPECT_EQ(request_problem({b, end()}), "request:0: a probability outside 0 to 1");
    b = branch(Branch::count, 1);
    b.counter = kCounters;
    b.limit = 2;
    EXPECT_EQ(request_problem({b, end()}), "request:0: a counter that does not exist");
    b.counter = 0;
    b.limit = 0;
    EXPECT_EQ(request_problem({b, end()}), "request:0: a limit below 1");
}

TEST(Problems, FallsOffTheEnd) {
    EXPECT_EQ(request_problem({work(1)}), "request:0: runs off the end of the program");
}

TEST(Problems, Permits) {
    EXPECT_EQ(request_problem({on(Op::release, 0), end()}), "request:0: releases hikari, which is not held");
    EXPECT_EQ(request_problem({on(Op::acquire, 0), end()}), "request:1: ends while it holds hikari");
    EXPECT_EQ(request_problem({on(Op::acquire, 0), on(Op::acquire, 0), on(Op::release, 0), end()}),
              "request:3: ends while it holds hikari");
    Instruction maybe = branch(Branch::chance, 2);
    maybe.probability = 0.5;
    EXPECT_EQ(request_problem({maybe, on(Op::acquire, 0), end()}),
              "request:2: is reached holding nothing and holding hikari");
}

TEST(Problems, AFailedAcquireHasNoPermit) {
    // Right: the failure edge ends at once.
    Plan p = small();
    request(p) = {acquire_or(3), on(Op::release, 0), end(), end(Outcome::pool_timeout)};
    EXPECT_TRUE(problems(p).empty());
    // Wrong: it releases what it did not get.
    EXPECT_EQ(request_problem({acquire_or(1), on(Op::release, 0), end()}).substr(0, 10), "request:1:");
}

TEST(Problems, ATimeoutOrAFullQueueNeedsAWayOn) {
    EXPECT_EQ(request_problem({acquire_or(-1), on(Op::release, 0), end()}),
              "request:0: a time-out without a place to go on at");
    EXPECT_EQ(problem([](Plan& p) { p.pools[0].queue_limit = 3; }),
              "request:0: the queue can be full and there is no place to go on at");
}

TEST(Problems, AJoinThatGivesUpLosesItsPermit) {
    const auto with = [](std::vector<Instruction> tail) {
        return [tail](Plan& p) {
            auto& code = p.programs[0].code;
            Instruction join = op(Op::join);
            join.timeout = 1000;
            join.gives = 0;
            join.on_failure = 7;
            code = {op(Op::send), on(Op::acquire, 0), fork(1), join, op(Op::answer), on(Op::release, 0), end()};
            code.insert(code.end(), tail.begin(), tail.end());
        };
    };
    Plan p = small();
    with({op(Op::answer), end()})(p);
    EXPECT_TRUE(problems(p).empty());
    EXPECT_EQ(problem(with({on(Op::release, 0), end()})), "session:7: releases hikari, which is not held");
    EXPECT_EQ(problem([&](Plan& q) {
                  with({op(Op::answer), end()})(q);
                  q.programs[0].code[3].gives = 1;
              }),
              "session:3: gives monitor m, which is not held");
}

TEST(Problems, LoopsInWhichNoTimePasses) {
    EXPECT_EQ(request_problem({branch(Branch::always, 0), end()}), "request: a loop in which no time can pass");
    EXPECT_EQ(request_problem({delay(0), branch(Branch::always, 0)}), "request: a loop in which no time can pass");
    Plan p = small();
    request(p) = {delay(1), branch(Branch::always, 0)};
    EXPECT_TRUE(problems(p).empty());
    Instruction count = branch(Branch::count, 0);
    count.limit = 3;
    request(p) = {count, end()};
    EXPECT_TRUE(problems(p).empty()) << "a count ends";
}

TEST(Problems, AProgramThatForksItself) {
    EXPECT_EQ(request_problem({fork(0), op(Op::join), end()}), "program session forks itself");
}

TEST(Problems, Loads) {
    EXPECT_EQ(problem([](Plan& p) { p.load.users = 0; }), "load: needs at least 1 user");
    EXPECT_EQ(problem([](Plan& p) { p.load.kind = LoadKind::open; }), "load: the rate must be above 0");
    EXPECT_EQ(problem([](Plan& p) { p.load.kind = LoadKind::burst; }), "load: needs at least 1 request");
    EXPECT_EQ(problem([](Plan& p) { p.load.kind = LoadKind::fixed; }), "load: fewer requests than users");
    EXPECT_EQ(problem([](Plan& p) { p.load.kind = LoadKind::stages; }), "load: needs at least 1 stage");
    EXPECT_EQ(problem([](Plan& p) {
                  p.load.kind = LoadKind::stages;
                  p.load.stages = {{-1, 5}};
              }),
              "load: a stage with a negative length or users");
}

TEST(Holdings, AreWhatAStrandHoldsWhenItReachesALine) {
    Plan p = small();
    request(p) = {on(Op::acquire, 1),
                  on(Op::acquire, 0),
                  on(Op::acquire, 0),
                  on(Op::release, 1),
                  on(Op::release, 0),
                  on(Op::release, 0),
                  end()};
    ASSERT_TRUE(problems(p).empty());
    const std::vector<std::vector<int>> expected = {{}, {1}, {0, 1}, {0, 0, 1}, {0, 0}, {0}, {}};
    EXPECT_EQ(holdings(p, 1), expected);
}

} // namespace
} // namespace narrows::plan::test
