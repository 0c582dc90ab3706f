// SPDX-License-Identifier: GPL-3.0-or-later
// Every law at its limit: what is just inside is not flagged, what is just outside is.
#include "audit/laws.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

namespace narrows::audit {
namespace {

std::string laws(const Row& row, double tolerance = 0.02) {
    std::string out;
    for (const auto& f : check(row, tolerance).findings)
        out += (out.empty() ? "" : ", ") + f.law;
    return out;
}

TEST(AuditLaws, UsersAndTheirCycle) {
    Row row;
    row.users = 100;
    row.cycle_ms = 100;
    row.throughput_rps = 1019;
    EXPECT_EQ(laws(row), "");
    row.throughput_rps = 1050;
    const auto verdict = check(row, 0.02);
    ASSERT_EQ(verdict.findings.size(), 1U);
    EXPECT_EQ(verdict.findings[0].message,
              "100 users at 1,050 req/s need a cycle of 95.2 ms, below the stated 100 ms: at most 1,000 req/s");
    EXPECT_EQ(verdict.findings[0].limit, 1000);
    EXPECT_EQ(laws(row, 0.06), "");
    row.think_ms = 80; // a hold and a think time together may be longer than the cycle that is stated
    row.hold_ms = 40;
    row.throughput_rps = 860;
    EXPECT_EQ(laws(row), "users");
    row.throughput_rps = 840;
    EXPECT_EQ(laws(row), "");
}

TEST(AuditLaws, LittlesLaw) {
    Row row;
    row.users = 100;
    row.throughput_rps = 1000;
    row.mean_ms = 110;
    EXPECT_EQ(laws(row), "Little");
    row.mean_ms = 60; // the rest may think
    EXPECT_EQ(laws(row), "");
    EXPECT_NE(check(row, 0.02).implied.at(0).find("a think time of 40 ms"), std::string::npos);
    row.think_ms = 30; // now ten of them are nowhere
    EXPECT_EQ(laws(row), "Little");
    row.errors = 0.1; // unless what failed is not in the mean
    EXPECT_EQ(laws(row), "");
    row.think_ms = 40;
    row.errors.reset();
    EXPECT_EQ(laws(row), "");
}

TEST(AuditLaws, PlacesAndTheirHolds) {
    Row row;
    row.throughput_rps = 2039;
    row.threads = 200;
    row.hold_ms = 100;
    EXPECT_EQ(laws(row), "");
    row.throughput_rps = 2041;
    EXPECT_EQ(laws(row), "threads");
    row.pool = 50;
    row.pool_hold_ms = 25;
    EXPECT_EQ(laws(row), "threads, pool");
    row.errors = 0.118; // failures need not have held anything
    EXPECT_EQ(laws(row), "");
}

TEST(AuditLaws, ProcessorsAndUtilization) {
    Row row;
    row.throughput_rps = 9720;
    row.cores = 4;
    row.demand_ms = 10;
    const auto verdict = check(row, 0.02);
    ASSERT_EQ(verdict.findings.size(), 1U);
    EXPECT_EQ(verdict.findings[0].message, "9,720 req/s of 10 ms CPU each need 97.20 cores, above the stated 4: a "
                                           "request has at most 0.412 ms");
    row.demand_ms = 0.366;
    row.utilization_pct = 89;
    EXPECT_EQ(laws(row), "");
    row.utilization_pct = 80;
    EXPECT_EQ(laws(row), "utilization");
    row.utilization_pct = 97; // somebody else's work
    EXPECT_EQ(laws(row), "");
    row.demand_ms.reset();
    row.utilization_pct = 350;
    EXPECT_EQ(laws(row), "utilization");
}

TEST(AuditLaws, NobodyAnswersFasterThanHeHolds) {
    Row row;
    row.hold_ms = 100;
    row.mean_ms = 97;
    EXPECT_EQ(laws(row), "response");
    row.mean_ms = 98.5;
    EXPECT_EQ(laws(row), "");
    EXPECT_EQ(check(Row{}, 0.02).checks, 0);
}

TEST(AuditLaws, TheShippedTableFlagsExactlyWhatBreaksALaw) {
    std::ifstream in(NARROWS_SOURCE_DIR "/configs/audit/seed-results.csv", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto table = read_csv(text, "seed-results.csv");
    for (const auto& problem : table.problems)
        ADD_FAILURE() << problem.text();
    EXPECT_EQ(table.rows.size(), 30U);
    std::set<std::string> flagged;
    for (const auto& row : table.rows) {
        const auto verdict = check(row, 0.02);
        EXPECT_FALSE(verdict.checks == 0 && verdict.implied.empty()) << row.label;
        if (!verdict.findings.empty()) flagged.insert(row.label);
    }
    const std::set<std::string> wrong{"order summary, both models, 100 users", "order summary, platform, 2,500 users",
                                      "order summary, platform, plateau to",   "connection held, platform, pool 200",
                                      "connection held, virtual, pool 400",    "connection held, virtual, pool 800",
                                      "e-commerce, virtual, 10 ms of logic"};
    EXPECT_EQ(flagged, wrong);
}

} // namespace
} // namespace narrows::audit
