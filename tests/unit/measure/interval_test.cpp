// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/interval.hpp"

#include "random/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace narrows::measure {
namespace {

TEST(Student, KnownQuantiles) {
    EXPECT_NEAR(student_quantile(0.95, 1), 12.706204736, 1e-8);
    EXPECT_NEAR(student_quantile(0.95, 9), 2.262157163, 1e-8);
    EXPECT_NEAR(student_quantile(0.99, 9), 3.249835542, 1e-8);
    EXPECT_NEAR(student_quantile(0.95, 1e9), 1.959963985, 1e-8);
}

TEST(Student, IntervalOfAMean) {
    EXPECT_FALSE(student({}).has_value());
    EXPECT_FALSE(student(std::vector<double>{1}).has_value());
    // Mean 2, deviation 1, so 2 -+ 4.302653 / sqrt(3).
    const auto interval = student(std::vector<double>{1, 2, 3});
    ASSERT_TRUE(interval);
    EXPECT_NEAR(interval->low, 2 - 4.302652730 / std::sqrt(3.0), 1e-8);
    EXPECT_NEAR(interval->high, 2 + 4.302652730 / std::sqrt(3.0), 1e-8);
    const auto equal = student(std::vector<double>{4, 4, 4});
    EXPECT_EQ(equal, (Interval{4, 4}));
}

TEST(PairedRatio, ByLogarithms) {
    const std::vector<double> a{100, 200, 400}, b{110, 220, 440};
    const auto interval = paired_ratio(a, b);
    ASSERT_TRUE(interval);
    EXPECT_NEAR(interval->low, 1.1, 1e-12); // the pairs agree, however much the replications differ
    EXPECT_NEAR(interval->high, 1.1, 1e-12);
    EXPECT_FALSE(paired_ratio(a, std::vector<double>{1, 2}));
    EXPECT_FALSE(paired_ratio(std::vector<double>{1}, std::vector<double>{2}));
    EXPECT_FALSE(paired_ratio(std::vector<double>{1, 0}, std::vector<double>{2, 2}));
    // Exchanging the two inverts the interval.
    const std::vector<double> c{105, 230, 390};
    const auto there = paired_ratio(a, c), back = paired_ratio(c, a);
    EXPECT_NEAR(there->low, 1 / back->high, 1e-12);
}

TEST(DetectableRatio, ByHand) {
    // Logarithms of the ratios 0.1, 0, -0.1: deviation 0.1, error 0.1 / sqrt(3); t(0.975; 2) = 4.303, t(0.9; 2)
    // = 1.886.
    const std::vector<double> a{1, 1, 1}, b{std::exp(0.1), 1, std::exp(-0.1)};
    const auto found = detectable_ratio(a, b);
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, std::expm1((4.3027 + 1.8856) * 0.1 / std::sqrt(3.0)), 1e-4);
    EXPECT_EQ(detectable_ratio(a, std::vector<double>{2, 2, 2}), 0) << "pairs that agree show any difference";
    EXPECT_FALSE(detectable_ratio(std::vector<double>{1}, std::vector<double>{2}));
    EXPECT_FALSE(detectable_ratio(std::vector<double>{1, 0}, std::vector<double>{2, 2}));
}

TEST(DetectableRatio, IsFoundInNineCasesOfTen) {
    // Pairs whose logarithms spread by 0.05 and differ by what five of them are said to detect, on average.
    int shown = 0;
    constexpr int kCases = 4000;
    const double error = 0.05 / std::sqrt(5.0);
    const double difference = (student_quantile(0.95, 4) + student_quantile(0.8, 4)) * error;
    for (std::uint64_t i = 0; i < kCases; ++i) {
        Stream stream(StreamKey::root(811, i));
        std::vector<double> a, b;
        for (int k = 0; k < 5; ++k) {
            a.push_back(1);
            b.push_back(std::exp(difference + 0.05 * Sampler::standard_normal(stream)));
        }
        shown += paired_ratio(a, b)->contains(1) ? 0 : 1;
    }
    // The usual approximation is a little cautious with few pairs.
    EXPECT_GE(shown, 0.88 * kCases);
    EXPECT_LE(shown, 0.97 * kCases);
}

TEST(MinSamples, SmallestThatSupportsAQuantile) {
    EXPECT_EQ(min_samples_for(0.99), 368U);
    EXPECT_EQ(min_samples_for(0.5), 6U);
    for (const double q : {0.5, 0.9, 0.95, 0.99, 0.999}) {
        const auto n = static_cast<double>(min_samples_for(q));
        EXPECT_LE(std::pow(q, n), 0.025);
        EXPECT_GT(std::pow(q, n - 1), 0.025);
    }
}

