// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and tables for people: the same bytes under every locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrows::report {

/// What the receiver of a text can show.
struct Style {
    bool colour = false; ///< escape sequences; only for a terminal, and not with NO_COLOR
    int width = 100;     ///< columns
};

/// "13,712", "512.4", "9.53", "0.021": about four digits, thousands separated. "-" when not finite.
[[nodiscard]] std::string number(double value);
/// A whole number with thousands separated.
[[nodiscard]] std::string whole(double value);
/// A count that is mostly whole (cores may be fractional): "6", "1.5", "8,193".
[[nodiscard]] std::string count(double value);
/// "1 carrier", "6 carriers", "1.5 cores".
[[nodiscard]] std::string counted(double value, std::string_view noun);
/// "13,319 ± 66": a value and half the width of its interval, with equal decimals.
[[nodiscard]] std::string plus_minus(double value, double half_width);
/// Milliseconds in a fitting unit: "690 ms", "2.81 s", "0.150 ms".
[[nodiscard]] std::string milliseconds(double value);
/// A share as "81 %", "99.8 %", "0.3 %".
[[nodiscard]] std::string percent(double share);
/// "6.2", "1.05", "0.83": a factor.
[[nodiscard]] std::string factor(double value);

/// Columns a text takes on a terminal: UTF-8 code points, escape sequences not counted.
[[nodiscard]] std::size_t columns(std::string_view text);
/// `text` with `padding` spaces behind (or before) so that it takes `width` columns.
[[nodiscard]] std::string pad(std::string_view text, std::size_t width, bool right = false);
/// Breaks at spaces so that no line is longer than `width`; further lines are indented.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);
[[nodiscard]] std::string bold(std::string_view text, const Style& style);
[[nodiscard]] std::string warn(std::string_view text, const Style& style);

/// Rows of cells under a heading, columns aligned; the first is left, others right unless said.
class Table {
public:
    explicit Table(std::vector<std::string> heading, std::vector<bool> left = {});
    void row(std::vector<std::string> cells);
    [[nodiscard]] std::size_t width() const;
    [[nodiscard]] std::string text(const Style& style, std::size_t indent = 0) const;

private:
    [[nodiscard]] std::vector<std::size_t> widths() const;
    [[nodiscard]] std::string line(const std::vector<std::string>& cells, std::size_t indent) const;

    std::vector<std::string> heading_;
    std::vector<bool> left_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace narrows::report
