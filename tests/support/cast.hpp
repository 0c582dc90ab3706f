// SPDX-License-Identifier: GPL-3.0-or-later
// Little plays of a few named strands with constant times, so that every end is known to the
// nanosecond. Each actor is an outer program without limits, which waits for its entrance, starts
// the inner one on the runner in question and tells when and how that ended.
#pragma once

#include "engine/events.hpp"
#include "support/recordings.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace narrows::testing {

/// What an actor does; labels are positions: at() is the next one.
class Script {
public:
    [[nodiscard]] int at() const { return static_cast<int>(code.size()); }
    plan::Instruction& add(plan::Op op, int resource = -1, plan::Waiting waiting = plan::Waiting::hold) {
        plan::Instruction in;
        in.op = op;
        in.resource = resource;
        in.waiting = waiting;
        in.step = at();
        code.push_back(in);
        return code.back();
    }
    Script& work(int cpu, double ns, plan::Waiting waiting = plan::Waiting::hold) {
        add(plan::Op::work, cpu, waiting).amount = Distribution::constant(ns);
        return *this;
    }
    Script& delay(double ns, plan::Waiting waiting = plan::Waiting::hold) {
        add(plan::Op::delay, -1, waiting).amount = Distribution::constant(ns);
        return *this;
    }
    Script& acquire(int pool, plan::Waiting waiting = plan::Waiting::hold) {
        add(plan::Op::acquire, pool, waiting);
        return *this;
    }
    /// Fails at the label `on_failure` after `timeout` ns.
    Script& acquire_within(int pool, Nanos timeout, int on_failure, plan::Waiting waiting = plan::Waiting::hold) {
        auto& in = add(plan::Op::acquire, pool, waiting);
        in.timeout = timeout;
        in.on_failure = on_failure;
        return *this;
    }
    Script& release(int pool) {
        add(plan::Op::release, pool);
        return *this;
    }
    Script& end(plan::Outcome outcome = plan::Outcome::ok) {
        add(plan::Op::end).outcome = outcome;
        return *this;
    }

    std::vector<plan::Instruction> code;
};

class Cast {
public:
    Cast() {
        client = runner({.name = "client"});
        plan_.programs.resize(1);
        plan_.programs[0].name = "session";
        plan_.stages = {"wait for a connection", "wait for a thread", "service"};
        plan_.load.kind = plan::LoadKind::burst;
        plan_.load.requests = 1;
    }
    int cpu(std::string name, double cores = 1, plan::Sharing sharing = plan::Sharing::processor_sharing) {
        plan_.cpus.push_back({.name = std::move(name), .cores = cores, .sharing = sharing});
        return static_cast<int>(plan_.cpus.size()) - 1;
    }
    int pool(std::string name, std::int64_t capacity, plan::Discipline discipline = plan::Discipline::fifo,
             std::int64_t queue_limit = -1) {
        plan_.pools.push_back(
            {.name = std::move(name), .capacity = capacity, .queue_limit = queue_limit, .discipline = discipline});
        return static_cast<int>(plan_.pools.size()) - 1;
    }
    int runner(plan::Runner what) {
        plan_.runners.push_back(std::move(what));
        return static_cast<int>(plan_.runners.size()) - 1;
    }
    int carriers(int cpu_index, std::int64_t n, std::int64_t most = 256, std::int64_t min_runnable = 1) {
        return runner({.name = "carriers",
                       .kind = plan::RunnerKind::carriers,
                       .workers = n,
                       .max_workers = most,
                       .min_runnable = min_runnable,
                       .cpu = cpu_index});
    }
    int threads(int cpu_index, std::int64_t n) {
        return runner({.name = "threads", .kind = plan::RunnerKind::threads, .workers = n, .cpu = cpu_index});
    }
    int loops(int cpu_index, std::int64_t n) {
        return runner({.name = "loops", .kind = plan::RunnerKind::loops, .workers = n, .cpu = cpu_index});
    }

    /// Enters at `start`. Entrances at one instant are in the order of these calls.
    void actor(std::string name, int runner_index, double start, Script script) {
        const auto inner = program(name + ".inner", runner_index, std::move(script));
        Script outer;
        if (start > 0) outer.delay(start);
        outer.add(plan::Op::fork).children = {{inner, 1.0}};
        auto& join = outer.add(plan::Op::join);
        join.on_child_failure = outer.at() + 1;
        outer.end().end(plan::Outcome::pool_timeout);
        actors_.push_back({program(name, client, std::move(outer)), 1.0});
        plan_.programs.back().endpoint = static_cast<int>(plan_.endpoints.size());
        plan_.endpoints.push_back(std::move(name));
    }
    int program(std::string name, int runner_index, Script script) {
        plan_.programs.push_back(
            {.name = std::move(name), .runner = runner_index, .endpoint = -1, .code = std::move(script.code)});
        return static_cast<int>(plan_.programs.size()) - 1;
    }

    /// What the runner's pollers do.
    void poller(int runner_index, Script script) {
        const int index = program("poller", runner_index, std::move(script));
        plan_.runners[static_cast<std::size_t>(runner_index)].poller = index;
    }

    [[nodiscard]] plan::Plan plan() const {
        plan::Plan all = plan_;
        if (all.endpoints.size() == 1)
            all.endpoints.emplace_back("nobody"); // one endpoint alone has no histogram of its own
        Script session;
        for (std::size_t i = 0; i < actors_.size(); ++i)
            session.add(plan::Op::send);
        session.add(plan::Op::fork).children = actors_;
        session.add(plan::Op::join);
        session.add(plan::Op::answer);
        session.end();
        all.programs[0].code = session.code;
        return all;
    }
    /// Runs it; Little's law is expected unless somebody gives up waiting.
    [[nodiscard]] measure::Recording run(double gave_up_ns = 0, std::string_view gave_up_at = {}) const {
        auto rec = engine::run(plan(), {});
        expect_littles_law(rec, gave_up_ns, gave_up_at);
        return rec;
    }

    int client = 0;

private:
    plan::Plan plan_;
    std::vector<plan::Child> actors_;
};

constexpr Nanos kNotEnded = -1;

/// When the actor's inner program ended, kNotEnded if it did not.
inline Nanos end_of(const measure::Recording& r, std::string_view actor) {
    for (std::size_t e = 0; e < r.endpoints.size(); ++e) {
        if (r.endpoints[e] != actor) continue;
        for (const auto& g : r.groups)
            if (g.endpoint[e].count() > 0) return g.endpoint[e].max();
        return kNotEnded;
    }
    ADD_FAILURE() << "no actor " << actor;
    return kNotEnded;
}
inline bool went_well(const measure::Recording& r, std::string_view actor) {
    std::uint64_t ok = 0;
    for (std::size_t e = 0; e < r.endpoints.size(); ++e)
        if (r.endpoints[e] == actor)
            for (const auto& g : r.groups)
                ok += g.endpoint_ok[e];
    return ok == 1;
}

} // namespace narrows::testing
