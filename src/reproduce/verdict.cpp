// SPDX-License-Identifier: GPL-3.0-or-later
#include "reproduce/verdict.hpp"

#include "report/figures.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace narrows::reproduce {

namespace {

using scenario::ReportedOutcome;

/// In which figures are told; what else an entry has follows in its own order.
constexpr std::array<std::string_view, 8> kOrder{"throughput", "makespan", "mean", "p50", "p90", "p95", "p99", "max"};

std::string shown(Kind kind, std::string_view figure, double value) {
    if (!std::isfinite(value)) return "-";
    switch (kind) {
    case Kind::throughput: return figure == "makespan" ? report::milliseconds(value) : report::number(value) + " req/s";
    case Kind::utilization: return report::percent(value);
    case Kind::waiting: return report::number(value) + " waiting";
    default: return report::milliseconds(value);
    }
}

/// The simulated figure with half the width of its interval, in the published one's unit.
std::string shown_with(const Line& line) {
    const auto value = shown(line.kind, line.figure, line.simulated);
    if (!line.interval || !std::isfinite(line.simulated)) return value;
    const double half = (line.interval->high - line.interval->low) / 2;
    if (line.figure == "throughput") return report::plus_minus(line.simulated, half) + " req/s";
    return fmt::format("{} ± {}", value, shown(line.kind, line.figure, half));
}

Line figure_line(const std::string& name, double value_ns, const measure::Result& result, bool laws_bind) {
    Line line;
    line.figure = name;
    line.kind = kind_of(name);
    const std::string key = report::figure_of_published(name);
    line.published = key.ends_with("_ms") ? value_ns * 1e-6 : value_ns;
    const auto found = report::figure(result, key);
    line.simulated = found ? found->value : std::nan("");
    if (found) line.interval = found->interval;
    line.ratio = line.simulated / line.published;
    line.published_text = shown(line.kind, name, line.published);
    line.simulated_text = shown_with(line);
    if (laws_bind) line.law = broken_law(name, line.published, result);
    if (!line.law.empty())
        line.verdict = Verdict::forbidden;
    else
        line.verdict = near(line.kind, line.published, line.simulated) ? Verdict::agrees : Verdict::misses;
    return line;
}

Line word_line(std::string figure, std::string published, std::string simulated, bool holds) {
    Line line;
    line.figure = std::move(figure);
    line.kind = Kind::outcome;
    line.published_text = std::move(published);
    line.simulated_text = std::move(simulated);
    line.published = line.simulated = line.ratio = std::nan("");
    line.verdict = holds ? Verdict::outcome_as_reported : Verdict::outcome_differs;
    return line;
}

std::uint64_t count(const measure::Result& result, const char* outcome) {
    const auto it = result.outcomes.find(outcome);
    return it == result.outcomes.end() ? 0 : it->second;
}

bool timed_out(const measure::Result& result) {
    return count(result, "pool_timeout") + count(result, "call_timeout") + count(result, "client_timeout") > 0;
}

bool failed(const measure::Result& result) {
    return std::any_of(result.outcomes.begin(), result.outcomes.end(),
                       [](const auto& o) { return o.first != "ok" && o.second > 0; });
}

/// Below this share of a carrier on average nothing was pinned that a dump would show.
constexpr double kSomePinned = 1e-6;

bool pinned(const measure::Result& result) {
    return std::any_of(result.resources.begin(), result.resources.end(), [](const auto& r) {
        return r.kind == measure::ResourceKind::runner && r.pinned_mean > kSomePinned;
    });
}

std::vector<Line> word_lines(const scenario::Published& entry, const measure::Result& result) {
    std::vector<Line> out;
    if (entry.outcome)
        out.push_back(word_line("outcome", scenario::word(*entry.outcome), scenario::word(outcome_of(result)),
                                outcome_holds(*entry.outcome, result)));
    if (!entry.bottleneck.empty()) {
        const auto& found = result.bottleneck.resource;
        out.push_back(word_line("bottleneck", entry.bottleneck, found.empty() ? "the load itself" : found,
                                found == entry.bottleneck));
    }
    if (entry.pinned) {
        const bool is = pinned(result);
        out.push_back(word_line("pinned", *entry.pinned ? "yes" : "no", is ? "yes" : "no", is == *entry.pinned));
    }
    return out;
}

} // namespace

