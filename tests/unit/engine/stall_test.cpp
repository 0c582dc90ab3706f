// SPDX-License-Identifier: GPL-3.0-or-later
// Knots: nobody on the server can move.
#include "support/cast.hpp"
#include "support/plans.hpp"

namespace narrows::testing {
namespace {

using plan::Waiting;
using Lines = std::vector<std::string>;

TEST(Stall, EmbraceOfTwoIsADeadlock) {
    Cast cast;
    const int left = cast.pool("left", 1), right = cast.pool("right", 1);
    cast.actor("a", cast.client, 0, Script().acquire(left).delay(10).acquire(right).release(right).release(left).end());
    cast.actor("b", cast.client, 5, Script().acquire(right).delay(10).acquire(left).release(left).release(right).end());
    const auto rec = cast.run();
    EXPECT_TRUE(rec.deadlock);
    EXPECT_EQ(rec.end, 15);
    ASSERT_TRUE(rec.knot.has_value());
    EXPECT_DOUBLE_EQ(rec.knot->at_ms, 15e-6);
    EXPECT_FALSE(rec.knot->until_timeout);
    EXPECT_EQ(rec.knot->stuck, 2U);
    EXPECT_EQ(rec.knot->lines,
              (Lines{"1 strand holds left and waits for right (1 of 1 taken)", "1 request waits for what it started",
                     "1 strand holds right and waits for left (1 of 1 taken)", "1 request waits for what it started"}));
    EXPECT_EQ(rec.unanswered, 2U);
}

/// Requests that hold a connection while they wait, parked, for the far side; others wait for a
/// connection and keep their carriers.
plan::Plan pinned_carriers(Nanos timeout) {
    PlanBuilder b;
    const int hikari = b.pool("hikari", 1);
    b.runner({.name = "carriers",
              .kind = plan::RunnerKind::carriers,
              .workers = 2,
              .max_workers = 2,
              .cpu = b.cpu("cpu", 2, plan::Sharing::processor_sharing)});
    auto& wait = b.add(plan::Op::acquire, hikari);
    wait.pinned = true;
    wait.timeout = timeout;
    wait.on_failure = timeout < 0 ? -1 : 4;
    b.delay(Distribution::constant(1e7), Waiting::park).release(hikari);
    if (timeout >= 0) {
        b.add(plan::Op::end);
        auto plan = b.burst(3);
        plan.programs[1].code[4].outcome = plan::Outcome::pool_timeout;
        return plan;
    }
    return b.burst(3);
}

TEST(Stall, PinnedCarriersNobodyCanReturnTheConnection) {
    const auto rec = engine::run(pinned_carriers(-1), {});
    EXPECT_TRUE(rec.deadlock);
    EXPECT_EQ(rec.end, 10'000'000);
    ASSERT_TRUE(rec.knot.has_value());
    EXPECT_EQ(rec.knot->stuck, 3U);
    EXPECT_EQ(rec.knot->lines, (Lines{"2 requests wait for hikari (1 of 1 taken), keeping 2 of 2 carriers (pinned)",
                                      "1 request holds hikari and waits for one of 2 carriers, all held"}));
    expect_littles_law(rec);
}

TEST(Stall, ATimeoutUndoesIt) {
    const auto rec = engine::run(pinned_carriers(30'000'000), {});
    EXPECT_FALSE(rec.deadlock);
    ASSERT_TRUE(rec.knot.has_value());
    EXPECT_EQ(rec.knot->at_ms, 10);
    EXPECT_TRUE(rec.knot->until_timeout);
    EXPECT_EQ(rec.knot->times, 1U);
    // At 30 ms the first of the two fails. Its carrier lets the holder return the connection, and that
    // comes before the other's time-out of the same instant.
    EXPECT_EQ(outcome_count(rec, static_cast<std::size_t>(plan::Outcome::pool_timeout)), 1U);
    EXPECT_EQ(answers(rec).ok, 2U);
    EXPECT_EQ(rec.end, 40'000'000);
    expect_littles_law(rec, 3e7, "hikari");
}

TEST(Stall, IsADeadlockOnceTheLastTimeoutPassedInVain) {
    Cast cast;
    const int left = cast.pool("left", 1), right = cast.pool("right", 1);
    cast.actor("a", cast.client, 0, Script().acquire(left).delay(10).acquire(right).release(right).release(left).end());
    cast.actor("b", cast.client, 5, Script().acquire(right).delay(10).acquire(left).release(left).release(right).end());
    cast.actor("c", cast.client, 6,
               Script().acquire_within(left, 100, 3).release(left).end().end(plan::Outcome::pool_timeout));
    const auto rec = cast.run(100, "left");
    EXPECT_EQ(end_of(rec, "c"), 106);
    EXPECT_TRUE(rec.deadlock);
    EXPECT_EQ(rec.end, 106);
    ASSERT_TRUE(rec.knot.has_value());
    EXPECT_FALSE(rec.knot->until_timeout);
}

TEST(Stall, ArrivalsDoNotHideIt) {
    // Users keep coming; none can be served.
    PlanBuilder b;
    const int outer = b.pool("outer", 2), inner = b.pool("inner", 2);
    b.acquire(outer).acquire(inner).delay(Distribution::constant(1e6)).acquire(outer);
    b.release(outer).release(inner).release(outer);
    auto plan = b.closed(3, Distribution::constant(5e6));
    const auto rec = engine::run(plan, {});
    EXPECT_TRUE(rec.deadlock);
    EXPECT_EQ(rec.end, 1'000'000);
    expect_littles_law(rec);
}

TEST(Stall, ThinkingClientsAreNoStall) {
    PlanBuilder b;
    const int pool = b.pool("pool", 1);
    b.acquire(pool).delay(Distribution::constant(1e6)).release(pool);
    engine::Options options;
    options.duration = 100'000'000;
    const auto rec = engine::run(b.closed(3, Distribution::constant(50e6)), options);
    EXPECT_FALSE(rec.knot.has_value());
    expect_littles_law(rec);
}

} // namespace
} // namespace narrows::testing
