// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic/bounds.hpp"

#include "analytic/visits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace narrows::analytic {

namespace {

using plan::Op;

/// A time that is surely not longer than what it stands for: a constant and at most one random part. A wait that is
/// given up lasts E min(X, limit), which is below min(E X, limit) and needs the law of X, not its mean alone.
struct AtLeast {
    double constant_ns = 0;
    Distribution varying; ///< of those that a program surely passes, the one with the largest mean

    void add(const Distribution& what) {
        if (what.mean() - what.minimum() > varying.mean() - varying.minimum()) {
            constant_ns += varying.minimum();
            varying = what;
        } else {
            constant_ns += what.minimum();
        }
    }
    [[nodiscard]] double minimum() const { return constant_ns + varying.minimum(); }
    [[nodiscard]] double mean_up_to(Nanos limit) const {
        const auto most = static_cast<double>(limit);
        return constant_ns >= most ? most : constant_ns + varying.mean_up_to(most - constant_ns);
    }
};

/// What one pass through a program asks, from its first instruction to its end without failures.
struct Pass {
    std::vector<double> cpu_ns, pool_ns, runner_ns;
    double time_ns = 0; ///< without any queueing
    double think_ns = 0;
    AtLeast least; ///< of time_ns
};

/// Children under way.
struct Forked {
    double time_ns = 0; ///< mean time until the last has ended
    struct Alternative {
        double share;
        AtLeast least;
    };
    std::vector<Alternative> least; ///< one of these
    [[nodiscard]] double mean_up_to(Nanos limit) const {
        double sum = 0;
        for (const auto& one : least)
            sum += one.share * one.least.mean_up_to(limit);
        return sum;
    }
    [[nodiscard]] double minimum() const {
        double shortest = std::numeric_limits<double>::infinity();
        for (const auto& one : least)
            shortest = std::min(shortest, one.least.minimum());
        return least.empty() ? 0 : shortest;
    }
};

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
        Forked forked;
        std::size_t sure_from = 0; // no branch before jumps beyond what stands from here on
        for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
            const auto& in = program.code[pc];
            if (in.op == Op::branch) sure_from = std::max(sure_from, static_cast<std::size_t>(std::max(in.to, 0)));
            if (count[pc] == 0) continue;
            const bool sure = pc >= sure_from;
            double time = 0;
            bool occupies = runner.kind == plan::RunnerKind::threads || in.waiting == plan::Waiting::hold;
            if (in.op == Op::work) {
                time = in.amount.mean();
                if (sure) sum.least.add(in.amount);
                sum.cpu_ns[static_cast<std::size_t>(in.resource)] += count[pc] * time;
                occupies = occupies || in.resource == runner.cpu;
            } else if (in.op == Op::spin) { // takes a worker, but no more of the cpu than there is
                time = in.amount.mean();
                if (sure) sum.least.add(in.amount);
                occupies = true;
            } else if (in.op == Op::delay) {
                time = in.timeout < 0 ? in.amount.mean() : in.amount.mean_up_to(static_cast<double>(in.timeout));
                if (sure && in.timeout < 0) sum.least.add(in.amount);
                if (sure && in.timeout >= 0)
                    sum.least.constant_ns += std::min(in.amount.minimum(), static_cast<double>(in.timeout));
                if (session) sum.think_ns += count[pc] * time;
            } else if (in.op == Op::fork) {
                forked = fork(in, count[pc], sum);
            } else if (in.op == Op::submit) {
                const Forked task = fork(in, count[pc], sum);
                if (in.gives >= 0) sum.pool_ns[static_cast<std::size_t>(in.gives)] += count[pc] * task.time_ns;
                if (!in.detached) forked = task;
            } else if (in.op == Op::join) {
                time = in.timeout >= 0 ? forked.mean_up_to(in.timeout) : forked.time_ns;
                if (sure) add_join(sum.least, forked, in.timeout);
                forked = {};
            }
            sum.time_ns += count[pc] * time;
            for (const int pool : held[pc])
                sum.pool_ns[static_cast<std::size_t>(pool)] += count[pc] * time;
            if (occupies && runner.kind != plan::RunnerKind::unlimited)
                sum.runner_ns[static_cast<std::size_t>(program.runner)] += count[pc] * time;
        }
        return sum;
    }

    static void add_join(AtLeast& least, const Forked& forked, Nanos timeout) {
        const auto limit = timeout < 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(timeout);
        if (forked.least.size() == 1 && timeout < 0) {
            least.constant_ns += forked.least.front().least.constant_ns;
            least.add(forked.least.front().least.varying);
        } else {
            least.constant_ns += std::min(forked.minimum(), limit);
        }
    }

    /// Adds what the children ask; returns how long they take without any queueing.
    Forked fork(const plan::Instruction& in, double count, Pass& sum) {
        Forked out;
        double total_weight = 0, longest = -1;
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
            if (in.choose) {
                out.time_ns += share * p.time_ns;
                out.least.push_back({share, p.least});
            } else if (p.time_ns > longest) { // beside each other: at least as long as the longest on the average
                longest = out.time_ns = p.time_ns;
                out.least = {{1.0, p.least}};
            }
        }
        return out;
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
