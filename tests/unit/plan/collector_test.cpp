// SPDX-License-Identifier: GPL-3.0-or-later
// The books of the collector: what is copied, promoted, reclaimed, and when nothing more fits.
#include "plan/disciplines/collector.hpp"

#include <gtest/gtest.h>

namespace narrows::plan {
namespace {

/// 1000 bytes, eden 400; a byte is copied, marked or moved in 1, 2 or 3 ns by the one worker.
Memory memory() {
    Memory m;
    m.heap = 1000;
    m.young_least = 0.1;
    m.young_most = 0.4;
    m.copy_rate = 1e9;
    m.mark_rate = 0.5e9;
    m.compact_rate = 1e9 / 3;
    m.least_pause = 1;
    return m;
}

TEST(Collector, EdenIsFullAfterItsSize) {
    Collector c(memory());
    EXPECT_FALSE(c.allocate(399, 0));
    EXPECT_TRUE(c.allocate(1, 0));
}

TEST(Collector, WhatDiesYoungCostsNoCopying) {
    Collector c(memory());
    (void)c.allocate(400, 300);
    c.free(300, c.epoch());
    EXPECT_DOUBLE_EQ(c.collect().cpu_ns, 0);
    EXPECT_DOUBLE_EQ(c.old(), 0);
}

TEST(Collector, WhatLivesIsCopiedTwiceAndThenOld) {
    Collector c(memory());
    const auto born = c.epoch();
    (void)c.allocate(400, 100);
    EXPECT_DOUBLE_EQ(c.collect().cpu_ns, 100);
    EXPECT_DOUBLE_EQ(c.old(), 0);
    EXPECT_DOUBLE_EQ(c.collect().cpu_ns, 100);
    EXPECT_DOUBLE_EQ(c.old(), 100);
    EXPECT_DOUBLE_EQ(c.collect().cpu_ns, 0);
    c.free(100, born);
    EXPECT_DOUBLE_EQ(c.live(), 0);
    EXPECT_DOUBLE_EQ(c.old(), 100); // garbage that no young collection finds
}

TEST(Collector, WithoutMarkingAllOfTheHeapIsCollectedWhenNoRoomIsLeft) {
    Collector c(memory());
    double full = 0;
    for (int i = 0; i < 12 && full == 0; ++i) {
        const auto born = c.epoch();
        (void)c.allocate(100, 100);
        for (int n = 0; n < 2; ++n)
            if (const auto pause = c.collect(); pause.full) full = pause.cpu_ns;
        c.free(100, born);
    }
    // The tenth hundred leaves no room: it is copied, and only it is alive to be moved.
    EXPECT_DOUBLE_EQ(full, 100 + 300);
    EXPECT_LE(c.old(), 100);
}

TEST(Collector, MarkingLetsYoungCollectionsReclaimOldGarbage) {
    Memory m = memory();
    m.concurrent_workers = 1;
    m.mark_at = 0.15;
    m.mixed = 2;
    Collector c(m);
    EXPECT_DOUBLE_EQ(c.begin_marking(), 0);
    const auto born = c.epoch();
    (void)c.allocate(200, 200);
    (void)c.collect();
    (void)c.collect();
    c.free(120, born);
    EXPECT_DOUBLE_EQ(c.begin_marking(), 160); // 80 bytes live
    EXPECT_DOUBLE_EQ(c.begin_marking(), 0) << "it is under way";
    c.free(40, born); // later garbage is not found by it
    c.marked();
    EXPECT_DOUBLE_EQ(c.collect().cpu_ns, 20); // half of what lives there
    EXPECT_DOUBLE_EQ(c.old(), 140);
    EXPECT_DOUBLE_EQ(c.collect().cpu_ns, 20);
    EXPECT_DOUBLE_EQ(c.old(), 80);
    EXPECT_DOUBLE_EQ(c.collect().cpu_ns, 0);
}

TEST(Collector, AGoalForPausesMakesEdenSmall) {
    Memory m = memory();
    m.pause_goal = 51;
    Collector c(m);
    (void)c.allocate(400, 100); // a quarter survives: 50 ns of copying are 200 bytes of eden
    (void)c.collect();
    EXPECT_FALSE(c.allocate(199, 0));
    EXPECT_TRUE(c.allocate(2, 0));
}

TEST(Collector, WhatLivesCanBeTooMuch) {
    Memory m = memory();
    m.baseline = 700;
    Collector c(m);
    EXPECT_TRUE(c.allocate(300, 290));
    const auto first = c.collect();
    EXPECT_TRUE(first.full);
    EXPECT_FALSE(first.exhausted); // 10 bytes are free
    EXPECT_TRUE(c.allocate(20, 20));
    EXPECT_TRUE(c.collect().exhausted);
}

} // namespace
} // namespace narrows::plan
