// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace narrows::plots {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostLabelledPoints = 10;
// A bound farther away than this does not widen the axis (ratio to the largest or smallest datum).
constexpr double kNearLinear = 1.35;
constexpr double kNearLog = 3.0;
// Doubles beyond these cannot be padded without overflow or loss; a figure of a web service never
// comes near, so such a point counts as not finite.
constexpr double kLargest = 1e150;
constexpr double kSmallest = 1e-150;

bool showable(double value) {
    return std::isfinite(value) && std::fabs(value) < kLargest;
}

struct Extent {
    double low = kNan, high = kNan;

    [[nodiscard]] bool empty() const { return std::isnan(low); }
    void add(double value) {
        low = empty() ? value : std::min(low, value);
        high = std::isnan(high) ? value : std::max(high, value);
    }
};

void add_values(Extent& extent, const std::vector<Point>& points, bool log_x, bool log_y) {
    for (const auto& run : trace(points, log_x, log_y).runs) {
        for (const Point& point : run) {
            extent.add(point.y);
            if (point.high) extent.add(*point.high);
            if (point.low && (!log_y || *point.low > 0)) extent.add(*point.low);
        }
    }
}

Extent data_extent(const Panel& panel, bool log_x) {
    Extent extent;
    for (const Line& line : panel.lines)
        add_values(extent, line.points, log_x, panel.log_y);
    for (const Published& figures : panel.published)
        add_values(extent, figures.points, log_x, panel.log_y);
    return extent;
}

/// Widens `extent` by the bounds' vertices that lie near it; takes them all when there is no data.
void add_near_bounds(Extent& extent, const Panel& panel, bool log_x) {
    const Extent data = extent;
    for (const Bound& bound : panel.bounds) {
        for (const auto& run : trace(bound.points, log_x, panel.log_y).runs) {
            for (const Point& point : run) {
                const bool near = panel.log_y ? point.y <= data.high * kNearLog && point.y >= data.low / kNearLog
                                              : point.y <= data.high * kNearLinear;
                if (data.empty() || near) extent.add(point.y);
            }
        }
    }
}

/// The largest of 1, 2, 5 times a power of ten that is not above (or the smallest not below) value.
double round_log(double value, bool up) {
    const double decade = std::pow(10.0, std::floor(std::log10(value)));
    const std::array<double, 4> steps{1, 2, 5, 10};
    if (up) {
        for (double step : steps)
            if (step * decade >= value * (1 - 1e-12)) return step * decade;
        return 10 * decade;
    }
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        if (*step * decade <= value * (1 + 1e-12)) return *step * decade;
    return decade;
}

Axis log_axis_y(const Extent& extent) {
    const double pad = std::pow(extent.high / extent.low, 0.04);
    Axis axis{true, round_log(extent.low / pad, false), round_log(extent.high * pad * 1.1, true)};
    // All values alike: still show at least most of a decade, so that a tick or two is there.
    if (axis.high / axis.low < 5) axis = {true, round_log(axis.low / 2, false), round_log(axis.high * 1.5, true)};
    return axis;
}

Axis linear_axis_y(const Extent& extent) {
    const double low = std::min(0.0, extent.low), high = std::max(0.0, extent.high);
    const double span = high - low;
    if (span <= 0) return {false, 0, 1};
    return {false, low < 0 ? low - 0.06 * span : 0.0, high > 0 ? high + 0.08 * span : 0.0};
}

std::vector<Tick> log_ticks(const Axis& axis, int wanted) {
    const int first = static_cast<int>(std::floor(std::log10(axis.low)));
    const int last = static_cast<int>(std::ceil(std::log10(axis.high)));
    const double decades = std::log10(axis.high / axis.low);
    const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, wanted))));
    std::vector<double> steps{1};
    if (decades * 3 <= wanted + 3) steps = {1, 2, 5};
    std::vector<Tick> ticks;
    for (int power = first; power <= last; ++power) {
        if (power % every != 0) continue;
        for (double step : steps) {
            // Through text: 10^power from the standard library may be off by a unit in the last place.
            double at = 0;
            const std::string digits = fmt::format("{:.0f}e{}", step, power);
            std::from_chars(digits.data(), digits.data() + digits.size(), at);
            if (at >= axis.low * (1 - 1e-12) && at <= axis.high * (1 + 1e-12)) ticks.push_back({at, number(at)});
        }
    }
    return ticks;
}

