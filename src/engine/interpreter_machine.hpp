// SPDX-License-Identifier: GPL-3.0-or-later
// The machine below the threads: time that is spun away, guests on a processor, a heap and its collector, and what
// makes all threads stand still: collections, and a quota that is used up. A part of interpreter.cpp, included there
// alone; a plan without these comes by here only at `set up`.
#pragma once

#include "engine/interpreter.hpp"
#include "engine/interpreter_draws.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace narrows::engine {

// ---------------------------------------------------------------- spinning, guests

/// True when the strand now spins.
inline bool Interpreter::start_spin(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    const Nanos time = draw(c, s);
    if (time == 0) {
        ++s.pc;
        return false;
    }
    CpuState& cpu = cpus_[static_cast<std::size_t>(c.resource)];
    s.since = now_;
    s.state = State::timed;
    s.flags |= kSpinning;
    moving_ += c.session ? 0 : 1;
    cpu.gauge.waited_minus(time);
    cpu.gauge.join(now_);
    if (cpu.sharing) {
        cpu.shared.start_spin(now_);
        touch(cpu);
    }
    push_timed(id, now_ + time);
    return true;
}

/// The clock shows what it waited for.
inline void Interpreter::spin_ended(Strand& s, CpuState& cpu) {
    s.flags &= static_cast<std::uint16_t>(~kSpinning);
    if (cpu.sharing) {
        cpu.shared.stop_spin(now_);
        touch(cpu);
    }
    cpu.gauge.part(now_);
    cpu.gauge.granted(now_ - s.since);
    cpu.gauge.resided(now_ - s.since);
}

/// Work whose CPU time is counted for somebody else than the processor's own.
inline void Interpreter::start_guest_work(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    const Nanos demand = draw(c, s);
    s.since = now_;
    s.state = State::timed;
    moving_ += c.session ? 0 : 1;
    machine_.tiers[c.limit] += static_cast<double>(demand);
    serve(id, cpus_[static_cast<std::size_t>(c.resource)], demand);
    begin_wait(s, c);
}

// ---------------------------------------------------------------- standing still

/// Nobody runs on `cpu` until let_go(): strands that are to are held back, work gets no service.
inline void Interpreter::stand_still(std::int32_t cpu, std::int64_t others) {
    if (machine_.stops++ > 0) return;
    CpuState& state = cpus_[static_cast<std::size_t>(cpu)];
    state.shared.stop(now_);
    state.gauge.stop(now_, others);
    touch(state);
    ++moving_; // time passes for everybody: no stall
}

inline void Interpreter::let_go(std::int32_t cpu) {
    if (--machine_.stops > 0) return;
    CpuState& state = cpus_[static_cast<std::size_t>(cpu)];
    state.shared.go(now_);
    state.gauge.go(now_);
    touch(state);
    --moving_;
    for (const StrandId id : machine_.held_back)
        ready_.push(id);
    machine_.held_back.clear();
}

inline void Interpreter::machine_event(std::size_t slot) {
    if (slot == machine_.pause_slot)
        pause_over();
    else
        quota_event();
}

// ---------------------------------------------------------------- the heap

/// True when a collection begins, before which the strand does nothing more.
inline bool Interpreter::allocate(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    const plan::Instruction& in = machine_.source[s.pc];
    const std::size_t at = 2 * static_cast<std::size_t>(id) + (c.session ? 1 : 0);
    if (machine_.since.size() <= at) machine_.since.resize(std::max<std::size_t>(at + 2, machine_.since.size() * 2));
    machine_.since[at] = machine_.collector.epoch();
    machine_.heap.allocated += in.bytes;
    ++s.pc;
    const bool full = machine_.collector.allocate(in.bytes, in.live);
    machine_.heap.live_most = std::max(machine_.heap.live_most, machine_.collector.live());
    if (!full || machine_.collecting) return false;
    collect();
    if (!c.limited) return false;
    machine_.held_back.push_back(id);
    return true;
}

