// SPDX-License-Identifier: GPL-3.0-or-later
// YAML -> Scenario. Every error at once, each with file, line, column, what is wrong, what is
// allowed, and the nearest right word.
#pragma once

#include "scenario/scenario.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrows::scenario {

struct Problem {
    bool is_error = true; ///< else a warning
    std::string file;
    Mark mark;
    std::string message; ///< one line: what is wrong, what is allowed, did you mean
    /// "file:line:column: error: message"
    [[nodiscard]] std::string text() const;
};

struct Reading {
    std::optional<Scenario> scenario; ///< set unless there was an error
    std::vector<Problem> problems;    ///< in the order of the file; warnings too
};

/// Reads YAML text. `file` names it in messages; `folder` is where relative paths inside
/// (application:, empirical(…)) start. `overrides` are applied before anything is checked, in
/// order; their problems name the option, e.g. "--set load.users". Never throws for bad input.
/// Texts above 256 KiB, and sweeps above 1,000,000 points, are refused.
[[nodiscard]] Reading read_text(std::string_view text, const std::string& file, const std::filesystem::path& folder,
                                const Settings& overrides = {});

/// Reads a file, or, when no such file exists, the shipped scenario of that name (catalogue.hpp).
[[nodiscard]] Reading read(const std::string& file_or_name, const Settings& overrides = {});

/// The points of a sweep in order: product or zip of the axes, filtered by `where`. One empty
/// point when there are no axes.
[[nodiscard]] std::vector<Settings> points(const Sweep& sweep);

/// A JSON Schema (draft 2020-12) made from the reader's own field tables.
[[nodiscard]] std::string json_schema();

/// "120us", "0.5 ms", "2s", "1m", "30000" with `bare_unit` -> nanoseconds; nothing if it is none.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text, std::string_view bare_unit = "");
/// "exponential(120us)", "95.5ms", "lognormal(mean=100ms, p99=300ms)"; the error says what is wrong.
[[nodiscard]] std::optional<Distribution> parse_distribution(std::string_view text, const std::filesystem::path& folder,
                                                             std::string& error);

} // namespace narrows::scenario
