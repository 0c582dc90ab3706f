// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/bottleneck.hpp"

#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace narrows::experiment {

namespace {

using measure::ResourceFigures;
using measure::ResourceKind;
using measure::Result;

constexpr double kSaturated = 0.9;
constexpr double kSaturatedFinite = 0.6; ///< loads that end have slack before and after
constexpr double kQueue = 0.5;           ///< a queue that is there more than now and then
constexpr double kReached = 1.15;        ///< a bound is reached when the throughput comes this near
constexpr double kConvoy = 2;            ///< the bound is this many times the throughput

const ResourceFigures* find(const Result& result, const std::string& name) {
    for (const auto& r : result.resources)
        if (r.name == name) return &r;
    return nullptr;
}

double bound_of(const Result& result, const std::string& name) {
    for (const auto& b : result.bounds)
        if (b.resource == name) return b.rps;
    return std::numeric_limits<double>::infinity();
}

const plan::Pool* pool_of(const plan::Plan& plan, const std::string& name) {
    for (const auto& pool : plan.pools)
        if (pool.name == name) return &pool;
    return nullptr;
}

const plan::Runner* runner_of(const plan::Plan& plan, const std::string& name) {
    for (const auto& runner : plan.runners)
        if (runner.name == name) return &runner;
    return nullptr;
}

/// How deep inside a resource lies: what clients hold (connections) is outermost, then the
/// runners, then what a strand on a runner asks for, the deeper the more it holds by then;
/// processors lie inside everything.
std::size_t depth(const plan::Plan& plan, const ResourceFigures& resource) {
    if (resource.kind == ResourceKind::cpu) return 1000;
    if (resource.kind == ResourceKind::runner) return 1;
    std::size_t deepest = 0;
    for (std::size_t p = 0; p < plan.programs.size(); ++p) {
        const auto& program = plan.programs[p];
        if (plan.runners[static_cast<std::size_t>(program.runner)].kind == plan::RunnerKind::unlimited) continue;
        const auto held = plan::holdings(plan, static_cast<int>(p));
        for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
            if (program.code[pc].op != plan::Op::acquire) continue;
            if (plan.pools[static_cast<std::size_t>(program.code[pc].resource)].name == resource.name)
                deepest = std::max(deepest, held[pc].size() + 2);
        }
    }
    return deepest;
}

bool saturated(const ResourceFigures& r, bool finite) {
    if (!(r.capacity > 0)) return false;
    if (r.utilization < (finite ? kSaturatedFinite : kSaturated)) return false;
    return r.queue_mean >= kQueue || r.kind == ResourceKind::cpu;
}

/// The processors under a runner, when it is busy with running rather than with waiting.
const ResourceFigures* processors_under(const plan::Plan& plan, const Result& result, const ResourceFigures& runner) {
    const auto* what = runner_of(plan, runner.name);
    if (what == nullptr || what->cpu < 0) return nullptr;
    if (runner.occupied_mean > 0.1 * runner.busy_mean) return nullptr;
    const auto* cpu = find(result, plan.cpus[static_cast<std::size_t>(what->cpu)].name);
    return cpu != nullptr && cpu->utilization >= 0.85 ? cpu : nullptr;
}

/// Of the saturated resources the one that sets the throughput: one whose own bound is reached (the
/// lowest such bound), else the innermost. Those outside it are full only because what they hold waits
/// further in: widening them moves nothing.
const ResourceFigures* narrowest(const plan::Plan& plan, const Result& result) {
    const bool finite = result.verdict == measure::Verdict::finished;
    const auto binds = [&](double bound) { return bound <= kReached * result.throughput_rps; };
    const ResourceFigures* best = nullptr;
    double best_bound = 0;
    std::size_t best_depth = 0;
    for (const auto& r : result.resources) {
        if (!saturated(r, finite)) continue;
        const double bound = bound_of(result, r.name);
        const std::size_t inside = depth(plan, r);
        bool better = best == nullptr || inside > best_depth;
        if (best != nullptr && (binds(bound) || binds(best_bound))) {
            // Bounds within 0.1 % are the same limit seen from two sides: then the inner one is named.
            const bool lower = bound < best_bound * 0.999, same = !lower && bound <= best_bound * 1.001;
            better = lower || (same && inside > best_depth);
        }
        if (better) {
            best = &r;
            best_bound = bound;
            best_depth = inside;
        }
    }
    return best;
}

