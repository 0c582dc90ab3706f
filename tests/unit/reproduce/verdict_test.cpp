// SPDX-License-Identifier: GPL-3.0-or-later
#include "reproduce/reproduce.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace narrows::reproduce {
namespace {

using scenario::ReportedOutcome;

measure::Result result() {
    measure::Result out;
    out.threads = "virtual";
    out.replications = 2;
    out.throughput_rps = 1000;
    out.latency.p50 = 100;
    out.latency.p99 = 300;
    out.confidence["throughput_rps"] = {990, 1010};
    out.outcomes = {{"ok", 2000}};
    out.bounds = {{"hikari", 1100, "11 connections / 10 ms = 1,100 req/s"}, {"app.cpu", 4000, "4 / 1 ms"}};
    out.bottleneck.resource = "hikari";
    return out;
}

scenario::Published entry(std::map<std::string, double> figures) {
    scenario::Published out;
    out.figures = std::move(figures);
    return out;
}

TEST(Near, ThroughputsMayBeTenPercentOff) {
    EXPECT_TRUE(near(Kind::throughput, 1000, 1099));
    EXPECT_TRUE(near(Kind::throughput, 1000, 901));
    EXPECT_FALSE(near(Kind::throughput, 1000, 1101));
    EXPECT_FALSE(near(Kind::throughput, 1000, 899));
}

TEST(Near, MediansMayBeFifteenPercentOff) {
    EXPECT_TRUE(near(Kind::median, 100, 114));
    EXPECT_FALSE(near(Kind::median, 100, 116));
    EXPECT_FALSE(near(Kind::median, 100, 84));
}

TEST(Near, TailsMayDifferByHalfInEitherDirection) {
    EXPECT_TRUE(near(Kind::tail, 100, 149));
    EXPECT_TRUE(near(Kind::tail, 149, 100));
    EXPECT_FALSE(near(Kind::tail, 100, 151));
    EXPECT_FALSE(near(Kind::tail, 151, 100));
}

TEST(Near, UtilizationsMayDifferByTenPoints) {
    EXPECT_TRUE(near(Kind::utilization, 0.80, 0.89));
    EXPECT_FALSE(near(Kind::utilization, 0.80, 0.91));
    EXPECT_FALSE(near(Kind::utilization, 0.05, 0.16));
}

TEST(Near, WhatIsNoNumberNeverAgrees) {
    for (const Kind kind : {Kind::throughput, Kind::median, Kind::tail, Kind::utilization, Kind::waiting}) {
        EXPECT_FALSE(near(kind, 1, std::nan("")));
        EXPECT_FALSE(near(kind, 1, INFINITY));
    }
}

TEST(KindOf, IsTheFigures) {
    EXPECT_EQ(kind_of("throughput"), Kind::throughput);
    EXPECT_EQ(kind_of("makespan"), Kind::throughput);
    EXPECT_EQ(kind_of("mean"), Kind::median);
    EXPECT_EQ(kind_of("p50"), Kind::median);
    EXPECT_EQ(kind_of("p99"), Kind::tail);
    EXPECT_EQ(kind_of("utilization:app.cpu"), Kind::utilization);
    EXPECT_EQ(kind_of("pending:hikari"), Kind::waiting);
}

TEST(Laws, AThroughputAboveTheNarrowestBoundCannotBe) {
    EXPECT_EQ(broken_law("throughput", 1121, result()), ""); // 1.9 % above: "about"
    EXPECT_EQ(broken_law("throughput", 1123, result()), "11 connections / 10 ms = 1,100 req/s");
    measure::Result unbounded = result();
    unbounded.bounds.clear();
    EXPECT_EQ(broken_law("throughput", 1e9, unbounded), "");
}

TEST(Laws, AMakespanCannotBeShorterThanTheRequestsAtTheBoundTake) {
    // 2,000 requests in two runs at 1,100 a second: 909 ms each.
    EXPECT_EQ(broken_law("makespan", 895, result()), "");
    EXPECT_NE(broken_law("makespan", 885, result()), "");
}

TEST(Laws, ForbiddenFiguresAreNotJudgedEvenWhenTheyAreNear) {
    auto close = result();
    close.throughput_rps = 1099;
    const auto lines = judge(entry({{"throughput", 1130}}), close);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].verdict, Verdict::forbidden);
    EXPECT_FALSE(is_miss(lines[0]));
}

TEST(Laws, ABoundThatRestsOnAFittedParameterForbidsNothing) {
    EXPECT_EQ(judge(entry({{"throughput", 1130}}), result(), false).at(0).verdict, Verdict::misses);
}

