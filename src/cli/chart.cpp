// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/chart.hpp"

#include "report/figures.hpp"
#include "report/tables.hpp"
#include "scenario/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace narrows::cli {

namespace {

using measure::Result;

struct Axis {
    std::string path, unit;
    bool is_time = false;
    std::vector<std::string> categories; ///< when the values are words
};

std::string at_of(const Result& result, const std::string& path) {
    for (const auto& [other, value] : result.at)
        if (other == path) return value;
    return path == "threads" ? result.threads : "";
}

std::optional<double> plain_number(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

std::optional<double> position(const Axis& axis, const std::string& text) {
    if (!axis.categories.empty()) {
        const auto it = std::find(axis.categories.begin(), axis.categories.end(), text);
        if (it == axis.categories.end()) return {};
        return static_cast<double>(it - axis.categories.begin());
    }
    if (axis.is_time) {
        const auto time = scenario::parse_duration(text);
        if (!time) return {};
        return static_cast<double>(time->count()) * 1e-6;
    }
    return plain_number(text);
}

std::vector<std::string> values_of(std::span<const Result> results, const std::string& path) {
    std::vector<std::string> out;
    for (const auto& r : results)
        if (const auto value = at_of(r, path); std::find(out.begin(), out.end(), value) == out.end())
            out.push_back(value);
    return out;
}

/// What to draw against: of the axes that vary, the first with numbers, else with times, else the first.
Axis choose_axis(std::span<const Result> results) {
    std::vector<std::string> varying;
    for (const auto& [path, value] : results.front().at)
        if (path != "threads" && values_of(results, path).size() > 1) varying.push_back(path);
    for (const auto& path : varying) {
        const auto values = values_of(results, path);
        if (std::all_of(values.begin(), values.end(), [](const auto& v) { return plain_number(v).has_value(); }))
            return {path, "", false, {}};
        if (std::all_of(values.begin(), values.end(),
                        [](const auto& v) { return scenario::parse_duration(v).has_value(); }))
            return {path, ", ms", true, {}};
    }
    const std::string path = varying.empty() ? "threads" : varying.front();
    return {path, "", false, values_of(results, path)};
}

int style_of(const std::string& threads) {
    return threads == "platform" ? 0 : threads == "virtual" ? 1 : threads == "event-loop" ? 2 : 3;
}

/// Results of one line of the chart, sorted along the axis.
struct Series {
    std::string label;
    int style = 0;
    std::vector<std::pair<double, const Result*>> points;
};

std::vector<Series> series_of(std::span<const Result> results, const Axis& axis) {
    std::vector<Series> out;
    const bool by_model = axis.path != "threads";
    for (const auto& r : results) {
        std::string label = by_model ? report::model_title(r.threads) : "simulated";
        bool further = false;
        for (const auto& [path, value] : r.at) {
            if (path == "threads" || path == axis.path) continue;
            const auto dot = path.rfind('.');
            label += fmt::format(", {} {}", dot == std::string::npos ? path : path.substr(dot + 1), value);
            further = true;
        }
        const auto x = position(axis, at_of(r, axis.path));
        if (!x) continue;
        auto it = std::find_if(out.begin(), out.end(), [&](const auto& s) { return s.label == label; });
        if (it == out.end()) {
            const int style = further ? static_cast<int>(out.size()) : style_of(r.threads);
            it = out.insert(out.end(), Series{label, by_model ? style : 0, {}});
        }
        it->points.emplace_back(*x, &r);
    }
    for (auto& series : out)
        std::stable_sort(series.points.begin(), series.points.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
    return out;
}

bool supported(const Result& r, const std::string& key) {
    if (r.verdict != measure::Verdict::steady && r.verdict != measure::Verdict::finished) return false;
    return std::find(r.latency.unsupported.begin(), r.latency.unsupported.end(), key) == r.latency.unsupported.end();
}

plots::Line line_of(const Series& series, const char* figure, const std::string& key) {
    plots::Line out{series.label, series.style, {}, true};
    for (const auto& [x, result] : series.points) {
        const auto found = report::figure(*result, figure);
        if (!found || !std::isfinite(found->value)) continue;
        plots::Point point{x, found->value, {}, {}, supported(*result, key)};
        if (found->interval) {
            point.low = found->interval->low;
            point.high = found->interval->high;
        }
        out.points.push_back(point);
    }
    return out;
}

plots::Bound bound_of(const Series& series) {
    plots::Bound out{fmt::format("operational bound ({})", series.label), series.style, {}, false};
    for (const auto& [x, result] : series.points)
        if (!result->bounds.empty() && std::isfinite(result->bounds.front().rps))
            out.points.push_back({x, result->bounds.front().rps, {}, {}, true});
    return out;
}

/// What formulas say along a line: "exact MVA (platform threads)", "exact MVA, layered MVA (approximate) (…)".
plots::Bound formula_of(const Series& series) {
    plots::Bound out{"", series.style, {}, true};
    std::vector<std::string> methods;
    for (const auto& [x, result] : series.points) {
        if (!result->analytic || !result->analytic->reason.empty()) continue;
        const auto& said = *result->analytic;
        const auto method = said.exact ? said.method : said.method + " (approximate)";
        if (std::find(methods.begin(), methods.end(), method) == methods.end()) methods.push_back(method);
        out.points.push_back({x, said.throughput_rps, {}, {}, true});
    }
    // A limit of one point is drawn across the panel; of many points a formula for one is no line.
    if (out.points.size() == 1 && series.points.size() > 1) out.points.clear();
    out.label = fmt::format("{}, {}", fmt::join(methods, ", "), series.label);
    return out;
}

void add_notes(plots::Panel& panel, const Series& series) {
    std::string before;
    for (const auto& [x, result] : series.points) {
        auto now = report::bottleneck_word(*result);
        // The first point starts nothing new unless a resource limits it from there on.
        const bool said = before.empty() ? !result->bottleneck.resource.empty() : now != before;
        if (said) panel.notes.push_back({x, "bottleneck: " + now, series.style});
        before = std::move(now);
    }
}

/// Published figures at the chart's points, each once though several lines may stand there.
void add_published(plots::Panel& panel, std::span<const Result> results, std::span<const scenario::Published> published,
                   const Axis& axis, const char* name, double scale) {
    for (const auto& entry : published) {
        const auto figure = entry.figures.find(name);
        if (figure == entry.figures.end()) continue;
        const auto found =
            std::find_if(results.begin(), results.end(), [&](const auto& r) { return report::speaks_of(entry, r); });
        if (found == results.end()) continue;
        const auto x = position(axis, at_of(*found, axis.path));
        if (!x) continue;
        const bool of_model =
            std::any_of(entry.at.begin(), entry.at.end(), [](const auto& s) { return s.first == "threads"; });
        const int style = of_model ? style_of(found->threads) : 3;
        const auto label = of_model ? fmt::format("published ({})", found->threads) : std::string("published");
        auto it = std::find_if(panel.published.begin(), panel.published.end(),
                               [&](const auto& p) { return p.label == label; });
        if (it == panel.published.end())
            it = panel.published.insert(panel.published.end(), plots::Published{label, style, {}});
        it->points.push_back({*x, figure->second * scale, {}, {}, true});
    }
}

/// "users (load.users)", "maximum pool size (spring.….maximum-pool-size)", "threads": the end of a path in words, and
/// the path where that is not all of it.
std::string axis_title(const Axis& axis) {
    const auto dot = axis.path.rfind('.');
    std::string words = dot == std::string::npos ? axis.path : axis.path.substr(dot + 1);
    std::replace(words.begin(), words.end(), '-', ' ');
    std::replace(words.begin(), words.end(), '_', ' ');
    return (words == axis.path ? words : fmt::format("{} ({})", words, axis.path)) + axis.unit;
}

/// Whether positive values span more than a factor 20.
bool wide(const std::vector<double>& values) {
    if (values.empty()) return false;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return *low > 0 && *high > 20 * *low;
}

bool wide_panel(const plots::Panel& panel) {
    std::vector<double> values;
    for (const auto& line : panel.lines)
        for (const auto& point : line.points)
            values.push_back(point.y);
    return wide(values);
}

} // namespace

plots::Chart make_chart(std::span<const Result> results, std::span<const scenario::Published> published) {
    if (results.empty()) throw std::invalid_argument("there are no results to draw");
    const Axis axis = choose_axis(results);
    plots::Chart chart;
    chart.title = results.front().manifest.scenario;
    chart.x_label = axis_title(axis);
    chart.categories = axis.categories;
    plots::Panel rates{"Throughput", "requests/s", false, {}, {}, {}, {}};
    plots::Panel tails{"99th percentile of latency", "ms", false, {}, {}, {}, {}};
    std::vector<double> xs;
    for (const auto& series : series_of(results, axis)) {
        for (const auto& point : series.points)
            xs.push_back(point.first);
        rates.lines.push_back(line_of(series, "throughput_rps", "throughput"));
        rates.bounds.push_back(bound_of(series));
        if (auto formula = formula_of(series); !formula.points.empty()) rates.bounds.push_back(std::move(formula));
        if (axis.categories.empty()) add_notes(rates, series);
        tails.lines.push_back(line_of(series, "p99_ms", "p99"));
    }
    add_published(rates, results, published, axis, "throughput", 1);
    add_published(tails, results, published, axis, "p99", 1e-6);
    tails.log_y = wide_panel(tails);
    for (auto* panel : {&rates, &tails})
        if (panel->log_y) panel->y_label += ", log scale";
    chart.log_x = axis.categories.empty() && wide(xs);
    chart.panels = {std::move(rates), std::move(tails)};
    const auto& manifest = results.front().manifest;
    chart.footer = fmt::format("narrows {}, scenario {}, seed {}", manifest.version,
                               manifest.scenario_sha256.substr(0, 12), results.front().seed);
    return chart;
}

} // namespace narrows::cli
