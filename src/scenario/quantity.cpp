// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/quantity.hpp"

#include "scenario/reader.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace narrows::scenario {

namespace {

using Unit = std::pair<std::string_view, double>;

// In nanoseconds. Both signs for micro: U+00B5 (keyboards) and U+03BC (Greek mu).
constexpr std::array<Unit, 9> kDurations{{{"ns", 1},
                                          {"us", 1e3},
                                          {"\xC2\xB5s", 1e3},
                                          {"\xCE\xBCs", 1e3},
                                          {"ms", 1e6},
                                          {"s", 1e9},
                                          {"m", 60e9},
                                          {"min", 60e9},
                                          {"h", 3600e9}}};
constexpr std::array<Unit, 3> kPeriods{{{"s", 1}, {"min", 60}, {"h", 3600}}};
constexpr std::array<Unit, 9> kSizes{{{"B", 1},
                                      {"KB", 1e3},
                                      {"MB", 1e6},
                                      {"GB", 1e9},
                                      {"TB", 1e12},
                                      {"KiB", 1024.0},
                                      {"MiB", 1048576.0},
                                      {"GiB", 1073741824.0},
                                      {"TiB", 1099511627776.0}}};

template <std::size_t N> std::optional<double> unit_value(const std::array<Unit, N>& units, std::string_view unit) {
    for (const auto& [name, value] : units) {
        if (name == unit) return value;
    }
    return std::nullopt;
}

/// Reads the number at the start and leaves the trimmed rest. from_chars takes "inf" and "nan",
/// which no scenario means.
std::optional<double> leading_number(std::string_view text, std::string_view& rest) {
    text = trimmed(text);
    double value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || !std::isfinite(value)) return std::nullopt;
    rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    return value;
}

/// 0.29 ms is 290 us, though 0.29 * 1e6 in binary is not.
double snapped(double value) {
    const double whole = std::nearbyint(value);
    return std::abs(value - whole) <= 1e-12 * std::abs(value) ? whole : value;
}

} // namespace

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<double> parse_number(std::string_view text) {
    std::string_view rest;
    const auto value = leading_number(text, rest);
    return value && rest.empty() ? value : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
    text = trimmed(text);
    std::int64_t whole = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (failed == std::errc{} && end == text.data() + text.size()) return whole;
    const auto value = parse_number(text);
    if (!value || std::abs(*value) > 0x1.0p53 || *value != std::nearbyint(*value)) return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

std::optional<double> parse_share(std::string_view text) {
    std::string_view rest;
    const auto value = leading_number(text, rest);
    if (!value || (!rest.empty() && rest != "%")) return std::nullopt;
    return rest.empty() ? *value : *value / 100;
}

std::optional<double> parse_rate(std::string_view text) {
    std::string_view rest;
    const auto value = leading_number(text, rest);
    if (!value || rest.empty()) return value;
    for (const std::string_view word : {"requests", "req", "r"}) {
        if (rest.starts_with(word)) {
            rest = trimmed(rest.substr(word.size()));
            break;
        }
    }
    if (!rest.starts_with('/')) return std::nullopt;
    const auto period = unit_value(kPeriods, trimmed(rest.substr(1)));
    return period ? std::optional(*value / *period) : std::nullopt;
}

std::optional<std::int64_t> parse_size(std::string_view text) {
    std::string_view rest;
    const auto value = leading_number(text, rest);
    const auto unit = unit_value(kSizes, rest);
    if (!value || !unit || *value < 0 || *value * *unit > 0x1.0p62) return std::nullopt;
    return static_cast<std::int64_t>(std::nearbyint(*value * *unit));
}

double parse_duration_ns(std::string_view text, std::string_view bare_unit, DurationFault& fault) {
    std::string_view rest;
    const auto value = leading_number(text, rest);
    fault = DurationFault::no_number;
    if (!value) return 0;
    if (rest.empty()) rest = bare_unit;
    fault = DurationFault::no_unit;
    if (rest.empty()) return 0;
    const auto unit = unit_value(kDurations, rest);
    fault = DurationFault::unknown_unit;
    if (!unit) return 0;
    const double ns = snapped(*value * *unit);
    fault = ns >= 0 && ns <= kMaxDurationNs ? DurationFault::none : DurationFault::out_of_range;
    return fault == DurationFault::none ? std::abs(ns) : 0; // no minus zero
}

std::string describe(DurationFault fault) {
    switch (fault) {
    case DurationFault::none: return "is a duration";
    case DurationFault::no_unit: return fmt::format("has no unit; write one of {}", kDurationUnits);
    case DurationFault::unknown_unit: return fmt::format("has an unknown unit; the units are {}", kDurationUnits);
    case DurationFault::out_of_range: return "is out of range; durations go from 0ns to 8760h (a year)";
    case DurationFault::no_number: break;
    }
    return fmt::format("is not a duration such as 100ms; the units are {}", kDurationUnits);
}

std::optional<Duration> parse_duration(std::string_view text, std::string_view bare_unit) {
    DurationFault fault{};
    const double ns = parse_duration_ns(text, bare_unit, fault);
    if (fault != DurationFault::none) return std::nullopt;
    return Duration(static_cast<std::int64_t>(ns + 0.5));
}

} // namespace narrows::scenario
