// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/signals.hpp"

#include "cli/exit_codes.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
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
    std::signal(SIGXFSZ, SIG_IGN); // a file above `ulimit -f` is a write error to report, not the end
}

void keep_standard_streams_apart() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) // the lowest that is free: this very one
            (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

const std::atomic<bool>& cancel_flag() {
    return cancelled;
}

} // namespace narrows::cli
