// SPDX-License-Identifier: GPL-3.0-or-later
// narrows audit as its user sees it.
#include "process.hpp"
#include "scenarios.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace narrows::testing {
namespace {

using Json = nlohmann::json;

class Audit : public ::testing::Test {
protected:
    Folder folder;
    std::string shipped = (std::filesystem::path(NARROWS_SOURCE_DIR) / "configs/audit/seed-results.csv").string();
};

TEST_F(Audit, SaysWhatCannotBeAndEndsWith1) {
    const auto said = narrows({"audit", shipped});
    EXPECT_EQ(said.code, 1) << said.err;
    EXPECT_EQ(said.err, "");
    EXPECT_NE(said.out.find("100 users at 1,050 req/s need a cycle of 95.2 ms, below the stated 100 ms"),
              std::string::npos)
        << said.out;
    EXPECT_NE(said.out.find("7 of 30 rows break a law by more than 2 %"), std::string::npos) << said.out;
    EXPECT_EQ(narrows({"audit", shipped, "-q"}).code, 1);
    EXPECT_EQ(narrows({"audit", shipped, "-q"}).out, "");
    EXPECT_EQ(narrows({"audit", folder.write("good.csv", "users,throughput_rps,cycle_ms\n100,990,100\n")}).code, 0);
}

TEST_F(Audit, TheToleranceDecides) {
    const auto table = folder.write("t.csv", "users,throughput_rps,cycle_ms\n100,1050,100\n");
    EXPECT_EQ(narrows({"audit", table, "--tolerance", "4%"}).code, 1);
    EXPECT_EQ(narrows({"audit", table, "--tolerance", "6%"}).code, 0);
    EXPECT_EQ(narrows({"audit", table, "--tolerance", "much"}).code, 2);
}

TEST_F(Audit, WritesJsonLines) {
    const auto said = narrows({"audit", shipped, "--json", "-"});
    EXPECT_EQ(said.code, 1);
    std::istringstream in(said.out);
    int rows = 0, flagged = 0;
    for (std::string line; std::getline(in, line); ++rows) {
        const auto json = Json::parse(line);
        EXPECT_EQ(json.at("flagged").get<bool>(), !json.at("findings").empty());
        flagged += json.at("flagged").get<bool>() ? 1 : 0;
        for (const auto& finding : json.at("findings"))
            EXPECT_GT(finding.at("stated"), finding.at("limit")) << line;
    }
    EXPECT_EQ(rows, 30);
    EXPECT_EQ(flagged, 7);
}

TEST_F(Audit, NamesEveryErrorOfATable) {
    const auto said = narrows({"audit", folder.write("bad.csv", "users,rps\nten,1\n-1,2\n")});
    EXPECT_EQ(said.code, 2);
    for (const char* place : {"bad.csv:1:7: error:", "bad.csv:2:1: error:", "bad.csv:3:1: error:"})
        EXPECT_NE(said.err.find(place), std::string::npos) << said.err;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(narrows({"audit", folder.file("missing.csv")}).code, 2);
    EXPECT_EQ(narrows({"audit", folder.write("little.csv", "users\n5\n")}).code, 2);
    const auto json = narrows({"audit", folder.write("bad.jsonl", "{\"threads\": 1}\n\n  {nonsense\n")});
    EXPECT_EQ(json.code, 2);
    for (const char* place : {"bad.jsonl:1:1: error:", "bad.jsonl:3:3: error:"})
        EXPECT_NE(json.err.find(place), std::string::npos) << json.err;
}

TEST_F(Audit, OurOwnResultsObeyTheLaws) {
    const auto small = folder.write("small.yaml", kSmall);
    ASSERT_EQ(narrows({"sweep", small, "-q", "--json", folder.file("r.jsonl")}).code, 0);
    const auto said = narrows({"audit", folder.file("r.jsonl")});
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_NE(said.out.find("0 of 4 rows"), std::string::npos) << said.out;
    auto wrong =
        Json::parse(read_whole(folder.file("r.jsonl")).substr(0, read_whole(folder.file("r.jsonl")).find('\n')));
    wrong["goodput_rps"] = 1e6;
    EXPECT_EQ(narrows({"audit", folder.write("wrong.jsonl", wrong.dump() + "\n")}).code, 1);
}

} // namespace
} // namespace narrows::testing