TEST(Judge, ComparesInTheUnitsOfTheResult) {
    const auto lines = judge(entry({{"throughput", 1000}, {"p50", 120e6}, {"p99", 299e6}}), result());
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].figure, "throughput");
    EXPECT_EQ(lines[0].verdict, Verdict::agrees);
    ASSERT_TRUE(lines[0].interval);
    EXPECT_EQ(lines[0].interval->low, 990);
    EXPECT_EQ(lines[1].figure, "p50");
    EXPECT_NEAR(lines[1].published, 120, 1e-9);
    EXPECT_NEAR(lines[1].ratio, 100.0 / 120, 1e-9);
    EXPECT_EQ(lines[1].verdict, Verdict::misses);
    EXPECT_EQ(lines[2].verdict, Verdict::agrees);
}

TEST(Judge, AFigureThatTheRunDoesNotHaveIsAMiss) {
    const auto lines = judge(entry({{"makespan", 1000e6}, {"utilization:nowhere", 0.5}}), result());
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].verdict, Verdict::misses);
    EXPECT_EQ(lines[1].verdict, Verdict::misses);
}

TEST(Judge, WhatWasFittedToIsShownAndNotJudged) {
    auto one = entry({{"throughput", 500}});
    one.fitted = true;
    EXPECT_EQ(judge(one, result()).at(0).verdict, Verdict::fitted);
}

TEST(Outcome, IsTheWorstThatHolds) {
    auto run = result();
    EXPECT_EQ(outcome_of(run), ReportedOutcome::flows);
    run.outcomes["refused"] = 1;
    EXPECT_EQ(outcome_of(run), ReportedOutcome::errors);
    run.outcomes["pool_timeout"] = 1;
    EXPECT_EQ(outcome_of(run), ReportedOutcome::timeouts);
    run.verdict = measure::Verdict::unstable;
    EXPECT_EQ(outcome_of(run), ReportedOutcome::unstable);
    run.knot.emplace().until_timeout = true;
    EXPECT_EQ(outcome_of(run), ReportedOutcome::stall);
    run.verdict = measure::Verdict::deadlock;
    EXPECT_EQ(outcome_of(run), ReportedOutcome::deadlock);
}

TEST(Outcome, TimeoutsAreErrorsButAStallIsNotFlowing) {
    auto run = result();
    EXPECT_TRUE(outcome_holds(ReportedOutcome::flows, run));
    EXPECT_FALSE(outcome_holds(ReportedOutcome::errors, run));
    run.outcomes["client_timeout"] = 3;
    EXPECT_TRUE(outcome_holds(ReportedOutcome::errors, run));
    EXPECT_TRUE(outcome_holds(ReportedOutcome::timeouts, run));
    EXPECT_FALSE(outcome_holds(ReportedOutcome::flows, run));
    run.knot.emplace();
    EXPECT_TRUE(outcome_holds(ReportedOutcome::timeouts, run));
    EXPECT_TRUE(outcome_holds(ReportedOutcome::stall, run));
    EXPECT_FALSE(outcome_holds(ReportedOutcome::deadlock, run));
}

TEST(Outcome, BottleneckAndPinningAreWords) {
    scenario::Published one;
    one.bottleneck = "hikari";
    one.pinned = true;
    auto lines = judge(one, result());
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].verdict, Verdict::outcome_as_reported);
    EXPECT_EQ(lines[1].verdict, Verdict::outcome_differs);
    EXPECT_TRUE(is_miss(lines[1]));
    auto run = result();
    measure::ResourceFigures carriers;
    carriers.kind = measure::ResourceKind::runner;
    carriers.pinned_mean = 2;
    run.resources.push_back(carriers);
    run.bottleneck.resource = "app.cpu";
    lines = judge(one, run);
    EXPECT_EQ(lines[0].verdict, Verdict::outcome_differs);
    EXPECT_EQ(lines[1].verdict, Verdict::outcome_as_reported);
}

// ------------------------------------------------------------------------------------ summary

Entry judged(scenario::Settings at, double published, double simulated, bool asserted = false) {
    auto one = entry({{"throughput", published}});
    one.agrees = asserted;
    auto run = result();
    run.bounds.clear();
    run.throughput_rps = simulated;
    return {std::move(at), judge(one, run), "", "", ""};
}

Case one_case(std::vector<Entry> entries) {
    Case out;
    out.name = "case";
    out.guessed = 2;
    out.fitted = 1;
    out.entries = std::move(entries);
    return out;
}

