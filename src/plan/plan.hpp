// SPDX-License-Identifier: GPL-3.0-or-later
// The plan: resources, short programs and a load, as plain data. A thread model is a compiler from
// Scenario to Plan; an engine is an interpreter of plans. Nothing here knows Java, and nothing in
// an engine does either.
//
// A program is run by a *strand*. A session (a client and its connection), a request on the
// server, a child of `parallel` and the far side of a call with a time-out are all strands. A
// strand runs on a *runner*; what becomes of its place there while it waits is said by each
// instruction's Waiting, and that is the whole difference between the thread models:
//   hold        it keeps its thread, carrier or loop
//   park        it gives it back and queues for one again before the next instruction
//   compensate  it keeps it and asks the runner for a spare one (JDK ForkJoinPool.tryCompensate)
#pragma once

#include "random/distribution.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace narrows::plan {

enum class Waiting : std::uint8_t { hold, park, compensate };

/// Who ends a wait; carriers with two levels of run queues put a parked strand into another queue for each.
///   waker    the strand that released, ended or signalled: the queue of the carrier that it runs on
///   outside  a thread that is no carrier: a timer, the JVM's unblocker
///   socket   data has come: a poller, or a thread outside where the runner has no pollers
enum class Wake : std::uint8_t { waker, outside, socket };

/// How a request ended, as its client sees it.
///   rejected      an executor or a pool took no more: its queue was full
///   circuit_open  a circuit breaker let no call through
enum class Outcome : std::uint8_t { ok, pool_timeout, refused, client_timeout, call_timeout, rejected, circuit_open };
inline constexpr int kOutcomes = 7;
/// "ok", "pool_timeout", …: the JSON keys.
[[nodiscard]] const char* word(Outcome outcome);

// ------------------------------------------------------------------------------- resources

enum class Sharing : std::uint8_t {
    processor_sharing, ///< n jobs on c cores run at min(1, c/n) each: an operating system's time slices
    fcfs,              ///< c servers, one job each, in order of arrival
};

/// Processors. Speed 1: a demand of 1 ms takes 1 ms when alone.
/// With the Universal Scalability Law (N. Gunther, "Guerrilla Capacity Planning", 2007) n jobs
/// together progress at C(n) = min(n, c) / (1 + alpha (n-1) + beta n (n-1)).
struct Cpu {
    std::string name; ///< "app.cpu", "db.cpu", "enrichment.cpu"
    double cores = 1; ///< may be fractional (quota)
    Sharing sharing = Sharing::processor_sharing;
    double usl_alpha = 0;
    double usl_beta = 0;
    double quota = 0; ///< cores that all its work together may use, averaged over a `period`; 0 = no quota
    Nanos period = 0; ///< when quota * period of CPU time are used, all stops until the period ends
};

/// A heap that a generational collector with a copying young generation cleans (disciplines/collector.hpp has its
/// rules; models/memory.cpp what they are for a JVM). Bytes are doubles.
struct Memory {
    double heap = 0;                     ///< bytes; 0 = nothing is counted, nothing allocates
    double baseline = 0;                 ///< live from start to end
    int cpu = -1;                        ///< index into Plan::cpus: what a pause stops, and where workers compute
    std::int64_t workers = 1;            ///< that share the work of a pause
    std::int64_t concurrent_workers = 0; ///< that mark while strands run; 0 = only in pauses
    double young_least = 0;  ///< share of the heap that is allocated between two young collections, at least
    double young_most = 0;   ///< and at most
    Nanos pause_goal = 0;    ///< the young generation is kept so small that its pauses keep this; 0 = none
    double mark_at = 1;      ///< share of the heap that the old generation has when marking begins
    int mixed = 1;           ///< young collections over which marked garbage is reclaimed
    double copy_rate = 0;    ///< bytes a second that a worker copies
    double mark_rate = 0;    ///< bytes a second that a worker marks
    double compact_rate = 0; ///< bytes a second that a worker marks and moves, in a full collection
    Nanos least_pause = 0;   ///< of any pause
    int worker = -1;         ///< index into Plan::programs: what a concurrent worker runs
    int tier = -1;           ///< index into Plan::tiers: where its CPU time is counted
};

/// How a permit passes on.
///   fifo     the releaser hands it to the longest waiter
///   barging  it is free at once; the head is woken, retries when it runs, and stays head if it
///            loses to a newcomer (java.util.concurrent unfair locks; HotSpot monitors)
///   hikari   the same, but a loser waits again at the tail (HikariCP ConcurrentBag)
enum class Discipline : std::uint8_t { fifo, barging, hikari };

enum class PoolKind : std::uint8_t { connections, datasource, monitor, lock, semaphore, service, user };

/// Permits.
struct Pool {
    std::string name; ///< "tomcat.connections", "hikari", "monitor audit", …
    PoolKind kind = PoolKind::user;
    std::int64_t capacity = 1;
    std::int64_t queue_limit = -1; ///< places to wait; -1 = no limit. A full queue fails the acquire
    Discipline discipline = Discipline::fifo;
    std::int64_t initial = -1; ///< permits at the start, the others by Op::add; -1 = capacity
    /// What the software says when a wait for a permit times out, or when nobody more may wait: kept with the
    /// result. {ms}, {total}, {active}, {idle} and {waiting} stand for figures of that moment; "" = nothing.
    std::string timeout_text{}, full_text{};
};

