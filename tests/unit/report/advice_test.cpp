// SPDX-License-Identifier: GPL-3.0-or-later
// What an explanation advises, and what tables claim: words that must agree with the figures beside them.
#include "report/advice.hpp"
#include "report/explain.hpp"
#include "report/tables.hpp"
#include "samples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace narrows::report {
namespace {

using measure::ResourceKind;
using measure::Result;
using testing::sample;

std::string advised(const Result& r) {
    return fmt::format("{}", fmt::join(advice(r), "\n"));
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// `text` without line breaks, which depend on the width.
std::string unwrapped(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// One queue in front of one place: 80 requests a second for 10 ms each, 38.1 of 48 ms waiting.
Result one_queue() {
    Result r;
    r.threads = "platform";
    r.throughput_rps = 80.1;
    r.offered_rps = 80;
    r.latency = {100000, 48, 30, 100, 140, 220, 300, 400, {}};
    r.resources.push_back(
        {"semaphore s", ResourceKind::pool, 1, 0.801, 0.801, 80.1 * 0.0381, 40, 38.1, 80.1, 10, 0, 0, 0});
    r.bounds = {{"offered load", 80, "80 req/s are asked for"}, {"semaphore s", 100, "1 permit / 10 ms = 100 req/s"}};
    r.peak_in_flight = 41;
    return r;
}

TEST(Advice, TellsThroughputFromLatencyWhenNothingIsSaturated) {
    const auto text = advised(one_queue());
    EXPECT_TRUE(has(text, "Throughput is set by the load. Latency is not: 38.1 of 48.0 ms are spent waiting for "
                          "semaphore s (80 % in use). Widening it shortens the latency and leaves the throughput as it "
                          "is."))
        << text;
    EXPECT_TRUE(has(text, "until semaphore s allows no more: 100.0 req/s")) << text;
    EXPECT_FALSE(has(text, "changes nothing")) << text;
}

TEST(Advice, UsersAskAgainSoonerWhenAnsweredSooner) {
    auto r = one_queue();
    r.offered_rps = 0;
    r.bounds = {{"users", 95, "users / least cycle"}, {"semaphore s", 100, "1 / 10 ms"}};
    const auto text = advised(r);
    EXPECT_TRUE(has(text, "the throughput rises too, to 95.00 req/s at most")) << text;
    EXPECT_FALSE(has(text, "leaves the throughput")) << text;
}

TEST(Advice, WithoutQueuesAWiderResourceChangesLittle) {
    auto r = one_queue();
    r.resources[0].queue_mean = 0.01;
    EXPECT_TRUE(has(advised(r), "a wider resource changes little")) << advised(r);
}

TEST(Advice, BranchesSideBySideAreNotAPartOfTheLatency) {
    auto r = one_queue();
    r.resources[0].queue_mean = 80.1 * 0.096;
    EXPECT_TRUE(has(advised(r), "the branches of a request wait 96.0 ms")) << advised(r);
}

TEST(Advice, ALoadThatIsReachedIsNoLackOfTime) {
    auto r = sample();
    r.bottleneck.resource = "app.cpu";
    r.bounds = {{"users", r.throughput_rps / 0.985, "users"}, {"app.cpu", 17142.9, "6 cores / 0.35 ms"}};
    auto text = advised(r);
    EXPECT_FALSE(has(text, "no time left")) << text;
    EXPECT_TRUE(has(text, "until app.cpu allows no more: 17,143 req/s")) << text;
    r.bounds[0].rps = r.throughput_rps / 0.97;
    EXPECT_TRUE(has(advised(r), "app.cpu has no time left")) << advised(r);
}

TEST(Advice, TheNextLimitIsAboveTheThroughput) {
    auto r = sample();
    r.bottleneck.resource = "app.cpu";
    r.bounds = {{"carriers", r.throughput_rps - 1, "low"},
                {"app.cpu", r.throughput_rps, "own"},
                {"db.cpu", 26667, "4 / 0.15 ms"},
                {"users", 26000, "2,500"}};
    const auto text = advised(r);
    EXPECT_TRUE(has(text, "Then the next limit is users: 26,000 req/s")) << text;
}

Result convoy() {
    auto r = sample();
    r.knot.reset();
    r.resources[0].hold_ms_mean = 3.66;
    r.bounds = {{"app.cpu", 17142.9, "6 cores / 0.35 ms"},
                {"users", 26041, "2,500"},
                {"hikari", 50 / 0.15e-3, "50 connections / 0.15 ms"}};
    return r;
}

TEST(Advice, AConvoyIsNotCuredByAWiderPool) {
    const auto text = advised(convoy());
    EXPECT_TRUE(has(text,
                    "hikari is where requests queue, but the carriers are why. A wider pool moves the queue to the "
                    "carriers; at most app.cpu's 17,143 req/s can be gained."))
        << text;
    EXPECT_FALSE(has(text, "Widen hikari")) << text;
}

TEST(Advice, APoolHeldForWhatItIsNeededForIsWidened) {
    auto r = convoy();
    r.bounds[2].rps = r.throughput_rps * 1.01;
    EXPECT_TRUE(has(advised(r), "Widen hikari")) << advised(r);
    r = convoy();
    r.threads = "platform";
    EXPECT_TRUE(has(advised(r), "Widen hikari")) << advised(r);
    r = convoy();
    r.resources[1].queue_mean = 0;
    EXPECT_TRUE(has(advised(r), "Widen hikari")) << advised(r);
}

TEST(Advice, AKnotThatATimeOutUndoesComesBeforeAWiderPool) {
    auto r = convoy();
    r.threads = "platform";
    r.knot = sample().knot;
    EXPECT_TRUE(has(advised(r), "Undo the knot at hikari first")) << advised(r);
    EXPECT_FALSE(has(advised(r), "Widen hikari")) << advised(r);
    r.bounds[2].rps = r.throughput_rps; // the pool gives what it can: the knot cost nothing
    EXPECT_TRUE(has(advised(r), "Widen hikari")) << advised(r);
}

TEST(Explain, TheMeanUnderWayIsNotAboveTheMost) {
    auto r = sample();
    r.latency.mean = 2501 / r.throughput_rps * 1000;
    EXPECT_TRUE(has(unwrapped(explain(r, {})), "= 2,500 requests under way on average. At most 2,500 were."))
        << explain(r, {});
    r.latency.mean = 2700 / r.throughput_rps * 1000; // a contradiction is not hidden
    EXPECT_TRUE(has(unwrapped(explain(r, {})), "= 2,700 requests")) << explain(r, {});
}

TEST(Explain, ADashIsExplained) {
    auto r = sample();
    EXPECT_TRUE(has(explain(r, {}), "- no product:"));
    r.resources.pop_back(); // the processors
    EXPECT_FALSE(has(explain(r, {}), "- no product:"));
}

TEST(Tables, AMissingIntervalIsExplained) {
    auto r = sample();
    EXPECT_TRUE(has(run_report(r, {}), "- no interval:"));
    for (const char* key : {"throughput_rps", "goodput_rps", "mean", "p50", "p95", "p99", "p999"})
        r.confidence[key] = {1, 2};
    EXPECT_FALSE(has(run_report(r, {}), "- no interval:"));
}

TEST(Tables, ARatioLiesInsideItsInterval) {
    const auto table = [](measure::Against said) {
        std::vector<Result> results{sample(), sample()};
        results[1].against = {std::move(said)};
        return comparison_table(results, {.width = 200});
    };
    measure::Against said{"p99", "platform", 0.5, measure::Interval{0.41, 0.62}, 3, true, 0.4, "50 % lower (1/2.0)"};
    EXPECT_TRUE(has(table(said), "p99, virtual threads against platform threads: 50 % lower (1/2.0); ratio 0.50, "
                                 "95 % interval 0.41 … 0.62, 3 pairs\n"))
        << table(said);
    said.ratio = 0.17249;
    said.interval = measure::Interval{0.1721, 0.1729};
    EXPECT_TRUE(has(table(said), "ratio 0.17249, 95 % interval 0.17210 … 0.17290")) << table(said);
    said.interval = measure::Interval{0.5, 0.5};
    said.ratio = 0.5;
    EXPECT_TRUE(has(table(said), "ratio 0.500, 95 % interval 0.500 … 0.500"));
    said = {"p99", "platform", 1.004, measure::Interval{0.98, 1.03}, 3, false, 0.0415, "no detectable difference"};
    EXPECT_TRUE(has(table(said), "no detectable difference; ratio 1.004, 95 % interval 0.980 … 1.030, 3 pairs; "
                                 "one of 4.2 % would have shown in nine runs of ten"))
        << table(said);
}

TEST(Tables, WhatAutoAskedAndReached) {
    auto r = sample();
    r.replications = 8;
    r.precision = measure::Precision{0.02, 100, 2, true, 0.004, 0.0187};
    EXPECT_TRUE(has(run_report(r, {}), "the precision of 2 % was reached with 8 replications, at look 2"))
        << run_report(r, {});
    r.precision->reached = false;
    r.precision->p99 = std::nan("");
    EXPECT_TRUE(has(run_report(r, {}), "not reached with 8 replications")) << run_report(r, {});
    EXPECT_TRUE(has(run_report(r, {}), "p99 no interval")) << run_report(r, {});
}

TEST(Tables, AMissingPercentileSaysHowManyLieBeyondIt) {
    auto r = sample();
    r.confidence.erase("p99");
    r.no_interval["p99"] = "38 requests beyond it, but they do not make 10 groups of 10 that look independent";
    EXPECT_TRUE(has(run_report(r, {}), "- no interval of p99: 38 requests beyond it")) << run_report(r, {});
    const std::vector<Result> results{r};
    EXPECT_TRUE(has(sweep_table(results, {}), "?")) << sweep_table(results, {});
}

TEST(Tables, ASweepSaysWhatIsKnownWithoutSimulation) {
    auto r = sample();
    r.throughput_rps = 2000;
    r.bounds = {{"tomcat.threads", 2085, "200 threads / 95.9 ms"}};
    r.analytic = measure::Analytic{"exact MVA", true, 2010, 100, "exactly", ""};
    auto text = sweep_table(std::vector<Result>{r}, {});
    EXPECT_TRUE(has(text, "virtual, formula")) << text;
    EXPECT_TRUE(has(text, "2,010  +0.5 %  2,085")) << text;
    r.analytic->exact = false;
    text = sweep_table(std::vector<Result>{r}, {});
    EXPECT_TRUE(has(text, "~2,010")) << text;
    r.analytic = measure::Analytic{};
    r.analytic->reason = "a burst";
    text = sweep_table(std::vector<Result>{r}, {});
    EXPECT_FALSE(has(text, "+0.5 %")) << text;
    EXPECT_TRUE(has(text, "2,085")) << text;
}

TEST(Tables, AnUnstableRunIsNotCalledTooShort) {
    auto r = sample();
    r.verdict = measure::Verdict::unstable;
    r.latency.unsupported = {"mean", "p50", "p90", "p95", "p99", "p999"};
    const auto text = run_report(r, {});
    EXPECT_FALSE(has(text, "too few")) << text;
    EXPECT_TRUE(has(text, "? the queue grows as long as the load lasts, so no latency is claimed")) << text;
    EXPECT_TRUE(has(text, "182 ms?")) << "the mean is no more claimed than a percentile: " << text;
    EXPECT_FALSE(has(explain(r, {}), "Little's law over the whole service"));
    std::vector<Result> results{r};
    EXPECT_FALSE(has(sweep_table(results, {}), "too few")) << sweep_table(results, {});
    EXPECT_TRUE(has(sweep_table(results, {}), "\n? the queue grows")) << sweep_table(results, {});
    r.verdict = measure::Verdict::steady;
    results.push_back(r);
    EXPECT_TRUE(has(sweep_table(results, {}), "an interval of 95 %, or\n  the queue grows"))
        << sweep_table(results, {});
}

TEST(Tables, WhatWasNeverGrantedHasNoMeanWait) {
    auto r = sample();
    auto& pool = r.resources[0];
    pool.rate = pool.wait_ms_mean = pool.hold_ms_mean = 0;
    const auto text = run_report(r, {});
    const auto row = text.substr(text.find("\nhikari") + 1);
    const auto line = row.substr(0, row.find('\n'));
    EXPECT_TRUE(has(line, "  –  ")) << line;
    EXPECT_FALSE(has(line, "0 ms")) << line;
    EXPECT_FALSE(has(run_report(sample(), {}), "–"));
}

} // namespace
} // namespace narrows::report
