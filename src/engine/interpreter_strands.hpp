// SPDX-License-Identifier: GPL-3.0-or-later
// Fork, join, end; branches and sessions. A part of interpreter.cpp, included there alone: the hot path is one
// translation unit, so that the compiler can see through it.
#pragma once

#include "engine/interpreter.hpp"
#include "engine/interpreter_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace narrows::engine {

/// True when the strand now waits (a session that became its request and needs a worker first).
inline bool Interpreter::fork(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    const LoweredChild* first = &lowered_.children[static_cast<std::size_t>(c.extra)];
    const LoweredChild* chosen = first;
    if (c.choose && c.limit > 1) {
        Stream numbers = stream(c, s);
        const double u = numbers.uniform();
        while (chosen + 1 < first + c.limit && u >= chosen->up_to)
            ++chosen;
    }
    if (c.inlined) return become(id, *chosen, child_salt(c));
    const std::uint64_t key = s.key + child_salt(c) + round_of(s, c);
    ++s.pc;
    if (c.choose) {
        spawn(id, *chosen, key);
        return false;
    }
    for (std::uint16_t i = 0; i < c.limit; ++i) // by index: spawn may move the strands
        spawn(id, lowered_.children[static_cast<std::size_t>(c.extra) + i], mix64(key + (i + 1) * kGolden));
    return false;
}

/// A session turns into its request. True when it must wait for its turn to run.
inline bool Interpreter::become(StrandId id, const LoweredChild& child, std::uint64_t salt) {
    Strand& s = strands_[id];
    s.flags |= kInlined;
    s.key += salt;
    s.session_counters = s.counters;
    s.counters = 0;
    s.pc = static_cast<std::uint16_t>(child.entry);
    ++server_alive_;
    open_stages_of(id, s.sent);
    if (!code_[s.pc].limited) return false;
    if ((s.flags & kKeeping) != 0) {
        s.flags = kInlined;
        s.state = State::ready;
        return false;
    }
    if (begin(id, runner_of(code_[s.pc]))) return true;
    become_session(id, plan::Outcome::refused);
    return false;
}

/// The inlined request has ended: records its answer, and the session goes on at its join.
inline void Interpreter::become_session(StrandId id, plan::Outcome outcome) {
    Strand& s = strands_[id];
    --server_alive_;
    --in_flight_;
    recorder_.answered(now_ - s.sent, lowered_.endpoint[static_cast<std::size_t>(code_[s.pc].program)], outcome,
                       stages_of(id));
    if (s.children != 0) { // what it started and did not wait for runs on alone
        ++s.generation;
        s.children = 0;
    }
    s.flags = 0;
    s.counters = s.session_counters;
    s.outcome = outcome;
    s.debt = 0;
    s.key -= child_salt(code_[lowered_.inlined_fork]);
    s.pc =
        static_cast<std::uint16_t>(outcome == plan::Outcome::ok ? lowered_.after_inlined : lowered_.inlined_fork + 1);
}

/// A strand with a row for its stage times.
StrandId Interpreter::new_strand() {
    const StrandId id = strands_.allocate();
    if (id > kMaxPayload)
        throw std::runtime_error("more than 16.7 million strands at once: the load outgrows any queue");
    const std::size_t rows = strands_.size() * stages_;
    if (stage_times_.size() < rows) stage_times_.resize(rows);
    return id;
}

/// A child that is neither counted nor running yet.
inline StrandId Interpreter::born(StrandId parent, const LoweredChild& child, std::uint64_t key) {
    const StrandId id = new_strand();
    Strand& s = strands_[id];
    const Strand& p = strands_[parent];
    s.pc = static_cast<std::uint16_t>(child.entry);
    s.parent = parent;
    s.parent_generation = p.generation;
    s.key = key;
    s.loop = p.loop;
    s.since = now_;
    ++server_alive_;
    return id;
}

inline void Interpreter::spawn(StrandId parent, const LoweredChild& child, std::uint64_t key) {
    const StrandId id = born(parent, child, key);
    Strand& p = strands_[parent];
    if (!runner_of(code_[p.pc]).limited() && p.children == 0) p.debt = id;
    ++p.children;
    if (lowered_.endpoint[static_cast<std::size_t>(child.program)] >= 0) open_stages_of(id, p.sent);
    RunnerState& r = runners_[static_cast<std::size_t>(lowered_.runner[static_cast<std::size_t>(child.program)])];
    if (!begin(id, r)) notify_and_free(id, plan::Outcome::refused);
}

/// A request begins: its stages start at nothing, but for what has passed since it was sent.
inline void Interpreter::open_stages_of(StrandId id, Nanos sent) {
    const auto times = stages_of(id);
    if (times.empty()) return;
    times[0] = static_cast<float>(now_ - sent);
    for (std::size_t i = 1; i < times.size(); ++i)
        times[i] = 0;
}

