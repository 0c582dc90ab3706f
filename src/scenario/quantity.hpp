// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with units. Nothing here follows the locale.
#pragma once

#include "random/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace narrows::scenario {

inline constexpr std::string_view kDurationUnits = "ns, us, ms, s, min, h";
inline constexpr double kMaxDurationNs = 365.0 * 24 * 3600 * 1e9;

[[nodiscard]] std::string_view trimmed(std::string_view text);

/// A finite decimal number and nothing else ("1e999", "nan", "0x10", "1_000" are none).
[[nodiscard]] std::optional<double> parse_number(std::string_view text);
/// A whole number: digits with a sign, or a decimal form with an integral value such as 1e4.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
/// "80%" or "0.8" -> 0.8
[[nodiscard]] std::optional<double> parse_share(std::string_view text);
/// "2000/s", "120/min", "3600/h", "2000 req/s", or a bare number of requests per second -> 1/s
[[nodiscard]] std::optional<double> parse_rate(std::string_view text);
/// "64KiB", "10 MB", "512B" -> bytes; KB, MB … are powers of 1000, KiB, MiB … of 1024.
[[nodiscard]] std::optional<std::int64_t> parse_size(std::string_view text);

/// What was wrong with a duration.
enum class DurationFault { none, no_number, no_unit, unknown_unit, out_of_range };
/// Nanoseconds, at least 0 and at most kMaxDurationNs; whole when within rounding of a whole number.
[[nodiscard]] double parse_duration_ns(std::string_view text, std::string_view bare_unit, DurationFault& fault);
/// What a person reads about a fault: "has no unit; write one of ns, us, …".
[[nodiscard]] std::string describe(DurationFault fault);

} // namespace narrows::scenario
