// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/problems.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace narrows::scenario {

namespace {

/// Bytes of the character at `at` that acts on a terminal: 0 when it is none.
std::size_t control_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(at);
    const unsigned second = byte(at + 1);
    if (first < 0x20 || first == 0x7F) return 1;
    if (first == 0xC2 && second >= 0x80 && second <= 0x9F) return 2; // C1
    if (first != 0xE2) return 0;
    const unsigned third = byte(at + 2);
    const bool embeds = second == 0x80 && third >= 0xA8 && third <= 0xAE;   // U+2028 … U+202E
    const bool isolates = second == 0x81 && third >= 0xA6 && third <= 0xA9; // U+2066 … U+2069
    return embeds || isolates ? 3 : 0;
}

std::string in_one_line(std::string_view text) {
    std::string out(text);
    std::replace_if(out.begin(), out.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    return printable(out);
}

} // namespace

std::size_t first_control(std::string_view text, bool prose) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (prose && (text[i] == '\n' || text[i] == '\t')) continue;
        if (control_at(text, i) > 0) return i;
    }
    return std::string_view::npos;
}

std::string printable(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = text[i] == '\n' || text[i] == '\t' ? 0 : control_at(text, i);
        if (length == 0) out += text[i];
        for (std::size_t k = 0; k < length; ++k)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i + k]));
        i += std::max<std::size_t>(length, 1);
    }
    return out;
}

std::string Problem::text() const {
    const char* kind = is_error ? "error" : "warning";
    const std::string where = in_one_line(file);
    if (mark.line == 0) return fmt::format("{}: {}: {}", where, kind, message);
    return fmt::format("{}:{}:{}: {}: {}", where, mark.line, mark.column, kind, message);
}

int Problems::add_origin(std::string name) {
    origins_.push_back(std::move(name));
    return static_cast<int>(origins_.size()) - 1;
}

void Problems::add(bool is_error, int at, Mark mark, std::string message) {
    if (is_error ? full() : warnings_ >= kMaxErrors) return;
    message = in_one_line(message);
    const bool known = std::any_of(found_.begin(), found_.end(), [&](const Found& f) {
        return f.problem.file == origin(at) && f.problem.mark == mark && f.problem.message == message;
    });
    if (known) return;
    ++(is_error ? errors_ : warnings_);
    if (is_error && full()) message += "; further errors are not shown";
    found_.push_back({at, Problem{is_error, origin(at), mark, std::move(message)}});
}

std::vector<Problem> Problems::sorted() const {
    std::vector<Found> order = found_;
    const auto place = [](const Found& f) { return std::tuple{f.origin, f.problem.mark.line, f.problem.mark.column}; };
    std::stable_sort(order.begin(), order.end(), [&](const Found& a, const Found& b) { return place(a) < place(b); });
    std::vector<Problem> all;
    for (Found& f : order)
        all.push_back(std::move(f.problem));
    return all;
}

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
    const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (gap > limit) return limit + 1;
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        if (*std::min_element(row.begin(), row.end()) > limit) return limit + 1;
        std::swap(before, last);
        std::swap(last, row);
    }
    return std::min(last[b.size()], limit + 1);
}

const std::string* nearest(std::string_view word, std::span<const std::string> known) {
    if (word.size() > 200) return nullptr;
    std::size_t best = std::clamp<std::size_t>(word.size() / 3, 1, 3) + 1;
    const std::string* found = nullptr;
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(word, candidate, best - 1);
        if (distance < best && distance < candidate.size()) {
            best = distance;
            found = &candidate;
        }
    }
    return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
    const std::string* found = nearest(word, known);
    return found ? fmt::format("; did you mean '{}'?", *found) : "";
}

std::string listed(std::span<const std::string> words, std::string_view last) {
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) all += i + 1 == words.size() ? fmt::format(" {} ", last) : std::string(", ");
        all += words[i];
    }
    return all;
}

} // namespace narrows::scenario
