// SPDX-License-Identifier: GPL-3.0-or-later
// The series of one scenario's results -> a chart over time.
#pragma once

#include "measure/result.hpp"
#include "plots/chart.hpp"

#include <span>

namespace narrows::cli {

/// Throughput above, p99 below it where any step has one, the queues that ever mattered at the bottom: of each thread
/// model the (at most three) resources with the most waiting on average. Throws std::invalid_argument when no result
/// has a series, or when they are of several points of a sweep.
[[nodiscard]] plots::Chart make_series_chart(std::span<const measure::Result> results);

} // namespace narrows::cli