std::string group_thousands(std::string_view digits) {
    std::string grouped;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
        grouped += digits[i];
    }
    return grouped;
}

std::vector<Tick> linear_ticks(const Axis& axis, int wanted) {
    const double rough = (axis.high - axis.low) / std::max(1, wanted);
    if (!(rough > 0)) return {};
    const double below = round_log(rough, false), above = round_log(rough, true);
    const double step = rough / below < above / rough ? below : above; // the nearer one
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    std::vector<Tick> ticks;
    const double first = std::ceil(axis.low / step - 1e-9), last = std::floor(axis.high / step + 1e-9);
    if (!(last - first < 1000)) return {};
    for (double k = first; k <= last; k += 1) {
        const double at = k == 0 ? 0.0 : k * step;
        double clean = at; // 3 * 0.1 is not 0.3: round to the step's own decimals
        if (decimals < 15) {
            const std::string text = fmt::format("{:.{}f}", at, decimals);
            std::from_chars(text.data(), text.data() + text.size(), clean);
        }
        ticks.push_back({clean, number(clean)});
    }
    return ticks;
}

Extent x_extent(const Chart& chart) {
    Extent extent;
    const auto add = [&](const std::vector<Point>& points, bool log_y) {
        for (const auto& run : trace(points, chart.log_x, log_y).runs)
            for (const Point& point : run)
                extent.add(point.x);
    };
    for (const Panel& panel : chart.panels) {
        for (const Line& line : panel.lines)
            add(line.points, panel.log_y);
        for (const Published& figures : panel.published)
            add(figures.points, panel.log_y);
    }
    if (!extent.empty()) return extent;
    for (const Panel& panel : chart.panels)
        for (const Bound& bound : panel.bounds)
            add(bound.points, panel.log_y);
    return extent;
}

/// Where a value stands on its axis: 0 at the low end, 1 at the high end.
double place_on(const Axis& axis, double value) {
    return axis.log ? std::log(value / axis.low) / std::log(axis.high / axis.low)
                    : (value - axis.low) / (axis.high - axis.low);
}

double value_at(const Axis& axis, double place) {
    return axis.log ? axis.low * std::pow(axis.high / axis.low, place) : axis.low + place * (axis.high - axis.low);
}

/// Narrows [from, to] to the part of a straight line a -> b that lies between 0 and 1.
void cut(double a, double b, double& from, double& to) {
    if (a == b) {
        if (a < 0 || a > 1) to = -1;
        return;
    }
    const double at_zero = -a / (b - a), at_one = (1 - a) / (b - a);
    from = std::max(from, std::min(at_zero, at_one));
    to = std::min(to, std::max(at_zero, at_one));
}

} // namespace

Trace trace(const std::vector<Point>& points, bool log_x, bool log_y) {
    std::vector<Point> sorted;
    for (const Point& point : points)
        if (showable(point.x)) sorted.push_back(point);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    Trace result;
    bool broken = true;
    for (Point& point : sorted) {
        const bool left = log_x && point.x < kSmallest;
        const bool below = log_y && point.y < kSmallest;
        if (!showable(point.y) || left || below) {
            if (showable(point.y)) result.off_scale.push_back({point.x, point.y, left, below});
            broken = true;
            continue;
        }
        const bool interval = point.low && point.high && showable(*point.low) && showable(*point.high) &&
                              *point.low <= *point.high && (!log_y || *point.high > kSmallest);
        if (!interval) point.low = point.high = std::nullopt;
        if (broken) result.runs.emplace_back();
        broken = false;
        result.runs.back().push_back(point);
    }
    return result;
}

bool has_data(const Panel& panel, bool log_x) {
    return !data_extent(panel, log_x).empty();
}

Axis x_axis(const Chart& chart) {
    if (!chart.categories.empty()) return {false, -0.5, static_cast<double>(chart.categories.size()) - 0.5};
    const Extent extent = x_extent(chart);
    if (extent.empty()) return chart.log_x ? Axis{true, 1, 10} : Axis{false, 0, 1};
    if (chart.log_x) {
        if (extent.low == extent.high) return {true, extent.low / 3, extent.high * 3};
        const double pad = std::pow(extent.high / extent.low, 0.03);
        return {true, extent.low / pad, extent.high * pad};
    }
    const double span = extent.high - extent.low;
    if (span <= 0) {
        const double room = extent.low == 0 ? 1.0 : std::fabs(extent.low) * 0.5;
        return {false, extent.low - room, extent.high + room};
    }
    return {false, extent.low - 0.03 * span, extent.high + 0.03 * span};
}

