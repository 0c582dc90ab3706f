// SPDX-License-Identifier: GPL-3.0-or-later
// What can be wrong with a plan: its resources, each instruction, its load. What can be wrong along its paths is in
// check_flow.cpp.
#include "plan/check_flow.hpp"
#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace narrows::plan {

namespace {

using Problems = std::vector<std::string>;

// ------------------------------------------------------------------------------ distributions

bool at_least_0(double x) {
    return std::isfinite(x) && x >= 0;
}

bool above_0(double x) {
    return std::isfinite(x) && x > 0;
}

constexpr double kWeightSlack = 1e-9; // weights are quotients: their sum is 1 up to rounding

bool valid(const Distribution& d);

bool valid_mixture(const Distribution& d) {
    double sum = 0;
    for (const auto& part : d.parts) {
        if (!at_least_0(part.weight) || !valid(part.what)) return false;
        sum += part.weight;
    }
    return std::abs(sum - 1) <= kWeightSlack;
}

bool valid(const Distribution& d) {
    switch (d.shape) {
    case Shape::constant:
    case Shape::exponential: return at_least_0(d.first);
    case Shape::uniform: return at_least_0(d.first) && std::isfinite(d.second) && d.second >= d.first;
    case Shape::normal: return std::isfinite(d.first) && at_least_0(d.second);
    case Shape::lognormal: return at_least_0(d.first) && at_least_0(d.second);
    case Shape::gamma:
    case Shape::weibull: return at_least_0(d.first) && above_0(d.second);
    case Shape::pareto: return at_least_0(d.first) && std::isfinite(d.second) && d.second > 1;
    case Shape::empirical: return !d.samples.empty() && std::all_of(d.samples.begin(), d.samples.end(), at_least_0);
    case Shape::mixture: return valid_mixture(d);
    }
    return false;
}

// ------------------------------------------------------------------------------ resources

void check_cpus(const Plan& plan, Problems& out) {
    for (const Cpu& cpu : plan.cpus) {
        if (!above_0(cpu.cores)) out.push_back(fmt::format("cpu {}: cores must be above 0", cpu.name));
        if (!at_least_0(cpu.usl_alpha) || !at_least_0(cpu.usl_beta))
            out.push_back(fmt::format("cpu {}: the scalability law's coefficients must be 0 or more", cpu.name));
        if (!at_least_0(cpu.quota) || (cpu.quota > 0 && cpu.period < 1))
            out.push_back(fmt::format("cpu {}: a quota is 0 or more, and has a period", cpu.name));
        if (cpu.quota > 0 && cpu.sharing == Sharing::fcfs)
            out.push_back(fmt::format("cpu {}: first come, first served has no quota", cpu.name));
        if (cpu.sharing == Sharing::fcfs && cpu.cores != std::floor(cpu.cores))
            out.push_back(fmt::format("cpu {}: first come, first served needs whole cores", cpu.name));
    }
}

void check_pools(const Plan& plan, Problems& out) {
    for (const Pool& pool : plan.pools) {
        if (pool.capacity < 1) out.push_back(fmt::format("pool {}: capacity must be 1 or more", pool.name));
        if (pool.queue_limit < -1)
            out.push_back(fmt::format("pool {}: queue limit must be -1 (none) or more", pool.name));
        if (pool.initial < -1 || pool.initial > pool.capacity)
            out.push_back(fmt::format("pool {}: it cannot begin with {} permits", pool.name, pool.initial));
    }
}

void check_breakers(const Plan& plan, Problems& out) {
    for (const Breaker& b : plan.breakers) {
        const auto bad = [&](const char* what) { out.push_back(fmt::format("breaker {}: {}", b.name, what)); };
        if (b.window < 1 || b.minimum < 1 || b.minimum > b.window) bad("needs 1 <= minimum <= window");
        if (!(b.threshold > 0 && b.threshold <= 1)) bad("its threshold must be above 0 and at most 1");
        if (b.half_open < 1) bad("needs at least 1 call to try with");
        if (b.open < 0) bad("a negative time");
    }
}

void check_daemons(const Plan& plan, Problems& out) {
    for (const int program : plan.daemons) {
        const bool fits =
            in(program, plan.programs) && in(plan.programs[static_cast<std::size_t>(program)].runner, plan.runners) &&
            plan.runners[static_cast<std::size_t>(plan.programs[static_cast<std::size_t>(program)].runner)].kind ==
                RunnerKind::unlimited;
        if (!fits) out.emplace_back("a daemon needs a program on an unlimited runner");
    }
}

void check_runner(const Plan& plan, const Runner& r, Problems& out) {
    const auto bad = [&](const char* what) { out.push_back(fmt::format("runner {}: {}", r.name, what)); };
    if (r.pollers != 0) {
        const bool can_poll = r.kind == RunnerKind::carriers && r.two_level && r.pollers > 0 &&
                              std::has_single_bit(static_cast<std::uint64_t>(r.pollers));
        if (!can_poll) bad("pollers, a power of two, are for carriers with two levels of queues");
        if (!in(r.poller, plan.programs)) bad("has pollers, but no program for them");
    }
    const bool limited = r.kind != RunnerKind::unlimited;
    if (limited && r.workers < 1) bad("needs at least 1 worker");
    if (limited && !in(r.cpu, plan.cpus)) bad("its cpu does not exist");
    if (!limited && r.cpu != -1 && !in(r.cpu, plan.cpus)) bad("its cpu does not exist");
    if (r.kind == RunnerKind::carriers) {
        if (r.max_workers < r.workers) bad("max workers must be at least the workers");
        if (r.min_runnable < 1) bad("min runnable must be 1 or more");
    }
    if (r.core < -1 || r.core > r.workers) bad("core must be -1 (all workers) or at most the workers");
    if (r.queue_limit < -1) bad("queue limit must be -1 (none) or more");
    if (r.start_cost < 0 || r.resume_cost < 0 || r.create_cost < 0) bad("costs must be 0 or more");
    if (r.pin_logged < 0) bad("pins have no negative length");
    if (r.cpu == -1 && r.start_cost + r.resume_cost + r.create_cost > 0) bad("costs need a cpu");
}

/// What stands still for a collection or a used-up quota is whoever has a limited runner, so these must all be there.
void check_machine(const Plan& plan, Problems& out) {
    const auto at_home = [&](int cpu) {
        return std::all_of(plan.runners.begin(), plan.runners.end(),
                           [&](const Runner& r) { return r.kind == RunnerKind::unlimited || r.cpu == cpu; });
    };
    int quotas = 0;
    for (std::size_t i = 0; i < plan.cpus.size(); ++i) {
        if (plan.cpus[i].quota <= 0) continue;
        if (++quotas > 1 || !at_home(static_cast<int>(i)))
            out.push_back(
                fmt::format("cpu {}: a quota is for the one that all limited runners use", plan.cpus[i].name));
    }
    const Memory& m = plan.memory;
    if (m.heap == 0) return;
    const bool sizes = above_0(m.heap) && at_least_0(m.baseline) && above_0(m.copy_rate) && above_0(m.mark_rate) &&
                       above_0(m.compact_rate) && at_least_0(m.young_least) && above_0(m.young_most) &&
                       m.young_least <= m.young_most;
    if (!sizes || m.workers < 1 || m.concurrent_workers < 0 || m.mixed < 1 || m.least_pause < 1)
        out.emplace_back("memory: sizes, rates and workers must be above 0");
    if (!in(m.cpu, plan.cpus) || !at_home(m.cpu))
        out.emplace_back("memory: its cpu is the one that all limited runners use");
    else if (plan.cpus[static_cast<std::size_t>(m.cpu)].sharing == Sharing::fcfs)
        out.emplace_back("memory: its cpu must be shared");
    if (m.concurrent_workers > 0 && !in(m.worker, plan.programs))
        out.emplace_back("memory: has no program for workers");
    if (!in(m.tier, plan.tiers)) out.emplace_back("memory: its tier does not exist");
}

// ------------------------------------------------------------------------------ instructions

/// Checks one program's instructions, each on its own.
class InstructionCheck {
public:
    InstructionCheck(const Plan& plan, const Program& program, Problems& out)
        : plan_(plan), program_(program), out_(out) {}

