// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends requests, and how long a cycle takes when nothing is in its way.
#include "models/mechanisms.hpp"
#include "scenario/mean_time.hpp"

#include <algorithm>
#include <stdexcept>

namespace narrows::models {

namespace {

plan::LoadKind kind(scenario::LoadKind k) {
    switch (k) {
    case scenario::LoadKind::closed: return plan::LoadKind::closed;
    case scenario::LoadKind::open: return plan::LoadKind::open;
    case scenario::LoadKind::burst: return plan::LoadKind::burst;
    case scenario::LoadKind::fixed: return plan::LoadKind::fixed;
    case scenario::LoadKind::stages: return plan::LoadKind::stages;
    }
    return plan::LoadKind::closed;
}

/// Over how long the first requests are spread: a cycle of a user whom nothing hinders and who gives up
/// when her time-out says so. Without the latter, users of a handler that takes hours would not begin
/// to send, and to time out, within the run.
Nanos first_cycle(const scenario::Scenario& scenario) {
    double answer = unhindered_time(scenario);
    if (scenario.load.timeout) answer = std::min(answer, static_cast<double>(scenario.load.timeout->count()));
    constexpr double kCentury = 3.2e18; // a mean can be longer than a run's clock reaches
    return static_cast<Nanos>(std::min(scenario.load.think.mean() + answer, kCentury));
}

} // namespace

double unhindered_time(const scenario::Scenario& scenario, const scenario::Steps& steps) {
    return scenario::mean_time(steps, scenario);
}

double unhindered_time(const scenario::Scenario& scenario) {
    double weights = 0;
    double out = 0;
    for (const auto& endpoint : scenario.endpoints) {
        weights += endpoint.weight;
        out += endpoint.weight * unhindered_time(scenario, endpoint.steps);
    }
    return weights > 0 ? out / weights : 0;
}

plan::Load load(const scenario::Scenario& scenario, int session) {
    const scenario::Load& from = scenario.load;
    const double cycle = from.think.mean() + unhindered_time(scenario);
    const bool repeats = from.kind == scenario::LoadKind::closed || from.kind == scenario::LoadKind::stages;
    if (repeats && !(cycle >= 1))
        throw std::invalid_argument("a request takes no time and its user does not think: no time would pass");
    if (from.kind == scenario::LoadKind::fixed && from.requests < from.users)
        throw std::invalid_argument("load: fewer requests than users would leave each user none");
    plan::Load out;
    out.kind = kind(from.kind);
    out.session = session;
    out.users = from.users;
    out.requests = from.requests;
    out.rate = from.rate;
    out.poisson = from.arrivals == scenario::Arrivals::poisson;
    out.start_users = from.start_users;
    for (const auto& stage : from.stages)
        out.stages.push_back({stage.length.count(), stage.users});
    // hey starts its workers at once; a burst is one by its name.
    out.together = from.start == scenario::Start::together || from.kind == scenario::LoadKind::fixed ||
                   from.kind == scenario::LoadKind::burst;
    out.keeps_worker = from.thread_per == scenario::ThreadPer::user;
    if (from.kind == scenario::LoadKind::closed && !out.together) out.spread = first_cycle(scenario);
    return out;
}

std::optional<std::int64_t> most_clients(const scenario::Load& load) {
    switch (load.kind) {
    case scenario::LoadKind::closed:
    case scenario::LoadKind::fixed: return load.users;
    case scenario::LoadKind::burst: return load.requests;
    case scenario::LoadKind::open: return std::nullopt;
    case scenario::LoadKind::stages: {
        std::int64_t most = load.start_users;
        for (const auto& stage : load.stages)
            most = std::max(most, stage.users);
        return most;
    }
    }
    return std::nullopt;
}

} // namespace narrows::models
