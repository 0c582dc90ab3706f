// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic/pieces.hpp"

#include "analytic/visits.hpp"

#include <algorithm>

namespace narrows::analytic {

namespace {

using plan::Op;
using plan::RunnerKind;
using plan::Waiting;

constexpr double kMs = 1e-6; ///< of a nanosecond

class Walker {
public:
    explicit Walker(const plan::Plan& plan) : plan_(plan) {
        for (const auto& pool : plan.pools) {
            out_.limits.names.push_back(pool.name);
            out_.limits.capacity.push_back(pool.capacity);
            out_.limits.loses.push_back(pool.queue_limit >= 0);
        }
        for (const auto& runner : plan.runners) {
            out_.limits.names.push_back(runner.name);
            out_.limits.capacity.push_back(runner.kind == RunnerKind::unlimited ? -1 : runner.workers);
            out_.limits.loses.push_back(runner.queue_limit >= 0);
        }
        out_.services.resize(plan.cpus.size());
    }

    Pieces walk() {
        if (plan_.memory.heap > 0) object("a garbage collector stops all threads");
        if (std::any_of(plan_.cpus.begin(), plan_.cpus.end(), [](const auto& cpu) { return cpu.quota > 0; }))
            object("a CPU quota stops all threads");
        program(plan_.load.session, 1, std::vector<bool>(out_.limits.names.size(), false));
        return std::move(out_);
    }

private:
    using Held = std::vector<bool>;
    /// Where in a program the walk stands.
    struct Place {
        const plan::Program& program;
        const plan::Runner& runner;
        std::size_t runner_limit;
        bool session;
    };

    void object(const char* why) {
        if (out_.obstacle.empty()) out_.obstacle = why;
    }
    void add(Piece piece) {
        if (piece.amount > 0) out_.all.push_back(std::move(piece));
    }
    void work(int cpu, double ms, const Held& held) {
        add({.kind = Piece::Kind::work, .index = cpu, .amount = ms, .held = held});
    }
    void pay(const Place& at, double visits, Nanos cost, const Held& held) {
        if (cost <= 0 || at.runner.cpu < 0) return;
        out_.services[static_cast<std::size_t>(at.runner.cpu)].with_costs = true;
        Held running = held;
        running[at.runner_limit] = true;
        work(at.runner.cpu, visits * static_cast<double>(cost) * kMs, running);
    }
    /// The strand queues for its carrier, loop or thread.
    void mount(const Place& at, double visits, const Held& held, int after = -1) {
        if (at.runner.kind == RunnerKind::unlimited) return;
        add({.kind = Piece::Kind::wait,
             .index = static_cast<int>(at.runner_limit),
             .amount = visits,
             .after = after,
             .held = held});
    }
    /// What is held while an instruction waits: its place on the runner too, unless it parks.
    Held meanwhile(const Place& at, Waiting waiting, const Held& held) {
        Held out = held;
        const bool keeps = at.runner.kind == RunnerKind::threads || waiting != Waiting::park;
        if (at.runner.kind != RunnerKind::unlimited && keeps) out[at.runner_limit] = true;
        if (waiting == Waiting::compensate && at.runner.kind == RunnerKind::carriers)
            object("carriers are compensated for");
        return out;
    }
    /// After a wait: the place on the runner again, and the cost of it. `held`: what is held then.
    void resume(const Place& at, Waiting waiting, double visits, const Held& held, int after = -1) {
        const bool parked = at.runner.kind != RunnerKind::threads && waiting == Waiting::park;
        if (parked) mount(at, visits, held, after);
        if (after < 0) pay(at, visits, at.runner.resume_cost, held);
    }

