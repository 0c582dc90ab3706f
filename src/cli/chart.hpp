// SPDX-License-Identifier: GPL-3.0-or-later
// Results of a sweep -> a chart: throughput above, p99 below.
#pragma once

#include "measure/result.hpp"
#include "plots/chart.hpp"
#include "scenario/scenario.hpp"

#include <span>

namespace narrows::cli {

/// One line a thread model (and value of further axes) against the first axis that is a number and
/// varies; interval bands, the lowest bound as a thin line, published points that match, notes
/// where a bottleneck begins. Throws std::invalid_argument when there is nothing to draw against.
[[nodiscard]] plots::Chart make_chart(std::span<const measure::Result> results,
                                      std::span<const scenario::Published> published);

} // namespace narrows::cli
