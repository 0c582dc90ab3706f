// SPDX-License-Identifier: GPL-3.0-or-later
// Ziggurat tables: 256 layers of equal area under a falling density f with f(0) = 1 (G. Marsaglia,
// W. W. Tsang, "The ziggurat method for generating random variables", J. Stat. Software 5(8), 2000).
// As J. A. Doornik ("An improved ziggurat method", 2005) shows, layer and position must not share
// bits: the layer is the low 8 of 64 bits, the position the high 53.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace narrows::ziggurat {

inline constexpr std::size_t kLayers = 256;

struct Layer {
    std::uint64_t inside; ///< 53-bit positions below this lie under the curve for certain
    double width;         ///< of the layer, times 2^-53
};

struct Table {
    std::array<Layer, kLayers> layers;
    std::array<double, kLayers + 1> height; ///< f at the right edge of layer i; f(0) = 1 at the end
};

/// Made by the compiler, so there is no order of initialisation to mind.
extern const Table kExponential; ///< f(x) = e^-x
extern const Table kNormal;      ///< f(x) = e^(-x^2/2), x >= 0

/// Where layer 0's rectangle ends and the tail begins. Roots of "256 layers close at height 1",
/// computed to 50 digits; the tests check the closing.
inline constexpr double kExponentialTail = 0x1.ec9d9297ebb83p+2; // 7.69711747013104971…
inline constexpr double kNormalTail = 0x1.d3bb48209ad33p+1;      // 3.65415288536100877…

} // namespace narrows::ziggurat
