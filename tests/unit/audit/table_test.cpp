// SPDX-License-Identifier: GPL-3.0-or-later
#include "audit/table.hpp"

#include <gtest/gtest.h>

namespace narrows::audit {
namespace {

std::string said(const Table& table) {
    std::string out;
    for (const auto& problem : table.problems)
        out += problem.text() + "\n";
    return out;
}

TEST(AuditTable, ReadsColumnsByNameWhateverTheirOrder) {
    const auto table = read_csv("\xef\xbb\xbf# a comment\r\nusers,label, throughput_rps ,errors\r\n\r\n"
                                "100,\"two, \"\"quoted\"\"\",1050.5,11.8%\r\n,,12,\r\n",
                                "t.csv");
    EXPECT_EQ(said(table), "");
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].label, "two, \"quoted\"");
    EXPECT_EQ(table.rows[0].line, 4);
    EXPECT_EQ(table.rows[0].users, 100);
    EXPECT_EQ(table.rows[0].throughput_rps, 1050.5);
    EXPECT_DOUBLE_EQ(table.rows[0].errors.value_or(0), 0.118);
    EXPECT_FALSE(table.rows[0].think_ms);
    EXPECT_EQ(table.rows[1].label, "line 5");
    EXPECT_FALSE(table.rows[1].users);
}

TEST(AuditTable, ReportsEveryErrorWithItsPlace) {
    const auto table = read_csv("users,throughput_rp,threads,users\n"
                                "ten,1,-3,\n"
                                "0,2,1\n"
                                "\"a\nb\",1,2,3\n",
                                "t.csv");
    EXPECT_TRUE(table.rows.empty());
    const auto text = said(table);
    for (const char* place :
         {"t.csv:1:7: error: 'throughput_rp' is no column", "did you mean 'throughput_rps'",
          "t.csv:1:29: error: the column 'users' is there twice", "t.csv:2:1: error: users: 'ten'",
          "t.csv:2:7: error: threads: -3 must be above 0", "t.csv:3:1: error: users: 0 must be",
          "t.csv:3:5: error: 3 cells, but the heading has 4 columns", "t.csv:4:1: error: users: 'a"})
        EXPECT_NE(text.find(place), std::string::npos) << place << "\n" << text;
}

TEST(AuditTable, RefusesWhatIsNoTable) {
    EXPECT_NE(said(read_csv("", "t.csv")).find("t.csv:1:1"), std::string::npos);
    EXPECT_NE(said(read_csv("users\n", "t.csv")).find("at least one line of figures"), std::string::npos);
    EXPECT_NE(said(read_csv("users\n1\xff\n", "t.csv")).find("t.csv:2:2: error: the text is not UTF-8"),
              std::string::npos);
    EXPECT_NE(said(read_csv("label,users\n\"a,1\n", "t.csv")).find("t.csv:2:1: error: the quotation"),
              std::string::npos);
    EXPECT_NE(said(read_csv("label,users\n\"a\"b,1\n", "t.csv")).find("t.csv:2:4: error: a comma must"),
              std::string::npos);
}

} // namespace
} // namespace narrows::audit
