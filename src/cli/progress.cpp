// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/progress.hpp"

#include <fmt/format.h>

#include <string>
#include <unistd.h>

namespace narrows::cli {

namespace {

void draw(const std::string& text) {
    // Nothing depends on progress being seen.
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

std::string span(double seconds) {
    if (seconds >= 5400) return fmt::format("{:.1f} h", seconds / 3600);
    if (seconds >= 90) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.0f} s", seconds);
}

} // namespace

Progress::Progress(bool quiet)
    : on_(!quiet && ::isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()), last_(start_) {}

Progress::~Progress() {
    clear();
}

void Progress::show(std::size_t done, std::size_t total) {
    if (!on_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100) && done < total) return;
    last_ = now;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    std::string text = fmt::format("\r\x1b[K{} of {} runs, {}", done, total, span(elapsed));
    if (done > 0 && done < total)
        text += fmt::format(", about {} left",
                            span(elapsed / static_cast<double>(done) * static_cast<double>(total - done)));
    draw(text);
    drawn_ = true;
}

void Progress::clear() {
    if (drawn_) draw("\r\x1b[K");
    drawn_ = false;
}

} // namespace narrows::cli
