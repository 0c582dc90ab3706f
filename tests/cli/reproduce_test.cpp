// SPDX-License-Identifier: GPL-3.0-or-later
// narrows reproduce, on cases that take a moment.
#include "process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace narrows::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kCase = R"(narrows: 1
name: A case
source: {title: Somebody 2025}
request: [sleep: 10ms]
load: {users: 10}
measure: {warmup: 100ms, duration: 1s, replications: 1, seed: 1}
published:
  - {at: {}, throughput: 1000, agrees: true}
  - {at: {load.users: 20}, throughput: 1000, remark: a mechanism of which nobody knows}
  - {at: {load.users: 5}, throughput: 1000}
guessed: {load.users: not stated}
)";

TEST(Reproduce, PrintsALineAFigureAndWhyOneMisses) {
    const Folder folder;
    const auto said = narrows({"reproduce", folder.write("case.yaml", kCase)});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_NE(said.out.find("Somebody 2025"), std::string::npos);
    EXPECT_NE(said.out.find("agrees"), std::string::npos);
    EXPECT_NE(said.out.find("a mechanism of which nobody knows"), std::string::npos);
    EXPECT_NE(said.out.find("the laws forbid"), std::string::npos);
    EXPECT_NE(said.out.find("throughputs and makespans within 10 %: 1 of 2 (50 %)"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("parameters: 1 guessed, 0 fitted"), std::string::npos);
}

TEST(Reproduce, AssertsWhatIsMarkedToAgreeAndNothingElse) {
    const Folder folder;
    const auto right = folder.write("right.yaml", kCase);
    EXPECT_EQ(narrows({"reproduce", right, "--assert", "--quiet"}).code, 0);
    std::string text = kCase;
    text.replace(text.find("throughput: 1000"), 16, "throughput: 1200");
    const auto wrong = folder.write("wrong.yaml", text);
    const auto said = narrows({"reproduce", wrong, "--assert", "--quiet"});
    EXPECT_EQ(said.code, 99);
    EXPECT_NE(said.err.find("marked to agree"), std::string::npos);
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(narrows({"reproduce", wrong, "--quiet"}).code, 0);
}

TEST(Reproduce, AShippedCaseAsJsonIsTheSameEveryTime) {
    const auto first = narrows({"reproduce", "pinning-jep491", "--json", "-", "-j", "1"});
    const auto second = narrows({"reproduce", "pinning-jep491", "--json", "-", "-j", "2"});
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(first.out, second.out);
    const auto all = Json::parse(first.out);
    ASSERT_EQ(all.at("cases").size(), 1U);
    EXPECT_EQ(all.at("cases").at(0).at("case"), "pinning-jep491");
    EXPECT_EQ(all.at("summary").at("judged"), 2);
}

TEST(Reproduce, SaysWhichNameIsNoCase) {
    const auto unknown = narrows({"reproduce", "no-such-case"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("no-such-case"), std::string::npos);
    const auto lesson = narrows({"reproduce", "first"});
    EXPECT_EQ(lesson.code, 2);
    EXPECT_NE(lesson.err.find("no published figures"), std::string::npos);
}

} // namespace
} // namespace narrows::testing
