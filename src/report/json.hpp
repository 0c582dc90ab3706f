// SPDX-License-Identifier: GPL-3.0-or-later
// Result <-> JSON, one object on one line. Keys and their order are fixed (docs/output.md lists
// them); numbers are the shortest text that reads back as the same double; what is not a finite
// number is null. Equal results make equal bytes.
#pragma once

#include "measure/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace narrows::report {

enum class Detail {
    figures, ///< what people and programs ask for
    full,    ///< also course and histogram: enough to restore the Result
};

/// One object, without a line break.
[[nodiscard]] std::string to_json(const measure::Result& result, Detail detail = Detail::figures);

/// Reads what to_json wrote. Throws std::runtime_error that says what is wrong. Keys that it does
/// not know are skipped; null numbers become NaN.
[[nodiscard]] measure::Result from_json(std::string_view text);

/// JSON lines: one result a line, empty lines skipped. Errors name the line.
[[nodiscard]] std::vector<measure::Result> from_json_lines(std::string_view text);

/// Shortest text that reads back as the same double, "null" when not finite.
[[nodiscard]] std::string json_number(double value);

} // namespace narrows::report