inline void Interpreter::free_bytes(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    const std::size_t at = 2 * static_cast<std::size_t>(id) + (c.session ? 1 : 0);
    machine_.collector.free(machine_.source[s.pc].live, machine_.since[at]);
    ++s.pc;
}

/// A collection: everybody stands still for as long as its workers take.
inline void Interpreter::collect() {
    const plan::Memory& m = plan_.memory;
    const CpuState& cpu = cpus_[static_cast<std::size_t>(m.cpu)];
    const auto pause = machine_.collector.collect();
    if (pause.exhausted) {
        recorder_.recording.exhausted =
            measure::Exhaustion{milliseconds(now_), in_flight_, machine_.collector.live(), m.heap};
        over_ = true;
        return;
    }
    const double at_once = std::min(static_cast<double>(m.workers), cpu.cores);
    const auto length = m.least_pause + static_cast<Nanos>(std::ceil(pause.cpu_ns / at_once));
    machine_.collecting = true;
    ++machine_.heap.pauses;
    machine_.heap.full += pause.full ? 1 : 0;
    machine_.heap.paused += static_cast<double>(length);
    machine_.heap.longest_pause = std::max(machine_.heap.longest_pause, static_cast<double>(length));
    const double worked = static_cast<double>(length) * at_once;
    count_collecting(worked);
    calendar_.set(machine_.pause_slot, make_key(sign_free(now_ + length), sequence_++, 0));
    stand_still(m.cpu, static_cast<std::int64_t>(at_once));
}

inline void Interpreter::count_collecting(double cpu_ns) {
    machine_.heap.worked += cpu_ns;
    machine_.tiers[static_cast<std::size_t>(plan_.memory.tier)] += cpu_ns;
}

inline void Interpreter::pause_over() {
    calendar_.set(machine_.pause_slot, kNever);
    machine_.collecting = false;
    let_go(plan_.memory.cpu);
    const double marking = machine_.collector.begin_marking();
    if (marking <= 0) return;
    count_collecting(marking);
    machine_.marking_left = plan_.memory.concurrent_workers;
    machine_.marking_each = static_cast<Nanos>(std::ceil(marking / static_cast<double>(machine_.marking_left)));
    for (std::int64_t i = 0; i < machine_.marking_left; ++i) {
        const StrandId id = machine_.first_worker + static_cast<StrandId>(i);
        strands_[id].state = State::ready;
        ready_.push(id);
    }
}

/// A worker's turn: it has been given marking to do, or has done it.
inline void Interpreter::collect_turn(StrandId id) {
    Strand& s = strands_[id];
    if ((s.flags & kPaying) == 0) {
        s.flags |= kPaying;
        s.state = State::timed;
        s.since = now_;
        ++moving_;
        serve(id, cpus_[static_cast<std::size_t>(plan_.memory.cpu)], machine_.marking_each);
        return;
    }
    s.flags &= static_cast<std::uint16_t>(~kPaying);
    s.state = State::waiting;
    if (--machine_.marking_left == 0) machine_.collector.marked();
}

// ---------------------------------------------------------------- the quota

/// A period has ended, or the quota may be used up: the earliest time at which it can be is looked at again and
/// again, as it cannot be used faster than by all cores.
inline void Interpreter::quota_event() {
    Quota& q = machine_.quota;
    CpuState& cpu = cpus_[static_cast<std::size_t>(q.cpu)];
    if (now_ >= q.period_end) {
        if (std::exchange(q.used_up, false)) let_go(q.cpu);
        q.carried = -cpu.gauge.used(now_);
        q.period_end += q.period;
    }
    constexpr double kNothing = 1000; // CPU ns: what is not worth another look
    const double left = q.each - (q.carried + cpu.gauge.used(now_));
    Nanos next = q.period_end;
    if (left <= kNothing) {
        q.used_up = true;
        ++q.throttled;
        stand_still(q.cpu, 0);
    } else {
        next = std::min(next, now_ + static_cast<Nanos>(std::ceil(left / cpu.cores)));
    }
    calendar_.set(q.slot, make_key(sign_free(next), sequence_++, 0));
}

} // namespace narrows::engine
