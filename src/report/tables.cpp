// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/tables.hpp"

#include "report/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace narrows::report {

namespace {

using measure::Result;

bool unsupported(const measure::Latency& latency, const std::string& key) {
    return std::find(latency.unsupported.begin(), latency.unsupported.end(), key) != latency.unsupported.end();
}

/// A latency in ms with a mark when the sample is too small for it.
std::string latency_cell(double value, const measure::Latency& latency, const std::string& key) {
    return milliseconds(value) + (unsupported(latency, key) ? "?" : "");
}

std::string interval_cell(const Result& result, const std::string& key, bool time) {
    const auto it = result.confidence.find(key);
    if (it == result.confidence.end()) return "-";
    const auto [low, high] = it->second;
    return time ? fmt::format("{} … {}", milliseconds(low), milliseconds(high))
                : fmt::format("{} … {}", number(low), number(high));
}

/// Under the figures, for those whose interval is "-".
std::string why_no_interval(const Result& result, const Style& style) {
    std::string out;
    for (const auto& [key, title] : {std::pair{"p50", "p50"}, {"p95", "p95"}, {"p99", "p99"}, {"p999", "p99.9"}})
        if (const auto it = result.no_interval.find(key); it != result.no_interval.end())
            out += wrap(fmt::format("- no interval of {}: {}", title, it->second),
                        static_cast<std::size_t>(style.width), 2) +
                   "\n";
    if (out.empty()) out = "- no interval: too few independent replications or requests for one that can be defended\n";
    return out;
}

std::string figures(const Result& result, const Style& style) {
    Table table({"figure", "value", "95 % interval"});
    table.row({"throughput", with_interval(result.throughput_rps, result, "throughput_rps") + " req/s",
               interval_cell(result, "throughput_rps", false)});
    table.row({"goodput (ok only)", with_interval(result.goodput_rps, result, "goodput_rps") + " req/s",
               interval_cell(result, "goodput_rps", false)});
    if (result.offered_rps > 0) table.row({"offered", number(result.offered_rps) + " req/s", ""});
    if (result.makespan_ms)
        table.row({"makespan", milliseconds(*result.makespan_ms), interval_cell(result, "makespan_ms", true)});
    const auto& l = result.latency;
    // More requests would not tell better what grows without end.
    const bool unstable = result.verdict == measure::Verdict::unstable;
    table.row({"latency mean", latency_cell(l.mean, l, "mean"), interval_cell(result, "mean", true)});
    table.row({"latency p50", latency_cell(l.p50, l, "p50"), interval_cell(result, "p50", true)});
    table.row({"latency p95", latency_cell(l.p95, l, "p95"), interval_cell(result, "p95", true)});
    table.row({"latency p99", latency_cell(l.p99, l, "p99"), interval_cell(result, "p99", true)});
    table.row({"latency p99.9", latency_cell(l.p999, l, "p999"), interval_cell(result, "p999", true)});
    table.row({"latency max", milliseconds(l.max), ""});
    if (result.latency_planned) table.row({"p99 from planned send", milliseconds(result.latency_planned->p99), ""});
    table.row({"in flight at most", whole(result.peak_in_flight), ""});
    std::string out = table.text(style);
    if (!unstable && out.find("  -\n") != std::string::npos) out += why_no_interval(result, style);
    if (unstable)
        out += "? the queue grows as long as the load lasts, so no latency is claimed\n";
    else if (!l.unsupported.empty())
        out += fmt::format("? {} requests are too few to tell {} with 95 % confidence\n",
                           whole(static_cast<double>(l.count)), fmt::join(l.unsupported, ", "));
    return out;
}

std::string outcomes(const Result& result) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : result.outcomes)
        if (count > 0 && name != "ok") parts.push_back(fmt::format("{} {}", whole(static_cast<double>(count)), name));
    if (parts.empty()) return "";
    const auto ok = result.outcomes.find("ok");
    return fmt::format("outcomes: {} ok, {}\n",
                       whole(ok == result.outcomes.end() ? 0 : static_cast<double>(ok->second)),
                       fmt::join(parts, ", "));
}

