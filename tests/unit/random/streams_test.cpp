// SPDX-License-Identifier: GPL-3.0-or-later
#include "random/streams.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace narrows {
namespace {

constexpr double kSignificance = 0.001; // of each statistical test here, at its fixed seed

double chi_squared(const std::vector<std::uint64_t>& counts) {
    double total = 0;
    for (const auto c : counts)
        total += static_cast<double>(c);
    const double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (const auto c : counts)
        sum += (static_cast<double>(c) - expected) * (static_cast<double>(c) - expected);
    return sum / expected;
}

/// Both sides are wrong: too uneven and too even.
void expect_uniform(const std::vector<std::uint64_t>& counts) {
    const boost::math::chi_squared law(static_cast<double>(counts.size() - 1));
    const double statistic = chi_squared(counts);
    EXPECT_LT(statistic, quantile(law, 1 - kSignificance / 2));
    EXPECT_GT(statistic, quantile(law, kSignificance / 2));
}

TEST(Streams, ANumberDoesNotDependOnTheOrderOfAsking) {
    const StreamKey root = StreamKey::root(5, 2);
    std::vector<std::uint64_t> forwards, backwards;
    for (std::uint64_t i = 0; i < 1000; ++i)
        forwards.push_back(Stream(root.child(i).child(3)).next());
    for (std::uint64_t i = 1000; i-- > 0;)
        backwards.push_back(Stream(root.child(i).child(3)).next());
    std::ranges::reverse(backwards);
    EXPECT_EQ(forwards, backwards);
}

TEST(Streams, SeedAndReplicationBothNameAStream) {
    EXPECT_NE(StreamKey::root(1, 0), StreamKey::root(2, 0));
    EXPECT_NE(StreamKey::root(1, 0), StreamKey::root(1, 1));
    EXPECT_NE(StreamKey::root(1, 2), StreamKey::root(2, 1));
    EXPECT_EQ(StreamKey::root(7, 3), StreamKey::root(7, 3));
}

TEST(Streams, ChildrenDoNotCollide) {
    const StreamKey root = StreamKey::root(1, 0);
    std::vector<std::uint64_t> keys;
    keys.reserve(2'000'000);
    for (std::uint64_t i = 0; i < 1'000'000; ++i)
        keys.push_back(root.child(i).value);
    for (std::uint64_t i = 0; i < 100'000; ++i) // (request, step) pairs
        for (std::uint64_t step = 0; step < 10; ++step)
            keys.push_back(root.child(i).child(step).value);
    std::ranges::sort(keys);
    // 2 million of 2^64 at random: a collision has a chance of 1e-7.
    EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST(Streams, UniformStaysInItsRange) {
    Stream stream(StreamKey::root(3, 0));
    double least = 1, most = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const double u = stream.uniform();
        least = std::min(least, u);
        most = std::max(most, u);
    }
    EXPECT_GE(least, 0);
    EXPECT_LT(most, 1);
    EXPECT_LT(least, 2e-5); // P(no draw below 2e-5 of 10^6) = e^-20
    EXPECT_GT(most, 1 - 2e-5);
}

TEST(Streams, OneStreamIsEquidistributed) {
    Stream stream(StreamKey::root(3, 1));
    std::vector<std::uint64_t> counts(1000);
    for (int i = 0; i < 1'000'000; ++i)
        ++counts[static_cast<std::size_t>(stream.uniform() * 1000)];
    expect_uniform(counts);
}

TEST(Streams, FirstNumbersOfNeighbouringStreamsAreEquidistributed) {
    const StreamKey root = StreamKey::root(3, 2);
    std::vector<std::uint64_t> counts(1000);
    for (std::uint64_t i = 0; i < 1'000'000; ++i)
        ++counts[static_cast<std::size_t>(Stream(root.child(i)).uniform() * 1000)];
    expect_uniform(counts);
}

TEST(Streams, PairsAcrossStepsAndRequestsAreEquidistributed) {
    const StreamKey root = StreamKey::root(3, 3);
    std::vector<std::uint64_t> steps(32 * 32), requests(32 * 32);
    for (std::uint64_t i = 0; i < 500'000; ++i) {
        const auto cell = [](double u) { return static_cast<std::size_t>(u * 32); };
        const StreamKey request = root.child(i);
        const double first = Stream(request.child(0)).uniform();
        ++steps[cell(first) * 32 + cell(Stream(request.child(1)).uniform())];
        ++requests[cell(first) * 32 + cell(Stream(root.child(i + 1).child(0)).uniform())];
    }
    expect_uniform(steps);
    expect_uniform(requests);
}

TEST(Streams, EveryBitIsFair) {
    const StreamKey root = StreamKey::root(3, 4);
    constexpr int n = 200'000;
    std::array<int, 64> ones{};
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t bits = Stream(root.child(i)).next();
        for (std::size_t b = 0; b < 64; ++b)
            ones[b] += static_cast<int>(bits >> b & 1);
    }
    // 64 bits at 0.001 in all (Bonferroni): 4.3 standard deviations of a fair coin.
    for (const int count : ones)
        EXPECT_NEAR(count, n / 2.0, 4.33 * std::sqrt(n / 4.0));
}

} // namespace
} // namespace narrows
