// SPDX-License-Identifier: GPL-3.0-or-later
// The interpreter of plans: time, strands, resources. A strand's turn (advance) ends when it has
// to wait; an event ends a wait. Strands that can go on at the same instant stand in the ready
// ring, never in the calendar.
#pragma once

#include "engine/calendar.hpp"
#include "engine/events.hpp"
#include "engine/lowering.hpp"
#include "engine/recorder.hpp"
#include "engine/stations.hpp"
#include "engine/strand.hpp"
#include "plan/disciplines/breaker.hpp"
#include "plan/disciplines/collector.hpp"
#include "plan/disciplines/permits.hpp"
#include "plan/disciplines/run_queues.hpp"
#include "plan/disciplines/workers.hpp"

#include <array>
#include <span>
#include <vector>

namespace narrows::engine {

/// First in, first out, of strands that run at this instant.
class ReadyRing {
public:
    [[nodiscard]] bool empty() const { return head_ == tail_; }
    void push(StrandId id) {
        if (tail_ - head_ == ids_.size()) grow();
        ids_[tail_++ & (ids_.size() - 1)] = id;
    }
    StrandId pop() { return ids_[head_++ & (ids_.size() - 1)]; }

private:
    void grow() {
        std::vector<StrandId> larger(ids_.size() * 2);
        for (std::size_t i = head_; i != tail_; ++i)
            larger[i & (larger.size() - 1)] = ids_[i & (ids_.size() - 1)];
        ids_.swap(larger);
    }
    std::vector<StrandId> ids_ = std::vector<StrandId>(64);
    std::size_t head_ = 0, tail_ = 0;
};

class Interpreter {
public:
    Interpreter(const plan::Plan& plan, const Options& options);
    [[nodiscard]] measure::Recording run();

private:
    struct CpuState {
        bool sharing = true;
        ProcessorSharing shared;
        FirstCome first_come;
        CpuGauge gauge;
        double cores = 1;
        std::size_t slot = 0; ///< in calendar_
        unsigned bit = 0;     ///< in stale_cpus_
    };
    struct PoolState {
        plan::Permits permits;
        Gauge gauge;
        std::int64_t most = 0;                                 ///< permits that it may grow to
        StrandId adder = kNobody;                              ///< the daemon that waits for demand
        bool complained_late = false, complained_full = false; ///< that has been put into words
    };
    struct Loop {
        bool busy = false;
        plan::WaitList queue;
    };
    struct RunnerState {
        plan::RunnerKind kind = plan::RunnerKind::unlimited;
        std::int64_t workers = 0;
        std::int64_t open = 0; ///< threads: of the workers, those that it may have while its queue is not full
        std::int64_t queue_limit = -1;
        std::int64_t created = 0; ///< threads that exist
        std::int32_t cpu = -1;
        std::int32_t start_cost = 0, resume_cost = 0, create_cost = 0;
        Nanos pin_logged = 0;
        double create_bytes = 0;
        plan::Carriers carriers;
        plan::RunQueues queues;                    ///< carriers
        plan::WaitList queue;                      ///< threads
        std::vector<plan::WaitList> ready_sockets; ///< by poller: who waits for a socket that is ready
        StrandId first_poller = kNobody;
        Stream scan{StreamKey{}}; ///< where a carrier begins to look for strands
        std::vector<Loop> loops;
        RunnerGauge gauge;
        std::int64_t alive = 0, peak_alive = 0; ///< strands started and not ended
        [[nodiscard]] bool limited() const { return kind != plan::RunnerKind::unlimited; }
    };
    /// Strands by the time at which they run out of patience. Its slot shows no later a time than the first of
    /// them has: most leave before, so the slot is brought up to date only when it comes first.
    struct TimeoutQueue {
        Nanos length = 0;
        plan::WaitList list;
        std::size_t slot = 0;
    };
    struct Arrivals {
        Sampler gap;
        Stream stream{StreamKey{}};
        std::int64_t ordinal = 0; ///< of the next session
        std::size_t stage = 0;    ///< stages: current one
        std::int64_t step = 0;    ///< within it
        Nanos stage_start = 0;
        std::int64_t target = 0; ///< stages: sessions wanted now
        std::int64_t active = 0; ///< sessions alive
    };

