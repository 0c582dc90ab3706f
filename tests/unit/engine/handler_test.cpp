// SPDX-License-Identifier: GPL-3.0-or-later
// Branches, retries, choices, costs.
#include "support/cast.hpp"
#include "support/plans.hpp"

#include <boost/math/distributions/normal.hpp>

namespace narrows::testing {
namespace {

using plan::Branch;
using plan::Waiting;

plan::Instruction& count(Script& s, int counter, int limit, int to) {
    auto& in = s.add(plan::Op::branch);
    in.branch = Branch::count;
    in.counter = counter;
    in.limit = limit;
    in.to = to;
    return in;
}

TEST(Retry, BackOffGrowsByItsFactor) {
    Cast cast;
    Script s;
    s.delay(10); // an attempt
    auto& pause = s.add(plan::Op::delay);
    pause.amount = Distribution::constant(100);
    pause.factor = 2;
    pause.counter = 1;
    count(s, 1, 3, 0);
    cast.actor("a", cast.client, 0, std::move(s.end()));
    EXPECT_EQ(end_of(cast.run(), "a"), 3 * 10 + 100 + 200 + 400);
}

TEST(Retry, CountersNestAndStartAnew) {
    Cast cast;
    Script s;
    s.delay(1);        // 0
    count(s, 0, 3, 0); // three times
    s.delay(100);      // 2
    count(s, 3, 2, 0); // twice all of it
    cast.actor("a", cast.client, 0, std::move(s.end()));
    EXPECT_EQ(end_of(cast.run(), "a"), 2 * (3 * 1 + 100));
}

TEST(Retry, ALimitOfOneNeverJumps) {
    Cast cast;
    Script s;
    s.delay(7);
    count(s, 0, 1, 0);
    cast.actor("a", cast.client, 0, std::move(s.end()));
    EXPECT_EQ(end_of(cast.run(), "a"), 7);
}

TEST(Retry, DrawsEveryAttemptAnew) {
    Cast cast;
    Script once, twice;
    once.add(plan::Op::delay).amount = Distribution::exponential(1e6);
    twice.code = once.code;
    count(twice, 0, 2, 0);
    cast.actor("once", cast.client, 0, std::move(once.end()));
    cast.actor("twice", cast.client, 0, std::move(twice.end()));
    const auto rec = cast.run();
    // Not the same children, so not the same draws; but had the attempts drawn alike, the end would be even.
    const Nanos end = end_of(rec, "twice");
    Cast again;
    Script thrice;
    thrice.add(plan::Op::delay).amount = Distribution::exponential(1e6);
    count(thrice, 0, 3, 0);
    again.actor("once", again.client, 0, Script().delay(1).end());
    again.actor("twice", again.client, 0, std::move(thrice.end()));
    const Nanos longer = end_of(again.run(), "twice");
    EXPECT_GT(longer, end);
    EXPECT_NE(2 * (longer - end), end); // the third draw is not the mean of the first two
}

TEST(Branch, AlwaysSkips) {
    Cast cast;
    Script s;
    s.add(plan::Op::branch).to = 2;
    s.delay(1000).delay(3).end();
    cast.actor("a", cast.client, 0, std::move(s));
    EXPECT_EQ(end_of(cast.run(), "a"), 3);
}

/// Whether `hits` of `n` is within the 99.9 % range of a binomial of probability p (n is large).
void expect_share(double hits, double n, double p) {
    const double z = quantile(boost::math::normal(), 0.9995);
    EXPECT_NEAR(hits, n * p, z * std::sqrt(n * p * (1 - p)));
}

TEST(Chance, IsTakenWithItsProbability) {
    PlanBuilder b;
    auto& branch = b.add(plan::Op::branch);
    branch.branch = Branch::chance;
    branch.probability = 0.3;
    branch.to = 2;
    b.delay(Distribution::constant(1000));
    const auto rec = engine::run(b.burst(20'000), {});
    expect_littles_law(rec);
    double skipped = 0;
    for (const auto& g : rec.groups)
        skipped += static_cast<double>(g.latency.count_at_or_below(0));
    expect_share(skipped, 20'000, 0.3);
}

TEST(Chance, JumpingBackIsRefused) {
    // Its draw is named by the strand and the place, so it would come out the same for ever.
    PlanBuilder b;
    b.delay(Distribution::constant(1000));
    auto& branch = b.add(plan::Op::branch);
    branch.branch = Branch::chance;
    branch.probability = 0.3;
    branch.to = 0;
    EXPECT_THROW((void)engine::run(b.burst(1), {}), std::invalid_argument);
}

TEST(Choose, StartsOneByItsWeight) {
    PlanBuilder b;
    b.delay(Distribution::constant(10));
    auto plan = b.burst(20'000);
    auto other = plan.programs[1];
    other.endpoint = 1;
    plan.programs.push_back(other);
    plan.endpoints.emplace_back("other");
    plan.programs[0].code[1].children = {{1, 0.8}, {2, 0.2}};
    const auto rec = engine::run(plan, {});
    expect_littles_law(rec);
    double others = 0;
    for (const auto& g : rec.groups)
        others += static_cast<double>(g.endpoint_ok[1]);
    expect_share(others, 20'000, 0.2);
}

// ---------------------------------------------------------------- costs

TEST(Costs, OfAThread) {
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int pool = cast.pool("pool", 1);
    const int runner = cast.runner({.name = "threads",
                                    .kind = plan::RunnerKind::threads,
                                    .workers = 1,
                                    .cpu = cpu,
                                    .start_cost = 3,
                                    .resume_cost = 2,
                                    .create_cost = 5});
    // The free permit is no wait and costs nothing.
    const auto script = [&] {
        return Script().work(cpu, 10).acquire(pool).release(pool).delay(20).work(cpu, 10).end();
    };
    cast.actor("first", runner, 0, script());
    cast.actor("second", runner, 100, script()); // the thread exists
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "first"), (3 + 5 + 10) + 20 + (2 + 10));
    EXPECT_EQ(end_of(rec, "second"), 100 + (3 + 10) + 20 + (2 + 10));
    EXPECT_EQ(resource_sum(rec, "cpu").busy, 30 + 25);
    EXPECT_EQ(resource_sum(rec, "cpu").grants, 4U);
    EXPECT_EQ(rec.peak_threads, 1);
}

TEST(Costs, AreOnlyForThreadsThatExist) {
    // Three starts, one after the other: the second thread is never created.
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int runner =
        cast.runner({.name = "threads", .kind = plan::RunnerKind::threads, .workers = 2, .cpu = cpu, .create_cost = 5});
    for (int i = 0; i < 3; ++i)
        cast.actor("a" + std::to_string(i), runner, 100.0 * i, Script().work(cpu, 10).end());
    const auto rec = cast.run();
    EXPECT_EQ(resource_sum(rec, "cpu").busy, 3 * 10 + 5);
    EXPECT_EQ(rec.peak_threads, 1);
}

TEST(Costs, ArePaidAtTheEndWhenNoWorkFollows) {
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int runner = cast.runner({.name = "threads",
                                    .kind = plan::RunnerKind::threads,
                                    .workers = 1,
                                    .cpu = cpu,
                                    .start_cost = 3,
                                    .resume_cost = 2,
                                    .create_cost = 5});
    cast.actor("a", runner, 0, Script().delay(20).end());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "a"), 20 + 3 + 5 + 2);
    EXPECT_EQ(resource_sum(rec, "cpu").busy, 10);
    EXPECT_EQ(resource_sum(rec, "threads").busy, 30);
}

TEST(Costs, OfMounting) {
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int db = cast.cpu("db");
    const int runner = cast.runner({.name = "carriers",
                                    .kind = plan::RunnerKind::carriers,
                                    .workers = 1,
                                    .max_workers = 1,
                                    .cpu = cpu,
                                    .start_cost = 4,
                                    .resume_cost = 1});
    cast.actor("a", runner, 0,
               Script().work(cpu, 10).delay(20, Waiting::park).work(db, 5, Waiting::park).work(cpu, 10).end());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "a"),
              (4 + 10) + 20 + 5 + (2 + 10)); // both wake-ups are paid with the next work here
    EXPECT_EQ(resource_sum(rec, "cpu").busy, 26);
    EXPECT_EQ(resource_sum(rec, "db").busy, 5);
    EXPECT_EQ(resource_sum(rec, "carriers").grants, 3U); // mounts
    EXPECT_EQ(resource_sum(rec, "carriers").busy, 26);
}

TEST(Costs, ThatNobodyCouldPayAreRefused) {
    Cast fcfs;
    const int cpu = fcfs.cpu("cpu", 1, plan::Sharing::fcfs);
    fcfs.actor(
        "a",
        fcfs.runner({.name = "threads", .kind = plan::RunnerKind::threads, .workers = 1, .cpu = cpu, .start_cost = 3}),
        0, Script().work(cpu, 1).end());
    EXPECT_THROW((void)engine::run(fcfs.plan(), {}), std::invalid_argument);
    Cast unlimited;
    const int shared = unlimited.cpu("cpu");
    unlimited.actor("a", unlimited.runner({.name = "far", .cpu = shared, .start_cost = 3}), 0,
                    Script().work(shared, 1).end());
    EXPECT_THROW((void)engine::run(unlimited.plan(), {}), std::invalid_argument);
}

TEST(Unlimited, ARunnerWithAProcessorOwesNothing) {
    // The field of the debt names the last child there; it must not be paid as work.
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int far = cast.runner({.name = "far", .cpu = cpu});
    const int child = cast.program("child", cast.client, Script().delay(5).end());
    Script parent;
    parent.add(plan::Op::fork).children = {{child, 1.0}};
    parent.add(plan::Op::join);
    cast.actor("parent", far, 0, std::move(parent.work(cpu, 10).end()));
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "parent"), 15);
    EXPECT_EQ(resource_sum(rec, "cpu").busy, 10);
}

} // namespace
} // namespace narrows::testing
