// SPDX-License-Identifier: GPL-3.0-or-later
// Time in Narrows: whole nanoseconds, so that sums are exact and ties are real ties.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace narrows {

/// A span or an instant since the start of a run, in nanoseconds. The 63 bits reach 292 years.
using Duration = std::chrono::nanoseconds;

/// The same as a bare count, where arithmetic is dense (the engine, the samplers).
using Nanos = std::int64_t;

/// "No limit" for time-outs and ends.
inline constexpr Nanos kForever = std::numeric_limits<Nanos>::max();

/// Seconds as a double, for reports only.
[[nodiscard]] constexpr double seconds(Nanos t) {
    return static_cast<double>(t) * 1e-9;
}
[[nodiscard]] constexpr double milliseconds(Nanos t) {
    return static_cast<double>(t) * 1e-6;
}

} // namespace narrows
