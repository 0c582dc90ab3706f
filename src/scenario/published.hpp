// SPDX-License-Identifier: GPL-3.0-or-later
// published: figures to compare with.
#pragma once

#include "scenario/table.hpp"

namespace narrows::scenario {

[[nodiscard]] Type<Published> published();

} // namespace narrows::scenario
