// SPDX-License-Identifier: GPL-3.0-or-later
// A queue of strands that owns no memory: the links lie in the strands themselves, so waiting
// costs no allocation, anyone can leave from the middle, and a dump can say who waits where.
#pragma once

#include <cstdint>

namespace narrows::plan {

using StrandId = std::int32_t;
inline constexpr StrandId kNobody = -1;

struct WaitLink {
    StrandId next = kNobody;
    StrandId previous = kNobody; ///< of the first in line: whoever was before it, not to be read
};

/// First in, first out. `Nodes` maps a StrandId to its WaitLink by operator[].
class WaitList {
public:
    [[nodiscard]] bool empty() const { return head_ == kNobody; }
    [[nodiscard]] StrandId front() const { return head_; }
    [[nodiscard]] std::int32_t size() const { return size_; }

    template <class Nodes> void push_back(Nodes nodes, StrandId id) {
        nodes[id] = {kNobody, tail_};
        if (tail_ == kNobody)
            head_ = id;
        else
            nodes[tail_].next = id;
        tail_ = id;
        ++size_;
    }

    template <class Nodes> void push_front(Nodes nodes, StrandId id) {
        nodes[id] = {head_, kNobody};
        if (head_ == kNobody)
            tail_ = id;
        else
            nodes[head_].previous = id;
        head_ = id;
        ++size_;
    }

    /// Precondition: not empty.
    template <class Nodes> StrandId pop_front(Nodes nodes) {
        const StrandId id = head_;
        head_ = nodes[id].next;
        if (head_ == kNobody) tail_ = kNobody;
        --size_;
        return id;
    }

    /// Precondition: `id` is in this list.
    template <class Nodes> void remove(Nodes nodes, StrandId id) {
        const WaitLink link = nodes[id];
        const StrandId before = id == head_ ? kNobody : link.previous;
        if (before == kNobody)
            head_ = link.next;
        else
            nodes[before].next = link.next;
        if (link.next == kNobody)
            tail_ = before;
        else
            nodes[link.next].previous = before;
        --size_;
    }

private:
    StrandId head_ = kNobody;
    StrandId tail_ = kNobody;
    std::int32_t size_ = 0;
};

} // namespace narrows::plan
