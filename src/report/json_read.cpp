// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <stdexcept>

namespace narrows::report {

namespace {

using Json = nlohmann::ordered_json;
using measure::Result;

/// A member, or an empty one when there is none; a reference, since items() of a copy would dangle.
const Json& member(const Json& object, const char* key) {
    static const Json empty;
    const auto it = object.find(key);
    return it == object.end() ? empty : *it;
}

double number(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

double number(const Json& object, const char* key, double otherwise = 0) {
    const auto it = object.find(key);
    return it == object.end() ? otherwise : number(*it);
}

std::vector<double> numbers(const Json& object, const char* key) {
    std::vector<double> out;
    const auto it = object.find(key);
    if (it == object.end()) return out;
    for (const auto& value : *it)
        out.push_back(number(value));
    return out;
}

std::string text_of(const Json& scalar) {
    if (scalar.is_string()) return scalar.get<std::string>();
    if (scalar.is_number()) return json_number(scalar.get<double>());
    return scalar.dump();
}

measure::Latency latency(const Json& from) {
    measure::Latency out;
    out.count = from.value("count", std::uint64_t{0});
    out.mean = number(from, "mean");
    out.p50 = number(from, "p50");
    out.p90 = number(from, "p90");
    out.p95 = number(from, "p95");
    out.p99 = number(from, "p99");
    out.p999 = number(from, "p999");
    out.max = number(from, "max");
    out.unsupported = from.value("unsupported", std::vector<std::string>{});
    return out;
}

measure::Verdict verdict(const std::string& outcome, bool finite) {
    if (outcome == "unstable") return measure::Verdict::unstable;
    if (outcome == "deadlock") return measure::Verdict::deadlock;
    if (outcome == "out-of-memory") return measure::Verdict::out_of_memory;
    if (outcome == "not-stationary") return measure::Verdict::not_stationary;
    if (outcome == "ok") return finite ? measure::Verdict::finished : measure::Verdict::steady;
    throw std::runtime_error(fmt::format("unknown outcome \"{}\"", outcome));
}

measure::ResourceFigures resource(const Json& from) {
    measure::ResourceFigures out;
    out.name = from.at("name").get<std::string>();
    const auto kind = from.value("kind", std::string{"pool"});
    out.kind = kind == "cpu"      ? measure::ResourceKind::cpu
               : kind == "runner" ? measure::ResourceKind::runner
                                  : measure::ResourceKind::pool;
    out.capacity = number(from, "capacity");
    out.utilization = number(from, "utilization");
    out.busy_mean = number(from, "busy_mean");
    out.queue_mean = number(from, "queue_mean");
    out.queue_max = number(from, "queue_max");
    out.wait_ms_mean = number(from, "wait_ms_mean");
    out.rate = number(from, "rate_rps");
    out.hold_ms_mean = number(from, "hold_ms_mean");
    out.running_mean = number(from, "running_mean");
    out.occupied_mean = number(from, "occupied_mean");
    out.pinned_mean = number(from, "pinned_mean");
    out.pinned_events = from.value("pinned_events", std::uint64_t{0});
    return out;
}

void read_rates(const Json& from, Result& out) {
    out.throughput_rps = number(from.at("throughput_rps"));
    out.goodput_rps = number(from, "goodput_rps");
    out.offered_rps = number(from, "offered_rps");
    out.latency = latency(from.at("latency_ms"));
    if (const auto it = from.find("latency_planned_ms"); it != from.end()) out.latency_planned = latency(*it);
    for (const auto& [name, pair] : member(from, "confidence").items())
        out.confidence[name] = {number(pair.at(0)), number(pair.at(1))};
    for (const auto& [name, why] : member(from, "no_interval").items())
        out.no_interval[name] = why.get<std::string>();
    if (const auto it = from.find("precision"); it != from.end())
        out.precision = {number(*it, "asked"),        it->value("limit", 0),         it->value("looks", 0),
                         it->value("reached", false), number(*it, "throughput_rps"), number(*it, "p99")};
    for (const auto& [name, count] : member(from, "outcomes").items())
        out.outcomes[name] = count.get<std::uint64_t>();
    if (const auto it = from.find("makespan_ms"); it != from.end()) out.makespan_ms = number(*it);
}

void read_machine(const Json& from, Result& out) {
    if (const auto it = from.find("heap"); it != from.end())
        out.heap = measure::HeapFigures{.capacity = number(*it, "capacity_bytes"),
                                        .live_peak = number(*it, "live_bytes_peak"),
                                        .allocated_per_s = number(*it, "allocated_bytes_per_s"),
                                        .gc_cpu_share = number(*it, "gc_cpu_share"),
                                        .paused_share = number(*it, "paused_share"),
                                        .pauses_per_s = number(*it, "pauses_per_s"),
                                        .full_per_s = number(*it, "full_per_s"),
                                        .pause_ms_mean = number(*it, "pause_ms_mean"),
                                        .pause_ms_max = number(*it, "pause_ms_max")};
    if (const auto it = from.find("out_of_memory"); it != from.end())
        out.exhausted = measure::Exhaustion{number(*it, "at_ms"), it->value("in_flight", std::int64_t{0}),
                                            number(*it, "live_bytes"), number(*it, "heap_bytes")};
    for (const auto& item : member(from, "tiers"))
        out.tiers.push_back({item.at("name"), number(item, "cores_mean"), number(item, "cpu_ms_per_request")});
}

void read_parts(const Json& from, Result& out) {
    for (const auto& item : member(from, "resources"))
        out.resources.push_back(resource(item));
    for (const auto& item : member(from, "stages"))
        out.stages.push_back({item.at("name"), number(item, "mean_ms"), number(item, "p99_cohort_ms")});
    for (const auto& item : member(from, "endpoints"))
        out.endpoints.push_back({item.at("name"), number(item, "throughput_rps"), number(item, "goodput_rps"),
                                 latency(item.at("latency_ms"))});
    if (const auto it = from.find("memory"); it != from.end())
        out.memory = {number(*it, "threads_peak"), number(*it, "bytes_peak")};
    read_machine(from, out);
    out.peak_in_flight = number(from, "peak_in_flight");
    if (const auto it = from.find("bottleneck"); it != from.end())
        out.bottleneck = {it->value("resource", ""), number(*it, "bound_rps"), it->value("evidence", "")};
    for (const auto& item : member(from, "bounds"))
        out.bounds.push_back({item.at("resource"), number(item, "rps"), item.value("formula", "")});
    if (const auto it = from.find("analytic"); it != from.end())
        out.analytic = {it->value("method", ""),    it->value("exact", false), number(*it, "throughput_rps"),
                        number(*it, "response_ms"), it->value("validity", ""), it->value("reason", "")};
    if (const auto it = from.find("knot"); it != from.end()) {
        measure::Knot knot;
        knot.at_ms = number(*it, "at_ms");
        knot.until_timeout = it->value("until_timeout", false);
        knot.stuck = it->value("stuck", std::uint64_t{0});
        knot.times = it->value("times", std::uint64_t{0});
        knot.lines = it->value("lines", std::vector<std::string>{});
        out.knot = std::move(knot);
    }
    out.messages = from.value("messages", std::vector<std::string>{});
}

void read_against(const Json& from, Result& out) {
    for (const auto& item : member(from, "against")) {
        measure::Against said;
        said.figure = item.value("figure", "");
        said.baseline = item.value("baseline", "");
        said.ratio = number(item, "ratio");
        if (const auto it = item.find("interval"); it != item.end())
            said.interval = measure::Interval{number(it->at(0)), number(it->at(1))};
        said.pairs = item.value("pairs", std::size_t{0});
        said.differs = item.value("differs", false);
        said.detectable = number(item, "detectable");
        said.verdict = item.value("verdict", "");
        out.against.push_back(std::move(said));
    }
}

/// Throws std::runtime_error when its columns are not equally long.
void read_series(const Json& from, Result& out) {
    const auto it = from.find("series");
    if (it == from.end()) return;
    measure::Series series;
    series.step_ms = number(*it, "step_ms");
    series.answered = numbers(*it, "answered");
    series.throughput_rps = numbers(*it, "throughput_rps");
    series.goodput_rps = numbers(*it, "goodput_rps");
    series.p50_ms = numbers(*it, "p50_ms");
    series.p99_ms = numbers(*it, "p99_ms");
    series.in_flight = numbers(*it, "in_flight");
    const Json& queues = member(*it, "queue_mean");
    for (const auto& [name, values] : queues.items())
        series.queue.emplace_back(name, numbers(queues, name.c_str()));
    bool equal = series.step_ms > 0;
    for (const auto* column :
         {&series.throughput_rps, &series.goodput_rps, &series.p50_ms, &series.p99_ms, &series.in_flight})
        equal = equal && column->size() == series.size();
    for (const auto& [name, values] : series.queue)
        equal = equal && values.size() == series.size();
    if (!equal) throw std::runtime_error("the columns of its series are not equally long, or have no step_ms");
    out.series = std::move(series);
}

void read_manifest(const Json& from, Result& out) {
    const auto it = from.find("manifest");
    if (it == from.end()) return;
    out.manifest.version = it->value("version", "");
    out.manifest.scenario = it->value("scenario", "");
    out.manifest.scenario_sha256 = it->value("scenario_sha256", "");
    for (const auto& [path, value] : member(*it, "settings").items())
        out.manifest.settings[path] = text_of(value);
}

void read_course(const Json& from, Result& out) {
    out.course.step_ms = number(from, "step_ms");
    out.course.throughput_rps = numbers(from, "throughput_rps");
    out.course.latency_ms = numbers(from, "latency_ms");
    out.course.in_flight = numbers(from, "in_flight");
    const Json& queues = member(from, "queue");
    for (const auto& [name, values] : queues.items())
        out.course.queue[name] = numbers(queues, name.c_str());
}

/// The exact least and greatest values stand beside the buckets: they take the place of one
/// count in the first and one in the last bucket.
void read_histogram(const Json& from, measure::Histogram& out) {
    const auto& buckets = from.at("buckets");
    const auto low = from.at("min_ns").get<Nanos>();
    const auto high = from.at("max_ns").get<Nanos>();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        auto count = buckets[i].at(1).get<std::uint64_t>();
        if (i + 1 == buckets.size() && count > 0) {
            out.record(high);
            --count;
        }
        if (i == 0 && count > 0) {
            out.record(low);
            --count;
        }
        // Where nothing is left, recording 0 times would still move the least value.
        if (count > 0) out.record(std::max(low, std::min(high, buckets[i].at(0).get<Nanos>())), count);
    }
}

Result read(const Json& from) {
    Result out;
    for (const auto& [path, value] : member(from, "at").items())
        out.at.emplace_back(path, text_of(value));
    out.threads = from.at("threads").get<std::string>();
    out.engine = from.value("engine", "");
    out.seed = from.value("seed", std::uint64_t{0});
    out.replications = from.value("replications", 1);
    out.verdict = verdict(from.value("outcome", "ok"), from.contains("makespan_ms"));
    out.warmup_ms = number(from, "warmup_ms");
    out.measured_ms = number(from, "measured_ms");
    read_rates(from, out);
    read_parts(from, out);
    if (const auto it = from.find("replication"); it != from.end()) {
        out.replication_throughput = numbers(*it, "throughput_rps");
        out.replication_p99 = numbers(*it, "p99_ms");
    }
    out.events = from.value("events", std::uint64_t{0});
    out.warnings = from.value("warnings", std::vector<std::string>{});
    read_against(from, out);
    read_series(from, out);
    read_manifest(from, out);
    if (const auto it = from.find("course"); it != from.end()) read_course(*it, out);
    if (const auto it = from.find("histogram"); it != from.end()) read_histogram(*it, out.histogram);
    return out;
}

} // namespace

Result from_json(std::string_view text) {
    try {
        return read(Json::parse(text));
    } catch (const nlohmann::json::parse_error& error) {
        // The place counts from 1; past the end, the text was cut off.
        if (error.byte > text.size()) throw std::runtime_error("the JSON breaks off; the file may not be complete");
        throw std::runtime_error(fmt::format("no JSON from column {} on", error.byte));
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error("JSON, but no result of narrows: a key is missing or has a value of another kind");
    }
}

std::vector<Result> from_json_lines(std::string_view text) {
    std::vector<Result> out;
    std::size_t line = 0;
    while (!text.empty()) {
        ++line;
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        try {
            out.push_back(from_json(one));
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(fmt::format("line {}: {}", line, error.what()));
        }
    }
    return out;
}

} // namespace narrows::report
