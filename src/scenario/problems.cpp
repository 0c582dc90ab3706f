// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/problems.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace narrows::scenario {

std::string Problem::text() const {
    const char* kind = is_error ? "error" : "warning";
    if (mark.line == 0) return fmt::format("{}: {}: {}", file, kind, message);
    return fmt::format("{}:{}:{}: {}: {}", file, mark.line, mark.column, kind, message);
}

int Problems::add_origin(std::string name) {
    origins_.push_back(std::move(name));
    return static_cast<int>(origins_.size()) - 1;
}

void Problems::add(bool is_error, int at, Mark mark, std::string message) {
    if (is_error ? full() : ++warnings_ > kMaxErrors) return;
    if (is_error && ++errors_ == kMaxErrors) message += "; further errors are not shown";
    for (char& c : message) {
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    found_.push_back({at, Problem{is_error, origin(at), mark, std::move(message)}});
}

std::vector<Problem> Problems::sorted() const {
    std::vector<Found> order = found_;
    const auto place = [](const Found& f) { return std::tuple{f.origin, f.problem.mark.line, f.problem.mark.column}; };
    std::stable_sort(order.begin(), order.end(), [&](const Found& a, const Found& b) { return place(a) < place(b); });
    std::vector<Problem> all;
    for (Found& f : order) {
        const bool known = std::any_of(all.begin(), all.end(), [&](const Problem& p) {
            return p.file == f.problem.file && p.mark == f.problem.mark && p.message == f.problem.message;
        });
        if (!known) all.push_back(std::move(f.problem));
    }
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

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
    if (word.size() > 200) return "";
    std::size_t best = std::clamp<std::size_t>(word.size() / 3, 1, 3) + 1;
    const std::string* nearest = nullptr;
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(word, candidate, best - 1);
        if (distance < best && distance < candidate.size()) {
            best = distance;
            nearest = &candidate;
        }
    }
    return nearest ? fmt::format("; did you mean '{}'?", *nearest) : "";
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