std::string resources(const Result& result, const Style& style) {
    Table table({"resource", "capacity", "in use", "waiting", "at most", "wait each", "held each", "/s"});
    for (const auto& r : result.resources) {
        // Who was never served has no mean wait, which is not a wait of 0.
        const bool none = r.kind != measure::ResourceKind::cpu && r.rate <= 0;
        table.row({r.name, count(r.capacity), percent(r.utilization), number(r.queue_mean), whole(r.queue_max),
                   none ? "–" : milliseconds(r.wait_ms_mean), none ? "–" : milliseconds(r.hold_ms_mean),
                   number(r.rate)});
    }
    std::string out = table.text(style);
    for (const auto& r : result.resources) {
        if (r.kind != measure::ResourceKind::runner || r.capacity <= 0 || r.occupied_mean <= 0.0005) continue;
        std::string line = fmt::format("{}: {} running, {} held by a waiting request", r.name, number(r.running_mean),
                                       number(r.occupied_mean));
        if (r.pinned_mean > 0)
            line += fmt::format(" ({} of them pinned; JFR would have logged {} jdk.VirtualThreadPinned)",
                                number(r.pinned_mean), whole(static_cast<double>(r.pinned_events)));
        out += wrap(line, static_cast<std::size_t>(style.width), 2) + "\n";
    }
    return out;
}

std::string tiers(const Result& result, const Style& style) {
    Table table({"on the application's cores", "cores", "CPU a request"});
    for (const auto& t : result.tiers)
        table.row({t.name, number(t.cores), milliseconds(t.cpu_ms)});
    return table.text(style);
}

/// 4887 -> "4.89 KB".
std::string bytes(double n) {
    const char* unit = "B";
    for (const char* larger : {"KB", "MB", "GB", "TB"}) {
        if (n < 1000) break;
        n /= 1000;
        unit = larger;
    }
    return fmt::format("{:.3g} {}", n, unit);
}

std::string heap_lines(const Result& result, const Style& style) {
    const auto& h = *result.heap;
    return wrap(
               fmt::format("heap of {}: {} in use at most, {} allocated a second; garbage collection takes {} of the "
                           "CPU and stands still {} of the time, in {} pauses a second of {} each, at most {}{}",
                           bytes(h.capacity), bytes(h.live_peak), bytes(h.allocated_per_s), percent(h.gc_cpu_share),
                           percent(h.paused_share), number(h.pauses_per_s), milliseconds(h.pause_ms_mean),
                           milliseconds(h.pause_ms_max),
                           h.full_per_s > 0 ? fmt::format(" ({} a second of all the heap)", number(h.full_per_s)) : ""),
               static_cast<std::size_t>(style.width), 2) +
           "\n";
}

std::string stages(const Result& result, const Style& style) {
    Table table({"where the time goes", "mean", "slowest 1 %"});
    for (const auto& s : result.stages)
        table.row({s.name, milliseconds(s.mean_ms), milliseconds(s.p99_ms)});
    return table.text(style);
}

std::string endpoints(const Result& result, const Style& style) {
    Table table({"endpoint", "req/s", "ok/s", "mean", "p50", "p99"});
    for (const auto& e : result.endpoints)
        table.row({e.name, number(e.throughput_rps), number(e.goodput_rps), milliseconds(e.latency.mean),
                   latency_cell(e.latency.p50, e.latency, "p50"), latency_cell(e.latency.p99, e.latency, "p99")});
    return table.text(style);
}

/// "ratio 0.172, 95 % interval 0.168 … 0.177, 3 pairs", with equal decimals, two of them within the interval's half
/// width, so that rounding moves no value out of it.
std::string ratio_words(const measure::Against& said) {
    const auto& interval = *said.interval;
    const double half = interval.half_width();
    const double places = half > 0 ? std::ceil(-std::log10(half)) + 1 : 3;
    const int decimals = static_cast<int>(std::clamp(places, 2.0, 6.0));
    std::string out = fmt::format("ratio {:.{}f}, 95 % interval {:.{}f} … {:.{}f}, {} pairs", said.ratio, decimals,
                                  interval.low, decimals, interval.high, decimals, said.pairs);
    if (!said.differs && said.detectable > 0)
        out += fmt::format("; one of {} would have shown in nine runs of ten", percent(said.detectable));
    return out;
}

