// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace narrows::engine {

namespace {

/// Chosen when each ring cost the search for the earliest event a step; not measured anew since ADR 0009.
constexpr int kMaxRings = 8;

/// Streams of one strand lie this far apart; odd, and unrelated to the stride inside a stream.
constexpr std::uint64_t kStepStride = 0xd1342543de82ef95ULL;

class Lowering {
public:
    explicit Lowering(const plan::Plan& plan) : plan_(plan) {}

    Lowered run() {
        if (const auto wrong = plan::problems(plan_); !wrong.empty())
            throw std::invalid_argument("plan: " + wrong.front());
        std::size_t total = 0;
        for (const auto& program : plan_.programs) {
            out_.entry.push_back(static_cast<std::int32_t>(total));
            out_.runner.push_back(static_cast<std::int16_t>(program.runner));
            out_.endpoint.push_back(static_cast<std::int16_t>(program.endpoint));
            total += program.code.size();
        }
        check_runners();
        if (plan_.runners.size() > 255) throw std::invalid_argument("plan: more than 255 runners");
        if (plan_.cpus.size() > 64) throw std::invalid_argument("plan: more than 64 processors");
        if (total > 32000) throw std::invalid_argument("plan: more than 32,000 instructions");
        for (std::size_t p = 0; p < plan_.programs.size(); ++p)
            for (const auto& instruction : plan_.programs[p].code)
                add(static_cast<int>(p), instruction);
        out_.session_program = plan_.load.session;
        inline_request();
        keep_worker();
        thread_jumps();
        return std::move(out_);
    }

private:
    void check_runners() const {
        const plan::Runner* loops = nullptr;
        for (const auto& r : plan_.runners) {
            const bool costs = r.start_cost + r.resume_cost + r.create_cost > 0;
            const bool limited = r.kind != plan::RunnerKind::unlimited;
            if (costs && (!limited || plan_.cpus[static_cast<std::size_t>(r.cpu)].sharing == plan::Sharing::fcfs))
                throw std::invalid_argument(
                    fmt::format("plan: runner {}: costs need a limited runner on a processor that is shared", r.name));
            if (r.kind != plan::RunnerKind::loops) continue;
            if (loops != nullptr && loops->workers != r.workers)
                throw std::invalid_argument(
                    fmt::format("plan: {} and {} have different numbers of loops", loops->name, r.name));
            loops = &r;
        }
        const auto& session = plan_.programs[static_cast<std::size_t>(plan_.load.session)];
        if (plan_.runners[static_cast<std::size_t>(session.runner)].kind != plan::RunnerKind::unlimited)
            throw std::invalid_argument("plan: sessions run on an unlimited runner");
    }

    void add(int program, const plan::Instruction& in) {
        const auto base = out_.entry[static_cast<std::size_t>(program)];
        const auto label = [base](int to) { return static_cast<std::int16_t>(to < 0 ? -1 : base + to); };
        const auto& runner =
            plan_.runners[static_cast<std::size_t>(plan_.programs[static_cast<std::size_t>(program)].runner)];
        Code c;
        c.op = in.op;
        c.waiting = in.waiting;
        c.wake = in.wake;
        c.branch = in.branch;
        c.pinned = in.pinned;
        c.choose = in.choose;
        c.detached = in.detached;
        c.counter = static_cast<std::uint8_t>(in.counter);
        c.resource = static_cast<std::int16_t>(in.resource);
        c.stage = static_cast<std::int16_t>(in.stage);
        c.program = static_cast<std::int16_t>(program);
        c.session = program == plan_.load.session;
        c.limited = runner.kind != plan::RunnerKind::unlimited;
        c.runner = static_cast<std::uint8_t>(plan_.programs[static_cast<std::size_t>(program)].runner);
        c.gives = static_cast<std::int16_t>(in.gives);
        c.on_failure = label(in.on_failure);
        c.on_full = label(in.on_full);
        c.on_child_failure = label(in.on_child_failure);
        c.to = label(in.to);
        c.outcome = in.outcome;
        c.step = (static_cast<std::uint64_t>(static_cast<std::int64_t>(in.step)) + 1) * kStepStride;
        if (in.limit > 255) throw std::invalid_argument("plan: a counter cannot go beyond 255");
        c.limit = static_cast<std::uint16_t>(in.limit);
        using plan::Op;
        if (in.op == Op::work || in.op == Op::delay || in.op == Op::spin) set_amount(c, in);
        if (in.op == Op::work || in.op == Op::spin) c.own_cpu = c.limited && runner.cpu == in.resource;
        if (in.op == Op::work && in.tier >= 0) {
            c.op = Op::guest_work;
            c.limit = static_cast<std::uint16_t>(in.tier);
        }
        if (in.op == Op::delay) set_delay(c, in);
        if ((in.op == Op::acquire || in.op == Op::join) && in.timeout >= 0) c.timeout_queue = timeout_queue(in.timeout);
        if (in.op == Op::acquire) check_acquire(in, program == plan_.load.session);
        if (in.op == Op::join && in.gives >= 0 && runner.kind != plan::RunnerKind::unlimited)
            throw std::invalid_argument("plan: only a strand on an unlimited runner can leave a permit to its child");
        if (in.op == Op::fork || in.op == Op::submit) set_children(c, in);
        if (in.op == Op::branch && in.branch == plan::Branch::chance) {
            if (c.to <= static_cast<std::int32_t>(
                            out_.code.size())) // a draw is named by its place: it would come out the same each time
                throw std::invalid_argument("plan: a chance can only jump forwards; loops are counted");
            c.extra = static_cast<std::int32_t>(out_.chances.size());
            out_.chances.push_back(in.probability);
        }
        out_.code.push_back(c);
    }

