// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cost.hpp"

#include "analytic/bounds.hpp"
#include "models/compile.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace narrows::cli {

namespace {

/// Seconds a simulated request costs: a guess of the right order, only to say how long something takes.
constexpr double kSecondsPerRequest = 2e-6;

double seconds(Duration duration) {
    return static_cast<double>(duration.count()) * 1e-9;
}

/// Simulated time of a replication.
double simulated_seconds(const scenario::Scenario& s) {
    if (s.load.kind == scenario::LoadKind::stages) {
        double sum = 0;
        for (const auto& stage : s.load.stages)
            sum += seconds(stage.length);
        return sum;
    }
    const double measured = seconds(s.measure.duration);
    return measured + (s.measure.warmup ? seconds(*s.measure.warmup) : measured / 2);
}

/// Events of one pass through a program. Programs do not fork themselves (plan::problems).
double events_of(const plan::Plan& plan, int program) {
    const auto& code = plan.programs[static_cast<std::size_t>(program)].code;
    std::vector<double> reached(code.size() + 1, 0); // how likely; failures and repetitions left out
    reached[0] = 1;
    double events = 0;
    for (std::size_t pc = 0; pc < code.size(); ++pc) {
        const plan::Instruction& i = code[pc];
        double on = reached[pc];
        if (i.op == plan::Op::work || i.op == plan::Op::delay || i.op == plan::Op::spin) events += on;
        for (const plan::Child& child : i.children)
            events += on * (i.choose ? child.weight : 1) * events_of(plan, child.program);
        const bool jumps =
            i.op == plan::Op::branch && (i.branch == plan::Branch::always || i.branch == plan::Branch::chance);
        if (jumps && i.to > static_cast<int>(pc)) {
            const double taken = i.branch == plan::Branch::always ? on : on * i.probability;
            reached[static_cast<std::size_t>(i.to)] += taken;
            on -= taken;
        }
        if (i.op != plan::Op::end) reached[pc + 1] += on;
    }
    return events;
}

} // namespace

Cost& Cost::operator+=(const Cost& other) {
    requests += other.requests;
    events += other.events;
    return *this;
}

double events_per_request(const plan::Plan& plan) {
    return events_of(plan, plan.load.session);
}

Cost cost_of(const scenario::Scenario& scenario, scenario::Threads threads) {
    const double replications = experiment::first_replications(scenario);
    const auto plan = models::compile(scenario, threads);
    double requests = static_cast<double>(scenario.load.requests);
    if (scenario.load.requests == 0) {
        const auto bounds = analytic::bounds(plan);
        const bool known = !bounds.empty() && std::isfinite(bounds.front().rps);
        requests = known ? simulated_seconds(scenario) * bounds.front().rps : 0;
    }
    requests *= replications;
    return {requests, requests * events_per_request(plan)};
}

std::string time_text(double requests, int jobs) {
    const double time = requests * kSecondsPerRequest / jobs;
    if (time < 120) return report::milliseconds(time * 1000);
    return time < 7200 ? fmt::format("{:.0f} min", time / 60) : fmt::format("{:.0f} h", time / 3600);
}

void warn_if_long(Common& common, const Cost& cost) {
    if (cost.events <= kManyEvents) return;
    const int jobs = experiment_options(common, {}).jobs;
    warn(common, fmt::format("this takes long: about {} billion events ({} requests) will be simulated, roughly {} on "
                             "{}; measure.duration and measure.replications decide it",
                             report::number(cost.events * 1e-9), report::whole(cost.requests),
                             time_text(cost.requests, jobs), report::counted(jobs, "thread")));
}

} // namespace narrows::cli
