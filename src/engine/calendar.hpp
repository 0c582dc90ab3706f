// SPDX-License-Identifier: GPL-3.0-or-later
// The event calendar. Events have a total order: time, then the sequence in which they were
// scheduled. What is measured to pay is written in docs/adr/0002 and tests/bench.
#pragma once

#include "random/time.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
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

/// 4-ary heap of keys. The place of a popped top is filled by the next push when one comes before
/// the next look at the top: the usual life of an event (fire, schedule the next) then costs one
/// sift instead of two.
class KeyHeap {
public:
    [[nodiscard]] bool empty() const { return size_ == (hole_ ? 1U : 0U); }
    [[nodiscard]] std::size_t size() const { return size_ - (hole_ ? 1U : 0U); }

    /// The least key, kNever when empty.
    [[nodiscard]] Key top() {
        if (hole_) close_hole();
        return size_ ? keys_[kBase] : kNever;
    }

    void push(Key key) {
        if (hole_) {
            hole_ = false;
            sift_down(key);
            return;
        }
        if (kBase + size_ + 4 >= keys_.size()) keys_.resize(keys_.empty() ? 64 : keys_.size() * 2, kNever);
        sift_up(kBase + size_++, key);
    }

    /// Removes the least key. Precondition: top() was just read and is not kNever.
    void pop() { hole_ = true; }

private:
    // Positions start at 3, so that the four children of i, 4i-8 … 4i-5, lie in one cache line;
    // places beyond the end hold kNever, so the child choice needs no bounds.
    static constexpr std::size_t kBase = 3;
    [[nodiscard]] static constexpr std::size_t parent(std::size_t i) { return i / 4 + 2; }
    [[nodiscard]] static constexpr std::size_t first_child(std::size_t i) { return 4 * i - 8; }

    /// 0 or 1, without the compiler knowing that there are only two cases: it would make a branch of them,
    /// which is guessed wrong every other time.
    [[nodiscard]] static std::size_t as_number(bool condition) {
        auto number = static_cast<std::size_t>(condition);
        asm("" : "+r"(number));
        return number;
    }

    void close_hole() {
        hole_ = false;
        const std::size_t last = kBase + --size_;
        const Key moved = keys_[last];
        keys_[last] = kNever;
        if (size_) sift_down(moved);
    }

    void sift_up(std::size_t i, Key key) {
        while (i > kBase) {
            const std::size_t p = parent(i);
            if (keys_[p] < key) break;
            keys_[i] = keys_[p];
            i = p;
        }
        keys_[i] = key;
    }

    void sift_down(Key key) {
        const std::size_t end = kBase + size_;
        Key* const keys = keys_.data();
        std::size_t i = kBase;
        for (;;) {
            const std::size_t c = first_child(i);
            if (c >= end) break;
            // Two comparisons side by side, then one between the winners, without branches; the keys
            // come along, so that the next step need not fetch them again.
            const Key* k = keys + c;
            const bool second = k[1] < k[0], fourth = k[3] < k[2];
            const Key left = second ? k[1] : k[0], right = fourth ? k[3] : k[2];
            const std::size_t left_at = as_number(second), right_at = as_number(fourth) + 2;
            const bool to_right = right < left;
            const Key least = to_right ? right : left;
            if (key < least) break;
            keys[i] = least;
            i = c + (to_right ? right_at : left_at);
        }
        keys[i] = key;
    }

    std::vector<Key, LineAligned<Key>> keys_;
    std::size_t size_ = 0;
    bool hole_ = false;
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
