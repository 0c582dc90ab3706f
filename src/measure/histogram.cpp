// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace narrows::measure {
namespace {

/// Middle of the whole numbers of a bucket.
double midpoint(const Histogram::Bucket& bucket) {
    return static_cast<double>(bucket.low) + static_cast<double>(bucket.high - bucket.low - 1) / 2;
}

Histogram::Bucket bucket_at(std::size_t octave, std::size_t index, std::uint64_t count) {
    const auto low = static_cast<Nanos>(static_cast<std::uint64_t>(index) << octave);
    const auto width = static_cast<Nanos>(std::uint64_t{1} << octave);
    // The last bucket of all would end at 2^63, which no Nanos holds.
    return {low, low > kForever - width ? kForever : low + width, count};
}

} // namespace

Histogram::Histogram(const Histogram& other) {
    *this = other;
}

Histogram& Histogram::operator=(const Histogram& other) {
    if (this == &other) return *this;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        blocks_[i] = other.blocks_[i] ? std::make_unique<Block>(*other.blocks_[i]) : nullptr;
    count_ = other.count_;
    max_ = other.max_;
    min_ = other.min_;
    return *this;
}

void Histogram::merge(const Histogram& other) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        if (!other.blocks_[i]) continue;
        if (!blocks_[i]) {
            blocks_[i] = std::make_unique<Block>(*other.blocks_[i]);
            continue;
        }
        for (std::size_t j = 0; j < blocks_[i]->size(); ++j)
            (*blocks_[i])[j] += (*other.blocks_[i])[j];
    }
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
    min_ = std::min(min_, other.min_);
}

void Histogram::clear() {
    for (auto& block : blocks_)
        if (block) block->fill(0);
    count_ = 0;
    max_ = -1;
    min_ = kForever;
}

double Histogram::mean() const {
    if (count_ == 0) return 0;
    double sum = 0;
    for (const auto& bucket : buckets())
        sum += midpoint(bucket) * static_cast<double>(bucket.count);
    return sum / static_cast<double>(count_);
}

double Histogram::quantile(double q) const {
    if (count_ == 0) return 0;
    // The slack undoes the rounding of q * n: 0.07 * 100 is a little above 7.
    const double exact = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_);
    const double slack = 4 * std::numeric_limits<double>::epsilon() * exact;
    const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(exact - slack)));
    std::uint64_t seen = 0;
    for (std::size_t octave = 0; octave < blocks_.size(); ++octave) {
        if (!blocks_[octave]) continue;
        const Block& block = *blocks_[octave];
        for (std::size_t j = 0; j < block.size(); ++j) {
            seen += block[j];
            if (seen < rank) continue;
            const double middle = midpoint(bucket_at(octave, j, block[j]));
            return std::clamp(middle, static_cast<double>(min_), static_cast<double>(max_));
        }
    }
    return static_cast<double>(max_);
}

std::uint64_t Histogram::count_at_or_below(Nanos value) const {
    std::uint64_t seen = 0;
    for (const auto& bucket : buckets()) {
        if (bucket.low > value) break;
        seen += bucket.count;
    }
    return seen;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
    std::vector<Bucket> out;
    for (std::size_t octave = 0; octave < blocks_.size(); ++octave) {
        if (!blocks_[octave]) continue;
        for (std::size_t j = 0; j < blocks_[octave]->size(); ++j) {
            const std::uint64_t n = (*blocks_[octave])[j];
            if (n == 0) continue;
            out.push_back(bucket_at(octave, j, n));
        }
    }
    return out;
}

} // namespace narrows::measure
