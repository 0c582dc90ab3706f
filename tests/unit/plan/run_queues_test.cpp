// SPDX-License-Identifier: GPL-3.0-or-later
// The run queues of ForkJoinPool, as far as virtual threads see them (JDK 21 and 25).
#include "plan/disciplines/run_queues.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace narrows::plan {
namespace {

class Queues {
public:
    explicit Queues(bool two_level) : queues(two_level) {}
    void outside(StrandId id, Outside who = Outside::starter) { queues.push_outside(nodes(), id, who); }
    void local(StrandId id, std::int32_t carrier) { queues.push_local(nodes(), id, carrier); }
    StrandId next(std::int32_t carrier, std::uint64_t random = 0) {
        return queues.next(nodes(), carrier, [&] {
            ++scans;
            return random;
        });
    }
    RunQueues queues;
    int scans = 0;

private:
    struct Nodes {
        std::vector<WaitLink>* links;
        WaitLink& operator[](StrandId id) const { return (*links)[static_cast<std::size_t>(id)]; }
    };
    Nodes nodes() { return {&links_}; }
    std::vector<WaitLink> links_ = std::vector<WaitLink>(64);
};

TEST(RunQueues, OneLevelIsFirstInFirstOut) {
    Queues q(false);
    const auto a = q.queues.wake();
    const auto b = q.queues.wake();
    q.outside(1, Outside::timer);
    q.local(2, b);
    q.outside(3, Outside::poller);
    q.local(4, a);
    for (const StrandId expected : {1, 2, 3, 4})
        EXPECT_EQ(q.next(a), expected);
    EXPECT_EQ(q.next(a), kNobody);
    EXPECT_EQ(q.scans, 0);
}

TEST(RunQueues, ACarrierDrainsItsOwnQueueFirst) {
    Queues q(true);
    const auto a = q.queues.wake();
    q.outside(1);
    q.local(2, a);
    q.local(3, a);
    EXPECT_EQ(q.next(a), 2);
    EXPECT_EQ(q.next(a), 3);
    EXPECT_EQ(q.next(a), 1);
    EXPECT_EQ(q.next(a), kNobody);
    EXPECT_TRUE(q.queues.empty());
}

TEST(RunQueues, ThenItStaysWithTheQueueItLastTookFrom) {
    for (std::uint64_t random = 0; random < 8; ++random) {
        Queues q(true);
        const auto a = q.queues.wake();
        q.outside(1, Outside::starter);
        q.outside(2, Outside::starter);
        q.outside(11, Outside::timer);
        q.outside(12, Outside::timer);
        const StrandId first = q.next(a, random);
        const StrandId second = q.next(a, random + 1); // a scan from there might find the other queue
        EXPECT_EQ(second, first + 1);
        EXPECT_EQ(q.scans, 1);
        (void)q.next(a, random);
        EXPECT_EQ(q.scans, 2) << "its source is empty: it scans again";
    }
}

TEST(RunQueues, AScanBeginsAnywhereAndReachesEveryQueue) {
    std::set<StrandId> first;
    for (std::uint64_t random = 0; random < 8; ++random) {
        Queues q(true);
        const auto a = q.queues.wake();
        const auto b = q.queues.wake();
        q.outside(1, Outside::starter);
        q.outside(2, Outside::timer);
        q.local(3, b); // another carrier's: it may be stolen
        first.insert(q.next(a, random | (random << 33)));
        std::set<StrandId> rest{q.next(a, 5), q.next(a, 6), q.next(a, 7)};
        EXPECT_TRUE(rest.contains(kNobody));
        EXPECT_EQ(rest.size(), 3U);
    }
    EXPECT_EQ(first, (std::set<StrandId>{1, 2, 3}));
}

TEST(RunQueues, TheCarrierThatRestedLastWakesFirst) {
    Queues q(true);
    const auto a = q.queues.wake();
    const auto b = q.queues.wake();
    EXPECT_NE(a, b);
    q.queues.rest(a);
    q.queues.rest(b);
    EXPECT_EQ(q.queues.wake(), b);
    EXPECT_EQ(q.queues.wake(), a);
}

TEST(RunQueues, AfterARestTheSourceIsForgotten) {
    Queues q(true);
    const auto a = q.queues.wake();
    q.outside(1);
    EXPECT_EQ(q.next(a), 1);
    q.queues.rest(a);
    (void)q.queues.wake();
    q.outside(2);
    EXPECT_EQ(q.next(a), 2);
    EXPECT_EQ(q.scans, 2);
}

} // namespace
} // namespace narrows::plan
