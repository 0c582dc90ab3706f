// SPDX-License-Identifier: GPL-3.0-or-later
// Who starts sessions; slices; the end of a run.
#include "engine/events.hpp"
#include "support/plans.hpp"
#include "support/recordings.hpp"

#include <atomic>

namespace narrows::testing {
namespace {

constexpr double kMs = 1e6;

void delays(PlanBuilder& b, double ms) {
    b.delay(Distribution::constant(ms * kMs));
}

engine::Options one_second() {
    engine::Options options;
    options.auto_warmup = false;
    options.duration = 1'000'000'000;
    return options;
}

TEST(Load, BurstEndsWithItsLastAnswer) {
    PlanBuilder b;
    b.work(b.cpu("server", 2, plan::Sharing::fcfs), Distribution::constant(10 * kMs));
    const auto rec = engine::run(b.burst(11), {});
    expect_littles_law(rec);
    EXPECT_EQ(rec.end, 60'000'000); // six rounds on two servers
    EXPECT_EQ(rec.issued, 11U);
    EXPECT_EQ(rec.peak_in_flight, 11);
    EXPECT_EQ(answers(rec).latency_ns, 2 * (10 + 20 + 30 + 40 + 50) * kMs + 60 * kMs);
    EXPECT_TRUE(rec.finite);
}

TEST(Load, FixedSendsTheSameNumberEach) {
    PlanBuilder b;
    delays(b, 10);
    const auto rec = engine::run(b.fixed(3, 10), {});
    expect_littles_law(rec);
    EXPECT_EQ(rec.issued, 9U); // 10 / 3 each, the remainder is dropped
    EXPECT_EQ(rec.end, 30'000'000);
    EXPECT_EQ(rec.peak_in_flight, 3);
}

/// Two users, ten requests each, on two carriers, for the one permit that a request holds for 12 ms.
measure::Recording two_for_one(plan::Discipline discipline, bool keeps_worker) {
    PlanBuilder b;
    const int cpu = b.cpu("cpu", 2, plan::Sharing::processor_sharing);
    b.runner({.name = "carriers", .kind = plan::RunnerKind::carriers, .workers = 2, .max_workers = 2, .cpu = cpu});
    const int pool = b.pool("pool", 1, -1, discipline);
    b.acquire(pool, plan::Waiting::park).delay(Distribution::constant(12 * kMs), plan::Waiting::park).release(pool);
    plan::Plan plan = b.fixed(2, 20);
    plan.load.together = true;
    plan.load.keeps_worker = keeps_worker;
    return engine::run(plan, {});
}

TEST(Load, AStrandThatLoopsIsBackBeforeTheWaiterThatItWoke) {
    // Its next request asks in the same turn; the waiter must run first to take what it was woken for.
    const auto kept = two_for_one(plan::Discipline::hikari, true);
    expect_littles_law(kept);
    EXPECT_EQ(kept.issued, 20U);
    EXPECT_EQ(kept.end, 240'000'000);
    EXPECT_EQ(answers(kept).latency_ns, (19 * 12 + 11 * 12) * kMs); // the second's first waits for all of the first's
    // Handed over, they take turns; and a new strand for each request comes after the waiter.
    const double turns = (12 + 18 * 24 + 24) * kMs;
    EXPECT_EQ(answers(two_for_one(plan::Discipline::fifo, true)).latency_ns, turns);
    EXPECT_EQ(answers(two_for_one(plan::Discipline::hikari, false)).latency_ns, turns);
}

TEST(Load, AKeptWorkerIsStartedOnceAndGivenBack) {
    PlanBuilder b;
    const int cpu = b.cpu("cpu", 4, plan::Sharing::processor_sharing);
    b.runner({.name = "threads",
              .kind = plan::RunnerKind::threads,
              .workers = 1,
              .max_workers = 1,
              .cpu = cpu,
              .start_cost = 1'000'000});
    b.work(cpu, Distribution::constant(10 * kMs));
    plan::Plan plan = b.fixed(2, 6);
    plan.load.together = true;
    plan.load.keeps_worker = true;
    const auto rec = engine::run(plan, {});
    expect_littles_law(rec);
    // The first thread's three, then the second user's: 1 ms to start each, not each request.
    EXPECT_EQ(rec.end, 62'000'000);
    EXPECT_EQ(answers(rec).latency_ns, (11 + 10 + 10 + 31 + 11 + 10 + 10) * kMs);
}

TEST(Load, AWorkerCannotBeKeptThroughAWait) {
    PlanBuilder b;
    const int cpu = b.cpu("cpu", 4, plan::Sharing::processor_sharing);
    b.runner({.name = "threads", .kind = plan::RunnerKind::threads, .workers = 1, .max_workers = 1, .cpu = cpu});
    b.work(cpu, Distribution::constant(10 * kMs));
    plan::Plan plan = b.closed(2, Distribution::constant(1));
    plan.load.keeps_worker = true;
    EXPECT_THROW((void)engine::run(plan, one_second()), std::invalid_argument);
}

TEST(Load, ClosedUsersThinkBetweenRequests) {
    PlanBuilder b;
    delays(b, 10);
    const auto rec = engine::run(b.closed(4, Distribution::constant(15 * kMs)), one_second());
    expect_littles_law(rec);
    EXPECT_EQ(rec.issued, 160U); // at 0, 25, … 975 ms
    EXPECT_EQ(answers(rec).answered, 160U);
    EXPECT_EQ(rec.unanswered, 0U);
    EXPECT_EQ(rec.end, 1'000'000'000);
}

TEST(Load, SpreadDesynchronisesStarts) {
    PlanBuilder b;
    delays(b, 10);
    auto plan = b.closed(1000, Distribution::constant(990 * kMs));
    plan.load.spread = 1'000'000'000;
    const auto spread = engine::run(plan, one_second());
    EXPECT_LT(spread.peak_in_flight, 50); // about 10
    plan.load.together = true;
    EXPECT_EQ(engine::run(plan, one_second()).peak_in_flight, 1000);
}

TEST(Load, ConstantGapsDoNotDrift) {
    PlanBuilder b;
    delays(b, 1);
    auto options = one_second();
    options.duration = 3'000'000'000;
    const auto rec = engine::run(b.open(3, false), options); // gaps of 333,333,333.3 ns
    EXPECT_EQ(rec.issued, 8U);                               // the ninth falls on the end, which is outside
    EXPECT_EQ(rec.offered_rps, 3);
}

TEST(Load, SlicesCutTimeEvenly) {
    PlanBuilder b;
    const int cpu = b.cpu("server", 1, plan::Sharing::fcfs);
    b.work(cpu, Distribution::constant(1 * kMs));
    auto options = one_second();
    options.warmup = 200'000'000; // simulated besides
    const auto rec = engine::run(b.closed(1, Distribution::constant(1 * kMs)), options);
    EXPECT_EQ(rec.end, 1'200'000'000);
    EXPECT_EQ(rec.fixed_warmup, 200'000'000);
    EXPECT_EQ(rec.slice_length, 5'000'000);
    ASSERT_EQ(rec.slices.size(), static_cast<std::size_t>(measure::kSlices));
    for (std::size_t i = 0; i < rec.slices.size(); ++i) {
        // Working in [0, 1), [2, 3), … ms. An end that falls on a slice's border belongs to the next.
        EXPECT_EQ(rec.slices[i].resources[0].busy, (i % 2 == 0 ? 3 : 2) * kMs) << i;
        EXPECT_EQ(rec.slices[i].answered, i % 2 == 0 ? 2U : 3U) << i;
    }
}

TEST(Load, AutomaticWarmupSimulatesHalfAsMuchAgain) {
    PlanBuilder b;
    delays(b, 1);
    engine::Options options;
    options.duration = 2'000'000'000;
    const auto rec = engine::run(b.closed(1), options);
    EXPECT_EQ(rec.end, 3'000'000'000);
    EXPECT_EQ(rec.fixed_warmup, -1);
    EXPECT_EQ(rec.max_warmup, 1'000'000'000);
}

TEST(Load, SlicesOfAFiniteRunAreMergedWithoutLoss) {
    PlanBuilder b;
    b.work(b.cpu("server", 1, plan::Sharing::processor_sharing), Distribution::exponential(1 * kMs));
    const auto rec = engine::run(b.fixed(5, 20'000), {}); // 20 s in slices that began at 65 us
    expect_littles_law(rec);
    EXPECT_LE(rec.slices.size(), static_cast<std::size_t>(measure::kSlices));
    EXPECT_GE(rec.slices.size(), static_cast<std::size_t>(measure::kSlices / 2));
    EXPECT_LE(rec.end, rec.slice_length * static_cast<Nanos>(rec.slices.size()));
    EXPECT_GT(rec.end, rec.slice_length * static_cast<Nanos>(rec.slices.size() - 1));
    EXPECT_EQ(answers(rec).answered, 20'000U);
    std::uint64_t in_groups = 0;
    measure::Histogram latencies;
    for (const auto& g : rec.groups) {
        in_groups += g.latency.count();
        latencies.merge(g.latency);
    }
    EXPECT_EQ(in_groups, 20'000U);
    EXPECT_NEAR(latencies.mean(), answers(rec).latency_ns / 20'000, 1e-3 * latencies.mean());
    const auto sum = resource_sum(rec, "server");
    EXPECT_EQ(sum.grants, 20'000U);
    // Five users without think time keep the server busy, but for the last moments.
    EXPECT_EQ(sum.busy, static_cast<double>(rec.end));
    double stage = 0;
    for (const auto& g : rec.groups)
        for (const auto& c : g.cohorts)
            if (c.count > 0) stage += c.stage_sum[2];
    EXPECT_NEAR(stage, answers(rec).latency_ns, 1e-6 * stage); // stages are kept as floats
    // Every slice belongs to its group.
    for (std::size_t g = 0; g < rec.slices.size() / measure::kSlicesPerGroup; ++g) {
        std::uint64_t in_slices = 0;
        for (std::size_t i = 0; i < measure::kSlicesPerGroup; ++i)
            in_slices += rec.slices[g * measure::kSlicesPerGroup + i].answered;
        EXPECT_EQ(in_slices, rec.groups[g].latency.count()) << g;
    }
}

TEST(Load, StagesMoveTheNumberOfUsers) {
    PlanBuilder b;
    delays(b, 100);
    auto plan = b.closed(1);
    plan.load.kind = plan::LoadKind::stages;
    plan.load.start_users = 2;
    const Nanos second = 1'000'000'000;
    plan.load.stages = {{10 * second, 12}, {5 * second, 12}, {5 * second, 2}, {4 * second, 2}};
    const auto rec = engine::run(plan, one_second());
    EXPECT_EQ(rec.end, 24 * second);
    // Steps of one, equally spaced, the last at the stage's end; a user that is one too many ends its
    // request.
    const auto users = [&](Nanos t) -> std::int64_t {
        if (t < 10 * second) return 2 + t / second;
        if (t < 15 * second) return 12;
        if (t < 20 * second) return 12 - (t - 15 * second) / (second / 2);
        return 2;
    };
    for (std::size_t i = 0; i < rec.slices.size(); ++i) {
        const Nanos t = std::min(rec.end, rec.slice_length * static_cast<Nanos>(i + 1));
        const Nanos before = std::max<Nanos>(0, t - 100'000'000);
        const auto active = rec.slices[i].in_flight_end; // without think time every user has a request under way
        EXPECT_GE(active, std::min(users(t - 1), users(before))) << t;
        EXPECT_LE(active, std::max(users(t), users(before))) << t;
    }
    EXPECT_EQ(rec.peak_in_flight, 12);
}

TEST(Run, CanBeCancelled) {
    PlanBuilder b;
    delays(b, 1);
    std::atomic<bool> cancel{true};
    auto options = one_second();
    options.duration = Nanos{3600} * 1'000'000'000;
    options.cancel = &cancel;
    const auto rec = engine::run(b.closed(10), options);
    EXPECT_TRUE(rec.cancelled);
    EXPECT_LE(rec.events, 4096U);
    EXPECT_LT(rec.end, options.duration);
    cancel = false;
    options.duration = 1'000'000'000;
    EXPECT_FALSE(engine::run(b.plan, options).cancelled);
}

TEST(Run, RefusesAPlanThatIsWrong) {
    PlanBuilder b;
    b.release(b.pool("pool", 1)); // never acquired
    EXPECT_THROW((void)engine::run(b.burst(1), {}), std::invalid_argument);
}

TEST(Run, ALoopThatTakesNoTimeIsAnError) {
    PlanBuilder b;
    b.delay(Distribution::uniform(0, 0.4)); // may take time, as far as the checks can see; never does
    EXPECT_THROW((void)engine::run(b.closed(1), one_second()), std::runtime_error);
}

TEST(Load, ACancelledRunOpensNoMoreSessions) {
    PlanBuilder b;
    delays(b, 10);
    b.closed(1'000'000);
    std::atomic<bool> cancel{true};
    auto options = one_second();
    options.cancel = &cancel;
    const auto rec = engine::run(b.plan, options);
    EXPECT_TRUE(rec.cancelled);
    EXPECT_LT(rec.issued, 10'000U); // each of them would send at the very start
}

} // namespace
} // namespace narrows::testing
