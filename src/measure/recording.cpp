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

} // namespace narrows::measure
