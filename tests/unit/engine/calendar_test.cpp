// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calendar.hpp"
#include "random/streams.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <queue>
#include <vector>

namespace narrows::engine {
namespace {

TEST(Key, OrdersByTimeThenSequence) {
    EXPECT_LT(make_key(1, 900, 5), make_key(2, 1, 0));
    EXPECT_LT(make_key(2, 1, kMaxPayload), make_key(2, 2, 0));
    EXPECT_LT(make_key(static_cast<std::uint64_t>(kForever), 1, 1), kNever);
    const Key key = make_key(123456789, (std::uint64_t{1} << 40) - 1, kMaxPayload);
    EXPECT_EQ(rank_of(key), 123456789U);
    EXPECT_EQ(payload_of(key), kMaxPayload);
}

/// A million operations beside std::priority_queue. Times are drawn from a few values, so ties are
/// common; the sequence must then keep the order of pushing.
void compare_with_standard_queue(std::uint64_t seed, std::uint64_t distinct_times) {
    KeyHeap heap;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> standard;
    Stream random(StreamKey{seed});
    std::uint64_t sequence = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        // Long ascents and descents by turns, so that sizes from 0 to thousands are met.
        const bool rising = (i / 20'000) % 2 == 0;
        const bool push = standard.empty() || random.uniform() < (rising ? 0.6 : 0.4);
        if (push) {
            const Key key =
                make_key(random.next() % distinct_times, sequence, static_cast<std::int32_t>(sequence & 0xffff));
            ++sequence;
            heap.push(key);
            standard.push(key);
        } else {
            ASSERT_TRUE(heap.top() == standard.top()) << "operation " << i;
            heap.pop();
            standard.pop();
        }
        ASSERT_EQ(heap.size(), standard.size());
        ASSERT_EQ(heap.empty(), standard.empty());
    }
    while (!standard.empty()) {
        ASSERT_TRUE(heap.top() == standard.top());
        heap.pop();
        standard.pop();
    }
    EXPECT_TRUE(heap.top() == kNever);
}

TEST(KeyHeap, AgreesWithTheStandardQueue) {
    compare_with_standard_queue(1, 1'000'000'000);
}
TEST(KeyHeap, AgreesWithTheStandardQueueAmongTies) {
    compare_with_standard_queue(2, 7);
}

TEST(KeyHeap, TiesLeaveInTheOrderOfTheirSequence) {
    KeyHeap heap;
    for (int i = 0; i < 1000; ++i)
        heap.push(make_key(42, static_cast<std::uint64_t>(i), (i * 7) % 1000));
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(payload_of(heap.top()), (i * 7) % 1000);
        heap.pop();
    }
}

TEST(KeyRing, IsFirstInFirstOutWhileItGrowsAndWraps) {
    KeyRing ring;
    std::queue<Key> standard;
    Stream random(StreamKey{3});
    std::uint64_t time = 0, sequence = 0;
    EXPECT_TRUE(ring.top() == kNever);
    for (int i = 0; i < 300'000; ++i) {
        if (standard.empty() || random.uniform() < (i < 150'000 ? 0.55 : 0.45)) {
            const Key key = make_key(time += random.next() % 3, sequence++, i & 0xffff);
            ring.push(key);
            standard.push(key);
        } else {
            ring.pop();
            standard.pop();
        }
        ASSERT_EQ(ring.size(), standard.size());
        ASSERT_TRUE(ring.top() == (standard.empty() ? kNever : standard.front()));
    }
}

} // namespace
} // namespace narrows::engine
