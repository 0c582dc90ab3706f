// SPDX-License-Identifier: GPL-3.0-or-later
// Time-weighted sums of one resource over the current slice.
#pragma once

#include "measure/recording.hpp"

namespace narrows::engine {

class Gauge {
public:
    /// Adds the time since the last change; call before any level changes. Units: ns times level.
    void advance(Nanos now) {
        const auto dt = static_cast<double>(now - last_);
        last_ = now;
        sums_.busy += busy * dt;
        sums_.queue += static_cast<double>(queue) * dt;
    }

    /// The same for runners, whose busy workers divide further.
    void advance_runner(Nanos now) {
        const auto dt = static_cast<double>(now - last_);
        advance(now);
        sums_.occupied += static_cast<double>(occupied) * dt;
        sums_.pinned += static_cast<double>(pinned) * dt;
        sums_.running += (busy - static_cast<double>(occupied)) * dt;
    }

    void enqueue() {
        if (++queue > sums_.queue_max) sums_.queue_max = queue;
    }
    void note_peak() {
        if (queue > sums_.queue_max) sums_.queue_max = queue;
    }
    void granted(Nanos waited) {
        ++sums_.grants;
        sums_.waited += static_cast<double>(waited);
    }
    void resided(Nanos time) { sums_.residence += static_cast<double>(time); }
    void waited_minus(double service) { sums_.waited -= service; }

    /// Ends a slice: returns its sums, starts the next. Call after advance.
    measure::ResourceSlice cut() {
        measure::ResourceSlice done = sums_;
        done.queue_end = queue;
        sums_ = {};
        sums_.queue_max = queue;
        return done;
    }

    // Levels. busy is a double for cpus with a fraction of a core.
    double busy = 0;
    std::int64_t queue = 0;
    std::int64_t occupied = 0;
    std::int64_t pinned = 0;

private:
    Nanos last_ = 0;
    measure::ResourceSlice sums_;
};

} // namespace narrows::engine
