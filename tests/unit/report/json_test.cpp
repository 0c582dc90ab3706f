// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/json.hpp"
#include "samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace narrows::report {
namespace {

using testing::sample;

TEST(Json, ReadsBackWithoutLoss) {
    const auto once = to_json(sample(), Detail::full);
    const auto read = from_json(once);
    EXPECT_EQ(to_json(read, Detail::full), once);
    // The text could have lost a field on both ways: look at the ones that matter to a chart.
    const auto r = sample();
    EXPECT_EQ(read.at, r.at);
    EXPECT_EQ(read.seed, r.seed);
    EXPECT_EQ(read.confidence, r.confidence);
    EXPECT_EQ(read.replication_p99, r.replication_p99);
    EXPECT_EQ(read.resources[1].pinned_mean, r.resources[1].pinned_mean);
    EXPECT_EQ(read.latency.unsupported, r.latency.unsupported);
    EXPECT_EQ(read.manifest.settings, r.manifest.settings);
    EXPECT_EQ(read.knot->lines, r.knot->lines);
    EXPECT_TRUE(std::isnan(read.course.latency_ms[0]));
}

TEST(Json, RestoresTheHistogramExactly) {
    for (const std::vector<Nanos>& values :
         {std::vector<Nanos>{}, {7}, {5'000'003, 5'000'009}, {1, 1, 900'000'001, 900'000'001}}) {
        auto r = sample();
        r.histogram.clear();
        for (const Nanos value : values)
            r.histogram.record(value);
        const auto read = from_json(to_json(r, Detail::full)).histogram;
        EXPECT_EQ(read.count(), r.histogram.count());
        EXPECT_EQ(read.min(), r.histogram.min());
        EXPECT_EQ(read.max(), r.histogram.max());
        for (const double q : {0.0, 0.25, 0.5, 0.99, 1.0})
            EXPECT_EQ(read.quantile(q), r.histogram.quantile(q)) << q;
    }
}

TEST(Json, HasOneLineAndFixedKeys) {
    const auto text = to_json(sample());
    EXPECT_EQ(text.find('\n'), std::string::npos);
    std::size_t last = 0;
    for (const char* key :
         {"\"at\":", "\"threads\":", "\"engine\":", "\"seed\":", "\"outcome\":", "\"throughput_rps\":",
          "\"goodput_rps\":", "\"latency_ms\":", "\"confidence\":", "\"outcomes\":", "\"resources\":", "\"stages\":",
          "\"memory\":", "\"peak_in_flight\":", "\"bottleneck\":", "\"bounds\":", "\"warnings\":", "\"manifest\":",
          "\"scenario_sha256\":"}) {
        const auto found = text.find(key, last);
        ASSERT_NE(found, std::string::npos) << key;
        last = found;
    }
    EXPECT_EQ(text.find("\"course\""), std::string::npos) << "only the full detail has it";
}

TEST(Json, NumbersAreShortestAndNullWhenNotFinite) {
    EXPECT_EQ(json_number(0.1), "0.1");
    EXPECT_EQ(json_number(500), "500");
    EXPECT_EQ(json_number(-0.0), "0");
    EXPECT_EQ(json_number(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
    auto r = sample();
    r.latency.mean = std::nan("");
    const auto text = to_json(r);
    EXPECT_NE(text.find("\"mean\":null"), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_TRUE(std::isnan(from_json(text).latency.mean));
}

TEST(Json, PointsAreNumbersOnlyWhereTheTextSurvives) {
    const auto text = to_json(sample());
    EXPECT_NE(text.find("\"load.users\":2500"), std::string::npos);
    EXPECT_NE(text.find("\"pool\":\"010\""), std::string::npos);
    EXPECT_NE(text.find("\"x\":\"1.0\""), std::string::npos);
}

TEST(Json, SaysWhichLineIsWrong) {
    const auto good = to_json(sample());
    EXPECT_EQ(from_json_lines(good + "\n\n" + good + "\n").size(), 2U);
    try {
        (void)from_json_lines(good + "\n" + good.substr(0, 100) + "\n");
        FAIL() << "half a line was read";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    }
    EXPECT_THROW((void)from_json("{}"), std::runtime_error);
    EXPECT_THROW((void)from_json("[1]"), std::runtime_error);
}

TEST(Json, KeepsPrecisionComparisonAndSeries) {
    auto r = sample();
    for (const char* key : {"\"precision\"", "\"against\"", "\"series\"", "\"no_interval\""})
        EXPECT_EQ(to_json(r).find(key), std::string::npos) << key << " only where there is one";
    r.precision = measure::Precision{0.02, 100, 3, false, 0.01, std::nan("")};
    r.no_interval["p99"] = "38 requests beyond it";
    r.against = {{"p99", "platform", 0.5, measure::Interval{0.4, 0.6}, 3, true, 0.3, "50 % lower"},
                 {"throughput_rps", "platform", std::nan(""), {}, 0, false, std::nan(""), "cannot be compared"}};
    const double none = std::nan("");
    r.series =
        measure::Series{100,       {20, 30},     {200, 300}, {190, 290},
                        {5, none}, {none, none}, {7, 8},     {{"tomcat.threads", {1.5, 2}}, {"hikari", {0, 0.25}}}};
    r.resources[1].pinned_events = 1234;
    const auto text = to_json(r);
    const auto read = from_json(text);
    EXPECT_EQ(to_json(read), text);
    EXPECT_EQ(read.precision->looks, 3);
    EXPECT_EQ(read.precision->limit, 100);
    EXPECT_TRUE(std::isnan(read.precision->p99));
    EXPECT_EQ(read.no_interval, r.no_interval);
    EXPECT_EQ(read.against[0].interval, r.against[0].interval);
    EXPECT_EQ(read.against[0].pairs, 3U);
    EXPECT_FALSE(read.against[1].interval.has_value());
    EXPECT_EQ(read.series->queue, r.series->queue) << "in their order";
    EXPECT_EQ(read.series->step_ms, 100);
    EXPECT_EQ(read.resources[1].pinned_events, 1234U);
    r.series->p50_ms.pop_back();
    EXPECT_THROW((void)from_json(to_json(r)), std::runtime_error) << "a column is too short";
}

TEST(Json, KeepsWhatAFormulaSays) {
    auto r = sample();
    EXPECT_EQ(to_json(r).find("\"analytic\""), std::string::npos);
    r.analytic = measure::Analytic{"exact MVA", true, 2083.5, 960.25, "exactly", ""};
    const auto read = from_json(to_json(r));
    ASSERT_TRUE(read.analytic);
    EXPECT_EQ(read.analytic->method, "exact MVA");
    EXPECT_TRUE(read.analytic->exact);
    EXPECT_EQ(read.analytic->throughput_rps, 2083.5);
    EXPECT_EQ(read.analytic->response_ms, 960.25);
    r.analytic = measure::Analytic{};
    r.analytic->reason = "a burst";
    EXPECT_EQ(from_json(to_json(r)).analytic->reason, "a burst");
    EXPECT_EQ(to_json(r).find("response_ms"), std::string::npos) << "no figure where there is none";
}

} // namespace
} // namespace narrows::report
