// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings of several points, each told once with the points where it came up.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace narrows::report {

struct PointWarnings {
    std::vector<std::pair<std::string, std::string>> at; ///< path -> value; "threads" may be among them
    std::string threads;
    std::vector<std::string> texts;
};

struct WarningLine {
    /// "platform, users = 5000, 10000"; without the model where all of several models have it, without an
    /// axis at all of whose values it came up; "" = at every point of several models.
    std::string where;
    std::string text;
    /// "where: text", or the text alone.
    [[nodiscard]] std::string line() const { return where.empty() ? text : where + ": " + text; }
};

/// In the order in which the texts first appear.
[[nodiscard]] std::vector<WarningLine> merged_warnings(std::span<const PointWarnings> points);

/// "spring.datasource.hikari.maximum-pool-size" -> "maximum-pool-size".
[[nodiscard]] std::string short_path(const std::string& path);

} // namespace narrows::report