    void run() {
        for (pc_ = 0; in(pc_, program_.code); ++pc_)
            one(program_.code[static_cast<std::size_t>(pc_)]);
    }

private:
    void bad(const std::string& what) { out_.push_back(fmt::format("{}:{}: {}", program_.name, pc_, what)); }

    [[nodiscard]] bool polls() const {
        if (!in(program_.runner, plan_.runners)) return true; // said elsewhere
        const Runner& runner = plan_.runners[static_cast<std::size_t>(program_.runner)];
        return runner.kind == RunnerKind::carriers && runner.two_level && runner.pollers > 0;
    }

    void one(const Instruction& i) {
        labels(i);
        if (i.timeout < -1) bad("a negative time-out");
        if (i.stage != -1 && !in(i.stage, plan_.stages)) bad("its stage does not exist");
        switch (i.op) {
        case Op::work:
            if (!in(i.resource, plan_.cpus)) bad("works on a cpu that does not exist");
            if (!valid(i.amount)) bad("an amount that cannot be drawn");
            if (i.tier != -1 && !in(i.tier, plan_.tiers)) bad("works for a tier that does not exist");
            if (i.tier != -1 && fcfs(i.resource)) bad("a guest on a cpu that is not shared");
            break;
        case Op::guest_work: bad("is not for plans"); break;
        case Op::spin: spin(i); break;
        case Op::allocate:
            if (!at_least_0(i.bytes) || !at_least_0(i.live) || i.live > i.bytes) bad("allocates less than stays");
            [[fallthrough]];
        case Op::free:
            if (plan_.memory.heap <= 0) bad("there is no heap");
            break;
        case Op::collect:
            if (plan_.memory.heap <= 0) bad("there is no heap");
            break;
        case Op::delay: delay(i); break;
        case Op::acquire: acquire(i); break;
        case Op::release:
            if (!in(i.resource, plan_.pools)) bad("releases a pool that does not exist");
            break;
        case Op::fork: fork(i); break;
        case Op::join:
            if (i.timeout >= 0 && i.on_failure < 0) bad("a time-out without a place to go on at");
            if (i.gives != -1 && !in(i.gives, plan_.pools)) bad("gives a permit of a pool that does not exist");
            break;
        case Op::branch: branch(i); break;
        case Op::poll:
            if (!polls()) bad("polls, but its runner has no pollers");
            break;
        case Op::submit:
            fork(i);
            if (i.children.size() != 1) bad("submits one child, not several");
            if (i.gives != -1 && !in(i.gives, plan_.pools)) bad("gives a permit of a pool that does not exist");
            break;
        case Op::await:
        case Op::add:
            if (!in(i.resource, plan_.pools)) bad("watches a pool that does not exist");
            break;
        case Op::ask:
            if (i.on_full < 0) bad("asks a breaker without a place to go on at");
            [[fallthrough]];
        case Op::tell:
            if (!in(i.resource, plan_.breakers)) bad("a breaker that does not exist");
            break;
        case Op::yield:
        case Op::send:
        case Op::answer:
        case Op::end: break;
        }
    }

