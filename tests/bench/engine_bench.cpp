// SPDX-License-Identifier: GPL-3.0-or-later
// The engine's speed against a yardstick in the same binary: h, the cost of one hold (pop and
// push, exponential increment) on a std::priority_queue with 2,500 pending events. Rounds are
// interleaved, minima are compared, so that a busy machine disturbs both sides alike.
//
//   engine_bench [rounds]     prints one line a measurement: ns, ratio to h, goal, absolute rate
#include "engine/events.hpp"
#include "engine/stations.hpp"
#include "models/compile.hpp"
#include "random/sampler.hpp"
#include "scenario/reader.hpp"
#include "support/plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <queue>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace narrows;

/// CPU seconds of this thread (wall clock would count other people's work).
double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

volatile double sink = 0;

double priority_queue_hold_ns(std::size_t pending) {
    constexpr int kHolds = 500'000;
    Stream stream(StreamKey{42});
    std::priority_queue<double, std::vector<double>, std::greater<>> queue;
    for (std::size_t i = 0; i < pending; ++i)
        queue.push(Sampler::standard_exponential(stream));
    const double start = cpu_seconds();
    for (int i = 0; i < kHolds; ++i) {
        const double now = queue.top();
        queue.pop();
        queue.push(now + Sampler::standard_exponential(stream));
    }
    const double took = cpu_seconds() - start;
    sink = queue.top();
    return took * 1e9 / kHolds;
}

struct Timing {
    double ns_per_event = 0;
    double ns_per_request = 0;
    double requests_per_second = 0;
    double events_per_second = 0;
};

Timing time_plan(const plan::Plan& plan, double simulated_seconds) {
    engine::Options options;
    options.auto_warmup = false;
    options.warmup = 0;
    options.duration = static_cast<Nanos>(simulated_seconds * 1e9);
    const double start = cpu_seconds();
    const auto recording = engine::run(plan, options);
    const double took = cpu_seconds() - start;
    std::uint64_t answered = 0;
    for (const auto& slice : recording.slices)
        answered += slice.answered;
    const auto requests = static_cast<double>(answered);
    const auto events = static_cast<double>(recording.events);
    return {took * 1e9 / events, took * 1e9 / requests, requests / took, events / took};
}

/// ns a completion with `jobs` present all the time.
double processor_sharing_ns(std::size_t jobs) {
    constexpr int kCompletions = 400'000;
    Stream stream(StreamKey{7});
    engine::ProcessorSharing station(plan::Cpu{.name = "cpu", .cores = 8});
    std::uint64_t sequence = 0;
    Nanos now = 0;
    const auto demand = [&] { return Sampler::to_nanos(1e6 * Sampler::standard_exponential(stream)); };
    for (std::size_t i = 0; i < jobs; ++i)
        station.start(now, static_cast<int>(i), demand(), sequence++);
    const double start = cpu_seconds();
    for (int i = 0; i < kCompletions; ++i) {
        now = station.next_end();
        const auto job = station.finish(now);
        station.start(now, job, demand(), sequence++);
    }
    return (cpu_seconds() - start) * 1e9 / kCompletions;
}

double replications_per_second(const plan::Plan& plan, int threads) {
    constexpr int kReplications = 8;
    std::atomic<int> next{0};
    const double start = wall_seconds();
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
        workers.emplace_back([&] {
            for (int r = next++; r < kReplications; r = next++) {
                engine::Options options;
                options.replication = static_cast<std::uint64_t>(r);
                options.auto_warmup = false;
                options.duration = 4'000'000'000;
                sink = static_cast<double>(engine::run(plan, options).events);
            }
        });
    for (auto& worker : workers)
        worker.join();
    return kReplications / (wall_seconds() - start);
}

} // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
    struct Line {
        std::string name;
        double ns = 1e300, goal = 0, rate = 0;
        std::string unit;
    };
    std::vector<Line> lines = {{"h: priority_queue hold, 2,500 pending", 1e300, 0, 0, "holds/s"},
                               {"W1 M/M/1, a timed event", 1e300, 0, 0, "events/s"},
                               {"W2 with 200 permits, a timed event", 1e300, 0, 0, "requests/s"},
                               {"W2 without permits, a timed event", 1e300, 0.6, 0, "requests/s"},
                               {"W2 without permits, processor sharing, a timed event", 1e300, 0, 0, "requests/s"},
                               {"order summary, virtual, 2,500 users, a timed event", 1e300, 0.8, 0, "requests/s"},
                               {"processor sharing, 2,500 jobs, a completion", 1e300, 1.1, 0, "completions/s"}};
    const auto keep = [&](std::size_t i, double ns, double rate) {
        if (ns < lines[i].ns) {
            lines[i].ns = ns;
            lines[i].rate = rate;
        }
    };
    const auto w1 = testing::w1();
    const auto w2_permits = testing::w2(true), w2_free = testing::w2(false);
    const auto w2_sharing = testing::w2(false, plan::Sharing::processor_sharing);
    // As shipped, every mechanism on: its sweep aside, the scenario that `narrows run order-summary` runs.
    const auto order_summary =
        models::compile(scenario::read("order-summary").scenario.value(), scenario::Threads::virtual_threads);
    for (int round = 0; round < rounds; ++round) {
        const double h = priority_queue_hold_ns(2500);
        keep(0, h, 1e9 / h);
        const Timing a = time_plan(w1, 600);
        keep(1, a.ns_per_event, a.events_per_second);
        const Timing b = time_plan(w2_permits, 60);
        keep(2, b.ns_per_event, b.requests_per_second);
        const Timing c = time_plan(w2_free, 30);
        keep(3, c.ns_per_event, c.requests_per_second);
        const Timing d = time_plan(w2_sharing, 30);
        keep(4, d.ns_per_event, d.requests_per_second);
        const Timing e = time_plan(order_summary, 15);
        keep(5, e.ns_per_event, e.requests_per_second);
        const double p = processor_sharing_ns(2500);
        keep(6, p, 1e9 / p);
    }
    fmt::print("{:<56} {:>8} {:>7} {:>6} {:>16}\n", "minimum of " + std::to_string(rounds) + " interleaved rounds",
               "ns", "ratio", "goal", "rate");
    for (const auto& line : lines)
        fmt::print("{:<56} {:>8.1f} {:>7.2f} {:>6} {:>10.2f} M {}\n", line.name, line.ns, line.ns / lines[0].ns,
                   line.goal > 0 ? fmt::format("{:.1f}", line.goal) : "", line.rate * 1e-6, line.unit);
    double one = 0, two = 0;
    for (int round = 0; round < 3; ++round) {
        one = std::max(one, replications_per_second(w2_free, 1));
        two = std::max(two, replications_per_second(w2_free, 2));
    }
    fmt::print("{:<56} {:>8} {:>7.2f} {:>6}\n", "two threads against one, replications", "", two / one, "1.7");
}
