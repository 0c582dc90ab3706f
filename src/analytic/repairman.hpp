// SPDX-License-Identifier: GPL-3.0-or-later
// The machine repairman, M/M/c//N: `customers` think for an exponential time, then need one service of a station
// where n jobs together progress at capacity(n) (L. Kleinrock, "Queueing Systems, Volume 1", 1975, section 3.8).
// Under processor sharing the distribution of the service does not matter, nor ever that of the think time
// (F. P. Kelly, "Reversibility and Stochastic Networks", 1979).
#pragma once

#include <cstdint>
#include <functional>

namespace narrows::analytic {

using Capacity = std::function<double(std::int64_t)>;

struct Repairs {
    double throughput = 0;  ///< services a unit of time
    double response = 0;    ///< mean, waiting included
    double inside = 0;      ///< mean number at the station
    double full = 0;        ///< probability that `servers` or more are at the station
    double utilization = 0; ///< mean of min(n, servers) / servers
};

/// Stationary figures; stable for any size, since the chain's probabilities are scaled on the way.
/// Precondition: customers >= 1, service > 0, think >= 0, servers >= 1.
[[nodiscard]] Repairs repairman(std::int64_t customers, double think, double service, std::int64_t servers,
                                const Capacity& capacity);
/// c servers of speed 1.
[[nodiscard]] Repairs repairman(std::int64_t customers, double think, double service, std::int64_t servers);

} // namespace narrows::analytic
