// SPDX-License-Identifier: GPL-3.0-or-later
// How permits pass from one strand to the next, as a state machine without clock or threads; every
// engine drives this one. Rules by discipline:
//
//   fifo     A release hands the permit to the longest waiter. Nobody can come between.
//   barging  A release frees the permit and wakes the head of the queue, which retries once it
//            runs. Until then a newcomer may take the permit; the loser stays at the head.
//            Source: AbstractQueuedSynchronizer (JDK 21, 25: acquire() retries as first in line;
//            nonfair tryAcquire does not look at the queue); HotSpot ObjectMonitor::exit (competitive
//            hand-off).
//   hikari   As barging, but the woken waiter has left the queue: a loser waits again at the tail.
//            Source: HikariCP 6.0.0 ConcurrentBag.requite (state is NOT_IN_USE before the offer) and
//            borrow (scan first, then poll of a fair SynchronousQueue in a loop).
#pragma once

#include "plan/disciplines/wait_list.hpp"
#include "plan/plan.hpp"

namespace narrows::plan {

class Permits {
public:
    enum class Answer : std::uint8_t { granted, queued, full };

    Permits() = default;
    Permits(std::int64_t capacity, std::int64_t queue_limit, Discipline discipline)
        : capacity_(capacity), free_(capacity), queue_limit_(queue_limit), discipline_(discipline) {}

    /// A strand asks for a permit for the first time.
    template <class Nodes> Answer acquire(Nodes nodes, StrandId id) {
        // fifo: a free permit implies an empty queue. The others: barging in is the rule.
        if (free_ > 0) {
            --free_;
            return Answer::granted;
        }
        if (queue_limit_ >= 0 && queue_.size() >= queue_limit_) return Answer::full;
        queue_.push_back(nodes, id);
        return Answer::queued;
    }

    /// Gives a permit back. Returns whom to wake, or kNobody. With fifo that strand has the permit;
    /// otherwise it must call retry() when it runs again.
    template <class Nodes> StrandId release(Nodes nodes) {
        if (discipline_ == Discipline::fifo) {
            if (!queue_.empty()) return queue_.pop_front(nodes);
            ++free_;
            return kNobody;
        }
        ++free_;
        const StrandId woken = wake_next(nodes);
        passed_on_ = woken != kNobody;
        return woken;
    }

    /// True when a strand that release() woke already has its permit.
    [[nodiscard]] bool hands_over() const { return discipline_ == Discipline::fifo; }

    struct Retry {
        bool granted = false;
        StrandId wake = kNobody; ///< barging: the next in line, if a permit is left for it
    };
    /// A woken strand tries again. When it loses, it has been queued anew.
    template <class Nodes> Retry retry(Nodes nodes, StrandId id) {
        come(id);
        if (free_ > 0) {
            --free_;
            return {true, discipline_ == Discipline::barging && free_ > 0 ? wake_next(nodes) : kNobody};
        }
        if (discipline_ == Discipline::hikari)
            queue_.push_back(nodes, id);
        else
            queue_.push_front(nodes, id);
        return {};
    }

    /// A woken strand that gives up instead of retrying (its time-out passed meanwhile) passes the
    /// wake-up on.
    template <class Nodes> StrandId forgo(Nodes nodes, StrandId id) {
        come(id);
        return free_ > 0 ? wake_next(nodes) : kNobody;
    }

    /// There is one permit more; what it does is what release() does.
    template <class Nodes> StrandId grow(Nodes nodes) {
        ++capacity_;
        return release(nodes);
    }

    /// hikari: a woken strand has not come for its permit yet, and one is free.
    [[nodiscard]] bool unclaimed() const { return free_ > 0 && on_their_way_ > 0; }
    /// Whether the latest release woke somebody.
    [[nodiscard]] bool passed_on() const { return passed_on_; }
    /// More strands ask for a permit than are free.
    [[nodiscard]] bool short_of() const { return queue_.size() + on_their_way_ > free_; }

    /// A queued strand leaves (its time-out fired). Precondition: it is queued, not woken.
    template <class Nodes> void leave(Nodes nodes, StrandId id) { queue_.remove(nodes, id); }

    [[nodiscard]] std::int64_t capacity() const { return capacity_; }
    [[nodiscard]] std::int64_t taken() const { return capacity_ - free_; }
    [[nodiscard]] StrandId first_in_line() const { return queue_.front(); } ///< kNobody when none
    [[nodiscard]] std::int32_t queued() const { return queue_.size(); }

private:
    void come(StrandId id) {
        if (woken_ == id) woken_ = kNobody;
        if (discipline_ == Discipline::hikari) --on_their_way_;
    }
    template <class Nodes> StrandId wake_next(Nodes nodes) {
        if (queue_.empty()) return kNobody;
        if (discipline_ == Discipline::barging) {
            if (woken_ != kNobody) return kNobody; // the head is on its way already
            woken_ = queue_.pop_front(nodes);
            return woken_;
        }
        ++on_their_way_;
        return queue_.pop_front(nodes);
    }

    bool passed_on_ = false;
    std::int64_t on_their_way_ = 0; ///< hikari: woken, not yet come
    std::int64_t capacity_ = 1;
    std::int64_t free_ = 1;
    std::int64_t queue_limit_ = -1;
    WaitList queue_;
    StrandId woken_ = kNobody;
    Discipline discipline_ = Discipline::fifo;
};

} // namespace narrows::plan
