// SPDX-License-Identifier: GPL-3.0-or-later
// Why the figures are what they are, in words a student understands.
#pragma once

#include "measure/result.hpp"
#include "report/text.hpp"

#include <span>
#include <string>

namespace narrows::report {

/// The bounds and their formulas, which of them binds, where the queue is and why, how Little's
/// law ties the figures together, and what to change next and what binds then.
[[nodiscard]] std::string explain(const measure::Result& result, const Style& style);

/// One sentence over a sweep, e.g. "How the bottleneck moved: platform: from the load itself to
/// tomcat.threads at load.users = 500; virtual: …". Along the first numeric axis, once for each
/// combination of the others. "" when the results have no axis.
[[nodiscard]] std::string how_the_bottleneck_moved(std::span<const measure::Result> results);

} // namespace narrows::report