    void labels(const Instruction& i) {
        for (const int label : {i.on_failure, i.on_full, i.on_child_failure})
            if (label != -1 && !in(label, program_.code)) bad("a label outside the program");
    }

    [[nodiscard]] bool fcfs(int cpu) const {
        return in(cpu, plan_.cpus) && plan_.cpus[static_cast<std::size_t>(cpu)].sharing == Sharing::fcfs;
    }

    /// It computes, so it needs the processor of its own runner, or a place of its own.
    void spin(const Instruction& i) {
        if (!in(i.resource, plan_.cpus)) return bad("works on a cpu that does not exist");
        if (!valid(i.amount)) bad("an amount that cannot be drawn");
        if (fcfs(i.resource)) bad("spins on a cpu that is not shared");
        const Runner* runner =
            in(program_.runner, plan_.runners) ? &plan_.runners[static_cast<std::size_t>(program_.runner)] : nullptr;
        if (runner != nullptr && runner->kind != RunnerKind::unlimited && runner->cpu != i.resource)
            bad("spins on a cpu that is not its runner's");
    }

    void counter(const Instruction& i) {
        if (i.counter < 0 || i.counter >= kCounters) bad("a counter that does not exist");
    }

    void delay(const Instruction& i) {
        if (!valid(i.amount)) bad("an amount that cannot be drawn");
        if (!at_least_0(i.factor)) bad("a factor that is negative");
        if (i.factor != 1) counter(i);
        if (i.timeout >= 0 && i.on_failure < 0) bad("a time-out without a place to go on at");
    }

