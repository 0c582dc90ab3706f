// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/histogram.hpp"

#include "random/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace narrows::measure {
namespace {

/// By the definition: the smallest value with at least q of all at or below it.
Nanos exact_quantile(const std::vector<Nanos>& sorted, double q) {
    for (std::size_t i = 0; i < sorted.size(); ++i)
        if (static_cast<double>(i + 1) >= q * static_cast<double>(sorted.size()) * (1 - 1e-14)) return sorted[i];
    return sorted.back();
}

bool same(const Histogram& a, const Histogram& b) {
    const auto x = a.buckets(), y = b.buckets();
    return a.count() == b.count() && a.min() == b.min() && a.max() == b.max() &&
           std::ranges::equal(x, y, [](const auto& s, const auto& t) {
               return s.low == t.low && s.high == t.high && s.count == t.count;
           });
}

TEST(Histogram, EveryValueIsKnownToATenthOfAPercent) {
    for (int bit = 0; bit < 62; ++bit) {
        Stream stream(StreamKey::root(31, static_cast<std::uint64_t>(bit)));
        const Nanos low = Nanos{1} << bit;
        for (int i = 0; i < 200; ++i) {
            const Nanos value = low + static_cast<Nanos>(stream.uniform() * static_cast<double>(low));
            Histogram h;
            h.record(value);
            h.record(kForever); // so that the clamp to max() cannot hide the error
            h.record(0);
            const double got = h.quantile(0.5);
            ASSERT_LE(std::abs(got - static_cast<double>(value)), 0.001 * static_cast<double>(value)) << value;
            const auto buckets = h.buckets();
            ASSERT_EQ(buckets.size(), 3U);
            ASSERT_TRUE(buckets[1].low <= value && value < buckets[1].high) << value;
        }
    }
}

TEST(Histogram, QuantilesAgreeWithSortedValues) {
    const Sampler sampler(Distribution::lognormal_median(5e6, 2));
    Stream stream(StreamKey::root(32, 0));
    std::vector<Nanos> values;
    Histogram h;
    for (int i = 0; i < 20'000; ++i) {
        values.push_back(sampler.draw(stream));
        h.record(values.back());
    }
    std::ranges::sort(values);
    for (const double q : {0.0, 0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0}) {
        const auto want = static_cast<double>(exact_quantile(values, q));
        EXPECT_NEAR(h.quantile(q), want, 0.001 * want) << q;
    }
    double sum = 0;
    for (const Nanos v : values)
        sum += static_cast<double>(v);
    EXPECT_NEAR(h.mean(), sum / 20'000, 0.001 * sum / 20'000);
    EXPECT_EQ(h.max(), values.back());
    EXPECT_EQ(h.min(), values.front());
}

TEST(Histogram, ExactBelow1024) {
    Histogram h;
    for (Nanos v = 0; v < 1024; ++v)
        h.record(v);
    for (Nanos v = 0; v < 1024; ++v)
        ASSERT_EQ(h.quantile(static_cast<double>(v + 1) / 1024), static_cast<double>(v));
    EXPECT_EQ(h.mean(), 511.5);
    EXPECT_EQ(h.count_at_or_below(99), 100U);
}

TEST(Histogram, QuantileEdges) {
    Histogram h;
    EXPECT_EQ(h.quantile(0.5), 0);
    EXPECT_EQ(h.mean(), 0);
    EXPECT_EQ(h.max(), 0);
    EXPECT_EQ(h.min(), 0);
    EXPECT_TRUE(h.buckets().empty());
    h.record(5'000'001);
    for (const double q : {-1.0, 0.0, 0.5, 1.0, 2.0})
        EXPECT_EQ(h.quantile(q), 5'000'001);
    h.record(-7); // counts as 0
    EXPECT_EQ(h.quantile(0), 0);
    EXPECT_EQ(h.quantile(0.5), 0);
    EXPECT_EQ(h.quantile(0.51), 5'000'001);
    // 0.07 * 100 is 7.000000000000001 in binary: still the 7th value.
    Histogram hundred;
    for (Nanos v = 1; v <= 100; ++v)
        hundred.record(v);
    for (int percent = 1; percent <= 100; ++percent)
        EXPECT_EQ(hundred.quantile(percent / 100.0), percent);
}

TEST(Histogram, MergeIsUnion) {
    const Sampler sampler(Distribution::exponential(3e6));
    Stream stream(StreamKey::root(33, 0));
    Histogram a, b, both;
    for (int i = 0; i < 10'000; ++i) {
        const Nanos v = sampler.draw(stream) / (i % 2 == 0 ? 1 : 1000);
        (i % 2 == 0 ? a : b).record(v);
        both.record(v);
    }
    Histogram merged = a;
    merged.merge(b);
    EXPECT_TRUE(same(merged, both));
    merged.merge(Histogram());
    EXPECT_TRUE(same(merged, both));
    Histogram from_empty;
    from_empty.merge(both);
    EXPECT_TRUE(same(from_empty, both));
    EXPECT_FALSE(same(a, both)); // the copy was deep: a did not grow with merged
}

TEST(Histogram, CopyIsDeepAndClearEmpties) {
    Histogram a;
    a.record(10, 3);
    Histogram b = a;
    b.record(10);
    EXPECT_EQ(a.count(), 3U);
    EXPECT_EQ(b.count(), 4U);
    b.clear();
    EXPECT_TRUE(same(b, Histogram()));
    b.record(4);
    EXPECT_EQ(b.quantile(1), 4);
}

TEST(Histogram, CountAtOrBelowGoesByWholeBuckets) {
    Histogram h;
    h.record(1'000'000);
    h.record(1'000'001); // same bucket
    h.record(2'000'000);
    EXPECT_EQ(h.count_at_or_below(900'000), 0U);
    EXPECT_EQ(h.count_at_or_below(1'000'000), 2U);
    EXPECT_EQ(h.count_at_or_below(kForever), 3U);
}

} // namespace
} // namespace narrows::measure
