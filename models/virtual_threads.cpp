// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual threads: one for each request, mounted on a few carriers; most waits give the carrier
// back (pinning.cpp has the exceptions). Rules: VirtualThread.createDefaultScheduler of jdk-21-ga,
// jdk-23.0.2-ga and jdk-25+27, which agree; Tomcat's VirtualThreadExecutor starts a new virtual
// thread for each task, without limit or queue.
#include "models/rules.hpp"

#include <algorithm>
#include <bit>
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

// jdk.VirtualThreadPinned is enabled with a threshold of 20 ms in default.jfc of JDK 21 and 25. What
// it is emitted for is the `pinned` of pinning.cpp: on 21 to 23 VirtualThread.parkOnCarrierThread alone.
constexpr Duration kPinLogged = std::chrono::milliseconds(20);

// JDK-8318422 (November 2023), in JDK 22: sockets are watched by virtual threads, which need a carrier to
// notice that one is ready. Before, one platform thread did.
constexpr int kPollersAreVirtual = 22;

/// min(highestOneBit(availableProcessors), 32): DefaultPollerProvider of jdk-22 and later.
std::int64_t read_pollers(const scenario::Runtime& runtime) {
    const auto processors = static_cast<std::uint64_t>(available_processors(runtime));
    return static_cast<std::int64_t>(std::min<std::uint64_t>(std::bit_floor(processors), 32));
}

/// Who ends a wait of this kind. A monitor's heir is queued by the platform thread "VirtualThread-unblocker"
/// (objectMonitor.cpp and java.lang.VirtualThread of JDK 24 and 25); a timer fires on a platform thread
/// ("VirtualThread-unparker", on 25 the pool's delay scheduler); LockSupport.unpark submits to the queue of
/// the carrier it is called on.
plan::Wake woken_by(Operation operation) {
    switch (operation) {
    case Operation::socket: return plan::Wake::socket;
    case Operation::timer:
    case Operation::monitor_enter:
    case Operation::object_wait:
    case Operation::native_code:
    case Operation::file_io: return plan::Wake::outside;
    case Operation::park: return plan::Wake::waker;
    }
    return plan::Wake::outside;
}

class VirtualThreads final : public ThreadModel {
public:
    explicit VirtualThreads(const scenario::Scenario& scenario) : scenario_(scenario) {}

    Wait wait(Operation operation, const Frame& frame) const override {
        Wait wait = virtual_wait(operation, frame, scenario_.runtime.jdk);
        wait.wake = woken_by(operation);
        return wait;
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
        r.two_level = runtime.run_queue == scenario::RunQueue::two_level;
        if (r.two_level && runtime.jdk >= kPollersAreVirtual) r.pollers = read_pollers(runtime);
        r.start_cost = runtime.costs.virtual_start.value_or(kVirtualStart).count();
        r.pin_logged = kPinLogged.count();
        r.resume_cost = runtime.costs.mount.value_or(kMount).count();
        return r;
    }

    std::string runner_stage() const override { return "wait for a carrier"; }
    bool stack_on_heap() const override { return true; } // stack chunks, JEP 444

private:
    const scenario::Scenario& scenario_;
};

} // namespace

std::int64_t available_processors(const scenario::Runtime& runtime) {
    // A container's CPU quota is rounded up (jdk.internal.platform.CgroupUtil, os::active_processor_count).
    const double cpus = std::min(runtime.cores, runtime.cpu_quota.value_or(runtime.cores));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(cpus)));
}

std::unique_ptr<ThreadModel> virtual_threads(const scenario::Scenario& scenario) {
    return std::make_unique<VirtualThreads>(scenario);
}

} // namespace narrows::models
