// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/scenario.hpp"

namespace narrows::scenario {

const char* word(Threads model) {
    switch (model) {
    case Threads::platform: return "platform";
    case Threads::virtual_threads: return "virtual";
    case Threads::event_loop: break;
    }
    return "event-loop";
}

} // namespace narrows::scenario