/// A circuit breaker that counts calls (disciplines/breaker.hpp).
struct Breaker {
    std::string name;
    int window = 100;         ///< the latest calls that count
    int minimum = 100;        ///< calls before the rate is looked at; at most `window`
    double threshold = 0.5;   ///< share of failures from which it opens
    Nanos open = 0;           ///< how long it stays open
    int half_open = 10;       ///< calls that it then tries with
    std::string refusal_text; ///< what the software says when it refuses a call; "" = nothing
    bool operator==(const Breaker&) const = default;
};

enum class RunnerKind : std::uint8_t {
    unlimited, ///< clients, far sides of calls: every strand has a place of its own
    threads,   ///< a pool of OS threads; a strand has one from start to end
    carriers,  ///< ForkJoinPool workers under virtual threads
    loops,     ///< event loops; a strand belongs to one
};

/// What runs strands. Costs are CPU time in nanoseconds on `cpu`, paid with the strand's next
/// work there (or at its end, when no work follows).
struct Runner {
    std::string name; ///< "client", "tomcat.threads", "carriers", "event loops"
    RunnerKind kind = RunnerKind::unlimited;
    std::int64_t workers = 0;      ///< threads, carriers or loops
    std::int64_t max_workers = 0;  ///< carriers: the most that compensation may reach (maxPoolSize)
    std::int64_t min_runnable = 1; ///< carriers: ForkJoinPool minRunnable
    bool two_level = false;   ///< carriers: run queues as ForkJoinPool has them (disciplines/run_queues.hpp); else one
    std::int64_t pollers = 0; ///< carriers, two levels: strands that run `poller` and wake what waits for sockets
    int poller = -1;          ///< index into Plan::programs
    std::int64_t queue_limit = -1; ///< strands that may wait to start; -1 = no limit; more are refused
    std::int64_t core = -1;        ///< threads: beyond these, one more only when the queue is full; -1 = workers
    int cpu = -1;                  ///< index into Plan::cpus; -1 only for unlimited
    Nanos start_cost = 0;          ///< per strand started
    Nanos resume_cost = 0;         ///< per wait that really blocked (a wake-up, a mount)
    Nanos create_cost = 0;         ///< threads: per thread the first time it is used
    Nanos pin_logged = 0;          ///< pins of at least this length are counted (ResourceSlice::pinned_events)
    double create_bytes = 0;       ///< threads: of the heap, per thread from its first use on
};

// ------------------------------------------------------------------------------- programs

enum class Op : std::uint8_t {
    work,       ///< resource = cpu, amount = demand. Waits for it
    guest_work, ///< work with a tier, as an engine lowers it; in no plan
    delay,    ///< amount = time; times factor^counter when factor != 1; timeout >= 0: a longer draw waits `timeout` and
              ///< goes to on_failure
    spin,     ///< resource = cpu: is busy there until `amount` of time has passed, whatever it got of the cpu
    allocate, ///< `bytes` of the heap, of which `live` stay in use until `free`
    free,     ///< gives `live` back to the collector
    collect,  ///< of the collector's workers: waits for concurrent work, and does its part of it
    acquire,  ///< resource = pool; timeout >= 0: then on_failure. A full queue: on_full if >= 0, else on_failure
    release,  ///< resource = pool
    fork,     ///< start `children` (all of them, or with choose = true one by weight); goes on at once
    join, ///< wait until all forked have ended; timeout >= 0: abandons them (their work runs on, and with gives >= 0
          ///< the first of them takes over the permit of pool `gives`) and goes to on_failure. A child that ended other
          ///< than ok: goes to on_child_failure if >= 0
    branch, ///< see Branch
    send,   ///< session: a request begins now; latency counts from here; draws a fresh random key
    answer, ///< session: the request begun by `send` ends with the last child's outcome (outcome = ok) or with
            ///< `outcome`; records it
    poll,   ///< of pollers: waits until sockets of its own are ready, moves all strands that wait for them to the queue
            ///< of the carrier it runs on, and queues behind them
    submit, ///< starts the one child. on_full >= 0: where to go on when its runner refuses it. gives >= 0: the strand's
            ///< permit of that pool becomes the child's, which gives it back at its end. `detached`: nobody waits for
            ///< it
    yield,  ///< goes behind all that wait for a place of its runner; nothing on threads, which the OS shares out
    await,  ///< of daemons: waits until more wait for a permit of pool `resource` than are free, and it is below
            ///< capacity
    add,    ///< of daemons: pool `resource` has one permit more, which goes on as a released one does
    ask,    ///< resource = breaker: goes on when it lets a call through, else at on_full
    tell,   ///< resource = breaker: a call that it let through has ended with `outcome`
    end,    ///< the strand ends with `outcome`
};
[[nodiscard]] const char* word(Op op);

