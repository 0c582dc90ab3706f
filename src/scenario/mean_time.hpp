// SPDX-License-Identifier: GPL-3.0-or-later
// How long a handler takes when nothing is in its way.
#pragma once

#include "scenario/scenario.hpp"

namespace narrows::scenario {

/// Mean time of these steps in nanoseconds when nothing queues and nothing fails; parallel branches overlap,
/// and a call ends with its time-out. Infinite when a step calls a service or an endpoint that `scenario` does not
/// have, or an endpoint that calls itself.
[[nodiscard]] double mean_time(const Steps& steps, const Scenario& scenario);

} // namespace narrows::scenario
