// SPDX-License-Identifier: GPL-3.0-or-later
// What the program says to its caller; docs/output.md lists them.
#pragma once

#include <stdexcept>

namespace narrows::cli {

inline constexpr int kOk = 0;
inline constexpr int kFlagged = 1;       ///< audit: a figure breaks a law
inline constexpr int kUsage = 2;         ///< a wrong command line or scenario
inline constexpr int kWarnings = 3;      ///< warnings, and --fatal-warnings
inline constexpr int kFailed = 4;        ///< some runs failed, or output could not be written
inline constexpr int kPrecision = 5;     ///< `auto` replications ended short of the precision
inline constexpr int kAssertion = 99;    ///< an --assert failed
inline constexpr int kInterrupted = 130; ///< 128 + SIGINT

/// Ends the command with a message on stderr.
struct Fatal : std::runtime_error {
    Fatal(int code_, const std::string& message) : std::runtime_error(message), code(code_) {}
    int code;
};

} // namespace narrows::cli
