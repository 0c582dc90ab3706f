// SPDX-License-Identifier: GPL-3.0-or-later
// The `events` engine: interprets one plan on our own event calendar.
#pragma once

#include "measure/recording.hpp"
#include "plan/plan.hpp"

#include <atomic>

namespace narrows::engine {

struct Options {
    std::uint64_t seed = 1;
    std::uint64_t replication = 0;
    Nanos warmup = 0;                ///< fixed warm-up; ignored when auto_warmup
    bool auto_warmup = true;         ///< simulates duration/2 more and lets MSER-5 choose the cut within it
    Nanos duration = 20'000'000'000; ///< measured time; burst and fixed loads run to their end instead
    /// > 0: the same run, recorded as Recording::series in steps of this length (10,000 of them at most)
    /// instead of slices and groups.
    Nanos series_step = 0;
    const std::atomic<bool>* cancel = nullptr; ///< looked at every few thousand events
};

/// Runs one replication. Precondition: plan::problems(plan) is empty (checked; throws
/// std::invalid_argument). A cancelled run comes back with Recording::cancelled set.
[[nodiscard]] measure::Recording run(const plan::Plan& plan, const Options& options);

} // namespace narrows::engine
