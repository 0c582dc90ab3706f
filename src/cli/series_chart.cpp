// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/series_chart.hpp"

#include "report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace narrows::cli {

namespace {

using measure::Result;

constexpr std::size_t kMostQueues = 3;
constexpr double kSmallQueue = 0.01; ///< of the longest one, on average: not worth a line

int style_of(const std::string& threads) {
    return threads == "platform" ? 0 : threads == "virtual" ? 1 : threads == "event-loop" ? 2 : 3;
}

/// Each step at its middle, in seconds.
plots::Line line_of(std::string label, int style, const measure::Series& series, const std::vector<double>& values) {
    plots::Line out{std::move(label), style, {}, false};
    for (std::size_t i = 0; i < values.size(); ++i)
        out.points.push_back({(static_cast<double>(i) + 0.5) * series.step_ms / 1000, values[i], {}, {}, true});
    return out;
}

struct Queue {
    const Result* of = nullptr;
    const std::string* name = nullptr;
    const std::vector<double>* values = nullptr;
    double mean = 0;
};

/// Longest first.
std::vector<Queue> queues_of(const Result& result) {
    std::vector<Queue> out;
    for (const auto& [name, values] : result.series->queue) {
        if (values.empty()) continue;
        const double sum = std::accumulate(values.begin(), values.end(), 0.0);
        if (sum > 0) out.push_back({&result, &name, &values, sum / static_cast<double>(values.size())});
    }
    std::stable_sort(out.begin(), out.end(), [](const Queue& a, const Queue& b) { return a.mean > b.mean; });
    if (out.size() > kMostQueues) out.resize(kMostQueues);
    return out;
}

/// One model: its queues have colours of their own. Several: each has its model's colour for the longest, free ones
/// for the others.
void add_queues(plots::Panel& panel, const std::vector<const Result*>& results) {
    std::vector<Queue> all;
    for (const auto* result : results)
        for (const auto& queue : queues_of(*result))
            all.push_back(queue);
    double longest = 0;
    for (const auto& queue : all)
        longest = std::max(longest, queue.mean);
    int next = results.size() > 1 ? 3 : style_of(results.front()->threads);
    const Result* before = nullptr;
    for (const auto& queue : all) {
        if (queue.mean < kSmallQueue * longest) continue;
        const bool first = queue.of != before;
        const int style = results.size() > 1 && first ? style_of(queue.of->threads) : next++;
        before = queue.of;
        const auto label = results.size() > 1 ? fmt::format("{} ({})", *queue.name, queue.of->threads) : *queue.name;
        panel.lines.push_back(line_of(label, style, *queue.of->series, *queue.values));
    }
}

bool any_finite(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

} // namespace

plots::Chart make_series_chart(std::span<const Result> results) {
    std::vector<const Result*> with;
    for (const auto& r : results)
        if (r.series && r.series->size() > 0) with.push_back(&r);
    if (with.empty())
        throw std::invalid_argument("no result has a series; run or compare with --series-step makes one");
    for (const auto* r : with)
        if (r->manifest.scenario_sha256 != with.front()->manifest.scenario_sha256)
            throw std::invalid_argument("the series are of different scenarios or points; draw one at a time");
    plots::Chart chart;
    chart.title = with.front()->manifest.scenario;
    chart.subtitle = fmt::format("One replication over time, in steps of {} s", with.front()->series->step_ms / 1000);
    chart.x_label = "time, s";
    plots::Panel rates{"Throughput", "requests/s", false, {}, {}, {}, {}};
    plots::Panel tails{"99th percentile of latency", "ms", false, {}, {}, {}, {}};
    plots::Panel queues{"Waiting", "mean number in a step", false, {}, {}, {}, {}};
    for (const auto* r : with) {
        const auto title = report::model_title(r->threads);
        rates.lines.push_back(line_of(title, style_of(r->threads), *r->series, r->series->throughput_rps));
        if (any_finite(r->series->p99_ms))
            tails.lines.push_back(line_of(title, style_of(r->threads), *r->series, r->series->p99_ms));
    }
    add_queues(queues, with);
    chart.panels.push_back(std::move(rates));
    if (!tails.lines.empty()) chart.panels.push_back(std::move(tails));
    chart.panels.push_back(std::move(queues));
    const auto& manifest = with.front()->manifest;
    chart.footer = fmt::format("narrows {}, scenario {}, seed {}", manifest.version,
                               manifest.scenario_sha256.substr(0, 12), with.front()->seed);
    return chart;
}

} // namespace narrows::cli
