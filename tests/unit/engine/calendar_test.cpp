// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/calendar.hpp"
#include "random/streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

/// A million operations beside std::priority_queue. Times are drawn from a few values, so ties are common; the
/// sequence must then keep the order of pushing. Some keys are shown by sources, which change them at will.
void compare_with_standard_queue(std::uint64_t seed, std::uint64_t distinct_times, std::size_t sources) {
    struct Event {
        Key key; // time and sequence alone
        std::int32_t payload;
        bool operator>(const Event& other) const { return key > other.key; }
    };
    Tournament tournament(sources);
    std::priority_queue<Event, std::vector<Event>, std::greater<>> standard;
    std::vector<Key> shown(sources, kNever);
    Stream random(StreamKey{seed});
    std::uint64_t sequence = 0;
    const auto draw_key = [&] { return make_key(random.next() % distinct_times, sequence++, 0); };
    const auto take_least = [&](int i) {
        const auto first = std::min_element(shown.begin(), shown.end());
        const bool from_source = sources != 0 && (standard.empty() || *first < standard.top().key);
        const Key least = tournament.least();
        if (from_source) {
            const auto place = static_cast<std::size_t>(first - shown.begin());
            ASSERT_EQ(payload_of(least), static_cast<std::int32_t>(place)) << "operation " << i;
            ASSERT_TRUE(least == Tournament::with_place(*first, place));
            shown[place] = i % 3 == 0 ? kNever : draw_key();
            tournament.set(place, shown[place]);
            return;
        }
        ASSERT_GE(payload_of(least), static_cast<std::int32_t>(sources)) << "operation " << i;
        ASSERT_TRUE(Tournament::with_place(least, 0) == standard.top().key) << "operation " << i;
        ASSERT_EQ(tournament.pop(), standard.top().payload);
        standard.pop();
    };
    for (int i = 0; i < 1'000'000; ++i) {
        // Long ascents and descents by turns, so that sizes from 0 to thousands are met.
        const bool rising = (i / 20'000) % 2 == 0;
        if (standard.empty() || random.uniform() < (rising ? 0.6 : 0.4)) {
            const Event event{draw_key(), static_cast<std::int32_t>(random.next() >> 40)};
            tournament.push(rank_of(event.key), sequence - 1, event.payload);
            standard.push(event);
        } else {
            take_least(i);
        }
        if (sources != 0 && i % 5 == 0) {
            const auto place = random.next() % sources;
            shown[place] = draw_key();
            tournament.set(place, shown[place]);
        }
        ASSERT_EQ(tournament.size(), standard.size());
    }
    for (int i = 0; !standard.empty(); i += 3)
        take_least(i);
    for (std::size_t place = 0; place < sources; ++place)
        tournament.set(place, kNever);
    EXPECT_EQ(rank_of(tournament.least()), rank_of(kNever));
}

TEST(Tournament, AgreesWithTheStandardQueue) {
    compare_with_standard_queue(1, 1'000'000'000, 0);
}
TEST(Tournament, AgreesWithTheStandardQueueAmongTies) {
    compare_with_standard_queue(2, 7, 0);
}
TEST(Tournament, AgreesWithTheStandardQueueBesideSources) {
    compare_with_standard_queue(3, 1000, 1);
    compare_with_standard_queue(4, 1'000'000'000, 23);
}

TEST(Tournament, TiesLeaveInTheOrderOfTheirSequence) {
    Tournament tournament;
    for (int i = 0; i < 1000; ++i)
        tournament.push(42, static_cast<std::uint64_t>(i), (i * 7) % 1000);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(rank_of(tournament.least()), 42U);
        ASSERT_EQ(tournament.pop(), (i * 7) % 1000);
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