enum class Branch : std::uint8_t {
    always,    ///< go to `to`
    chance,    ///< with `probability` to `to`, else the next instruction
    count,     ///< ++counter; while counter < limit go to `to`; then reset it to 0 and fall through
    more,      ///< session: go to `to` while it has requests left and is not asked to stop
    unclaimed, ///< to `to` while a woken waiter of pool `resource` has not come for its permit, and one is free
};

inline constexpr int kCounters = 4; ///< retry loops may nest this deep

struct Child {
    int program = 0;
    double weight = 1;
    bool operator==(const Child&) const = default;
};

/// One line of a program. Labels are indices into the same program; -1 = none.
struct Instruction {
    Op op = Op::end;
    Waiting waiting = Waiting::hold;
    Wake wake = Wake::waker; ///< park: who wakes it
    bool pinned = false;     ///< a hold that is a pin (counted apart)
    bool choose = false;     ///< fork: one child by weight
    bool detached = false;   ///< submit: the strand does not wait for the child, nor hears how it ended
    int resource = -1;
    Distribution amount;
    Nanos timeout = -1; ///< -1 = none
    int on_failure = -1;
    int on_full = -1;
    int on_child_failure = -1;
    int gives = -1;
    std::vector<Child> children;
    Branch branch = Branch::always;
    int to = -1;
    double probability = 0;
    int counter = 0; ///< branch count, delay with factor: which of kCounters
    int limit = 0;
    double factor = 1;
    double bytes = 0; ///< allocate
    double live = 0;  ///< allocate, free
    int tier = -1;    ///< work: index into Plan::tiers: whose CPU time it is; -1 = its processor's own
    Outcome outcome = Outcome::ok;
    int stage = -1;   ///< index into Plan::stages: where the time spent here is booked
    int step = 0;     ///< name of the random stream; equal across thread models for the same step
    std::string note; ///< for people: "blocks the loop", "captured", …
    std::string what; ///< for people: what a delay is a delay of ("enrichment", "think")
};

struct Program {
    std::string name;  ///< "session", "request", "request.parallel1", …
    int runner = 0;    ///< index into Plan::runners
    int endpoint = -1; ///< a request's: index into Plan::endpoints
    std::vector<Instruction> code;
};

// ------------------------------------------------------------------------------- load

enum class LoadKind : std::uint8_t { closed, open, burst, fixed, stages };

struct LoadStage {
    Nanos length = 0;
    std::int64_t users = 0;
};

/// Who starts sessions. A session's program loops by Branch::more.
struct Load {
    LoadKind kind = LoadKind::closed;
    int session = 0;               ///< program that each session runs
    std::int64_t users = 1;        ///< closed, fixed: sessions
    std::int64_t requests = 0;     ///< burst: sessions, one request each; fixed: total, floor(requests/users) each
    double rate = 0;               ///< open: sessions per second, one request each
    bool poisson = true;           ///< open: exponential gaps, else constant
    bool together = false;         ///< closed, fixed: all start at 0, else spread over `spread`
    Nanos spread = 0;              ///< closed: starts are uniform in [0, spread)
    bool keeps_worker = false;     ///< closed, fixed: a session has one strand on the requests' runner for all of its
                                   ///< requests, which follow one another at once
    std::int64_t start_users = 0;  ///< stages: at time 0
    std::vector<LoadStage> stages; ///< stages: piecewise linear course of the number of sessions
};

struct Plan {
    std::string threads; ///< "platform", "virtual", "event-loop", or "" for a hand-made plan
    std::vector<Cpu> cpus;
    std::vector<Pool> pools;
    std::vector<Runner> runners;
    std::vector<Program> programs;
    std::vector<Breaker> breakers;
    std::vector<int> daemons; ///< programs that run from the start for ever, on unlimited runners; no requests
    std::vector<std::string> endpoints;
    std::vector<std::string> stages; ///< stage names, in the order of the handler
    std::vector<std::string> tiers;  ///< guests on processors that have work of their own: "database", …
    Memory memory;
    Load load;
};

/// Everything wrong with a plan, empty when it can be run: indices out of range, a program that
/// falls off its end, a permit released that is not held or still held at the end, paths that
/// meet with different permits, negative amounts, weights that do not sum.
[[nodiscard]] std::vector<std::string> problems(const Plan& plan);

/// For each instruction of a program the pools (with repetition) that a strand holds when it
/// reaches it. Precondition: problems(plan) is empty.
[[nodiscard]] std::vector<std::vector<int>> holdings(const Plan& plan, int program);

/// True when some program on this runner compensates: then more carriers than `workers` may run.
[[nodiscard]] bool compensates(const Plan& plan, std::size_t runner);

/// Pools that the path to `pc` re-enters are compiled away by the models (Java monitors and
/// ReentrantLock re-enter), so a plan's acquire always takes a permit.

/// The plan as text, the words of design.md: resources, then each program, one instruction a
/// line. Deterministic; used by `narrows plan` and by tests.
[[nodiscard]] std::string text(const Plan& plan);
/// One program's lines, without its header: {"run on  carriers [6]", "work  app.cpu 120us", …}.
[[nodiscard]] std::vector<std::string> program_lines(const Plan& plan, int program);

} // namespace narrows::plan
