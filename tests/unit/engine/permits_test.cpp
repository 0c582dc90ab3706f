// SPDX-License-Identifier: GPL-3.0-or-later
// Hand-over of permits by each discipline, time-outs, full queues.
#include "support/cast.hpp"

namespace narrows::testing {
namespace {

using plan::Discipline;
using plan::Waiting;

TEST(Fifo, IsHandedToTheLongestWaiter) {
    Cast cast;
    const int pool = cast.pool("pool", 1);
    const auto user = [&] { return Script().acquire(pool).delay(10).release(pool).end(); };
    cast.actor("first", cast.client, 0, user());
    cast.actor("second", cast.client, 1, user());
    cast.actor("third", cast.client, 2, user());
    cast.actor("newcomer", cast.client, 10, user()); // asks at the very instant of the release
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "first"), 10);
    EXPECT_EQ(end_of(rec, "second"), 20);
    EXPECT_EQ(end_of(rec, "third"), 30);
    EXPECT_EQ(end_of(rec, "newcomer"), 40);
    const auto sum = resource_sum(rec, "pool");
    EXPECT_EQ(sum.busy, 40);
    EXPECT_EQ(sum.waited, 9 + 18 + 20);
    EXPECT_EQ(sum.queue, sum.waited);
    EXPECT_EQ(sum.grants, 4U);
    EXPECT_EQ(sum.queue_max, 3);
}

TEST(Fifo, SeveralPermits) {
    Cast cast;
    const int pool = cast.pool("pool", 2);
    for (int i = 0; i < 5; ++i)
        cast.actor("a" + std::to_string(i), cast.client, 0, Script().acquire(pool).delay(10).release(pool).end());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "a1"), 10);
    EXPECT_EQ(end_of(rec, "a3"), 20);
    EXPECT_EQ(end_of(rec, "a4"), 30);
}

/// The owner releases at 10 and wakes `parked`, which waits in front of a busy carrier until 25. At 12 a
/// newcomer comes for `stay` ns, at 15 another waiter.
measure::Recording barge(Discipline discipline, double stay, Nanos timeout = -1) {
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int pool = cast.pool("pool", 1, discipline);
    const int runner = cast.carriers(cpu, 1);
    cast.actor("owner", cast.client, 0, Script().acquire(pool).delay(10).release(pool).end());
    Script parked;
    if (timeout < 0)
        parked.acquire(pool, Waiting::park);
    else
        parked.acquire_within(pool, timeout, 4, Waiting::park);
    parked.delay(10, Waiting::park).release(pool).end();
    if (timeout >= 0) parked.end(plan::Outcome::pool_timeout);
    cast.actor("parked", runner, 1, std::move(parked));
    cast.actor("busy", runner, 5, Script().work(cpu, 20).end());
    cast.actor("newcomer", cast.client, 12, Script().acquire(pool).delay(stay).release(pool).end());
    cast.actor("later", cast.client, 15, Script().acquire(pool).delay(10).release(pool).end());
    return engine::run(cast.plan(), {});
}

void expect_ends(const measure::Recording& rec, Nanos parked, Nanos newcomer, Nanos later) {
    EXPECT_EQ(end_of(rec, "parked"), parked);
    EXPECT_EQ(end_of(rec, "newcomer"), newcomer);
    EXPECT_EQ(end_of(rec, "later"), later);
}

TEST(Disciplines, FifoWaitsForTheWokenOne) {
    const auto rec = barge(Discipline::fifo, 20);
    expect_ends(rec, 35, 55, 65); // the permit is its own from 10 on, used or not
    expect_littles_law(rec);
}

TEST(Disciplines, BargingLoserStaysAtTheHead) {
    const auto rec = barge(Discipline::barging, 20);
    expect_ends(rec, 42, 32, 52);
    expect_littles_law(rec);
    EXPECT_EQ(resource_sum(rec, "pool").waited, (32 - 1) + (42 - 15));
}

TEST(Disciplines, HikariLoserGoesToTheTail) {
    const auto rec = barge(Discipline::hikari, 20);
    expect_ends(rec, 52, 32, 42);
    expect_littles_law(rec);
    EXPECT_EQ(resource_sum(rec, "pool").waited, (42 - 1) + (32 - 15));
}

TEST(Disciplines, TheWokenOneIsInTimeWhenTheNewcomerIsQuick) {
    for (const auto discipline : {Discipline::barging, Discipline::hikari}) {
        // Free again at 17. Under barging nobody else is woken while the head is on its way; HikariCP
        // hands over to whoever waits: `later` has it from 17 to 27, and the woken one has lost.
        const auto rec = barge(discipline, 5);
        if (discipline == Discipline::barging)
            expect_ends(rec, 35, 17, 45);
        else
            expect_ends(rec, 37, 17, 27);
        expect_littles_law(rec);
    }
}

