// SPDX-License-Identifier: GPL-3.0-or-later
// Log-linear latency histogram: 512 buckets an octave, so a value is known to 0.1 % (half a
// bucket), from 1 ns to 2^62 ns; exact below 1024 ns. Octaves are allocated when first used.
#pragma once

#include "random/time.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace narrows::measure {

class Histogram {
public:
    static constexpr int kSubBits = 9; ///< 512 sub-buckets

    Histogram() = default;
    Histogram(const Histogram& other);
    Histogram& operator=(const Histogram& other);
    Histogram(Histogram&&) noexcept = default;
    Histogram& operator=(Histogram&&) noexcept = default;
    ~Histogram() = default;

    /// Counts one value in nanoseconds; negative counts as 0. No allocation once its octave exists.
    void record(Nanos value, std::uint64_t times = 1) {
        const auto v = static_cast<std::uint64_t>(value < 0 ? 0 : value);
        const int octave = v < (1U << (kSubBits + 1)) ? 0 : static_cast<int>(std::bit_width(v)) - (kSubBits + 1);
        auto& block = blocks_[static_cast<std::size_t>(octave)];
        if (!block) block = std::make_unique<Block>();
        (*block)[static_cast<std::size_t>(v >> octave)] += times;
        count_ += times;
        if (value > max_) max_ = value;
        if (value < min_) min_ = value;
    }

    void merge(const Histogram& other);
    void clear();

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] Nanos max() const { return count_ ? max_ : 0; } ///< exact
    [[nodiscard]] Nanos min() const { return count_ ? min_ : 0; } ///< exact
    /// Mean of the bucket midpoints, ns (0.1 %). 0 when empty.
    [[nodiscard]] double mean() const;
    /// Smallest recorded value (its bucket's midpoint, never above max()) such that at least q of
    /// all are at or below it, ns. q in [0, 1]; 0 when empty.
    [[nodiscard]] double quantile(double q) const;
    /// Values at or below `value`, by whole buckets.
    [[nodiscard]] std::uint64_t count_at_or_below(Nanos value) const;

    struct Bucket {
        Nanos low = 0, high = 0; ///< [low, high)
        std::uint64_t count = 0;
    };
    /// Non-empty buckets in ascending order.
    [[nodiscard]] std::vector<Bucket> buckets() const;

private:
    // Octave 0 holds 0…1023 exactly; octave k >= 1 holds [2^(k+9), 2^(k+10)) in steps of 2^k, at
    // indices 512…1023 of its block.
    using Block = std::array<std::uint64_t, 1U << (kSubBits + 1)>;
    std::array<std::unique_ptr<Block>, 64> blocks_{};
    std::uint64_t count_ = 0;
    Nanos max_ = -1;
    Nanos min_ = kForever;
};

} // namespace narrows::measure
