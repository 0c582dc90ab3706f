// SPDX-License-Identifier: GPL-3.0-or-later
#include "reproduce/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace narrows::reproduce {

namespace {

/// Points are told by the last part of their paths; a value that is a list or mapping by the entry's note.
std::string short_at(const Entry& entry) {
    std::string out;
    for (const auto& [path, value] : entry.at) {
        const auto dot = path.rfind('.');
        const auto last = dot == std::string::npos ? path : path.substr(dot + 1);
        const bool compound = value.starts_with('[') || value.starts_with('{');
        const auto shown = !compound ? value : entry.note.empty() ? "[…]" : "(" + entry.note + ")";
        out += (out.empty() ? "" : ", ") + (path == "threads" ? value : fmt::format("{} {}", last, shown));
    }
    return out.empty() ? "as it stands" : out;
}

std::string ratio_text(const Line& line) {
    return std::isfinite(line.ratio) ? fmt::format("{:.2f}", line.ratio) : "";
}

std::vector<std::string> cells(const std::string& point, const Line& line) {
    return {point,
            line.figure,
            line.published_text,
            line.simulated_text,
            ratio_text(line),
            word(line.verdict) + std::string(line.derived ? " (not printed)" : "")};
}

/// Why figures miss or cannot be, each reason once.
std::vector<std::string> reasons(const Case& one) {
    std::vector<std::string> out;
    const auto add = [&](const std::string& text) {
        if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
    };
    for (const auto& entry : one.entries) {
        if (!entry.failure.empty()) add(fmt::format("{}: not run: {}", short_at(entry), entry.failure));
        bool missed = false;
        for (const auto& line : entry.lines) {
            missed = missed || is_miss(line);
            if (!line.law.empty())
                add(fmt::format("{}: {} {} cannot be: {}", short_at(entry), line.figure, line.published_text,
                                line.law));
        }
        if (missed) add("missing: " + (entry.remark.empty() ? short_at(entry) + ": not explained" : entry.remark));
    }
    return out;
}

std::string case_text(const Case& one, const report::Style& style) {
    const auto width = static_cast<std::size_t>(style.width);
    std::string out = report::wrap(fmt::format("{}: {} ({}); {} guessed, {} fitted; from: {}", one.name, one.title,
                                               one.runs, one.guessed, one.fitted, one.source),
                                   width, 2);
    report::Table table({"  point", "figure", "published", "simulated", "ratio", "verdict"},
                        {true, true, false, false, false, true});
    for (const auto& entry : one.entries)
        for (const auto& line : entry.lines)
            table.row(cells("  " + short_at(entry), line));
    if (!out.ends_with('\n')) out += '\n';
    out += table.text(style);
    for (const auto& reason : reasons(one)) {
        out += "  " + report::wrap(reason, width - 2, 4);
        if (!out.ends_with('\n')) out += '\n';
    }
    return out;
}

std::string tally_text(const char* what, const Tally& tally) {
    if (tally.of == 0) return "";
    const double share = static_cast<double>(tally.right) / static_cast<double>(tally.of);
    return fmt::format("  {}: {} of {} ({})\n", what, tally.right, tally.of, report::percent(share));
}

std::string summary_text(const Summary& s) {
    std::string out = fmt::format("{} cases, {} figures judged; {} that the laws forbid and {} that something was "
                                  "fitted to are not\n",
                                  s.cases, s.judged, s.forbidden, s.fitted_figures);
    out += tally_text("throughputs and makespans within 10 %", s.throughputs);
    out += tally_text("medians and means within 15 %", s.medians);
    out += tally_text("p90, p95, p99 and maxima within a factor of 1.5", s.tails);
    out += tally_text("utilizations within 10 points, queues within a factor of 1.5", s.others);
    out += tally_text("outcomes, bottlenecks and pinning as reported", s.outcomes);
    out += tally_text("not printed, but following by arithmetic or rules", s.derived);
    out += tally_text("pairs of points in the printed order", s.orderings);
    out += fmt::format("  parameters: {} guessed, {} fitted\n", s.guessed, s.fitted);
    if (s.unexplained > 0) out += fmt::format("  misses without a remark: {}\n", s.unexplained);
    if (s.failures > 0) out += fmt::format("  points that could not be run: {}\n", s.failures);
    return out;
}

} // namespace

std::string text(const std::vector<Case>& cases, const report::Style& style) {
    std::string out;
    for (const auto& one : cases)
        out += case_text(one, style) + "\n";
    return out + summary_text(summary(cases));
}

} // namespace narrows::reproduce
