// SPDX-License-Identifier: GPL-3.0-or-later
// Which worker runs next, as state machines without clock or threads.
#pragma once

#include "plan/disciplines/wait_list.hpp"

#include <algorithm>
#include <cstdint>

namespace narrows::plan {

/// ForkJoinPool's bookkeeping of carriers, as far as virtual threads can tell. Source:
/// java.util.concurrent.ForkJoinPool, JDK 21 and 25: signalWork, runWorker/awaitWork and
/// tryCompensate.
///   total   carriers that exist
///   active  those not idle and not compensated for; a carrier held without compensation (pinned,
///           captured) stays active
/// A worker that ends a strand takes the next without looking at `active`; only waking or creating
/// one does. So compensation can leave more than `parallelism` running until the queue is empty.
class Carriers {
public:
    Carriers() = default;
    Carriers(std::int64_t parallelism, std::int64_t max_total, std::int64_t min_runnable)
        : parallelism_(parallelism), max_total_(std::max(parallelism, max_total)), min_runnable_(min_runnable) {}

    /// A strand became runnable. True: a carrier takes it at once (woken or created).
    [[nodiscard]] bool submit() {
        if (active_ >= parallelism_) return false;
        if (idle_ > 0)
            --idle_;
        else if (total_ < parallelism_)
            ++total_;
        else
            return false;
        ++active_;
        return true;
    }

    /// A carrier found its strand gone (parked, ended) and no other waiting.
    void rest() {
        --active_;
        ++idle_;
    }

    enum class Compensation : std::uint8_t { none, shrunk, spare };
    /// The strand on an active carrier is about to block it and asks for compensation.
    ///   spare   another carrier (idle or new) is active in its place and takes a waiting strand or rests
    ///   shrunk  fewer are active for the time being: no new thread while more than min_runnable are
    ///   none    at the maximum: blocks uncompensated
    [[nodiscard]] Compensation compensate() {
        if (idle_ > 0 && active_ <= parallelism_) {
            --idle_;
            return Compensation::spare;
        }
        if (active_ > min_runnable_ && total_ >= parallelism_) {
            --active_;
            return Compensation::shrunk;
        }
        if (total_ < max_total_) {
            ++total_;
            return Compensation::spare;
        }
        return Compensation::none;
    }
    /// The end of a block that was compensated (spare or shrunk).
    void uncompensate() { ++active_; }

    [[nodiscard]] std::int64_t total() const { return total_; }
    [[nodiscard]] std::int64_t active() const { return active_; }
    [[nodiscard]] std::int64_t idle() const { return idle_; }

private:
    std::int64_t parallelism_ = 1;
    std::int64_t max_total_ = 1;
    std::int64_t min_runnable_ = 1;
    std::int64_t total_ = 0;
    std::int64_t active_ = 0;
    std::int64_t idle_ = 0;
};

} // namespace narrows::plan