/// "p99, virtual threads against platform threads: 83 % lower (1/5.9)", then the ratio.
std::string against_lines(const Result& result, const Style& style) {
    std::string out;
    for (const auto& said : result.against) {
        const auto figure = said.figure == "throughput_rps" ? std::string("throughput") : said.figure;
        std::string line = fmt::format("{}, {} against {}: {}", figure, model_title(result.threads),
                                       model_title(said.baseline), bold(said.verdict, style));
        if (said.interval) line += fmt::format("; {}", ratio_words(said));
        out += wrap(line, static_cast<std::size_t>(style.width), 2) + "\n";
    }
    return out;
}

/// "auto: within 2 % at 8 replications (3 looks; throughput ± 0.4 %, p99 ± 1.7 %)".
std::string precision_words(const Result& result, const Style& style) {
    if (!result.precision) return "";
    const auto& p = *result.precision;
    const auto half = [](double x) { return std::isfinite(x) ? "± " + percent(x) : std::string("no interval"); };
    return wrap(fmt::format("auto: the precision of {} was {} with {} replications, at look {} (at most {} allowed): "
                            "throughput {}, p99 {}",
                            percent(p.asked), p.reached ? "reached" : "not reached", result.replications, p.looks,
                            p.limit, half(p.throughput_rps), half(p.p99)),
                static_cast<std::size_t>(style.width), 2) +
           "\n";
}

std::string header(const Result& result, const Style& style) {
    std::string out = bold(fmt::format("{}: {}", result.manifest.scenario, model_title(result.threads)), style);
    for (const auto& [path, value] : result.at)
        if (path != "threads") out += fmt::format(", {} = {}", path, value);
    out += fmt::format("\n{} replication{} of {}", result.replications, result.replications == 1 ? "" : "s",
                       milliseconds(result.measured_ms));
    if (result.verdict != measure::Verdict::finished)
        out += fmt::format(" after a warm-up of {}", milliseconds(result.warmup_ms));
    return out + fmt::format(", seed {}, engine {}\n", result.seed, result.engine) + precision_words(result, style);
}

} // namespace

std::string model_title(std::string_view threads) {
    if (threads == "platform") return "platform threads";
    if (threads == "virtual") return "virtual threads";
    if (threads == "event-loop") return "event loop";
    return std::string(threads);
}

std::string bottleneck_word(const Result& result) {
    if (result.verdict == measure::Verdict::deadlock) return "stalled";
    if (result.verdict == measure::Verdict::out_of_memory) return "heap";
    if (result.bottleneck.resource.empty())
        return result.verdict == measure::Verdict::unstable ? "unstable" : "the load itself";
    return result.bottleneck.resource;
}

std::string with_interval(double value, const Result& result, const std::string& key) {
    const auto it = result.confidence.find(key);
    if (it == result.confidence.end() || !std::isfinite(value)) return number(value);
    return plus_minus(value, it->second.half_width());
}

std::string verdict_lines(const Result& result, const Style& style) {
    switch (result.verdict) {
    case measure::Verdict::unstable:
        return warn(fmt::format("unstable: {} req/s are offered and {} answered; the queue grows without end, so "
                                "there is no mean latency to give",
                                number(result.offered_rps), number(result.throughput_rps)),
                    style) +
               "\n";
    case measure::Verdict::not_stationary:
        return warn("not stationary: the run never settled, so its figures depend on its length", style) + "\n";
    case measure::Verdict::out_of_memory:
        if (!result.exhausted) return warn("out of memory", style) + "\n";
        return warn(fmt::format("out of memory: after {} the {} heap could not hold what {} requests in flight had in "
                                "use ({}, java.lang.OutOfMemoryError)",
                                milliseconds(result.exhausted->at_ms), bytes(result.exhausted->heap),
                                whole(static_cast<double>(result.exhausted->in_flight)), bytes(result.exhausted->live)),
                    style) +
               "\n";
    case measure::Verdict::deadlock: return warn("stalled: nothing can ever go on", style) + "\n";
    default: return "";
    }
}

std::string knot_lines(const Result& result) {
    if (!result.knot) return "";
    const auto& knot = *result.knot;
    std::string out = fmt::format("at {} {} requests were stuck{}:\n", milliseconds(knot.at_ms),
                                  whole(static_cast<double>(knot.stuck)),
                                  knot.until_timeout ? fmt::format(" until a time-out ({} times)", knot.times) : "");
    for (const auto& line : knot.lines)
        out += fmt::format("  {}\n", line);
    return out;
}

