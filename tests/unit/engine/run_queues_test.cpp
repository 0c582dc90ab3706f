// SPDX-License-Identifier: GPL-3.0-or-later
// Carriers with two levels of run queues, and pollers that need a carrier to notice that a socket is ready.
// Sources: ForkJoinPool and VirtualThread of JDK 21 and 25; JDK-8318422 for the pollers.
#include "support/cast.hpp"

namespace narrows::testing {
namespace {

using plan::Waiting;
using plan::Wake;

/// `n` carriers with the run queues of the JDK; with pollers, one of them.
int jdk_carriers(Cast& cast, int cpu, std::int64_t n, bool pollers, Nanos mount = 0) {
    plan::Runner r{.name = "carriers",
                   .kind = plan::RunnerKind::carriers,
                   .workers = n,
                   .max_workers = 256,
                   .min_runnable = 1,
                   .two_level = true,
                   .cpu = cpu,
                   .resume_cost = mount};
    if (!pollers) return cast.runner(r);
    Script watch;
    watch.add(plan::Op::poll, -1, Waiting::park).wake = Wake::outside;
    watch.add(plan::Op::branch).to = 0;
    r.pollers = 1;
    const int runner = cast.runner(r);
    cast.poller(runner, std::move(watch));
    return runner;
}
Script& parked(Script& script, double ns, Wake wake) {
    script.delay(ns, Waiting::park);
    script.code.back().wake = wake;
    return script;
}

/// One carrier. The holder has the only permit until 100 ns; the waiter parks for it at 10; a newcomer is
/// started at 50, while the holder still runs.
measure::Recording hand_over(bool two_level) {
    Cast cast;
    const int cpu = cast.cpu("cpu", 1);
    const int runner = two_level ? jdk_carriers(cast, cpu, 1, false) : cast.carriers(cpu, 1);
    const int pool = cast.pool("pool", 1);
    Script holder;
    holder.acquire(pool);
    parked(holder, 20, Wake::outside).work(cpu, 80).release(pool).work(cpu, 50).end();
    cast.actor("holder", runner, 0, holder);
    cast.actor("waiter", runner, 10, Script().acquire(pool, Waiting::park).work(cpu, 10).release(pool).end());
    cast.actor("newcomer", runner, 50, Script().work(cpu, 10).end());
    return cast.run();
}

TEST(TwoLevels, WhatAStrandWakesRunsBeforeWhatCameFromOutsideEarlier) {
    // The carrier: holder until 20 parked, runs 20 to 100, wakes the waiter, runs on to 150; then its own queue.
    const auto two = hand_over(true);
    EXPECT_EQ(end_of(two, "holder"), 150);
    EXPECT_EQ(end_of(two, "waiter"), 160);
    EXPECT_EQ(end_of(two, "newcomer"), 170);
    const auto one = hand_over(false);
    EXPECT_EQ(end_of(one, "newcomer"), 160);
    EXPECT_EQ(end_of(one, "waiter"), 170);
}

/// One carrier, busy until 1000. A's answer comes at 100, and B is started at 50.
measure::Recording answers(bool pollers, Nanos mount) {
    Cast cast;
    const int cpu = cast.cpu("cpu", 1);
    const int runner = jdk_carriers(cast, cpu, 1, pollers, mount);
    Script a;
    parked(a, 100, Wake::socket).work(cpu, 10).end();
    cast.actor("A", runner, 0, a);
    cast.actor("busy", runner, 1, Script().work(cpu, 999).end());
    cast.actor("late", runner, 990, Script().work(cpu, 500).end());
    return cast.run();
}

TEST(Pollers, NeedACarrierBeforeAnybodyWakes) {
    // The poller is runnable from 100 on, before "late" from 990 on, but what it wakes goes to its carrier's queue:
    // A runs right after it, whichever external queue the carrier looks into first.
    const auto rec = answers(true, 0);
    const Nanos a = end_of(rec, "A"), late = end_of(rec, "late");
    EXPECT_TRUE((a == 1010 && late == 1510) || (a == 1510 && late == 1500)) << a << " " << late;
    // With a cost of 5 a mount the poller pays one too: 5 for A's and 5 for its own.
    const auto costly = answers(true, 5);
    const Nanos then = end_of(costly, "A");
    EXPECT_TRUE(then == 1020 || then == 1520) << then;
    const auto platform = answers(false, 5); // JDK 21: a thread outside, no mount of its own
    const Nanos outside = end_of(platform, "A");
    EXPECT_TRUE(outside == 1015 || outside == 1515) << outside;
}

TEST(Pollers, OnePassWakesAllThatAreReady) {
    Cast cast;
    const int cpu = cast.cpu("cpu", 1);
    const int runner = jdk_carriers(cast, cpu, 1, true, 3);
    for (int i = 0; i < 4; ++i) {
        Script s;
        parked(s, 100 + i, Wake::socket).work(cpu, 10).end();
        cast.actor("A" + std::to_string(i), runner, 0, s);
    }
    cast.actor("busy", runner, 1, Script().work(cpu, 999).end());
    const auto rec = cast.run();
    // 1000: the poller's mount 3, then four times a mount of 3 and 10 of work; a pass for each would make 4 * 16.
    EXPECT_EQ(end_of(rec, "A3"), 1000 + 3 + 4 * 13);
}

TEST(Pollers, AreStuckWithPinnedCarriers) {
    Cast cast;
    const int cpu = cast.cpu("cpu", 1);
    const int runner = jdk_carriers(cast, cpu, 1, true);
    const int pool = cast.pool("monitor", 1);
    Script a;
    a.acquire(pool);
    parked(a, 100, Wake::socket).release(pool).end();
    cast.actor("A", runner, 0, a);
    cast.actor("B", runner, 10, Script().acquire(pool).release(pool).end()); // keeps the carrier while it waits
    const auto rec = engine::run(cast.plan(), {});
    EXPECT_TRUE(rec.deadlock); // A's answer has come, but nobody can notice
}

TEST(Pollers, CountNoRequestsAndLeaveLittlesLawAlone) {
    Cast cast;
    const int cpu = cast.cpu("cpu", 2);
    const int runner = jdk_carriers(cast, cpu, 2, true, 2);
    for (int i = 0; i < 20; ++i) {
        Script s;
        parked(s, 50, Wake::socket).work(cpu, 30);
        parked(s, 40, Wake::socket).work(cpu, 7).end();
        cast.actor("A" + std::to_string(i), runner, 3.0 * i, s);
    }
    const auto rec = cast.run(); // expects Little's law
    EXPECT_EQ(rec.unanswered, 0U);
    EXPECT_FALSE(rec.knot.has_value());
}

} // namespace
} // namespace narrows::testing
