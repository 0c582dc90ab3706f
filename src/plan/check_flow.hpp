// SPDX-License-Identifier: GPL-3.0-or-later
// What can be wrong along the paths through a plan; parts of problems(). Precondition of each: labels, pools and
// programs that are named exist.
#pragma once

#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace narrows::plan {

/// Whether there is a value of that index.
template <typename T> bool in(int index, const std::vector<T>& values) {
    return index >= 0 && static_cast<std::size_t>(index) < values.size();
}

/// Adds what is wrong with the permits that `program` takes and releases, as "program:instruction: what".
void check_permits(const Plan& plan, const Program& program, std::vector<std::string>& out);

/// Whether some loop of the program has no instruction that can take time: the clock would never go on.
[[nodiscard]] bool has_idle_loop(const Program& program);

/// Adds each circle of programs that fork each other.
void check_fork_loops(const Plan& plan, std::vector<std::string>& out);

} // namespace narrows::plan