/// Every child has ended: where to go on.
inline void Interpreter::joined(Strand& s, const Code& c) {
    const bool failed = s.outcome != plan::Outcome::ok && c.on_child_failure >= 0;
    s.pc = static_cast<std::uint16_t>(failed ? c.on_child_failure : s.pc + 1);
    s.outcome = plan::Outcome::ok;
}

/// True when the strand now waits.
inline bool Interpreter::join(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    if (s.children != 0) {
        s.since = now_;
        s.state = State::joining;
        if (c.timeout_queue >= 0) add_timer(id, c.timeout_queue);
        begin_wait(s, c);
        return true;
    }
    joined(s, c);
    return false;
}

/// False when the strand goes on: a session whose inlined request has ended.
inline bool Interpreter::end(StrandId id, plan::Outcome outcome) {
    Strand& s = strands_[id];
    const Code& c = code_[s.pc];
    RunnerState& r = runner_of(c);
    if (lowered_.kept_runner >= 0 && (s.flags & kInlined) != 0) { // runs on; what it owes, it pays with its next work
        const std::int32_t debt = s.debt;
        become_session(id, outcome);
        s.debt = debt;
        s.flags = kKeeping;
        return false;
    }
    if (r.limited() && s.debt > 0 && (s.flags & kPaying) == 0) {
        s.flags |= kPaying;
        CpuState& cpu = cpus_[static_cast<std::size_t>(r.cpu)];
        s.state = State::timed;
        s.since = now_;
        ++moving_;
        serve(id, cpu, std::exchange(s.debt, 0));
        return true;
    }
    if (s.gift >= 0) release(s.gift);
    const bool session = c.session;
    if (c.limited) {
        --r.alive;
        // What a virtual thread's end wakes goes to its carrier's queue, before the carrier looks there.
        if (!r.queues.two_level()) leave(s, r);
    }
    if ((s.flags & kInlined) != 0) {
        if (r.queues.two_level()) leave(s, r);
        become_session(id, outcome);
        return false;
    }
    if (session) {
        if ((s.flags & kKeeping) != 0) {
            RunnerState& kept = runners_[static_cast<std::size_t>(lowered_.kept_runner)];
            --kept.alive;
            leave(s, kept);
        }
        --arrivals_.active;
        strands_.release(id);
        if (end_ == 0 && arrivals_.active == 0 && !load_scheduled_) over_ = true;
        return true;
    }
    notify_and_free(id, outcome);
    if (r.queues.two_level()) leave(strands_[id], r); // the record is kept
    return true;
}

inline void Interpreter::notify_and_free(StrandId id, plan::Outcome outcome) {
    const Strand& s = strands_[id]; // stays readable after release: the record itself is kept
    const StrandId parent = s.parent;
    const std::int16_t endpoint = lowered_.endpoint[static_cast<std::size_t>(code_[s.pc].program)];
    --server_alive_;
    Strand& p = strands_[parent];
    const bool wanted = p.generation == s.parent_generation && p.state != State::free;
    if (wanted && endpoint >= 0) {
        --in_flight_;
        recorder_.answered(now_ - p.sent, endpoint, outcome, stages_of(id));
    }
    strands_.release(id);
    if (!wanted) return;
    if (outcome != plan::Outcome::ok) p.outcome = outcome;
    if (--p.children != 0 || p.state != State::joining) return;
    const Code& c = code_[p.pc];
    if ((p.flags & kTimer) != 0) remove_timer(parent, c.timeout_queue);
    book(parent, p, c.stage);
    joined(p, c);
    end_wait(parent, c);
}

inline void Interpreter::branch(Strand& s, const Code& c) {
    bool taken = true;
    switch (c.branch) {
    case plan::Branch::always: break;
    case plan::Branch::chance: {
        Stream numbers = stream(c, s);
        taken = numbers.uniform() < lowered_.chances[static_cast<std::size_t>(c.extra)];
        break;
    }
    case plan::Branch::count:
        taken = counter(s, c) + 1U < c.limit;
        if (taken)
            s.counters += 1U << (8 * c.counter);
        else
            s.counters &= ~(0xffU << (8 * c.counter));
        break;
    case plan::Branch::more: taken = session_goes_on(s); break;
    case plan::Branch::unclaimed: {
        const auto& permits = pools_[static_cast<std::size_t>(c.resource)].permits;
        taken = permits.unclaimed() && (c.limit == 0 || !permits.passed_on());
        break;
    }
    }
    if (taken && ++spins_ > kMaxSpins)
        throw std::runtime_error(fmt::format("time stands still at {:.6f} s: some loop takes no time", seconds(now_)));
    s.pc = static_cast<std::uint16_t>(taken ? c.to : s.pc + 1);
}

inline void Interpreter::send(Strand& s) {
    s.sent = now_;
    s.key = mix64(s.key + kGolden);
    ++in_flight_;
    ++recorder_.recording.issued;
    recorder_.recording.peak_in_flight = std::max(recorder_.recording.peak_in_flight, in_flight_);
    ++s.pc;
}

} // namespace narrows::engine
