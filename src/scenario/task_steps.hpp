// SPDX-License-Identifier: GPL-3.0-or-later
// Steps around other steps that are not the handler's own control flow: calls, transactions, tasks on executors,
// circuit breakers.
#pragma once

#include "scenario/types.hpp"

#include "scenario/scenario.hpp"

namespace narrows::scenario {

[[nodiscard]] Type<CallStep> call_step();               ///< a service, or one of the application's own endpoints
[[nodiscard]] Type<TransactionStep> transaction_step(); ///< steps, or {propagation, steps}
[[nodiscard]] Type<AsyncStep> async_step();             ///< steps, or {executor, await, steps}
[[nodiscard]] Type<BreakerStep> breaker_step();         ///< the same settings wherever a name is used

} // namespace narrows::scenario
