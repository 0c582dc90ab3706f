// SPDX-License-Identifier: GPL-3.0-or-later
// Levels of one resource and their integrals over the current slice, exact.
#pragma once

#include "measure/recording.hpp"

#include <utility>

namespace narrows::engine {

/// A whole-numbered level and its integral over time. The integral of a step function from a to b is
/// level(b) * b - level(a) * a - the sum over its steps of step * time, so a step costs one subtraction
/// and nothing is ever rounded. 128 bits: no run overflows it.
class Level {
public:
    [[nodiscard]] std::int64_t value() const { return value_; }
    void up(Nanos now) {
        ++value_;
        area_ -= now;
    }
    void down(Nanos now) {
        --value_;
        area_ += now;
    }
    /// Integral since the last cut.
    [[nodiscard]] double so_far(Nanos now) const {
        return static_cast<double>(area_ + static_cast<Area>(value_) * now);
    }
    /// Integral since the last cut (or time 0), level times ns; starts the next.
    [[nodiscard]] double cut(Nanos now) {
        const Area level_now = static_cast<Area>(value_) * now;
        const Area integral = area_ + level_now;
        area_ = -level_now;
        return static_cast<double>(integral);
    }

private:
    __extension__ typedef __int128 Area;
    Area area_ = 0;
    std::int64_t value_ = 0;
};

/// What every resource has: how much of it is taken, who waits, and the times of those who came through.
class Gauge {
public:
    void enqueue(Nanos now) {
        queue.up(now);
        note_peak();
    }
    void note_peak() { peak_ = queue.value() > peak_ ? queue.value() : peak_; }
    void granted(Nanos waited) {
        ++grants_;
        waited_ += static_cast<double>(waited);
    }
    void resided(Nanos time) { residence_ += static_cast<double>(time); }
    void waited_minus(Nanos service) { waited_ -= static_cast<double>(service); }

    /// Ends a slice at `now`: returns its sums, starts the next. `part` is the part of a core that a
    /// shared processor has beyond whole ones (see SharedGauge), of which `full` is the integral.
    [[nodiscard]] measure::ResourceSlice cut(Nanos now, double part = 0, double full = 0) {
        measure::ResourceSlice done;
        done.busy = busy.cut(now) + part * full;
        done.queue = queue.cut(now) - part * full;
        done.running = done.busy;
        done.waited = waited_;
        done.residence = residence_;
        done.grants = grants_;
        done.queue_max = whole_queue(peak_, part);
        done.queue_end = whole_queue(queue.value(), part);
        grants_ = 0;
        waited_ = residence_ = 0;
        peak_ = queue.value();
        return done;
    }

    Level busy;
    Level queue;

private:
    [[nodiscard]] static std::int64_t whole_queue(std::int64_t level, double part) {
        return level - (level > 0 && part > 0 ? 1 : 0);
    }

    std::uint64_t grants_ = 0;
    double waited_ = 0;    ///< ns
    double residence_ = 0; ///< ns
    std::int64_t peak_ = 0;
};

/// Of processors. Jobs beyond the whole cores count as queueing; while there are any, the part of a core
/// that a quota may leave (`cores` = 2.5) is busy too.
class CpuGauge : public Gauge {
public:
    CpuGauge() = default;
    explicit CpuGauge(double cores)
        : whole_(static_cast<std::int64_t>(cores)), part_(cores - static_cast<double>(whole_)) {}

    /// A job joins those that share the processors.
    void join(Nanos now) {
        if (busy.value() < whole_) {
            busy.up(now);
            return;
        }
        if (queue.value() == 0 && !stopped_) full_.up(now);
        enqueue(now);
    }
    /// One of them ends.
    void part(Nanos now) {
        if (queue.value() == 0) {
            busy.down(now);
            return;
        }
        queue.down(now);
        if (queue.value() == 0 && !stopped_) full_.down(now);
    }
    /// All jobs wait until go(), while `others` cores are busy with what is none of them.
    void stop(Nanos now, std::int64_t others) {
        if (queue.value() > 0) full_.down(now);
        stopped_ = true;
        cores_ = std::exchange(whole_, 0);
        others_ = others;
        while (busy.value() > 0) {
            busy.down(now);
            queue.up(now);
        }
        note_peak();
        for (std::int64_t i = 0; i < others; ++i)
            busy.up(now);
    }
    void go(Nanos now) {
        for (; others_ > 0; --others_)
            busy.down(now);
        whole_ = cores_;
        stopped_ = false;
        while (queue.value() > 0 && busy.value() < whole_) {
            queue.down(now);
            busy.up(now);
        }
        if (queue.value() > 0) full_.up(now);
    }
    /// Core-nanoseconds used since the last cut.
    [[nodiscard]] double used(Nanos now) const { return busy.so_far(now) + part_ * full_.so_far(now); }
    [[nodiscard]] measure::ResourceSlice cut(Nanos now) { return Gauge::cut(now, part_, full_.cut(now)); }

private:
    std::int64_t whole_ = 1;
    double part_ = 0;
    Level full_; ///< 1 while more jobs are there than whole cores
    bool stopped_ = false;
    std::int64_t cores_ = 0;  ///< stopped: whole_ as it was
    std::int64_t others_ = 0; ///< stopped: see stop()
};

/// Of runners, whose taken workers divide further.
class RunnerGauge : public Gauge {
public:
    /// A worker is taken; more than there are only where blocked carriers are compensated for.
    void take(Nanos now, std::int64_t workers) {
        busy.up(now);
        if (busy.value() > workers) spare_.up(now);
    }
    void give_back(Nanos now, std::int64_t workers) {
        if (busy.value() > workers) spare_.down(now);
        busy.down(now);
    }
    /// A pin of `length` ends; from `logged` on it is counted.
    void unpin(Nanos now, Nanos length, Nanos logged) {
        pinned.down(now);
        pinned_events_ += length >= logged ? 1 : 0;
    }
    [[nodiscard]] measure::ResourceSlice cut(Nanos now) {
        measure::ResourceSlice done = Gauge::cut(now);
        done.occupied = occupied.cut(now);
        done.pinned = pinned.cut(now);
        done.pinned_events = pinned_events_;
        pinned_events_ = 0;
        done.spare = spare_.cut(now);
        done.running = done.busy - done.occupied;
        return done;
    }

    Level occupied; ///< taken by a strand that waits
    Level pinned;   ///< of those, by one that could not leave its carrier

private:
    Level spare_;
    std::uint64_t pinned_events_ = 0;
};

} // namespace narrows::engine
