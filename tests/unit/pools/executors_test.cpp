// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks on executors.
#include "run.hpp"

namespace narrows::testing {
namespace {

using plan::Outcome;
using Latencies = std::map<long, std::uint64_t>;

/// Requests at once, each with one task of 100 ms.
std::string tasks(int burst, const std::string& threads, bool await, const std::string& properties) {
    return "threads: " + threads + "\nruntime: {" + kFree + "}\napplication:\n  spring.task.execution: " + properties +
           "\nrequest: [async: {await: " + (await ? "true" : "false") +
           ", steps: [sleep: 100ms]}]\nload: {burst: " + std::to_string(burst) + "}\n";
}

TEST(Executors, PlatformTasksQueueForTheCoreThreads) {
    EXPECT_EQ(latencies(run(tasks(6, "platform", true, "{pool: {core-size: 2}}"))),
              (Latencies{{100, 2}, {200, 2}, {300, 2}}));
    // Spring's defaults: 8 threads, and a queue that takes all.
    EXPECT_EQ(latencies(run(tasks(10, "platform", true, "{}"))), (Latencies{{100, 8}, {200, 2}}));
}

TEST(Executors, AFullQueueMakesThreadsUpToTheMaximumThenRefuses) {
    const auto r = run(tasks(7, "platform", true, "{pool: {core-size: 1, max-size: 3, queue-capacity: 2}}"));
    EXPECT_EQ(count(r, Outcome::rejected), 2U);
    EXPECT_EQ(latencies(r), (Latencies{{0, 2}, {100, 3}, {200, 2}}));
}

TEST(Executors, ASubmitterDoesNotWaitUnlessToldTo) {
    EXPECT_EQ(latencies(run(tasks(6, "platform", false, "{pool: {core-size: 2}}"))), (Latencies{{0, 6}}));
}

TEST(Executors, AtItsLimitTheVirtualExecutorMakesTheSubmitterWait) {
    EXPECT_EQ(latencies(run(tasks(4, "virtual", false, "{simple.concurrency-limit: 2}"))),
              (Latencies{{0, 2}, {100, 2}}));
    EXPECT_EQ(latencies(run(tasks(4, "virtual", false, "{}"))), (Latencies{{0, 4}}));
}

TEST(Executors, OrRefusesTheTask) {
    const auto r =
        run(tasks(4, "virtual", false, "{simple: {concurrency-limit: 2, reject-tasks-when-limit-reached: true}}"));
    EXPECT_EQ(count(r, Outcome::ok), 2U);
    EXPECT_EQ(count(r, Outcome::rejected), 2U);
}

TEST(Executors, OwnOnesBesideSprings) {
    const auto r = run("threads: platform\nruntime: {" + kFree +
                       "}\nexecutors: {mail: {threads: virtual, limit: 1}}\n"
                       "request: [async: {executor: mail, await: true, steps: [sleep: 100ms]}]\nload: {burst: 3}\n");
    EXPECT_EQ(latencies(r), (Latencies{{100, 1}, {200, 1}, {300, 1}}));
}

TEST(Executors, ALaterJoinDoesNotWaitForATaskNobodyWaitsFor) {
    const auto r = run("threads: virtual\nruntime: {" + kFree +
                       "}\nrequest:\n  - async: [sleep: 1s]\n  - parallel: [sleep: 10ms]\nload: {burst: 1}\n");
    EXPECT_EQ(latencies(r), (Latencies{{10, 1}}));
}

TEST(Executors, AFailureIsHeardByWhoWaitsOnly) {
    const std::string failing = "services: {slow: {latency: 1s}}\nthreads: virtual\nload: {burst: 1}\nrequest: [async: "
                                "{await: AWAIT, steps: [call: {service: slow, timeout: 10ms}]}]\n";
    const auto with = [&](const std::string& await) {
        std::string yaml = failing;
        return run(yaml.replace(yaml.find("AWAIT"), 5, await));
    };
    EXPECT_EQ(count(with("true"), Outcome::call_timeout), 1U);
    EXPECT_EQ(count(with("false"), Outcome::ok), 1U);
}

/// A task that waits for another one of its own executor.
measure::Recording nested(const std::string& executor) {
    return run("threads: virtual\nruntime: {" + kFree + "}\nexecutors: {one: " + executor +
               "}\nload: {burst: 1}\nrequest:\n  - async:\n      executor: one\n      await: true\n      steps:\n"
               "        - async: {executor: one, await: true, steps: [sleep: 1ms]}\n");
}

TEST(Executors, ATaskThatWaitsForItsOwnExecutorCanStall) {
    const auto threads = nested("{core-size: 1}");
    EXPECT_TRUE(threads.deadlock);
    const auto limited = nested("{threads: virtual, limit: 1}");
    EXPECT_TRUE(limited.deadlock);
    ASSERT_TRUE(limited.knot.has_value());
    const auto& said = limited.knot->lines;
    EXPECT_NE(
        std::find(said.begin(), said.end(), "1 strand holds executor one and waits for executor one (1 of 1 taken)"),
        said.end());
    EXPECT_FALSE(nested("{threads: virtual, limit: 2}").deadlock);
    EXPECT_FALSE(nested("{core-size: 2}").deadlock);
}

} // namespace
} // namespace narrows::testing
