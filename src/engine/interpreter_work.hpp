// SPDX-License-Identifier: GPL-3.0-or-later
// Work and delays. A part of interpreter.cpp, included there alone: the hot path is one
// translation unit, so that the compiler can see through it.
#pragma once

#include "engine/interpreter.hpp"
#include "engine/interpreter_draws.hpp"

namespace narrows::engine {

inline void Interpreter::start_work(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    CpuState& cpu = cpus_[static_cast<std::size_t>(c.resource)];
    s.since = now_;
    s.state = State::timed;
    moving_ += c.session ? 0 : 1;
    if (!cpu.sharing && cpu.first_come.busy >= cpu.first_come.servers) {
        cpu.first_come.queue.push_back(strands_.waits(), id);
        cpu.gauge.enqueue(now_);
    } else {
        Nanos demand = draw(c, s);
        if (c.own_cpu) {
            demand += s.debt;
            s.debt = 0;
        }
        serve(id, cpu, demand);
    }
    if (!c.own_cpu) begin_wait(s, c);
}

/// Starts a job at once.
inline void Interpreter::serve(StrandId id, CpuState& cpu, Nanos demand) {
    cpu.gauge.waited_minus(demand);
    if (cpu.sharing) {
        cpu.shared.start(now_, id, demand, sequence_++);
        cpu.gauge.join(now_);
        touch(cpu);
    } else {
        ++cpu.first_come.busy;
        cpu.gauge.busy.up(now_);
        push_timed(id, now_ + demand);
    }
}

/// A job's end is often a start elsewhere on the same processors at the same instant, so the next
/// completion is worked out once, when time is about to move.
inline void Interpreter::refresh_cpus() {
    do {
        CpuState& cpu = cpus_[static_cast<std::size_t>(std::countr_zero(stale_cpus_))];
        stale_cpus_ &= stale_cpus_ - 1;
        const Nanos next = cpu.shared.next_end();
        calendar_.set(cpu.slot, next == kForever ? kNever : make_key(sign_free(next), sequence_++, 0));
    } while (stale_cpus_ != 0);
}

inline StrandId Interpreter::work_ended(std::size_t index) {
    CpuState& cpu = cpus_[index];
    const StrandId id = cpu.shared.finish(now_);
    cpu.gauge.part(now_);
    touch(cpu);
    const Nanos residence = now_ - strands_[id].since;
    cpu.gauge.granted(residence);
    cpu.gauge.resided(residence);
    return timed_wait_over(id);
}

inline void Interpreter::first_come_ended(const Strand& s, CpuState& cpu) {
    const Nanos residence = now_ - s.since;
    cpu.gauge.granted(residence);
    cpu.gauge.resided(residence);
    if (cpu.first_come.queue.empty()) {
        --cpu.first_come.busy;
        cpu.gauge.busy.down(now_);
    } else {
        const StrandId next = cpu.first_come.queue.pop_front(strands_.waits());
        strands_.fetch(cpu.first_come.queue.front());
        cpu.gauge.queue.down(now_);
        const Strand& n = strands_[next];
        const Nanos demand = draw(code_of(n), n);
        cpu.gauge.waited_minus(demand);
        push_timed(next, now_ + demand);
    }
}

/// Work or a delay has ended. Returns the strand when it goes on at once: it still has its place to run.
inline StrandId Interpreter::timed_wait_over(StrandId id) {
    Strand& s = strands_[id];
    const Code& c = code_[s.pc];
    if (s.state == State::free) return kNobody;
    if (s.state != State::timed) { // a session that starts
        return id;
    }
    moving_ -= c.session ? 0 : 1;
    if ((s.flags & kPaying) != 0) {
        return id;
    }
    book(id, s, c.stage);
    if ((s.flags & kCutShort) != 0) {
        s.flags &= static_cast<std::uint16_t>(~kCutShort);
        s.pc = static_cast<std::uint16_t>(c.on_failure);
    } else {
        ++s.pc;
    }
    if (c.own_cpu || !c.limited) return id;
    end_wait(id, c);
    return kNobody;
}

/// A back-off grows with its counter; a draw beyond the time-out waits for that only, and fails.
inline Nanos Interpreter::scaled_delay(Strand& s, const Code& c, Nanos time) const {
    if (s.pc < lowered_.factors.size()) {
        auto scaled = static_cast<double>(time);
        for (unsigned i = counter(s, c); i > 0; --i)
            scaled *= lowered_.factors[s.pc];
        time = Sampler::to_nanos(scaled);
    }
    const Nanos limit = s.pc < lowered_.cut_after.size() ? lowered_.cut_after[s.pc] : -1;
    if (limit < 0 || time <= limit) return time;
    s.flags |= kCutShort;
    return limit;
}

/// True when the strand now waits.
inline bool Interpreter::start_delay(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    Nanos time = draw(c, s);
    if (c.scaled) time = scaled_delay(s, c, time);
    if (time == 0 && (s.flags & kCutShort) == 0) {
        ++s.pc;
        return false;
    }
    s.since = now_;
    s.state = State::timed;
    moving_ += c.session ? 0 : 1;
    if (c.ring >= 0)
        push_ring(id, now_ + time, c.ring);
    else
        push_timed(id, now_ + time);
    begin_wait(s, c);
    return true;
}

} // namespace narrows::engine