    void acquire(const Instruction& i) {
        if (!in(i.resource, plan_.pools)) return bad("acquires from a pool that does not exist");
        if (i.timeout >= 0 && i.on_failure < 0) bad("a time-out without a place to go on at");
        const bool can_be_full = plan_.pools[static_cast<std::size_t>(i.resource)].queue_limit >= 0;
        if (can_be_full && i.on_full < 0 && i.on_failure < 0)
            bad("the queue can be full and there is no place to go on at");
    }

    void fork(const Instruction& i) {
        if (i.children.empty()) bad("forks nothing");
        double sum = 0;
        for (const Child& child : i.children) {
            if (!in(child.program, plan_.programs)) bad("forks a program that does not exist");
            if (!at_least_0(child.weight)) bad("a negative weight");
            sum += child.weight;
        }
        if (i.choose && std::abs(sum - 1) > kWeightSlack) bad("weights that do not sum to 1");
    }

    void branch(const Instruction& i) {
        if (!in(i.to, program_.code)) bad("branches outside the program");
        if (i.branch == Branch::chance && !(i.probability >= 0 && i.probability <= 1))
            bad("a probability outside 0 to 1");
        if (i.branch == Branch::unclaimed && !in(i.resource, plan_.pools)) bad("looks at a pool that does not exist");
        if (i.branch != Branch::count) return;
        counter(i);
        if (i.limit < 1) bad("a limit below 1");
    }

    const Plan& plan_;
    const Program& program_;
    Problems& out_;
    int pc_ = 0;
};

// ------------------------------------------------------------------------------ load

void check_load(const Plan& plan, Problems& out) {
    const Load& load = plan.load;
    if (!in(load.session, plan.programs)) out.emplace_back("load: its session program does not exist");
    if (load.spread < 0) out.emplace_back("load: a negative spread");
    const bool by_users = load.kind == LoadKind::closed || load.kind == LoadKind::fixed;
    if (by_users && load.users < 1) out.emplace_back("load: needs at least 1 user");
    if (load.keeps_worker && !by_users) out.emplace_back("load: only users keep their worker");
    if (load.kind == LoadKind::burst && load.requests < 1) out.emplace_back("load: needs at least 1 request");
    if (load.kind == LoadKind::fixed && load.requests < load.users) out.emplace_back("load: fewer requests than users");
    if (load.kind == LoadKind::open && !above_0(load.rate)) out.emplace_back("load: the rate must be above 0");
    if (load.kind != LoadKind::stages) return;
    if (load.stages.empty()) out.emplace_back("load: needs at least 1 stage");
    if (load.start_users < 0) out.emplace_back("load: a negative number of users");
    for (const LoadStage& stage : load.stages)
        if (stage.length < 0 || stage.users < 0) out.emplace_back("load: a stage with a negative length or users");
}

void check_program(const Plan& plan, const Program& program, Problems& out) {
    if (!in(program.runner, plan.runners)) out.push_back(program.name + ": its runner does not exist");
    if (program.endpoint != -1 && !in(program.endpoint, plan.endpoints))
        out.push_back(program.name + ": its endpoint does not exist");
    if (program.code.empty()) {
        out.push_back(program.name + ": has no instructions");
        return;
    }
    const std::size_t before = out.size();
    InstructionCheck(plan, program, out).run();
    if (out.size() != before) return; // what follows trusts labels and indices
    check_permits(plan, program, out);
    if (has_idle_loop(program)) out.push_back(program.name + ": a loop in which no time can pass");
}

} // namespace

std::vector<std::string> problems(const Plan& plan) {
    Problems out;
    check_cpus(plan, out);
    check_pools(plan, out);
    check_breakers(plan, out);
    check_daemons(plan, out);
    for (const Runner& runner : plan.runners)
        check_runner(plan, runner, out);
    check_machine(plan, out);
    for (const Program& program : plan.programs)
        check_program(plan, program, out);
    check_load(plan, out);
    if (out.empty()) check_fork_loops(plan, out);
    return out;
}

} // namespace narrows::plan
