// SPDX-License-Identifier: GPL-3.0-or-later
// One point: engine options of a replication, and the Result of its recordings.
#pragma once

#include "engine/events.hpp"
#include "experiment/experiment.hpp"
#include "measure/recording.hpp"

#include <span>

namespace narrows::experiment {

[[nodiscard]] engine::Options engine_options(const scenario::Scenario& scenario, int replication,
                                             const std::atomic<bool>* cancel);

/// Everything but `at` and manifest.settings.
[[nodiscard]] measure::Result make_result(const scenario::Scenario& scenario, scenario::Threads threads,
                                          const plan::Plan& plan, std::span<const measure::Recording> recordings,
                                          const std::vector<std::string>& warnings);

/// Whether more replications can make a result more precise: not when it stalled for ever, when the load is above
/// capacity, or when it drifts (which more replications only show more clearly).
[[nodiscard]] bool worth_more(const measure::Result& result);

/// How near a result of `auto` is to what was asked, at the given look.
[[nodiscard]] measure::Precision precision_of(const measure::Result& result, const scenario::Measure& measure,
                                              int looks);

/// What to say when `auto` replications ended short of the precision.
[[nodiscard]] std::string precision_warning(const measure::Result& result);

} // namespace narrows::experiment
