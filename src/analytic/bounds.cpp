// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic/bounds.hpp"

#include "analytic/visits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace narrows::analytic {

namespace {

using plan::Op;

/// What one pass through a program asks, from its first instruction to its end without failures.
struct Pass {
    std::vector<double> cpu_ns, pool_ns, runner_ns;
    double time_ns = 0; ///< without any queueing
    double think_ns = 0;
};

/// E[min(X, limit)] or something surely not above it.
double shortest_mean(const Distribution& what, Nanos limit) {
    if (limit < 0) return what.mean();
    return std::min(what.is_constant() ? what.first : what.minimum(), static_cast<double>(limit));
}

class Walker {
public:
    explicit Walker(const plan::Plan& plan)
        : plan_(plan), known_(plan.programs.size()), seen_(plan.programs.size(), false) {}

    const Pass& pass(int program) {
        const auto index = static_cast<std::size_t>(program);
        if (!seen_[index]) {
            seen_[index] = true; // plan::problems() excludes programs that fork themselves
            known_[index] = walk(program);
        }
        return known_[index];
    }

private:
    Pass walk(int index) {
        const auto& program = plan_.programs[static_cast<std::size_t>(index)];
        const bool session = index == plan_.load.session;
        const auto& runner = plan_.runners[static_cast<std::size_t>(program.runner)];
        const auto held = plan::holdings(plan_, index);
        const auto count = visits(program, session);
        Pass sum;
        sum.cpu_ns.assign(plan_.cpus.size(), 0);
        sum.pool_ns.assign(plan_.pools.size(), 0);
        sum.runner_ns.assign(plan_.runners.size(), 0);
        double forked = 0; // the longest of the children under way
        for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
            const auto& in = program.code[pc];
            if (count[pc] == 0) continue;
            double time = 0;
            bool occupies = runner.kind == plan::RunnerKind::threads || in.waiting == plan::Waiting::hold;
            if (in.op == Op::work) {
                time = in.amount.mean();
                sum.cpu_ns[static_cast<std::size_t>(in.resource)] += count[pc] * time;
                occupies = occupies || in.resource == runner.cpu;
            } else if (in.op == Op::spin) { // takes a worker, but no more of the cpu than there is
                time = in.amount.mean();
                occupies = true;
            } else if (in.op == Op::delay) {
                time = shortest_mean(in.amount, in.timeout);
                if (session) sum.think_ns += count[pc] * time;
            } else if (in.op == Op::fork) {
                forked = fork(in, count[pc], sum);
            } else if (in.op == Op::submit) {
                const double task = fork(in, count[pc], sum);
                if (in.gives >= 0) sum.pool_ns[static_cast<std::size_t>(in.gives)] += count[pc] * task;
                if (!in.detached) forked = task;
            } else if (in.op == Op::join) {
                time = in.timeout >= 0 ? std::min(forked, static_cast<double>(in.timeout)) : forked;
            }
            sum.time_ns += count[pc] * time;
            for (const int pool : held[pc])
                sum.pool_ns[static_cast<std::size_t>(pool)] += count[pc] * time;
            if (occupies && runner.kind != plan::RunnerKind::unlimited)
                sum.runner_ns[static_cast<std::size_t>(program.runner)] += count[pc] * time;
        }
        return sum;
    }

    /// Adds what the children ask; returns the least time until the last has ended.
    double fork(const plan::Instruction& in, double count, Pass& sum) {
        double total_weight = 0, longest = 0;
        for (const auto& child : in.children)
            total_weight += child.weight;
        for (const auto& child : in.children) {
            const Pass& p = pass(child.program);
            const double share = in.choose ? child.weight / total_weight : 1.0;
            for (std::size_t i = 0; i < sum.cpu_ns.size(); ++i)
                sum.cpu_ns[i] += count * share * p.cpu_ns[i];
            for (std::size_t i = 0; i < sum.pool_ns.size(); ++i)
                sum.pool_ns[i] += count * share * p.pool_ns[i];
            for (std::size_t i = 0; i < sum.runner_ns.size(); ++i)
                sum.runner_ns[i] += count * share * p.runner_ns[i];
            longest = in.choose ? longest + share * p.time_ns : std::max(longest, p.time_ns);
        }
        return longest;
    }

