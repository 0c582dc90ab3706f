// SPDX-License-Identifier: GPL-3.0-or-later
// "12 of 36 runs, about 8 s left" on stderr, when that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>

namespace narrows::cli {

class Progress {
public:
    explicit Progress(bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Called under the scheduler's lock; draws at most ten times a second.
    void show(std::size_t done, std::size_t total);
    /// Takes the line away, before other text.
    void clear();

private:
    bool on_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point start_, last_;
};

} // namespace narrows::cli