const char* worker_of(const plan::Runner& runner) {
    switch (runner.kind) {
    case plan::RunnerKind::carriers: return "carrier";
    case plan::RunnerKind::loops: return "event loop";
    case plan::RunnerKind::threads:
    case plan::RunnerKind::unlimited: break;
    }
    return "thread";
}

/// "one of the 6 carriers", "the only carrier".
std::string one_of(double capacity, std::string_view noun) {
    if (capacity == 1) return fmt::format("the only {}", noun);
    return "one of the " + report::counted(capacity, noun);
}

/// "all 50 connections of hikari", "the 6 cores of app.cpu".
std::string places(const plan::Plan& plan, const ResourceFigures& r) {
    const auto count = report::count(r.capacity);
    const std::string article = r.utilization >= 0.99 && r.capacity > 1 ? "all" : "the";
    if (r.kind == ResourceKind::cpu)
        return r.capacity == 1 ? fmt::format("the core of {}", r.name)
                               : fmt::format("{} {} cores of {}", article, count, r.name);
    if (r.kind == ResourceKind::runner) {
        const auto* runner = runner_of(plan, r.name);
        const bool threads = runner == nullptr || runner->kind == plan::RunnerKind::threads;
        return fmt::format("{} {}{}", article, report::counted(r.capacity, threads ? "thread" : worker_of(*runner)),
                           threads ? " of " + r.name : "");
    }
    const auto* pool = pool_of(plan, r.name);
    const auto kind = pool == nullptr ? plan::PoolKind::user : pool->kind;
    if (r.capacity == 1)
        return kind == plan::PoolKind::datasource ? fmt::format("the one connection of {}", r.name) : r.name;
    const bool connections = kind == plan::PoolKind::datasource || kind == plan::PoolKind::connections;
    const char* noun = connections ? "connections" : kind == plan::PoolKind::service ? "places" : "permits";
    return fmt::format("{} {} {} of {}", article, count, noun, r.name);
}

std::string processors_share(const plan::Plan& plan, const Result& result) {
    for (const auto& runner : plan.runners) {
        if (runner.cpu < 0) continue;
        const auto* cpu = find(result, plan.cpus[static_cast<std::size_t>(runner.cpu)].name);
        if (cpu != nullptr)
            return fmt::format("; the processors ({}) are at {}", cpu->name, report::percent(cpu->utilization));
    }
    return "";
}

/// A pool whose holds are longer than what is done under them: holders wait for a carrier before
/// they can go on and give their permit back.
std::string convoy(const plan::Plan& plan, const Result& result, const ResourceFigures& pool, double bound) {
    if (pool.kind != ResourceKind::pool || !std::isfinite(bound) || bound < kConvoy * result.throughput_rps) return "";
    for (const auto& runner : plan.runners) {
        if (runner.kind != plan::RunnerKind::carriers && runner.kind != plan::RunnerKind::loops) continue;
        const auto* figures = find(result, runner.name);
        if (figures == nullptr || figures->queue_mean < 1) continue;
        const double least_ms = pool.capacity / bound * 1000;
        if (!(pool.hold_ms_mean > least_ms)) continue;
        return fmt::format(
            ". This is a convoy: what is done while one is held would allow {} req/s, but each is held for "
            "{} "
            "instead of {}, because its holder first waits for {} ({} wait) before it can go "
            "on and give it back",
            report::number(bound), report::milliseconds(pool.hold_ms_mean), report::milliseconds(least_ms),
            one_of(figures->capacity, worker_of(runner)), report::number(figures->queue_mean));
    }
    return "";
}

/// Carriers and loops are no more than the cores: who waits for these processors stands in front of those.
std::string queue_before_processors(const plan::Plan& plan, const Result& result, const ResourceFigures& cpu) {
    for (const auto& runner : plan.runners) {
        if (runner.cpu < 0 || plan.cpus[static_cast<std::size_t>(runner.cpu)].name != cpu.name) continue;
        const auto* figures = find(result, runner.name);
        if (figures == nullptr || figures->queue_mean < kQueue) continue;
        return fmt::format(", and {} request{} for {} that run there, {} each on average",
                           report::number(figures->queue_mean), figures->queue_mean == 1 ? " waits" : "s wait",
                           one_of(figures->capacity, worker_of(runner)), report::milliseconds(figures->wait_ms_mean));
    }
    return "";
}