    /// A session that can do nothing but wait for its one request may as well be that request: one
    /// record less and no hand-over. Only a time-out of the client's makes them part.
    void inline_request() {
        const auto begin = static_cast<std::size_t>(out_.entry[static_cast<std::size_t>(plan_.load.session)]);
        const auto& session = plan_.programs[static_cast<std::size_t>(plan_.load.session)].code;
        std::size_t forks = 0, at = 0;
        for (std::size_t pc = 0; pc < session.size(); ++pc)
            if (session[pc].op == plan::Op::fork) {
                ++forks;
                at = pc;
            }
        if (forks != 1 || !session[at].choose || at + 1 >= session.size()) return;
        const auto& join = session[at + 1];
        if (join.op != plan::Op::join || join.timeout >= 0 || join.gives >= 0) return;
        for (const auto& child : session[at].children)
            if (plan_.programs[static_cast<std::size_t>(child.program)].endpoint < 0) return;
        out_.inlined_fork = static_cast<std::int32_t>(begin + at);
        out_.code[begin + at].inlined = true;
    }

    /// A worker can be kept from request to request only where all run on one runner, and the session becomes each.
    void keep_worker() {
        if (!plan_.load.keeps_worker) return;
        if (out_.inlined_fork < 0)
            throw std::invalid_argument("plan: only a session without time-outs, which does nothing but its requests, "
                                        "can keep its worker");
        const Code& fork = out_.code[static_cast<std::size_t>(out_.inlined_fork)];
        for (int i = 0; i < fork.limit; ++i) {
            const auto& child = out_.children[static_cast<std::size_t>(fork.extra + i)];
            const auto runner = out_.runner[static_cast<std::size_t>(child.program)];
            const bool other = out_.kept_runner >= 0 && out_.kept_runner != runner;
            if (other || plan_.runners[static_cast<std::size_t>(runner)].kind == plan::RunnerKind::unlimited)
                throw std::invalid_argument("plan: requests that keep their worker must run on one limited runner");
            out_.kept_runner = runner;
        }
        for (const auto& in : plan_.programs[static_cast<std::size_t>(plan_.load.session)].code)
            if (in.op == plan::Op::work || in.op == plan::Op::acquire ||
                (in.op == plan::Op::delay && !in.amount.is_zero()))
                throw std::invalid_argument("plan: a session that keeps its worker cannot wait between requests");
    }

    /// Where a strand that is to go on at `at` first does anything: past jumps and empty delays.
    [[nodiscard]] std::int16_t threaded(std::int32_t at) const {
        for (std::size_t steps = 0; at >= 0 && steps < out_.code.size(); ++steps) {
            const Code& c = out_.code[static_cast<std::size_t>(at)];
            if (c.op == plan::Op::branch && c.branch == plan::Branch::always)
                at = c.to;
            else if (c.op == plan::Op::delay && c.draw == Draw::constant && c.constant == 0 && !c.scaled)
                ++at;
            else
                break;
        }
        return static_cast<std::int16_t>(at);
    }

