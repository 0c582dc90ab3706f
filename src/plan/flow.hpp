// SPDX-License-Identifier: GPL-3.0-or-later
// The control flow graph of a program, and what a strand holds along each of its edges.
#pragma once

#include "plan/plan.hpp"

#include <vector>

namespace narrows::plan {

/// One way on from an instruction.
struct Edge {
    int to = -1;
    int takes = -1;   ///< pool whose permit is gained along this edge; -1 = none
    int gives = -1;   ///< pool whose permit is lost along this edge; -1 = none
    bool free = true; ///< takes no time and may be taken any number of times
};

/// The ways on from program.code[pc]; empty for `end`. A failed acquire goes on without its permit;
/// a join that gave up goes on without the permit it gave away; a count up to 1 never jumps. Labels are not
/// checked.
[[nodiscard]] std::vector<Edge> edges(const Program& program, int pc);

} // namespace narrows::plan
