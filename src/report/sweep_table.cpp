// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/explain.hpp"
#include "report/tables.hpp"
#include "report/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace narrows::report {

namespace {

using measure::Result;
using At = std::vector<std::pair<std::string, std::string>>;

At without_threads(const Result& result) {
    At out;
    for (const auto& setting : result.at)
        if (setting.first != "threads") out.push_back(setting);
    return out;
}

std::vector<std::string> paths(std::span<const Result> results) {
    std::vector<std::string> out;
    for (const auto& result : results)
        for (const auto& [path, value] : without_threads(result))
            if (std::find(out.begin(), out.end(), path) == out.end()) out.push_back(path);
    return out;
}

std::string value_at(const Result& result, const std::string& path) {
    for (const auto& [at_path, value] : result.at)
        if (at_path == path) return value;
    return "";
}

std::string throughput_cell(const Result& r, bool intervals) {
    return intervals ? with_interval(r.throughput_rps, r, "throughput_rps") : number(r.throughput_rps);
}

std::string p99_cell(const Result& r) {
    if (!std::isfinite(r.latency.p99)) return "-";
    const bool weak =
        std::find(r.latency.unsupported.begin(), r.latency.unsupported.end(), "p99") != r.latency.unsupported.end() ||
        r.no_interval.contains("p99");
    return number(r.latency.p99) + (weak ? "?" : "");
}

/// One row a point; for each model its throughput, p99 and bottleneck.
Table pivot(std::span<const Result> results, const std::vector<std::string>& models, bool intervals) {
    const auto axes = paths(results);
    std::vector<std::string> heading;
    std::vector<bool> left;
    for (const auto& axis : axes) {
        heading.push_back(short_path(axis));
        left.push_back(false);
    }
    for (const auto& model : models) {
        heading.push_back(model + " req/s");
        heading.push_back("p99 ms");
        heading.push_back("bottleneck");
        left.insert(left.end(), {false, false, true});
    }
    Table table(heading, left);
    std::vector<At> points;
    for (const auto& r : results)
        if (auto at = without_threads(r); std::find(points.begin(), points.end(), at) == points.end())
            points.push_back(std::move(at));
    for (const auto& point : points) {
        std::vector<std::string> cells(heading.size());
        for (const auto& r : results) {
            if (without_threads(r) != point) continue;
            for (std::size_t i = 0; i < axes.size(); ++i)
                cells[i] = value_at(r, axes[i]);
            const auto model =
                static_cast<std::size_t>(std::find(models.begin(), models.end(), r.threads) - models.begin());
            cells[axes.size() + model * 3] = throughput_cell(r, intervals);
            cells[axes.size() + model * 3 + 1] = p99_cell(r);
            cells[axes.size() + model * 3 + 2] = bottleneck_word(r);
        }
        table.row(std::move(cells));
    }
    return table;
}

Table rows(std::span<const Result> results) {
    const auto axes = paths(results);
    std::vector<std::string> heading;
    std::vector<bool> left(axes.size(), false);
    for (const auto& axis : axes)
        heading.push_back(short_path(axis));
    heading.insert(heading.end(), {"threads", "req/s", "p50 ms", "p99 ms", "bottleneck"});
    left.insert(left.end(), {true, false, false, false, true});
    Table table(heading, left);
    for (const auto& r : results) {
        std::vector<std::string> cells;
        for (const auto& axis : axes)
            cells.push_back(value_at(r, axis));
        cells.insert(cells.end(),
                     {r.threads, throughput_cell(r, true), number(r.latency.p50), p99_cell(r), bottleneck_word(r)});
        table.row(std::move(cells));
    }
    return table;
}

bool has_formula(const Result& r) {
    return r.analytic && r.analytic->reason.empty();
}

/// What is known without simulation: throughput by a formula, how far it is from the simulated one, the lowest bound.
std::vector<std::string> analytic_cells(const Result& r) {
    std::vector<std::string> out(3);
    if (has_formula(r)) {
        out[0] = (r.analytic->exact ? "" : "~") + number(r.analytic->throughput_rps);
        if (r.throughput_rps > 0)
            out[1] = fmt::format("{:+.1f} %", (r.analytic->throughput_rps / r.throughput_rps - 1) * 100);
        if (out[1] == "-0.0 %") out[1] = "+0.0 %";
    }
    if (!r.bounds.empty()) out[2] = number(r.bounds.front().rps);
    return out;
}

/// One row a point; a model beside the other. "" when there is nothing to say, or no room to say it.
std::string analytic_table(std::span<const Result> results, const std::vector<std::string>& models,
                           const Style& style) {
    const auto axes = paths(results);
    if (axes.empty() ||
        std::none_of(results.begin(), results.end(), [](const Result& r) { return r.analytic || !r.bounds.empty(); }))
        return "";
    std::vector<std::string> heading;
    for (const auto& axis : axes)
        heading.push_back(short_path(axis));
    for (const auto& model : models)
        heading.insert(heading.end(), {model + ", formula", "off by", "bound"});
    Table table(heading, {false});
    std::vector<std::pair<At, std::vector<std::string>>> rows;
    for (const auto& r : results) {
        const auto at = without_threads(r);
        auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& other) { return other.first == at; });
        if (row == rows.end()) {
            row = rows.insert(rows.end(), {at, std::vector<std::string>(heading.size())});
            for (std::size_t i = 0; i < axes.size(); ++i)
                row->second[i] = value_at(r, axes[i]);
        }
        const auto model = std::find(models.begin(), models.end(), r.threads) - models.begin();
        const auto cells = analytic_cells(r);
        std::copy(cells.begin(), cells.end(),
                  row->second.begin() + static_cast<std::ptrdiff_t>(axes.size()) + model * 3);
    }
    for (auto& [at, cells] : rows)
        table.row(std::move(cells));
    if (table.width() > static_cast<std::size_t>(style.width)) return "";
    const auto title =
        wrap("without simulation, req/s: by formula (~ an approximation; empty: none applies), by how much "
             "it is off the simulated figure, and the lowest operational bound",
             static_cast<std::size_t>(style.width));
    return "\n" + title + "\n" + table.text(style);
}

