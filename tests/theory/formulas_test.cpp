// SPDX-License-Identifier: GPL-3.0-or-later
// The yardsticks themselves, against values worked out by hand.
#include "support/theory.hpp"

#include <gtest/gtest.h>

namespace narrows::testing {
namespace {

TEST(Formulas, ErlangB) {
    EXPECT_DOUBLE_EQ(erlang_b(1, 1), 0.5);
    EXPECT_NEAR(erlang_b(2, 1), 0.2, 1e-15);      // (1/2) / (1 + 1 + 1/2)
    EXPECT_NEAR(erlang_b(3, 2), 4.0 / 19, 1e-15); // (8/6) / (1 + 2 + 2 + 8/6)
}

TEST(Formulas, ErlangC) {
    EXPECT_DOUBLE_EQ(erlang_c(1, 0.7), 0.7);     // one server: the probability that it is busy
    EXPECT_NEAR(erlang_c(2, 1), 1.0 / 3, 1e-15); // 2 B / (2 - (1 - B)), B = 0.2
    EXPECT_NEAR(erlang_c(3, 2), 4.0 / 9, 1e-15); // 3 B / (3 - 2 (1 - B)), B = 4/19
}

TEST(Formulas, OpenQueues) {
    EXPECT_DOUBLE_EQ(mmc_response(0.5, 1, 1), 2);       // 1 / (mu - lambda)
    EXPECT_NEAR(mmc_response(1, 1, 2), 4.0 / 3, 1e-15); // 1 + (1/3) / (2 - 1)
    EXPECT_DOUBLE_EQ(mg1_response(0.5, 1, 1), 2);       // M/M/1 again
    EXPECT_DOUBLE_EQ(mg1_response(0.5, 1, 0), 1.5);     // M/D/1: half the wait
    EXPECT_DOUBLE_EQ(mg1_response(0.8, 1, 4), 1 + 0.8 * 5 / 0.4);
    EXPECT_DOUBLE_EQ(mg1_ps_response(0.75, 2.0 / 3), 4.0 / 3);
    EXPECT_NEAR(mm1_response_quantile(0.5, 1, 0.5), 2 * 0.69314718055994531, 1e-14);
}

TEST(Formulas, LessVariableArrivals) {
    // E2/M/1 at rate 1/2, mean service 1: (1/(2 - s))^2 = s has the roots 1 and (3 - sqrt 5)/2.
    EXPECT_NEAR(e2m1_response(0.5, 1), 1 / (1 - 0.38196601125010515), 1e-12);
}

TEST(Formulas, FiniteQueues) {
    // M/M/1/2 at equal rates: 0, 1 and 2 inside are equally likely.
    const auto full = mmck(1, 1, 1, 2);
    EXPECT_NEAR(full.lost, 1.0 / 3, 1e-15);
    EXPECT_NEAR(full.response, 1.5, 1e-15);
    EXPECT_NEAR(mmck(2, 1, 3, 3).lost, erlang_b(3, 2), 1e-15);
    // Two machines, up 1, repair 1: p = 1/5, 2/5, 2/5.
    const auto repairs = machine_repairman(2, 1, 1, 1);
    EXPECT_NEAR(repairs.throughput, 0.8, 1e-15);
    EXPECT_NEAR(repairs.response, 1.5, 1e-15);
    EXPECT_NEAR(machine_repairman(2, 1, 1, 2).response, 1, 1e-15); // nobody waits
}

TEST(Formulas, MeanValueAnalysis) {
    // Two equal stations, two customers: each finds half a customer, R = 1.5 twice.
    const auto two = exact_mva({{1, 1}, {1, 1}}, 2, 0);
    EXPECT_NEAR(two.throughput, 2.0 / 3, 1e-15);
    EXPECT_NEAR(two.inside[0], 1, 1e-15);
    // Two servers before one: 0, 1, 2 at the pair with probability 2/5, 2/5, 1/5.
    const auto pair = exact_mva({{1, 2}, {1, 1}}, 2, 0);
    EXPECT_NEAR(pair.throughput, 0.8, 1e-15);
    EXPECT_NEAR(pair.inside[0], 0.8, 1e-15);
}

TEST(Formulas, MeanValueAnalysisAgreesWithTheRepairmanOfThatSize) {
    for (const int servers : {1, 2, 3, 7})
        for (const int n : {1, 2, 5, 20}) {
            const auto mva = exact_mva({{0.3, servers}}, n, 2.0);
            const auto chain = machine_repairman(n, 2.0, 0.3, servers);
            EXPECT_NEAR(mva.throughput, chain.throughput, 1e-12 * chain.throughput) << servers << " " << n;
            EXPECT_NEAR(mva.response, chain.response, 1e-11 * chain.response) << servers << " " << n;
        }
}

} // namespace
} // namespace narrows::testing
