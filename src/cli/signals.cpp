// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/signals.hpp"

#include "cli/exit_codes.hpp"

#include <csignal>
#include <unistd.h>

namespace narrows::cli {

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a signal handler reaches nothing else
std::atomic<bool> cancelled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch it");

void on_signal(int) {
    if (cancelled.exchange(true)) ::_exit(kInterrupted);
}

} // namespace

void install_signal_handlers() {
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

const std::atomic<bool>& cancel_flag() {
    return cancelled;
}

} // namespace narrows::cli
