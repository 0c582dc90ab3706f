// SPDX-License-Identifier: GPL-3.0-or-later
// The hot path: choose the earliest event, end a wait, let the strand run until it waits again.
#include "engine/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace narrows::engine {

namespace {

/// So many steps without time moving mean a program that loops for ever in an instant.
constexpr std::uint64_t kMaxSpins = 50'000'000;
constexpr std::uint64_t kCancelEvery = 4096;

/// Times a strand's queueing for its runner is booked to: models::compile puts it there.
constexpr std::int16_t kRunnerStage = 1;

/// One of the strand's four retry counters.
unsigned counter(const Strand& s, const Code& c) {
    return (s.counters >> (8 * c.counter)) & 0xffU;
}

/// Sets the draws of one attempt of a retry apart from those of the next. A session's counters (which
/// differ between thread models) do not matter: every `send` draws a fresh key.
std::uint64_t round_of(const Strand& s, const Code& c) {
    return c.session ? 0 : s.counters * 0xa0761d6478bd642fULL;
}

constexpr std::uint64_t sign_free(Nanos t) {
    return static_cast<std::uint64_t>(t);
}

} // namespace

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

measure::Recording Interpreter::run() {
    open_load();
    while (!over_) {
        while (!ready_.empty()) {
            if (++spins_ > kMaxSpins)
                throw std::runtime_error(
                    fmt::format("time stands still at {:.6f} s: some loop takes no time", seconds(now_)));
            advance(ready_.pop());
        }
        if (over_) break; // what abandoned strands still do is after the end
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
        if (options_.cancel != nullptr && (events_ & (kCancelEvery - 1)) == 0 &&
            options_.cancel->load(std::memory_order_relaxed)) {
            recorder_.recording.cancelled = true;
            break;
        }
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

// ---------------------------------------------------------------- work

inline void Interpreter::start_work(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    CpuState& cpu = cpus_[static_cast<std::size_t>(c.resource)];
    s.since = now_;
    s.state = State::timed;
    moving_ += c.session ? 0 : 1;
    cpu.gauge.advance(now_);
    if (!cpu.sharing && cpu.first_come.busy >= cpu.first_come.servers) {
        cpu.first_come.queue.push_back(strands_.waits(), id);
        cpu.gauge.enqueue();
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

/// Starts a job at once. Call after the gauge has been advanced.
inline void Interpreter::serve(StrandId id, CpuState& cpu, Nanos demand) {
    cpu.gauge.waited_minus(static_cast<double>(demand));
    if (cpu.sharing) {
        cpu.shared.start(now_, id, demand, sequence_++);
        level(cpu);
        cpu.gauge.note_peak();
    } else {
        ++cpu.first_come.busy;
        cpu.gauge.busy += 1;
        push_timed(id, now_ + demand, -1);
    }
}

/// A job's end is often a start elsewhere on the same processors at the same instant, so the next
/// completion is worked out once, when time is about to move.
inline void Interpreter::refresh_cpus() {
    do {
        CpuState& cpu = cpus_[static_cast<std::size_t>(std::countr_zero(stale_cpus_))];
        stale_cpus_ &= stale_cpus_ - 1;
        const Nanos next = cpu.shared.next_end();
        set_slot(cpu.slot, next == kForever ? kNever : make_key(sign_free(next), sequence_++, 0));
    } while (stale_cpus_ != 0);
}

/// The gauge's levels follow the number of jobs.
inline void Interpreter::level(CpuState& cpu) {
    cpu.gauge.busy = cpu.shared.busy_cores();
    cpu.gauge.queue = static_cast<double>(cpu.shared.jobs()) - cpu.gauge.busy;
    touch(cpu);
}

inline void Interpreter::work_ended(std::size_t index) {
    CpuState& cpu = cpus_[index];
    cpu.gauge.advance(now_);
    const StrandId id = cpu.shared.finish(now_);
    level(cpu);
    const Nanos residence = now_ - strands_[id].since;
    cpu.gauge.granted(residence);
    cpu.gauge.resided(residence);
    timed_wait_over(id);
}

inline void Interpreter::first_come_ended(StrandId id) {
    const Code& c = code_of(strands_[id]);
    CpuState& cpu = cpus_[static_cast<std::size_t>(c.op == plan::Op::work ? c.resource : runner_of(c).cpu)];
    cpu.gauge.advance(now_);
    const Nanos residence = now_ - strands_[id].since;
    cpu.gauge.granted(residence);
    cpu.gauge.resided(residence);
    if (cpu.first_come.queue.empty()) {
        --cpu.first_come.busy;
        cpu.gauge.busy -= 1;
    } else {
        const StrandId next = cpu.first_come.queue.pop_front(strands_.waits());
        cpu.gauge.queue -= 1;
        const Strand& n = strands_[next];
        const Nanos demand = draw(code_of(n), n);
        cpu.gauge.waited_minus(static_cast<double>(demand));
        push_timed(next, now_ + demand, -1);
    }
    timed_wait_over(id);
}

/// Work or a delay has ended: the strand goes on, at once when it still has its place to run.
inline void Interpreter::timed_wait_over(StrandId id) {
    Strand& s = strands_[id];
    const Code& c = code_[s.pc];
    if (s.state == State::free) return;
    if (s.state != State::timed) { // a session that starts
        advance(id);
        return;
    }
    moving_ -= c.session ? 0 : 1;
    if ((s.flags & kPaying) != 0) {
        advance(id);
        return;
    }
    book(s, c.stage);
    if ((s.flags & kCutShort) != 0) {
        s.flags &= static_cast<std::uint16_t>(~kCutShort);
        s.pc = static_cast<std::uint16_t>(c.on_failure);
    } else {
        ++s.pc;
    }
    if (c.own_cpu || !c.limited)
        advance(id);
    else
        end_wait(id, c);
}

// ---------------------------------------------------------------- delay

/// A back-off grows with its counter; a draw beyond the time-out waits for that only, and fails.
Nanos Interpreter::scaled_delay(Strand& s, const Code& c, Nanos time) const {
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
    push_timed(id, now_ + time, c.ring);
    begin_wait(s, c);
    return true;
}

// ---------------------------------------------------------------- permits

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
bool Interpreter::retry(StrandId id, const Code& c) {
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
void Interpreter::wake_to_retry(StrandId id) {
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

// ---------------------------------------------------------------- fork, join, end

/// The key of the strand that this fork starts; one that can be undone, for inlined requests.
constexpr std::uint64_t child_salt(const Code& c) {
    return c.step * 0x9fb21c651e98df25ULL;
}

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
    s.row = take_stage_row();
    if (stages_ > 0) stage_times_[static_cast<std::size_t>(s.row) * stages_] = static_cast<float>(now_ - s.sent);
    if (!code_[s.pc].limited) return false;
    if (begin(id, runner_of(code_[s.pc]))) return true;
    become_session(s, plan::Outcome::refused);
    return false;
}

/// The inlined request has ended: records its answer, and the session goes on at its join.
inline void Interpreter::become_session(Strand& s, plan::Outcome outcome) {
    --server_alive_;
    --in_flight_;
    recorder_.answered(now_ - s.sent, lowered_.endpoint[static_cast<std::size_t>(code_[s.pc].program)], outcome,
                       {stage_times_.data() + static_cast<std::size_t>(s.row) * stages_, stages_});
    free_stage_row(s);
    if (s.children != 0) { // what it started and did not wait for runs on alone
        ++s.generation;
        s.children = 0;
    }
    s.flags = 0;
    s.counters = s.session_counters;
    s.outcome = outcome;
    s.debt = 0;
    s.key -= child_salt(code_[lowered_.inlined_fork]);
    s.pc = static_cast<std::uint16_t>(lowered_.inlined_fork + 1);
}

inline void Interpreter::spawn(StrandId parent, const LoweredChild& child, std::uint64_t key) {
    const StrandId id = strands_.allocate();
    if (id > kMaxPayload)
        throw std::runtime_error("more than 16.7 million strands at once: the load outgrows any queue");
    Strand& s = strands_[id];
    Strand& p = strands_[parent];
    const RunnerState& parents = runner_of(code_[p.pc]);
    s.pc = static_cast<std::uint16_t>(child.entry);
    s.parent = parent;
    s.parent_generation = p.generation;
    s.key = key;
    s.loop = p.loop;
    s.since = now_;
    if (!parents.limited() && p.children == 0) p.debt = id;
    ++p.children;
    ++server_alive_;
    if (lowered_.endpoint[static_cast<std::size_t>(child.program)] >= 0) {
        s.row = take_stage_row();
        if (stages_ > 0) stage_times_[static_cast<std::size_t>(s.row) * stages_] = static_cast<float>(now_ - p.sent);
    }
    RunnerState& r = runners_[static_cast<std::size_t>(lowered_.runner[static_cast<std::size_t>(child.program)])];
    if (!begin(id, r)) notify_and_free(id, plan::Outcome::refused);
}

inline void Interpreter::free_stage_row(Strand& s) {
    stage_times_[static_cast<std::size_t>(s.row) * std::max<std::size_t>(stages_, 1)] = std::bit_cast<float>(free_row_);
    free_row_ = s.row;
    s.row = -1;
}

inline std::int32_t Interpreter::take_stage_row() {
    if (free_row_ < 0) {
        stage_times_.resize(stage_times_.size() + std::max<std::size_t>(stages_, 1));
        return rows_++;
    }
    const std::int32_t row = free_row_;
    const std::size_t width = std::max<std::size_t>(stages_, 1);
    float* times = &stage_times_[static_cast<std::size_t>(row) * width];
    free_row_ = std::bit_cast<std::int32_t>(times[0]); // a free row's first cell links the next
    std::fill_n(times, width, 0.0F);
    return row;
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
    if (r.limited() && s.debt > 0 && (s.flags & kPaying) == 0) {
        s.flags |= kPaying;
        CpuState& cpu = cpus_[static_cast<std::size_t>(r.cpu)];
        s.state = State::timed;
        s.since = now_;
        ++moving_;
        cpu.gauge.advance(now_);
        serve(id, cpu, std::exchange(s.debt, 0));
        return true;
    }
    if (s.gift >= 0) release(s.gift);
    const bool session = c.session;
    if (c.limited) {
        --r.alive;
        leave(s, r);
    }
    if ((s.flags & kInlined) != 0) {
        become_session(s, outcome);
        return false;
    }
    if (session) {
        --arrivals_.active;
        strands_.release(id);
        if (end_ == 0 && arrivals_.active == 0 && !load_scheduled_) over_ = true;
        return true;
    }
    notify_and_free(id, outcome);
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
        recorder_.answered(now_ - p.sent, endpoint, outcome,
                           {stage_times_.data() + static_cast<std::size_t>(s.row) * stages_, stages_});
    }
    if (s.row >= 0) free_stage_row(strands_[id]);
    strands_.release(id);
    if (!wanted) return;
    if (outcome != plan::Outcome::ok) p.outcome = outcome;
    if (--p.children != 0 || p.state != State::joining) return;
    const Code& c = code_[p.pc];
    if ((p.flags & kTimer) != 0) remove_timer(parent, c.timeout_queue);
    book(p, c.stage);
    joined(p, c);
    end_wait(parent, c);
}

// ---------------------------------------------------------------- control

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

// ---------------------------------------------------------------- time-outs

void Interpreter::add_timer(StrandId id, std::int16_t index) {
    TimeoutQueue& q = timeouts_[static_cast<std::size_t>(index)];
    const bool first = q.list.empty();
    q.list.push_back(strands_.timers(), id);
    strands_[id].flags |= kTimer;
    server_timers_ += code_of(strands_[id]).session ? 0 : 1;
    if (first) update_timer_slot(q);
}

void Interpreter::remove_timer(StrandId id, std::int16_t index) {
    TimeoutQueue& q = timeouts_[static_cast<std::size_t>(index)];
    const bool first = q.list.front() == id;
    q.list.remove(strands_.timers(), id);
    strands_[id].flags &= static_cast<std::uint16_t>(~kTimer);
    server_timers_ -= code_of(strands_[id]).session ? 0 : 1;
    if (first) update_timer_slot(q);
}

void Interpreter::update_timer_slot(TimeoutQueue& q) {
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
StrandId Interpreter::heir(StrandId parent) const {
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

void Interpreter::timeout_fired(std::size_t index) {
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

// ---------------------------------------------------------------- workers

/// The strand stops running and waits: what becomes of its worker.
inline void Interpreter::begin_wait(Strand& s, const Code& c) {
    if (!c.limited) return;
    RunnerState& r = runner_of(c);
    if (c.waiting == plan::Waiting::park) {
        leave(s, r);
        return;
    }
    r.gauge.advance_runner(now_);
    r.gauge.occupied += 1;
    r.gauge.pinned += c.pinned ? 1.0 : 0.0;
    if (c.waiting != plan::Waiting::compensate || r.kind != plan::RunnerKind::carriers) return;
    const auto answer = r.carriers.compensate();
    if (answer == plan::Carriers::Compensation::none) return;
    s.flags |= kCompensated;
    if (answer == plan::Carriers::Compensation::spare) {
        if (r.queue.empty())
            r.carriers.rest();
        else {
            r.gauge.busy += 1;
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
    r.gauge.advance_runner(now_);
    r.gauge.occupied -= 1;
    r.gauge.pinned -= c.pinned ? 1.0 : 0.0;
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
    if (r.queue_limit >= 0 && r.gauge.busy >= static_cast<double>(r.workers) && r.queue.size() >= r.queue_limit)
        return false;
    s.debt = r.start_cost;
    if (++r.alive > r.peak_alive) r.peak_alive = r.alive;
    enter(id, r);
    return true;
}

/// A strand wants a worker.
inline void Interpreter::enter(StrandId id, RunnerState& r) {
    Strand& s = strands_[id];
    s.since = now_;
    r.gauge.advance_runner(now_);
    bool free = false;
    switch (r.kind) {
    case plan::RunnerKind::threads: free = r.gauge.busy < static_cast<double>(r.workers); break;
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
        r.gauge.busy += 1;
        if (r.kind == plan::RunnerKind::threads && r.gauge.busy > static_cast<double>(r.created)) {
            ++r.created;
            s.debt += r.create_cost;
        }
        mount(id, r);
        return;
    }
    s.state = State::queued;
    if (r.kind != plan::RunnerKind::loops) r.queue.push_back(strands_.waits(), id);
    r.gauge.enqueue();
}

inline void Interpreter::mount(StrandId id, RunnerState& r) {
    Strand& s = strands_[id];
    r.gauge.granted(now_ - s.since);
    if (now_ != s.since) book(s, kRunnerStage);
    s.since = now_;
    s.state = State::ready;
    ready_.push(id);
}

inline void Interpreter::take_next(RunnerState& r) {
    const StrandId next = r.queue.pop_front(strands_.waits());
    r.gauge.queue -= 1;
    mount(next, r);
}

/// A strand gives its worker back; the worker takes the next in line or rests.
inline void Interpreter::leave(const Strand& s, RunnerState& r) {
    r.gauge.advance_runner(now_);
    if (r.kind == plan::RunnerKind::loops) {
        Loop& loop = r.loops[static_cast<std::size_t>(s.loop)];
        if (loop.queue.empty()) {
            loop.busy = false;
            r.gauge.busy -= 1;
            return;
        }
        const StrandId next = loop.queue.pop_front(strands_.waits());
        r.gauge.queue -= 1;
        mount(next, r);
        return;
    }
    if (!r.queue.empty()) {
        take_next(r);
        return;
    }
    r.gauge.busy -= 1;
    if (r.kind == plan::RunnerKind::carriers) r.carriers.rest();
}

} // namespace narrows::engine
