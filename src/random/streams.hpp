// SPDX-License-Identifier: GPL-3.0-or-later
// Named random streams. A number is a pure function of (seed, replication, entity, step), never
// of the order in which numbers are asked for: results do not depend on the number of worker
// threads, and two thread models draw the same demands for the same request (common random
// numbers).
//
// Source of the mixing function: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014 (SplitMix64); constants by D. Stafford (mix13).
#pragma once

#include <cstdint>

namespace narrows {

/// 64 bits well mixed; a bijection.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

/// The name of a stream. Children of different indices are independent for all practical ends.
struct StreamKey {
    std::uint64_t value = 0;

    [[nodiscard]] static constexpr StreamKey root(std::uint64_t seed, std::uint64_t replication) {
        return StreamKey{mix64(mix64(seed + kGolden) ^ (replication * kGolden + 0x2545f4914f6cdd1dULL))};
    }
    [[nodiscard]] constexpr StreamKey child(std::uint64_t index) const {
        return StreamKey{mix64(value + (index + 1) * kGolden)};
    }
    bool operator==(const StreamKey&) const = default;
};

/// A sequence of 64-bit numbers (SplitMix64) started from a key.
class Stream {
public:
    constexpr explicit Stream(StreamKey key) : state_(key.value) {}

    [[nodiscard]] constexpr std::uint64_t next() { return mix64(state_ += kGolden); }

    /// Uniform in [0, 1), 53 bits.
    [[nodiscard]] constexpr double uniform() {
        return static_cast<double>(static_cast<std::int64_t>(next() >> 11)) * 0x1.0p-53;
    }

private:
    std::uint64_t state_;
};

} // namespace narrows