    void program(int index, double times, const Held& outer) {
        const auto& what = plan_.programs[static_cast<std::size_t>(index)];
        const auto runner = static_cast<std::size_t>(what.runner);
        const Place at{what, plan_.runners[runner], plan_.pools.size() + runner, index == plan_.load.session};
        const auto count = visits(what, at.session);
        const auto pools = plan::holdings(plan_, index);
        const auto held_at = [&](std::size_t pc) {
            Held out = outer;
            if (pc < pools.size())
                for (const int pool : pools[pc])
                    out[static_cast<std::size_t>(pool)] = true;
            if (at.runner.kind == RunnerKind::threads) out[at.runner_limit] = true;
            return out;
        };
        const bool limited = at.runner.kind != RunnerKind::unlimited;
        if (limited && outer[at.runner_limit]) object("a request waits for a second place while it holds one");
        mount(at, times, outer);
        pay(at, times, at.runner.start_cost, outer);
        for (std::size_t pc = 0; pc < what.code.size(); ++pc)
            if (count[pc] > 0) instruction(at, pc, times * count[pc], held_at(pc), held_at(pc + 1));
    }

    void instruction(const Place& at, std::size_t pc, double times, const Held& held, const Held& then) {
        const auto& in = at.program.code[pc];
        switch (in.op) {
        case Op::work: return compute(at, in, times, held, then);
        case Op::delay: return pause(at, in, times, held, then);
        case Op::acquire:
            if (plan_.pools[static_cast<std::size_t>(in.resource)].initial >= 0) object("a pool grows");
            add({.kind = Piece::Kind::wait,
                 .index = in.resource,
                 .amount = times,
                 .timeout_ms = in.timeout < 0 ? -1 : static_cast<double>(in.timeout) * kMs,
                 .held = meanwhile(at, in.waiting, held)});
            return resume(at, in.waiting, times, then, in.resource);
        case Op::spin: return object("a request spins by the clock");
        case Op::fork: return children(at, pc, times, held, then);
        case Op::submit: return object("tasks run on an executor");
        case Op::ask: return object("a circuit breaker decides");
        default: return;
        }
    }

    void compute(const Place& at, const plan::Instruction& in, double times, const Held& held, const Held& then) {
        const bool own = in.resource == at.runner.cpu && at.runner.kind != RunnerKind::unlimited;
        out_.services[static_cast<std::size_t>(in.resource)].of.push_back(in.amount);
        work(in.resource, times * in.amount.mean() * kMs, meanwhile(at, own ? Waiting::hold : in.waiting, held));
        if (!own && !in.amount.is_zero()) resume(at, in.waiting, times, then);
    }

    void pause(const Place& at, const plan::Instruction& in, double times, const Held& held, const Held& then) {
        if (in.amount.is_zero()) return;
        const double mean = in.amount.mean();
        const auto limit = static_cast<double>(in.timeout);
        if (in.timeout >= 0 && (!in.amount.is_constant() || mean > limit)) out_.may_time_out = true;
        add({.kind = Piece::Kind::delay,
             .amount = times * (in.timeout >= 0 ? in.amount.mean_up_to(limit) : mean) * kMs,
             .thinking = at.session,
             .held = meanwhile(at, in.waiting, held)});
        resume(at, in.waiting, times, then);
    }

    /// One child at a time, waited for at once: its pieces are the request's own. Others run beside each other.
    void children(const Place& at, std::size_t pc, double times, const Held& held, const Held& then) {
        const auto& in = at.program.code[pc];
        const bool joined = pc + 1 < at.program.code.size() && at.program.code[pc + 1].op == Op::join;
        if (!joined || (!in.choose && in.children.size() > 1)) return object("a request runs steps in parallel");
        const auto& join = at.program.code[pc + 1];
        if (join.timeout >= 0 && at.session) out_.answer_within_ms = static_cast<double>(join.timeout) * kMs;
        if (join.timeout >= 0) out_.may_time_out = true;
        double weights = 0;
        for (const auto& child : in.children)
            weights += child.weight;
        const Held inner = meanwhile(at, join.waiting, held);
        for (const auto& child : in.children)
            program(child.program, times * (in.choose ? child.weight / weights : 1), inner);
        resume(at, join.waiting, times, then);
    }

    const plan::Plan& plan_;
    Pieces out_;
};

} // namespace

Pieces pieces(const plan::Plan& plan) {
    return Walker(plan).walk();
}

} // namespace narrows::analytic
