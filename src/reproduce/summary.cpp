// SPDX-License-Identifier: GPL-3.0-or-later
#include "reproduce/reproduce.hpp"

#include <fmt/format.h>

#include <cmath>

namespace narrows::reproduce {

namespace {

/// Published figures nearer than this say nothing about an order.
constexpr double kAhead = 1.1;

Tally& tally(Summary& into, Kind kind) {
    switch (kind) {
    case Kind::throughput: return into.throughputs;
    case Kind::median: return into.medians;
    case Kind::tail: return into.tails;
    case Kind::outcome: return into.outcomes;
    default: return into.others;
    }
}

void count(const Case& one, const Entry& entry, const Line& line, Summary& into) {
    const bool right = line.verdict == Verdict::agrees || line.verdict == Verdict::outcome_as_reported;
    if (line.verdict == Verdict::forbidden) {
        ++into.forbidden;
    } else if (line.verdict == Verdict::fitted) {
        ++into.fitted_figures;
    } else if (line.derived) {
        into.derived.add(right);
        if (is_miss(line) && entry.remark.empty()) ++into.unexplained;
    } else {
        ++into.judged;
        tally(into, line.kind).add(right);
        if (is_miss(line) && entry.remark.empty()) ++into.unexplained;
    }
    if (line.asserted && !right)
        into.broken.push_back(
            fmt::format("{}: {}: {}: {}", one.name, at_text(entry.at), line.figure, word(line.verdict)));
}

/// How many settings two points give different values.
std::size_t differences(const scenario::Settings& a, const scenario::Settings& b) {
    if (a.size() != b.size()) return a.size() + b.size();
    std::size_t out = 0;
    for (const auto& [path, value] : a) {
        bool same_path = false;
        for (const auto& [other, other_value] : b)
            if (other == path) {
                same_path = true;
                out += value == other_value ? 0 : 1;
            }
        if (!same_path) return a.size() + b.size();
    }
    return out;
}

const Line* find(const Entry& entry, const char* figure) {
    for (const auto& line : entry.lines)
        if (line.figure == figure) return &line;
    return nullptr;
}

/// Two points that differ in one setting: is that one ahead in the simulation which was in print?
void compare(const Entry& a, const Entry& b, Summary& into) {
    if (differences(a.at, b.at) != 1) return;
    for (const char* figure : {"throughput", "makespan"}) {
        const Line* x = find(a, figure);
        const Line* y = find(b, figure);
        if (x == nullptr || y == nullptr) continue;
        const double printed = x->published / y->published;
        if (printed < kAhead && printed > 1 / kAhead) continue;
        into.orderings.add(printed > 1 ? x->simulated > y->simulated : x->simulated < y->simulated);
    }
}

} // namespace

std::string at_text(const scenario::Settings& at) {
    std::string out;
    for (const auto& [path, value] : at)
        out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", path, value);
    return out.empty() ? "as it stands" : out;
}

Summary summary(const std::vector<Case>& cases) {
    Summary out;
    out.cases = cases.size();
    for (const auto& one : cases) {
        out.guessed += one.guessed;
        out.fitted += one.fitted;
        for (std::size_t i = 0; i < one.entries.size(); ++i) {
            const auto& entry = one.entries[i];
            if (!entry.failure.empty()) ++out.failures;
            for (const auto& line : entry.lines)
                count(one, entry, line, out);
            for (std::size_t j = 0; j < i; ++j)
                compare(one.entries[j], entry, out);
        }
    }
    return out;
}

} // namespace narrows::reproduce
