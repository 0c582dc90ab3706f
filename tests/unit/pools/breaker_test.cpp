// SPDX-License-Identifier: GPL-3.0-or-later
// Circuit breakers.
#include "run.hpp"

#include "plan/disciplines/breaker.hpp"

namespace narrows::testing {
namespace {

using plan::CircuitBreaker;
using plan::Outcome;
using State = CircuitBreaker::State;

CircuitBreaker breaker(int window, int minimum, double threshold = 0.5, int half_open = 2) {
    plan::Breaker b;
    b.window = window;
    b.minimum = minimum;
    b.threshold = threshold;
    b.open = 100;
    b.half_open = half_open;
    return CircuitBreaker(b);
}

TEST(Breaker, OpensAtTheThresholdOnceEnoughCallsAreKnown) {
    auto b = breaker(10, 4);
    for (const bool failed : {true, true, true})
        b.tell(0, failed);
    EXPECT_EQ(b.state(), State::closed); // all failed, but only three are known
    b.tell(0, false);
    EXPECT_EQ(b.state(), State::open);
    EXPECT_FALSE(b.ask(99));
}

TEST(Breaker, ForgetsWhatLeavesItsWindow) {
    auto b = breaker(4, 4, 0.75);
    for (const bool failed : {true, true, false, false, true, false, true, false})
        b.tell(0, failed); // never three of any four in a row
    EXPECT_EQ(b.state(), State::closed);
    b.tell(0, true);
    b.tell(0, true);
    EXPECT_EQ(b.state(), State::open); // true false true true
}

TEST(Breaker, HalfOpenTriesAFewThenDecides) {
    auto b = breaker(4, 1);
    b.tell(0, true);
    EXPECT_EQ(b.state(), State::open);
    EXPECT_TRUE(b.ask(100));
    EXPECT_EQ(b.state(), State::half_open);
    EXPECT_TRUE(b.ask(100));
    EXPECT_FALSE(b.ask(100)); // two permitted, none back
    b.tell(110, false);
    EXPECT_EQ(b.state(), State::half_open);
    b.tell(110, true); // one of two: at the threshold
    EXPECT_EQ(b.state(), State::open);
    EXPECT_FALSE(b.ask(209));
    EXPECT_TRUE(b.ask(210));
    EXPECT_TRUE(b.ask(210));
    b.tell(220, false);
    b.tell(220, false);
    EXPECT_EQ(b.state(), State::closed);
    EXPECT_EQ(b.opened(), 2U);
}

TEST(Breaker, OpenIgnoresResultsOfEarlierCalls) {
    auto b = breaker(4, 1);
    b.tell(0, true);
    for (int i = 0; i < 10; ++i)
        b.tell(50, false);
    EXPECT_EQ(b.state(), State::open);
}

const std::string kFailing =
    "threads: virtual\nruntime: {" + kFree + "}\nservices: {slow: {latency: 1s}}\nload: {users: 1, requests: 40}\n";

TEST(Breaker, FailsAtOnceWithAnOutcomeOfItsOwn) {
    const auto r = run(kFailing + "request: [circuit-breaker: {name: slow, sliding-window-size: 10, "
                                  "minimum-number-of-calls: 10, steps: [call: {service: slow, timeout: 10ms}]}]\n");
    EXPECT_EQ(count(r, Outcome::call_timeout), 10U);
    EXPECT_EQ(count(r, Outcome::circuit_open), 30U);
    ASSERT_EQ(r.messages.size(), 1U);
    EXPECT_EQ(r.messages[0],
              "CallNotPermittedException: CircuitBreaker 'slow' is OPEN and does not permit further calls");
}

TEST(Breaker, TheDefaultsAreResilience4js) {
    const auto p = plan_of(kFailing + "request: [circuit-breaker: {name: b, steps: [call: slow]}]\n");
    ASSERT_EQ(p.breakers.size(), 1U);
    EXPECT_EQ(p.breakers[0].window, 100);
    EXPECT_EQ(p.breakers[0].minimum, 100);
    EXPECT_DOUBLE_EQ(p.breakers[0].threshold, 0.5);
    EXPECT_EQ(p.breakers[0].open, 60'000'000'000);
    EXPECT_EQ(p.breakers[0].half_open, 10);
}

TEST(Breaker, WhatItGuardsTellsItOnEveryWayOut) {
    const auto p = plan_of("threads: platform\nservices: {slow: {latency: 1s}}\nload: {users: 1}\nrequest:\n"
                           "  - retry:\n      attempts: 2\n      steps:\n"
                           "        - circuit-breaker: {name: b, steps: [lock: {name: l, steps: "
                           "[call: {service: slow, timeout: 10ms}]}]}\n");
    EXPECT_EQ(lines(p), (std::vector<std::string>{"run on  tomcat.threads  [200]",
                                                  "L1:",
                                                  "ask     b                        else L2",
                                                  "acquire lock l              hold",
                                                  "delay   slow 1s within 10ms hold else L4",
                                                  "release lock l",
                                                  "tell    b ok",
                                                  "branch  on, counting anew",
                                                  "end     ok",
                                                  "L2:",
                                                  "branch  L3 up to 2 times",
                                                  "end     circuit_open",
                                                  "L3:",
                                                  "branch  L1",
                                                  "L4:",
                                                  "release lock l",
                                                  "tell    b failed",
                                                  "branch  L5 up to 2 times",
                                                  "end     call_timeout",
                                                  "L5:",
                                                  "branch  L1"}));
}

} // namespace
} // namespace narrows::testing
