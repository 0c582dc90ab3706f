// SPDX-License-Identifier: GPL-3.0-or-later
// A result that obeys every law, and what is said when one figure of it is changed.
#include "audit/laws.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace narrows::audit {
namespace {

using measure::Result;

/// 1,000 req/s through 50 permits, held for 40 ms, waited for 20 ms, on 4 cores half busy.
Result sound() {
    Result r;
    r.threads = "virtual";
    r.measured_ms = 60000;
    r.throughput_rps = r.goodput_rps = 1000;
    r.confidence["goodput_rps"] = {990, 1010};
    r.latency.mean = 60;
    r.peak_in_flight = 80;
    r.outcomes["ok"] = 60000;
    r.resources.push_back({.name = "hikari",
                           .capacity = 50,
                           .utilization = 0.8,
                           .busy_mean = 40,
                           .queue_mean = 20,
                           .queue_max = 30,
                           .wait_ms_mean = 20,
                           .rate = 1000,
                           .hold_ms_mean = 40});
    r.resources.push_back({.name = "app.cpu", .kind = measure::ResourceKind::cpu, .capacity = 4, .utilization = 0.5});
    r.bounds = {{"hikari", 1250, "50 connections / 40 ms"}, {"app.cpu", 2000, "4 cores / 2 ms"}};
    return r;
}

std::string laws(const std::function<void(Result&)>& change) {
    auto result = sound();
    change(result);
    std::string out;
    for (const auto& f : check(result, 0.02).findings)
        out += (out.empty() ? "" : ", ") + f.law;
    return out;
}

TEST(AuditResults, ASoundResultIsNotFlagged) {
    EXPECT_EQ(laws([](Result&) {}), "");
    EXPECT_EQ(check(sound(), 0.02).checks, 8);
}

TEST(AuditResults, EachLawIsHeldAgainstIt) {
    EXPECT_EQ(laws([](Result& r) { r.bounds[0].rps = 960; }), "bound hikari");
    EXPECT_EQ(laws([](Result& r) { r.bounds[0].rps = 980; }), "") << "within interval and tolerance";
    EXPECT_EQ(laws([](Result& r) { r.goodput_rps = 900, r.bounds[0].rps = 950; }), "") << "failures are not bounded";
    EXPECT_EQ(laws([](Result& r) { r.peak_in_flight = 55; }), "Little");
    EXPECT_EQ(laws([](Result& r) { r.resources[0].wait_ms_mean = 23; }), "Little at hikari");
    EXPECT_EQ(laws([](Result& r) { r.resources[0].busy_mean = 45; }), "Little in hikari");
    EXPECT_EQ(laws([](Result& r) { r.resources[0].utilization = 1.1; }), "utilization");
    EXPECT_EQ(laws([](Result& r) { r.resources[1].utilization = 0.45; }), "utilization") << "1,000 x 2 ms are 2 cores";
    EXPECT_EQ(laws([](Result& r) {
                  r.resources[1].utilization = 0.45; // with contention a core in use does less than a core's work
                  r.bounds[1].formula = "3.6 cores / 1.8 ms";
              }),
              "");
    EXPECT_EQ(
        laws([](Result& r) { r.resources[0].rate = r.resources[0].hold_ms_mean = r.resources[0].queue_mean = 0; }), "")
        << "a permit that nobody gave back has no hold yet";
}

TEST(AuditResults, WithoutASteadyStateOnlyBoundsHold) {
    const auto unstable = [](Result& r) {
        r.verdict = measure::Verdict::unstable;
        r.resources[0].wait_ms_mean = 50;
        r.peak_in_flight = 10;
    };
    EXPECT_EQ(laws(unstable), "");
    EXPECT_EQ(laws([&](Result& r) {
                  unstable(r);
                  r.bounds[1].rps = 900;
              }),
              "bound app.cpu");
}

} // namespace
} // namespace narrows::audit
