// SPDX-License-Identifier: GPL-3.0-or-later
// An approximation where requests hold one thing while they wait for another (a thread while waiting for a
// connection, a connection while waiting for a carrier): the method of layers (J. A. Rolia, K. C. Sevcik, "The
// method of layers", IEEE Trans. Software Eng. 21(8), 1995) with surrogate delays (P. A. Jacobson, E. D. Lazowska,
// "Analyzing queueing networks with simultaneous resource possession", Comm. ACM 25(2), 1982).
//
// Each processor, pool and runner is a machine repairman of its own (an M/M/c for open loads): its customers are the
// users, or the places of what encloses it; its service is what is done while it is held, waits inside included;
// the rest of the customer's cycle is its think time. The waits of one are part of the services and think times of
// others, until nothing changes any more.
//
// Valid for mean values in a steady state without time-outs or refusals. Exact where only one of the stations ever
// has a queue and its service is exponential or shared; else each station sees others as if they were independent,
// and holds as if they were exponential, so that it is worst near the knee, where a queue just begins.
#pragma once

#include "analytic/pieces.hpp"

#include <optional>

namespace narrows::analytic {

struct Layered {
    double throughput_rps = 0;
    double response_ms = 0;
    std::vector<double> wait_ms; ///< by Limits: mean wait a visit
    std::vector<double> full;    ///< by Limits: probability that all places are taken
    std::vector<double> stretch; ///< by Plan::cpus: residence / demand
};

/// Closed loads: plan.load.users circle. Open ones: plan.load.rate arrives, taken as Poisson. Nothing when something
/// has no steady state or the iteration does not settle.
[[nodiscard]] std::optional<Layered> layered(const plan::Plan& plan, const Pieces& pieces);

/// How fast n jobs progress together on a processor (plan.hpp).
[[nodiscard]] double progress(const plan::Cpu& cpu, std::int64_t jobs);

} // namespace narrows::analytic
