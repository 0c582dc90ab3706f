// SPDX-License-Identifier: GPL-3.0-or-later
// Throughput and mean response of a plan by formula.
#pragma once

#include "measure/result.hpp"
#include "plan/plan.hpp"

namespace narrows::analytic {

/// By the first that fits:
///   machine repairman  closed; one station has a queue, all else is time
///   exact MVA          closed, product form (product_form.hpp). When the users do not think and one pool of threads
///                      (or permits) runs the whole request, so many as it has places circle inside, always
///   M/M/c, M/G/1       open, Poisson, one station; open product form for more
///   layered MVA        what holds one thing and waits for another (layered.hpp): an approximation
/// A limit that the layered solution finds full for less than 1e-6 of the time counts as never reached.
/// Deterministic, never throws. Precondition: plan::problems(plan) is empty.
[[nodiscard]] measure::Analytic predict(const plan::Plan& plan);

} // namespace narrows::analytic
