// SPDX-License-Identifier: GPL-3.0-or-later
// From a plan to the interpreter's state, and the cutting of slices.
#include "engine/interpreter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace narrows::engine {

namespace {

/// The planned end of a run; 0 for loads that end by themselves.
Nanos planned_end(const plan::Plan& plan, const Options& options) {
    switch (plan.load.kind) {
    case plan::LoadKind::burst:
    case plan::LoadKind::fixed: return 0;
    case plan::LoadKind::stages: {
        Nanos total = 0;
        for (const auto& stage : plan.load.stages)
            total += stage.length;
        return std::max<Nanos>(1, total);
    }
    case plan::LoadKind::closed:
    case plan::LoadKind::open: break;
    }
    const Nanos warmup = options.auto_warmup ? options.duration / 2 : options.warmup;
    return std::max<Nanos>(1, warmup + options.duration);
}

/// Never more jobs than cores: only strands on workers of its own compute here, and there are no more
/// of those (compensation included) than cores. Then nothing is ever shared, and a job's end is known
/// when it starts.
bool never_shared(const plan::Plan& plan, std::size_t cpu) {
    if (plan.cpus[cpu].quota > 0 || (plan.memory.heap > 0 && plan.memory.cpu == static_cast<int>(cpu))) return false;
    if (plan.cpus[cpu].usl_alpha != 0 || plan.cpus[cpu].usl_beta != 0) return false;
    double workers = 0;
    for (std::size_t i = 0; i < plan.runners.size(); ++i) {
        const auto& runner = plan.runners[i];
        if (runner.kind == plan::RunnerKind::unlimited || runner.cpu != static_cast<int>(cpu)) continue;
        workers += static_cast<double>(std::max(runner.workers, plan::compensates(plan, i) ? runner.max_workers : 0));
    }
    const auto foreign = [&](const plan::Program& program) {
        const auto& runner = plan.runners[static_cast<std::size_t>(program.runner)];
        const bool at_home = runner.kind != plan::RunnerKind::unlimited && runner.cpu == static_cast<int>(cpu);
        return !at_home && std::any_of(program.code.begin(), program.code.end(), [&](const plan::Instruction& in) {
            return (in.op == plan::Op::work || in.op == plan::Op::spin) && in.resource == static_cast<int>(cpu);
        });
    };
    return workers <= plan.cpus[cpu].cores && std::none_of(plan.programs.begin(), plan.programs.end(), foreign);
}

/// Streams of runners, far above those of sessions and apart from arrivals'.
constexpr std::uint64_t kScanEntity = (std::uint64_t{1} << 48) + 1;
constexpr std::uint64_t kDaemonEntity = (std::uint64_t{1} << 48) + 1024; ///< runners are fewer

std::int32_t as_cost(Nanos cost) {
    return static_cast<std::int32_t>(std::clamp<Nanos>(cost, 0, 1'000'000'000));
}

} // namespace

Interpreter::Interpreter(const plan::Plan& plan, const Options& options)
    : plan_(plan), options_(options), lowered_(lower(plan)),
      recorder_(plan, planned_end(plan, options), options.series_step), end_(planned_end(plan, options)),
      root_(StreamKey::root(options.seed, options.replication)) {
    code_ = lowered_.code.data();
    stages_ = plan.stages.size();
    build_resources();
    build_machine();
    lay_out_slots();
    add_pollers();
    add_daemons();
    add_collector_workers();
    auto& rec = recorder_.recording;
    rec.staged = plan.load.kind == plan::LoadKind::stages;
    if (rec.staged)
        rec.fixed_warmup = options.auto_warmup ? 0 : options.warmup;
    else if (!options.auto_warmup)
        rec.fixed_warmup = options.warmup;
    rec.max_warmup = options.auto_warmup ? options.duration / 2 : options.warmup;
    if (plan.load.kind == plan::LoadKind::open) rec.offered_rps = plan.load.rate;
}

void Interpreter::build_resources() {
    for (const auto& cpu : plan_.cpus) {
        CpuState state;
        const bool alone = never_shared(plan_, cpus_.size());
        state.sharing = cpu.sharing == plan::Sharing::processor_sharing && !alone;
        state.shared = ProcessorSharing(cpu);
        state.gauge = CpuGauge(cpu.cores);
        state.cores = cpu.cores;
        state.first_come.servers = cpu.sharing == plan::Sharing::fcfs
                                       ? std::max<std::int64_t>(1, std::llround(cpu.cores))
                                       : std::numeric_limits<std::int64_t>::max();
        state.bit = static_cast<unsigned>(cpus_.size());
        cpus_.push_back(std::move(state));
    }
    for (const auto& pool : plan_.pools) {
        const std::int64_t initial = pool.initial >= 0 ? pool.initial : pool.capacity;
        PoolState state;
        state.permits = plan::Permits(initial, pool.queue_limit, pool.discipline);
        state.most = pool.capacity;
        pools_.push_back(std::move(state));
    }
    for (const auto& breaker : plan_.breakers)
        breakers_.emplace_back(breaker);
    for (const auto& runner : plan_.runners) {
        RunnerState state;
        state.kind = runner.kind;
        state.workers = runner.workers;
        state.open = runner.core >= 0 ? runner.core : runner.workers;
        state.queue_limit = runner.queue_limit;
        state.cpu = runner.cpu;
        state.start_cost = as_cost(runner.start_cost);
        state.resume_cost = as_cost(runner.resume_cost);
        state.create_cost = as_cost(runner.create_cost);
        state.pin_logged = runner.pin_logged;
        state.create_bytes = runner.create_bytes;
        state.carriers = plan::Carriers(runner.workers, runner.max_workers, runner.min_runnable);
        state.queues = plan::RunQueues(runner.two_level);
        state.ready_sockets.resize(static_cast<std::size_t>(runner.pollers));
        state.scan = Stream(root_.child(kScanEntity + runners_.size()));
        if (runner.kind == plan::RunnerKind::loops)
            state.loops.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, runner.workers)));
        runners_.push_back(std::move(state));
    }
    rings_.resize(static_cast<std::size_t>(lowered_.rings));
    for (const Nanos length : lowered_.timeouts)
        timeouts_.push_back({length, {}, 0});
}

