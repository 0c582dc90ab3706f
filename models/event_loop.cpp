// SPDX-License-Identifier: GPL-3.0-or-later
// Event loops: a connection belongs to one loop of Reactor Netty. What waits through a Mono gives
// the loop back; code that blocks stops every connection of that loop (capacity <= loops / time
// blocked; reactor-netty 1.3.6, BlockHound's reason to exist).
#include "models/rules.hpp"

#include <algorithm>

namespace narrows::models {

namespace {

// CPU to dispatch one event. Guessed: seed 002's CPU per request (0.28 to 0.33 ms for WebFlux) has
// no part that could be told apart as dispatching.
constexpr Duration kEvent = std::chrono::nanoseconds(500);
constexpr std::int64_t kLeastLoops = 4; // LoopResources: max(availableProcessors, 4)

class EventLoop final : public ThreadModel {
public:
    explicit EventLoop(const scenario::Scenario& scenario) : scenario_(scenario) {}

    Wait wait(Operation operation, const Frame& frame) const override {
        // A monitor or lock belongs to a thread, and a native call or an initialiser must return on
        // the one that it was called on: nothing inside them can be a continuation.
        const bool bound = frame.monitors > 0 || frame.locks > 0 || frame.native;
        return bound || blocks(operation) ? Wait{plan::Waiting::hold, false, "blocks the loop"}
                                          : Wait{plan::Waiting::park, false, ""};
    }

    plan::Runner runner(int cpu) const override {
        const auto& runtime = scenario_.runtime;
        plan::Runner r;
        r.name = "event loops";
        r.kind = plan::RunnerKind::loops;
        r.workers = runtime.event_loops.value_or(std::max(available_processors(runtime), kLeastLoops));
        r.max_workers = r.workers;
        r.cpu = cpu;
        r.start_cost = runtime.costs.event.value_or(kEvent).count();
        r.resume_cost = r.start_cost;
        return r;
    }

    std::string runner_stage() const override { return "wait for a loop"; }
    bool servlet() const override { return false; }

private:
    static bool blocks(Operation operation) {
        switch (operation) {
        case Operation::socket:
        case Operation::timer:
        case Operation::park: return false; // reactive drivers, pools, Mono.delay, Mono.zip
        case Operation::monitor_enter:
        case Operation::object_wait:
        case Operation::native_code:
        case Operation::file_io: return true;
        }
        return true;
    }

    const scenario::Scenario& scenario_;
};

} // namespace

std::unique_ptr<ThreadModel> event_loop(const scenario::Scenario& scenario) {
    return std::make_unique<EventLoop>(scenario);
}

} // namespace narrows::models
