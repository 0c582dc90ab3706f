// SPDX-License-Identifier: GPL-3.0-or-later
// Where runnable virtual threads wait for a carrier, as a state machine without clock or threads.
//
//   one level   one queue, first in, first out. A simplification, for comparison.
//   two levels  a queue for each carrier and a few external ones. Source: java.util.concurrent.ForkJoinPool
//               and java.lang.VirtualThread, JDK 21 and 25 (runWorker, topLevelExec, scan; submitRunContinuation):
//               - what a virtual thread wakes goes to the tail of its own carrier's queue; what is woken or
//                 started from outside goes to an external queue, chosen by who submits;
//               - a carrier that has run a strand drains its own queue first in, first out, then stays with the
//                 queue it last took from while that has strands, and only then scans all of them from a random
//                 place with a random stride, for the oldest strand of the first queue that is not empty.
#pragma once

#include "plan/disciplines/wait_list.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace narrows::plan {

/// Who submits from outside; each has an external queue of its own.
enum class Outside : std::uint8_t { starter, timer, poller };

class RunQueues {
public:
    RunQueues() = default;
    explicit RunQueues(bool two_level) : two_level_(two_level), queues_(two_level ? kExternal : 1) {}

    [[nodiscard]] bool two_level() const { return two_level_; }
    [[nodiscard]] bool empty() const { return waiting_ == 0; }

    /// The carrier that takes up work next: of the idle ones that which has rested least, as
    /// ForkJoinPool's stack of idle workers has it; else a new one.
    [[nodiscard]] std::int32_t wake() {
        if (!idle_.empty()) {
            const std::int32_t carrier = idle_.back();
            idle_.pop_back();
            return carrier;
        }
        sources_.push_back(kNone);
        if (two_level_) queues_.emplace_back();
        return static_cast<std::int32_t>(sources_.size()) - 1;
    }
    void rest(std::int32_t carrier) {
        sources_[static_cast<std::size_t>(carrier)] = kNone;
        idle_.push_back(carrier);
    }

    template <class Nodes> void push_outside(Nodes nodes, StrandId id, Outside who) {
        push(nodes, id, two_level_ ? static_cast<std::size_t>(who) : 0);
    }
    /// Woken by a strand on this carrier.
    template <class Nodes> void push_local(Nodes nodes, StrandId id, std::int32_t carrier) {
        push(nodes, id, local(carrier));
    }

    /// Goes behind all that this carrier would run; behind all that wait outside when nothing waits at it
    /// (VirtualThread.afterYield).
    template <class Nodes> void push_yielded(Nodes nodes, StrandId id, std::int32_t carrier) {
        if (two_level_ && queues_[local(carrier)].empty())
            push_outside(nodes, id, Outside::starter);
        else
            push_local(nodes, id, carrier);
    }

    /// What this carrier runs next, kNobody when nothing waits. `random()` gives 64 random bits.
    template <class Nodes, class Random> StrandId next(Nodes nodes, std::int32_t carrier, Random&& random) {
        if (waiting_ == 0) return kNobody;
        --waiting_;
        if (!two_level_) return queues_[0].pop_front(nodes);
        WaitList& own = queues_[local(carrier)];
        if (!own.empty()) return own.pop_front(nodes);
        std::int32_t& source = sources_[static_cast<std::size_t>(carrier)];
        if (source == kNone || queues_[static_cast<std::size_t>(source)].empty()) source = scan(random());
        return queues_[static_cast<std::size_t>(source)].pop_front(nodes);
    }

private:
    static constexpr std::size_t kExternal = 3;
    static constexpr std::int32_t kNone = -1;

    [[nodiscard]] std::size_t local(std::int32_t carrier) const {
        return two_level_ ? kExternal + static_cast<std::size_t>(carrier) : 0;
    }
    template <class Nodes> void push(Nodes nodes, StrandId id, std::size_t queue) {
        queues_[queue].push_back(nodes, id);
        ++waiting_;
    }
    /// Precondition: some queue is not empty. The array of queues has a power of two of places, as
    /// there, so that an odd stride visits all.
    [[nodiscard]] std::int32_t scan(std::uint64_t random) const {
        const std::size_t places = std::bit_ceil(queues_.size());
        const auto stride = static_cast<std::size_t>(random >> 32) | 1;
        for (auto at = static_cast<std::size_t>(random);; at += stride) {
            const std::size_t queue = at & (places - 1);
            if (queue < queues_.size() && !queues_[queue].empty()) return static_cast<std::int32_t>(queue);
        }
    }

    bool two_level_ = false;
    std::int64_t waiting_ = 0;
    std::vector<WaitList> queues_ = std::vector<WaitList>(1); ///< two levels: the external ones, then the carriers'
    std::vector<std::int32_t> sources_; ///< by carrier: the queue it last took from, kNone after a rest
    std::vector<std::int32_t> idle_;
};

} // namespace narrows::plan