/// They wait from the start, and do not count among the requests that must get on.
void Interpreter::add_pollers() {
    for (std::size_t i = 0; i < runners_.size(); ++i)
        for (std::size_t n = 0; n < runners_[i].ready_sockets.size(); ++n) {
            const StrandId id = new_strand();
            if (n == 0) runners_[i].first_poller = id;
            Strand& s = strands_[id];
            s.pc = static_cast<std::uint16_t>(lowered_.entry[static_cast<std::size_t>(plan_.runners[i].poller)]);
            s.state = State::waiting;
        }
}

/// They run from the start, and do not count among the requests that must get on either.
void Interpreter::add_daemons() {
    for (std::size_t i = 0; i < plan_.daemons.size(); ++i) {
        const auto program = static_cast<std::size_t>(plan_.daemons[i]);
        const StrandId id = new_strand();
        Strand& s = strands_[id];
        s.key = root_.child(kDaemonEntity + i).value;
        s.pc = static_cast<std::uint16_t>(lowered_.entry[program]);
        s.state = State::ready;
        ready_.push(id);
    }
}

void Interpreter::lay_out_slots() {
    first_cpu_ = rings_.size();
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
        if (!cpus_[i].sharing) continue;
        cpus_[i].slot = first_cpu_ + cpu_of_slot_.size();
        cpu_of_slot_.push_back(i);
    }
    first_timeout_ = first_cpu_ + cpu_of_slot_.size();
    for (std::size_t i = 0; i < timeouts_.size(); ++i)
        timeouts_[i].slot = first_timeout_ + i;
    load_slot_ = first_timeout_ + timeouts_.size();
    first_single_ = load_slot_ + 1;
    if (plan_.memory.heap > 0) machine_.pause_slot = first_single_++;
    if (machine_.quota.cpu >= 0) machine_.quota.slot = first_single_++;
    calendar_ = Tournament(first_single_);
    if (machine_.quota.cpu >= 0) calendar_.set(machine_.quota.slot, make_key(0, sequence_++, 0));
}

