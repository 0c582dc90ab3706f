// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/csv.hpp"
#include "report/explain.hpp"
#include "report/figures.hpp"
#include "report/tables.hpp"
#include "report/text.hpp"
#include "samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace narrows::report {
namespace {

using testing::sample;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

TEST(Text, Numbers) {
    EXPECT_EQ(number(13712.25), "13,712");
    EXPECT_EQ(number(1234567), "1,234,567");
    EXPECT_EQ(number(999.4), "999.4");
    EXPECT_EQ(number(999.96), "1,000");
    EXPECT_EQ(number(-1234), "-1,234");
    EXPECT_EQ(number(0.0213), "0.021");
    EXPECT_EQ(number(std::nan("")), "-");
    EXPECT_EQ(number(-1e-9), "0");
    EXPECT_EQ(milliseconds(-1e-9), "0 ms");
    EXPECT_EQ(count(6), "6");
    EXPECT_EQ(count(1.5), "1.50");
    EXPECT_EQ(plus_minus(13319, 66.4), "13,319 ± 66");
    EXPECT_EQ(whole(1000), "1,000");
    EXPECT_EQ(milliseconds(690.4), "690 ms");
    EXPECT_EQ(milliseconds(2810), "2.81 s");
    EXPECT_EQ(milliseconds(0.15), "0.150 ms");
    EXPECT_EQ(percent(0.998), "99.8 %");
    EXPECT_EQ(percent(0.81), "81 %");
    EXPECT_EQ(factor(6.23), "6.2");
}

TEST(Text, ColumnsCountWhatIsSeen) {
    EXPECT_EQ(columns("±"), 1U);
    EXPECT_EQ(columns("\x1b[1mab\x1b[0m"), 2U);
    EXPECT_EQ(pad("±", 3, true), "  ±");
}

TEST(Text, TablesAreAligned) {
    Table table({"name", "value"});
    table.row({"a", "1"});
    table.row({"long ± name", "1,000"});
    const auto lines = lines_of(table.text({}));
    ASSERT_EQ(lines.size(), 3U);
    for (const auto& line : lines)
        EXPECT_EQ(columns(line), table.width()) << line;
}

TEST(Text, WrapKeepsWordsAndWidth) {
    const auto text = wrap("one two three four five six seven", 12, 2);
    for (const auto& line : lines_of(text))
        EXPECT_LE(columns(line), 12U);
    EXPECT_EQ(text, "one two\n  three four\n  five six\n  seven");
}

TEST(Tables, NoLineIsWiderThan100AndThereIsNoColourUnasked) {
    auto other = sample();
    other.threads = "platform";
    other.at.back().second = "platform";
    std::vector<measure::Result> results{other, sample()};
    results[1].against = {{"p99", "platform", 0.5, measure::Interval{0.4, 0.6}, 3, true, 0.3, "50 % lower (1/2.0)"}};
    for (const auto& text :
         {run_report(sample(), {}), sweep_table(results, {}), comparison_table(results, {}), explain(sample(), {})}) {
        EXPECT_EQ(text.find('\x1b'), std::string::npos);
        for (const auto& line : lines_of(text))
            EXPECT_LE(columns(line), 100U) << line;
    }
}

TEST(Tables, AWeakPercentileIsMarked) {
    const auto text = run_report(sample(), {});
    EXPECT_NE(text.find("240 ms?"), std::string::npos) << text;
    EXPECT_EQ(text.find("221 ms?"), std::string::npos) << text;
    EXPECT_NE(text.find("735 pool_timeout"), std::string::npos) << text;
}

measure::Result at_users(const char* threads, const char* users, const char* bottleneck) {
    auto r = sample();
    r.knot.reset();
    r.threads = threads;
    r.at = {{"load.users", users}, {"threads", threads}};
    r.bottleneck.resource = bottleneck;
    return r;
}

TEST(Movement, SaysWhereItMoves) {
    // Out of order on purpose: the sentence follows the axis, not the file.
    const std::vector<measure::Result> results{at_users("platform", "500", "tomcat.threads"),
                                               at_users("platform", "100", ""),
                                               at_users("virtual", "100", ""),
                                               at_users("virtual", "2500", "hikari"),
                                               at_users("virtual", "500", ""),
                                               at_users("platform", "2500", "tomcat.threads")};
    EXPECT_EQ(how_the_bottleneck_moved(results),
              "How the bottleneck moved with load.users: platform: from the load itself to tomcat.threads at 500; "
              "virtual: from the load itself to hikari at 2,500.");
}

TEST(Movement, SaysEveryMove) {
    const std::vector<measure::Result> results{at_users("virtual", "100", ""), at_users("virtual", "200", "hikari"),
                                               at_users("virtual", "300", "app.cpu")};
    EXPECT_NE(how_the_bottleneck_moved(results).find(
                  "virtual: from the load itself to hikari at 200, then to app.cpu at 300."),
              std::string::npos)
        << how_the_bottleneck_moved(results);
}

TEST(Movement, SaysWhenItStays) {
    const std::vector<measure::Result> results{at_users("virtual", "100", "hikari"),
                                               at_users("virtual", "200", "hikari")};
    EXPECT_NE(how_the_bottleneck_moved(results).find("virtual: hikari throughout"), std::string::npos);
    EXPECT_EQ(how_the_bottleneck_moved({}), "");
    EXPECT_EQ(how_the_bottleneck_moved(std::span(results).first(1)), "");
}

TEST(Csv, EveryRowHasEveryColumn) {
    auto other = sample();
    other.at = {{"pool", "a,b"}};
    other.resources.pop_back();
    other.makespan_ms = 12.5;
    const std::vector<measure::Result> results{sample(), other};
    const auto lines = lines_of(to_csv(results));
    ASSERT_EQ(lines.size(), 3U);
    const auto commas = [](const std::string& line) {
        bool quoted = false;
        return std::count_if(line.begin(), line.end(), [&](char c) {
            quoted = quoted != (c == '"');
            return c == ',' && !quoted;
        });
    };
    EXPECT_EQ(commas(lines[1]), commas(lines[0]));
    EXPECT_EQ(commas(lines[2]), commas(lines[0]));
    EXPECT_NE(lines[2].find("\"a,b\""), std::string::npos);
    EXPECT_EQ(lines[0].rfind("at.load.users,at.pool,threads,", 0), 0U) << lines[0];
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> out;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');)
        out.push_back(cell);
    return out;
}

/// A column's value in a row without quoted commas.
std::string cell_of(const std::vector<std::string>& lines, std::size_t row, const std::string& column) {
    const auto head = cells_of(lines[0]);
    const auto it = std::find(head.begin(), head.end(), column);
    if (it == head.end()) return "no column " + column;
    const auto cells = cells_of(lines[row]);
    const auto index = static_cast<std::size_t>(it - head.begin());
    return index < cells.size() ? cells[index] : "";
}

TEST(Csv, HasWhatFormulasSay) {
    auto exact = sample();
    exact.at.clear();
    exact.manifest.scenario = "plain";
    exact.bounds = {{"tomcat.threads", 2085.5, ""}};
    exact.analytic = measure::Analytic{"exact MVA", true, 2010, 97.5, "exactly", ""};
    auto none = exact;
    none.bounds.clear();
    none.analytic = measure::Analytic{};
    none.analytic->reason = "a burst";
    auto rough = exact;
    rough.analytic->exact = false;
    const auto lines = lines_of(to_csv(std::vector<measure::Result>{exact, none, rough}));
    EXPECT_EQ(cell_of(lines, 1, "analytic_method"), "exact MVA");
    EXPECT_EQ(cell_of(lines, 1, "analytic_exact"), "1");
    EXPECT_EQ(cell_of(lines, 1, "analytic_rps"), "2010");
    EXPECT_EQ(cell_of(lines, 1, "analytic_mean_ms"), "97.5");
    EXPECT_EQ(cell_of(lines, 1, "lowest_bound_rps"), "2085.5");
    for (const char* column :
         {"analytic_method", "analytic_exact", "analytic_rps", "analytic_mean_ms", "lowest_bound_rps"})
        EXPECT_EQ(cell_of(lines, 2, column), "") << column;
    EXPECT_EQ(cell_of(lines, 3, "analytic_exact"), "0");
}

TEST(Csv, ASeriesIsARowAStep) {
    auto one = sample(), two = sample();
    two.threads = "platform";
    const double none = std::nan("");
    one.series =
        measure::Series{500, {20, 30}, {40, 60}, {38, 58}, {5, none}, {none, none}, {7, 8}, {{"hikari", {0.5, 0}}}};
    two.series = one.series;
    two.series->queue = {{"tomcat.threads", {3, 4}}};
    const auto lines = lines_of(series_csv(std::vector<measure::Result>{one, two, sample()}));
    ASSERT_EQ(lines.size(), 5U) << "the third has none";
    EXPECT_EQ(lines[0],
              "threads,from_s,step_s,answered,throughput_rps,goodput_rps,p50_ms,p99_ms,in_flight,queue.hikari,"
              "queue.tomcat.threads");
    EXPECT_EQ(lines[1], "virtual,0,0.5,20,40,38,5,,7,0.5,");
    EXPECT_EQ(lines[2], "virtual,0.5,0.5,30,60,58,,,8,0,");
    EXPECT_EQ(lines[3], "platform,0,0.5,20,40,38,5,,7,,3");
}

TEST(Assertions, AreJudgedAtTheWorseEnd) {
    const auto r = sample(); // p99 221.06, interval 219.5 … 222.75; throughput 13,712, interval 13,627.5 … 13,797
    EXPECT_TRUE(judge(parse_assertion("p99_ms < 222.8"), r).holds);
    EXPECT_FALSE(judge(parse_assertion("p99_ms < 222"), r).holds) << "above the figure, below the interval's end";
    EXPECT_TRUE(judge(parse_assertion("throughput_rps > 13600"), r).holds);
    EXPECT_FALSE(judge(parse_assertion("throughput_rps >= 13700"), r).holds);
    EXPECT_TRUE(judge(parse_assertion("p99_ms<=0.5s"), r).holds);
    EXPECT_TRUE(judge(parse_assertion("utilization.hikari > 99%"), r).holds);
    EXPECT_TRUE(judge(parse_assertion("max_ms < 300.8"), r).holds) << "no interval: the figure itself";
    EXPECT_TRUE(judge(parse_assertion("error_share < 0.1%"), r).holds);
    EXPECT_FALSE(judge(parse_assertion("error_share < 0.05%"), r).holds);
}

TEST(Assertions, WhatIsNotANumberNeverHolds) {
    auto r = sample();
    r.latency.p99 = std::nan("");
    r.confidence.erase("p99");
    EXPECT_FALSE(judge(parse_assertion("p99_ms < 1e9"), r).holds);
    EXPECT_FALSE(judge(parse_assertion("p99_ms > 0"), r).holds);
}

TEST(Assertions, WrongOnesAreRefused) {
    for (const char* text : {"p99_ms", "p99_ms < ", "p99_ms < fast", "< 5", "p99_ms == 5", "p99_ms != 5",
                             "throughput_rps > 5 ms", "p99_ms < 1e999"})
        EXPECT_THROW((void)parse_assertion(text), std::invalid_argument) << text;
    EXPECT_THROW((void)judge(parse_assertion("p98_ms < 5"), sample()), std::invalid_argument);
    EXPECT_THROW((void)judge(parse_assertion("queue.nothing < 5"), sample()), std::invalid_argument);
}

TEST(Published, SpeaksOfItsPointOnly) {
    scenario::Published published;
    published.at = {{"load.users", "2500"}, {"threads", "virtual"}};
    published.figures = {{"throughput", 13700}, {"p99", 690e6}, {"utilization:carriers", 0.8}, {"pending:hikari", 800}};
    const auto r = sample();
    EXPECT_TRUE(speaks_of(published, r));
    const auto lines = beside(published, r);
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0].figure, "p99");
    EXPECT_DOUBLE_EQ(lines[0].published, 690);
    EXPECT_NEAR(lines[0].ratio, 221.0625 / 690, 1e-12);
    EXPECT_NE(lines[0].text.find("differs by more than 10 %"), std::string::npos);
    EXPECT_EQ(lines[2].text.find("differs"), std::string::npos) << lines[2].text;
    published.at[0].second = "500";
    EXPECT_FALSE(speaks_of(published, r));
    published.at = {{"threads", "platform"}};
    EXPECT_FALSE(speaks_of(published, r));
    published.at = {{"other", "1"}};
    EXPECT_FALSE(speaks_of(published, r));
}

} // namespace
} // namespace narrows::report
