// SPDX-License-Identifier: GPL-3.0-or-later
// sweep: axes, and the points they make.
#pragma once

#include "scenario/table.hpp"

namespace narrows::scenario {

inline constexpr std::size_t kMaxPoints = 1'000'000;

/// A sweep as written. Values of linspace, logspace and ranges are as computed: an axis of whole
/// numbers rounds them later (round_generated), when its type is known.
struct SweepDraft {
    Sweep sweep;
    std::vector<bool> generated;          ///< by axis
    std::vector<std::vector<Mark>> marks; ///< by axis, of each value as far as known
    int origin = 0;
};

[[nodiscard]] Type<SweepDraft> sweep();

/// Rounds an axis' values to whole numbers and leaves out those that come twice.
void round_generated(std::vector<std::string>& values);

} // namespace narrows::scenario
