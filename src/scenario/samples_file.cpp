// SPDX-License-Identifier: GPL-3.0-or-later
// The CSV files of empirical(…).
#include "scenario/distribution_text.hpp"
#include "scenario/quantity.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace narrows::scenario {

namespace {

constexpr std::size_t kMaxSamples = 1'000'000;

std::vector<std::string_view> cells(std::string_view line) {
    std::vector<std::string_view> all;
    for (;;) {
        const std::size_t comma = line.find(',');
        std::string_view cell = trimmed(line.substr(0, comma));
        if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
        all.push_back(cell);
        if (comma == std::string_view::npos) return all;
        line = line.substr(comma + 1);
    }
}

/// The index of the wanted column, by its heading or its number from 1.
std::optional<std::size_t> column_index(const std::vector<std::string_view>& first, std::string_view column) {
    if (column.empty()) return 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i] == column) return i;
    }
    const auto number = parse_integer(column);
    if (number && *number >= 1 && static_cast<std::size_t>(*number) <= first.size()) {
        return static_cast<std::size_t>(*number) - 1;
    }
    return std::nullopt;
}

} // namespace

std::optional<std::vector<double>> read_samples(std::string_view csv, std::string_view column, std::string_view unit,
                                                std::string& error) {
    std::vector<double> samples;
    std::optional<std::size_t> index;
    int line_number = 0;
    while (!csv.empty()) {
        const std::size_t end = std::min(csv.find('\n'), csv.size());
        const std::string_view line = trimmed(csv.substr(0, end));
        csv.remove_prefix(std::min(end + 1, csv.size()));
        ++line_number;
        if (line.empty() || line.front() == '#') continue;
        const auto row = cells(line);
        const bool first = !index;
        if (first) index = column_index(row, column);
        if (!index) return error = fmt::format("has no column '{}'", column), std::nullopt;
        const std::string_view cell = *index < row.size() ? row[*index] : std::string_view{};
        DurationFault fault{};
        const double ns = parse_duration_ns(cell, unit, fault);
        if (fault == DurationFault::none) {
            samples.push_back(ns);
        } else if (!first || fault != DurationFault::no_number) { // the first row may be a heading
            const char* hint = fault == DurationFault::no_unit ? ", or give empirical(…, unit=ms)" : "";
            error = fmt::format("line {}: '{}' {}{}", line_number, cell.substr(0, 40), describe(fault), hint);
            return std::nullopt;
        }
        if (samples.size() > kMaxSamples) return error = "has more than 1000000 values", std::nullopt;
    }
    if (samples.empty()) return error = "has no values", std::nullopt;
    std::sort(samples.begin(), samples.end());
    return samples;
}

} // namespace narrows::scenario
