// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as the command line draws them, with plausible figures (not results of a run).
#pragma once

#include "plots/chart.hpp"

namespace narrows::plots::samples {

/// Throughput and p99 of two thread models against users, 100 to 10,000.
Chart order_summary();

/// The same with the event loop, all three close together in one panel.
Chart three_models();

/// Throughput and pending connections against the size of the connection pool.
Chart pool_sweep();

/// Thread models as categories, with wide intervals.
Chart categories();

} // namespace narrows::plots::samples
