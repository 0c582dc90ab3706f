// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/interval.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace narrows::measure {
namespace {

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of squares about the mean.
double squares_of(std::span<const double> values) {
    const double mean = mean_of(values);
    double sum = 0;
    for (const double x : values)
        sum += (x - mean) * (x - mean);
    return sum;
}

/// A batch's numerator and denominator.
struct Sums {
    double numerator = 0, denominator = 0;
};

/// Every group cut into batches of `size` observations; what does not fill a batch is spread over
/// the others, so that nothing is lost and none straddles two groups.
std::vector<Sums> batches_of(std::span<const BatchSeries> groups, std::size_t size) {
    std::vector<Sums> out;
    for (const auto& group : groups) {
        const auto cuts = batch_edges(std::min(group.numerator.size(), group.denominator.size()), size);
        for (std::size_t b = 0; b + 1 < cuts.size(); ++b) {
            Sums sums;
            for (std::size_t i = cuts[b]; i < cuts[b + 1]; ++i) {
                sums.numerator += group.numerator[i];
                sums.denominator += group.denominator[i];
            }
            out.push_back(sums);
        }
    }
    return out;
}

std::size_t longest(std::span<const BatchSeries> groups) {
    std::size_t n = 0;
    for (const auto& group : groups)
        n = std::max(n, group.numerator.size());
    return n;
}

} // namespace

double student_quantile(double level, double dof) {
    return quantile(boost::math::students_t(dof), 0.5 + level / 2);
}

std::optional<Interval> student(std::span<const double> values, double level) {
    if (values.size() < 2) return std::nullopt;
    const double n = static_cast<double>(values.size());
    const double mean = mean_of(values);
    const double half = student_quantile(level, n - 1) * std::sqrt(squares_of(values) / (n - 1) / n);
    return Interval{mean - half, mean + half};
}

Truncation mser5(std::span<const double> series) {
    constexpr std::size_t kBatch = 5;
    const std::size_t m = series.size() / kBatch;
    if (m < 2) return {0, false};
    std::vector<double> batches(m);
    for (std::size_t i = 0; i < m; ++i)
        batches[i] = mean_of(series.subspan(i * kBatch, kBatch));

    // From the end forwards, so that every statistic costs one step (Welford's update).
    const std::size_t latest = std::max(m / 2, m > 5 ? m - 5 : 0);
    std::vector<double> statistic(m, 0.0);
    double mean = 0, squares = 0;
    for (std::size_t d = m; d-- > 0;) {
        const double n = static_cast<double>(m - d);
        const double delta = batches[d] - mean;
        mean += delta / n;
        squares += delta * (batches[d] - mean);
        statistic[d] = squares / (n * n);
    }
    const auto first = statistic.begin();
    const auto half = first + static_cast<std::ptrdiff_t>(m / 2);
    const auto best = std::min_element(first, first + static_cast<std::ptrdiff_t>(latest) + 1);
    const auto best_early = std::min_element(first, half + 1);
    return {static_cast<std::size_t>(best_early - first) * kBatch, best <= half};
}

std::vector<std::size_t> batch_edges(std::size_t n, std::size_t size) {
    if (n == 0) return {};
    const std::size_t count = std::max<std::size_t>(1, size == 0 ? n : n / size);
    std::vector<std::size_t> edges(count + 1);
    for (std::size_t b = 0; b <= count; ++b)
        edges[b] = b * n / count;
    return edges;
}

namespace {

/// Von Neumann's ratio as a standard normal deviate: positive when neighbours are alike, negative when
/// they take turns.
double neighbour_deviate(std::span<const double> values) {
    if (values.size() < 3) return 0;
    const double n = static_cast<double>(values.size());
    const double squares = squares_of(values);
    if (!(squares > 0)) return 0;
    double steps = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
        steps += (values[i] - values[i - 1]) * (values[i] - values[i - 1]);
    const double c = 1 - steps / (2 * squares);
    return c * std::sqrt((n * n - 1) / (n - 2));
}

double one_sided(double significance) {
    return quantile(boost::math::normal(), 1 - significance);
}

} // namespace