    /// CPU time that a processor's strands may use together in each period.
    struct Quota {
        std::int32_t cpu = -1; ///< -1 = none
        std::size_t slot = 0;
        Nanos period = 0, period_end = 0;
        double each = 0;    ///< CPU ns a period
        double carried = 0; ///< plus what the gauge says: CPU ns used in this period
        bool used_up = false;
        std::uint64_t throttled = 0; ///< periods in which it was
    };
    /// interpreter_machine.hpp: what most plans do without.
    struct Machine {
        bool stops_all = false;          ///< something here may make everybody stand still
        std::int64_t stops = 0;          ///< reasons for which everybody does
        std::vector<StrandId> held_back; ///< would run, but stand still
        std::vector<double> tiers;       ///< CPU ns by tier, in this slice
        plan::Collector collector;
        std::vector<plan::Instruction> source; ///< by code position; only where something allocates
        std::vector<std::uint32_t> since;      ///< by strand: when its request and its connection allocated
        measure::HeapSlice heap;
        bool collecting = false;
        std::size_t pause_slot = 0; ///< in calendar_
        StrandId first_worker = kNobody;
        std::int64_t marking_left = 0; ///< workers that still mark
        Nanos marking_each = 0;
        Quota quota;
    };

    // setup.cpp: state from the plan; slices
    void build_machine();
    void add_collector_workers();
    void build_resources();
    void lay_out_slots();

    // load.cpp: who starts sessions
    [[nodiscard]] bool cancelled();
    [[nodiscard]] bool stopped(std::int64_t opened);
    void open_load();
    void start_session(Nanos at, std::int64_t requests);
    void load_event();
    void open_stages();
    void schedule_load(Nanos at);
    void schedule_next_arrival();
    void schedule_next_stage_step();
    [[nodiscard]] bool session_goes_on(Strand& s);

    // knot.cpp: nothing can move
    void report_stall();

    template <bool kStops> void loop();
    void cut_slice();
    [[nodiscard]] std::vector<measure::ResourceSlice> gauge_sums();
    void take_machine_sums();
    [[nodiscard]] std::vector<double> waits_at_the_end() const;

    // interpreter.cpp
    [[nodiscard]] std::size_t earliest();
    [[nodiscard]] bool cut_up_to(std::uint64_t at);
    [[nodiscard]] StrandId fire(std::size_t slot);
    [[nodiscard]] StrandId single_fired();
    void look_up();
    void advance(StrandId id);
    void start_work(StrandId id, const Code& c);
    [[nodiscard]] bool start_spin(StrandId id, const Code& c);
    void spin_ended(Strand& s, CpuState& cpu);
    void start_guest_work(StrandId id, const Code& c);
    void stand_still(std::int32_t cpu, std::int64_t others);
    void let_go(std::int32_t cpu);
    void machine_event(std::size_t slot);
    [[nodiscard]] bool allocate(StrandId id, const Code& c);
    void free_bytes(StrandId id, const Code& c);
    void collect();
    void count_collecting(double cpu_ns);
    void pause_over();
    void collect_turn(StrandId id);
    void quota_event();
    [[nodiscard]] Nanos scaled_delay(Strand& s, const Code& c, Nanos time) const;
    [[nodiscard]] bool start_delay(StrandId id, const Code& c);
    [[nodiscard]] bool acquire(StrandId id, const Code& c);
    [[nodiscard]] bool retry(StrandId id, const Code& c);
    void release(std::int16_t pool);
    void pass_on(PoolState& pool, StrandId woken);
    // interpreter_tasks.hpp: what few plans have
    void submit(StrandId id, const Code& c);
    [[nodiscard]] bool yield(StrandId id, const Code& c);
    [[nodiscard]] bool await(StrandId id, const Code& c);
    void add_permit(Strand& s, const Code& c);
    void wake_adder(PoolState& pool);
    void ask(Strand& s, const Code& c);
    void complain(std::int16_t pool, bool full, Nanos waited);
    [[nodiscard]] bool fork(StrandId id, const Code& c);
    [[nodiscard]] bool become(StrandId id, const LoweredChild& child, std::uint64_t salt);
    void become_session(StrandId id, plan::Outcome outcome);
    [[nodiscard]] StrandId new_strand();
    [[nodiscard]] StrandId born(StrandId parent, const LoweredChild& child, std::uint64_t key);
    void spawn(StrandId parent, const LoweredChild& child, std::uint64_t key);
    [[nodiscard]] bool join(StrandId id, const Code& c);
    void joined(Strand& s, const Code& c);
    [[nodiscard]] StrandId heir(StrandId parent) const;
    void branch(Strand& s, const Code& c);
    void send(Strand& s);
    [[nodiscard]] bool end(StrandId id, plan::Outcome outcome);
    void notify_and_free(StrandId id, plan::Outcome outcome);
    void wake_to_retry(StrandId id);

