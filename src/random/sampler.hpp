// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing from a Distribution with the same bits on every machine: only +, -, *, / and sqrt of
// IEEE 754 (correctly rounded everywhere) and our own logarithm and exponential
// (portable_math.hpp), never libm, in set-up as in draws.
#pragma once

#include "random/distribution.hpp"
#include "random/streams.hpp"
#include "random/ziggurat.hpp"

#include <cstdint>
#include <memory>

namespace narrows {

/// A distribution made ready for drawing. Copying is cheap (tables are shared, immutable).
class Sampler {
public:
    Sampler() = default; ///< constant(0)
    explicit Sampler(const Distribution& what);

    /// A draw, rounded to the nearest nanosecond, never negative, at most 2^60.
    [[nodiscard]] Nanos draw(Stream& stream) const {
        if (kind_ == Kind::constant) return constant_;
        if (kind_ == Kind::exponential) return to_nanos(scale_ * standard_exponential(stream));
        return draw_other(stream);
    }
    [[nodiscard]] bool is_constant() const { return kind_ == Kind::constant; }
    [[nodiscard]] Nanos constant() const { return constant_; }

    /// Exponential with mean 1 by the ziggurat method (G. Marsaglia, W. W. Tsang, "The ziggurat
    /// method for generating random variables", J. Stat. Software 5(8), 2000), 256 layers. Tables are
    /// built by portable arithmetic. About 98.9 % of the draws end in the line below.
    [[nodiscard]] static double standard_exponential(Stream& stream) {
        const std::uint64_t bits = stream.next();
        const ziggurat::Layer& layer = ziggurat::kExponential.layers[bits & 255];
        const std::uint64_t position = bits >> 11;
        const double x = static_cast<double>(static_cast<std::int64_t>(position)) * layer.width;
        if (position < layer.inside) [[likely]]
            return x;
        return exponential_edge(stream, bits & 255, x);
    }
    /// Normal with mean 0 and deviation 1, same method.
    [[nodiscard]] static double standard_normal(Stream& stream);

    /// Rounds half up and clamps to [0, 2^60].
    [[nodiscard]] static Nanos to_nanos(double ns) {
        if (!(ns > 0)) return 0;
        if (ns >= 0x1.0p60) return Nanos{1} << 60;
        return static_cast<Nanos>(ns + 0.5);
    }

private:
    enum class Kind : std::uint8_t { constant, exponential, other };
    struct Tables;
    [[nodiscard]] Nanos draw_other(Stream& stream) const;
    /// The rest of standard_exponential, for a position beyond a layer's sure part.
    [[nodiscard]] static double exponential_edge(Stream& stream, std::uint64_t layer, double x);

    Kind kind_ = Kind::constant;
    Nanos constant_ = 0;
    double scale_ = 0;
    std::shared_ptr<const Tables> tables_;
};

} // namespace narrows
