// SPDX-License-Identifier: GPL-3.0-or-later
// A distribution of durations as a value: what a scenario says and a plan carries. Drawing from
// one is a Sampler's work (sampler.hpp).
#pragma once

#include "random/time.hpp"

#include <string>
#include <vector>

namespace narrows {

enum class Shape {
    constant,    ///< first = value
    exponential, ///< first = mean
    uniform,     ///< first = low, second = high
    normal,      ///< first = mean, second = standard deviation; truncated at 0 (draws below are redrawn)
    lognormal,   ///< first = median, second = sigma of the logarithm (no unit)
    gamma,       ///< first = mean, second = shape k (no unit)
    weibull,     ///< first = scale, second = shape k (no unit)
    pareto,      ///< first = minimum, second = tail index alpha > 1 (no unit)
    empirical,   ///< samples, drawn with equal probability, no interpolation
    mixture,     ///< parts with weights
};

/// Durations are in nanoseconds (double, since means need not be whole). A default-made one is
/// constant(0). The factories throw std::invalid_argument for what is no law: a negative, infinite
/// or NaN parameter, a shape of 0, alpha <= 1, nothing to draw from. Only constant() takes anything
/// (draws are clamped at 0), so that a checker can be shown a wrong plan. mixture() scales weights to
/// sum to 1, empirical() sorts.
struct Distribution {
    struct Part;

    Shape shape = Shape::constant;
    double first = 0;
    double second = 0;
    std::vector<double> samples; ///< empirical: nanoseconds, sorted ascending
    std::vector<Part> parts;     ///< mixture: weights sum to 1

    [[nodiscard]] static Distribution constant(double ns);
    [[nodiscard]] static Distribution constant(Duration d);
    [[nodiscard]] static Distribution exponential(double mean_ns);
    [[nodiscard]] static Distribution uniform(double low_ns, double high_ns);
    [[nodiscard]] static Distribution normal(double mean_ns, double sd_ns);
    [[nodiscard]] static Distribution lognormal_median(double median_ns, double sigma);
    /// From mean and 99th percentile. Throws std::invalid_argument unless
    /// mean < p99 <= mean * exp(z99^2 / 2), z99 = 2.3263: no lognormal has such a pair otherwise.
    [[nodiscard]] static Distribution lognormal_mean_p99(double mean_ns, double p99_ns);
    [[nodiscard]] static Distribution gamma(double mean_ns, double shape);
    [[nodiscard]] static Distribution weibull(double scale_ns, double shape);
    [[nodiscard]] static Distribution pareto(double minimum_ns, double alpha);
    [[nodiscard]] static Distribution empirical(std::vector<double> samples_ns);
    [[nodiscard]] static Distribution mixture(std::vector<Part> parts);

    /// Mean in nanoseconds (of the truncated law, for normal).
    [[nodiscard]] double mean() const;
    /// Variance / mean^2; 0 for constant. Infinite for pareto with alpha <= 2.
    [[nodiscard]] double squared_cv() const;
    /// The mean of what is drawn when all above `limit_ns` counts as `limit_ns`, in nanoseconds: how long a
    /// wait lasts that is given up then. 0 for a limit of 0 or less.
    [[nodiscard]] double mean_up_to(double limit_ns) const;
    /// The greatest lower bound of what can be drawn, in nanoseconds.
    [[nodiscard]] double minimum() const;
    [[nodiscard]] bool is_constant() const { return shape == Shape::constant; }
    [[nodiscard]] bool is_zero() const { return shape == Shape::constant && first == 0; }
    /// As one would write it in a scenario: "exponential(120us)", "95.5ms", "lognormal(median=…, sigma=…)".
    [[nodiscard]] std::string text() const;

    bool operator==(const Distribution&) const = default;
};

struct Distribution::Part {
    double weight = 1;
    Distribution what;
    bool operator==(const Part&) const = default;
};

// Here and not above: a function body there would need Part complete (clang insists).
inline Distribution Distribution::constant(Duration d) {
    return constant(static_cast<double>(d.count()));
}

/// "95.5ms", "30s", "120us": the shortest exact form with the largest unit that keeps it >= 1.
[[nodiscard]] std::string duration_text(double ns);

} // namespace narrows
