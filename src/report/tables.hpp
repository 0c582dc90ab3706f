// SPDX-License-Identifier: GPL-3.0-or-later
// Results as tables for people.
#pragma once

#include "measure/result.hpp"
#include "report/text.hpp"

#include <span>
#include <string>
#include <vector>

namespace narrows::report {

/// One run: figures with intervals, resources, stages, endpoints, bottleneck, warnings.
/// "analytic: exact MVA: 2,084 req/s, mean 960 ms (simulated / analytic 0.9998)"; "" when the result has none.
[[nodiscard]] std::string analytic_line(const measure::Result& result, const Style& style);
[[nodiscard]] std::string run_report(const measure::Result& result, const Style& style);

/// A sweep: one row a point, the thread models beside one another when that fits, else one row a
/// point and model; then how the bottleneck moved. Assumes one scenario.
[[nodiscard]] std::string sweep_table(std::span<const measure::Result> results, const Style& style);

/// Thread models side by side, then what each has `against` the baseline, which is the first result.
[[nodiscard]] std::string comparison_table(std::span<const measure::Result> results, const Style& style);

/// "platform threads", "virtual threads", "event loop".
[[nodiscard]] std::string model_title(std::string_view threads);
/// The bottleneck in a word: a resource, "the load itself", "stalled", "unstable".
[[nodiscard]] std::string bottleneck_word(const measure::Result& result);
/// "13,712 ± 85": the value, and half the width of its interval when there is one.
[[nodiscard]] std::string with_interval(double value, const measure::Result& result, const std::string& key);

} // namespace narrows::report
