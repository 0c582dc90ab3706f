// SPDX-License-Identifier: GPL-3.0-or-later
#include "random/sampler.hpp"

#include "random/portable_math.hpp"

#include <algorithm>
#include <cmath> // std::sqrt alone: IEEE 754 rounds it correctly
#include <vector>

namespace narrows {
namespace {

/// Uniform in (0, 1]: safe under a logarithm.
double uniform_above_zero(Stream& stream) {
    return 1 - stream.uniform();
}

double uniform_draw(const Distribution& law, Stream& stream) {
    return law.first + (law.second - law.first) * stream.uniform();
}

double truncated_normal(const Distribution& law, Stream& stream) {
    // The mean is not negative (Distribution::normal), so at least every second draw is kept.
    for (;;) {
        const double x = law.first + law.second * Sampler::standard_normal(stream);
        if (x >= 0) return x;
    }
}

/// G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3),
/// 2000; for a shape below 1 by Gamma(k) = Gamma(k + 1) U^(1/k), as they advise.
double standard_gamma(double shape, Stream& stream) {
    const double boosted = shape < 1 ? shape + 1 : shape;
    const double d = boosted - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    double v = 0;
    for (;;) {
        const double x = Sampler::standard_normal(stream);
        v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        const double u = uniform_above_zero(stream);
        const double square = x * x;
        if (u < 1 - 0.0331 * square * square) break;
        if (portable::log(u) < 0.5 * square + d * (1 - v + portable::log(v))) break;
    }
    const double power = shape < 1 ? portable::pow(uniform_above_zero(stream), 1 / shape) : 1.0;
    return d * v * power;
}

/// If E is exponential, E^(1/k) is Weibull of shape k and e^(E/alpha) is Pareto of index alpha.
double weibull_draw(const Distribution& law, Stream& stream) {
    return law.first * portable::pow(Sampler::standard_exponential(stream), 1 / law.second);
}

double pareto_draw(const Distribution& law, Stream& stream) {
    return law.first * portable::exp(Sampler::standard_exponential(stream) / law.second);
}

double empirical_draw(const Distribution& law, Stream& stream) {
    if (law.samples.empty()) return 0;
    const auto n = law.samples.size();
    const auto index = static_cast<std::size_t>(stream.uniform() * static_cast<double>(n));
    return law.samples[std::min(index, n - 1)];
}

} // namespace

struct Sampler::Tables {
    Distribution law;
    std::vector<double> up_to;  ///< mixture: cumulative weights
    std::vector<Sampler> parts; ///< mixture
};

Sampler::Sampler(const Distribution& what) {
    switch (what.shape) {
    case Shape::constant: constant_ = to_nanos(what.first); return;
    case Shape::exponential:
        kind_ = Kind::exponential;
        scale_ = what.first;
        return;
    default: break;
    }
    kind_ = Kind::other;
    auto tables = std::make_shared<Tables>();
    tables->law = what;
    double sum = 0;
    for (const auto& part : what.parts) {
        sum += part.weight;
        tables->up_to.push_back(sum);
        tables->parts.emplace_back(part.what);
    }
    tables_ = std::move(tables);
}

Nanos Sampler::draw_other(Stream& stream) const {
    const Distribution& law = tables_->law;
    switch (law.shape) {
    case Shape::uniform: return to_nanos(uniform_draw(law, stream));
    case Shape::normal: return to_nanos(truncated_normal(law, stream));
    case Shape::lognormal: return to_nanos(law.first * portable::exp(law.second * standard_normal(stream)));
    case Shape::gamma: return to_nanos(law.first / law.second * standard_gamma(law.second, stream));
    case Shape::weibull: return to_nanos(weibull_draw(law, stream));
    case Shape::pareto: return to_nanos(pareto_draw(law, stream));
    case Shape::empirical: return to_nanos(empirical_draw(law, stream));
    case Shape::mixture: {
        if (tables_->parts.empty()) return 0;
        const auto& up_to = tables_->up_to;
        const auto found = std::upper_bound(up_to.begin(), up_to.end(), stream.uniform() * up_to.back());
        const auto index = std::min(static_cast<std::size_t>(found - up_to.begin()), up_to.size() - 1);
        return tables_->parts[index].draw(stream);
    }
    case Shape::constant:
    case Shape::exponential: break; // drawn in the header
    }
    return 0;
}

double Sampler::exponential_edge(Stream& stream, std::uint64_t layer, double x) {
    const auto& table = ziggurat::kExponential;
    double offset = 0; // the law has no memory: beyond the tail's start it begins anew
    for (;;) {
        if (layer == 0) {
            offset += ziggurat::kExponentialTail;
        } else {
            const double low = table.height[layer];
            const double y = low + stream.uniform() * (table.height[layer + 1] - low);
            if (y < portable::exp(-x)) return offset + x;
        }
        const std::uint64_t bits = stream.next();
        layer = bits & 255;
        const std::uint64_t position = bits >> 11;
        x = static_cast<double>(static_cast<std::int64_t>(position)) * table.layers[layer].width;
        if (position < table.layers[layer].inside) return offset + x;
    }
}

namespace {

/// Normal beyond kNormalTail: G. Marsaglia, "Generating a variable from the tail of the normal
/// distribution", Technometrics 6, 1964.
double normal_tail(Stream& stream) {
    for (;;) {
        const double x = Sampler::standard_exponential(stream) / ziggurat::kNormalTail;
        const double y = Sampler::standard_exponential(stream);
        if (2 * y > x * x) return ziggurat::kNormalTail + x;
    }
}

} // namespace

double Sampler::standard_normal(Stream& stream) {
    const auto& table = ziggurat::kNormal;
    for (;;) {
        const std::uint64_t bits = stream.next();
        const std::uint64_t layer = bits & 255;
        const double sign = (bits & 256) != 0 ? -1 : 1; // bit 8: in neither layer nor position
        const std::uint64_t position = bits >> 11;
        const double x = static_cast<double>(static_cast<std::int64_t>(position)) * table.layers[layer].width;
        if (position < table.layers[layer].inside) return sign * x;
        if (layer == 0) return sign * normal_tail(stream);
        const double low = table.height[layer];
        const double y = low + stream.uniform() * (table.height[layer + 1] - low);
        if (y < portable::exp(-0.5 * x * x)) return sign * x;
    }
}

} // namespace narrows
