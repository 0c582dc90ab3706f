// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/figures.hpp"

#include "report/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace narrows::report {

namespace {

using measure::Result;

struct LatencyName {
    const char* name;
    const char* key; ///< in Result::confidence
    double measure::Latency::* field;
};
constexpr std::array<LatencyName, 7> kLatencies{{{"mean_ms", "mean", &measure::Latency::mean},
                                                 {"p50_ms", "p50", &measure::Latency::p50},
                                                 {"p90_ms", "p90", &measure::Latency::p90},
                                                 {"p95_ms", "p95", &measure::Latency::p95},
                                                 {"p99_ms", "p99", &measure::Latency::p99},
                                                 {"p999_ms", "p999", &measure::Latency::p999},
                                                 {"max_ms", "max", &measure::Latency::max}}};

std::optional<measure::Interval> interval(const Result& result, const std::string& key) {
    const auto it = result.confidence.find(key);
    if (it == result.confidence.end()) return {};
    return it->second;
}

std::optional<double> error_share(const Result& result) {
    double all = 0;
    double ok = 0;
    for (const auto& [name, count] : result.outcomes) {
        all += static_cast<double>(count);
        if (name == "ok") ok = static_cast<double>(count);
    }
    if (all == 0) return {};
    return (all - ok) / all;
}

std::optional<Figure> resource_figure(const Result& result, std::string_view name) {
    const auto dot = name.find('.');
    if (dot == std::string_view::npos) return {};
    const auto what = name.substr(0, dot);
    for (const auto& resource : result.resources) {
        if (resource.name != name.substr(dot + 1)) continue;
        if (what == "utilization") return Figure{resource.utilization, {}};
        if (what == "queue") return Figure{resource.queue_mean, {}};
        if (what == "wait_ms") return Figure{resource.wait_ms_mean, {}};
    }
    return {};
}

std::string_view trimmed(std::string_view text) {
    const auto from = text.find_first_not_of(" \t");
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

/// "1000", "1s" (for times, in ms), "90%". Nothing when it is none of these.
std::optional<double> limit(std::string_view text, bool is_time) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) return {};
    const auto unit = trimmed({end, static_cast<std::size_t>(text.data() + text.size() - end)});
    if (unit.empty()) return value;
    if (unit == "%" && !is_time) return value / 100;
    if (!is_time) return {};
    if (unit == "ms") return value;
    if (unit == "s") return value * 1000;
    if (unit == "us") return value / 1000;
    return {};
}

} // namespace

std::optional<Figure> figure(const Result& result, std::string_view name) {
    if (name == "throughput_rps") return Figure{result.throughput_rps, interval(result, "throughput_rps")};
    if (name == "goodput_rps") return Figure{result.goodput_rps, interval(result, "goodput_rps")};
    for (const auto& latency : kLatencies)
        if (name == latency.name) return Figure{result.latency.*latency.field, interval(result, latency.key)};
    if (name == "makespan_ms") {
        if (!result.makespan_ms) return {};
        return Figure{*result.makespan_ms, interval(result, "makespan_ms")};
    }
    if (name == "peak_in_flight") return Figure{result.peak_in_flight, {}};
    if (name == "error_share") {
        const auto share = error_share(result);
        return Figure{share ? *share : std::nan(""), {}};
    }
    return resource_figure(result, name);
}

std::vector<std::string> figure_names(const Result& result) {
    std::vector<std::string> out{"throughput_rps", "goodput_rps"};
    for (const auto& latency : kLatencies)
        out.emplace_back(latency.name);
    if (result.makespan_ms) out.emplace_back("makespan_ms");
    out.emplace_back("peak_in_flight");
    out.emplace_back("error_share");
    for (const char* what : {"utilization", "queue", "wait_ms"})
        for (const auto& resource : result.resources)
            out.push_back(fmt::format("{}.{}", what, resource.name));
    return out;
}

Assertion parse_assertion(std::string_view text) {
    const auto wrong = [&](const char* why) {
        return std::invalid_argument(
            fmt::format("--assert '{}': {}; write FIGURE < | <= | > | >= NUMBER, e.g. 'p99_ms < 1000'", text, why));
    };
    const auto sign = text.find_first_of("<>=!");
    if (sign == std::string_view::npos) throw wrong("no comparison");
    Assertion out;
    out.text = trimmed(text);
    out.figure = trimmed(text.substr(0, sign));
    const bool equal = sign + 1 < text.size() && text[sign + 1] == '=';
    out.comparison = text.substr(sign, equal ? 2 : 1);
    if (text[sign] != '<' && text[sign] != '>') throw wrong("simulated figures are compared by < and > only");
    if (out.figure.empty()) throw wrong("no figure before the comparison");
    const bool is_time = out.figure.ends_with("_ms") || out.figure.starts_with("wait_ms.");
    const auto number = limit(trimmed(text.substr(sign + out.comparison.size())), is_time);
    if (!number) throw wrong("what follows the comparison is no number of this figure's unit");
    out.limit = *number;
    return out;
}

