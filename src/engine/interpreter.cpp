// SPDX-License-Identifier: GPL-3.0-or-later
// The hot path: choose the earliest event, end a wait, let the strand run until it waits again.
#include "engine/interpreter.hpp"
#include "engine/interpreter_draws.hpp"
#include "engine/interpreter_permits.hpp"
#include "engine/interpreter_strands.hpp"
#include "engine/interpreter_work.hpp"
#include "engine/interpreter_workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace narrows::engine {

// ---------------------------------------------------------------- calendar

/// The source of the earliest event. Times are compared first, without branches; sequences only
/// when two sources agree on the time.
inline std::size_t Interpreter::earliest() {
    set_slot(kHeapSlot, heap_.top());
    if (stale_cpus_ != 0) refresh_cpus();
    const std::uint64_t* t = times_.data();
    const std::size_t n = slot_count_;
    std::size_t best = 0;
    std::uint64_t least = t[0];
    bool tie = false;
    for (std::size_t i = 1; i < n; ++i) {
        const bool less = t[i] < least;
        tie = (tie | (t[i] == least)) & !less;
        least = less ? t[i] : least;
        best = less ? i : best;
    }
    return tie ? earliest_of_ties(least) : best;
}

std::size_t Interpreter::earliest_of_ties(std::uint64_t at) const {
    std::size_t best = slot_count_;
    for (std::size_t i = 0; i < slot_count_; ++i)
        if (times_[i] == at && (best == slot_count_ || slots_[i] < slots_[best])) best = i;
    return best;
}

/// Ends the slices that lie before the next event. False: the run ends here instead.
bool Interpreter::cut_up_to(std::uint64_t at) {
    const std::uint64_t stop = end_ != 0 ? sign_free(end_) : sign_free(kForever);
    if (at >= stop && end_ == 0) return false;                      // nothing is scheduled
    while (sign_free(recorder_.next_cut()) <= std::min(at, stop)) { // a slice is [begin, end)
        now_ = recorder_.next_cut();
        recorder_.cut(gauge_sums(), in_flight_);
    }
    horizon_ = std::min(stop, sign_free(recorder_.next_cut()));
    if (at < stop) return true;
    now_ = end_;
    return false;
}

/// Whether the run is to end here and now; noted in the recording.
bool Interpreter::cancelled() {
    if (options_.cancel == nullptr || !options_.cancel->load(std::memory_order_relaxed)) return false;
    return recorder_.recording.cancelled = true;
}

measure::Recording Interpreter::run() {
    open_load();
    while (!over_) {
        while (!ready_.empty()) {
            if (++spins_ > kMaxSpins)
                throw std::runtime_error(
                    fmt::format("time stands still at {:.6f} s: some loop takes no time", seconds(now_)));
            if ((spins_ & (kCancelEvery - 1)) == 0 && cancelled()) break;
            advance(ready_.pop());
        }
        if (over_ || recorder_.recording.cancelled) break; // what abandoned strands still do is after the end
        if (moving_ == 0 && server_alive_ > 0) {
            if (!stalled_ || server_timers_ == 0) report_stall();
            if (over_) break;
        } else {
            stalled_ = false;
        }
        const std::size_t slot = earliest();
        const std::uint64_t at = times_[slot];
        if (at >= horizon_ && !cut_up_to(at)) break;
        if (at != sign_free(now_)) spins_ = 0;
        now_ = static_cast<Nanos>(at);
        fire(slot);
        if ((events_ & (kCancelEvery - 1)) == 0 && cancelled()) break;
    }
    auto sums = gauge_sums();
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

inline void Interpreter::fire(std::size_t slot) {
    ++events_;
    if (slot == kHeapSlot) {
        const StrandId id = payload_of(slots_[kHeapSlot]);
        heap_.pop();
        const Strand& s = strands_[id];
        if (code_of(s).op == plan::Op::work || (s.flags & kPaying) != 0)
            first_come_ended(id);
        else
            timed_wait_over(id);
    } else if (slot == load_slot_) {
        load_event();
    } else if (slot < first_cpu_) {
        KeyRing& ring = rings_[slot - first_ring_];
        const StrandId id = payload_of(ring.top());
        ring.pop();
        set_slot(slot, ring.top());
        timed_wait_over(id);
    } else if (slot < first_timeout_) {
        work_ended(cpu_of_slot_[slot - first_cpu_]);
    } else {
        timeout_fired(slot - first_timeout_);
    }
}

void Interpreter::push_timed(StrandId id, Nanos at, std::int16_t ring) {
    const Key key = make_key(sign_free(at), sequence_++, id);
    if (ring < 0) {
        heap_.push(key);
        return;
    }
    KeyRing& r = rings_[static_cast<std::size_t>(ring)];
    r.push(key);
    set_slot(first_ring_ + static_cast<std::size_t>(ring), r.top());
}

// ---------------------------------------------------------------- one strand's turn

void Interpreter::advance(StrandId id) {
    using plan::Op;
    for (;;) {
        Strand& s = strands_[id];
        const Code& c = code_[s.pc];
        switch (c.op) {
        case Op::work: start_work(id, c); return;
        case Op::delay:
            if (start_delay(id, c)) return;
            break;
        case Op::acquire:
            if ((s.flags & kWoken) != 0 ? retry(id, c) : acquire(id, c)) return;
            break;
        case Op::release:
            release(c.resource);
            ++s.pc;
            break;
        case Op::fork:
            if (fork(id, c)) return;
            break;
        case Op::join:
            if (join(id, c)) return;
            break;
        case Op::branch: branch(s, c); break;
        case Op::send: send(s); break;
        case Op::answer:
            // A child that ended has recorded its own answer; only what has no child is told here.
            if (c.outcome != plan::Outcome::ok) {
                recorder_.answered(now_ - s.sent, -1, c.outcome, {});
                --in_flight_;
            }
            ++s.pc;
            break;
        case Op::end:
            if (end(id, c.outcome)) return;
            break;
        }
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
inline void Interpreter::book(Strand& s, std::int16_t stage) {
    if (s.row >= 0 && stage >= 0) // only requests have a row
        stage_times_[static_cast<std::size_t>(s.row) * stages_ + static_cast<std::size_t>(stage)] +=
            static_cast<float>(now_ - s.since);
}

} // namespace narrows::engine
