// SPDX-License-Identifier: GPL-3.0-or-later
#include "random/distribution.hpp"
#include "random/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace narrows {
namespace {

TEST(DurationText, LargestUnitThatKeepsItAtLeastOne) {
    EXPECT_EQ(duration_text(95.5e6), "95.5ms");
    EXPECT_EQ(duration_text(30e9), "30s");
    EXPECT_EQ(duration_text(120e3), "120us");
    EXPECT_EQ(duration_text(999), "999ns");
    EXPECT_EQ(duration_text(1000), "1us");
    EXPECT_EQ(duration_text(999'999), "999.999us");
    EXPECT_EQ(duration_text(3600e9), "3600s");
    EXPECT_EQ(duration_text(1.5), "1.5ns");
    EXPECT_EQ(duration_text(0.25), "0.25ns");
    EXPECT_EQ(duration_text(0), "0ms");
    EXPECT_EQ(duration_text(-2e6), "-2ms");
    EXPECT_EQ(duration_text(1e6 / 3), "333.3333333333333us");
}

TEST(DistributionText, ReadsAsAScenarioWouldWriteIt) {
    EXPECT_EQ(Distribution::constant(95.5e6).text(), "95.5ms");
    EXPECT_EQ(Distribution::exponential(120e3).text(), "exponential(120us)");
    EXPECT_EQ(Distribution::uniform(1e6, 3e6).text(), "uniform(1ms, 3ms)");
    EXPECT_EQ(Distribution::normal(5e6, 1e6).text(), "normal(mean=5ms, sd=1ms)");
    EXPECT_EQ(Distribution::lognormal_median(5e6, 0.5).text(), "lognormal(median=5ms, sigma=0.5)");
    EXPECT_EQ(Distribution::gamma(5e6, 2).text(), "gamma(mean=5ms, shape=2)");
    EXPECT_EQ(Distribution::weibull(5e6, 0.75).text(), "weibull(scale=5ms, shape=0.75)");
    EXPECT_EQ(Distribution::pareto(1e6, 2.5).text(), "pareto(minimum=1ms, alpha=2.5)");
    EXPECT_EQ(Distribution::empirical({3, 1, 2}).text(), "empirical(3 values)");
    EXPECT_EQ(Distribution::mixture({{0.9, Distribution::exponential(1e6)}, {0.1, Distribution::constant(5e6)}}).text(),
              "mixture(0.9: exponential(1ms), 0.1: 5ms)");
}

/// A wait that is given up at a limit: the mean of draws cut there agrees with the formula of every shape, below,
/// around and far above the mean.
TEST(Distribution, MeanUpToALimitAgreesWithDraws) {
    const std::vector<Distribution> laws = {
        Distribution::constant(5e6),
        Distribution::exponential(5e6),
        Distribution::uniform(2e6, 8e6),
        Distribution::normal(5e6, 4e6),
        Distribution::lognormal_median(3e6, 1.2),
        Distribution::gamma(5e6, 0.4),
        Distribution::gamma(5e6, 6),
        Distribution::weibull(5e6, 0.6),
        Distribution::pareto(1e6, 1.25),
        Distribution::empirical({1e6, 2e6, 30e6}),
        Distribution::mixture({{0.98, Distribution::constant(1e6)}, {0.02, Distribution::exponential(200e6)}}),
    };
    constexpr int kDraws = 200'000;
    for (const auto& law : laws) {
        const Sampler sampler(law);
        for (const double limit : {0.7e6, 5e6, 60e6}) {
            Stream numbers(StreamKey{}.child(1));
            double sum = 0, squares = 0;
            for (int i = 0; i < kDraws; ++i) {
                const double x = std::min(static_cast<double>(sampler.draw(numbers)), limit);
                sum += x;
                squares += x * x;
            }
            const double mean = sum / kDraws;
            const double error = std::sqrt(std::max(0.0, squares / kDraws - mean * mean) / kDraws);
            EXPECT_NEAR(law.mean_up_to(limit), mean, 4.5 * error + 1) << law.text() << " up to " << limit;
        }
        EXPECT_NEAR(law.mean_up_to(1e18), law.mean(), law.mean() * 2e-3) << law.text();
        EXPECT_EQ(law.mean_up_to(0), 0);
        EXPECT_EQ(law.mean_up_to(-1), 0);
    }
}

TEST(Distribution, KnownMoments) {
    EXPECT_DOUBLE_EQ(Distribution::pareto(2e6, 3).mean(), 3e6);
    EXPECT_DOUBLE_EQ(Distribution::pareto(2e6, 3).squared_cv(), 1.0 / 3);
    EXPECT_EQ(Distribution::pareto(2e6, 2).squared_cv(), std::numeric_limits<double>::infinity());
    EXPECT_DOUBLE_EQ(Distribution::weibull(1e6, 1).mean(), 1e6);
    EXPECT_DOUBLE_EQ(Distribution::weibull(1e6, 1).squared_cv(), 1);
    EXPECT_DOUBLE_EQ(Distribution::weibull(1e6, 0.5).mean(), 2e6); // Gamma(3) = 2
    EXPECT_DOUBLE_EQ(Distribution::gamma(1e6, 4).squared_cv(), 0.25);
    EXPECT_DOUBLE_EQ(Distribution::uniform(0, 2e6).squared_cv(), 1.0 / 3);
    // Half-normal: mean sd sqrt(2/pi), variance sd^2 (1 - 2/pi).
    const double pi = std::acos(-1.0);
    EXPECT_NEAR(Distribution::normal(0, 1e6).mean(), 1e6 * std::sqrt(2 / pi), 1);
    EXPECT_NEAR(Distribution::normal(0, 1e6).squared_cv(), (1 - 2 / pi) / (2 / pi), 1e-12);
    EXPECT_NEAR(Distribution::normal(100e6, 1e6).mean(), 100e6, 1e-3); // 100 deviations from 0
    EXPECT_DOUBLE_EQ(Distribution::empirical({1e6, 3e6}).squared_cv(), 0.25);
    // Two equal halves exponential(1), exponential(3): E X^2 = 1 + 9, mean 2, cv^2 = 1.5.
    const auto halves =
        Distribution::mixture({{0.5, Distribution::exponential(1e6)}, {0.5, Distribution::exponential(3e6)}});
    EXPECT_DOUBLE_EQ(halves.mean(), 2e6);
    EXPECT_DOUBLE_EQ(halves.squared_cv(), 1.5);
}

TEST(Distribution, ZeroMeansDoNotDivideByZero) {
    EXPECT_EQ(Distribution().squared_cv(), 0);
    EXPECT_EQ(Distribution::exponential(0).squared_cv(), 0);
    EXPECT_EQ(Distribution::empirical({0, 0}).squared_cv(), 0);
    EXPECT_EQ(Distribution::normal(0, 0).mean(), 0);
    EXPECT_EQ(Distribution::normal(0, 0).squared_cv(), 0);
    EXPECT_TRUE(Distribution().is_zero());
}

TEST(Distribution, Minimum) {
    EXPECT_EQ(Distribution::constant(5).minimum(), 5);
    EXPECT_EQ(Distribution::exponential(5).minimum(), 0);
    EXPECT_EQ(Distribution::uniform(2, 5).minimum(), 2);
    EXPECT_EQ(Distribution::normal(9, 1).minimum(), 0);
    EXPECT_EQ(Distribution::pareto(4, 2).minimum(), 4);
    EXPECT_EQ(Distribution::empirical({7, 3, 9}).minimum(), 3);
    EXPECT_EQ(Distribution::mixture({{0.5, Distribution::constant(8)}, {0.5, Distribution::pareto(6, 2)}}).minimum(),
              6);
}

TEST(Distribution, LognormalByMeanAndPercentile) {
    const auto d = Distribution::lognormal_mean_p99(100e6, 300e6);
    EXPECT_NEAR(d.mean(), 100e6, 1e-3);
    EXPECT_NEAR(d.first * std::exp(2.3263478740408408 * d.second), 300e6, 1e-3);
    EXPECT_LT(d.second, 2.3263478740408408);
    // The widest possible ratio, exp(z^2 / 2) = 14.97…
    EXPECT_NO_THROW(static_cast<void>(Distribution::lognormal_mean_p99(1e6, 14.96e6)));
    EXPECT_THROW(static_cast<void>(Distribution::lognormal_mean_p99(1e6, 15e6)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(Distribution::lognormal_mean_p99(1e6, 1e6)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(Distribution::lognormal_mean_p99(1e6, 0.5e6)), std::invalid_argument);
}

TEST(Distribution, FactoriesRefuseWhatIsNoLaw) {
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();
    const auto refused = [](auto make) { EXPECT_THROW(static_cast<void>(make()), std::invalid_argument); };
    refused([] { return Distribution::exponential(-1); });
    refused([&] { return Distribution::exponential(nan); });
    refused([&] { return Distribution::exponential(infinity); });
    refused([] { return Distribution::uniform(3, 2); });
    refused([] { return Distribution::normal(-1, 1); });
    refused([] { return Distribution::lognormal_median(1, -1); });
    refused([] { return Distribution::gamma(1, 0); });
    refused([] { return Distribution::weibull(1, 0); });
    refused([] { return Distribution::pareto(1, 1); });
    refused([] { return Distribution::empirical({}); });
    refused([] { return Distribution::empirical({1, -1}); });
    refused([] { return Distribution::mixture({}); });
    refused([] { return Distribution::mixture({{0, Distribution::constant(1.0)}}); });
}

TEST(Distribution, MixtureWeightsAreScaledToOne) {
    const auto d = Distribution::mixture({{9, Distribution::constant(1.0)}, {1, Distribution::constant(11.0)}});
    EXPECT_DOUBLE_EQ(d.parts[0].weight, 0.9);
    EXPECT_DOUBLE_EQ(d.mean(), 2);
}

} // namespace
} // namespace narrows
