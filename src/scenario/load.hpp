// SPDX-License-Identifier: GPL-3.0-or-later
// load: and measure:
#pragma once

#include "scenario/table.hpp"

namespace narrows::scenario {

[[nodiscard]] Type<Load> load();
[[nodiscard]] Type<Measure> measure();

} // namespace narrows::scenario
