// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scenario/problems.hpp"
#include "scenario/tree.hpp"

namespace narrows::scenario {

/// The parts of every service have names of their own, by which results and figures speak of them: adds an error, at
/// its place, for each service or pool under `root` that takes one.
void refuse_reserved_names(const Node& root, Problems& problems);

} // namespace narrows::scenario
