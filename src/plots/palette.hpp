// SPDX-License-Identifier: GPL-3.0-or-later
// Colours, dashes and markers. A series differs from its neighbour in all three, so that it can be
// told apart on paper without colour and by colour-blind readers.
#pragma once

#include "plots/chart.hpp"

#include <cstdint>
#include <vector>

namespace narrows::plots {

using Rgb = std::uint32_t; ///< 0xRRGGBB

enum class Marker { circle, square, triangle, diamond, triangle_down };

struct SeriesStyle {
    Rgb line = 0;             ///< for lines and marks: at least 3:1 against the background
    Rgb text = 0;             ///< the same hue for words: at least 4.5:1
    std::vector<double> dash; ///< in line widths; empty: solid
    Marker marker = Marker::circle;
};

struct Palette {
    Rgb background = 0, text = 0, muted = 0, axis = 0, grid = 0;
    int band_alpha = 0; ///< of 255: fill of an interval band
};

/// The surface colours of a theme.
Palette palette(Theme theme);

/// How a series looks. Any int is allowed; styles repeat after six.
SeriesStyle series_style(int style, Theme theme);

/// Contrast ratio of two colours as WCAG 2 defines it, 1 to 21.
double contrast(Rgb a, Rgb b);

} // namespace narrows::plots
