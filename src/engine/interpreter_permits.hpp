// SPDX-License-Identifier: GPL-3.0-or-later
// Permits and time-outs. A part of interpreter.cpp, included there alone: the hot path is one
// translation unit, so that the compiler can see through it.
#pragma once

#include "engine/interpreter.hpp"
#include "engine/interpreter_draws.hpp"

namespace narrows::engine {

/// True when the strand now waits.
inline bool Interpreter::acquire(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    PoolState& pool = pools_[static_cast<std::size_t>(c.resource)];
    pool.gauge.advance(now_);
    switch (pool.permits.acquire(strands_.waits(), id)) {
    case plan::Permits::Answer::granted:
        pool.gauge.busy += 1;
        pool.gauge.granted(0);
        ++s.pc;
        return false;
    case plan::Permits::Answer::full:
        s.pc = static_cast<std::uint16_t>(c.on_full >= 0 ? c.on_full : c.on_failure);
        return false;
    case plan::Permits::Answer::queued: break;
    }
    pool.gauge.enqueue();
    s.since = now_;
    s.asked = now_; // `since` moves when it is woken in vain
    s.state = State::waiting;
    if (c.timeout_queue >= 0) add_timer(id, c.timeout_queue);
    begin_wait(s, c);
    return true;
}

/// A woken strand tries for its permit again. True when it waits again.
inline bool Interpreter::retry(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    PoolState& pool = pools_[static_cast<std::size_t>(c.resource)];
    const bool expired = (s.flags & kExpired) != 0;
    s.flags &= static_cast<std::uint16_t>(~(kWoken | kExpired));
    pool.gauge.advance(now_);
    StrandId wake = kNobody;
    if (expired && pool.permits.taken() == pool.permits.capacity()) {
        wake = pool.permits.forgo(strands_.waits(), id);
        pool.gauge.queue -= 1;
        s.pc = static_cast<std::uint16_t>(c.on_failure);
    } else {
        const auto answer = pool.permits.retry(strands_.waits(), id);
        if (!answer.granted) {
            s.since = now_;
            s.state = State::waiting;
            begin_wait(s, c);
            return true;
        }
        wake = answer.wake;
        if ((s.flags & kTimer) != 0) remove_timer(id, c.timeout_queue);
        pool.gauge.busy += 1;
        pool.gauge.queue -= 1;
        pool.gauge.granted(now_ - s.asked);
        ++s.pc;
    }
    if (wake != kNobody) wake_to_retry(wake);
    return false;
}

/// The woken strand is counted as waiting until it has its permit, as HikariCP counts its pending threads.
inline void Interpreter::wake_to_retry(StrandId id) {
    Strand& s = strands_[id];
    s.flags |= kWoken;
    book(s, code_of(s).stage);
    end_wait(id, code_of(s));
}

inline void Interpreter::release(std::int16_t index) {
    PoolState& pool = pools_[static_cast<std::size_t>(index)];
    pool.gauge.advance(now_);
    const StrandId woken = pool.permits.release(strands_.waits());
    if (woken == kNobody || !pool.permits.hands_over()) pool.gauge.busy -= 1;
    if (woken == kNobody) return;
    if (!pool.permits.hands_over()) {
        wake_to_retry(woken);
        return;
    }
    Strand& s = strands_[woken];
    const Code& c = code_[s.pc];
    pool.gauge.queue -= 1;
    pool.gauge.granted(now_ - s.asked);
    if ((s.flags & kTimer) != 0) remove_timer(woken, c.timeout_queue);
    book(s, c.stage);
    ++s.pc;
    end_wait(woken, c);
}

inline void Interpreter::add_timer(StrandId id, std::int16_t index) {
    TimeoutQueue& q = timeouts_[static_cast<std::size_t>(index)];
    const bool first = q.list.empty();
    q.list.push_back(strands_.timers(), id);
    strands_[id].flags |= kTimer;
    server_timers_ += code_of(strands_[id]).session ? 0 : 1;
    if (first) update_timer_slot(q);
}

inline void Interpreter::remove_timer(StrandId id, std::int16_t index) {
    TimeoutQueue& q = timeouts_[static_cast<std::size_t>(index)];
    const bool first = q.list.front() == id;
    q.list.remove(strands_.timers(), id);
    strands_[id].flags &= static_cast<std::uint16_t>(~kTimer);
    server_timers_ -= code_of(strands_[id]).session ? 0 : 1;
    if (first) update_timer_slot(q);
}

inline void Interpreter::update_timer_slot(TimeoutQueue& q) {
    if (q.list.empty()) {
        set_slot(q.slot, kNever);
        return;
    }
    const Strand& s = strands_[q.list.front()];
    const Nanos start = code_of(s).op == plan::Op::acquire ? s.asked : s.since;
    // The highest sequence: a time-out loses against everything else at its instant.
    set_slot(q.slot, make_key(sign_free(start + q.length), (std::uint64_t{1} << 40) - 1, 0));
}

/// Who takes over the permit of a strand that abandons its children: the first of them, or when that
/// has ended, any that has not. Precondition: one has not.
inline StrandId Interpreter::heir(StrandId parent) const {
    const Strand& p = strands_[parent];
    const auto is_child = [&](StrandId id) {
        const Strand& s = strands_[id];
        return s.state != State::free && s.parent == parent && s.parent_generation == p.generation && id != parent;
    };
    if (is_child(p.debt)) return p.debt;
    StrandId id = 0;
    while (!is_child(id))
        ++id;
    return id;
}

inline void Interpreter::timeout_fired(std::size_t index) {
    TimeoutQueue& q = timeouts_[index];
    const StrandId id = q.list.front();
    Strand& s = strands_[id];
    const Code& c = code_[s.pc];
    remove_timer(id, static_cast<std::int16_t>(index));
    if ((s.flags & kWoken) != 0) {
        s.flags |= kExpired;
        return;
    }
    if (c.op == plan::Op::acquire) {
        PoolState& pool = pools_[static_cast<std::size_t>(c.resource)];
        pool.gauge.advance(now_);
        pool.permits.leave(strands_.waits(), id);
        pool.gauge.queue -= 1;
    } else {
        if (c.gives >= 0) strands_[heir(id)].gift = c.gives;
        ++s.generation;
        s.children = 0;
        s.outcome = plan::Outcome::ok;
    }
    book(s, c.stage);
    s.pc = static_cast<std::uint16_t>(c.on_failure);
    end_wait(id, c);
}

} // namespace narrows::engine
