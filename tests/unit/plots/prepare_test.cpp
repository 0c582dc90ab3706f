// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/prepare.hpp"

#include "samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace narrows::plots {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Point at(double x, double y) {
    return {x, y, {}, {}, true};
}

Chart chart_of(std::vector<Point> points, bool log_x = false, bool log_y = false) {
    Chart chart;
    chart.log_x = log_x;
    chart.panels.emplace_back();
    chart.panels[0].log_y = log_y;
    chart.panels[0].lines = {{"line", 0, std::move(points)}};
    return chart;
}

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
    std::vector<std::string> result;
    for (const Tick& tick : ticks)
        result.push_back(tick.label);
    return result;
}

TEST(Number, GroupsThousandsAndKeepsFractions) {
    EXPECT_EQ(number(0), "0");
    EXPECT_EQ(number(-0.0), "0");
    EXPECT_EQ(number(999), "999");
    EXPECT_EQ(number(1000), "1,000");
    EXPECT_EQ(number(13700), "13,700");
    EXPECT_EQ(number(1234567.5), "1,234,567.5");
    EXPECT_EQ(number(0.25), "0.25");
    EXPECT_EQ(number(-2500), "\u22122,500");
    EXPECT_EQ(number(1e18), "1e+18");
}

TEST(Trace, SortsByXAndBreaksTheLineWhereAPointIsLeftOut) {
    const Trace shown = trace({at(3, 30), at(1, 10), at(2, kNan), at(4, kInf), at(kNan, 5), at(5, 50)}, false, false);
    ASSERT_EQ(shown.runs.size(), 3U);
    EXPECT_EQ(shown.runs[0][0].x, 1);
    EXPECT_EQ(shown.runs[1][0].x, 3);
    EXPECT_EQ(shown.runs[2][0].x, 5);
    EXPECT_TRUE(shown.off_scale.empty()) << "what is not a number has no edge to be marked at";
}

TEST(Trace, MarksZeroOnALogAxisAtTheEdge) {
    const Trace shown = trace({at(0, 10), at(1, 0), at(2, 20)}, true, true);
    ASSERT_EQ(shown.runs.size(), 1U);
    EXPECT_EQ(shown.runs[0].size(), 1U);
    ASSERT_EQ(shown.off_scale.size(), 2U);
    EXPECT_TRUE(shown.off_scale[0].left);
    EXPECT_FALSE(shown.off_scale[0].below);
    EXPECT_TRUE(shown.off_scale[1].below);
    EXPECT_EQ(trace({at(0, 0)}, false, false).off_scale.size(), 0U) << "a linear axis shows zero";
}

TEST(Trace, DropsIntervalsThatCannotBeDrawn) {
    std::vector<Point> points{at(1, 1), at(2, 1), at(3, 1), at(4, 1)};
    points[0].low = 0.5, points[0].high = 2;
    points[1].low = 2, points[1].high = 0.5;
    points[2].low = -kInf, points[2].high = 2;
    points[3].low = 0.5; // no upper end
    const auto runs = trace(points, false, false).runs;
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_TRUE(runs[0][0].low.has_value());
    for (std::size_t i = 1; i < 4; ++i)
        EXPECT_FALSE(runs[0][i].low || runs[0][i].high) << i;
}

TEST(Axes, LinearYStartsAtZeroWithRoomAbove) {
    const Axis axis = y_axis(chart_of({at(1, 900), at(2, 1000)}).panels[0], false);
    EXPECT_EQ(axis.low, 0);
    EXPECT_GT(axis.high, 1000);
    EXPECT_LT(axis.high, 1200);
    EXPECT_LT(y_axis(chart_of({at(1, -5), at(2, 10)}).panels[0], false).low, -5);
}

TEST(Axes, AreNeverEmpty) {
    const std::vector<std::vector<Point>> cases{{},
                                                {at(0, 0)},
                                                {at(7, 7)},
                                                {at(1, 5), at(1, 5)},
                                                {at(kNan, kNan)},
                                                {at(-3, -3)},
                                                {at(1e300, 1e300)},
                                                {at(1e-300, 1e-300), at(5e-324, 5e-324)},
                                                {at(1e280, 1e280), at(1e-280, 1e-280)}};
    for (const auto& points : cases) {
        for (int logs = 0; logs < 4; ++logs) {
            const Chart chart = chart_of(points, (logs & 1) != 0, (logs & 2) != 0);
            for (const Axis& axis : {x_axis(chart), y_axis(chart.panels[0], chart.log_x)}) {
                EXPECT_LT(axis.low, axis.high);
                EXPECT_TRUE(std::isfinite(axis.low) && std::isfinite(axis.high));
                EXPECT_TRUE(!axis.log || axis.low > 0);
                EXPECT_LE(round_ticks(axis, 6).size(), 40U);
            }
        }
    }
}

