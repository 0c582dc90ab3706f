// SPDX-License-Identifier: GPL-3.0-or-later
// Who has a thread, a carrier or a loop. A part of interpreter.cpp, included there alone: the hot path is one
// translation unit, so that the compiler can see through it.
#pragma once

#include "engine/interpreter.hpp"
#include "engine/interpreter_draws.hpp"

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
        if (r.queue.empty())
            r.carriers.rest();
        else {
            r.gauge.take(now_, r.workers);
            take_next(r);
        }
    }
}

/// The wait at `c` is over.
inline void Interpreter::end_wait(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    s.state = State::ready;
    if (!c.limited) {
        ready_.push(id);
        return;
    }
    RunnerState& r = runner_of(c);
    s.debt += r.resume_cost;
    if (c.waiting == plan::Waiting::park) {
        enter(id, r);
        return;
    }
    r.gauge.occupied.down(now_);
    if (c.pinned) r.gauge.pinned.down(now_);
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
    if (r.queue_limit >= 0 && r.gauge.busy.value() >= r.workers && r.queue.size() >= r.queue_limit) return false;
    s.debt = r.start_cost;
    if (++r.alive > r.peak_alive) r.peak_alive = r.alive;
    enter(id, r);
    return true;
}

/// A strand wants a worker.
inline void Interpreter::enter(StrandId id, RunnerState& r) {
    Strand& s = strands_[id];
    s.since = now_;
    bool free = false;
    switch (r.kind) {
    case plan::RunnerKind::threads: free = r.gauge.busy.value() < r.workers; break;
    case plan::RunnerKind::carriers: free = r.carriers.submit(); break;
    case plan::RunnerKind::loops: {
        Loop& loop = r.loops[static_cast<std::size_t>(s.loop)];
        free = !loop.busy;
        loop.busy = true;
        if (!free) loop.queue.push_back(strands_.waits(), id);
        break;
    }
    case plan::RunnerKind::unlimited: break;
    }
    if (free) {
        r.gauge.take(now_, r.workers);
        if (r.kind == plan::RunnerKind::threads && r.gauge.busy.value() > r.created) {
            ++r.created;
            s.debt += r.create_cost;
        }
        mount(id, r);
        return;
    }
    s.state = State::queued;
    if (r.kind != plan::RunnerKind::loops) r.queue.push_back(strands_.waits(), id);
    r.gauge.enqueue(now_);
}

inline void Interpreter::mount(StrandId id, RunnerState& r) {
    Strand& s = strands_[id];
    r.gauge.granted(now_ - s.since);
    if (now_ != s.since) book(id, s, kRunnerStage);
    s.since = now_;
    s.state = State::ready;
    ready_.push(id);
}

inline void Interpreter::take_next(RunnerState& r) {
    const StrandId next = r.queue.pop_front(strands_.waits());
    strands_.fetch(r.queue.front());
    r.gauge.queue.down(now_);
    mount(next, r);
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
    if (!r.queue.empty()) {
        take_next(r);
        return;
    }
    r.gauge.give_back(now_, r.workers);
    if (r.kind == plan::RunnerKind::carriers) r.carriers.rest();
}

} // namespace narrows::engine
