// SPDX-License-Identifier: GPL-3.0-or-later
// Confidence intervals shown to users, and the tests behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace narrows::measure {

class Histogram;

struct Interval {
    double low = 0;
    double high = 0;
    [[nodiscard]] bool contains(double x) const { return low <= x && x <= high; }
    [[nodiscard]] double half_width() const { return (high - low) / 2; }
    bool operator==(const Interval&) const = default;
};

/// Two-sided Student interval of the mean of independent values. Nothing for fewer than 2.
[[nodiscard]] std::optional<Interval> student(std::span<const double> values, double level = 0.95);

/// Where to cut a run's beginning: MSER-5 (K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of
/// five steady-state truncation heuristics for simulation", WSC 2000). `series` holds equally
/// spaced observations; returns the number of leading observations to drop, a multiple of 5.
/// `settled` is false when the minimum lies in the last half: the run is too short to tell. Then,
/// `drop` is the best cut of the first half. The last five batches are no candidates: a handful of
/// values is alike by chance.
struct Truncation {
    std::size_t drop = 0;
    bool settled = true;
};
[[nodiscard]] Truncation mser5(std::span<const double> series);

/// Mean of a stationary, correlated series by non-overlapping batch means: batches are merged in
/// pairs until von Neumann's ratio no longer rejects independence (5 %), down to `min_batches`;
/// below that, nothing is claimed. Batches whose neighbours take turns are merged likewise, while enough are
/// left: they would only widen the interval. `groups` are independent replications of the same length;
/// batches never straddle two of them. Weighted sums: value = sum(numerators)/sum(denominators)
/// in each batch (ratio estimator, delta method), so batches with few requests weigh less.
/// Sources: G. S. Fishman, "Grouping observations in digital simulation", Management Science 24(5),
/// 1978 (the rule of merging); W. G. Cochran, "Sampling Techniques", 3rd ed. 1977, ch. 6 (ratios).
struct BatchSeries {
    std::vector<double> numerator;
    std::vector<double> denominator; ///< same length; all 1 for a plain mean
};
[[nodiscard]] std::optional<Interval> batch_means(std::span<const BatchSeries> groups, double level = 0.95,
                                                  std::size_t min_batches = 10);

/// Edges of near-equal batches of at least `size` out of n observations (of all n, when fewer):
/// batch b is [edges[b], edges[b + 1]). Empty for n = 0.
[[nodiscard]] std::vector<std::size_t> batch_edges(std::size_t n, std::size_t size);

/// Whether von Neumann's ratio (mean squared successive difference over the variance) does not
/// reject that `values` are independent, one-sided against positive correlation: with C = 1 - ratio/2,
/// C sqrt((n^2 - 1) / (n - 2)) is close to standard normal (L. C. Young, "On randomness in ordered
/// sequences", Ann. Math. Stat. 12, 1941). True for fewer than 3 values and for equal ones.
[[nodiscard]] bool looks_independent(std::span<const double> values, double significance = 0.05);

/// Interval of quantile q of a stationary, correlated series of requests: R. S. Woodruff's
/// inversion ("Confidence intervals for medians and other position measures", J. Amer. Stat. Assoc.
/// 47, 1952) with batches as clusters. `replications` hold the histograms of successive equal spans
/// of time; spans are merged within a replication until looks_independent() at 20 % holds for the
/// batches' numbers of requests above the pooled quantile, and a batch has 10 of them on average.
/// Student's interval of the share above, over the batches, is turned back into latencies by the
/// pooled histogram and widened by its half bucket. Nothing when that interval of the share reaches
/// 0 or 1: then a few busy periods decide it. (No tighter limit: refusing the wide ones would keep
/// those whose width came out too small by chance.) Unlike the mean of batch quantiles (A. F. Seila,
/// Management Science 28(5), 1982) it has no bias when a batch holds but a few busy periods. Nothing
/// with fewer than `min_batches` batches or min_samples_for(q) requests. In nanoseconds.
struct QuantileClaim {
    std::optional<Interval> interval;
    enum class Why {
        claimed,
        few_requests, ///< fewer than min_samples_for(q), even if they were independent
        few_batches,  ///< too few batches that look independent and have 10 requests beyond the quantile each
        few_bursts    ///< the interval of the share reaches 0 or 1
    } why = Why::claimed;
    double beyond = 0; ///< requests above the quantile, all replications together
};
[[nodiscard]] QuantileClaim claim_quantile(std::span<const std::vector<const Histogram*>> replications, double q,
                                           double level = 0.95, std::size_t min_batches = 10);
/// The interval of claim_quantile alone.
[[nodiscard]] std::optional<Interval> quantile_interval(std::span<const std::vector<const Histogram*>> replications,
                                                        double q, double level = 0.95, std::size_t min_batches = 10);

/// Paired interval of the ratio b/a of replications on common random numbers: Student on the
/// logarithms. Nothing unless both have the same size >= 2 and all values are positive.
[[nodiscard]] std::optional<Interval> paired_ratio(std::span<const double> a, std::span<const double> b,
                                                   double level = 0.95);

/// How small a relative difference the pairs of paired_ratio would have shown, with probability `power`: exp(d) - 1
/// with d = (t of the two-sided level + one-sided t of the power) times the standard error of the logarithms, the
/// usual approximation of the noncentral t (J. Cohen, "Statistical Power Analysis", 2nd ed. 1988, ch. 2). Nothing
/// where paired_ratio is nothing; 0 where all pairs have the same ratio.
[[nodiscard]] std::optional<double> detectable_ratio(std::span<const double> a, std::span<const double> b,
                                                     double level = 0.95, double power = 0.9);

/// Two-sided Student quantile, e.g. student_quantile(0.95, 9) = 2.262. Precondition: dof >= 1.
[[nodiscard]] double student_quantile(double level, double dof);

/// Independent samples needed before a distribution-free two-sided interval for quantile q exists:
/// smallest n with q^n <= (1 - level) / 2; 368 for p99 at 95 %.
[[nodiscard]] std::uint64_t min_samples_for(double q, double level = 0.95);

} // namespace narrows::measure