Axis y_axis(const Panel& panel, bool log_x) {
    Extent extent = data_extent(panel, log_x);
    add_near_bounds(extent, panel, log_x);
    if (extent.empty()) return panel.log_y ? Axis{true, 1, 10} : Axis{false, 0, 1};
    return panel.log_y ? log_axis_y(extent) : linear_axis_y(extent);
}

double last_x(const Chart& chart) {
    double last = kNan;
    for (const Panel& panel : chart.panels)
        for (const Line& line : panel.lines)
            for (const auto& run : trace(line.points, chart.log_x, panel.log_y).runs)
                last = std::isnan(last) ? run.back().x : std::max(last, run.back().x);
    return last;
}

std::vector<std::vector<Point>> inside(const Bound& bound, const Axis& x, const Axis& y) {
    std::vector<std::vector<Point>> pieces;
    const auto runs = trace(bound.points, x.log, y.log).runs;
    if (runs.size() == 1 && runs.front().size() == 1) { // a sweep of one point: the limit spans the panel
        const double level = runs.front().front().y;
        if (level < y.low || level > y.high) return {};
        return {{Point{x.low, level, {}, {}, true}, Point{x.high, level, {}, {}, true}}};
    }
    for (const auto& run : runs) {
        bool joined = false; // the last piece ends where the next segment starts
        for (std::size_t i = 0; i + 1 < run.size(); ++i) {
            const Point &a = run[i], &b = run[i + 1];
            const double ax = place_on(x, a.x), ay = place_on(y, a.y), bx = place_on(x, b.x), by = place_on(y, b.y);
            double from = 0, to = 1;
            cut(ax, bx, from, to);
            cut(ay, by, from, to);
            if (from >= to) {
                joined = false;
                continue;
            }
            const auto at = [&](double part) {
                if (part <= 0) return a;
                if (part >= 1) return b;
                return Point{value_at(x, ax + part * (bx - ax)), value_at(y, ay + part * (by - ay)), {}, {}, true};
            };
            if (!joined) pieces.push_back({at(from)});
            pieces.back().push_back(at(to));
            joined = to >= 1;
        }
    }
    return pieces;
}

BoundEnd bound_end(const Bound& bound, const Axis& x, const Axis& y) {
    const auto pieces = inside(bound, x, y);
    if (pieces.empty()) return {};
    const Point end = pieces.back().back();
    const auto runs = trace(bound.points, x.log, y.log).runs;
    const bool goes_on = end.x < runs.back().back().x;
    const bool at_top = place_on(y, end.y) > 1 - 1e-9;
    return {goes_on && at_top ? BoundEnd::Kind::top : BoundEnd::Kind::right, end.x, end.y};
}

std::vector<Tick> round_ticks(const Axis& axis, int wanted) {
    return axis.log ? log_ticks(axis, wanted) : linear_ticks(axis, wanted);
}

std::vector<Tick> x_ticks(const Chart& chart, const Axis& axis) {
    std::vector<Tick> ticks;
    if (!chart.categories.empty()) {
        for (std::size_t i = 0; i < chart.categories.size(); ++i)
            ticks.push_back({static_cast<double>(i), chart.categories[i]});
        return ticks;
    }
    std::vector<double> swept;
    for (const Panel& panel : chart.panels)
        for (const Line& line : panel.lines)
            for (const auto& run : trace(line.points, chart.log_x, panel.log_y).runs)
                for (const Point& point : run)
                    swept.push_back(point.x);
    std::sort(swept.begin(), swept.end());
    swept.erase(std::unique(swept.begin(), swept.end()), swept.end());
    if (swept.empty() || swept.size() > kMostLabelledPoints) return round_ticks(axis, 8);
    for (double x : swept)
        ticks.push_back({x, number(x)});
    return ticks;
}

std::string number(double value) {
    if (value == 0) return "0"; // also for -0
    std::array<char, 64> buffer{};
    const double size = std::fabs(value);
    const bool plain = size < 1e15 && size >= 1e-6;
    const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
    std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    if (!plain) return std::string(text);
    std::string sign;
    if (text.front() == '-') {
        sign = "\u2212"; // a minus as wide as a digit, not a hyphen
        text.remove_prefix(1);
    }
    const std::size_t point = std::min(text.find('.'), text.size());
    return sign + group_thousands(text.substr(0, point)) + std::string(text.substr(point));
}

} // namespace narrows::plots