Judgement judge(const Assertion& assertion, const Result& result) {
    const auto found = figure(result, assertion.figure);
    if (!found) {
        throw std::invalid_argument(fmt::format("--assert '{}': this result has no figure {}; it has {}",
                                                assertion.text, assertion.figure,
                                                fmt::join(figure_names(result), ", ")));
    }
    const bool below = assertion.comparison[0] == '<';
    double judged = found->value;
    std::string which = "no interval";
    if (found->interval) {
        judged = below ? found->interval->high : found->interval->low;
        which = fmt::format("{} end of the 95 % interval {} … {}", below ? "upper" : "lower",
                            number(found->interval->low), number(found->interval->high));
    }
    Judgement out;
    if (assertion.comparison == "<") out.holds = judged < assertion.limit;
    if (assertion.comparison == "<=") out.holds = judged <= assertion.limit;
    if (assertion.comparison == ">") out.holds = judged > assertion.limit;
    if (assertion.comparison == ">=") out.holds = judged >= assertion.limit;
    out.text = fmt::format("{}: {}: {} is {} ({})", out.holds ? "holds" : "fails", assertion.text, assertion.figure,
                           number(found->value), which);
    return out;
}

std::string figure_of_published(std::string_view name) {
    if (name == "throughput") return "throughput_rps";
    if (name.starts_with("utilization:")) return fmt::format("utilization.{}", name.substr(12));
    if (name.starts_with("pending:")) return fmt::format("queue.{}", name.substr(8));
    return fmt::format("{}_ms", name);
}

namespace {

bool same_value(std::string_view a, std::string_view b) {
    if (a == b) return true;
    double x = 0;
    double y = 0;
    const auto [end_x, error_x] = std::from_chars(a.data(), a.data() + a.size(), x);
    const auto [end_y, error_y] = std::from_chars(b.data(), b.data() + b.size(), y);
    return error_x == std::errc{} && error_y == std::errc{} && end_x == a.data() + a.size() &&
           end_y == b.data() + b.size() && x == y;
}

std::string shown(std::string_view figure, double value) {
    if (figure == "throughput_rps") return fmt::format("{} req/s", number(value));
    if (figure.starts_with("utilization.")) return percent(value);
    if (figure.starts_with("queue.")) return fmt::format("{} waiting", number(value));
    return milliseconds(value);
}

} // namespace

namespace {

/// Spring properties may stand with or without the leading "application.".
std::string_view bare(std::string_view path) {
    constexpr std::string_view kPrefix = "application.";
    return path.starts_with(kPrefix) ? path.substr(kPrefix.size()) : path;
}

} // namespace

bool speaks_of(const scenario::Published& published, const Result& result) {
    for (const auto& [path, value] : published.at) {
        if (path == "threads") {
            if (value != result.threads) return false;
            continue;
        }
        bool found = false;
        for (const auto& [at_path, at_value] : result.at)
            found = found || (bare(at_path) == bare(path) && same_value(at_value, value));
        if (!found) return false;
    }
    return true;
}

std::vector<Beside> beside(const scenario::Published& published, const Result& result) {
    std::vector<Beside> out;
    for (const auto& [name, value] : published.figures) {
        const std::string key = figure_of_published(name);
        const auto found = figure(result, key);
        if (!found) continue;
        const double scale = key.ends_with("_ms") && !key.starts_with("wait_ms.") ? 1e-6 : 1; // from ns
        Beside one{name, value * scale, found->value, found->value / (value * scale), {}};
        one.text =
            fmt::format("{}: published {}, simulated {}", name, shown(key, one.published), shown(key, one.simulated));
        if (std::isfinite(one.ratio))
            one.text += fmt::format(" ({} times{})", fmt::format("{:.2f}", one.ratio),
                                    std::abs(one.ratio - 1) > 0.1 ? ": differs by more than 10 %" : "");
        out.push_back(std::move(one));
    }
    return out;
}

} // namespace narrows::report