    const plan::Plan& plan_;
    std::vector<Pass> known_;
    std::vector<bool> seen_;
};

/// 10.6 -> "10.6", 13700 -> "13,700".
std::string number(double x) {
    if (x < 100) return fmt::format("{:.3g}", x);
    std::string digits = fmt::format("{:.0f}", x);
    for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
        digits.insert(static_cast<std::size_t>(i), ",");
    return digits;
}

std::string per(double capacity, const std::string& things, double ns, double rps) {
    return fmt::format("{} {} / {} = {} req/s", number(capacity), things, duration_text(ns), number(rps));
}

/// The most that n jobs together can progress, for any n, in cores (Universal Scalability Law).
double best_capacity(const plan::Cpu& cpu) {
    if (cpu.quota > 0) return std::min(cpu.quota, cpu.cores);
    double best = 0;
    for (int n = 1; n <= 4096; ++n) {
        const double jobs = n;
        const double capacity =
            std::min(jobs, cpu.cores) / (1 + cpu.usl_alpha * (jobs - 1) + cpu.usl_beta * jobs * (jobs - 1));
        best = std::max(best, capacity);
        if (jobs > cpu.cores && cpu.usl_alpha == 0 && cpu.usl_beta == 0) break;
    }
    return best;
}

const char* permits_called(plan::PoolKind kind) {
    switch (kind) {
    case plan::PoolKind::connections:
    case plan::PoolKind::datasource: return "connections";
    case plan::PoolKind::monitor:
    case plan::PoolKind::lock: return "owner";
    case plan::PoolKind::service: return "calls at once";
    case plan::PoolKind::semaphore:
    case plan::PoolKind::user: break;
    }
    return "permits";
}

} // namespace

Demands demands(const plan::Plan& plan) {
    Walker walker(plan);
    const Pass& cycle = walker.pass(plan.load.session);
    return {.cpu_ns = cycle.cpu_ns,
            .pool_hold_ns = cycle.pool_ns,
            .runner_hold_ns = cycle.runner_ns,
            .minimum_response_ns = cycle.time_ns - cycle.think_ns,
            .think_ns = cycle.think_ns};
}

std::vector<measure::Bound> bounds(const plan::Plan& plan) {
    const Demands d = demands(plan);
    std::vector<measure::Bound> all;
    const auto add = [&](const std::string& name, double capacity, const std::string& things, double ns) {
        if (ns <= 0) return;
        const double rps = capacity * 1e9 / ns;
        all.push_back({name, rps, per(capacity, things, ns, rps)});
    };
    for (std::size_t i = 0; i < plan.cpus.size(); ++i)
        add(plan.cpus[i].name, best_capacity(plan.cpus[i]), "cores", d.cpu_ns[i]);
    for (std::size_t i = 0; i < plan.pools.size(); ++i)
        add(plan.pools[i].name, static_cast<double>(plan.pools[i].capacity), permits_called(plan.pools[i].kind),
            d.pool_hold_ns[i]);
    for (std::size_t i = 0; i < plan.runners.size(); ++i) {
        const auto& runner = plan.runners[i];
        if (runner.kind == plan::RunnerKind::unlimited) continue;
        const auto workers = plan::compensates(plan, i) ? std::max(runner.workers, runner.max_workers) : runner.workers;
        const char* things = runner.kind == plan::RunnerKind::threads    ? "threads"
                             : runner.kind == plan::RunnerKind::carriers ? "carriers"
                                                                         : "loops";
        add(runner.name, static_cast<double>(workers), things, d.runner_hold_ns[i]);
    }
    const auto& load = plan.load;
    double users = 0;
    if (load.kind == plan::LoadKind::closed || load.kind == plan::LoadKind::fixed)
        users = static_cast<double>(load.users);
    if (load.kind == plan::LoadKind::stages) {
        users = static_cast<double>(load.start_users);
        for (const auto& stage : load.stages)
            users = std::max(users, static_cast<double>(stage.users));
    }
    if (users > 0) add("users", users, "users", d.minimum_response_ns + d.think_ns);
    if (load.kind == plan::LoadKind::open)
        all.push_back({"offered load", load.rate, fmt::format("{} req/s are asked for", number(load.rate))});
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.rps < b.rps; });
    return all;
}

} // namespace narrows::analytic
