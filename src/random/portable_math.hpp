// SPDX-License-Identifier: GPL-3.0-or-later
// Exponential and logarithm with the same bits on every machine: only +, -, *, / of IEEE 754
// doubles (correctly rounded everywhere; the build forbids fused multiply-add) and operations on
// their bits. libm gives no such promise. Both are within 2 units in the last place of the true
// value (tests/unit/random/portable_math_test.cpp), and constexpr, so that tables are made by the
// compiler.
//
// The reductions are the classical ones (J.-M. Muller, "Elementary Functions", 3rd ed. 2016,
// chapter 11); the series are Taylor's, long enough to be exact at double precision.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace narrows::portable {

// ln 2 in two parts: the first has 32 bits, so that its product with an exponent is exact.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1;
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
inline constexpr double kInverseLn2 = 0x1.71547652b82fep+0;

namespace detail {

/// 2^exponent for a normal result.
constexpr double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// 1/2!, 1/3!, … 1/13!.
constexpr std::array<double, 12> inverse_factorials() {
    std::array<double, 12> table{};
    double factorial = 1; // exact up to 18!
    for (std::size_t i = 0; i < table.size(); ++i) {
        factorial *= static_cast<double>(i + 2);
        table[i] = 1 / factorial;
    }
    return table;
}
inline constexpr auto kInverseFactorials = inverse_factorials();

} // namespace detail

/// e^x. 0 below -745.14, infinity above 709.79, NaN for NaN.
constexpr double exp(double x) {
    if (x != x) return x;
    if (x > 709.79) return std::numeric_limits<double>::infinity();
    if (x < -745.14) return 0;
    // x = k ln 2 + r with |r| <= 0.35; r = high - low, and `lost` is what that rounding drops.
    const double scaled = x * kInverseLn2;
    const int k = static_cast<int>(scaled + (scaled < 0 ? -0.5 : 0.5));
    const double high = x - k * kLn2High;
    const double low = k * kLn2Low;
    const double r = high - low;
    const double lost = (high - r) - low;
    double series = 0;
    for (std::size_t i = detail::kInverseFactorials.size(); i-- > 0;)
        series = series * r + detail::kInverseFactorials[i];
    const double value = 1 + (r + (lost + r * r * series));
    // In two steps, since 2^k alone may be out of range while the result is not.
    const int half = k / 2;
    return value * detail::power_of_two(half) * detail::power_of_two(k - half);
}

/// Natural logarithm. -infinity for 0, NaN below 0 and for NaN.
constexpr double log(double x) {
    if (x != x || x < 0) return std::numeric_limits<double>::quiet_NaN();
    if (x == 0) return -std::numeric_limits<double>::infinity();
    if (x > std::numeric_limits<double>::max()) return x;
    int k = 0;
    if (x < std::numeric_limits<double>::min()) {
        x *= 0x1.0p54;
        k = -54;
    }
    // x = 2^k m with m in [sqrt(1/2), sqrt(2)), by the bits.
    const auto bits = std::bit_cast<std::uint64_t>(x);
    k += static_cast<int>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
    if (m >= 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        ++k;
    }
    // ln(1 + f) = 2 artanh(s) with s = f / (2 + f); 2 s = f - f^2/2 + s f^2/2 keeps f's bits.
    const double f = m - 1;
    const double s = f / (2 + f);
    const double z = s * s;
    double series = 0; // 2/3 z + 2/5 z^2 + …: |s| < 0.172, so twelve terms pass 2^-53
    for (int n = 25; n >= 3; n -= 2)
        series = (series + 2.0 / n) * z;
    const double half_square = 0.5 * f * f;
    return k * kLn2High - ((half_square - (s * (half_square + series) + k * kLn2Low)) - f);
}

/// x^y for x >= 0 by e^(y ln x). Relative error about (|y ln x| + 2) units in the last place.
constexpr double pow(double x, double y) {
    return y == 0 ? 1.0 : exp(y * log(x));
}

} // namespace narrows::portable
