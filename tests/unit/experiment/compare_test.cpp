// SPDX-License-Identifier: GPL-3.0-or-later
// Thread models against one another.
#include "experiment/experiment.hpp"
#include "scenarios.hpp"

#include <algorithm>
#include <cmath>

namespace narrows::experiment {
namespace {

using scenario::Threads;
using testing::small;
using testing::under;
using testing::with_jobs;

TEST(Compare, IsPairedAndSaysSo) {
    const auto results = compare(small(), {Threads::platform, Threads::virtual_threads}, with_jobs(2));
    ASSERT_EQ(results.size(), 2U);
    EXPECT_TRUE(results[0].against.empty());
    ASSERT_EQ(results[1].against.size(), 2U);
    const auto& ratio = results[1].against[0];
    EXPECT_EQ(ratio.figure, "throughput_rps");
    EXPECT_EQ(ratio.baseline, "platform");
    EXPECT_EQ(ratio.pairs, 3U);
    EXPECT_NEAR(ratio.ratio, results[1].throughput_rps / results[0].throughput_rps, 1e-12);
    ASSERT_TRUE(ratio.interval.has_value());
    // 40 users, 20 threads: virtual threads serve nearly twice as much.
    EXPECT_GT(ratio.interval->low, 1.5);
    EXPECT_TRUE(ratio.differs);
    EXPECT_NE(ratio.verdict.find("times as high"), std::string::npos) << ratio.verdict;
    EXPECT_NE(results[1].against[1].verdict.find(" % lower"), std::string::npos) << results[1].against[1].verdict;
}

TEST(Compare, TheSameModelTwiceDiffersByNothing) {
    const auto results = compare(small(), {Threads::platform, Threads::platform}, with_jobs(2));
    for (const auto& ratio : results[1].against) {
        EXPECT_EQ(ratio.ratio, 1);
        EXPECT_FALSE(ratio.differs);
        EXPECT_EQ(ratio.detectable, 0);
        EXPECT_EQ(ratio.verdict, "no detectable difference");
    }
}

TEST(Against, SaysItTheWayAReaderThinks) {
    const std::vector<double> base{100, 102, 98, 101};
    const auto of = [&](double factor) {
        std::vector<double> other;
        for (const double x : base)
            other.push_back(x * factor * (1 + 1e-4 * x)); // some spread
        return against("p99", "platform", base, other, 100, 100 * factor).verdict;
    };
    EXPECT_EQ(of(6.2), "6.2 times as high");
    EXPECT_EQ(of(1.2), "20 % higher");
    EXPECT_EQ(of(0.8), "20 % lower");
    EXPECT_EQ(of(0.17), "83 % lower (1/5.9)");
    EXPECT_EQ(against("p99", "platform", {}, {}, 100, 50).verdict,
              "50 % lower (1/2.0) (no interval: too few replications)");
    EXPECT_EQ(against("p99", "platform", {}, {}, 0, 50).verdict, "cannot be compared");
}

TEST(Against, SaysHowSmallADifferenceWouldHaveShown) {
    const std::vector<double> base{100, 100, 100, 100, 100};
    const std::vector<double> noisy{90, 110, 100, 95, 106};
    const auto said = against("throughput_rps", "platform", base, noisy, 100, 100.2);
    EXPECT_FALSE(said.differs);
    EXPECT_EQ(said.verdict, "no detectable difference");
    // By hand: deviation of the logarithms 0.0805, error 0.0360; t(0.975; 4) = 2.776, t(0.9; 4) = 1.533.
    EXPECT_NEAR(said.detectable, std::expm1((2.776 + 1.533) * 0.0360), 0.003);
    EXPECT_GT(said.detectable, said.interval->half_width()) << "a difference as large as that shows in half the runs";
}

TEST(Compare, AP99OfTooFewRequestsIsNotCompared) {
    const auto results = compare(small({{"measure.duration", "50ms"}, {"measure.warmup", "10ms"}}),
                                 {Threads::platform, Threads::virtual_threads}, with_jobs(2));
    ASSERT_LT(results[0].latency.count, 3 * 368U);
    EXPECT_NE(results[1].against[1].verdict.find("too few requests"), std::string::npos);
    EXPECT_FALSE(results[1].against[1].interval.has_value());
    EXPECT_TRUE(results[1].against[0].interval.has_value());
}

} // namespace
} // namespace narrows::experiment
