// SPDX-License-Identifier: GPL-3.0-or-later
// Which resource is the narrowest, and the sentence that proves it.
#pragma once

#include "measure/result.hpp"
#include "plan/plan.hpp"

namespace narrows::experiment {

/// Looks at measured utilizations and queues, and at result.bounds (from demands). A resource is
/// saturated when it is in use >= 90 % of the time (>= 60 % for loads that end: their beginning
/// and end are slack) and something queues for it; processors need no queue, since sharing hides
/// it. Of several, the one whose bound is lowest; on a tie (or without bounds) the innermost: the
/// one that others wait for while they hold. Carriers or loops that are busy because they run are
/// told as their processors. resource is "" when nothing is saturated. bound_rps is 0 when the
/// resource has no bound.
[[nodiscard]] measure::Bottleneck find_bottleneck(const plan::Plan& plan, const measure::Result& result);

} // namespace narrows::experiment
