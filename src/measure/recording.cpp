// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/recording.hpp"

#include <algorithm>

namespace narrows::measure {

void add(ResourceSlice& into, const ResourceSlice& later) {
    into.busy += later.busy;
    into.queue += later.queue;
    into.running += later.running;
    into.occupied += later.occupied;
    into.pinned += later.pinned;
    into.spare += later.spare;
    into.waited += later.waited;
    into.residence += later.residence;
    into.pinned_events += later.pinned_events;
    into.grants += later.grants;
    into.queue_max = std::max(into.queue_max, later.queue_max);
    into.queue_end = later.queue_end;
}

void add(HeapSlice& into, const HeapSlice& later) {
    into.paused += later.paused;
    into.worked += later.worked;
    into.allocated += later.allocated;
    into.pauses += later.pauses;
    into.full += later.full;
    into.longest_pause = std::max(into.longest_pause, later.longest_pause);
    into.live_most = std::max(into.live_most, later.live_most);
}

} // namespace narrows::measure
