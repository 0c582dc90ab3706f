// SPDX-License-Identifier: GPL-3.0-or-later
// Platform threads: a request has a Tomcat thread from start to end, and every wait keeps it.
#include "models/rules.hpp"

namespace narrows::models {

namespace {

// CPU to block and wake an OS thread once: 4.8 us, the slope of ionutbalosin/jvm-performance-benchmarks
// (branch jdk-21, VPThreadBlockingApiStackDepth) over blocking takes; JDK 21, i7-9750H.
constexpr Duration kWake = std::chrono::nanoseconds(4800);
// CPU to create one: 66 us, from SerseusWasTaken's thesis benchmark @94532c7 (N threads sleep
// 100 ms; what N adds to the time), JDK 19, macOS.
constexpr Duration kPlatformStart = std::chrono::microseconds(66);

// Tomcat's own default for threads.max-queue-capacity (AbstractEndpoint, StandardThreadExecutor:
// Integer.MAX_VALUE): in effect no limit.
constexpr std::int64_t kUnboundedQueue = 2147483647;

class PlatformThreads final : public ThreadModel {
public:
    explicit PlatformThreads(const scenario::Scenario& scenario)
        : scenario_(scenario), children_(virtual_threads(scenario)) {}

    // A blocked thread stays the request's (java.lang.Thread is an OS thread, JEP 444 "Motivation").
    Wait wait(Operation /*operation*/, const Frame& /*frame*/) const override { return {}; }

    plan::Runner runner(int cpu) const override {
        const auto& application = scenario_.application;
        const auto& costs = scenario_.runtime.costs;
        plan::Runner r;
        r.name = "tomcat.threads";
        r.kind = plan::RunnerKind::threads;
        r.workers = application.tomcat_threads_max;
        r.max_workers = r.workers;
        // TaskQueue.offer (Tomcat 10.1.16 to 11.0.25): grows to max first, then queues, then
        // refuses (RejectedExecutionException: the socket is closed).
        const std::int64_t queue = application.tomcat_max_queue_capacity;
        r.queue_limit = queue >= kUnboundedQueue ? -1 : queue;
        r.cpu = cpu;
        if (scenario_.load.thread_per == scenario::ThreadPer::user) { // each user is a thread, none of them Tomcat's
            r.name = "threads";
            r.workers = r.max_workers = scenario_.load.users;
            r.queue_limit = -1;
        }
        r.resume_cost = costs.wake.value_or(kWake).count();
        // What is in a ThreadLocal of a pooled thread stays there for good.
        if (scenario_.runtime.memory.heap) r.create_bytes = static_cast<double>(scenario_.runtime.memory.thread_locals);
        r.create_cost = costs.platform_start.value_or(kPlatformStart).count();
        return r;
    }

    // In a servlet application `parallel` starts new virtual threads (StructuredTaskScope,
    // newVirtualThreadPerTaskExecutor), whatever runs the request itself.
    const ThreadModel& of_children() const override { return *children_; }
    std::string runner_stage() const override { return "wait for a thread"; }

private:
    const scenario::Scenario& scenario_;
    std::unique_ptr<ThreadModel> children_;
};

} // namespace

std::unique_ptr<ThreadModel> platform_threads(const scenario::Scenario& scenario) {
    return std::make_unique<PlatformThreads>(scenario);
}

} // namespace narrows::models
