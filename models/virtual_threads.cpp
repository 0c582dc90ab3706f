// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual threads: one for each request, mounted on a few carriers; most waits give the carrier
// back (pinning.cpp has the exceptions). Rules: VirtualThread.createDefaultScheduler of jdk-21-ga,
// jdk-23.0.2-ga and jdk-25+27, which agree; Tomcat's VirtualThreadExecutor starts a new virtual
// thread for each task, without limit or queue.
#include "models/rules.hpp"

#include <algorithm>
#include <cmath>

namespace narrows::models {

namespace {

// CPU to mount a parked virtual thread again: 1.0 us, the slope of
// ionutbalosin/jvm-performance-benchmarks (branch jdk-21, VPThreadBlockingApiStackDepth) over
// blocking takes; JDK 21, i7-9750H.
constexpr Duration kMount = std::chrono::microseconds(1);
// CPU to create and start one: 2 us. SerseusWasTaken's thesis benchmark @94532c7 shows about 3 us
// for start, one sleep and join; less one mount. Within the 0.4 to 2.3 us measured on JDK 25.
constexpr Duration kVirtualStart = std::chrono::microseconds(2);

constexpr std::int64_t kDefaultMaxPoolSize = 256;

class VirtualThreads final : public ThreadModel {
public:
    explicit VirtualThreads(const scenario::Scenario& scenario) : scenario_(scenario) {}

    Wait wait(Operation operation, const Frame& frame) const override {
        return virtual_wait(operation, frame, scenario_.runtime.jdk);
    }

    plan::Runner runner(int cpu) const override {
        const auto& runtime = scenario_.runtime;
        std::int64_t parallelism = runtime.carriers.value_or(available_processors(runtime));
        std::int64_t most = std::max(parallelism, kDefaultMaxPoolSize);
        if (runtime.max_pool_size != kDefaultMaxPoolSize) {
            // maxPoolSize given: parallelism = min(parallelism, maxPoolSize).
            most = runtime.max_pool_size;
            parallelism = std::min(parallelism, most);
        }
        plan::Runner r;
        r.name = "carriers";
        r.kind = plan::RunnerKind::carriers;
        r.workers = parallelism;
        r.max_workers = most;
        r.min_runnable = std::max<std::int64_t>(parallelism / 2, 1);
        r.cpu = cpu;
        r.start_cost = runtime.costs.virtual_start.value_or(kVirtualStart).count();
        r.resume_cost = runtime.costs.mount.value_or(kMount).count();
        return r;
    }

    std::string runner_stage() const override { return "wait for a carrier"; }

private:
    const scenario::Scenario& scenario_;
};

} // namespace

std::int64_t available_processors(const scenario::Runtime& runtime) {
    // A container's CPU quota is rounded up (jdk.internal.platform.CgroupUtil, os::active_processor_count).
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(runtime.cores)));
}

std::unique_ptr<ThreadModel> virtual_threads(const scenario::Scenario& scenario) {
    return std::make_unique<VirtualThreads>(scenario);
}

} // namespace narrows::models
