// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of a strand's thread, carrier or loop while it waits: by small plays with constant
// times.
#include "support/cast.hpp"

namespace narrows::testing {
namespace {

using plan::Waiting;
using Ends = std::vector<Nanos>;

/// `n` actors of the same script, all at 0; their ends in order.
template <class Prepare> Ends ends_of(int n, Cast& cast, int runner, Prepare prepare) {
    for (int i = 0; i < n; ++i) {
        Script script;
        prepare(script);
        script.end();
        cast.actor("actor " + std::to_string(i), runner, 0, std::move(script));
    }
    const auto rec = cast.run();
    Ends ends;
    for (int i = 0; i < n; ++i)
        ends.push_back(end_of(rec, "actor " + std::to_string(i)));
    return ends;
}

TEST(Delay, HoldsAThread) {
    Cast cast;
    const int runner = cast.threads(cast.cpu("cpu"), 2);
    EXPECT_EQ(ends_of(5, cast, runner, [](Script& s) { s.delay(10); }), (Ends{10, 10, 20, 20, 30}));
    const auto rec = cast.run();
    const auto sum = resource_sum(rec, "threads");
    EXPECT_EQ(sum.busy, 50);
    EXPECT_EQ(sum.occupied, 50); // nobody computes
    EXPECT_EQ(sum.running, 0);
    EXPECT_EQ(sum.waited, 10 + 10 + 20);
    EXPECT_EQ(sum.grants, 5U);
    EXPECT_EQ(sum.queue_max, 3);
    EXPECT_EQ(rec.peak_threads, 2);
    EXPECT_EQ(rec.end, 30);
}

TEST(Delay, HoldsACarrierOrParks) {
    for (const auto& [waiting, ends] :
         {std::pair{Waiting::hold, Ends{10, 20, 30}}, {Waiting::park, Ends{10, 10, 10}}}) {
        Cast cast;
        const int runner = cast.carriers(cast.cpu("cpu"), 1);
        EXPECT_EQ(ends_of(3, cast, runner, [&](Script& s) { s.delay(10, waiting); }), ends);
    }
}

TEST(Delay, BlocksALoopOrLeavesItToOthers) {
    for (const auto& [waiting, ends] :
         {std::pair{Waiting::hold, Ends{10, 20, 30}}, {Waiting::park, Ends{10, 10, 10}}}) {
        Cast cast;
        const int runner = cast.loops(cast.cpu("cpu"), 1);
        EXPECT_EQ(ends_of(3, cast, runner, [&](Script& s) { s.delay(10, waiting); }), ends);
    }
}

TEST(Loops, AConnectionBelongsToOne) {
    // One session: all its strands run on its loop, though another one is idle.
    Cast cast;
    const int runner = cast.loops(cast.cpu("cpu", 2), 2);
    EXPECT_EQ(ends_of(3, cast, runner, [](Script& s) { s.delay(10); }), (Ends{10, 20, 30}));
}

TEST(Pinned, IsCountedApart) {
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int runner = cast.carriers(cpu, 1);
    Script script;
    script.work(cpu, 5).delay(10).delay(20);
    script.code[2].pinned = true;
    cast.actor("a", runner, 0, std::move(script.end()));
    const auto sum = resource_sum(cast.run(), "carriers");
    EXPECT_EQ(sum.busy, 35);
    EXPECT_EQ(sum.running, 5);
    EXPECT_EQ(sum.occupied, 30);
    EXPECT_EQ(sum.pinned, 20);
}

TEST(Work, OnTheOwnProcessorKeepsTheCarrierAndDoesNotShare) {
    // Two carriers on one core share it; the third strand waits for a carrier, not for a share.
    Cast cast;
    const int cpu = cast.cpu("cpu", 1);
    const int runner = cast.carriers(cpu, 2);
    EXPECT_EQ(ends_of(3, cast, runner, [&](Script& s) { s.work(cpu, 10, Waiting::park); }), (Ends{20, 20, 30}));
}

TEST(Work, ElsewhereHoldsOrParks) {
    for (const auto& [waiting, ends] : {std::pair{Waiting::hold, Ends{10, 20}}, {Waiting::park, Ends{20, 20}}}) {
        Cast cast;
        const int db = cast.cpu("db", 1);
        const int runner = cast.carriers(cast.cpu("app"), 1);
        EXPECT_EQ(ends_of(2, cast, runner, [&](Script& s) { s.work(db, 10, waiting); }), ends);
    }
}

TEST(Work, FirstComeFirstServedTakesTurns) {
    Cast cast;
    const int db = cast.cpu("db", 2, plan::Sharing::fcfs);
    EXPECT_EQ(ends_of(5, cast, cast.client, [&](Script& s) { s.work(db, 10); }), (Ends{10, 10, 20, 20, 30}));
    const auto sum = resource_sum(cast.run(), "db");
    EXPECT_EQ(sum.busy, 50);
    EXPECT_EQ(sum.residence, 10 + 10 + 20 + 20 + 30);
    EXPECT_EQ(sum.waited, 40); // residence less demand
    EXPECT_EQ(sum.queue, 40);
    EXPECT_EQ(sum.queue_max, 3);
}

TEST(Park, QueuesForACarrierBeforeTheNextInstruction) {
    // The delay is over at 5, but the connection is held until a carrier is free to return it.
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int pool = cast.pool("pool", 1);
    const int runner = cast.carriers(cpu, 1);
    cast.actor("holder", runner, 0, Script().acquire(pool).delay(5, Waiting::park).release(pool).end());
    cast.actor("busy", runner, 1, Script().work(cpu, 10).end());
    cast.actor("waiter", cast.client, 2, Script().acquire(pool).release(pool).end());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "busy"), 11);
    EXPECT_EQ(end_of(rec, "holder"), 11);
    EXPECT_EQ(end_of(rec, "waiter"), 11);
    EXPECT_EQ(resource_sum(rec, "carriers").waited, 6);
}

