// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/histogram.hpp"
#include "measure/interval.hpp"

#include <algorithm>
#include <cmath>

namespace narrows::measure {
namespace {

using Groups = std::vector<const Histogram*>;

constexpr double kFewestAbove = 10;       // requests above the quantile in a batch, on average
constexpr double kSignificance = 0.2;     // of the test for independence; see interval.hpp
constexpr double kHalfBucket = 0x1.0p-10; // what the histogram knows a value to

struct Batch {
    double requests = 0, above = 0;
};

/// Requests, and requests above quantile q, of every span of every replication. The bucket that
/// holds the quantile is split in the same proportion everywhere, so that exactly 1 - q of all lie
/// above, ties or not.
std::vector<std::vector<Batch>> count_above(std::span<const Groups> replications, const Histogram& pooled, double q) {
    const auto value = static_cast<Nanos>(pooled.quantile(q));
    Nanos low = 0;
    for (const auto& bucket : pooled.buckets())
        if (bucket.low <= value) low = bucket.low;
    const double n = static_cast<double>(pooled.count());
    const double below = low > 0 ? static_cast<double>(pooled.count_at_or_below(low - 1)) : 0;
    const double inside = static_cast<double>(pooled.count_at_or_below(low)) - below;
    const double inside_above = std::clamp((below + inside - q * n) / inside, 0.0, 1.0);

    std::vector<std::vector<Batch>> out;
    for (const auto& groups : replications) {
        out.emplace_back();
        for (const Histogram* group : groups) {
            const auto count = static_cast<double>(group->count());
            const auto up_to = static_cast<double>(group->count_at_or_below(low));
            const auto under = low > 0 ? static_cast<double>(group->count_at_or_below(low - 1)) : 0;
            out.back().push_back({count, count - up_to + inside_above * (up_to - under)});
        }
    }
    return out;
}

std::vector<Batch> merge(const std::vector<std::vector<Batch>>& fine, std::size_t size) {
    std::vector<Batch> out;
    for (const auto& spans : fine) {
        const auto edges = batch_edges(spans.size(), size);
        for (std::size_t b = 0; b + 1 < edges.size(); ++b) {
            Batch sum;
            for (std::size_t i = edges[b]; i < edges[b + 1]; ++i) {
                sum.requests += spans[i].requests;
                sum.above += spans[i].above;
            }
            out.push_back(sum);
        }
    }
    return out;
}

std::vector<double> residuals(const std::vector<Batch>& batches, const Batch& total) {
    std::vector<double> out;
    for (const auto& b : batches)
        out.push_back(b.above - total.above / total.requests * b.requests);
    return out;
}

/// Half the width of Student's interval of the share `above / requests`, over batches.
double half_width_of_share(const Batch& total, const std::vector<double>& differences, double level) {
    const double n = static_cast<double>(differences.size());
    double squares = 0;
    for (const double z : differences)
        squares += z * z;
    return student_quantile(level, n - 1) * std::sqrt(squares * n / (n - 1)) / total.requests;
}

/// What independent batches tell.
QuantileClaim claim(const std::vector<Batch>& batches, const Batch& total, const Histogram& pooled, double level) {
    const auto resolution = [](double value) { return value < 1024 ? 0 : value * kHalfBucket; };
    const double share = total.above / total.requests;
    const double half = half_width_of_share(total, residuals(batches, total), level);
    if (half >= std::min(share, 1 - share)) return {std::nullopt, QuantileClaim::Why::few_bursts, total.above};
    const double low = pooled.quantile(1 - share - half), high = pooled.quantile(1 - share + half);
    return {Interval{std::max(0.0, low - resolution(low)), high + resolution(high)}, QuantileClaim::Why::claimed,
            total.above};
}

} // namespace

std::optional<Interval> quantile_interval(std::span<const Groups> replications, double q, double level,
                                          std::size_t min_batches) {
    return claim_quantile(replications, q, level, min_batches).interval;
}

QuantileClaim claim_quantile(std::span<const Groups> replications, double q, double level, std::size_t min_batches) {
    using Why = QuantileClaim::Why;
    Histogram pooled;
    std::size_t longest = 0;
    for (const auto& groups : replications) {
        longest = std::max(longest, groups.size());
        for (const Histogram* group : groups)
            pooled.merge(*group);
    }
    if (pooled.count() < min_samples_for(q, level))
        return {std::nullopt, Why::few_requests, std::floor((1 - q) * static_cast<double>(pooled.count()))};
    const auto fine = count_above(replications, pooled, q);
    Batch total;
    for (const auto& spans : fine)
        for (const auto& span : spans) {
            total.requests += span.requests;
            total.above += span.above;
        }
    min_batches = std::max<std::size_t>(min_batches, 2);

    const auto enough_above = [&](const std::vector<Batch>& batches) {
        const double n = static_cast<double>(batches.size());
        return std::min(total.above, total.requests - total.above) >= kFewestAbove * n;
    };
    for (std::size_t size = 1; size <= longest; size *= 2) {
        const auto batches = merge(fine, size);
        if (batches.size() < min_batches) break;
        if (!enough_above(batches)) continue;
        const bool whole = batches.size() <= replications.size(); // one a replication: independent by construction
        if (whole || looks_independent(residuals(batches, total), kSignificance))
            return claim(batches, total, pooled, level);
    }
    // Where a replication has few beyond the quantile, several together are a batch, as independent as they.
    const std::vector<std::vector<Batch>> whole{merge(fine, longest)};
    for (std::size_t size = 2;; size *= 2) {
        const auto batches = merge(whole, size);
        if (batches.size() < min_batches) break;
        if (enough_above(batches)) return claim(batches, total, pooled, level);
    }
    return {std::nullopt, Why::few_batches, total.above};
}

} // namespace narrows::measure