std::vector<std::string> models_of(std::span<const Result> results) {
    std::vector<std::string> out;
    for (const auto& r : results)
        if (std::find(out.begin(), out.end(), r.threads) == out.end()) out.push_back(r.threads);
    return out;
}

} // namespace

std::string sweep_table(std::span<const Result> results, const Style& style) {
    if (results.empty()) return "no results\n";
    const auto models = models_of(results);
    const auto fits = [&](const Table& table) { return table.width() <= static_cast<std::size_t>(style.width); };
    Table table = pivot(results, models, true);
    if (!fits(table)) table = pivot(results, models, false);
    if (!fits(table)) table = rows(results);
    std::string out = bold(results[0].manifest.scenario, style) + "\n" + table.text(style);
    const auto weak = [&](bool unstable) {
        return std::any_of(results.begin(), results.end(), [&](const Result& r) {
            return (r.verdict == measure::Verdict::unstable) == unstable && p99_cell(r).ends_with('?');
        });
    };
    const std::string few = "too few independent requests beyond this percentile for an interval of 95 %";
    const std::string grows = "the queue grows as long as the load lasts, so no latency is claimed";
    if (weak(false)) out += fmt::format("? {}{}\n", few, weak(true) ? ", or" : "");
    if (weak(true)) out += fmt::format("{} {}\n", weak(false) ? " " : "?", grows);
    out += analytic_table(results, models, style);
    std::vector<PointWarnings> points;
    for (const auto& r : results)
        points.push_back({without_threads(r), r.threads, r.warnings});
    for (const auto& warning : merged_warnings(points))
        out += wrap(warn("warning: ", style) + warning.line(), static_cast<std::size_t>(style.width), 2) + "\n";
    if (const auto moved = how_the_bottleneck_moved(results); !moved.empty())
        out += "\n" + wrap(moved, static_cast<std::size_t>(style.width)) + "\n";
    return out;
}

} // namespace narrows::report
