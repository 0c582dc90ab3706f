// SPDX-License-Identifier: GPL-3.0-or-later
// Processors of a plan: processor sharing and first come, first served.
#pragma once

#include "engine/calendar.hpp"
#include "engine/gauge.hpp"
#include "plan/disciplines/wait_list.hpp"
#include "plan/plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace narrows::engine {

/// Processor sharing by an attained-service clock: `attained_` is the service that a job present
/// since the station was last empty would have got. A job that arrives at attained service a with
/// demand d ends when the clock shows a + d, whatever arrives or leaves meanwhile, so the least of
/// these tags is all there is to keep: O(log n) a change. (S. F. Yashkov, "Processor-sharing queues:
/// some progress in analysis", Queueing Systems 2, 1987, for the law; ADR 0003 for the choice.)
class ProcessorSharing {
public:
    ProcessorSharing() = default;
    explicit ProcessorSharing(const plan::Cpu& cpu) : cores_(cpu.cores), alpha_(cpu.usl_alpha), beta_(cpu.usl_beta) {}

    /// A job of `demand` ns arrives at `now`.
    void start(Nanos now, std::int32_t job, Nanos demand, std::uint64_t sequence) {
        advance(now);
        // Positive doubles order as their bit patterns do, so tags share the calendar's keys.
        const double tag = attained_ + static_cast<double>(demand);
        tags_.push(std::bit_cast<std::uint64_t>(tag), sequence, job);
        set_jobs(tags_.size() + spinners_);
    }

    /// When the next job ends if nothing else happens, kForever when empty.
    [[nodiscard]] Nanos next_end() {
        if (tags_.size() == 0) return kForever; // who spins ends by the clock
        const double left = (std::bit_cast<double>(rank_of(tags_.least())) - attained_) * slowness_;
        if (!(left > 0)) return last_;
        if (left >= 0x1.0p62) return kForever - 1;
        auto whole = static_cast<Nanos>(left);
        whole += static_cast<double>(whole) + kSlack < left ? 1 : 0; // up: never before the service is attained
        return last_ + whole;
    }

    /// Ends the next job at `now`; returns it.
    std::int32_t finish(Nanos now) {
        advance(now);
        const double tag = std::bit_cast<double>(rank_of(tags_.least()));
        const std::int32_t job = tags_.pop();
        attained_ = std::max(attained_, tag);
        set_jobs(tags_.size() + spinners_);
        if (jobs_ == 0) attained_ = 0; // keeps the clock's resolution however long the run
        return job;
    }

    /// A job that has no demand, but takes its share until stop_spin().
    void start_spin(Nanos now) {
        advance(now);
        set_jobs(tags_.size() + ++spinners_);
    }
    void stop_spin(Nanos now) {
        advance(now);
        set_jobs(tags_.size() + --spinners_);
        if (jobs_ == 0) attained_ = 0;
    }

    /// Nothing gets any service until go().
    void stop(Nanos now) {
        advance(now);
        stopped_ = true;
        std::swap(speeds_, other_speeds_);
        set_jobs(jobs_);
    }
    void go(Nanos now) {
        advance(now);
        stopped_ = false;
        std::swap(speeds_, other_speeds_);
        set_jobs(jobs_);
    }

    [[nodiscard]] std::size_t jobs() const { return jobs_; }

private:
    void advance(Nanos now) {
        attained_ += static_cast<double>(now - last_) * rate_;
        last_ = now;
    }

    void set_jobs(std::size_t n) {
        jobs_ = n;
        if (n >= speeds_.size()) extend(n);
        rate_ = speeds_[n].rate;
        slowness_ = speeds_[n].slowness;
    }

    /// Progress of each of n jobs a nanosecond: C(n) / n with C from plan::Cpu.
    void extend(std::size_t n) {
        for (std::size_t k = speeds_.size(); k <= std::max<std::size_t>(n, 63) * 2; ++k) {
            const auto jobs = static_cast<double>(k);
            if (k == 0 || stopped_) {
                speeds_.push_back({0, k == 0 ? 0 : std::numeric_limits<double>::infinity()});
                continue;
            }
            const double capacity = std::min(jobs, cores_) / (1 + alpha_ * (jobs - 1) + beta_ * jobs * (jobs - 1));
            speeds_.push_back({capacity / jobs, jobs / capacity});
        }
    }

    /// Service that ends a thousandth of a nanosecond after a whole one does so by rounding: shares of a core
    /// are seldom exact in binary, whole ends are common.
    static constexpr double kSlack = 0x1.0p-10;

    struct Speed {
        double rate;
        double slowness;
    };
    Tournament tags_;
    std::vector<Speed> speeds_;       ///< by number of jobs
    std::vector<Speed> other_speeds_; ///< the same while stopped; exchanged, so that going costs nothing
    double attained_ = 0;
    double rate_ = 0;
    double slowness_ = 0;
    Nanos last_ = 0;
    std::size_t jobs_ = 0;
    std::size_t spinners_ = 0;
    bool stopped_ = false;
    double cores_ = 1;
    double alpha_ = 0;
    double beta_ = 0;
};

/// c servers, one job each, in the order of arrival. Service times are fixed on arrival, so a job's
/// end is known when it starts and goes to the calendar; this keeps only the queue.
struct FirstCome {
    std::int64_t servers = 1;
    std::int64_t busy = 0;
    plan::WaitList queue;
};

} // namespace narrows::engine
