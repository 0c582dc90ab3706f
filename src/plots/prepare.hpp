// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart needs before anything is painted: which points can be shown, the ranges of the
// axes, their ticks, and numbers as text. No Qt here, so all of it is tested as plain values.
#pragma once

#include "plots/chart.hpp"

#include <string>
#include <vector>

namespace narrows::plots {

struct Axis {
    bool log = false;
    double low = 0, high = 1; ///< low < high; both > 0 when log
};

struct Tick {
    double at = 0;
    std::string label; ///< may be empty: a mark without a word
};

/// A point that a log axis cannot show (zero or less): marked at the edge of the panel.
struct OffScale {
    double x = 0, y = 0;
    bool left = false;  ///< x is zero or less: the mark stands at the left edge
    bool below = false; ///< y is zero or less: the mark stands at the lower edge
};

/// A series cut into runs of neighbouring points that can be shown. A point that is left out (not
/// finite, or off a log axis) breaks the line: nothing is invented between its neighbours.
struct Trace {
    std::vector<std::vector<Point>> runs;
    std::vector<OffScale> off_scale;

    [[nodiscard]] bool empty() const { return runs.empty(); }
};

/// Sorts by x (stable), drops what cannot be shown, and drops intervals that are not finite, are
/// the wrong way round, or (log y) end at or below zero.
Trace trace(const std::vector<Point>& points, bool log_x, bool log_y);

/// True when the panel has a line or published point that can be shown.
bool has_data(const Panel& panel, bool log_x);

/// The range of x over all panels, with a little room at both ends. Never empty.
Axis x_axis(const Chart& chart);

/// The range of y: from 0 on a linear axis (below it only for negative values), with room above.
/// Lines and published points decide; a bound widens the range only while it stays near them, so
/// that a far limit does not flatten the data. Never empty.
Axis y_axis(const Panel& panel, bool log_x);

/// The largest x that any line shows, or NaN: where lines must end to be labelled at their end.
double last_x(const Chart& chart);

/// The parts of a bound inside the axes. Its line is cut here and not by the painter, because an SVG
/// knows no clipping; between vertices it is straight on the page, also on a log axis.
std::vector<std::vector<Point>> inside(const Bound& bound, const Axis& x, const Axis& y);

/// Where a bound's line can be labelled.
struct BoundEnd {
    enum class Kind {
        right,  ///< it ends at (x, y)
        top,    ///< it leaves through the upper edge at (x, y)
        outside ///< no part of it is in range
    };
    Kind kind = Kind::outside;
    double x = 0, y = 0;
};

BoundEnd bound_end(const Bound& bound, const Axis& x, const Axis& y);

/// Round ticks inside the axis: 1, 2, 5 times a power of ten, about `wanted` of them. On a log
/// axis decades, with 2 and 5 between when there is room.
std::vector<Tick> round_ticks(const Axis& axis, int wanted);

/// Ticks of the x axis: the categories, else the swept values themselves when there are at most
/// ten, else round ticks.
std::vector<Tick> x_ticks(const Chart& chart, const Axis& axis);

/// The shortest decimal form that reads back the same, with commas between thousands: 13,700,
/// 0.25, −1,000; exponents only from 1e15 and below 1e-6. The same under every locale.
std::string number(double value);

} // namespace narrows::plots
