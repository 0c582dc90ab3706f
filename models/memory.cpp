// SPDX-License-Identifier: GPL-3.0-or-later
// The Java heap and its collector. What the books of a generational collector say is in
// src/plan/disciplines/collector.hpp; here stand HotSpot's sizes and thread counts, and what a request, a connection
// and a thread weigh. Without runtime.memory.heap nothing of this is in a plan.
//
// GC Tuning Guide = "HotSpot Virtual Machine Garbage Collection Tuning Guide", JDK 25 (docs.oracle.com).
#include "models/compile.hpp"
#include "models/mechanisms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace narrows::models {

namespace {

// Bytes a second of CPU time of one worker. Measured with Temurin 25.0.3 on a virtual machine of 2 vCPUs, from the
// CPU time that -Xlog:gc+cpu prints, with live maps of short strings and 1 KB arrays and one GC thread: young
// collections copied 30 and 89 MB in 0.05 to 0.09 and 0.15 to 0.18 s; full ones marked and moved 217, 282 and 432 MB
// in 0.27, 0.31 to 0.36 and 0.63 s. Rough, and other hardware differs: fitted to that machine, on purpose to nothing
// else.
constexpr double kCopyRate = 0.5e9;
constexpr double kCompactRate = 0.8e9;
// Guessed: marking is a part of a full collection, so it cannot be slower.
constexpr double kMarkRate = kCompactRate;
// Guessed: reaching a safepoint, roots and class data take this long, however little lives.
constexpr Duration kLeastPause = std::chrono::milliseconds(1);

// G1 (GC Tuning Guide, "Garbage-First Garbage Collector", table of defaults): G1NewSizePercent 5 and
// G1MaxNewSizePercent 60, InitiatingHeapOccupancyPercent 45 (before it adapts, which is not modelled),
// G1MixedGCCountTarget 8.
constexpr double kG1YoungLeast = 0.05;
constexpr double kG1YoungMost = 0.60;
constexpr double kG1MarkAt = 0.45;
constexpr int kG1Mixed = 8;
// Parallel (same guide, "Factors Affecting Garbage Collection Performance"): NewRatio 2, so the young generation has a
// third of the heap; eden has eight tenths of that with SurvivorRatio 8.
constexpr double kParallelEden = 8.0 / 10 / 3;

// ParallelGCThreads: the CPUs up to 8, of those above five eighths; ConcGCThreads: a quarter of them
// (workerPolicy.cpp; g1ConcurrentMark.cpp scale_concurrent_worker_threads: max(1, (n + 2) / 4)).
std::int64_t parallel_workers(std::int64_t cpus) {
    return cpus <= 8 ? cpus : 8 + (cpus - 8) * 5 / 8;
}
std::int64_t concurrent_workers(std::int64_t parallel) {
    return std::max<std::int64_t>(1, (parallel + 2) / 4);
}

/// What each of the collector's concurrent workers does for ever.
int worker_program(Builder& builder) {
    const int index = builder.program("concurrent marking", builder.client);
    plan::Instruction collect;
    collect.op = plan::Op::collect;
    plan::Instruction again;
    again.op = plan::Op::branch;
    again.to = 0;
    builder.plan.programs[static_cast<std::size_t>(index)].code = {collect, again};
    return index;
}

} // namespace

double parked_stack_bytes(std::int64_t frames) {
    // Bytes of heap by parked virtual thread and frames of its stack, kmando01/jvm-virtual-threads-bench @84dc568,
    // experiment G (JDK 21.0.6, macOS); between them linear, beyond the last by its slope. Trivial frames weigh less
    // (measured with JDK 25: 0.95, 2.2, 3.5 KB for 10, 50, 100).
    constexpr std::array<std::pair<double, double>, 6> kMeasured{
        {{1, 2686}, {10, 3236}, {50, 3078}, {100, 4887}, {200, 8806}, {500, 21277}}};
    const auto depth = static_cast<double>(frames);
    std::size_t to = 1;
    while (to + 1 < kMeasured.size() && depth > kMeasured[to].first)
        ++to;
    const auto& [d0, b0] = kMeasured[to - 1];
    const auto& [d1, b1] = kMeasured[to];
    return std::max(kMeasured.front().second, b0 + (b1 - b0) * (depth - d0) / (d1 - d0));
}

void memory(Builder& builder) {
    const scenario::Memory& from = builder.scenario.runtime.memory;
    if (!from.heap) return;
    const bool g1 = from.collector == scenario::Collector::g1;
    plan::Memory& m = builder.plan.memory;
    m.heap = static_cast<double>(*from.heap);
    m.baseline = static_cast<double>(from.baseline);
    m.cpu = builder.app_cpu;
    m.workers = parallel_workers(available_processors(builder.scenario.runtime));
    m.young_least = g1 ? kG1YoungLeast : kParallelEden;
    m.young_most = g1 ? kG1YoungMost : kParallelEden;
    m.copy_rate = kCopyRate;
    m.mark_rate = kMarkRate;
    m.compact_rate = kCompactRate;
    m.least_pause = kLeastPause.count();
    m.tier = builder.tier("garbage collection");
    if (!g1) return;
    m.pause_goal = from.pause_goal.count();
    m.mark_at = kG1MarkAt;
    m.mixed = kG1Mixed;
    m.concurrent_workers = concurrent_workers(m.workers);
    m.worker = worker_program(builder);
}

Footprint request_footprint(const Builder& builder, const ThreadModel& model, bool child) {
    const scenario::Memory& from = builder.scenario.runtime.memory;
    if (!from.heap) return {};
    const double own =
        model.stack_on_heap() ? parked_stack_bytes(from.stack_depth) + static_cast<double>(from.thread_locals) : 0;
    const double live = own + (child ? 0 : static_cast<double>(from.request));
    return {std::max(live, own + (child ? 0 : static_cast<double>(from.allocation))), live};
}

Footprint connection_footprint(const Builder& builder) {
    const scenario::Memory& from = builder.scenario.runtime.memory;
    if (!from.heap) return {};
    const auto bytes = static_cast<double>(from.connection);
    return {bytes, bytes};
}

double thread_bytes(const scenario::Scenario& scenario, scenario::Threads threads) {
    const scenario::Memory& from = scenario.runtime.memory;
    switch (threads) {
    case scenario::Threads::platform: return static_cast<double>(from.thread_stack);
    case scenario::Threads::virtual_threads: return parked_stack_bytes(from.stack_depth);
    case scenario::Threads::event_loop: return 0;
    }
    return 0;
}

} // namespace narrows::models