    [[nodiscard]] StrandId work_ended(std::size_t cpu);
    void first_come_ended(const Strand& s, CpuState& cpu);
    [[nodiscard]] StrandId timed_wait_over(StrandId id);
    void timeout_fired(TimeoutQueue& q);
    [[nodiscard]] bool timeout_due(std::size_t slot);

    void begin_wait(Strand& s, const Code& c);
    void end_wait(StrandId id, const Code& c, bool by_timer = false);
    /// From where a strand comes that wants a worker.
    enum class Origin : std::uint8_t { start, waker, outside, socket, master_poller };
    void enter(StrandId id, RunnerState& r, Origin origin);
    void enter_carriers(StrandId id, RunnerState& r, Origin origin);
    void start_carrier(RunnerState& r);
    void socket_ready(StrandId id, RunnerState& r);
    void poll(StrandId id);
    void add_pollers();
    void add_daemons();
    [[nodiscard]] bool begin(StrandId id, RunnerState& r);
    void leave(const Strand& s, RunnerState& r);
    void mount(StrandId id, RunnerState& r);
    [[nodiscard]] bool take_next(RunnerState& r, std::int32_t carrier);
    void add_timer(StrandId id, std::int16_t queue);
    void remove_timer(StrandId id, std::int16_t queue);
    [[nodiscard]] Key timeout_key(const TimeoutQueue& q) const;
    void touch(CpuState& cpu) { stale_cpus_ |= std::uint64_t{1} << cpu.bit; }
    void refresh_cpus();
    void serve(StrandId id, CpuState& cpu, Nanos demand);
    void push_timed(StrandId id, Nanos at) { calendar_.push(static_cast<std::uint64_t>(at), sequence_++, id); }
    void push_ring(StrandId id, Nanos at, std::int16_t ring);

    [[nodiscard]] Nanos draw(const Code& c, const Strand& s) const;
    [[nodiscard]] static Stream stream(const Code& c, const Strand& s);
    void book(StrandId id, const Strand& s, std::int16_t stage);
    [[nodiscard]] std::span<float> stages_of(StrandId id) {
        return {stage_times_.data() + static_cast<std::size_t>(id) * stages_, stages_};
    }
    void open_stages_of(StrandId id, Nanos sent);
    [[nodiscard]] const Code& code_of(const Strand& s) const { return code_[s.pc]; }
    [[nodiscard]] RunnerState& runner_of(const Code& c) { return runners_[c.runner]; }

    // Hot data first.
    Nanos now_ = 0;
    std::uint64_t sequence_ = 1;
    const Code* code_ = nullptr;
    std::uint64_t horizon_ = 0; ///< the next slice's start or the end of the run
    std::int64_t moving_ = 0;   ///< server strands for which time is passing
    std::int64_t server_alive_ = 0;
    std::int64_t server_timers_ = 0; ///< server strands with a time-out running
    std::int64_t in_flight_ = 0;     ///< requests sent and not answered
    std::uint64_t events_ = 0;
    std::uint64_t spins_ = 0;      ///< steps since time last moved
    StrandId current_ = kNobody;   ///< whose turn it is
    Key next_ = kNever;            ///< the event that earliest() found
    Tournament calendar_;          ///< sources first: rings, shared processors, time-outs, load; then single events
    std::uint64_t stale_cpus_ = 0; ///< processors whose next completion must be worked out anew
    Strands strands_;
    ReadyRing ready_;
    std::vector<KeyRing> rings_;
    std::vector<CpuState> cpus_;
    std::vector<PoolState> pools_;
    std::vector<plan::CircuitBreaker> breakers_;
    std::vector<RunnerState> runners_;
    std::vector<TimeoutQueue> timeouts_;
    std::size_t stages_ = 0;
    std::vector<float> stage_times_; ///< rows of stages_, one a strand; only a request's is read

    const plan::Plan& plan_;
    Options options_;
    Lowered lowered_;
    Recorder recorder_;
    Nanos end_ = 0; ///< 0: ends by itself
    StreamKey root_;
    Arrivals arrivals_;
    bool stalled_ = false;
    bool over_ = false;
    std::size_t first_cpu_ = 0, first_timeout_ = 0, load_slot_ = 0, first_single_ = 0; ///< in calendar_
    Machine machine_;
    bool load_scheduled_ = false;
    std::vector<std::size_t> cpu_of_slot_;
};

} // namespace narrows::engine
