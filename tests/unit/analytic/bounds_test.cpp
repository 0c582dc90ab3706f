// SPDX-License-Identifier: GPL-3.0-or-later
// Waits that are given up: what they last at least, by the law of the wait and not by its mean.
#include "analytic/bounds.hpp"
#include "support/plans.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace narrows::testing {
namespace {

constexpr Nanos kPatience = 10'000'000;

/// A session's request whose own time-out is kPatience: the join of the session gives up then.
plan::Plan given_up(const std::vector<Distribution>& delays) {
    PlanBuilder b;
    for (const auto& delay : delays)
        b.delay(delay);
    auto plan = b.closed(1);
    for (auto& in : plan.programs[static_cast<std::size_t>(plan.load.session)].code)
        if (in.op == plan::Op::join) in.timeout = kPatience;
    return plan;
}

TEST(Bounds, AWaitThatIsGivenUpLastsLessThanItsMeanOrItsLimit) {
    // Exponential of 10 ms, given up at 10 ms: 10 (1 - 1/e) ms.
    const double truth = 10e6 * (1 - std::exp(-1.0));
    EXPECT_NEAR(analytic::demands(given_up({Distribution::exponential(10e6)})).minimum_response_ns, truth, 1);
    PlanBuilder b;
    b.delay(Distribution::exponential(10e6));
    auto plan = b.closed(1);
    for (auto& program : plan.programs)
        for (auto& in : program.code)
            if (in.op == plan::Op::delay && !in.amount.is_zero()) in.timeout = kPatience;
    EXPECT_NEAR(analytic::demands(plan).minimum_response_ns, truth, 1) << "the delay's own time-out";
}

TEST(Bounds, AConstantPartShortensThePatienceForTheRest) {
    const double truth = 4e6 + 10e6 * (1 - std::exp(-0.6));
    EXPECT_NEAR(
        analytic::demands(given_up({Distribution::constant(4e6), Distribution::exponential(10e6)})).minimum_response_ns,
        truth, 1);
    EXPECT_NEAR(analytic::demands(given_up({Distribution::constant(12e6)})).minimum_response_ns, 10e6, 1e-6);
}

/// Of two random parts the bound takes the one with the larger mean and the least of the other: below the truth,
/// E min(X + Y, 10 ms) with both exponential of 5 ms = 10 (1 - 2/e^2), and above what one of them alone lasts.
TEST(Bounds, OfTwoRandomPartsNoMoreThanIsSure) {
    const auto each = Distribution::exponential(5e6);
    const double said = analytic::demands(given_up({each, each})).minimum_response_ns;
    EXPECT_NEAR(said, 5e6 * (1 - std::exp(-2.0)), 1);
    EXPECT_LT(said, 10e6 - 10e6 * 2 * std::exp(-2.0));
}

} // namespace
} // namespace narrows::testing