TEST(Axes, AFarBoundDoesNotFlattenTheDataButANearOneIsShown) {
    Chart chart = chart_of({at(1, 1000), at(2, 2000)});
    chart.panels[0].bounds = {{"far", 0, {at(1, 90000), at(2, 90000)}}};
    EXPECT_LT(y_axis(chart.panels[0], false).high, 2500);
    chart.panels[0].bounds = {{"near", 0, {at(1, 2400), at(2, 2400)}}};
    EXPECT_GT(y_axis(chart.panels[0], false).high, 2400);
}

TEST(Axes, EveryShownPointAndIntervalIsInside) {
    for (const Chart& chart : {samples::order_summary(), samples::three_models(), samples::pool_sweep()}) {
        const Axis x = x_axis(chart);
        for (const Panel& panel : chart.panels) {
            const Axis y = y_axis(panel, chart.log_x);
            for (const Line& line : panel.lines)
                for (const Point& point : line.points) {
                    EXPECT_TRUE(point.x > x.low && point.x < x.high);
                    EXPECT_TRUE(*point.low >= y.low && *point.high < y.high) << point.y;
                }
        }
    }
}

TEST(Ticks, LabelTheSweptPointsThemselves) {
    const Chart chart = samples::order_summary();
    EXPECT_EQ(labels(x_ticks(chart, x_axis(chart))),
              (std::vector<std::string>{"100", "250", "500", "1,000", "2,500", "5,000", "10,000"}));
}

TEST(Ticks, AreRoundWhenManyPointsWereSwept) {
    std::vector<Point> points;
    for (int i = 1; i <= 37; ++i)
        points.push_back(at(i * 13.7, 1));
    const Chart chart = chart_of(points);
    for (const Tick& tick : x_ticks(chart, x_axis(chart)))
        EXPECT_EQ(std::fmod(tick.at, 50), 0) << tick.label;
}

TEST(Ticks, RoundFractionsAreExact) {
    EXPECT_EQ(labels(round_ticks({false, 0, 0.52}, 5)),
              (std::vector<std::string>{"0", "0.1", "0.2", "0.3", "0.4", "0.5"}));
    EXPECT_EQ(labels(round_ticks({true, 0.01, 1000}, 5)),
              (std::vector<std::string>{"0.01", "0.1", "1", "10", "100", "1,000"}));
    EXPECT_EQ(labels(round_ticks({true, 90, 1100}, 6)), (std::vector<std::string>{"100", "200", "500", "1,000"}));
}

TEST(Ticks, CategoriesAreTheWords) {
    const Chart chart = samples::categories();
    EXPECT_EQ(labels(x_ticks(chart, x_axis(chart))),
              (std::vector<std::string>{"JDK 21", "JDK 23", "JDK 24", "JDK 25"}));
}

TEST(Bounds, AreCutAtTheUpperEdge) {
    const Axis x{false, 0, 10}, y{false, 0, 100};
    const Bound rising{"rising", 0, {at(0, 0), at(10, 200)}};
    const auto pieces = inside(rising, x, y);
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_DOUBLE_EQ(pieces[0].back().x, 5);
    EXPECT_DOUBLE_EQ(pieces[0].back().y, 100);
    EXPECT_EQ(bound_end(rising, x, y).kind, BoundEnd::Kind::top);
    EXPECT_EQ(bound_end({"flat", 0, {at(0, 50), at(10, 50)}}, x, y).kind, BoundEnd::Kind::right);
    EXPECT_EQ(bound_end({"high", 0, {at(0, 500), at(10, 500)}}, x, y).kind, BoundEnd::Kind::outside);
    EXPECT_EQ(bound_end({"alone", 0, {at(5, 50)}}, x, y).kind, BoundEnd::Kind::right);
    EXPECT_EQ(bound_end({"none", 0, {}}, x, y).kind, BoundEnd::Kind::outside);
}

TEST(Bounds, AreStraightOnThePageOfALogAxis) {
    const Axis x{true, 1, 100}, y{true, 1, 10};
    const auto pieces = inside({"slope", 0, {at(1, 1), at(100, 100)}}, x, y);
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_NEAR(pieces[0].back().x, 10, 1e-12);
}

TEST(Bounds, ThatLeaveAndReturnAreTwoPieces) {
    const auto pieces =
        inside({"hill", 0, {at(0, 50), at(4, 150), at(6, 150), at(10, 50)}}, {false, 0, 10}, {false, 0, 100});
    ASSERT_EQ(pieces.size(), 2U);
    EXPECT_DOUBLE_EQ(pieces[0].back().x, 2);
    EXPECT_DOUBLE_EQ(pieces[1].front().x, 8);
}

} // namespace
} // namespace narrows::plots
