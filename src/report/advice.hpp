// SPDX-License-Identifier: GPL-3.0-or-later
// What to change next, and what that can bring: the end of an explanation.
#pragma once

#include "measure/result.hpp"

#include <string>
#include <vector>

namespace narrows::report {

/// The share of a limit from which on it counts as reached.
inline constexpr double kReached = 0.98;

/// Paragraphs of advice, unwrapped, at least one. They follow from the bounds, the mean queues and the bottleneck of
/// `result`; what is promised of a change is never more than the next bound above the throughput.
[[nodiscard]] std::vector<std::string> advice(const measure::Result& result);

} // namespace narrows::report
