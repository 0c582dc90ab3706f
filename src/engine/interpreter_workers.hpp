// SPDX-License-Identifier: GPL-3.0-or-later
// Who has a thread, a carrier or a loop. A part of interpreter.cpp, included there alone: the hot path is one
// translation unit, so that the compiler can see through it.
#pragma once

#include "engine/interpreter.hpp"
#include "engine/interpreter_draws.hpp"

#include <utility>

namespace narrows::engine {

/// The strand stops running and waits: what becomes of its worker.
inline void Interpreter::begin_wait(Strand& s, const Code& c) {
    if (!c.limited) return;
    RunnerState& r = runner_of(c);
    if (c.waiting == plan::Waiting::park) {
        leave(s, r);
        return;
    }
    r.gauge.occupied.up(now_);
    if (c.pinned) r.gauge.pinned.up(now_);
    if (c.waiting != plan::Waiting::compensate || r.kind != plan::RunnerKind::carriers) return;
    const auto answer = r.carriers.compensate();
    if (answer == plan::Carriers::Compensation::none) return;
    s.flags |= kCompensated;
    if (answer == plan::Carriers::Compensation::spare) {
        const std::int32_t spare = r.queues.wake();
        if (take_next(r, spare))
            r.gauge.take(now_, r.workers);
        else {
            r.carriers.rest();
            r.queues.rest(spare);
        }
    }
}

/// The wait at `c` is over.
inline void Interpreter::end_wait(StrandId id, const Code& c, bool by_timer) {
    Strand& s = strands_[id];
    s.state = State::ready;
    if (!c.limited) {
        ready_.push(id);
        return;
    }
    RunnerState& r = runner_of(c);
    s.debt += r.resume_cost;
    if (c.waiting == plan::Waiting::park) {
        enter(id, r,
              c.wake == plan::Wake::socket              ? Origin::socket
              : by_timer || c.wake != plan::Wake::waker ? Origin::outside
                                                        : Origin::waker);
        return;
    }
    r.gauge.occupied.down(now_);
    if (c.pinned) r.gauge.unpin(now_, now_ - s.since, r.pin_logged);
    if ((s.flags & kCompensated) != 0) {
        s.flags &= static_cast<std::uint16_t>(~kCompensated);
        r.carriers.uncompensate();
    }
    ready_.push(id);
}

/// A strand starts. False: refused, the queue for threads is full.
inline bool Interpreter::begin(StrandId id, RunnerState& r) {
    Strand& s = strands_[id];
    if (!r.limited()) {
        s.state = State::ready;
        ready_.push(id);
        return true;
    }
    if (r.queue_limit >= 0 && r.gauge.busy.value() >= r.open && r.queue.size() >= r.queue_limit) {
        if (r.open == r.workers) return false;
        ++r.open; // one more thread, which takes this strand before those that queue
    }
    s.debt = r.start_cost;
    if (++r.alive > r.peak_alive) r.peak_alive = r.alive;
    enter(id, r, Origin::start);
    return true;
}

/// A strand wants a worker.
inline void Interpreter::enter(StrandId id, RunnerState& r, Origin origin) {
    if (r.kind == plan::RunnerKind::carriers) {
        enter_carriers(id, r, origin);
        return;
    }
    Strand& s = strands_[id];
    s.since = now_;
    bool free = false;
    if (r.kind == plan::RunnerKind::threads) {
        free = r.gauge.busy.value() < r.open;
    } else {
        Loop& loop = r.loops[static_cast<std::size_t>(s.loop)];
        free = !loop.busy;
        loop.busy = true;
        if (!free) loop.queue.push_back(strands_.waits(), id);
    }
    if (free) {
        r.gauge.take(now_, r.workers);
        if (r.kind == plan::RunnerKind::threads && r.gauge.busy.value() > r.created) {
            ++r.created;
            s.debt += r.create_cost;
            machine_.collector.retain(r.create_bytes);
        }
        mount(id, r);
        return;
    }
    s.state = State::queued;
    if (r.kind != plan::RunnerKind::loops) r.queue.push_back(strands_.waits(), id);
    r.gauge.enqueue(now_);
}

/// A strand is runnable: it goes to the queue that its origin has, and a carrier is woken if one may be.
inline void Interpreter::enter_carriers(StrandId id, RunnerState& r, Origin origin) {
    if (origin == Origin::socket && !r.ready_sockets.empty()) {
        socket_ready(id, r);
        return;
    }
    Strand& s = strands_[id];
    s.since = now_;
    const bool alone = r.queues.empty();
    if (alone && r.carriers.submit()) { // nothing else waits: whoever is woken finds this one
        s.loop = static_cast<std::int16_t>(r.queues.wake());
        r.gauge.take(now_, r.workers);
        mount(id, r);
        return;
    }
    s.state = State::queued;
    r.gauge.enqueue(now_);
    // Woken by a strand on one of these carriers: to the queue of that one.
    const bool local = origin == Origin::waker && current_ != kNobody && &runner_of(code_of(strands_[current_])) == &r;
    if (local)
        r.queues.push_local(strands_.waits(), id, strands_[current_].loop);
    else
        r.queues.push_outside(strands_.waits(), id,
                              origin == Origin::start     ? plan::Outside::starter
                              : origin == Origin::outside ? plan::Outside::timer
                                                          : plan::Outside::poller);
    if (!alone && r.carriers.submit()) start_carrier(r);
}

/// Precondition: something waits, and Carriers::submit said that a carrier takes it.
inline void Interpreter::start_carrier(RunnerState& r) {
    const std::int32_t carrier = r.queues.wake();
    r.gauge.take(now_, r.workers);
    (void)take_next(r, carrier);
}

inline void Interpreter::mount(StrandId id, RunnerState& r) {
    Strand& s = strands_[id];
    r.gauge.granted(now_ - s.since);
    if (now_ != s.since) book(id, s, kRunnerStage);
    s.since = now_;
    s.state = State::ready;
    ready_.push(id);
}

/// The worker takes the next in line, if there is one.
inline bool Interpreter::take_next(RunnerState& r, std::int32_t carrier) {
    StrandId next = kNobody;
    if (r.kind == plan::RunnerKind::carriers) {
        next = r.queues.next(strands_.waits(), carrier, [&r] { return r.scan.next(); });
        if (next == kNobody) return false;
        strands_[next].loop = static_cast<std::int16_t>(carrier);
    } else {
        if (r.queue.empty()) return false;
        next = r.queue.pop_front(strands_.waits());
        strands_.fetch(r.queue.front());
    }
    r.gauge.queue.down(now_);
    mount(next, r);
    return true;
}

/// A strand gives its worker back; the worker takes the next in line or rests.
inline void Interpreter::leave(const Strand& s, RunnerState& r) {
    if (r.kind == plan::RunnerKind::loops) {
        Loop& loop = r.loops[static_cast<std::size_t>(s.loop)];
        if (loop.queue.empty()) {
            loop.busy = false;
            r.gauge.give_back(now_, r.workers);
            return;
        }
        const StrandId next = loop.queue.pop_front(strands_.waits());
        r.gauge.queue.down(now_);
        mount(next, r);
        return;
    }
    const std::int32_t carrier = s.loop;
    if (take_next(r, carrier)) return;
    r.gauge.give_back(now_, r.workers);
    if (r.kind != plan::RunnerKind::carriers) return;
    r.carriers.rest();
    r.queues.rest(carrier);
}

/// What a parked strand waits for has come; its poller has to notice, and for that needs a carrier itself.
inline void Interpreter::socket_ready(StrandId id, RunnerState& r) {
    Strand& s = strands_[id];
    s.since = now_;
    s.state = State::queued;
    r.gauge.enqueue(now_);
    const auto index = static_cast<std::size_t>(id) & (r.ready_sockets.size() - 1);
    r.ready_sockets[index].push_back(strands_.waits(), id);
    const StrandId poller = r.first_poller + static_cast<StrandId>(index);
    Strand& p = strands_[poller];
    if ((p.flags & kPolling) != 0) return;
    p.flags |= kPolling;
    p.debt += r.resume_cost;
    enter_carriers(poller, r, Origin::master_poller);
}

/// A poller has its carrier: wakes all whose sockets are ready, then lets them go first.
inline void Interpreter::poll(StrandId id) {
    Strand& s = strands_[id];
    RunnerState& r = runner_of(code_of(s));
    if (s.debt > 0) {
        s.flags |= kPaying;
        s.state = State::timed;
        s.since = now_;
        ++moving_;
        serve(id, cpus_[static_cast<std::size_t>(r.cpu)], std::exchange(s.debt, 0));
        return;
    }
    s.flags &= static_cast<std::uint16_t>(~kPaying);
    plan::WaitList& ready = r.ready_sockets[static_cast<std::size_t>(id - r.first_poller)];
    if (ready.empty()) {
        s.flags &= static_cast<std::uint16_t>(~kPolling);
        s.state = State::waiting;
    } else {
        while (!ready.empty()) {
            // Counted as waiting for a carrier since its data came; it still is.
            r.queues.push_local(strands_.waits(), ready.pop_front(strands_.waits()), s.loop);
            if (r.carriers.submit()) start_carrier(r);
        }
        s.state = State::queued;
        s.since = now_;
        r.gauge.enqueue(now_);
        r.queues.push_local(strands_.waits(), id, s.loop);
    }
    leave(s, r);
}

} // namespace narrows::engine