/// The heap, the tiers and the quota. Before lay_out_slots().
void Interpreter::build_machine() {
    machine_.tiers.resize(plan_.tiers.size());
    machine_.stops_all = plan_.memory.heap > 0;
    for (std::size_t i = 0; i < plan_.cpus.size(); ++i) {
        const auto& cpu = plan_.cpus[i];
        if (cpu.quota <= 0) continue;
        machine_.stops_all = true;
        machine_.quota.cpu = static_cast<std::int32_t>(i);
        machine_.quota.period = machine_.quota.period_end = cpu.period;
        machine_.quota.each = cpu.quota * static_cast<double>(cpu.period);
    }
    if (plan_.memory.heap <= 0) return;
    machine_.collector = plan::Collector(plan_.memory);
    for (const auto& program : plan_.programs)
        machine_.source.insert(machine_.source.end(), program.code.begin(), program.code.end());
}

/// They wait from the start, as pollers do.
void Interpreter::add_collector_workers() {
    if (plan_.memory.heap <= 0) return;
    for (std::int64_t n = 0; n < plan_.memory.concurrent_workers; ++n) {
        const StrandId id = new_strand();
        if (n == 0) machine_.first_worker = id;
        strands_[id].pc = static_cast<std::uint16_t>(lowered_.entry[static_cast<std::size_t>(plan_.memory.worker)]);
        strands_[id].state = State::waiting;
    }
}

void Interpreter::cut_slice() {
    auto sums = gauge_sums();
    take_machine_sums();
    recorder_.cut(std::move(sums), in_flight_);
}

/// What this slice had of tiers and heap goes to the recorder.
void Interpreter::take_machine_sums() {
    recorder_.slice().tiers = machine_.tiers;
    std::fill(machine_.tiers.begin(), machine_.tiers.end(), 0.0);
    recorder_.slice().heap = std::exchange(machine_.heap, measure::HeapSlice{});
}

/// Ends every gauge's slice; in the order of Recording::resources.
std::vector<measure::ResourceSlice> Interpreter::gauge_sums() {
    std::vector<measure::ResourceSlice> sums;
    sums.reserve(recorder_.recording.resources.size());
    for (auto& cpu : cpus_)
        sums.push_back(cpu.gauge.cut(now_));
    if (machine_.quota.cpu >= 0) machine_.quota.carried += sums[static_cast<std::size_t>(machine_.quota.cpu)].busy;
    for (auto& pool : pools_)
        sums.push_back(pool.gauge.cut(now_));
    for (auto& runner : runners_)
        if (runner.limited()) sums.push_back(runner.gauge.cut(now_));
    return sums;
}

/// Recording::edge. A woken strand has no permit yet, so it waits for its pool still.
std::vector<double> Interpreter::waits_at_the_end() const {
    const std::size_t first_pool = cpus_.size(), first_runner = first_pool + pools_.size();
    std::vector<std::size_t> index_of(runners_.size());
    std::size_t next = first_runner;
    for (std::size_t i = 0; i < runners_.size(); ++i)
        index_of[i] = runners_[i].limited() ? next++ : 0;
    std::vector<double> ages(next, 0.0);
    for (std::size_t i = 0; i < strands_.size(); ++i) {
        const Strand& s = strands_[static_cast<StrandId>(i)];
        if (s.state == State::free) continue;
        const Code& c = code_of(s);
        const auto resource = static_cast<std::size_t>(c.resource);
        const auto since = [&](Nanos start) { return static_cast<double>(now_ - start); };
        if (s.state == State::queued) ages[index_of[c.runner]] += since(s.since);
        const bool works = c.op == plan::Op::work || c.op == plan::Op::guest_work || c.op == plan::Op::spin;
        if (s.state == State::timed && works) ages[resource] += since(s.since);
        if (s.state == State::timed && (c.op == plan::Op::end || c.op == plan::Op::poll))
            ages[static_cast<std::size_t>(runners_[c.runner].cpu)] += since(s.since);
        if (s.state == State::timed && c.op == plan::Op::collect)
            ages[static_cast<std::size_t>(plan_.memory.cpu)] += since(s.since);
        const bool asks = c.op == plan::Op::acquire && (s.state == State::waiting || (s.flags & kWoken) != 0);
        if (asks) ages[first_pool + resource] += since(s.asked);
    }
    return ages;
}

measure::Recording run(const plan::Plan& plan, const Options& options) {
    return Interpreter(plan, options).run();
}

} // namespace narrows::engine
