// SPDX-License-Identifier: GPL-3.0-or-later
// Endpoints of the application that call each other.
#pragma once

#include "scenario/context.hpp"

namespace narrows::scenario {

/// Reports the first call by which an endpoint would call itself for ever, or too deep.
void check_own_calls(const Context& context);

} // namespace narrows::scenario
