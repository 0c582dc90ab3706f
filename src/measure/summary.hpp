// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of one point -> Result: warm-up cut, figures, intervals, stability.
#pragma once

#include "measure/recording.hpp"
#include "measure/result.hpp"

#include <span>

namespace narrows::measure {

/// Merges replications in the order given. Fills every field of Result that follows from
/// recordings: verdict, warm-up, rates, latencies, confidence, outcomes, resources, stages,
/// endpoints, course, peaks. Leaves bottleneck, bounds, memory bytes, manifest and `at` to the
/// caller. `open_load`: an offered rate that is not kept up with (in-flight grows through the
/// measured part) gives Verdict::unstable, and then no mean latency is claimed.
[[nodiscard]] Result summarize(std::span<const Recording> replications, bool open_load);

} // namespace narrows::measure
