// SPDX-License-Identifier: GPL-3.0-or-later
#include "random/distribution.hpp"

#include "random/portable_math.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace narrows {
namespace {

constexpr double kZ99 = 2.3263478740408408; // 99th percentile of the standard normal

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

bool is_duration(double ns) {
    return std::isfinite(ns) && ns >= 0;
}
bool is_positive(double x) {
    return std::isfinite(x) && x > 0;
}

Distribution make(Shape shape, double first, double second) {
    Distribution d;
    d.shape = shape;
    d.first = first;
    d.second = second;
    return d;
}

/// Inverse Mills ratio phi(a) / (1 - Phi(a)): how far truncation below a lifts a standard normal.
double mills_lift(double a) {
    const double density = std::exp(-0.5 * a * a) / std::sqrt(2 * std::numbers::pi);
    return density / (0.5 * std::erfc(a / std::numbers::sqrt2));
}

double below_standard_normal(double z) {
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

/// E min(X, limit) of a normal cut off at 0, by parts of its density.
double truncated_normal_up_to(const Distribution& d, double limit) {
    const auto density = [](double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); };
    const double from = -d.first / d.second;
    const double to = (limit - d.first) / d.second;
    const double kept = below_standard_normal(-from);
    const double below =
        d.first * (below_standard_normal(to) - below_standard_normal(from)) - d.second * (density(to) - density(from));
    return (below + limit * below_standard_normal(-to)) / kept;
}

double squared_cv_of_normal(const Distribution& d) {
    if (d.second == 0) return 0;
    const double a = -d.first / d.second;
    const double lift = mills_lift(a);
    const double mean = d.first + d.second * lift;
    return d.second * d.second * (1 + a * lift - lift * lift) / (mean * mean);
}

double squared_cv_of_samples(const std::vector<double>& samples, double mean) {
    if (mean == 0) return 0;
    double sum = 0;
    for (const double x : samples)
        sum += (x - mean) * (x - mean);
    return sum / static_cast<double>(samples.size()) / (mean * mean);
}

double squared_cv_of_mixture(const std::vector<Distribution::Part>& parts, double mean) {
    if (mean == 0) return 0;
    double second_moment = 0;
    for (const auto& part : parts) {
        const double m = part.what.mean();
        if (part.weight > 0 && m > 0) second_moment += part.weight * m * m * (1 + part.what.squared_cv());
    }
    return std::max(0.0, second_moment / (mean * mean) - 1);
}

} // namespace

Distribution Distribution::constant(double ns) {
    return make(Shape::constant, ns, 0);
}

Distribution Distribution::exponential(double mean_ns) {
    require(is_duration(mean_ns), "exponential: the mean must be a duration of 0 or more");
    return make(Shape::exponential, mean_ns, 0);
}

Distribution Distribution::uniform(double low_ns, double high_ns) {
    require(is_duration(low_ns) && is_duration(high_ns) && low_ns <= high_ns, "uniform: 0 <= low <= high is needed");
    return make(Shape::uniform, low_ns, high_ns);
}

Distribution Distribution::normal(double mean_ns, double sd_ns) {
    require(is_duration(mean_ns) && is_duration(sd_ns), "normal: mean and deviation must be 0 or more");
    return make(Shape::normal, mean_ns, sd_ns);
}

Distribution Distribution::lognormal_median(double median_ns, double sigma) {
    require(is_duration(median_ns) && is_duration(sigma), "lognormal: median and sigma must be 0 or more");
    return make(Shape::lognormal, median_ns, sigma);
}

Distribution Distribution::lognormal_mean_p99(double mean_ns, double p99_ns) {
    require(is_positive(mean_ns) && std::isfinite(p99_ns) && mean_ns < p99_ns,
            "lognormal: the p99 must lie above the mean");
    // ln(p99) - ln(mean) = z sigma - sigma^2 / 2; the smaller root is the one without absurd skew.
    const double gap = portable::log(p99_ns / mean_ns);
    require(gap <= kZ99 * kZ99 / 2 * (1 + 1e-12), "lognormal: no lognormal has a p99 above 14.97 times its mean");
    const double sigma = kZ99 - std::sqrt(std::max(0.0, kZ99 * kZ99 - 2 * gap));
    return lognormal_median(mean_ns * portable::exp(-0.5 * sigma * sigma), sigma);
}

