// SPDX-License-Identifier: GPL-3.0-or-later
// Which method a plan gets, and why none. The figures are judged by the engine in tests/theory.
#include "analytic/predict.hpp"
#include "support/plans.hpp"
#include "support/theory.hpp"

#include <gtest/gtest.h>

namespace narrows::testing {
namespace {

using plan::Sharing;

TEST(Predict, ProductFormIsExactMva) {
    PlanBuilder b;
    b.work(b.cpu("app", 3, Sharing::processor_sharing), Distribution::constant(2e6));
    b.work(b.cpu("db", 2, Sharing::fcfs), Distribution::exponential(1.8e6));
    b.delay(Distribution::uniform(0, 20e6));
    const auto got = analytic::predict(b.closed(40, Distribution::exponential(30e6)));
    const auto truth = exact_mva({{2, 3}, {1.8, 2}, {10, 0}}, 40, 30);
    EXPECT_EQ(got.method, "exact MVA") << got.reason;
    EXPECT_TRUE(got.exact);
    EXPECT_NEAR(got.throughput_rps, truth.throughput * 1000, 1e-6);
    EXPECT_NEAR(got.response_ms, truth.response, 1e-6);
}

TEST(Predict, OneStationIsTheRepairman) {
    PlanBuilder b;
    b.work(b.cpu("repairmen", 2, Sharing::fcfs), Distribution::exponential(1e6));
    const auto got = analytic::predict(b.closed(20, Distribution::exponential(8e6)));
    EXPECT_EQ(got.method, "machine repairman");
    EXPECT_NEAR(got.throughput_rps, machine_repairman(20, 8, 1, 2).throughput * 1000, 1e-6);
}

TEST(Predict, ConstantServiceInOrderOfArrivalIsNoProductForm) {
    PlanBuilder b;
    b.work(b.cpu("repairmen", 2, Sharing::fcfs), Distribution::constant(1e6));
    const auto got = analytic::predict(b.closed(20, Distribution::exponential(8e6)));
    EXPECT_FALSE(got.exact);
    EXPECT_EQ(got.method, "layered MVA");
    EXPECT_FALSE(got.validity.empty());
}

plan::Plan through_threads(std::int64_t users, Distribution think) {
    PlanBuilder b;
    const int app = b.cpu("app", 3, Sharing::processor_sharing);
    b.runner({.name = "threads", .kind = plan::RunnerKind::threads, .workers = 10, .cpu = app});
    b.work(app, Distribution::constant(2e6));
    b.delay(Distribution::constant(10e6));
    return b.closed(users, std::move(think));
}

TEST(Predict, FullThreadsLetAlwaysTheSameNumberIn) {
    const auto got = analytic::predict(through_threads(40, {}));
    EXPECT_TRUE(got.exact) << got.method << got.reason;
    const auto truth = exact_mva({{2, 3}, {10, 0}}, 10, 0);
    EXPECT_NEAR(got.throughput_rps, truth.throughput * 1000, 1e-6);
    EXPECT_NEAR(got.response_ms, 40 / truth.throughput, 1e-6);
    EXPECT_NE(got.validity.find("for the 10 that threads lets in"), std::string::npos) << got.validity;
    // Who thinks leaves a thread idle now and then.
    EXPECT_FALSE(analytic::predict(through_threads(40, Distribution::constant(20e6))).exact);
    EXPECT_TRUE(analytic::predict(through_threads(10, Distribution::constant(20e6))).exact) << "never more than places";
}

TEST(Predict, OpenQueues) {
    PlanBuilder shared;
    shared.work(shared.cpu("app", 2, Sharing::processor_sharing), Distribution::constant(1e6));
    shared.delay(Distribution::constant(5e6));
    const auto mmc = analytic::predict(shared.open(1200));
    EXPECT_EQ(mmc.method, "M/M/c");
    EXPECT_NEAR(mmc.response_ms, 5 + mmc_response(1.2, 1, 2), 1e-9);
    PlanBuilder line;
    line.work(line.cpu("app", 1, Sharing::fcfs), Distribution::constant(1e6));
    const auto mg1 = analytic::predict(line.open(800));
    EXPECT_EQ(mg1.method, "M/G/1");
    EXPECT_NEAR(mg1.response_ms, mg1_response(0.8, 1, 0), 1e-9);
    auto regular = line.plan;
    regular.load.poisson = false;
    EXPECT_FALSE(analytic::predict(regular).exact);
    auto much = line.plan;
    much.load.rate = 1001;
    EXPECT_EQ(analytic::predict(much).reason, "more is offered than can be served");
}

TEST(Predict, SaysWhyNothingApplies) {
    PlanBuilder burst;
    burst.work(burst.cpu("app", 1, Sharing::fcfs), Distribution::constant(1e6));
    EXPECT_NE(analytic::predict(burst.burst(50)).reason.find("steady state"), std::string::npos);
    PlanBuilder lossy;
    const int places = lossy.pool("places", 3, 0);
    auto& acquire = lossy.add(plan::Op::acquire, places);
    acquire.on_failure = 3;
    lossy.delay(Distribution::constant(1e6));
    lossy.release(places);
    EXPECT_NE(analytic::predict(lossy.closed(50)).reason.find("turns requests away"), std::string::npos);
    PlanBuilder late;
    const int one = late.pool("one", 1);
    auto& wait = late.add(plan::Op::acquire, one);
    wait.timeout = 20'000'000;
    wait.on_failure = 3;
    late.delay(Distribution::constant(1e6));
    late.release(one);
    EXPECT_NE(analytic::predict(late.closed(50)).reason.find("come near its time-out"), std::string::npos);
}

TEST(Predict, RequestsThatTakeNoTime) {
    PlanBuilder b;
    b.delay(Distribution::constant(0));
    const auto said = analytic::predict(b.closed(10, Distribution::constant(1e9)));
    EXPECT_EQ(said.reason, "");
    EXPECT_NEAR(said.throughput_rps, 10, 1e-9);
    EXPECT_NEAR(said.response_ms, 0, 1e-9);
}

TEST(Predict, NestedHoldsAreApproximatedAndNeverBeyondTheBounds) {
    PlanBuilder b;
    const int app = b.cpu("app", 3, Sharing::processor_sharing);
    b.runner({.name = "threads", .kind = plan::RunnerKind::threads, .workers = 20, .cpu = app});
    const int pool = b.pool("pool", 5);
    b.work(app, Distribution::exponential(0.2e6));
    b.acquire(pool);
    b.delay(Distribution::constant(10e6));
    b.release(pool);
    const auto got = analytic::predict(b.closed(40));
    EXPECT_EQ(got.method, "layered MVA") << got.reason;
    EXPECT_LE(got.throughput_rps, 500.0000001); // 5 / 10 ms
    EXPECT_GT(got.throughput_rps, 495);
    EXPECT_NE(got.validity.find("pool, threads taken as independent"), std::string::npos) << got.validity;
}

} // namespace
} // namespace narrows::testing