TEST(Summary, CountsWhatIsRightOfWhatIsJudged) {
    const auto sum = summary({one_case({judged({{"a", "1"}}, 100, 105), judged({{"a", "2"}}, 100, 150)})});
    EXPECT_EQ(sum.judged, 2U);
    EXPECT_EQ(sum.throughputs.right, 1U);
    EXPECT_EQ(sum.throughputs.of, 2U);
    EXPECT_EQ(sum.unexplained, 1U);
    EXPECT_EQ(sum.guessed, 2U);
    EXPECT_EQ(sum.fitted, 1U);
    EXPECT_EQ(sum.orderings.of, 0U); // 100 and 100 are in no order
}

TEST(Summary, CountsApartWhatNobodyPrinted) {
    auto one = judged({{"a", "1"}}, 100, 105);
    one.lines.at(0).derived = true;
    const auto sum = summary({one_case({one})});
    EXPECT_EQ(sum.judged, 0U);
    EXPECT_EQ(sum.throughputs.of, 0U);
    EXPECT_EQ(sum.derived.right, 1U);
}

TEST(Summary, NamesFiguresThatAreMarkedToAgreeAndDoNot) {
    const auto sum = summary({one_case({judged({{"a", "1"}}, 100, 105, true), judged({{"a", "2"}}, 100, 150, true)})});
    ASSERT_EQ(sum.broken.size(), 1U);
    EXPECT_EQ(sum.broken[0], "case: a = 2: throughput: misses");
}

TEST(Summary, OrderIsOfPointsThatDifferInOneSetting) {
    const auto right = judged({{"threads", "platform"}}, 100, 10);
    const auto ahead = judged({{"threads", "virtual"}}, 200, 20);
    const auto behind = judged({{"threads", "virtual"}}, 200, 5);
    const auto other = judged({{"users", "5"}, {"threads", "virtual"}}, 400, 1);
    EXPECT_EQ(summary({one_case({right, ahead, other})}).orderings.right, 1U);
    EXPECT_EQ(summary({one_case({right, ahead, other})}).orderings.of, 1U);
    EXPECT_EQ(summary({one_case({right, behind})}).orderings.right, 0U);
}

TEST(Report, SaysWhyAFigureMisses) {
    auto missed = judged({{"a", "1"}}, 100, 150);
    EXPECT_NE(text({one_case({missed})}, {}).find("not explained"), std::string::npos);
    missed.remark = "tiers on one machine";
    const auto said = text({one_case({missed})}, {});
    EXPECT_NE(said.find("missing: tiers on one machine"), std::string::npos) << said;
    EXPECT_NE(said.find("misses"), std::string::npos);
    EXPECT_NE(said.find("parameters: 2 guessed, 1 fitted"), std::string::npos);
}

TEST(Report, JsonHasNumbersAndVerdicts) {
    const auto all = nlohmann::json::parse(json({one_case({judged({{"a", "1"}}, 100, 105, true)})}));
    const auto& figure = all.at("cases").at(0).at("entries").at(0).at("figures").at(0);
    EXPECT_EQ(figure.at("verdict"), "agrees");
    EXPECT_EQ(figure.at("simulated"), 105);
    EXPECT_EQ(figure.at("asserted"), true);
    EXPECT_EQ(all.at("summary").at("throughputs").at("right"), 1);
}

// --------------------------------------------------------------------------------------- runs

TEST(Run, ResultsDoNotDependOnTheNumberOfJobs) {
    experiment::Options one;
    experiment::Options three;
    three.jobs = 3;
    const std::vector<std::string> names{"pinning-jep491", "boot41-cpu"};
    EXPECT_EQ(json(run(names, one)), json(run(names, three)));
}

TEST(Run, JudgesEveryEntryAtItsOwnPoint) {
    const auto cases = run({"pinning-jep491"}, {});
    ASSERT_EQ(cases.size(), 1U);
    ASSERT_EQ(cases[0].entries.size(), 2U);
    EXPECT_NEAR(cases[0].entries[0].lines.at(0).simulated, 7500, 75); // ceil(60 / 2) x 250 ms
    EXPECT_NEAR(cases[0].entries[1].lines.at(0).simulated, 250, 2.5);
}

TEST(Run, RefusesWhatIsNoCase) {
    EXPECT_THROW((void)run({"no-such-scenario"}, {}), NoCase);
    EXPECT_THROW((void)run({"first"}, {}), NoCase); // a lesson without published figures
}

TEST(ShippedCases, AreSeedsAndPublished) {
    const auto names = shipped_cases();
    EXPECT_NE(std::find(names.begin(), names.end(), "order-summary"), names.end());
    EXPECT_NE(std::find(names.begin(), names.end(), "netflix-lock"), names.end());
    EXPECT_EQ(std::find(names.begin(), names.end(), "first"), names.end());
}

} // namespace
} // namespace narrows::reproduce
