// SPDX-License-Identifier: GPL-3.0-or-later
// The event calendar. Events have a total order: time, then the sequence in which they were
// scheduled. What is measured to pay is written in docs/adr/0002 and tests/bench.
#pragma once

#include "random/time.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace narrows::engine {

/// Time (or any unsigned 64-bit rank) above, sequence and payload below: one comparison orders
/// both. The payload takes the low 24 bits, the sequence the 40 above: 10^12 events, 16.7 million
/// strands at once.
__extension__ typedef unsigned __int128 Key;
inline constexpr int kPayloadBits = 24;
inline constexpr std::int32_t kMaxPayload = (1 << kPayloadBits) - 1;
inline constexpr Key kNever = ~Key{0};

[[nodiscard]] constexpr Key make_key(std::uint64_t rank, std::uint64_t sequence, std::int32_t payload) {
    return (static_cast<Key>(rank) << 64) | (sequence << kPayloadBits) | static_cast<std::uint32_t>(payload);
}
[[nodiscard]] constexpr std::uint64_t rank_of(Key key) {
    return static_cast<std::uint64_t>(key >> 64);
}
[[nodiscard]] constexpr std::int32_t payload_of(Key key) {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(key) & static_cast<std::uint64_t>(kMaxPayload));
}

/// Allocates whole cache lines.
template <class T> struct LineAligned {
    using value_type = T;
    LineAligned() = default;
    template <class U> explicit LineAligned(const LineAligned<U>& /*other*/) {}
    [[nodiscard]] T* allocate(std::size_t n) {
        return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{kLine}));
    }
    void deallocate(T* memory, std::size_t /*n*/) { ::operator delete(memory, std::align_val_t{kLine}); }
    bool operator==(const LineAligned&) const = default;
    static constexpr std::size_t kLine = 64;
};

/// The least of many keys by a tournament: a 4-ary tree of which each key has a leaf, its place, and each inner
/// node the least of the four below. A change plays one match a level against three keys that lie in one cache
/// line; who wins decides no branch and no address, so nothing is guessed wrong and no load waits (ADR 0002).
///
/// The first places belong to sources of events, each of which shows its next one there (set). The others are
/// for single events (push). The place of one that was popped is filled by the next push when one comes before
/// the next look at the least: the usual life of an event (fire, schedule the next) then costs one change.
class Tournament {
public:
    explicit Tournament(std::size_t sources = 0) : sources_(sources), used_(sources) { lay_out(sources); }

    /// The least key; the low bits are its place. Its rank is kNever's when there is none.
    [[nodiscard]] Key least() {
        if (hole_ != kNone) give_back(std::exchange(hole_, kNone));
        return nodes_[root_];
    }
    /// A source's next event, kNever when it has none.
    void set(std::size_t place, Key key) { play(place, with_place(key, place)); }
    /// What a source shows, as least() would.
    [[nodiscard]] Key shown(std::size_t place) const { return nodes_[place]; }
    [[nodiscard]] static Key with_place(Key key, std::size_t place) {
        return (key & ~static_cast<Key>(kMaxPayload)) | place;
    }

    void push(std::uint64_t rank, std::uint64_t sequence, std::int32_t payload) {
        const std::size_t place = hole_ != kNone ? std::exchange(hole_, kNone) : take();
        payloads_[place] = payload;
        ++size_;
        play(place, make_key(rank, sequence, static_cast<std::int32_t>(place)));
    }
    /// Removes the least key, a pushed one, and returns its payload. Precondition: least() was just read.
    std::int32_t pop() {
        hole_ = static_cast<std::size_t>(payload_of(nodes_[root_]));
        --size_;
        return payloads_[hole_];
    }
    /// How many were pushed and not popped.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    static constexpr std::size_t kNone = ~std::size_t{0};
    static constexpr std::size_t kFewest = 16;

    [[nodiscard]] static Key lesser(Key a, Key b) { return b < a ? b : a; }