const char* word(Verdict verdict) {
    switch (verdict) {
    case Verdict::agrees: return "agrees";
    case Verdict::misses: return "misses";
    case Verdict::forbidden: return "the laws forbid the published figure";
    case Verdict::outcome_as_reported: return "outcome as reported";
    case Verdict::outcome_differs: return "outcome differs";
    case Verdict::fitted: break;
    }
    return "fitted to this";
}

Kind kind_of(std::string_view figure) {
    if (figure == "throughput" || figure == "makespan") return Kind::throughput;
    if (figure == "mean" || figure == "p50") return Kind::median;
    if (figure.starts_with("utilization:")) return Kind::utilization;
    if (figure.starts_with("pending:")) return Kind::waiting;
    return Kind::tail;
}

bool near(Kind kind, double published, double simulated) {
    if (!std::isfinite(published) || !std::isfinite(simulated)) return false;
    const double off = std::abs(simulated - published);
    switch (kind) {
    case Kind::throughput: return off <= 0.10 * published;
    case Kind::median: return off <= 0.15 * published;
    case Kind::utilization: return off <= 0.10;
    case Kind::tail:
    case Kind::waiting: return simulated <= 1.5 * published && published <= 1.5 * simulated;
    case Kind::outcome: break;
    }
    return false;
}

bool is_miss(const Line& line) {
    return line.verdict == Verdict::misses || line.verdict == Verdict::outcome_differs;
}

std::string broken_law(std::string_view figure, double value, const measure::Result& result) {
    if (result.bounds.empty() || !std::isfinite(value)) return "";
    const auto& bound = result.bounds.front();
    if (figure == "throughput" && value > bound.rps * (1 + kBoundTolerance)) return bound.formula;
    if (figure == "makespan" && bound.rps > 0 && result.replications > 0) {
        // All requests of the load were answered: their number is what the outcomes count.
        double requests = 0;
        for (const auto& [outcome, n] : result.outcomes)
            requests += static_cast<double>(n);
        const double least_ms = requests / result.replications / bound.rps * 1000;
        if (value < least_ms * (1 - kBoundTolerance))
            return fmt::format("{} requests, {}", report::whole(requests / result.replications), bound.formula);
    }
    return "";
}

ReportedOutcome outcome_of(const measure::Result& result) {
    if (result.verdict == measure::Verdict::out_of_memory) return ReportedOutcome::out_of_memory;
    if (result.verdict == measure::Verdict::deadlock) return ReportedOutcome::deadlock;
    if (result.knot) return ReportedOutcome::stall;
    if (result.verdict == measure::Verdict::unstable) return ReportedOutcome::unstable;
    if (timed_out(result)) return ReportedOutcome::timeouts;
    return failed(result) ? ReportedOutcome::errors : ReportedOutcome::flows;
}

bool outcome_holds(ReportedOutcome reported, const measure::Result& result) {
    if (reported == ReportedOutcome::errors) return failed(result);
    if (reported == ReportedOutcome::timeouts) return timed_out(result);
    return outcome_of(result) == reported;
}

std::vector<Line> judge(const scenario::Published& entry, const measure::Result& result, bool laws_bind) {
    std::vector<Line> out;
    for (const auto name : kOrder)
        if (const auto it = entry.figures.find(std::string(name)); it != entry.figures.end())
            out.push_back(figure_line(it->first, it->second, result, laws_bind));
    for (const auto& [name, value] : entry.figures)
        if (std::find(kOrder.begin(), kOrder.end(), name) == kOrder.end())
            out.push_back(figure_line(name, value, result, laws_bind));
    for (auto& line : word_lines(entry, result))
        out.push_back(std::move(line));
    for (auto& line : out) {
        line.asserted = entry.agrees;
        line.derived = entry.derived;
        if (entry.fitted && line.verdict != Verdict::forbidden) line.verdict = Verdict::fitted;
    }
    return out;
}

} // namespace narrows::reproduce
