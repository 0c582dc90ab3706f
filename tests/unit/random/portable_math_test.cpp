// SPDX-License-Identifier: GPL-3.0-or-later
// exp and log against the wider type of the platform's libm: at most 2 units in the last place.
#include "random/portable_math.hpp"
#include "random/streams.hpp"
#include "random/ziggurat.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace narrows {
namespace {

/// Distance of `got` from `want` in units in the last place of a double near `want`.
double ulps(double got, long double want) {
    const double near = std::abs(static_cast<double>(want));
    const double unit = std::nextafter(near, std::numeric_limits<double>::infinity()) - near;
    return static_cast<double>(std::abs(static_cast<long double>(got) - want)) / unit;
}

TEST(PortableMath, ExpIsWithinTwoUlp) {
    Stream stream(StreamKey::root(11, 0));
    double worst = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        const double reach = i % 2 == 0 ? 700.0 : 1.0;
        const double x = (2 * stream.uniform() - 1) * reach;
        worst = std::max(worst, ulps(portable::exp(x), std::exp(static_cast<long double>(x))));
    }
    EXPECT_LE(worst, 2);
}

TEST(PortableMath, LogIsWithinTwoUlp) {
    Stream stream(StreamKey::root(12, 0));
    double worst = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        // A third over all exponents, a third near 1 where cancellation would show, a third in (0, 1].
        double x = 1 - stream.uniform();
        if (i % 3 == 1) x = std::ldexp(x, static_cast<int>(stream.next() % 2000) - 1000);
        if (i % 3 == 2) x = 1 + (x - 0.5) * std::ldexp(1.0, -static_cast<int>(stream.next() % 50));
        worst = std::max(worst, ulps(portable::log(x), std::log(static_cast<long double>(x))));
    }
    EXPECT_LE(worst, 2);
}

TEST(PortableMath, ExactPoints) {
    EXPECT_EQ(portable::exp(0.0), 1.0);
    EXPECT_EQ(portable::log(1.0), 0.0);
    EXPECT_EQ(portable::pow(0.0, 2.5), 0.0);
    EXPECT_EQ(portable::pow(7.0, 0.0), 1.0);
    EXPECT_EQ(portable::pow(0.0, 0.0), 1.0);
}

TEST(PortableMath, EdgesOfTheRange) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(portable::exp(infinity), infinity);
    EXPECT_EQ(portable::exp(710.0), infinity);
    EXPECT_EQ(portable::exp(-infinity), 0.0);
    EXPECT_EQ(portable::exp(-800.0), 0.0);
    EXPECT_LE(ulps(portable::exp(709.78), std::exp(static_cast<long double>(709.78))), 2);
    EXPECT_LE(ulps(portable::exp(-745.0), std::exp(-745.0L)), 2); // subnormal
    EXPECT_EQ(portable::log(0.0), -infinity);
    EXPECT_EQ(portable::log(infinity), infinity);
    EXPECT_TRUE(std::isnan(portable::log(-1.0)));
    EXPECT_TRUE(std::isnan(portable::exp(std::nan(""))));
    const double tiny = std::numeric_limits<double>::denorm_min();
    EXPECT_LE(ulps(portable::log(tiny), std::log(static_cast<long double>(tiny))), 2);
}

TEST(PortableMath, PowKeepsItsStatedError) {
    Stream stream(StreamKey::root(13, 0));
    for (int i = 0; i < 100'000; ++i) {
        const double x = 10 * (1 - stream.uniform());
        const double y = 10 * stream.uniform();
        const double exponent = std::abs(y * std::log(x));
        const long double want = std::pow(static_cast<long double>(x), static_cast<long double>(y));
        // Each of the two roundings in y ln x moves the result by |y ln x| half units; exp adds its own.
        ASSERT_LE(ulps(portable::pow(x, y), want), 2 * exponent + 2) << x << " ^ " << y;
    }
}

TEST(Ziggurat, LayersCloseAtTheTop) {
    // Tail and area are right only if the 256th layer of that area ends at height 1.
    const auto closing = [](const ziggurat::Table& table, double area) {
        const double edge = table.layers[255].width * 0x1.0p53;
        return table.height[255] + area / edge;
    };
    const auto area = [](const ziggurat::Table& table) {
        const double edge = table.layers[1].width * 0x1.0p53;
        return (table.height[2] - table.height[1]) * edge;
    };
    EXPECT_NEAR(closing(ziggurat::kExponential, area(ziggurat::kExponential)), 1, 1e-9);
    EXPECT_NEAR(closing(ziggurat::kNormal, area(ziggurat::kNormal)), 1, 1e-9);
    // Layer 0: rectangle up to the tail's start plus the tail itself.
    const double r = ziggurat::kExponentialTail;
    EXPECT_NEAR((r + 1) * std::exp(-r), area(ziggurat::kExponential), 1e-12);
    const double n = ziggurat::kNormalTail;
    const double tail = std::sqrt(std::acos(-1.0) / 2) * std::erfc(n / std::sqrt(2.0));
    EXPECT_NEAR(n * std::exp(-n * n / 2) + tail, area(ziggurat::kNormal), 1e-12);
}

} // namespace
} // namespace narrows