    void play(std::size_t place, Key key) {
        Key* level = nodes_.data();
        level[place] = key;
        for (std::size_t i = 0; i < levels_; ++i) {
            // Those who did not change first: only the last match waits for the level below.
            const Key others = lesser(lesser(level[place ^ 1], level[place ^ 2]), level[place ^ 3]);
            key = lesser(others, key);
            level += widths_[i];
            place >>= 2;
            level[place] = key;
        }
    }

    std::size_t take() {
        if (free_ >= 0) {
            const auto place = static_cast<std::size_t>(free_);
            free_ = payloads_[place];
            return place;
        }
        if (used_ == widths_[0]) lay_out(used_ + 1);
        return used_++;
    }
    void give_back(std::size_t place) {
        payloads_[place] = free_;
        free_ = static_cast<std::int32_t>(place);
        play(place, kNever);
        // A few after many, as when thousands of users have started: fewer levels again.
        if (widths_[0] > kFewest && (sources_ + size_) * 8 <= widths_[0]) close_ranks();
    }

    /// Moves those of the highest places down to free ones.
    void close_ranks() {
        std::size_t to = sources_;
        for (std::size_t from = sources_; from < used_; ++from) {
            if (rank_of(nodes_[from]) == rank_of(kNever)) continue;
            payloads_[to] = payloads_[from];
            nodes_[to] = with_place(nodes_[from], to);
            ++to;
        }
        std::fill(nodes_.begin() + static_cast<std::ptrdiff_t>(to), nodes_.end(), kNever);
        used_ = to;
        free_ = -1;
        lay_out(2 * used_);
    }

    /// Room for so many places at least; keeps what is there.
    void lay_out(std::size_t least) {
        const std::size_t places = std::bit_ceil(std::max(kFewest, least));
        const auto before = std::exchange(nodes_, {});
        levels_ = root_ = 0;
        for (std::size_t width = places; width > 1; width = (width + 3) / 4) {
            widths_[levels_] = std::max<std::size_t>(4, width); // whole cache lines
            root_ += widths_[levels_++];
        }
        nodes_.resize(root_ + 4, kNever);
        payloads_.resize(places);
        payloads_.shrink_to_fit();
        std::copy_n(before.begin(), std::min(before.size(), used_), nodes_.begin());
        Key* level = nodes_.data();
        for (std::size_t i = 0; i < levels_; level += widths_[i++])
            for (std::size_t n = 0; n < widths_[i]; n += 4)
                level[widths_[i] + n / 4] = *std::min_element(level + n, level + n + 4);
    }

    std::vector<Key, LineAligned<Key>> nodes_; ///< level by level, the leaves first
    std::vector<std::int32_t> payloads_;       ///< by place; of a free one the next free, -1 for none
    std::array<std::size_t, kPayloadBits> widths_{};
    std::size_t levels_ = 0; ///< of matches
    std::size_t root_ = 0;
    std::size_t size_ = 0;
    std::size_t sources_ = 0;
    std::size_t used_ = 0; ///< places taken since ranks were closed, sources included
    std::int32_t free_ = -1;
    std::size_t hole_ = kNone;
};

/// Events that are scheduled in the order in which they fire (a constant delay): first in, first
/// out, and only the head competes.
class KeyRing {
public:
    [[nodiscard]] Key top() const { return head_ == tail_ ? kNever : keys_[head_ & mask_]; }
    [[nodiscard]] std::size_t size() const { return tail_ - head_; }
    /// True when it is the only one, and so the new head.
    bool push(Key key) {
        if (tail_ - head_ == keys_.size()) grow();
        keys_[tail_++ & mask_] = key;
        return tail_ - head_ == 1;
    }
    void pop() { ++head_; }

private:
    void grow() {
        std::vector<Key> larger(keys_.empty() ? 64 : keys_.size() * 2);
        std::size_t n = 0;
        for (std::size_t i = head_; i != tail_; ++i)
            larger[n++] = keys_[i & mask_];
        keys_.swap(larger);
        mask_ = keys_.size() - 1;
        head_ = 0;
        tail_ = n;
    }

    std::vector<Key> keys_;
    std::size_t mask_ = 0;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
};

} // namespace narrows::engine
