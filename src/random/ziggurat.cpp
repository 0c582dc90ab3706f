// SPDX-License-Identifier: GPL-3.0-or-later
#include "random/ziggurat.hpp"

#include "random/portable_math.hpp"

namespace narrows::ziggurat {
namespace {

// Area of a layer: tail * f(tail) + the integral of f beyond it.
constexpr double kExponentialArea = 0x1.02d84bc4b0285p-8; // 0.00394965982258155…
constexpr double kNormalArea = 0x1.43016a5a43732p-8;      // 0.00492867323397465…

struct ExponentialDensity {
    static constexpr double at(double x) { return portable::exp(-x); }
    static constexpr double inverse(double y) { return -portable::log(y); }
};

struct NormalDensity {
    static constexpr double at(double x) { return portable::exp(-0.5 * x * x); }
    // sqrt by e^(ln/2): std::sqrt is not constexpr, and a last bit more or less does no harm here.
    static constexpr double inverse(double y) { return portable::exp(0.5 * portable::log(-2 * portable::log(y))); }
};

template <class Density> consteval Table make(double tail, double area) {
    // edge[i] is the right edge of layer i; layer 0 is as wide as a rectangle of its area would be.
    std::array<double, kLayers + 1> edge{};
    edge[0] = area / Density::at(tail);
    edge[1] = tail;
    for (std::size_t i = 2; i < kLayers; ++i)
        edge[i] = Density::inverse(Density::at(edge[i - 1]) + area / edge[i - 1]);
    edge[kLayers] = 0;

    Table table{};
    for (std::size_t i = 0; i < kLayers; ++i) {
        table.layers[i].inside = static_cast<std::uint64_t>(edge[i + 1] / edge[i] * 0x1.0p53);
        table.layers[i].width = edge[i] * 0x1.0p-53;
        table.height[i] = Density::at(edge[i]);
    }
    table.height[kLayers] = 1;
    return table;
}

} // namespace

constinit const Table kExponential = make<ExponentialDensity>(kExponentialTail, kExponentialArea);
constinit const Table kNormal = make<NormalDensity>(kNormalTail, kNormalArea);

} // namespace narrows::ziggurat
