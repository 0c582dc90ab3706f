// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/csv.hpp"

#include "report/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace narrows::report {

namespace {

using measure::Result;

std::string cell(double value) {
    return std::isfinite(value) ? json_number(value) : std::string();
}

std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

struct Columns {
    std::vector<std::string> at, resources;
};

Columns columns_of(std::span<const Result> results) {
    Columns out;
    for (const auto& r : results) {
        for (const auto& [path, value] : r.at)
            if (path != "threads") add_once(out.at, path);
        for (const auto& resource : r.resources)
            add_once(out.resources, resource.name);
    }
    return out;
}

constexpr const char* kOutcomeNames[] = {"ok",           "pool_timeout", "refused",     "client_timeout",
                                         "call_timeout", "rejected",     "circuit_open"};
constexpr const char* kIntervals[] = {"throughput_rps", "goodput_rps", "mean", "p50", "p95", "p99"};

std::vector<std::string> heading(const Columns& columns) {
    std::vector<std::string> out;
    for (const auto& path : columns.at)
        out.push_back("at." + path);
    for (const char* name :
         {"threads", "engine", "seed", "replications", "outcome", "throughput_rps", "goodput_rps", "offered_rps",
          "mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms", "makespan_ms"})
        out.emplace_back(name);
    for (const std::string name : kIntervals) {
        const auto unit = name.ends_with("_rps") ? "" : "_ms";
        out.push_back(name + unit + "_low");
        out.push_back(name + unit + "_high");
    }
    for (const char* name : kOutcomeNames)
        out.push_back(fmt::format("outcome_{}", name));
    out.insert(out.end(), {"peak_in_flight", "threads_peak", "bottleneck", "bound_rps", "lowest_bound_rps",
                           "analytic_method", "analytic_exact", "analytic_rps", "analytic_mean_ms"});
    for (const auto& name : columns.resources)
        for (const char* figure : {"utilization", "queue_mean", "wait_ms_mean"})
            out.push_back(fmt::format("{}.{}", name, figure));
    out.insert(out.end(), {"scenario", "scenario_sha256", "version"});
    return out;
}

void add_figures(std::vector<std::string>& out, const Result& r) {
    const auto& l = r.latency;
    out.insert(out.end(),
               {r.threads, r.engine, fmt::format("{}", r.seed), fmt::format("{}", r.replications),
                measure::word(r.verdict), cell(r.throughput_rps), cell(r.goodput_rps),
                r.offered_rps > 0 ? cell(r.offered_rps) : "", cell(l.mean), cell(l.p50), cell(l.p90), cell(l.p95),
                cell(l.p99), cell(l.p999), cell(l.max), r.makespan_ms ? cell(*r.makespan_ms) : ""});
    for (const char* name : kIntervals) {
        const auto it = r.confidence.find(name);
        out.push_back(it == r.confidence.end() ? "" : cell(it->second.low));
        out.push_back(it == r.confidence.end() ? "" : cell(it->second.high));
    }
    for (const char* name : kOutcomeNames) {
        const auto it = r.outcomes.find(name);
        out.push_back(fmt::format("{}", it == r.outcomes.end() ? 0 : it->second));
    }
    out.insert(out.end(), {cell(r.peak_in_flight), cell(r.memory.threads_peak), r.bottleneck.resource,
                           r.bottleneck.bound_rps > 0 ? cell(r.bottleneck.bound_rps) : "",
                           r.bounds.empty() ? "" : cell(r.bounds.front().rps)});
    const bool formula = r.analytic && r.analytic->reason.empty();
    out.insert(out.end(),
               {formula ? r.analytic->method : "",
                !formula            ? ""
                : r.analytic->exact ? "1"
                                    : "0",
                formula ? cell(r.analytic->throughput_rps) : "", formula ? cell(r.analytic->response_ms) : ""});
}

std::vector<std::string> row(const Result& r, const Columns& columns) {
    std::vector<std::string> out;
    for (const auto& path : columns.at) {
        const auto it = std::find_if(r.at.begin(), r.at.end(), [&](const auto& s) { return s.first == path; });
        out.push_back(it == r.at.end() ? "" : it->second);
    }
    add_figures(out, r);
    for (const auto& name : columns.resources) {
        const auto it =
            std::find_if(r.resources.begin(), r.resources.end(), [&](const auto& x) { return x.name == name; });
        const bool there = it != r.resources.end();
        out.push_back(there ? cell(it->utilization) : "");
        out.push_back(there ? cell(it->queue_mean) : "");
        out.push_back(there ? cell(it->wait_ms_mean) : "");
    }
    out.insert(out.end(), {r.manifest.scenario, r.manifest.scenario_sha256, r.manifest.version});
    return out;
}

void append(std::string& out, const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) out += ',';
        out += quoted(cells[i]);
    }
    out += '\n';
}

} // namespace

std::string to_csv(std::span<const Result> results) {
    const Columns columns = columns_of(results);
    std::string out;
    append(out, heading(columns));
    for (const auto& r : results)
        append(out, row(r, columns));
    return out;
}

std::string series_csv(std::span<const Result> results) {
    std::vector<std::string> resources;
    for (const auto& r : results)
        if (r.series)
            for (const auto& [name, values] : r.series->queue)
                add_once(resources, name);
    std::vector<std::string> head{"threads",     "from_s", "step_s", "answered", "throughput_rps",
                                  "goodput_rps", "p50_ms", "p99_ms", "in_flight"};
    for (const auto& name : resources)
        head.push_back("queue." + name);
    std::string out;
    append(out, head);
    for (const auto& r : results) {
        if (!r.series) continue;
        const auto& s = *r.series;
        for (std::size_t i = 0; i < s.size(); ++i) {
            // The last step may be shorter; what it is divided by tells how much.
            std::vector<std::string> cells{r.threads,
                                           cell(static_cast<double>(i) * s.step_ms / 1000),
                                           cell(s.step_ms / 1000),
                                           cell(s.answered[i]),
                                           cell(s.throughput_rps[i]),
                                           cell(s.goodput_rps[i]),
                                           cell(s.p50_ms[i]),
                                           cell(s.p99_ms[i]),
                                           cell(s.in_flight[i])};
            for (const auto& name : resources) {
                const auto it =
                    std::find_if(s.queue.begin(), s.queue.end(), [&](const auto& q) { return q.first == name; });
                cells.push_back(it == s.queue.end() ? "" : cell(it->second[i]));
            }
            append(out, cells);
        }
    }
    return out;
}

} // namespace narrows::report