TEST(Acquire, HoldsTheCarrierOrParks) {
    for (const auto& [waiting, other] : {std::pair{Waiting::hold, 23}, {Waiting::park, 5}}) {
        Cast cast;
        const int cpu = cast.cpu("cpu");
        const int pool = cast.pool("pool", 1);
        const int runner = cast.carriers(cpu, 1);
        cast.actor("owner", cast.client, 0, Script().acquire(pool).delay(20).release(pool).end());
        cast.actor("waiter", runner, 1, Script().acquire(pool, waiting).release(pool).end());
        cast.actor("other", runner, 2, Script().work(cpu, 3).end());
        const auto rec = cast.run();
        EXPECT_EQ(end_of(rec, "waiter"), 20);
        EXPECT_EQ(end_of(rec, "other"), other);
    }
}

TEST(Acquire, HoldsAThreadWhateverThePlanSaysOfCompensation) {
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int pool = cast.pool("pool", 1);
    const int runner = cast.threads(cpu, 1);
    cast.actor("owner", cast.client, 0, Script().acquire(pool).delay(20).release(pool).end());
    cast.actor("waiter", runner, 1, Script().acquire(pool, Waiting::compensate).release(pool).end());
    cast.actor("other", runner, 2, Script().work(cpu, 3).end());
    EXPECT_EQ(end_of(cast.run(), "other"), 23);
}

/// A parent on the only carrier starts a child that needs it.
measure::Recording parent_and_child(Waiting waiting) {
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int runner = cast.carriers(cpu, 1);
    const int child = cast.program("child", runner, Script().work(cpu, 10).end());
    Script parent;
    parent.work(cpu, 1);
    parent.add(plan::Op::fork).children = {{child, 1.0}};
    parent.add(plan::Op::join, -1, waiting);
    cast.actor("parent", runner, 0, std::move(parent.work(cpu, 2).end()));
    return cast.run();
}

TEST(Join, ParkingLetsTheChildRun) {
    EXPECT_EQ(end_of(parent_and_child(Waiting::park), "parent"), 13);
}

TEST(Join, HoldingTheOnlyCarrierIsADeadlock) {
    const auto rec = parent_and_child(Waiting::hold);
    EXPECT_TRUE(rec.deadlock);
    EXPECT_EQ(rec.end, 1);
    EXPECT_EQ(end_of(rec, "parent"), kNotEnded);
}

TEST(Join, WaitsForTheLastChildAndHearsOfAFailure) {
    Cast cast;
    const int good = cast.program("good", cast.client, Script().delay(30).end());
    const int bad = cast.program("bad", cast.client, Script().delay(10).end(plan::Outcome::pool_timeout));
    for (const bool apart : {false, true}) {
        Script parent;
        if (apart) { // the failure comes before the second fork
            parent.add(plan::Op::fork).children = {{bad, 1.0}};
            parent.delay(15);
            parent.add(plan::Op::fork).children = {{good, 1.0}};
        } else {
            parent.add(plan::Op::fork).children = {{bad, 1.0}, {good, 1.0}};
        }
        auto& join = parent.add(plan::Op::join);
        join.on_child_failure = parent.at() + 1;
        parent.end().end(plan::Outcome::pool_timeout);
        cast.actor(apart ? "apart" : "together", cast.client, 0, std::move(parent));
    }
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "together"), 30);
    EXPECT_EQ(end_of(rec, "apart"), 45);
    EXPECT_FALSE(went_well(rec, "together"));
    EXPECT_FALSE(went_well(rec, "apart"));
}

TEST(Join, ForgetsAFailureOnceItIsTold) {
    Cast cast;
    const int bad = cast.program("bad", cast.client, Script().delay(10).end(plan::Outcome::pool_timeout));
    const int good = cast.program("good", cast.client, Script().delay(10).end());
    Script parent;
    parent.add(plan::Op::fork).children = {{bad, 1.0}};
    parent.add(plan::Op::join); // does not care
    parent.add(plan::Op::fork).children = {{good, 1.0}};
    parent.add(plan::Op::join).on_child_failure = 5;
    parent.end().end(plan::Outcome::pool_timeout);
    cast.actor("parent", cast.client, 0, std::move(parent));
    EXPECT_TRUE(went_well(cast.run(), "parent"));
}

} // namespace
} // namespace narrows::testing
