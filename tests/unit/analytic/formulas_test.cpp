// SPDX-License-Identifier: GPL-3.0-or-later
// Each formula against values worked out by hand, against another algorithm, and at sizes where naive ones fail.
#include "analytic/open_queues.hpp"
#include "analytic/product_form.hpp"
#include "analytic/repairman.hpp"
#include "support/theory.hpp"

#include <gtest/gtest.h>

namespace narrows::analytic {
namespace {

Capacity servers(int c) {
    return [c](std::int64_t n) { return static_cast<double>(std::min<std::int64_t>(n, c)); };
}

TEST(AnalyticOpen, Erlang) {
    EXPECT_NEAR(erlang_b(2, 1), 0.2, 1e-15);      // (1/2) / (1 + 1 + 1/2)
    EXPECT_NEAR(erlang_b(3, 2), 4.0 / 19, 1e-15); // (8/6) / (1 + 2 + 2 + 8/6)
    EXPECT_EQ(erlang_b(0, 5), 1);
    EXPECT_NEAR(erlang_c(1, 0.7), 0.7, 1e-15);
    EXPECT_NEAR(erlang_c(2, 1), 1.0 / 3, 1e-15);
    EXPECT_EQ(erlang_c(2, 2), 1);
    EXPECT_NEAR(mmc_wait(1, 1, 2), 1.0 / 3, 1e-15);
    EXPECT_TRUE(std::isinf(mmc_wait(2, 1, 2)));
    const double many = erlang_b(100'000, 99'000); // no overflow
    EXPECT_GT(many, 0);
    EXPECT_LT(many, 0.001);
}

TEST(AnalyticOpen, PollaczekKhinchine) {
    EXPECT_DOUBLE_EQ(mg1_wait(0.5, 1, 1), 1);   // M/M/1
    EXPECT_DOUBLE_EQ(mg1_wait(0.5, 1, 0), 0.5); // M/D/1: half of it
    EXPECT_DOUBLE_EQ(mg1_wait(0.8, 1, 4), 0.8 * 5 / 0.4);
    EXPECT_TRUE(std::isinf(mg1_wait(1, 1, 1)));
}

TEST(AnalyticOpen, AStationsChainAgreesWithErlangC) {
    for (const int c : {1, 2, 6, 40})
        for (const double load : {0.1, 0.7, 0.99}) {
            const double rate = load * c;
            EXPECT_NEAR(open_station(rate, 1, servers(c)) / (1 + mmc_wait(rate, 1, c)), 1, 1e-10) << c << " " << load;
        }
    EXPECT_TRUE(std::isinf(open_station(2, 1, servers(2))));
}

TEST(AnalyticRepairman, SmallOnesByHandAndLargeOnesAtTheirLimits) {
    EXPECT_NEAR(repairman(2, 1, 1, 1).throughput, 0.8, 1e-15); // p = 1/5, 2/5, 2/5
    EXPECT_NEAR(repairman(2, 1, 1, 1).full, 0.8, 1e-15);
    EXPECT_NEAR(repairman(2, 1, 1, 2).response, 1, 1e-15);
    const auto truth = testing::machine_repairman(20, 8, 1, 2);
    EXPECT_NEAR(repairman(20, 8, 1, 2).throughput, truth.throughput, 1e-12);
    EXPECT_NEAR(repairman(10'000, 0, 100, 200).throughput, 2, 1e-12);       // nobody thinks: 200 / 100
    EXPECT_NEAR(repairman(10'000, 1000, 100, 200).throughput, 2, 1e-9);     // far beyond saturation
    EXPECT_NEAR(repairman(10'000, 1e6, 100, 5000).response, 100, 1e-9);     // far below it
    EXPECT_NEAR(repairman(10'000, 1e6, 100, 200).utilization, 0.005, 1e-6); // X S / c
}

TEST(AnalyticProductForm, AgreesWithExactMeanValueAnalysis) {
    // The recursion keeps its digits as long as no multi-server station saturates by much.
    for (const int users : {1, 2, 7, 25, 60}) {
        const auto truth = testing::exact_mva({{2.5, 3}, {1.8, 2}, {10, 0}, {0.6, 1}}, users, 30);
        const auto got =
            product_form({{30, {}}, {2.5, servers(3)}, {1.8, servers(2)}, {10, {}}, {0.6, servers(1)}}, users);
        EXPECT_NEAR(got.throughput / truth.throughput, 1, 1e-9) << users;
    }
}

/// Mean value analysis of single servers and a delay, which is stable for any number of customers.
double single_servers(const std::vector<double>& demands, double think, int customers) {
    std::vector<double> inside(demands.size(), 0);
    double x = 0;
    for (int n = 1; n <= customers; ++n) {
        double cycle = think;
        for (std::size_t i = 0; i < demands.size(); ++i)
            cycle += demands[i] * (1 + inside[i]);
        x = n / cycle;
        for (std::size_t i = 0; i < demands.size(); ++i)
            inside[i] = x * demands[i] * (1 + inside[i]);
    }
    return x;
}

TEST(AnalyticProductForm, KeepsItsDigitsUpTo10000Users) {
    for (const int users : {100, 1000, 2500, 10'000}) {
        // Two stations that saturate together, the hardest case, and one that never does.
        const auto got = product_form({{100, {}}, {0.02, servers(1)}, {0.02, servers(1)}, {0.001, servers(1)}}, users);
        EXPECT_NEAR(got.throughput / single_servers({0.02, 0.02, 0.001}, 100, users), 1, 1e-9) << users;
        // Several servers: the repairman's chain is another algorithm for the same.
        for (const double demand : {0.01, 0.35, 0.6, 5.0}) {
            const auto one = product_form({{100, {}}, {demand, servers(6)}}, users);
            EXPECT_NEAR(one.throughput / repairman(users, 100, demand, 6).throughput, 1, 1e-9)
                << users << " " << demand;
        }
    }
    // The asymptote of two multi-server stations far beyond saturation.
    EXPECT_NEAR(product_form({{100, {}}, {0.35, servers(6)}, {0.15, servers(4)}}, 10'000).throughput, 6 / 0.35, 1e-6);
}

TEST(AnalyticProductForm, CapacitiesMayFall) {
    // Contention: a station of the universal scalability law alone, so the chain is its own check.
    const Capacity usl = [](std::int64_t n) {
        const auto jobs = static_cast<double>(n);
        return std::min(jobs, 4.0) / (1 + 0.05 * (jobs - 1) + 0.001 * jobs * (jobs - 1));
    };
    const auto got = product_form({{20, {}}, {1, usl}}, 80);
    EXPECT_NEAR(got.throughput / repairman(80, 20, 1, 4, usl).throughput, 1, 1e-10);
    EXPECT_GT(product_form({{20, {}}, {1, usl}}, 40).throughput, got.throughput) << "it is retrograde";
    const auto three = product_form({{20, {}}, {1, usl}, {1e-6, servers(1)}}, 80);
    EXPECT_NEAR(three.throughput / got.throughput, 1, 1e-4);
}

} // namespace
} // namespace narrows::analytic
