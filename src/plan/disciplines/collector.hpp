// SPDX-License-Identifier: GPL-3.0-or-later
// A generational garbage collector by its books: what was allocated, what of it lives, and so how long each pause
// takes and what marking costs. No clock, no threads; an engine drives it. In all generational collectors of HotSpot
// (GC Tuning Guide of JDK 25, "Generational Garbage Collection"):
//   - new objects go to eden. When it is full, a young collection copies what lives: pause ~ bytes copied;
//   - what survives two collections is old (HotSpot: 1 to 15, fewer when survivors are many; two is a guess);
//   - what dies old is garbage until the old generation is marked, then reclaimed together with young collections
//     that copy what lives beside it (G1), or until all of the heap is collected in one pause;
//   - what lives after that and does not leave room to allocate is more than the heap holds.
// A lifetime thus costs by its length: requests that end before the next young collection cost no copying at all,
// those that wait for long are copied twice and leave old garbage.
#pragma once

#include "plan/plan.hpp"
#include "random/time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace narrows::plan {

class Collector {
public:
    /// What a collection does to everybody.
    struct Pause {
        double cpu_ns = 0; ///< work of all workers together
        bool full = false;
        bool exhausted = false; ///< what lives is more than the heap holds
    };

    Collector() = default;
    explicit Collector(const Memory& m) : m_(m), eden_limit_(m.heap * m.young_most), old_live_(m.baseline) {
        eden_limit_ = std::clamp(m.heap - m.baseline, 0.0, eden_limit_);
    }

    /// True when eden is full: collect() must follow.
    [[nodiscard]] bool allocate(double bytes, double live) {
        eden_ += bytes;
        lives_[0] += live;
        return eden_ >= eden_limit_;
    }
    /// Live from now to the end, as what belongs to a thread is.
    void retain(double bytes) { old_live_ += bytes; }
    /// Number of the present time between collections: to be kept by who allocates, and told to free().
    [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
    void free(double live, std::uint32_t since) {
        const std::uint32_t age = epoch_ - since;
        if (age < 2) {
            lives_[age] -= live;
            return;
        }
        old_live_ -= live;
        old_garbage_ += live;
    }

    [[nodiscard]] double live() const { return lives_[0] + lives_[1] + old_live_; }
    /// Of the old generation, garbage included.
    [[nodiscard]] double old() const { return old_live_ + old_garbage_; }

    /// A young collection, and one of the whole heap when that leaves no room.
    [[nodiscard]] Pause collect() {
        Pause pause;
        const double young = lives_[0] + lives_[1];
        const double copied = young + mix();
        survival_ = eden_ > 0 ? std::min(1.0, young / eden_) : 0;
        pause.cpu_ns = copied / m_.copy_rate * 1e9;
        old_live_ += lives_[1];
        lives_[1] = lives_[0];
        lives_[0] = eden_ = 0;
        ++epoch_;
        if (room() < m_.heap * m_.young_least) {
            pause.full = true;
            pause.cpu_ns += live() / m_.compact_rate * 1e9;
            old_garbage_ = marked_garbage_ = 0;
            mixed_left_ = 0;
        }
        pause.exhausted = room() <= 0;
        eden_limit_ = std::min(wanted_eden(), room());
        return pause;
    }

    /// CPU ns of marking, if that is to begin now; 0 if not.
    [[nodiscard]] double begin_marking() {
        const bool due = m_.concurrent_workers > 0 && !marking_ && mixed_left_ == 0 && old() > m_.mark_at * m_.heap;
        if (!due) return 0;
        marking_ = true;
        snapshot_ = old_garbage_;
        return std::max(1.0, old_live_ / m_.mark_rate * 1e9);
    }
    /// All workers have done their part of it.
    void marked() {
        marking_ = false;
        marked_garbage_ = std::min(snapshot_, old_garbage_);
        mixed_left_ = m_.mixed;
    }

private:
    /// Room for eden and for survivors, which are copied before what they are copied from is free.
    [[nodiscard]] double room() const { return m_.heap - old() - lives_[1]; }

    [[nodiscard]] double wanted_eden() const {
        const double most = m_.heap * m_.young_most;
        if (m_.pause_goal <= 0 || survival_ <= 0) return most;
        const double rate = m_.copy_rate * static_cast<double>(m_.workers);
        const double kept = static_cast<double>(m_.pause_goal - m_.least_pause) * 1e-9 * rate / survival_;
        return std::clamp(kept, m_.heap * m_.young_least, most);
    }

    /// Reclaims a part of what marking found; returns the bytes that must be copied for it: what lives among it, of
    /// which the baseline is no part (regions that are nearly all alive are left alone).
    double mix() {
        if (mixed_left_ == 0) return 0;
        const double part = marked_garbage_ / mixed_left_;
        old_garbage_ -= part;
        marked_garbage_ -= part;
        --mixed_left_;
        return part > 0 ? std::max(0.0, old_live_ - m_.baseline) / m_.mixed : 0;
    }

    Memory m_;
    double eden_ = 0, eden_limit_ = 0;
    double lives_[2] = {0, 0}; ///< of the young generation: allocated since the last collection, before it
    double old_live_ = 0, old_garbage_ = 0;
    double survival_ = 0; ///< share of eden that the last young collection copied
    bool marking_ = false;
    double snapshot_ = 0;       ///< garbage when marking began: no other is found
    double marked_garbage_ = 0; ///< found, not yet reclaimed
    int mixed_left_ = 0;
    std::uint32_t epoch_ = 0;
};

} // namespace narrows::plan
