// SPDX-License-Identifier: GPL-3.0-or-later
#include "audit/report.hpp"

#include "report/json.hpp"
#include "scenario/problems.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace narrows::audit {

namespace {

std::string text_json(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string finding_json(const Finding& f) {
    return fmt::format(R"({{"law":{},"stated":{},"limit":{},"message":{}}})", text_json(f.law),
                       report::json_number(f.stated), report::json_number(f.limit), text_json(f.message));
}

template <typename T, typename Function> std::string list(const std::vector<T>& from, Function function) {
    std::string out = "[";
    for (const auto& item : from)
        out += (out.size() > 1 ? "," : "") + function(item);
    return out + "]";
}

std::string indented(const std::string& text, std::size_t width) {
    return "  " + report::wrap(text, width - 2, 4) + "\n";
}

std::string flagged_part(const Verdict& v, const report::Style& style) {
    const auto width = static_cast<std::size_t>(style.width);
    std::string out = report::bold(scenario::printable(v.label), style) + fmt::format(" (line {})\n", v.line);
    for (const auto& f : v.findings)
        out += indented(fmt::format("{} {}", report::warn(f.law + ":", style), f.message), width);
    return out;
}

} // namespace

std::string to_text(std::span<const Verdict> verdicts, double tolerance, const report::Style& style) {
    std::string out, implied;
    std::size_t flagged = 0, unchecked = 0;
    for (const auto& v : verdicts) {
        flagged += v.findings.empty() ? 0 : 1;
        unchecked += v.checks == 0 ? 1 : 0;
        if (!v.findings.empty()) out += flagged_part(v, style);
        if (!v.implied.empty())
            implied += indented(fmt::format("{}: {}", scenario::printable(v.label), fmt::join(v.implied, "; ")),
                                static_cast<std::size_t>(style.width));
    }
    if (flagged > 0) out = "These figures cannot be as stated:\n\n" + out + "\n";
    if (!implied.empty()) out += "What is stated implies:\n" + implied + "\n";
    out +=
        fmt::format("{} of {} rows break a law by more than {}", flagged, verdicts.size(), report::percent(tolerance));
    if (unchecked > 0) out += fmt::format("; {} state too little to be checked", unchecked);
    return out + "\n";
}

std::string to_json_lines(std::span<const Verdict> verdicts, const std::string& file) {
    std::string out;
    for (const auto& v : verdicts)
        out += fmt::format(R"({{"file":{},"line":{},"label":{},"flagged":{},"checks":{},"findings":{},"implied":{}}})"
                           "\n",
                           text_json(file), v.line, text_json(v.label), v.findings.empty() ? "false" : "true", v.checks,
                           list(v.findings, finding_json), list(v.implied, text_json));
    return out;
}

} // namespace narrows::audit