TEST(Mser5, CutsATransientAndNothingElse) {
    Stream stream(StreamKey::root(41, 0));
    std::vector<double> series;
    for (int i = 0; i < 240; ++i)
        series.push_back(100 - (i < 60 ? 60.0 - i : 0) + Sampler::standard_normal(stream));
    const auto cut = mser5(series);
    EXPECT_TRUE(cut.settled);
    EXPECT_EQ(cut.drop % 5, 0U);
    EXPECT_GE(cut.drop, 50U);
    EXPECT_LE(cut.drop, 75U);
    const auto flat = mser5(std::vector<double>(240, 3.0));
    EXPECT_EQ(flat.drop, 0U);
    EXPECT_TRUE(flat.settled);
}

TEST(Mser5, SaysWhenARunNeverSettles) {
    std::vector<double> growing;
    for (int i = 0; i < 240; ++i)
        growing.push_back(i);
    const auto cut = mser5(growing);
    EXPECT_FALSE(cut.settled);
    EXPECT_LE(cut.drop, 120U);
    EXPECT_FALSE(mser5({}).settled);
    EXPECT_FALSE(mser5(std::vector<double>(7, 1.0)).settled);
}

TEST(Mser5, IsTheStatisticOfThePaper) {
    // Against the definition, computed the slow way.
    Stream stream(StreamKey::root(41, 1));
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<double> series;
        for (int i = 0; i < 120; ++i)
            series.push_back(Sampler::standard_normal(stream) + 5.0 * std::exp(-i / (1.0 + trial)));
        std::vector<double> z;
        for (std::size_t i = 0; i < 120; i += 5) {
            z.push_back(0);
            for (std::size_t j = i; j < i + 5; ++j)
                z.back() += series[j] / 5;
        }
        double best = 1e300;
        std::size_t argument = 0;
        for (std::size_t d = 0; d <= 19; ++d) {
            const double n = static_cast<double>(z.size() - d);
            double mean = 0, sum = 0;
            for (std::size_t i = d; i < z.size(); ++i)
                mean += z[i] / n;
            for (std::size_t i = d; i < z.size(); ++i)
                sum += (z[i] - mean) * (z[i] - mean);
            if (sum / (n * n) < best - 1e-15) {
                best = sum / (n * n);
                argument = d;
            }
        }
        const auto cut = mser5(series);
        ASSERT_EQ(cut.settled, argument <= 12);
        if (cut.settled) {
            ASSERT_EQ(cut.drop, argument * 5);
        }
    }
}

TEST(BatchEdges, LoseNothing) {
    EXPECT_TRUE(batch_edges(0, 3).empty());
    EXPECT_EQ(batch_edges(7, 3), (std::vector<std::size_t>{0, 3, 7}));
    EXPECT_EQ(batch_edges(2, 3), (std::vector<std::size_t>{0, 2}));
    EXPECT_EQ(batch_edges(6, 2), (std::vector<std::size_t>{0, 2, 4, 6}));
}

TEST(LooksIndependent, RejectsAFifthOfATwentiethAndAllOfTheCorrelated) {
    int rejected = 0, missed = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        Stream stream(StreamKey::root(42, seed));
        std::vector<double> white, red;
        double x = 0;
        for (int i = 0; i < 60; ++i) {
            white.push_back(Sampler::standard_normal(stream));
            x = 0.8 * x + Sampler::standard_normal(stream);
            red.push_back(x);
        }
        rejected += !looks_independent(white);
        missed += looks_independent(red);
    }
    // 5 % of 2000 with three binomial deviations.
    EXPECT_NEAR(rejected, 100, 3 * std::sqrt(2000 * 0.05 * 0.95));
    EXPECT_LE(missed, 2);
    EXPECT_TRUE(looks_independent(std::vector<double>(50, 1.0)));
}

TEST(BatchMeans, RatioIsThatOfTheSums) {
    std::vector<BatchSeries> groups(2);
    for (int i = 0; i < 40; ++i) {
        auto& group = groups[static_cast<std::size_t>(i / 20)];
        group.denominator.push_back(1 + i % 7);
        group.numerator.push_back(3.0 * (1 + i % 7) + ((i * 7) % 11 - 5) * 0.1);
    }
    double numerator = 0, denominator = 0;
    for (const auto& group : groups)
        for (std::size_t i = 0; i < 20; ++i) {
            numerator += group.numerator[i];
            denominator += group.denominator[i];
        }
    const auto interval = batch_means(groups);
    ASSERT_TRUE(interval);
    EXPECT_NEAR((interval->low + interval->high) / 2, numerator / denominator, 1e-12);
}

TEST(BatchMeans, ClaimsNothingWhereNothingCanBe) {
    EXPECT_FALSE(batch_means({}));
    EXPECT_FALSE(batch_means(std::vector<BatchSeries>{{{1, 2, 3}, {1, 1, 1}}}));
    EXPECT_FALSE(batch_means(std::vector<BatchSeries>{{std::vector<double>(50), std::vector<double>(50)}}));
    BatchSeries trend;
    for (int i = 0; i < 200; ++i) {
        trend.numerator.push_back(i);
        trend.denominator.push_back(1);
    }
    EXPECT_FALSE(batch_means(std::vector<BatchSeries>{trend}));
}

} // namespace
} // namespace narrows::measure
