// SPDX-License-Identifier: GPL-3.0-or-later
// Open queues: Erlang's formulas, M/M/c, M/G/1. Times in any one unit, rates per that unit.
//   Kleinrock  L. Kleinrock, "Queueing Systems, Volume 1: Theory", 1975, sections 3.5, 3.6, 5.6 and 5.7
#pragma once

#include <cstdint>
#include <functional>

namespace narrows::analytic {

/// Erlang B: the probability that all of c servers offered `a` erlangs are busy when nobody can wait (M/G/c/c,
/// whatever the service's distribution). By the recursion on c, which neither overflows nor cancels.
/// Precondition: servers >= 0, a >= 0.
[[nodiscard]] double erlang_b(std::int64_t servers, double a);

/// Erlang C: the probability that an arrival waits in M/M/c. 1 when a >= servers.
[[nodiscard]] double erlang_c(std::int64_t servers, double a);

/// Mean wait in M/M/c, first come first served; infinite when rate * service >= servers. For one server the mean
/// is also that of processor sharing, whatever the service's distribution.
[[nodiscard]] double mmc_wait(double rate, double service, std::int64_t servers);

/// Mean wait in M/G/1, first come first served (Pollaczek and Khinchine); infinite when rate * service >= 1.
[[nodiscard]] double mg1_wait(double rate, double service, double squared_cv);

/// Mean response time of a station with Poisson arrivals where n jobs together progress at capacity(n) (in
/// services of mean `service`; non-decreasing or not), by its birth-death chain; also of processor sharing with
/// any distribution. Infinite when no steady state is found below a million jobs.
[[nodiscard]] double open_station(double rate, double service, const std::function<double(std::int64_t)>& capacity);

} // namespace narrows::analytic
