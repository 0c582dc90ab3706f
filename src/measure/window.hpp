// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of a run is measured, and whether it may be: warm-up cut, drift, growth.
#pragma once

#include "measure/recording.hpp"

#include <cstddef>
#include <span>

namespace narrows::measure {

struct Window {
    std::size_t first = 0; ///< slices dropped from the beginning; a multiple of kSlicesPerGroup
    bool settled = true;   ///< false: what is left still drifts
    [[nodiscard]] std::size_t first_group() const { return first / kSlicesPerGroup; }
};

/// The cut, the same for all replications: none for finite and for stalled runs; the fixed warm-up,
/// if there is one; else MSER-5 on the slices of throughput and of mean latency, averaged over the
/// replications, the larger of the two, rounded up to a group, not beyond max_warmup. Where MSER-5
/// finds no cut, `settled` still holds unless the rest drifts (see drifts()): the place of a minimum
/// among noise is chance, and about one stationary run in twenty has it in its last half.
[[nodiscard]] Window choose_window(std::span<const Recording> replications);

/// Whether a series has a slope: least squares over batches of 5, significant at 99.9 %, and a
/// change of more than 5 % of the mean from end to end.
[[nodiscard]] bool drifts(std::span<const double> series);

/// Simulated time after the cut, seconds; 0 when nothing is left.
[[nodiscard]] double kept_seconds(const Recording& recording, const Window& window);
/// Length of slice i, seconds; the last one may be shorter.
[[nodiscard]] double slice_seconds(const Recording& recording, std::size_t i);

/// How the number of requests in flight changes through the measured part, by groups. Increments of a
/// stable system are negatively correlated, so Student's interval of their mean is cautious.
struct Growth {
    double per_second = 0;    ///< mean
    double at_least = 0;      ///< lower end of the 99 % interval, per second
    double total = 0;         ///< over the measured part, mean over replications
    bool significant = false; ///< at_least > 0
};
[[nodiscard]] Growth growth(std::span<const Recording> replications, const Window& window);

} // namespace narrows::measure
