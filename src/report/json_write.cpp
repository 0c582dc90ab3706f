// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>

namespace narrows::report {

namespace {

using Json = nlohmann::ordered_json;
using measure::Result;

/// nlohmann's own dump() prints 500 as 500.0 and is not always the shortest, so numbers are ours.
void dump(const Json& json, std::string& out) {
    switch (json.type()) {
    case Json::value_t::object: {
        char separator = '{';
        for (const auto& [key, value] : json.items()) {
            out += separator;
            out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace);
            out += ':';
            dump(value, out);
            separator = ',';
        }
        out += json.empty() ? "{}" : "}";
        return;
    }
    case Json::value_t::array: {
        char separator = '[';
        for (const auto& value : json) {
            out += separator;
            dump(value, out);
            separator = ',';
        }
        out += json.empty() ? "[]" : "]";
        return;
    }
    case Json::value_t::number_float: out += json_number(json.get<double>()); return;
    default: out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
}

Json latency(const measure::Latency& from) {
    return {{"count", from.count}, {"mean", from.mean}, {"p50", from.p50},
            {"p90", from.p90},     {"p95", from.p95},   {"p99", from.p99},
            {"p999", from.p999},   {"max", from.max},   {"unsupported", from.unsupported}};
}

Json confidence(const std::map<std::string, measure::Interval>& from) {
    Json out = Json::object();
    // In the order of the figures, not of the alphabet.
    for (const char* name : {"throughput_rps", "goodput_rps", "mean", "p50", "p90", "p95", "p99", "p999"})
        if (const auto it = from.find(name); it != from.end()) out[name] = {it->second.low, it->second.high};
    for (const auto& [name, interval] : from)
        if (!out.contains(name)) out[name] = {interval.low, interval.high};
    return out;
}

Json outcomes(const std::map<std::string, std::uint64_t>& from) {
    Json out = Json::object();
    // These are always there, so that a program need not ask first.
    for (const char* name :
         {"ok", "pool_timeout", "refused", "client_timeout", "call_timeout", "rejected", "circuit_open"}) {
        const auto it = from.find(name);
        out[name] = it == from.end() ? std::uint64_t{0} : it->second;
    }
    for (const auto& [name, count] : from)
        if (!out.contains(name)) out[name] = count;
    return out;
}

const char* word(measure::ResourceKind kind) {
    switch (kind) {
    case measure::ResourceKind::cpu: return "cpu";
    case measure::ResourceKind::pool: return "pool";
    case measure::ResourceKind::runner: return "runner";
    }
    return "pool";
}

Json resource(const measure::ResourceFigures& from) {
    Json out = {{"name", from.name},           {"kind", word(from.kind)},
                {"capacity", from.capacity},   {"utilization", from.utilization},
                {"busy_mean", from.busy_mean}, {"queue_mean", from.queue_mean},
                {"queue_max", from.queue_max}, {"wait_ms_mean", from.wait_ms_mean},
                {"rate_rps", from.rate},       {"hold_ms_mean", from.hold_ms_mean}};
    if (from.kind == measure::ResourceKind::runner) {
        out["running_mean"] = from.running_mean;
        out["occupied_mean"] = from.occupied_mean;
        out["pinned_mean"] = from.pinned_mean;
        out["pinned_events"] = from.pinned_events;
    }
    return out;
}

/// "2500" as a number, but only when the number prints as the same text again.
Json scalar(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return text;
    if (json_number(value) != text) return text;
    return value;
}

Json settings(const std::vector<std::pair<std::string, std::string>>& from) {
    Json out = Json::object();
    for (const auto& [path, value] : from)
        out[path] = scalar(value);
    return out;
}

Json analytic(const measure::Analytic& from) {
    Json out = {{"method", from.method}, {"exact", from.exact}};
    if (from.reason.empty()) {
        out["throughput_rps"] = from.throughput_rps;
        out["response_ms"] = from.response_ms;
        out["validity"] = from.validity;
    } else {
        out["reason"] = from.reason;
    }
    return out;
}

Json precision(const measure::Precision& from) {
    return {{"asked", from.asked},
            {"reached", from.reached},
            {"limit", from.limit},
            {"looks", from.looks},
            {"throughput_rps", from.throughput_rps},
            {"p99", from.p99}};
}

Json against(const measure::Against& from) {
    Json out = {{"figure", from.figure}, {"baseline", from.baseline}, {"ratio", from.ratio}};
    if (from.interval) out["interval"] = {from.interval->low, from.interval->high};
    out["pairs"] = from.pairs;
    out["differs"] = from.differs;
    out["detectable"] = from.detectable;
    out["verdict"] = from.verdict;
    return out;
}

Json series(const measure::Series& from) {
    Json queues = Json::object();
    for (const auto& [name, values] : from.queue)
        queues[name] = values;
    return {{"step_ms", from.step_ms},         {"answered", from.answered}, {"throughput_rps", from.throughput_rps},
            {"goodput_rps", from.goodput_rps}, {"p50_ms", from.p50_ms},     {"p99_ms", from.p99_ms},
            {"in_flight", from.in_flight},     {"queue_mean", queues}};
}

Json heap(const measure::HeapFigures& from) {
    return {{"capacity_bytes", from.capacity},
            {"live_bytes_peak", from.live_peak},
            {"allocated_bytes_per_s", from.allocated_per_s},
            {"gc_cpu_share", from.gc_cpu_share},
            {"paused_share", from.paused_share},
            {"pauses_per_s", from.pauses_per_s},
            {"full_per_s", from.full_per_s},
            {"pause_ms_mean", from.pause_ms_mean},
            {"pause_ms_max", from.pause_ms_max}};
}

Json knot(const measure::Knot& from) {
    return {{"at_ms", from.at_ms},
            {"until_timeout", from.until_timeout},
            {"stuck", from.stuck},
            {"times", from.times},
            {"lines", from.lines}};
}

template <typename T, typename Function> Json list(const std::vector<T>& from, Function function) {
    Json out = Json::array();
    for (const T& item : from)
        out.push_back(function(item));
    return out;
}

void add_rates(Json& out, const Result& result) {
    out["throughput_rps"] = result.throughput_rps;
    out["goodput_rps"] = result.goodput_rps;
    if (result.offered_rps > 0) out["offered_rps"] = result.offered_rps;
    out["latency_ms"] = latency(result.latency);
    if (result.latency_planned) out["latency_planned_ms"] = latency(*result.latency_planned);
    out["confidence"] = confidence(result.confidence);
    if (!result.no_interval.empty()) out["no_interval"] = result.no_interval;
    if (result.precision) out["precision"] = precision(*result.precision);
    out["outcomes"] = outcomes(result.outcomes);
    if (result.makespan_ms) out["makespan_ms"] = *result.makespan_ms;
}

void add_parts(Json& out, const Result& result) {
    out["resources"] = list(result.resources, resource);
    out["stages"] = list(result.stages, [](const measure::StageFigures& s) {
        return Json{{"name", s.name}, {"mean_ms", s.mean_ms}, {"p99_cohort_ms", s.p99_ms}};
    });
    out["endpoints"] = list(result.endpoints, [](const measure::EndpointFigures& e) {
        return Json{{"name", e.name},
                    {"throughput_rps", e.throughput_rps},
                    {"goodput_rps", e.goodput_rps},
                    {"latency_ms", latency(e.latency)}};
    });
    out["memory"] = {{"threads_peak", result.memory.threads_peak}, {"bytes_peak", result.memory.bytes_peak}};
    if (result.heap) out["heap"] = heap(*result.heap);
    if (result.exhausted)
        out["out_of_memory"] = {{"at_ms", result.exhausted->at_ms},
                                {"in_flight", result.exhausted->in_flight},
                                {"live_bytes", result.exhausted->live},
                                {"heap_bytes", result.exhausted->heap}};
    if (!result.tiers.empty())
        out["tiers"] = list(result.tiers, [](const measure::TierFigures& t) {
            return Json{{"name", t.name}, {"cores_mean", t.cores}, {"cpu_ms_per_request", t.cpu_ms}};
        });
    out["peak_in_flight"] = result.peak_in_flight;
    out["bottleneck"] = {{"resource", result.bottleneck.resource},
                         {"bound_rps", result.bottleneck.bound_rps},
                         {"evidence", result.bottleneck.evidence}};
    out["bounds"] = list(result.bounds, [](const measure::Bound& b) {
        return Json{{"resource", b.resource}, {"rps", b.rps}, {"formula", b.formula}};
    });
    if (result.analytic) out["analytic"] = analytic(*result.analytic);
    if (result.knot) out["knot"] = knot(*result.knot);
    if (!result.against.empty()) out["against"] = list(result.against, against);
    if (result.series) out["series"] = series(*result.series);
    if (!result.messages.empty()) out["messages"] = result.messages;
}

Json course(const measure::Course& from) {
    Json queues = Json::object();
    for (const auto& [name, values] : from.queue)
        queues[name] = values;
    return {{"step_ms", from.step_ms},
            {"throughput_rps", from.throughput_rps},
            {"latency_ms", from.latency_ms},
            {"in_flight", from.in_flight},
            {"queue", queues}};
}

Json histogram(const measure::Histogram& from) {
    Json buckets = Json::array();
    for (const auto& bucket : from.buckets())
        buckets.push_back({bucket.low, bucket.count});
    return {{"min_ns", from.min()}, {"max_ns", from.max()}, {"buckets", buckets}};
}

} // namespace

std::string json_number(double value) {
    if (!std::isfinite(value)) return "null";
    if (value == 0) return "0"; // also for -0
    // fmt's shortest form; without a fraction below 1e16 it is a plain integer.
    return fmt::format("{}", value);
}

std::string to_json(const Result& result, Detail detail) {
    Json out = Json::object();
    if (!result.at.empty()) out["at"] = settings(result.at);
    out["threads"] = result.threads;
    out["engine"] = result.engine;
    out["seed"] = result.seed;
    out["replications"] = result.replications;
    out["outcome"] = measure::word(result.verdict);
    out["warmup_ms"] = result.warmup_ms;
    out["measured_ms"] = result.measured_ms;
    add_rates(out, result);
    add_parts(out, result);
    out["replication"] = {{"throughput_rps", result.replication_throughput}, {"p99_ms", result.replication_p99}};
    out["events"] = result.events;
    out["warnings"] = result.warnings;
    const std::vector<std::pair<std::string, std::string>> in_force(result.manifest.settings.begin(),
                                                                    result.manifest.settings.end());
    out["manifest"] = {{"version", result.manifest.version},
                       {"scenario", result.manifest.scenario},
                       {"scenario_sha256", result.manifest.scenario_sha256},
                       {"settings", settings(in_force)}};
    if (detail == Detail::full) {
        out["course"] = course(result.course);
        out["histogram"] = histogram(result.histogram);
    }
    std::string text;
    dump(out, text);
    return text;
}

} // namespace narrows::report
