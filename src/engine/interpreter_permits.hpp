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
    switch (pool.permits.acquire(strands_.waits(), id)) {
    case plan::Permits::Answer::granted:
        pool.gauge.busy.up(now_);
        pool.gauge.granted(0);
        ++s.pc;
        return false;
    case plan::Permits::Answer::full:
        complain(c.resource, true, 0);
        s.pc = static_cast<std::uint16_t>(c.on_full >= 0 ? c.on_full : c.on_failure);
        return false;
    case plan::Permits::Answer::queued: break;
    }
    if (pool.adder != kNobody) wake_adder(pool);
    pool.gauge.enqueue(now_);
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
    StrandId wake = kNobody;
    if (expired && pool.permits.taken() == pool.permits.capacity()) {
        wake = pool.permits.forgo(strands_.waits(), id);
        pool.gauge.queue.down(now_);
        complain(c.resource, false, now_ - s.asked);
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
        pool.gauge.busy.up(now_);
        pool.gauge.queue.down(now_);
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
    book(id, s, code_of(s).stage);
    end_wait(id, code_of(s));
}

inline void Interpreter::release(std::int16_t index) {
    PoolState& pool = pools_[static_cast<std::size_t>(index)];
    const StrandId woken = pool.permits.release(strands_.waits());
    if (woken == kNobody || !pool.permits.hands_over()) pool.gauge.busy.down(now_);
    if (woken != kNobody) pass_on(pool, woken);
}

/// A permit has become free, or is this strand's already.
inline void Interpreter::pass_on(PoolState& pool, StrandId woken) {
    if (!pool.permits.hands_over()) {
        wake_to_retry(woken);
        return;
    }
    strands_.fetch(pool.permits.first_in_line());
    Strand& s = strands_[woken];
    const Code& c = code_[s.pc];
    pool.gauge.queue.down(now_);
    pool.gauge.granted(now_ - s.asked);
    if ((s.flags & kTimer) != 0) remove_timer(woken, c.timeout_queue);
    book(woken, s, c.stage);
    ++s.pc;
    end_wait(woken, c);
}

inline void Interpreter::add_timer(StrandId id, std::int16_t index) {
    TimeoutQueue& q = timeouts_[static_cast<std::size_t>(index)];
    q.list.push_back(strands_.timers(), id);
    strands_[id].flags |= kTimer;
    server_timers_ += code_of(strands_[id]).session ? 0 : 1;
    if (rank_of(calendar_.shown(q.slot)) == rank_of(kNever)) calendar_.set(q.slot, timeout_key(q));
}

inline void Interpreter::remove_timer(StrandId id, std::int16_t index) {
    timeouts_[static_cast<std::size_t>(index)].list.remove(strands_.timers(), id);
    strands_[id].flags &= static_cast<std::uint16_t>(~kTimer);
    server_timers_ -= code_of(strands_[id]).session ? 0 : 1;
}

/// Precondition: somebody is in it.
inline Key Interpreter::timeout_key(const TimeoutQueue& q) const {
    const Strand& s = strands_[q.list.front()];
    const Nanos start = code_of(s).op == plan::Op::acquire ? s.asked : s.since;
    // The highest sequence: a time-out loses against everything else at its instant.
    return make_key(sign_free(start + q.length), (std::uint64_t{1} << 40) - 1, 0);
}

/// The slot has come first. False: it showed the time of somebody who has left, and is put right.
inline bool Interpreter::timeout_due(std::size_t slot) {
    const TimeoutQueue& q = timeouts_[slot - first_timeout_];
    const Key shown = calendar_.shown(slot);
    calendar_.set(slot, q.list.empty() ? kNever : timeout_key(q));
    return calendar_.shown(slot) == shown;
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

inline void Interpreter::timeout_fired(TimeoutQueue& q) {
    const StrandId id = q.list.front();
    Strand& s = strands_[id];
    const Code& c = code_[s.pc];
    remove_timer(id, c.timeout_queue);
    calendar_.set(q.slot, q.list.empty() ? kNever : timeout_key(q));
    if ((s.flags & kWoken) != 0) {
        s.flags |= kExpired;
        return;
    }
    if (c.op == plan::Op::acquire) {
        PoolState& pool = pools_[static_cast<std::size_t>(c.resource)];
        pool.permits.leave(strands_.waits(), id);
        pool.gauge.queue.down(now_);
        complain(c.resource, false, now_ - s.asked);
    } else {
        if (c.gives >= 0) strands_[heir(id)].gift = c.gives;
        ++s.generation;
        s.children = 0;
        s.outcome = plan::Outcome::ok;
    }
    book(id, s, c.stage);
    s.pc = static_cast<std::uint16_t>(c.on_failure);
    end_wait(id, c, true);
}

} // namespace narrows::engine
