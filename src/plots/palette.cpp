// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace narrows::plots {

namespace {

struct Hue {
    Rgb light_line, light_text, dark_line, dark_text;
};

// The hues of Okabe and Ito ("Color universal design", 2008): vermillion, blue, bluish green,
// reddish purple, orange, sky blue; darkened on white and lightened on dark until they reach the
// contrast that palette.hpp promises.
constexpr std::array<Hue, 6> kHues{{
    {0xD55E00, 0xA84A00, 0xF28E3C, 0xF5A35F},
    {0x0072B2, 0x00639B, 0x56B4E9, 0x7CC6F0},
    {0x008F68, 0x00704F, 0x2DC79B, 0x55D6B1},
    {0xB85C90, 0x9A4477, 0xDD8DBB, 0xE7A9CC},
    {0xB87800, 0x8A5A00, 0xF0C04A, 0xF3CD70},
    {0x3B8FC4, 0x2A6F9B, 0x9DD3F2, 0xB5DFF6},
}};

constexpr std::array<Marker, 5> kMarkers{Marker::circle, Marker::square, Marker::triangle, Marker::diamond,
                                         Marker::triangle_down};

double channel(Rgb color, int shift) {
    const double value = static_cast<double>((color >> shift) & 0xFFU) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(Rgb color) {
    return 0.2126 * channel(color, 16) + 0.7152 * channel(color, 8) + 0.0722 * channel(color, 0);
}

} // namespace

Palette palette(Theme theme) {
    if (theme == Theme::dark) return {0x15191F, 0xE8EAED, 0xA3ABB5, 0x6B7480, 0x2B313A, 56};
    return {0xFFFFFF, 0x1B1F24, 0x5C6670, 0x8A939D, 0xE6E9ED, 44};
}

SeriesStyle series_style(int style, Theme theme) {
    const std::array<std::vector<double>, 3> dashes{{{}, {6, 2}, {1.5, 1.5}}};
    const auto index = static_cast<std::size_t>(style < 0 ? -(style + 1) : style);
    const Hue& hue = kHues[index % kHues.size()];
    const bool dark = theme == Theme::dark;
    return {dark ? hue.dark_line : hue.light_line, dark ? hue.dark_text : hue.light_text, dashes[index % dashes.size()],
            kMarkers[index % kMarkers.size()]};
}

double contrast(Rgb a, Rgb b) {
    const double one = luminance(a), two = luminance(b);
    return (std::max(one, two) + 0.05) / (std::min(one, two) + 0.05);
}

} // namespace narrows::plots
