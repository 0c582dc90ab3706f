// SPDX-License-Identifier: GPL-3.0-or-later
// The handler: which steps there are, and how each is written.
#pragma once

#include "scenario/table.hpp"

namespace narrows::scenario {

/// A list of steps; ids are given in reading order.
[[nodiscard]] Type<Steps> steps();

/// The key under which a step's plain value stands when it is written as a mapping, e.g. "cpu" for
/// `query: 1ms` = `query: {cpu: 1ms}`; "" when the step has no such form or there is no such step.
[[nodiscard]] std::string step_shorthand(std::string_view word);

} // namespace narrows::scenario
