// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/explain.hpp"

#include "report/advice.hpp"
#include "report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace narrows::report {

namespace {

using measure::Result;

constexpr double kShown = 0.05;          ///< requests in a queue, on average, from which on it is spoken of
constexpr double kAboveByChance = 0.005; ///< of a limit: more than what rounding would explain

std::string paragraph(const std::string& text, const Style& style) {
    return wrap(text, static_cast<std::size_t>(style.width)) + "\n";
}

std::string bounds_part(const Result& result, const Style& style) {
    std::string out = bold("What throughput cannot exceed", style) + "\n";
    out += paragraph("Each limit follows from demands and stated delays alone: a place that is held for S can "
                     "serve at most 1/S requests a second, c places c times as many. The lowest limit binds first.",
                     style);
    Table table({"limit", "at most", "because"}, {true, false, true});
    for (const auto& b : result.bounds)
        table.row({b.resource, number(b.rps) + " req/s", b.formula});
    return out + table.text(style, 2);
}

std::string reached_part(const Result& result, const Style& style) {
    if (result.bounds.empty()) return "";
    const auto& first = result.bounds.front();
    const double share = result.throughput_rps / first.rps;
    std::string text =
        fmt::format("The simulation gives {} req/s, {} of the lowest limit ({}).",
                    with_interval(result.throughput_rps, result, "throughput_rps"), percent(share), first.resource);
    const bool waits = std::any_of(result.resources.begin(), result.resources.end(),
                                   [](const auto& r) { return r.queue_mean >= kShown; });
    if (share > 1 + kAboveByChance)
        text += " It is reached; what is above it is chance: the limit speaks of means in the long run, and these "
                "requests happened to ask for less.";
    else if (share >= kReached)
        text += " So that limit is reached, and it sets the throughput.";
    else if (!result.bottleneck.resource.empty() && result.bottleneck.resource != first.resource)
        text += fmt::format(" What is missing is lost in the queue at {}.", result.bottleneck.resource);
    else if (!waits)
        text += " Nothing queues: what is missing is time that the limit does not count, such as turns on shared "
                "cores, costs of switching, or draws above the mean.";
    else
        text += " What is missing is lost to waiting: requests get in each other's way before the limit is "
                "reached.";
    return paragraph(text, style) + analytic_line(result, style);
}

std::string queue_part(const Result& result, const Style& style) {
    std::string out = bold("Where the queue is", style) + "\n";
    out += paragraph(fmt::format("{}: {}.", bottleneck_word(result), result.bottleneck.evidence), style);
    Table table({"queue", "waiting", "wait each", "served /s", "rate x wait"});
    for (const auto& r : result.resources)
        if (r.queue_mean >= kShown)
            table.row({r.name, number(r.queue_mean), milliseconds(r.wait_ms_mean), number(r.rate),
                       r.kind == measure::ResourceKind::cpu ? "-" : number(r.rate * r.wait_ms_mean / 1000)});
    const auto any = [&](auto what) {
        return std::any_of(result.resources.begin(), result.resources.end(),
                           [&](const auto& r) { return r.queue_mean >= kShown && what(r); });
    };
    if (!any([](const auto&) { return true; })) return out;
    out += table.text(style, 2) +
           paragraph("Little's law: a queue's mean length is its rate times the mean wait (last column).", style);
    if (any([](const auto& r) { return r.kind == measure::ResourceKind::cpu; }))
        out += paragraph("- no product: work shares the cores in turns, so that its wait is no single stretch.", style);
    return out;
}

/// Where the slowest lose their time, when that is a notable part of it.
std::string of_the_slowest(const Result& result, const measure::StageFigures& tail) {
    constexpr double kNotable = 0.01;
    if (!(tail.p99_ms - tail.mean_ms > kNotable * result.latency.mean)) return "";
    return fmt::format(" The slowest 1 % lose most, beyond the mean, at {} ({} instead of {}).", tail.name,
                       milliseconds(tail.p99_ms), milliseconds(tail.mean_ms));
}

std::string little_part(const Result& result, const Style& style) {
    // Where the queue grows without end there is no mean for the law to hold of.
    if (!std::isfinite(result.latency.mean) || result.verdict == measure::Verdict::unstable) return "";
    const double inside = result.throughput_rps * result.latency.mean / 1000;
    // Both factors are means over a window that cuts requests at its ends, so the product can come out a little
    // above what was ever there at once.
    const bool by_a_hair = inside > result.peak_in_flight && inside <= 1.01 * result.peak_in_flight;
    std::string out = bold("How the figures hang together", style) + "\n";
    out +=
        paragraph(fmt::format("Little's law over the whole service: {} req/s x {} = {} requests under way on average. "
                              "At most {} were.",
                              number(result.throughput_rps), milliseconds(result.latency.mean),
                              number(by_a_hair ? result.peak_in_flight : inside), whole(result.peak_in_flight)),
                  style);
    const auto slow = std::max_element(result.stages.begin(), result.stages.end(),
                                       [](const auto& a, const auto& b) { return a.mean_ms < b.mean_ms; });
    const auto tail = std::max_element(result.stages.begin(), result.stages.end(), [](const auto& a, const auto& b) {
        return a.p99_ms - a.mean_ms < b.p99_ms - b.mean_ms;
    });
    if (slow != result.stages.end())
        out += paragraph(fmt::format("Most of a request's time goes to {} ({} of {}).{}", slow->name,
                                     milliseconds(slow->mean_ms), milliseconds(result.latency.mean),
                                     of_the_slowest(result, *tail)),
                         style);
    return out;
}

std::string next_part(const Result& result, const Style& style) {
    std::string out = bold("What to change next", style) + "\n";
    for (const auto& text : advice(result))
        out += paragraph(text, style);
    return out;
}

} // namespace

std::string explain(const Result& result, const Style& style) {
    std::string out =
        bold(fmt::format("{}: {}", result.manifest.scenario, model_title(result.threads)), style) + "\n\n";
    out += bounds_part(result, style) + "\n";
    if (result.verdict == measure::Verdict::unstable)
        out += paragraph(fmt::format("{} req/s are offered, more than can be served: the queue grows as long as the "
                                     "load lasts, and no mean latency exists.",
                                     number(result.offered_rps)),
                         style);
    if (result.knot) {
        out += paragraph(result.verdict == measure::Verdict::deadlock ? "The run stalled for ever:"
                                                                      : "The run stalled until a time-out:",
                         style);
        for (const auto& line : result.knot->lines)
            out += "  " + line + "\n";
        out += "\n";
    }
    out += reached_part(result, style) + "\n" + queue_part(result, style) + "\n";
    if (const auto little = little_part(result, style); !little.empty()) out += little + "\n";
    return out + next_part(result, style);
}

} // namespace narrows::report
