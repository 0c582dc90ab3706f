// SPDX-License-Identifier: GPL-3.0-or-later
// The hot path: choose the earliest event, end a wait, let the strand run until it waits again.
#include "engine/interpreter.hpp"
#include "engine/interpreter_draws.hpp"
#include "engine/interpreter_machine.hpp"
#include "engine/interpreter_permits.hpp"
#include "engine/interpreter_strands.hpp"
#include "engine/interpreter_tasks.hpp"
#include "engine/interpreter_work.hpp"
#include "engine/interpreter_workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace narrows::engine {

// ---------------------------------------------------------------- calendar

/// The place in the calendar of the earliest event, whose key is next_.
inline std::size_t Interpreter::earliest() {
    if (stale_cpus_ != 0) refresh_cpus();
    next_ = calendar_.least();
    return static_cast<std::size_t>(payload_of(next_));
}

/// Ends the slices that lie before the next event. False: the run ends here instead.
bool Interpreter::cut_up_to(std::uint64_t at) {
    const std::uint64_t stop = end_ != 0 ? sign_free(end_) : sign_free(kForever);
    if (at >= stop && end_ == 0) return false;                      // nothing is scheduled
    while (sign_free(recorder_.next_cut()) <= std::min(at, stop)) { // a slice is [begin, end)
        now_ = recorder_.next_cut();
        cut_slice();
    }
    horizon_ = std::min(stop, sign_free(recorder_.next_cut()));
    if (at < stop) return true;
    now_ = end_;
    return false;
}

/// Whether the run is to end here and now; noted in the recording.
bool Interpreter::cancelled() {
    if (options_.cancel == nullptr || !options_.cancel->load(std::memory_order_relaxed)) return false;
    over_ = true;
    return recorder_.recording.cancelled = true;
}

/// Now and then: whether time stands still for ever, and whether the run is to end.
void Interpreter::look_up() {
    if (spins_ > kMaxSpins)
        throw std::runtime_error(fmt::format("time stands still at {:.6f} s: some loop takes no time", seconds(now_)));
    (void)cancelled();
}

/// kStops: whether something in the plan may make everybody stand still. Most plans have no such thing, and do not
/// ask at each turn.
template <bool kStops> void Interpreter::loop() {
    while (!over_) { // what abandoned strands still do is after the end
        StrandId id = kNobody;
        if (!ready_.empty()) {
            id = ready_.pop();
            if ((++spins_ & (kCancelEvery - 1)) == 0) look_up();
        } else {
            if (moving_ == 0 && server_alive_ > 0) {
                if (!stalled_ || server_timers_ == 0) report_stall();
                if (over_) break;
            } else {
                stalled_ = false;
            }
            const std::size_t slot = earliest();
            if (slot - first_timeout_ < timeouts_.size() && !timeout_due(slot)) continue;
            const std::uint64_t at = rank_of(next_);
            if (at >= horizon_ && !cut_up_to(at)) break;
            if (at != sign_free(now_)) spins_ = 0;
            now_ = static_cast<Nanos>(at);
            id = fire(slot);
            if ((++events_ & (kCancelEvery - 1)) == 0) look_up();
            if (id == kNobody) continue;
        }
        if constexpr (kStops) {
            if (machine_.stops != 0 && code_[strands_[id].pc].limited) {
                machine_.held_back.push_back(id);
                continue;
            }
        }
        current_ = id;
        advance(id);
        current_ = kNobody;
    }
}

measure::Recording Interpreter::run() {
    open_load();
    if (machine_.stops_all)
        loop<true>();
    else
        loop<false>();
    auto sums = gauge_sums();
    take_machine_sums();
    auto& rec = recorder_.recording;
    rec.events = events_;
    rec.unanswered = static_cast<std::uint64_t>(in_flight_);
    rec.edge = waits_at_the_end();
    for (const auto& r : runners_)
        if (r.limited())
            rec.peak_threads =
                std::max(rec.peak_threads, r.kind == plan::RunnerKind::threads ? r.created : r.peak_alive);
    return recorder_.finish(std::move(sums), in_flight_, now_);
}

/// Returns the strand that goes on at once, or kNobody.
inline StrandId Interpreter::fire(std::size_t slot) {
    if (slot >= first_single_) return single_fired();
    if (slot < first_cpu_) {
        KeyRing& ring = rings_[slot];
        const StrandId id = payload_of(ring.top());
        ring.pop();
        calendar_.set(slot, ring.top());
        if (ring.size() != 0) strands_.fetch(payload_of(ring.top()));
        return timed_wait_over(id);
    }
    if (slot < first_timeout_) return work_ended(cpu_of_slot_[slot - first_cpu_]);
    if (slot < load_slot_)
        timeout_fired(timeouts_[slot - first_timeout_]);
    else if (slot == load_slot_)
        load_event();
    else
        machine_event(slot);
    return kNobody;
}