TEST(Disciplines, ExpiredWhileWokenStillTakesAFreePermit) {
    // Time is up at 21, on the way to the carrier; at 25 the permit is free.
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int pool = cast.pool("pool", 1, Discipline::hikari);
    const int runner = cast.carriers(cpu, 1);
    cast.actor("owner", cast.client, 0, Script().acquire(pool).delay(10).release(pool).end());
    cast.actor(
        "parked", runner, 1,
        Script().acquire_within(pool, 20, 3, Waiting::park).release(pool).end().end(plan::Outcome::pool_timeout));
    cast.actor("busy", runner, 5, Script().work(cpu, 20).end());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "parked"), 25);
    EXPECT_TRUE(went_well(rec, "parked"));
}

TEST(Disciplines, ExpiredWhileWokenFailsWhenItLoses) {
    for (const auto discipline : {Discipline::barging, Discipline::hikari}) {
        const auto rec = barge(discipline, 20, 20);
        EXPECT_EQ(end_of(rec, "parked"), 25);
        EXPECT_FALSE(went_well(rec, "parked"));
        EXPECT_EQ(end_of(rec, "newcomer"), 32);
        EXPECT_EQ(end_of(rec, "later"), 42); // the wake-up is not lost with it
        expect_littles_law(rec, 24, "pool");
    }
}

TEST(Disciplines, LosingDoesNotGrantMoreTime) {
    // Woken at 10, lost at 25, still in the queue at 31 = 1 + 30: it fails then, not at 25 + 30.
    const auto rec = barge(Discipline::barging, 20, 30);
    EXPECT_EQ(end_of(rec, "parked"), 31);
    EXPECT_FALSE(went_well(rec, "parked"));
}

TEST(Timeout, OfAnAcquire) {
    Cast cast;
    const int pool = cast.pool("pool", 1);
    cast.actor("owner", cast.client, 0, Script().acquire(pool).delay(10).release(pool).end());
    const auto within = [&](Nanos timeout) {
        return Script().acquire_within(pool, timeout, 3).release(pool).end().end(plan::Outcome::pool_timeout);
    };
    cast.actor("impatient", cast.client, 1, within(5));
    cast.actor("just in time", cast.client, 2, within(8)); // equal times: the permit comes first
    cast.actor("at once", cast.client, 3, within(0));
    cast.actor("patient", cast.client, 4, within(100));
    const auto rec = cast.run(5 + 0, "pool");
    EXPECT_EQ(end_of(rec, "impatient"), 6);
    EXPECT_FALSE(went_well(rec, "impatient"));
    EXPECT_EQ(end_of(rec, "just in time"), 10);
    EXPECT_TRUE(went_well(rec, "just in time"));
    EXPECT_EQ(end_of(rec, "at once"), 3);
    EXPECT_FALSE(went_well(rec, "at once"));
    EXPECT_EQ(end_of(rec, "patient"), 10);
    EXPECT_EQ(rec.end, 10); // no time-out of the past keeps the run alive
}

TEST(Timeout, OfAParkedStrandNeedsACarrierToBeSeen) {
    Cast cast;
    const int cpu = cast.cpu("cpu");
    const int pool = cast.pool("pool", 1);
    const int runner = cast.carriers(cpu, 1);
    cast.actor("owner", cast.client, 0, Script().acquire(pool).delay(100).release(pool).end());
    cast.actor("parked", runner, 1,
               Script().acquire_within(pool, 5, 3, Waiting::park).release(pool).end().end(plan::Outcome::pool_timeout));
    cast.actor("busy", runner, 2, Script().work(cpu, 20).end());
    EXPECT_EQ(end_of(cast.run(5, "pool"), "parked"), 22);
}

TEST(Timeout, OfADelay) {
    Cast cast;
    const auto limited = [&](double amount) {
        Script s;
        auto& in = s.add(plan::Op::delay);
        in.amount = Distribution::constant(amount);
        in.timeout = 10;
        in.on_failure = 2;
        return std::move(s.end().end(plan::Outcome::call_timeout));
    };
    cast.actor("short", cast.client, 0, limited(9));
    cast.actor("equal", cast.client, 0, limited(10));
    cast.actor("long", cast.client, 0, limited(11));
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "short"), 9);
    EXPECT_EQ(end_of(rec, "equal"), 10);
    EXPECT_TRUE(went_well(rec, "equal"));
    EXPECT_EQ(end_of(rec, "long"), 10);
    EXPECT_FALSE(went_well(rec, "long"));
}