    void thread_jumps() {
        for (Code& c : out_.code)
            for (std::int16_t* label : {&c.on_failure, &c.on_full, &c.on_child_failure, &c.to})
                *label = threaded(*label);
        if (out_.inlined_fork < 0) return;
        const auto join = static_cast<std::size_t>(out_.inlined_fork) + 1;
        out_.after_inlined = static_cast<std::int32_t>(join);
        // An inlined request has recorded its own answer, so nothing is left to do up to the next step.
        const bool answers = join + 1 < out_.code.size() && out_.code[join + 1].op == plan::Op::answer &&
                             out_.code[join + 1].outcome == plan::Outcome::ok;
        if (answers) out_.after_inlined = threaded(static_cast<std::int32_t>(join) + 2);
    }

    void set_amount(Code& c, const plan::Instruction& in) {
        if (in.amount.shape == Shape::constant) {
            c.draw = Draw::constant;
            c.constant = Sampler::to_nanos(in.amount.first);
        } else if (in.amount.shape == Shape::exponential) {
            c.draw = Draw::exponential;
            c.scale = in.amount.first;
        } else {
            c.draw = Draw::other;
            c.extra = static_cast<std::int32_t>(out_.samplers.size());
            out_.samplers.emplace_back(in.amount);
        }
    }

    void set_delay(Code& c, const plan::Instruction& in) {
        c.scaled = in.factor != 1 || in.timeout >= 0;
        if (in.factor != 1) {
            out_.factors.resize(std::max(out_.factors.size(), out_.code.size() + 1), 1.0);
            out_.factors[out_.code.size()] = in.factor;
        }
        if (in.timeout >= 0) {
            out_.cut_after.resize(std::max(out_.cut_after.size(), out_.code.size() + 1), -1);
            out_.cut_after[out_.code.size()] = in.timeout;
        }
        if (c.draw == Draw::constant && c.constant > 0 && !c.scaled) {
            const auto [it, fresh] = ring_of_.try_emplace(c.constant, out_.rings);
            if (fresh && out_.rings < kMaxRings) ++out_.rings;
            c.ring = static_cast<std::int16_t>(it->second < kMaxRings ? it->second : -1);
        }
    }

    std::int16_t timeout_queue(Nanos length) {
        const auto it = std::find(out_.timeouts.begin(), out_.timeouts.end(), length);
        if (it == out_.timeouts.end()) {
            out_.timeouts.push_back(length);
            return static_cast<std::int16_t>(out_.timeouts.size() - 1);
        }
        return static_cast<std::int16_t>(it - out_.timeouts.begin());
    }

    void check_acquire(const plan::Instruction& in, bool session) const {
        const auto& pool = plan_.pools[static_cast<std::size_t>(in.resource)];
        if (pool.queue_limit >= 0 && in.on_full < 0 && in.on_failure < 0)
            throw std::invalid_argument(
                fmt::format("plan: acquire {}: its queue can be full, but there is nowhere to go on then", pool.name));
        if (session && pool.discipline != plan::Discipline::fifo)
            throw std::invalid_argument(
                fmt::format("plan: a session can wait for {} only first come, first served", pool.name));
        if (in.timeout >= 0 && in.on_failure < 0)
            throw std::invalid_argument(fmt::format("plan: acquire {}: time-out without a label", pool.name));
    }

    void set_children(Code& c, const plan::Instruction& in) {
        c.extra = static_cast<std::int32_t>(out_.children.size());
        c.limit = static_cast<std::uint16_t>(in.children.size());
        double total = 0;
        for (const auto& child : in.children)
            total += child.weight;
        double sum = 0;
        for (const auto& child : in.children) {
            sum += child.weight;
            out_.children.push_back({out_.entry[static_cast<std::size_t>(child.program)],
                                     static_cast<std::int16_t>(child.program), sum / total});
        }
    }

    const plan::Plan& plan_;
    Lowered out_;
    std::map<Nanos, int> ring_of_;
};

} // namespace

Lowered lower(const plan::Plan& plan) {
    return Lowering(plan).run();
}

} // namespace narrows::engine
