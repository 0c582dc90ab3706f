// SPDX-License-Identifier: GPL-3.0-or-later
// What one request does, in pieces: each a demand of a processor, a time, or a queue, with what is held meanwhile.
#pragma once

#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace narrows::analytic {

/// Software resources of a plan: its pools, then its runners.
struct Limits {
    std::vector<std::string> names;
    std::vector<std::int64_t> capacity; ///< -1: none
    std::vector<bool> loses;            ///< turns away when its queue is full
};

struct Piece {
    enum class Kind { work, delay, wait };
    Kind kind = Kind::delay;
    int index = -1;         ///< work: of Plan::cpus; wait: of Limits
    double amount = 0;      ///< work, delay: ms a request; wait: visits a request
    double timeout_ms = -1; ///< wait: given up after this; -1: never
    int after = -1;         ///< wait: only when the visit of this resource, just before, had to wait
    bool thinking = false;  ///< delay between an answer and the next request
    std::vector<bool> held; ///< by Limits
};

/// What a station serves, for judging whether product form allows it.
struct Services {
    std::vector<Distribution> of; ///< the distributions of its visits, costs of switching left out
    bool with_costs = false;
};

struct Pieces {
    Limits limits;
    std::vector<Piece> all;
    std::vector<Services> services; ///< by Plan::cpus
    std::string obstacle;           ///< why no formula speaks of this plan; "" if some may
    bool may_time_out = false;      ///< a delay or a join that ends early for some draws
    double answer_within_ms = -1;   ///< the client's time-out; -1: none
};

/// The pieces of a plan's session, branches by their probabilities, failures aside; costs of switching as work where
/// they are paid. Precondition: plan::problems(plan) is empty.
[[nodiscard]] Pieces pieces(const plan::Plan& plan);

} // namespace narrows::analytic
