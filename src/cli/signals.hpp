// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT and SIGTERM: once = stop and keep what is done, twice = at once. A closed pipe is an
// error of write(), not a signal.
#pragma once

#include <atomic>

namespace narrows::cli {

void install_signal_handlers();
/// Fills the places of standard streams that were closed, so that no file of ours gets their number and
/// what is meant for a stream. Reading or writing them fails as before.
void keep_standard_streams_apart();
/// Set by the first signal; what runs looks at it.
[[nodiscard]] const std::atomic<bool>& cancel_flag();

} // namespace narrows::cli
