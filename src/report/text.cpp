// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace narrows::report {

namespace {

/// Commas between groups of three digits, left of the point.
std::string grouped(std::string digits) {
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t first = !digits.empty() && digits[0] == '-' ? 1 : 0;
    for (std::size_t i = point; i > first + 3; i -= 3)
        digits.insert(i - 3, ",");
    return digits;
}

/// Digits behind the point that leave about four in all.
int decimals(double value) {
    const double size = std::abs(value);
    return size >= 999.5 ? 0 : size >= 99.95 ? 1 : size >= 0.9995 ? 2 : 3;
}

} // namespace

std::string number(double value) {
    if (!std::isfinite(value)) return "-";
    if (std::abs(value) >= 1e15) return fmt::format("{:.3g}", value);
    if (std::abs(value) < 0.0005) return "0";
    return grouped(fmt::format("{:.{}f}", value, decimals(value)));
}

std::string count(double value) {
    return value == std::round(value) ? whole(value) : number(value);
}

std::string counted(double value, std::string_view noun) {
    return fmt::format("{} {}{}", count(value), noun, value == 1 ? "" : "s");
}

std::string plus_minus(double value, double half_width) {
    if (!std::isfinite(value) || !std::isfinite(half_width)) return number(value);
    return fmt::format("{} ± {}", number(value), grouped(fmt::format("{:.{}f}", half_width, decimals(value))));
}

std::string whole(double value) {
    if (!std::isfinite(value)) return "-";
    return std::abs(value) >= 1e15 ? fmt::format("{:.3g}", value) : grouped(fmt::format("{:.0f}", value));
}

std::string milliseconds(double value) {
    if (!std::isfinite(value)) return "-";
    if (value >= 10000) return fmt::format("{:.1f} s", value / 1000);
    if (value >= 1000) return fmt::format("{:.2f} s", value / 1000);
    if (value >= 99.95) return fmt::format("{:.0f} ms", value);
    if (value >= 9.995) return fmt::format("{:.1f} ms", value);
    if (value >= 0.9995) return fmt::format("{:.2f} ms", value);
    if (std::abs(value) < 0.0005) return "0 ms"; // also for what rounding left below 0
    return fmt::format("{:.3f} ms", value);
}

std::string percent(double share) {
    if (!std::isfinite(share)) return "-";
    const double value = share * 100;
    const bool whole_number = std::abs(value - std::round(value)) < 0.05;
    return fmt::format("{:.{}f} %", value, whole_number ? 0 : 1);
}

std::string factor(double value) {
    if (!std::isfinite(value)) return "-";
    if (value >= 99.5) return whole(value);
    return fmt::format("{:.{}f}", value, value >= 9.95 ? 0 : value >= 1.95 ? 1 : 2);
}

std::size_t columns(std::string_view text) {
    std::size_t count = 0;
    bool escape = false;
    for (const char c : text) {
        if (c == '\x1b') escape = true;
        const bool continuation = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
        if (!escape && !continuation) ++count;
        if (escape && c == 'm') escape = false;
    }
    return count;
}

std::string pad(std::string_view text, std::size_t width, bool right) {
    const std::size_t have = columns(text);
    const std::string spaces(have < width ? width - have : 0, ' ');
    return right ? spaces + std::string(text) : std::string(text) + spaces;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    std::size_t used = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view token = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t size = columns(token);
        if (used > indent && used + 1 + size > width) {
            out += '\n';
            out.append(indent, ' ');
            used = indent;
        } else if (!out.empty()) {
            out += ' ';
            ++used;
        }
        out += token;
        used += size;
    }
    return out;
}

std::string bold(std::string_view text, const Style& style) {
    return style.colour ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string warn(std::string_view text, const Style& style) {
    return style.colour ? fmt::format("\x1b[33m{}\x1b[0m", text) : std::string(text);
}

Table::Table(std::vector<std::string> heading, std::vector<bool> left)
    : heading_(std::move(heading)), left_(std::move(left)) {
    if (left_.empty()) left_ = {true};
    left_.resize(heading_.size(), false);
}

void Table::row(std::vector<std::string> cells) {
    cells.resize(heading_.size());
    rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> out;
    for (const auto& cell : heading_)
        out.push_back(columns(cell));
    for (const auto& cells : rows_)
        for (std::size_t i = 0; i < cells.size(); ++i)
            out[i] = std::max(out[i], columns(cells[i]));
    return out;
}

std::size_t Table::width() const {
    std::size_t total = 0;
    for (const std::size_t one : widths())
        total += one + 2;
    return total > 2 ? total - 2 : 0;
}

std::string Table::line(const std::vector<std::string>& cells, std::size_t indent) const {
    const auto width = widths();
    std::string out(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) out += "  ";
        out += pad(cells[i], width[i], !left_[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
}

std::string Table::text(const Style& style, std::size_t indent) const {
    std::string out = bold(line(heading_, indent), style) + "\n";
    for (const auto& cells : rows_)
        out += line(cells, indent) + "\n";
    return out;
}

} // namespace narrows::report
