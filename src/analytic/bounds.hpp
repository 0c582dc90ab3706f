// SPDX-License-Identifier: GPL-3.0-or-later
// Operational bounds of a plan (P. Denning, J. Buzen, "The operational analysis of queueing network
// models", ACM Comp. Surveys 1978): from service demands and stated delays only, never from
// measured holds, so that they hold whatever the disciplines do.
#pragma once

#include "measure/result.hpp"
#include "plan/plan.hpp"

namespace narrows::analytic {

/// What one request asks of each resource, averaged over endpoints and branches by their
/// probabilities, failures aside.
struct Demands {
    std::vector<double> cpu_ns; ///< by Plan::cpus: work (base demand; switching costs left out, being optional)
    std::vector<double>
        pool_hold_ns; ///< by Plan::pools: least time from grant to release (stated delays + demands while held)
    std::vector<double> runner_hold_ns; ///< by Plan::runners: least time a worker is occupied
    double minimum_response_ns = 0;     ///< no queueing anywhere; parallel branches overlap (longest mean)
    double think_ns = 0;
};
[[nodiscard]] Demands demands(const plan::Plan& plan);

/// All upper bounds on throughput, narrowest first: cores/demand, permits/hold, workers/hold,
/// users/(think + minimum response), the offered rate.
[[nodiscard]] std::vector<measure::Bound> bounds(const plan::Plan& plan);

} // namespace narrows::analytic