Distribution Distribution::gamma(double mean_ns, double shape) {
    require(is_duration(mean_ns) && is_positive(shape), "gamma: a mean of 0 or more and a shape above 0");
    return make(Shape::gamma, mean_ns, shape);
}

Distribution Distribution::weibull(double scale_ns, double shape) {
    require(is_duration(scale_ns) && is_positive(shape), "weibull: a scale of 0 or more and a shape above 0");
    return make(Shape::weibull, scale_ns, shape);
}

Distribution Distribution::pareto(double minimum_ns, double alpha) {
    require(is_duration(minimum_ns) && std::isfinite(alpha) && alpha > 1,
            "pareto: a minimum of 0 or more and an alpha above 1");
    return make(Shape::pareto, minimum_ns, alpha);
}

Distribution Distribution::empirical(std::vector<double> samples_ns) {
    require(!samples_ns.empty(), "empirical: at least one value is needed");
    require(std::ranges::all_of(samples_ns, is_duration), "empirical: every value must be 0 or more");
    std::ranges::sort(samples_ns);
    Distribution d = make(Shape::empirical, 0, 0);
    d.samples = std::move(samples_ns);
    return d;
}

Distribution Distribution::mixture(std::vector<Part> parts) {
    require(!parts.empty(), "mixture: at least one part is needed");
    double sum = 0;
    for (const auto& part : parts) {
        require(is_duration(part.weight), "mixture: weights must be 0 or more");
        sum += part.weight;
    }
    require(is_positive(sum), "mixture: the weights must not all be 0");
    // Weights that already sum to 1 but for rounding stay as they were written.
    if (std::abs(sum - 1) > 1e-9)
        for (auto& part : parts)
            part.weight /= sum;
    Distribution d = make(Shape::mixture, 0, 0);
    d.parts = std::move(parts);
    return d;
}

double Distribution::mean() const {
    switch (shape) {
    case Shape::constant:
    case Shape::exponential:
    case Shape::gamma: return first;
    case Shape::uniform: return (first + second) / 2;
    case Shape::normal: return second == 0 ? first : first + second * mills_lift(-first / second);
    case Shape::lognormal: return first * portable::exp(0.5 * second * second);
    case Shape::weibull: return first * std::tgamma(1 + 1 / second);
    case Shape::pareto: return first * second / (second - 1);
    case Shape::empirical: {
        double sum = 0;
        for (const double x : samples)
            sum += x;
        return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
    }
    case Shape::mixture: {
        double sum = 0;
        for (const auto& part : parts)
            sum += part.weight * part.what.mean();
        return sum;
    }
    }
    return 0;
}

double Distribution::mean_up_to(double limit) const {
    if (!(limit > 0)) return 0;
    if (!std::isfinite(limit)) return mean();
    switch (shape) {
    case Shape::constant: return std::min(first, limit);
    case Shape::exponential: return first == 0 ? 0 : -first * std::expm1(-limit / first);
    case Shape::uniform:
        if (limit >= second) return mean();
        if (limit <= first) return limit;
        return limit - (limit - first) * (limit - first) / (2 * (second - first));
    case Shape::normal: return second == 0 ? std::min(first, limit) : truncated_normal_up_to(*this, limit);
    case Shape::lognormal: {
        if (second == 0 || first == 0) return std::min(first, limit);
        const double z = std::log(limit / first) / second;
        return mean() * below_standard_normal(z - second) + limit * below_standard_normal(-z);
    }
    case Shape::gamma: {
        if (first == 0) return 0;
        const double x = limit * second / first;
        return first * boost::math::gamma_p(second + 1, x) + limit * boost::math::gamma_q(second, x);
    }
    case Shape::weibull: {
        if (first == 0) return 0;
        const double x = std::pow(limit / first, second);
        return mean() * boost::math::gamma_p(1 + 1 / second, x) + limit * std::exp(-x);
    }
    case Shape::pareto:
        if (limit <= first) return limit;
        return first + first / (second - 1) * (1 - std::pow(first / limit, second - 1));
    case Shape::empirical: {
        double sum = 0;
        for (const double x : samples)
            sum += std::min(x, limit);
        return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
    }
    case Shape::mixture: {
        double sum = 0;
        for (const auto& part : parts)
            sum += part.weight * part.what.mean_up_to(limit);
        return sum;
    }
    }
    return 0;
}

