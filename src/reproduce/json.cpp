// SPDX-License-Identifier: GPL-3.0-or-later
#include "reproduce/reproduce.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace narrows::reproduce {

namespace {

using Json = nlohmann::ordered_json;

Json finite(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

const char* unit(const Line& line) {
    switch (line.kind) {
    case Kind::throughput: return line.figure == "makespan" ? "ms" : "1/s";
    case Kind::utilization: return "share";
    case Kind::waiting: return "requests";
    case Kind::outcome: return "word";
    default: return "ms";
    }
}

Json line_json(const Line& line) {
    Json out{{"figure", line.figure}, {"unit", unit(line)}};
    if (line.kind == Kind::outcome) {
        out["published"] = line.published_text;
        out["simulated"] = line.simulated_text;
    } else {
        out["published"] = finite(line.published);
        out["simulated"] = finite(line.simulated);
        out["interval"] =
            line.interval ? Json::array({finite(line.interval->low), finite(line.interval->high)}) : Json(nullptr);
        out["ratio"] = finite(line.ratio);
    }
    out["verdict"] = word(line.verdict);
    if (!line.law.empty()) out["law"] = line.law;
    out["derived"] = line.derived;
    out["asserted"] = line.asserted;
    return out;
}

Json case_json(const Case& one) {
    Json entries = Json::array();
    for (const auto& entry : one.entries) {
        Json at = Json::object();
        for (const auto& [path, value] : entry.at)
            at[path] = value;
        Json lines = Json::array();
        for (const auto& line : entry.lines)
            lines.push_back(line_json(line));
        Json made{{"at", at}, {"figures", lines}};
        if (!entry.remark.empty()) made["remark"] = entry.remark;
        if (!entry.failure.empty()) made["failure"] = entry.failure;
        entries.push_back(std::move(made));
    }
    return {{"case", one.name},       {"name", one.title},    {"source", one.source}, {"runs", one.runs},
            {"guessed", one.guessed}, {"fitted", one.fitted}, {"entries", entries}};
}

Json tally_json(const Tally& tally) {
    return {{"right", tally.right}, {"of", tally.of}};
}

Json summary_json(const Summary& s) {
    return {{"cases", s.cases},
            {"judged", s.judged},
            {"forbidden", s.forbidden},
            {"fitted_figures", s.fitted_figures},
            {"throughputs", tally_json(s.throughputs)},
            {"medians", tally_json(s.medians)},
            {"tails", tally_json(s.tails)},
            {"others", tally_json(s.others)},
            {"outcomes", tally_json(s.outcomes)},
            {"derived", tally_json(s.derived)},
            {"orderings", tally_json(s.orderings)},
            {"guessed", s.guessed},
            {"fitted", s.fitted},
            {"unexplained", s.unexplained},
            {"broken", s.broken},
            {"failures", s.failures}};
}

} // namespace

std::string json(const std::vector<Case>& cases) {
    Json all = Json::array();
    for (const auto& one : cases)
        all.push_back(case_json(one));
    const Json out{{"cases", all}, {"summary", summary_json(summary(cases))}};
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace narrows::reproduce
