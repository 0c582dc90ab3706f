// SPDX-License-Identifier: GPL-3.0-or-later
// A sweep as the commands sweep and plot run it.
#pragma once

#include "cli/common.hpp"

#include <functional>

namespace narrows::cli {

struct Swept {
    scenario::Scenario scenario; ///< without a point's settings
    experiment::SweepOutcome outcome;
    std::size_t points = 0;
};

/// The tasks after --set and --threads. Says problems; throws Fatal(kUsage).
[[nodiscard]] std::vector<experiment::Task> sweep_tasks(Common& common, const scenario::Settings& settings,
                                                        scenario::Scenario& base);

/// Runs the sweep with progress; says notes, failures and how to go on; sets exit_code.
[[nodiscard]] Swept run_sweep(Common& common, const std::function<void(const measure::Result&)>& on_result);

} // namespace narrows::cli
