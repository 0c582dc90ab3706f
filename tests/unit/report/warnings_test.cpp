// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/json.hpp"
#include "report/tables.hpp"
#include "report/warnings.hpp"
#include "samples.hpp"

#include <gtest/gtest.h>

namespace narrows::report::testing {
namespace {

using Lines = std::vector<std::string>;

/// users 1, 2, 3 × size 10, 20 × the models; `has` says which point has the warning "w".
template <class Has> Lines lines(const std::vector<std::string>& models, Has has) {
    std::vector<PointWarnings> points;
    for (const char* users : {"1", "2", "3"})
        for (const char* size : {"10", "20"})
            for (const auto& model : models) {
                PointWarnings point{{{"load.users", users}, {"pool.size", size}, {"threads", model}}, model, {}};
                if (has(std::string(users), std::string(size), model)) point.texts = {"w"};
                points.push_back(point);
            }
    Lines out;
    for (const auto& warning : merged_warnings(points))
        out.push_back(warning.line());
    return out;
}

TEST(MergedWarnings, NameThePointsWhereTheyCameUp) {
    const std::vector<std::string> both{"platform", "virtual"};
    const std::vector<std::string> one{"platform"};
    using S = const std::string&;
    EXPECT_EQ(lines(both, [](S, S, S) { return false; }), Lines{});
    EXPECT_EQ(lines(both, [](S, S, S) { return true; }), Lines{"w"});
    EXPECT_EQ(lines(one, [](S, S, S) { return true; }), Lines{"platform: w"});
    EXPECT_EQ(lines(both, [](S, S, S m) { return m == "virtual"; }), Lines{"virtual: w"});
    EXPECT_EQ(lines(both, [](S u, S, S) { return u == "3"; }), Lines{"users = 3: w"});
    EXPECT_EQ(lines(both, [](S u, S, S m) { return u != "1" && m == "platform"; }), Lines{"platform, users = 2, 3: w"});
    EXPECT_EQ(lines(one, [](S u, S s, S) { return u == "3" && s == "20"; }),
              Lines{"platform, users = 3, size = 20: w"});
    // Other points under each model: a line each.
    EXPECT_EQ(lines(both, [](S u, S, S m) { return u == "3" || (u == "2" && m == "virtual"); }),
              (Lines{"platform, users = 3: w", "virtual, users = 2, 3: w"}));
    // No values of axes make up the points: they are listed.
    EXPECT_EQ(lines(one, [](S u, S s, S) { return u == "1" ? s == "10" : s == "20"; }),
              Lines{"platform, users = 1, size = 10; users = 2, size = 20; users = 3, size = 20: w"});
}

TEST(MergedWarnings, LongListsAreCut) {
    std::vector<PointWarnings> points;
    for (int i = 0; i < 20; ++i)
        points.push_back({{{"a.x", std::to_string(i)}, {"b.x", "1"}}, "platform", {}});
    for (int i = 0; i < 19; ++i)
        points[static_cast<std::size_t>(i)].texts = {"w"};
    ASSERT_EQ(merged_warnings(points).size(), 1U);
    EXPECT_EQ(merged_warnings(points)[0].line(), "platform, a.x = 0, 1, 2 … 18 (19 values): w")
        << "the last part of a path alone would not be clear here";
}

TEST(MergedWarnings, InTheSweepTable) {
    auto few = sample();
    few.at = {{"load.users", "5"}, {"threads", "virtual"}};
    few.warnings = {"everywhere"};
    auto many = few;
    many.at[0].second = "5000";
    many.warnings = {"everywhere", "too many"};
    const auto text = sweep_table(std::vector<measure::Result>{few, many}, {});
    EXPECT_NE(text.find("warning: virtual: everywhere\nwarning: virtual, users = 5000: too many\n"), std::string::npos)
        << text;
}

std::string said_of(const std::string& text) {
    try {
        (void)from_json_lines(text);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "nothing";
}

TEST(BrokenJson, IsToldInWordsOfOurOwn) {
    const std::string whole = to_json(sample());
    EXPECT_EQ(said_of(whole + "\n" + whole.substr(0, 500)),
              "line 2: the JSON breaks off; the file may not be complete");
    EXPECT_EQ(said_of("{\"threads\": nonsense}"), "line 1: no JSON from column 14 on");
    EXPECT_EQ(said_of("\n{}\n"),
              "line 2: JSON, but no result of narrows: a key is missing or has a value of another kind");
    for (const char* text : {"{", "{\"threads\": 1}", "[1]", "{\"threads\": \"\x1b\"}", "{} {}", "\xff"}) {
        EXPECT_TRUE(said_of(text).starts_with("line 1: ")) << text;
        EXPECT_EQ(said_of(text).find("json.exception"), std::string::npos) << text;
    }
}

} // namespace
} // namespace narrows::report::testing
