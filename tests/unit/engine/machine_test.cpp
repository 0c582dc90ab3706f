// SPDX-License-Identifier: GPL-3.0-or-later
// The machine below the threads, by arithmetic: time that is spun away, a quota by periods, pauses of a collector.
#include "support/cast.hpp"

namespace narrows::testing {
namespace {

constexpr double kMs = 1e6;
constexpr Nanos kClose = 2000; // ns: how near to its end a quota is looked at for the last time

Script spin(int cpu, double ns) {
    Script s;
    s.add(plan::Op::spin, cpu).amount = Distribution::constant(ns);
    s.end();
    return s;
}

TEST(Spin, ThreadsThatShareACoreAllEndByTheClock) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 2);
    const int threads = cast.threads(cpu, 20);
    for (int i = 0; i < 20; ++i)
        cast.actor("a" + std::to_string(i), threads, 0, spin(cpu, 100 * kMs));
    const auto rec = cast.run();
    EXPECT_EQ(rec.end, 100'000'000);
}

TEST(Spin, CarriersHaveNoTimeSlices) {
    for (const double cores : {2.0, 1.5}) { // shared or never shared: the carriers decide
        Cast cast;
        const int cpu = cast.cpu("app.cpu", cores);
        const int carriers = cast.carriers(cpu, 2, 2);
        for (int i = 0; i < 20; ++i)
            cast.actor("a" + std::to_string(i), carriers, 0, spin(cpu, 100 * kMs));
        EXPECT_EQ(cast.run().end, 1'000'000'000) << cores;
    }
}

TEST(Spin, TakesItsShareFromWorkUntilItEnds) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 1);
    const int threads = cast.threads(cpu, 2);
    cast.actor("spins", threads, 0, spin(cpu, 100 * kMs));
    cast.actor("works", threads, 0, Script().work(cpu, 80 * kMs).end());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "spins"), 100'000'000);
    EXPECT_EQ(end_of(rec, "works"), 130'000'000); // half the core for 100 ms, all of it for 30
}

plan::Plan with_quota(plan::Plan plan, double cores) {
    plan.cpus[0].quota = cores;
    plan.cpus[0].period = 100'000'000;
    return plan;
}

TEST(Quota, ManyThreadsUseItUpEarlyAndThenStandStill) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 4);
    const int threads = cast.threads(cpu, 4);
    for (const char* name : {"a", "b", "c", "d"})
        cast.actor(name, threads, 0, Script().work(cpu, 80 * kMs).end());
    const auto rec = engine::run(with_quota(cast.plan(), 1), {});
    // 320 ms of CPU, 100 in each period: used up after 25 ms of it, and 5 ms into the fourth.
    EXPECT_NEAR(static_cast<double>(rec.end), 305e6, kClose);
}

TEST(Quota, OneThreadRunsForHalfOfEachPeriod) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 2);
    const int threads = cast.threads(cpu, 1);
    cast.actor("a", threads, 0, Script().work(cpu, 120 * kMs).end());
    const auto rec = engine::run(with_quota(cast.plan(), 0.5), {});
    EXPECT_NEAR(static_cast<double>(rec.end), 220e6, 5 * kClose); // 50, 50 and 20 ms
}

TEST(Quota, EnoughOfItChangesNothing) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 4);
    const int threads = cast.threads(cpu, 2);
    for (const char* name : {"a", "b"})
        cast.actor(name, threads, 0, Script().work(cpu, 300 * kMs).end());
    EXPECT_EQ(engine::run(with_quota(cast.plan(), 2.5), {}).end, 300'000'000);
}

TEST(Quota, WhoStandsStillTakesNoPermit) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 1);
    const int db = cast.cpu("db.cpu", 1);
    const int threads = cast.threads(cpu, 3);
    const int pool = cast.pool("hikari", 1);
    cast.actor("burns", threads, 0, Script().work(cpu, 40 * kMs).delay(50 * kMs).end());
    const auto query = [&] { return Script().acquire(pool).work(db, 30 * kMs).release(pool).end(); };
    cast.actor("first", threads, 30 * kMs, query());
    cast.actor("second", threads, 30 * kMs, query());
    const auto rec = engine::run(with_quota(cast.plan(), 0.4), {});
    // Used up at 40 ms. The first query is answered at 60 ms; whoever asked for it returns its connection at 100.
    EXPECT_NEAR(static_cast<double>(end_of(rec, "first")), 100e6, kClose);
    EXPECT_NEAR(static_cast<double>(end_of(rec, "second")), 130e6, kClose);
    EXPECT_FALSE(rec.knot.has_value()); // time passes for all of them
}