TEST(Timeout, OfAJoinAbandonsTheChildren) {
    Cast cast;
    const int pool = cast.pool("pool", 1);
    const int far = cast.program("far", cast.client, Script().acquire(pool).delay(50).release(pool).end());
    Script caller;
    caller.add(plan::Op::fork).children = {{far, 1.0}};
    auto& join = caller.add(plan::Op::join);
    join.timeout = 20;
    join.on_failure = 3;
    caller.end().end(plan::Outcome::call_timeout);
    cast.actor("caller", cast.client, 0, std::move(caller));
    cast.actor("next", cast.client, 1, Script().acquire(pool).release(pool).end());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "caller"), 20);
    EXPECT_FALSE(went_well(rec, "caller"));
    EXPECT_EQ(end_of(rec, "next"), 50); // the far side works on, holding what it holds
}

TEST(FullQueue, FailsAtOnce) {
    Cast cast;
    const int pool = cast.pool("pool", 1, Discipline::fifo, 1);
    const auto user = [&] {
        Script s;
        s.add(plan::Op::acquire, pool).on_full = 4;
        return std::move(s.delay(10).release(pool).end().end(plan::Outcome::refused));
    };
    for (const char* name : {"served", "waits", "refused"})
        cast.actor(name, cast.client, 0, user());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "served"), 10);
    EXPECT_EQ(end_of(rec, "waits"), 20);
    EXPECT_EQ(end_of(rec, "refused"), 0);
    EXPECT_FALSE(went_well(rec, "refused"));
    EXPECT_EQ(resource_sum(rec, "pool").grants, 2U);
}

TEST(FullQueue, OfThreadsRefusesTheStart) {
    Cast cast;
    const int runner = cast.runner(
        {.name = "threads", .kind = plan::RunnerKind::threads, .workers = 1, .queue_limit = 1, .cpu = cast.cpu("cpu")});
    for (const char* name : {"served", "waits", "refused"})
        cast.actor(name, runner, 0, Script().delay(10).end());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "waits"), 20);
    EXPECT_EQ(end_of(rec, "refused"), 0);
    EXPECT_FALSE(went_well(rec, "refused"));
}

/// Two clients, one connection; the work takes 50, the clients wait 20 for it.
plan::Plan impatient_clients(bool two_children, bool gives) {
    Cast cast;
    const int connections = cast.pool("connections", 1);
    const int quick = cast.program("quick", cast.client, Script().delay(5).end());
    const int slow = cast.program("slow", cast.client, Script().delay(50).end());
    auto plan = cast.plan();
    plan.endpoints = {"request"};
    plan.programs[static_cast<std::size_t>(slow)].endpoint = 0;
    Script session;
    session.acquire(connections);
    session.add(plan::Op::send);
    if (two_children)
        session.add(plan::Op::fork).children = {{quick, 1.0}, {slow, 1.0}};
    else
        session.add(plan::Op::fork).children = {{slow, 1.0}};
    auto& join = session.add(plan::Op::join);
    join.timeout = 20;
    join.on_failure = 7;
    join.gives = gives ? connections : -1;
    session.add(plan::Op::answer);
    session.release(connections).end();
    session.add(plan::Op::answer).outcome = plan::Outcome::client_timeout; // 7
    if (!gives) session.release(connections);
    session.end();
    plan.programs[0].code = session.code;
    plan.load.requests = 2;
    return plan;
}

TEST(ClientTimeout, EndsTheRunThoughTheServerWorksOn) {
    const auto rec = engine::run(impatient_clients(false, false), {});
    EXPECT_EQ(outcome_count(rec, static_cast<std::size_t>(plan::Outcome::client_timeout)), 2U);
    EXPECT_EQ(rec.end, 40); // the second has the connection at 20; the abandoned work ends at 70
    EXPECT_EQ(rec.issued, 2U);
    EXPECT_EQ(rec.unanswered, 0U);
    EXPECT_EQ(rec.groups.front().latency.max(), 20);
    EXPECT_FALSE(rec.deadlock);
}

TEST(ClientTimeout, LeavesTheConnectionToTheAbandonedChild) {
    for (const bool two_children : {false, true}) {
        const auto rec = engine::run(impatient_clients(two_children, true), {});
        EXPECT_EQ(outcome_count(rec, static_cast<std::size_t>(plan::Outcome::client_timeout)), 2U);
        EXPECT_EQ(rec.end, 70) << two_children; // from 50, when the child lets it go
        EXPECT_EQ(resource_sum(rec, "connections").waited, 50);
        EXPECT_EQ(rec.groups.front().latency.max(), 20);
        expect_littles_law(rec);
    }
}

} // namespace
} // namespace narrows::testing
