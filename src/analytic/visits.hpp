// SPDX-License-Identifier: GPL-3.0-or-later
// How often a program reaches each of its instructions.
#pragma once

#include "plan/plan.hpp"

#include <vector>

namespace narrows::analytic {

/// Mean visits by instruction on the way without failures. For a session: in one cycle, from a `send` to the next.
[[nodiscard]] std::vector<double> visits(const plan::Program& program, bool session);

} // namespace narrows::analytic