TEST(Guests, ShareTheCoresAndAreCountedApart) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 1);
    const int threads = cast.threads(cpu, 1);
    Script guest;
    guest.work(cpu, 10 * kMs).end();
    guest.code[0].tier = 0;
    cast.actor("guest", cast.client, 0, guest);
    cast.actor("own", threads, 0, Script().work(cpu, 30 * kMs).end());
    auto plan = cast.plan();
    plan.tiers = {"database"};
    const auto rec = engine::run(plan, {});
    EXPECT_EQ(end_of(rec, "guest"), 20'000'000); // half the core each
    EXPECT_EQ(end_of(rec, "own"), 40'000'000);
    double guests = 0, all = 0;
    for (const auto& slice : rec.slices) {
        guests += slice.tiers.at(0);
        all += slice.resources.at(0).busy;
    }
    EXPECT_DOUBLE_EQ(guests, 10 * kMs);
    EXPECT_DOUBLE_EQ(all, 40 * kMs);
}

/// Collections at each allocation of 100 KB: a worker copies 1 MB in a second, no pause takes less than 1 ms.
plan::Plan with_heap(plan::Plan plan, double heap) {
    plan::Memory& m = plan.memory;
    m.heap = heap;
    m.cpu = 0;
    m.young_least = 1e5 / heap;
    m.young_most = 1e5 / heap;
    m.copy_rate = m.mark_rate = m.compact_rate = 1e6;
    m.least_pause = 1'000'000;
    plan.tiers = {"garbage collection"};
    m.tier = 0;
    return plan;
}

Script allocates(double bytes, double live) {
    Script s;
    auto& in = s.add(plan::Op::allocate);
    in.bytes = bytes;
    in.live = live;
    return s;
}

Script ends(Script s, double live) {
    s.add(plan::Op::free).live = live;
    s.end();
    return s;
}

TEST(Heap, APauseStopsWhoRunsForAsLongAsCopyingTakes) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 2);
    const int threads = cast.threads(cpu, 2);
    cast.actor("runs", threads, 0, Script().work(cpu, 10 * kMs).end());
    cast.actor("allocates", threads, 2 * kMs, ends(allocates(1e5, 4e3).work(cpu, 3 * kMs), 4e3));
    const auto rec = engine::run(with_heap(cast.plan(), 1e6), {});
    // 1 ms and 4 KB at 1 MB/s = 5 ms, from 2 ms on.
    EXPECT_EQ(end_of(rec, "allocates"), 10'000'000);
    EXPECT_EQ(end_of(rec, "runs"), 15'000'000);
    measure::HeapSlice sum;
    for (const auto& slice : rec.slices)
        add(sum, slice.heap);
    EXPECT_EQ(sum.pauses, 1U);
    EXPECT_EQ(sum.paused, 5 * kMs);
}

TEST(Heap, OthersGoOnDuringAPause) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 1);
    const int db = cast.cpu("db.cpu", 1);
    const int threads = cast.threads(cpu, 2);
    cast.actor("asks", threads, 0, Script().work(db, 10 * kMs).end());
    cast.actor("allocates", threads, 0, ends(allocates(1e5, 4e3), 4e3));
    const auto rec = engine::run(with_heap(cast.plan(), 1e6), {});
    EXPECT_EQ(end_of(rec, "asks"), 10'000'000); // from 0 to 5 ms all others stood still
    EXPECT_EQ(end_of(rec, "allocates"), 5'000'000);
}

TEST(Heap, MoreThanItHoldsEndsTheRun) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 1);
    const int threads = cast.threads(cpu, 100);
    for (int i = 0; i < 20; ++i)
        cast.actor("a" + std::to_string(i), threads, 0, ends(allocates(1e5, 1e5).delay(1e12), 1e5));
    auto plan = cast.plan();
    const auto rec = engine::run(with_heap(plan, 1e6), {});
    ASSERT_TRUE(rec.exhausted.has_value());
    EXPECT_GE(rec.exhausted->live, 0.9e6);
    EXPECT_LE(rec.exhausted->live, 1.2e6);
    EXPECT_FALSE(rec.deadlock);
    EXPECT_FALSE(engine::run(with_heap(plan, 4e6), {}).exhausted.has_value());
}

TEST(Heap, MarkingTakesCpuBesideTheThreads) {
    Cast cast;
    const int cpu = cast.cpu("app.cpu", 1);
    const int threads = cast.threads(cpu, 1);
    cast.actor("works", threads, 0, ends(allocates(1e5, 0).work(cpu, 200 * kMs), 0));
    const auto end_with = [&](std::int64_t concurrent) {
        Script worker;
        worker.add(plan::Op::collect);
        auto& again = worker.add(plan::Op::branch);
        again.to = 0;
        const int program = cast.program("marks", cast.client, std::move(worker));
        auto plan = with_heap(cast.plan(), 1e6);
        plan.memory.baseline = 5e4;
        plan.memory.concurrent_workers = concurrent;
        plan.memory.mark_at = concurrent > 0 ? 0.04 : 1;
        plan.memory.worker = program;
        return engine::run(plan, {}).end;
    };
    EXPECT_EQ(end_with(0), 201'000'000); // a pause of 1 ms, for nothing lives but the baseline
    EXPECT_EQ(end_with(1), 251'000'000); // 50 KB at 1 MB/s of marking beside it
}

} // namespace
} // namespace narrows::testing