double Distribution::squared_cv() const {
    const double m = mean();
    if (m == 0) return 0;
    switch (shape) {
    case Shape::constant: return 0;
    case Shape::exponential: return 1;
    case Shape::uniform: return (second - first) * (second - first) / 12 / (m * m);
    case Shape::normal: return squared_cv_of_normal(*this);
    case Shape::lognormal: return portable::exp(second * second) - 1;
    case Shape::gamma: return 1 / second;
    case Shape::weibull: {
        const double g = std::tgamma(1 + 1 / second);
        return std::tgamma(1 + 2 / second) / (g * g) - 1;
    }
    case Shape::pareto: return second > 2 ? 1 / (second * (second - 2)) : std::numeric_limits<double>::infinity();
    case Shape::empirical: return squared_cv_of_samples(samples, m);
    case Shape::mixture: return squared_cv_of_mixture(parts, m);
    }
    return 0;
}

double Distribution::minimum() const {
    switch (shape) {
    case Shape::constant:
    case Shape::uniform:
    case Shape::pareto: return first;
    case Shape::normal:
    case Shape::lognormal: return second == 0 ? first : 0;
    case Shape::exponential:
    case Shape::gamma:
    case Shape::weibull: return 0;
    case Shape::empirical: return samples.empty() ? 0 : samples.front();
    case Shape::mixture: {
        double least = std::numeric_limits<double>::infinity();
        for (const auto& part : parts)
            if (part.weight > 0) least = std::min(least, part.what.minimum());
        return std::isfinite(least) ? least : 0;
    }
    }
    return 0;
}

std::string Distribution::text() const {
    const auto a = [this] { return duration_text(first); };
    const auto b = [this] { return duration_text(second); };
    switch (shape) {
    case Shape::constant: return a();
    case Shape::exponential: return fmt::format("exponential({})", a());
    case Shape::uniform: return fmt::format("uniform({}, {})", a(), b());
    case Shape::normal: return fmt::format("normal(mean={}, sd={})", a(), b());
    case Shape::lognormal: return fmt::format("lognormal(median={}, sigma={})", a(), second);
    case Shape::gamma: return fmt::format("gamma(mean={}, shape={})", a(), second);
    case Shape::weibull: return fmt::format("weibull(scale={}, shape={})", a(), second);
    case Shape::pareto: return fmt::format("pareto(minimum={}, alpha={})", a(), second);
    case Shape::empirical: return fmt::format("empirical({} values)", samples.size());
    case Shape::mixture: {
        std::string out = "mixture(";
        for (const auto& part : parts)
            out += fmt::format("{}{}: {}", &part == &parts.front() ? "" : ", ", part.weight, part.what.text());
        return out + ")";
    }
    }
    return {};
}

std::string duration_text(double ns) {
    if (!std::isfinite(ns)) return fmt::format("{}", ns);
    if (ns == 0) return "0ms";
    // The shortest digits that stand for this double, d.ddd e exponent; the unit moves the point.
    std::array<char, 40> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(ns), std::chars_format::scientific);
    const std::string written(buffer.data(), end.ptr);
    const auto e = written.find('e');
    int exponent = 0;
    const char* from = written.data() + e + (written[e + 1] == '+' ? 2 : 1);
    std::from_chars(from, written.data() + written.size(), exponent);
    std::string digits = written.substr(0, e);
    std::erase(digits, '.');

    const char* unit = "ns";
    if (exponent >= 9) {
        unit = "s";
        exponent -= 9;
    } else if (exponent >= 6) {
        unit = "ms";
        exponent -= 6;
    } else if (exponent >= 3) {
        unit = "us";
        exponent -= 3;
    }
    if (exponent < 0) {
        digits.insert(0, static_cast<std::size_t>(-exponent), '0');
        exponent = 0;
    }
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    if (digits.size() > whole) digits.insert(whole, 1, '.');
    return fmt::format("{}{}{}", ns < 0 ? "-" : "", digits, unit);
}

} // namespace narrows
