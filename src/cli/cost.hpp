// SPDX-License-Identifier: GPL-3.0-or-later
// What a run will cost, from its bounds: rough figures, of the right order.
#pragma once

#include "cli/common.hpp"
#include "plan/plan.hpp"

namespace narrows::cli {

/// Requests and events that something will simulate, over all replications.
struct Cost {
    double requests = 0, events = 0;
    Cost& operator+=(const Cost& other);
};

[[nodiscard]] Cost cost_of(const scenario::Scenario& scenario, scenario::Threads threads);

/// Events that a request makes when nothing fails: what takes time, weighted by the chance to come there.
[[nodiscard]] double events_per_request(const plan::Plan& plan);

/// "8.2 min" for `requests` on `jobs` threads.
[[nodiscard]] std::string time_text(double requests, int jobs);

/// Above this many events a run is said beforehand to take long.
inline constexpr double kManyEvents = 2e9;
void warn_if_long(Common& common, const Cost& cost);

} // namespace narrows::cli
