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
        sums_.queue += queue * dt;
    }

    /// The same for runners, whose busy workers divide further.
    void advance_runner(Nanos now) {
        const auto dt = static_cast<double>(now - last_);
        advance(now);
        if (busy > workers) sums_.spare += (busy - workers) * dt;
        sums_.occupied += occupied * dt;
        sums_.pinned += pinned * dt;
    }

    void enqueue() {
        queue += 1;
        note_peak();
    }
    void note_peak() { peak_ = queue > peak_ ? queue : peak_; }
    void granted(Nanos waited) {
        ++sums_.grants;
        sums_.waited += static_cast<double>(waited);
    }
    void resided(Nanos time) { sums_.residence += static_cast<double>(time); }
    void waited_minus(double service) { sums_.waited -= service; }

    /// Ends a slice: returns its sums, starts the next. Call after advance.
    measure::ResourceSlice cut() {
        measure::ResourceSlice done = sums_;
        done.running = done.busy - done.occupied;
        done.queue_max = static_cast<std::int64_t>(peak_);
        done.queue_end = static_cast<std::int64_t>(queue);
        sums_ = {};
        peak_ = queue;
        return done;
    }

    // Levels; doubles, so that the sums need no conversions (and a cpu may have a part of a core).
    double busy = 0;
    double queue = 0;
    double occupied = 0;
    double pinned = 0;
    double workers = 0; ///< runners: more than these are busy only where blocked carriers are compensated for

private:
    Nanos last_ = 0;
    double peak_ = 0;
    measure::ResourceSlice sums_;
};

} // namespace narrows::engine
