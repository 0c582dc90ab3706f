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

const char* word(Client client) {
    switch (client) {
    case Client::apache_hc5: return "apache-hc5";
    case Client::apache_hc4: return "apache-hc4";
    case Client::jdk: return "jdk";
    case Client::reactor_netty: break;
    }
    return "reactor-netty";
}

const char* word(ReportedOutcome outcome) {
    switch (outcome) {
    case ReportedOutcome::flows: return "flows";
    case ReportedOutcome::errors: return "errors";
    case ReportedOutcome::timeouts: return "timeouts";
    case ReportedOutcome::stall: return "stall";
    case ReportedOutcome::deadlock: return "deadlock";
    case ReportedOutcome::out_of_memory: return "out-of-memory";
    case ReportedOutcome::unstable: break;
    }
    return "unstable";
}

} // namespace narrows::scenario
