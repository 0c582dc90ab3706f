// SPDX-License-Identifier: GPL-3.0-or-later
// Where words go so that no two of them overlap. Lengths are in CSS pixels, y grows downwards.
// No Qt here: the width of a text comes in as a number or through a function.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace narrows::plots {

struct Wish {
    double center = 0; ///< where the label wants its middle
    double height = 0;
};

/// Moves labels that share one column apart by as little as possible (least squares), keeping
/// their order and staying within [top, bottom]. Returns the centres in the order of `wishes`; when
/// there is not room for all, they are stacked from `top` on and run over `bottom`.
std::vector<double> spread(const std::vector<Wish>& wishes, double top, double bottom);

struct Flag {
    double anchor = 0; ///< x of the vertical line
    double width = 0;  ///< of the text
};

struct FlagPlace {
    int row = 0;        ///< 0 is next to the plot; higher rows stand above it
    double left = 0;    ///< where the text starts
    bool joined = true; ///< false: its line may not run up to the text, it would strike another one
};

/// Rows for short texts on vertical lines, so that neither a text nor a line runs into another
/// text. Texts stand to the right of their line, to the left where they would leave `right`.
std::vector<FlagPlace> stagger(const std::vector<Flag>& flags, double left, double right, double gap);

struct Word {
    double center = 0, width = 0;
};

/// Which labels of one row can be kept without touching: the first and the last come first, then
/// from left to right.
std::vector<bool> thin(const std::vector<Word>& words, double gap);

using Measure = std::function<double(const std::string&)>; ///< width of a text

/// Breaks at spaces so that no line is wider than `width` where that can be had; keeps line feeds.
/// An empty text gives no line.
std::vector<std::string> wrap(const std::string& text, double width, const Measure& measure);

/// wrap() with lines of about the same length: as many lines as wrap() needs, but no short last one.
std::vector<std::string> wrap_evenly(const std::string& text, double width, const Measure& measure);

struct Cell {
    double left = 0;
    int row = 0;
};

/// Items of these widths one after the other, in as many rows as needed (the legend).
std::vector<Cell> flow(const std::vector<double>& widths, double width, double gap);

} // namespace narrows::plots