inline StrandId Interpreter::single_fired() {
    const StrandId id = calendar_.pop();
    Strand& s = strands_[id];
    const Code& c = code_[s.pc];
    if (c.op == plan::Op::work)
        first_come_ended(s, cpus_[static_cast<std::size_t>(c.resource)]);
    else if ((s.flags & (kPaying | kSpinning)) == 0)
        return timed_wait_over(id);
    else if ((s.flags & kSpinning) != 0)
        spin_ended(s, cpus_[static_cast<std::size_t>(c.resource)]);
    else
        first_come_ended(s, cpus_[static_cast<std::size_t>(runner_of(c).cpu)]);
    return timed_wait_over(id);
}

inline void Interpreter::push_ring(StrandId id, Nanos at, std::int16_t ring) {
    const Key key = make_key(sign_free(at), sequence_++, id);
    if (rings_[static_cast<std::size_t>(ring)].push(key)) calendar_.set(static_cast<std::size_t>(ring), key);
}

// ---------------------------------------------------------------- one strand's turn

/// Inlined into the one loop that calls it: a turn is short, and a call would cost as much as two of
/// its instructions.
[[gnu::always_inline]] inline void Interpreter::advance(StrandId id) {
    using plan::Op;
    Strand* s = &strands_[id];
    for (;;) {
        const Code& c = code_[s->pc];
        switch (c.op) {
        case Op::work: start_work(id, c); return;
        case Op::delay:
            if (start_delay(id, c)) return;
            continue;
        case Op::acquire:
            if ((s->flags & kWoken) != 0 ? retry(id, c) : acquire(id, c)) return;
            continue;
        case Op::release:
            release(c.resource);
            ++s->pc;
            continue;
        case Op::fork:
            if (fork(id, c)) return;
            s = &strands_[id]; // new strands can move them all
            continue;
        case Op::join:
            if (join(id, c)) return;
            continue;
        case Op::branch: branch(*s, c); continue;
        case Op::send: send(*s); continue;
        case Op::answer:
            // A child that ended has recorded its own answer; only what has no child is told here.
            if (c.outcome != plan::Outcome::ok) {
                recorder_.answered(now_ - s->sent, -1, c.outcome, {});
                --in_flight_;
            }
            ++s->pc;
            continue;
        case Op::poll: poll(id); return;
        case Op::submit:
            submit(id, c);
            s = &strands_[id];
            continue;
        case Op::yield:
            if (yield(id, c)) return;
            continue;
        case Op::await:
            if (await(id, c)) return;
            continue;
        case Op::add: add_permit(*s, c); continue;
        case Op::ask: ask(*s, c); continue;
        case Op::tell:
            breakers_[static_cast<std::size_t>(c.resource)].tell(now_, c.outcome != plan::Outcome::ok);
            ++s->pc;
            continue;
        case Op::spin:
            if (start_spin(id, c)) return;
            continue;
        case Op::guest_work: start_guest_work(id, c); return;
        case Op::allocate:
            if (allocate(id, c)) return;
            continue;
        case Op::free: free_bytes(id, c); continue;
        case Op::collect: collect_turn(id); return;
        case Op::end:
            if (end(id, c.outcome)) return;
            continue;
        }
        __builtin_unreachable(); // every Op is above; saves the bounds check of the jump table
    }
}

inline Stream Interpreter::stream(const Code& c, const Strand& s) {
    return Stream(StreamKey{s.key + c.step + round_of(s, c)});
}

inline Nanos Interpreter::draw(const Code& c, const Strand& s) const {
    if (c.draw == Draw::constant) return c.constant;
    Stream numbers = stream(c, s);
    if (c.draw == Draw::exponential) return Sampler::to_nanos(c.scale * Sampler::standard_exponential(numbers));
    return lowered_.samplers[static_cast<std::size_t>(c.extra)].draw(numbers);
}

/// The wait that began at s.since belongs to `stage`.
inline void Interpreter::book(StrandId id, const Strand& s, std::int16_t stage) {
    if (stage >= 0)
        stage_times_[static_cast<std::size_t>(id) * stages_ + static_cast<std::size_t>(stage)] +=
            static_cast<float>(now_ - s.since);
}

} // namespace narrows::engine
