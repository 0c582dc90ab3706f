// SPDX-License-Identifier: GPL-3.0-or-later
// Compensation of held carriers by the rule of ForkJoinPool.tryCompensate, JDK 21 and 25. Measured
// there with 4 carriers, all busy: 1, 2, 3, 4 and 8 blocked leave 3, 2, 2, 2 and 2 usable, in pools
// of 4, 4, 5, 6 and 10; blocking that starts on an idle pool ended with 1.
#include "plan/disciplines/workers.hpp"
#include "support/cast.hpp"

namespace narrows::testing {
namespace {

using plan::Carriers;
using plan::Waiting;

TEST(Carriers, LoadedPoolShrinksToHalfAndThenGrows) {
    const struct {
        int blocked, usable, total;
    } cases[] = {{1, 3, 4}, {2, 2, 4}, {3, 2, 5}, {4, 2, 6}, {8, 2, 10}};
    for (const auto& c : cases) {
        Carriers carriers(4, 256, 2);
        for (int i = 0; i < 4; ++i)
            EXPECT_TRUE(carriers.submit());
        EXPECT_FALSE(carriers.submit()); // the queue is never empty from here on
        for (int i = 0; i < c.blocked; ++i)
            EXPECT_NE(carriers.compensate(), Carriers::Compensation::none);
        EXPECT_EQ(carriers.active(), c.usable) << c.blocked;
        EXPECT_EQ(carriers.total(), c.total) << c.blocked;
        for (int i = 0; i < c.blocked; ++i)
            carriers.uncompensate();
        EXPECT_EQ(carriers.active(), c.usable + c.blocked);
    }
}

TEST(Carriers, BlockUncompensatedAtTheMaximum) {
    Carriers carriers(2, 3, 1);
    EXPECT_TRUE(carriers.submit());
    EXPECT_TRUE(carriers.submit());
    EXPECT_EQ(carriers.compensate(), Carriers::Compensation::shrunk);
    EXPECT_EQ(carriers.compensate(), Carriers::Compensation::spare);
    EXPECT_EQ(carriers.compensate(), Carriers::Compensation::none);
    EXPECT_EQ(carriers.total(), 3);
}

/// `blockers` strands that block compensated for long, and 60 tasks of 10 ns that hold their carrier:
/// with u carriers usable the last task ends 600 / u after the first began.
measure::Recording block(int blockers, Waiting waiting, std::int64_t most, double apart, double tasks_at) {
    Cast cast;
    const int runner = cast.carriers(cast.cpu("cpu", 4), 4, most, 2);
    for (int i = 0; i < blockers; ++i)
        cast.actor("blocker " + std::to_string(i), runner, apart * i, Script().delay(1'000'000, waiting).end());
    for (int i = 0; i < 60; ++i)
        cast.actor("task " + std::to_string(i), runner, tasks_at, Script().delay(10).end());
    return cast.run();
}

TEST(Compensation, LoadedPool) {
    const std::pair<int, Nanos> cases[] = {{0, 150}, {1, 200}, {2, 300}, {3, 300}, {4, 300}, {8, 300}};
    for (const auto& [blockers, last] : cases)
        EXPECT_EQ(end_of(block(blockers, Waiting::compensate, 256, 0, 0), "task 59"), last) << blockers;
}

TEST(Compensation, HeldCarriersAreMissed) {
    const std::pair<int, Nanos> cases[] = {{1, 200}, {2, 300}, {3, 600}, {4, 1'000'150}};
    for (const auto& [blockers, last] : cases)
        EXPECT_EQ(end_of(block(blockers, Waiting::hold, 256, 0, 0), "task 59"), last) << blockers;
}

TEST(Compensation, StopsAtTheMaximum) {
    // At most 5 carriers: of 8 blockers 5 hold them all, and the first to end frees one.
    EXPECT_GT(end_of(block(8, Waiting::compensate, 5, 0, 0), "task 59"), 1'000'000);
}

TEST(Compensation, IdlePoolEndsWithOneUsable) {
    EXPECT_EQ(end_of(block(4, Waiting::compensate, 256, 1000, 10'000), "task 59"), 10'000 + 600);
}

TEST(Compensation, NoMoreThanAllCarriersAreInUse) {
    // Eight blocked carriers and those in their place are more than the four there are by right.
    const auto sum = resource_sum(block(8, Waiting::compensate, 256, 0, 0), "carriers");
    EXPECT_GT(sum.spare, 0);
    const auto used = sum.busy - sum.spare, run = 1'000'000.0;
    EXPECT_GT(used, 0.99 * 4 * run); // four or more are held to the end
    EXPECT_LE(used, 4 * run);
}

TEST(Compensation, EndsWithTheBlock) {
    // While two are blocked two are usable; when they come back at 100 all four work on.
    Cast cast;
    const int runner = cast.carriers(cast.cpu("cpu", 4), 4, 256, 2);
    for (int i = 0; i < 2; ++i)
        cast.actor("blocker " + std::to_string(i), runner, 0, Script().delay(100, Waiting::compensate).end());
    for (int i = 0; i < 60; ++i)
        cast.actor("task " + std::to_string(i), runner, 0, Script().delay(10).end());
    const auto rec = cast.run();
    EXPECT_EQ(end_of(rec, "blocker 0"), 100);
    EXPECT_EQ(end_of(rec, "task 59"), 100 + 40 / 4 * 10); // 20 tasks by 100
}

} // namespace
} // namespace narrows::testing