bool looks_independent(std::span<const double> values, double significance) {
    return neighbour_deviate(values) < one_sided(significance);
}

namespace {
constexpr double kTurnsSignificance = 0.001; ///< lock step is blatant; chance must not choose the batches
} // namespace

std::optional<Interval> batch_means(std::span<const BatchSeries> groups, double level, std::size_t min_batches) {
    const std::size_t length = longest(groups);
    min_batches = std::max<std::size_t>(min_batches, 2);
    std::optional<Interval> wide; // right, but wider than it need be
    for (std::size_t size = 1;; size *= 2) {
        const auto batches = batches_of(groups, size);
        if (batches.size() < min_batches) return wide;
        Sums total;
        for (const auto& b : batches) {
            total.numerator += b.numerator;
            total.denominator += b.denominator;
        }
        if (!(total.denominator > 0)) return std::nullopt;
        const double ratio = total.numerator / total.denominator;
        std::vector<double> residuals;
        for (const auto& b : batches)
            residuals.push_back(b.numerator - ratio * b.denominator);
        // One batch a replication: independent by construction.
        if (size < length && !looks_independent(residuals)) continue;
        const double n = static_cast<double>(batches.size());
        const double deviation = std::sqrt(squares_of(residuals) / (n - 1) / n);
        const double half = student_quantile(level, n - 1) * deviation / (total.denominator / n);
        const Interval interval{ratio - half, ratio + half};
        // Neighbours that take turns (a slice holds one round of a lock-step cycle, the next two) make
        // the interval too wide, not wrong: longer batches mend it where there are enough.
        const bool turns = neighbour_deviate(residuals) < -one_sided(kTurnsSignificance);
        if (!turns || size >= length) return interval;
        if (!wide) wide = interval;
    }
}

namespace {

/// Logarithms of b[i] / a[i]; empty when there are not two or more of them that exist.
std::vector<double> log_ratios(std::span<const double> a, std::span<const double> b) {
    std::vector<double> logs;
    if (a.size() != b.size() || a.size() < 2) return logs;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!(a[i] > 0) || !(b[i] > 0)) return {};
        logs.push_back(std::log(b[i] / a[i]));
    }
    return logs;
}

} // namespace

std::optional<Interval> paired_ratio(std::span<const double> a, std::span<const double> b, double level) {
    const auto interval = student(log_ratios(a, b), level);
    if (!interval) return std::nullopt;
    return Interval{std::exp(interval->low), std::exp(interval->high)};
}

std::optional<double> detectable_ratio(std::span<const double> a, std::span<const double> b, double level,
                                       double power) {
    const auto logs = log_ratios(a, b);
    if (logs.empty()) return std::nullopt;
    const double n = static_cast<double>(logs.size());
    const double error = std::sqrt(squares_of(logs) / (n - 1) / n);
    // One-sided: a two-sided interval of level 2 power - 1 ends where `power` of the distribution lies below.
    return std::expm1((student_quantile(level, n - 1) + student_quantile(2 * power - 1, n - 1)) * error);
}

std::uint64_t min_samples_for(double q, double level) {
    const double alpha = (1 - level) / 2;
    if (q <= 0 || alpha >= 1) return 1;
    if (q >= 1 || alpha <= 0) return std::numeric_limits<std::uint64_t>::max();
    auto n = static_cast<std::uint64_t>(std::max(1.0, std::ceil(std::log(alpha) / std::log(q))));
    while (n > 1 && std::pow(q, static_cast<double>(n - 1)) <= alpha)
        --n;
    while (std::pow(q, static_cast<double>(n)) > alpha)
        ++n;
    return n;
}

} // namespace narrows::measure
