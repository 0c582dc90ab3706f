// SPDX-License-Identifier: GPL-3.0-or-later
// A point over time.
#include "engine/events.hpp"
#include "experiment/experiment.hpp"
#include "experiment/point.hpp"

#include <algorithm>

namespace narrows::experiment {

namespace {

/// The least of 1, 2, 5 times a power of ten (ns) that makes at most 120 points of `length`.
Nanos nice_step(double length) {
    constexpr double kPoints = 120;
    for (Nanos decade = 1;; decade *= 10)
        for (const Nanos times : {1, 2, 5})
            if (static_cast<double>(times * decade) * kPoints >= length) return times * decade;
}

} // namespace

measure::Series series(const scenario::Scenario& scenario, scenario::Threads threads, const measure::Result& result,
                       Nanos step, const Options& options) {
    const auto plan = models::compile(scenario, threads);
    auto how = engine_options(scenario, 0, options.cancel);
    how.series_step = step > 0 ? step : nice_step((result.warmup_ms + result.measured_ms) * 1e6);
    auto recording = engine::run(plan, how);
    if (recording.cancelled) throw Interrupted();
    return std::move(*recording.series);
}

} // namespace narrows::experiment
