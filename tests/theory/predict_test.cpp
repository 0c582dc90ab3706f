// SPDX-License-Identifier: GPL-3.0-or-later
// What the formulas predict of a plan against the engine that simulates the same plan.
#include "analytic/predict.hpp"
#include "replicate.hpp"
#include "support/plans.hpp"

namespace narrows::testing {
namespace {

using plan::Sharing;

void expect_predicted(const plan::Plan& plan, const std::string& method, double seconds = 30) {
    const auto predicted = analytic::predict(plan);
    ASSERT_EQ(predicted.method, method) << predicted.reason;
    ASSERT_TRUE(predicted.exact);
    const auto s = replicate(plan, seconds);
    expect_truth(s.throughput, predicted.throughput_rps, "throughput");
    expect_truth(s.response_ms, predicted.response_ms, "response");
}

TEST(Predictions, ClosedNetwork) {
    PlanBuilder b;
    b.work(b.cpu("app", 3, Sharing::processor_sharing), Distribution::constant(2e6));
    b.work(b.cpu("db", 2, Sharing::fcfs), Distribution::exponential(1.8e6));
    b.delay(Distribution::uniform(0, 20e6));
    auto plan = b.closed(50, Distribution::exponential(20e6));
    plan.load.spread = 20'000'000;
    expect_predicted(plan, "exact MVA");
}

TEST(Predictions, ContentionOfTheUniversalScalabilityLaw) {
    PlanBuilder b;
    b.plan.cpus.push_back({.name = "db", .cores = 4, .usl_alpha = 0.05, .usl_beta = 0.001});
    b.work(0, Distribution::exponential(1e6));
    auto plan = b.closed(40, Distribution::exponential(10e6));
    plan.load.spread = 10'000'000;
    expect_predicted(plan, "machine repairman");
}

TEST(Predictions, ThreadsThatAreAlwaysFull) {
    PlanBuilder b;
    const int app = b.cpu("app", 3, Sharing::processor_sharing);
    b.runner({.name = "threads", .kind = plan::RunnerKind::threads, .workers = 10, .cpu = app, .resume_cost = 50'000});
    b.work(app, Distribution::exponential(2e6));
    b.delay(Distribution::exponential(3e6));
    b.work(app, Distribution::constant(0.5e6));
    expect_predicted(b.closed(40), "machine repairman");
}

TEST(Predictions, OpenQueues) {
    PlanBuilder shared;
    shared.work(shared.cpu("app", 2, Sharing::processor_sharing), Distribution::uniform(0, 2e6));
    shared.delay(Distribution::constant(5e6));
    expect_predicted(shared.open(1500), "M/M/c", 60);
    PlanBuilder line;
    line.work(line.cpu("app", 1, Sharing::fcfs), Distribution::gamma(1e6, 0.5));
    expect_predicted(line.open(700), "M/G/1", 120);
}

TEST(Predictions, NestedHoldsWhereTheApproximationMustBeNearlyRight) {
    // One queue alone has any weight, and its bound is reached.
    PlanBuilder b;
    const int app = b.cpu("app", 4, Sharing::processor_sharing);
    b.runner({.name = "threads", .kind = plan::RunnerKind::threads, .workers = 40, .cpu = app});
    const int pool = b.pool("pool", 5);
    b.work(app, Distribution::exponential(0.2e6));
    b.acquire(pool);
    b.delay(Distribution::exponential(10e6));
    b.release(pool);
    const auto plan = b.closed(60);
    const auto predicted = analytic::predict(plan);
    ASSERT_EQ(predicted.method, "layered MVA");
    const auto s = replicate(plan, 30);
    expect_truth(s.throughput, predicted.throughput_rps, "throughput");
    expect_truth(s.response_ms, predicted.response_ms, "response");
}

} // namespace
} // namespace narrows::testing
