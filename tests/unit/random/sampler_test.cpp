// SPDX-License-Identifier: GPL-3.0-or-later
// Draws against theory. Every statistical test has significance 0.001 at its fixed seed: were a
// sampler right, a seed would fail it once in a thousand. Scales are about a second, so that
// rounding to nanoseconds cannot be seen.
#include "random/sampler.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace narrows {
namespace {

constexpr double kSecond = 1e9;
constexpr std::size_t kDraws = 400'000;
// Kolmogorov's limit law: P(sqrt(n) D > 1.9495) = 0.001.
constexpr double kKolmogorov = 1.9495;
// Normal: P(|Z| > 3.2905) = 0.001.
constexpr double kNormalTwoSided = 3.2905;

struct Case {
    std::string name;
    Distribution law;
    std::function<double(double)> cdf; ///< of a duration in seconds
};

double normal_cdf(double z) {
    return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

std::vector<Case> continuous_cases() {
    const auto normal = [](double mean, double sd) {
        return [=](double x) {
            const double below = normal_cdf(-mean / sd);
            return (normal_cdf((x - mean) / sd) - below) / (1 - below);
        };
    };
    const auto gamma = [](double shape) { return [=](double x) { return boost::math::gamma_p(shape, x * shape); }; };
    const auto weibull = [](double shape) { return [=](double x) { return -std::expm1(-std::pow(x, shape)); }; };
    return {
        {"exponential", Distribution::exponential(kSecond), [](double x) { return -std::expm1(-x); }},
        {"uniform", Distribution::uniform(kSecond, 3 * kSecond), [](double x) { return (x - 1) / 2; }},
        {"normal", Distribution::normal(5 * kSecond, kSecond), normal(5, 1)},
        {"normal_cut", Distribution::normal(0.5 * kSecond, kSecond), normal(0.5, 1)},
        {"lognormal", Distribution::lognormal_median(kSecond, 0.7),
         [](double x) { return normal_cdf(std::log(x) / 0.7); }},
        {"gamma_small", Distribution::gamma(kSecond, 0.4), gamma(0.4)},
        {"gamma_one", Distribution::gamma(kSecond, 1), gamma(1)},
        {"gamma_large", Distribution::gamma(kSecond, 7.5), gamma(7.5)},
        {"weibull_heavy", Distribution::weibull(kSecond, 0.6), weibull(0.6)},
        {"weibull_light", Distribution::weibull(kSecond, 3), weibull(3)},
        {"pareto", Distribution::pareto(kSecond, 2.5), [](double x) { return 1 - std::pow(x, -2.5); }},
        {"mixture",
         Distribution::mixture(
             {{0.8, Distribution::exponential(kSecond)}, {0.2, Distribution::uniform(5 * kSecond, 6 * kSecond)}}),
         [](double x) { return 0.8 * -std::expm1(-x) + 0.2 * std::clamp(x - 5, 0.0, 1.0); }},
    };
}

std::vector<Nanos> draws(const Distribution& law, std::uint64_t seed, std::size_t n = kDraws) {
    const Sampler sampler(law);
    Stream stream(StreamKey::root(seed, 0));
    std::vector<Nanos> out(n);
    for (auto& x : out)
        x = sampler.draw(stream);
    return out;
}

TEST(Sampler, KolmogorovSmirnov) {
    for (const auto& c : continuous_cases()) {
        auto sample = draws(c.law, 21);
        std::ranges::sort(sample);
        const double n = static_cast<double>(sample.size());
        double distance = 0;
        for (std::size_t i = 0; i < sample.size(); ++i) {
            const double f = c.cdf(static_cast<double>(sample[i]) / kSecond);
            distance = std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
        }
        EXPECT_LT(distance * std::sqrt(n), kKolmogorov) << c.name;
        EXPECT_GT(distance * std::sqrt(n), 0.3) << c.name << ": too good to be random (P < 1e-5)";
    }
}

TEST(Sampler, MeanAgreesWithTheLaw) {
    for (const auto& c : continuous_cases()) {
        double sum = 0;
        for (const Nanos x : draws(c.law, 22))
            sum += static_cast<double>(x);
        const double n = static_cast<double>(kDraws);
        const double deviation = c.law.mean() * std::sqrt(c.law.squared_cv() / n);
        EXPECT_NEAR(sum / n, c.law.mean(), kNormalTwoSided * deviation) << c.name;
    }
}

TEST(Sampler, VarianceAgreesWithTheLaw) {
    for (const auto& c : continuous_cases()) {
        if (c.name == "pareto") continue; // no fourth moment, so no error of the variance
        // The error of the variance is estimated from the sample's own fourth moment.
        const auto sample = draws(c.law, 23);
        const double mean = c.law.mean(), n = static_cast<double>(sample.size());
        double second = 0, fourth = 0;
        for (const Nanos x : sample) {
            const double d = (static_cast<double>(x) - mean) / mean;
            second += d * d / n;
            fourth += d * d * d * d / n;
        }
        const double deviation = std::sqrt((fourth - second * second) / n);
        EXPECT_NEAR(second, c.law.squared_cv(), kNormalTwoSided * deviation) << c.name;
    }
}

TEST(Sampler, TailsAreAsHeavyAsTheyMustBe) {
    // The ziggurat's tail code runs only beyond 7.7 (exponential) and 3.65 (normal).
    constexpr double n = 5'000'000;
    Stream stream(StreamKey::root(24, 0));
    double beyond_exponential = 0, beyond_normal = 0, high = 0;
    for (int i = 0; i < static_cast<int>(n); ++i) {
        beyond_exponential += Sampler::standard_exponential(stream) > 9;
        const double z = Sampler::standard_normal(stream);
        beyond_normal += std::abs(z) > 4;
        high += z > 0;
    }
    const auto check = [&](double count, double p) {
        EXPECT_NEAR(count, n * p, kNormalTwoSided * std::sqrt(n * p * (1 - p)));
    };
    check(beyond_exponential, std::exp(-9.0));
    check(beyond_normal, std::erfc(4 / std::sqrt(2.0)));
    check(high, 0.5);
}

TEST(Sampler, EmpiricalDrawsEachValueEquallyOften) {
    const auto sample = draws(Distribution::empirical({10, 20, 20, 40}), 25);
    const double n = static_cast<double>(sample.size());
    for (const auto& [value, p] : {std::pair<Nanos, double>{10, 0.25}, {20, 0.5}, {40, 0.25}}) {
        const auto count = static_cast<double>(std::ranges::count(sample, value));
        EXPECT_NEAR(count, n * p, kNormalTwoSided * std::sqrt(n * p * (1 - p)));
    }
}

TEST(Sampler, MixtureTakesItsPartsByWeight) {
    const auto law = Distribution::mixture({{0.1, Distribution::constant(1.0)}, {0.9, Distribution::constant(2.0)}});
    const auto sample = draws(law, 26);
    const double n = static_cast<double>(sample.size());
    const auto count = static_cast<double>(std::ranges::count(sample, Nanos{1}));
    EXPECT_NEAR(count, n * 0.1, kNormalTwoSided * std::sqrt(n * 0.09));
}

TEST(Sampler, DrawsStayInsideTheLaw) {
    for (const Nanos x : draws(Distribution::uniform(1000, 2000), 27))
        ASSERT_TRUE(x >= 1000 && x <= 2000);
    for (const Nanos x : draws(Distribution::pareto(1000, 1.1), 27))
        ASSERT_TRUE(x >= 1000 && x <= 1LL << 60);
    for (const Nanos x : draws(Distribution::normal(0, 1e6), 27))
        ASSERT_GE(x, 0);
    // So heavy that a draw can pass any integer: it is clamped.
    for (const Nanos x : draws(Distribution::weibull(1e6, 0.01), 27))
        ASSERT_TRUE(x >= 0 && x <= 1LL << 60);
}

TEST(Sampler, RoundsAndClamps) {
    EXPECT_EQ(Sampler::to_nanos(1.5), 2);
    EXPECT_EQ(Sampler::to_nanos(1.49), 1);
    EXPECT_EQ(Sampler::to_nanos(-3), 0);
    EXPECT_EQ(Sampler::to_nanos(std::nan("")), 0);
    EXPECT_EQ(Sampler::to_nanos(std::numeric_limits<double>::infinity()), Nanos{1} << 60);
}

TEST(Sampler, ConstantConsumesNothing) {
    Stream a(StreamKey::root(1, 1)), b(StreamKey::root(1, 1));
    const Sampler sampler(Distribution::constant(1e6));
    EXPECT_TRUE(sampler.is_constant());
    EXPECT_EQ(sampler.draw(a), 1'000'000);
    EXPECT_EQ(a.next(), b.next());
    EXPECT_EQ(Sampler().draw(a), 0);
}

} // namespace
} // namespace narrows