std::string message_lines(const Result& result) {
    std::string out;
    for (const auto& message : result.messages)
        out += fmt::format("first of its kind: {}\n", message);
    return out;
}

std::string analytic_line(const Result& result, const Style& style) {
    if (!result.analytic) return "";
    const auto& a = *result.analytic;
    std::string text = bold("analytic:", style) + " ";
    if (!a.reason.empty()) {
        text += fmt::format("no formula applies: {}", a.reason);
    } else {
        text += fmt::format("{}{} {} req/s, mean {}", a.exact ? "" : "approximation, ", a.method,
                            number(a.throughput_rps), milliseconds(a.response_ms));
        if (result.throughput_rps > 0)
            text += fmt::format(" (analytic / simulated: {:.3f})", a.throughput_rps / result.throughput_rps);
        text += fmt::format("; valid {}", a.validity);
    }
    return wrap(text, static_cast<std::size_t>(style.width), 2) + "\n";
}

std::string run_report(const Result& result, const Style& style) {
    std::string out = header(result, style) + "\n";
    if (const auto verdict = verdict_lines(result, style) + knot_lines(result); !verdict.empty()) out += verdict + "\n";
    out += figures(result, style) + outcomes(result) + message_lines(result);
    if (result.endpoints.size() > 1) out += "\n" + endpoints(result, style);
    if (!result.resources.empty()) out += "\n" + resources(result, style);
    if (!result.tiers.empty()) out += "\n" + tiers(result, style);
    if (result.heap) out += heap_lines(result, style);
    if (!result.stages.empty()) out += "\n" + stages(result, style);
    out +=
        "\n" +
        wrap(fmt::format("{} {}: {}", bold("bottleneck:", style), bottleneck_word(result), result.bottleneck.evidence),
             static_cast<std::size_t>(style.width), 2) +
        "\n";
    out += analytic_line(result, style);
    for (const auto& text : result.warnings)
        out += wrap(warn("warning: ", style) + text, static_cast<std::size_t>(style.width), 2) + "\n";
    return out;
}

std::string comparison_table(std::span<const Result> results, const Style& style) {
    std::vector<std::string> heading{""};
    for (const auto& r : results)
        heading.push_back(model_title(r.threads));
    Table table(heading);
    const auto row = [&](const std::string& name, auto cell) {
        std::vector<std::string> cells{name};
        for (const auto& r : results)
            cells.push_back(cell(r));
        table.row(std::move(cells));
    };
    row("throughput, req/s", [](const Result& r) { return with_interval(r.throughput_rps, r, "throughput_rps"); });
    row("goodput, req/s", [](const Result& r) { return with_interval(r.goodput_rps, r, "goodput_rps"); });
    row("latency mean, ms", [](const Result& r) { return with_interval(r.latency.mean, r, "mean"); });
    row("latency p50, ms", [](const Result& r) { return with_interval(r.latency.p50, r, "p50"); });
    row("latency p95, ms", [](const Result& r) { return with_interval(r.latency.p95, r, "p95"); });
    row("latency p99, ms", [](const Result& r) {
        return with_interval(r.latency.p99, r, "p99") + (unsupported(r.latency, "p99") ? "?" : "");
    });
    if (std::any_of(results.begin(), results.end(), [](const Result& r) { return r.makespan_ms.has_value(); }))
        row("makespan, ms", [](const Result& r) { return r.makespan_ms ? number(*r.makespan_ms) : "-"; });
    row("in flight at most", [](const Result& r) { return whole(r.peak_in_flight); });
    row("bottleneck", bottleneck_word);
    std::string out =
        bold(results.empty() ? "" : results[0].manifest.scenario, style) + "\n\n" + table.text(style) + "\n";
    for (const auto& r : results)
        out += against_lines(r, style);
    out += "\n";
    for (const auto& r : results)
        out += wrap(fmt::format("{}: {}: {}", model_title(r.threads), bottleneck_word(r), r.bottleneck.evidence),
                    static_cast<std::size_t>(style.width), 2) +
               "\n";
    for (const auto& r : results)
        for (const auto& text : r.warnings)
            out += wrap(warn("warning: ", style) + r.threads + ": " + text, static_cast<std::size_t>(style.width), 2) +
                   "\n";
    return out;
}

} // namespace narrows::report