std::string evidence_for(const plan::Plan& plan, const Result& result, const ResourceFigures& r, double bound) {
    const char* verb = r.kind == ResourceKind::cpu ? "busy" : "taken";
    std::string out = fmt::format("{} {} {} {} of the time", places(plan, r), r.capacity == 1 ? "is" : "are", verb,
                                  report::percent(r.utilization));
    if (r.queue_mean >= kQueue) {
        out += fmt::format(", and {} request{} for one", report::number(r.queue_mean),
                           r.queue_mean == 1 ? " waits" : "s wait");
        if (r.kind != ResourceKind::cpu && r.wait_ms_mean > 0)
            out += fmt::format(", {} each on average", report::milliseconds(r.wait_ms_mean));
    }
    if (r.kind == ResourceKind::cpu && r.queue_mean < kQueue) out += queue_before_processors(plan, result, r);
    if (r.kind == ResourceKind::pool && r.hold_ms_mean > 0)
        out += fmt::format("; a holder keeps one for {}", report::milliseconds(r.hold_ms_mean));
    if (r.kind != ResourceKind::cpu) out += processors_share(plan, result);
    return out + convoy(plan, result, r, bound);
}

std::string evidence_of_cpu(const plan::Plan& plan, const ResourceFigures& cpu, const ResourceFigures& runner,
                            double bound) {
    const auto* worker = runner_of(plan, runner.name);
    return fmt::format("{} are busy {} of the time; {} wait for {}, {} each on average, and "
                       "those run rather "
                       "than wait",
                       places(plan, cpu), report::percent(cpu.utilization), report::number(runner.queue_mean),
                       worker == nullptr ? "the " + runner.name : one_of(runner.capacity, worker_of(*worker)),
                       report::milliseconds(runner.wait_ms_mean)) +
           (std::isfinite(bound) ? fmt::format("; the CPU time of a request allows {} req/s", report::number(bound))
                                 : "");
}

std::string busiest(const Result& result) {
    const ResourceFigures* most = nullptr;
    for (const auto& r : result.resources)
        if (r.capacity > 0 && (most == nullptr || r.utilization > most->utilization)) most = &r;
    if (most == nullptr) return "";
    return fmt::format("; the busiest resource, {}, is at {}", most->name, report::percent(most->utilization));
}

std::string evidence_of_load(const plan::Plan& plan, const Result& result) {
    std::string load;
    switch (plan.load.kind) {
    case plan::LoadKind::closed: {
        const double cycle =
            result.throughput_rps > 0 ? static_cast<double>(plan.load.users) / result.throughput_rps * 1000 : 0;
        load = fmt::format("the load itself ({} user{}, one cycle takes {}) sets the throughput",
                           report::whole(static_cast<double>(plan.load.users)), plan.load.users == 1 ? "" : "s",
                           report::milliseconds(cycle));
        break;
    }
    case plan::LoadKind::open:
        load = fmt::format("the load itself ({} requests offered a second) sets the throughput",
                           report::number(plan.load.rate));
        break;
    case plan::LoadKind::burst:
    case plan::LoadKind::fixed:
        load = fmt::format("the load itself ({} requests) is over before anything fills",
                           report::whole(static_cast<double>(plan.load.requests)));
        break;
    case plan::LoadKind::stages: load = "the load itself (its users at each time) sets the throughput"; break;
    }
    return "nothing is saturated: " + load + busiest(result);
}

} // namespace

measure::Bottleneck find_bottleneck(const plan::Plan& plan, const Result& result) {
    measure::Bottleneck out;
    const auto* chosen = narrowest(plan, result);
    if (chosen == nullptr) {
        out.evidence = evidence_of_load(plan, result);
        if (!result.bounds.empty()) out.bound_rps = result.bounds.front().rps;
        return out;
    }
    double bound = bound_of(result, chosen->name);
    if (chosen->kind == ResourceKind::runner) {
        if (const auto* cpu = processors_under(plan, result, *chosen)) {
            bound = bound_of(result, cpu->name);
            out.resource = cpu->name;
            out.bound_rps = std::isfinite(bound) ? bound : 0;
            out.evidence = evidence_of_cpu(plan, *cpu, *chosen, bound);
            return out;
        }
    }
    out.resource = chosen->name;
    out.bound_rps = std::isfinite(bound) ? bound : 0;
    out.evidence = evidence_for(plan, result, *chosen, bound);
    return out;
}

} // namespace narrows::experiment
