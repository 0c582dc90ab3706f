// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/summary.hpp"

#include "measure/figures.hpp"
#include "measure/window.hpp"
#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::measure {
namespace {

using Recordings = std::span<const Recording>;

/// Replications from which Student's interval over their figures is offered where the slices are too
/// correlated to offer one.
constexpr std::size_t kFewestReplications = 5;

/// A number in a sentence: never "3e+03".
std::string plain(double x) {
    return std::abs(x) >= 1000 && std::abs(x) < 1e15 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x);
}

/// Answers of one recording's measured part.
struct Totals {
    double answered = 0, ok = 0, latency_ns = 0, time_s = 0;
    [[nodiscard]] double per_second(double count) const { return time_s > 0 ? count / time_s : 0; }
    [[nodiscard]] double mean_ms() const { return answered > 0 ? latency_ns / answered * 1e-6 : 0; }
};

Totals totals_of(const Recording& r, const Window& window) {
    Totals out;
    for (std::size_t i = window.first; i < r.slices.size(); ++i) {
        out.answered += static_cast<double>(r.slices[i].answered);
        out.ok += static_cast<double>(r.slices[i].ok);
        out.latency_ns += r.slices[i].latency_sum;
    }
    out.time_s = kept_seconds(r, window);
    return out;
}

Totals sum(const std::vector<Totals>& parts) {
    Totals out;
    for (const auto& t : parts) {
        out.answered += t.answered;
        out.ok += t.ok;
        out.latency_ns += t.latency_ns;
        out.time_s += t.time_s;
    }
    return out;
}

template <class Function> std::vector<double> each(const std::vector<Totals>& parts, Function figure) {
    std::vector<double> out;
    for (const auto& t : parts)
        out.push_back(figure(t));
    return out;
}

// --------------------------------------------------------------------------- intervals

void claim(Result& result, const std::string& name, const std::optional<Interval>& interval) {
    if (interval) result.confidence[name] = {std::max(0.0, interval->low), interval->high};
}

/// Batch means of numerator(slice, seconds) over denominator(slice, seconds); where the slices are
/// too correlated and there are replications enough, Student over those.
template <class Numerator, class Denominator>
std::optional<Interval> over_slices(Recordings replications, const Window& window, Numerator numerator,
                                    Denominator denominator, const std::vector<double>& by_replication) {
    std::vector<BatchSeries> groups;
    for (const auto& r : replications) {
        auto& group = groups.emplace_back();
        for (std::size_t i = window.first; i < r.slices.size(); ++i) {
            const double time = slice_seconds(r, i);
            group.numerator.push_back(numerator(r.slices[i], time));
            group.denominator.push_back(denominator(r.slices[i], time));
        }
    }
    if (auto interval = batch_means(groups)) return interval;
    return by_replication.size() >= kFewestReplications ? student(by_replication) : std::nullopt;
}

void claim_rates(Result& result, Recordings replications, const Window& window, const std::vector<Totals>& totals) {
    const auto time = [](const Slice&, double s) { return s; };
    claim(result, "throughput_rps",
          over_slices(
              replications, window, [](const Slice& s, double) { return static_cast<double>(s.answered); }, time,
              each(totals, [](const Totals& t) { return t.per_second(t.answered); })));
    claim(result, "goodput_rps",
          over_slices(
              replications, window, [](const Slice& s, double) { return static_cast<double>(s.ok); }, time,
              each(totals, [](const Totals& t) { return t.per_second(t.ok); })));
}

/// Why a percentile has no interval.
std::string why_not(const QuantileClaim& said, double q) {
    using Why = QuantileClaim::Why;
    const auto beyond = fmt::format("{:.0f} request{} beyond it", said.beyond, said.beyond == 1 ? "" : "s");
    switch (said.why) {
    case Why::few_requests:
        return fmt::format("{}; even independent ones would have to be {} in all", beyond, min_samples_for(q));
    case Why::few_batches: return beyond + ", but they do not make 10 groups of 10 that look independent";
    case Why::few_bursts: return beyond + ", in so few bursts that they may have come by chance";
    case Why::claimed: break;
    }
    return "";
}

void claim_latencies(Result& result, Recordings replications, const Window& window, const std::vector<Totals>& totals) {
    claim(result, "mean",
          over_slices(
              replications, window, [](const Slice& s, double) { return s.latency_sum * 1e-6; },
              [](const Slice& s, double) { return static_cast<double>(s.answered); },
              each(totals, [](const Totals& t) { return t.mean_ms(); })));
    std::vector<std::vector<const Histogram*>> groups;
    for (const auto& r : replications) {
        auto& of_one = groups.emplace_back();
        for (std::size_t g = window.first_group(); g < r.groups.size(); ++g)
            if (r.groups[g].latency.count() > 0) of_one.push_back(&r.groups[g].latency);
    }
    for (const auto& [name, q] : kQuantiles) {
        const auto said = claim_quantile(groups, q);
        if (const auto& ns = said.interval)
            claim(result, name, Interval{ns->low * 1e-6, ns->high * 1e-6});
        else
            result.no_interval[name] = why_not(said, q);
    }
}

/// Burst, fixed and staged loads: replications are the only independent observations.
void claim_over_replications(Result& result, Recordings replications, const Window& window,
                             const std::vector<Totals>& totals) {
    claim(result, "throughput_rps", student(each(totals, [](const Totals& t) { return t.per_second(t.answered); })));
    claim(result, "goodput_rps", student(each(totals, [](const Totals& t) { return t.per_second(t.ok); })));
    if (result.makespan_ms)
        claim(result, "makespan_ms", student(each(totals, [](const Totals& t) { return t.time_s * 1e3; })));
    claim(result, "mean", student(each(totals, [](const Totals& t) { return t.mean_ms(); })));
    for (const auto& [name, q] : kQuantiles) {
        if (replications.size() < kFewestReplications) {
            result.no_interval[name] = fmt::format("the load ends or changes, so only whole replications are "
                                                   "alike; {} are fewer than the {} that it takes",
                                                   replications.size(), kFewestReplications);
            continue;
        }
        std::vector<double> values;
        for (const auto& r : replications)
            values.push_back(kept_histogram(r, window).quantile(q) * 1e-6);
        claim(result, name, student(values));
    }
}

// --------------------------------------------------------------------------- verdict

bool grows_too_fast(const Growth& g, double answered, double offered_rps, const Result& result) {
    if (!g.significant) return false;
    if (g.total > 0.05 * answered || g.at_least > 0.02 * offered_rps) return true;
    const auto rate = result.confidence.find("throughput_rps");
    return rate != result.confidence.end() && rate->second.high < 0.98 * offered_rps;
}

/// The heap of some replication could not hold what was in use. True when so.
bool judge_memory(Result& result, Recordings replications) {
    const auto died = std::ranges::count_if(replications, [](const Recording& r) { return r.exhausted.has_value(); });
    if (died == 0) return false;
    result.verdict = Verdict::out_of_memory;
    for (const auto& r : replications)
        if (!result.exhausted && r.exhausted) result.exhausted = r.exhausted;
    result.warnings.push_back(
        fmt::format("{} of {} replications ended with the heap exhausted (java.lang.OutOfMemoryError), the first with "
                    "{} requests in flight; the figures cover the time up to it.",
                    died, replications.size(), result.exhausted->in_flight));
    return true;
}

void judge(Result& result, Recordings replications, bool open_load, const Window& window, double answered) {
    if (judge_memory(result, replications)) return;
    const auto stalled = std::ranges::count_if(replications, &Recording::deadlock);
    if (stalled > 0) {
        result.verdict = Verdict::deadlock;
        result.warnings.push_back(fmt::format("{} of {} replications came to a stall that nothing can undo; "
                                              "the figures cover the time up to it.",
                                              stalled, replications.size()));
        return;
    }
    if (replications.front().finite) {
        result.verdict = Verdict::finished;
        return;
    }
    const Growth g = open_load ? growth(replications, window) : Growth{};
    if (grows_too_fast(g, answered / static_cast<double>(replications.size()), result.offered_rps, result)) {
        result.verdict = Verdict::unstable;
        result.warnings.push_back(fmt::format("The load of {} req/s is not kept up with: {} more "
                                              "requests are in flight every second, so "
                                              "latencies depend on how long one looks, and none is claimed.",
                                              plain(result.offered_rps), plain(g.per_second)));
        result.latency.unsupported = {"mean", "p50", "p90", "p95", "p99", "p999"};
        return;
    }
    if (!window.settled) {
        result.verdict = Verdict::not_stationary;
        result.warnings.emplace_back("The run never settles: throughput or latency still drifts in the measured "
                                     "part. Measure longer; no interval is claimed.");
        return;
    }
    result.verdict = Verdict::steady;
}

void warn_of_small_samples(Result& result) {
    if (result.latency.count == 0)
        result.warnings.emplace_back("No request was answered in the measured part: its rates and latencies are 0.");
    else if (result.latency.count < min_samples_for(0.99))
        result.warnings.push_back(fmt::format("Only {} requests were measured; a p99 needs {} to be told from chance.",
                                              result.latency.count, min_samples_for(0.99)));
}

// --------------------------------------------------------------------------- the rest

void add_outcomes(Result& result, Recordings replications, const Window& window) {
    for (int o = 0; o < plan::kOutcomes; ++o) {
        std::uint64_t count = 0;
        for (const auto& r : replications)
            for (std::size_t g = window.first_group(); g < r.groups.size(); ++g)
                count += r.groups[g].outcomes[static_cast<std::size_t>(o)];
        result.outcomes[plan::word(static_cast<plan::Outcome>(o))] = count;
    }
}

void add_peaks(Result& result, Recordings replications) {
    for (const auto& r : replications) {
        result.peak_in_flight = std::max(result.peak_in_flight, static_cast<double>(r.peak_in_flight));
        result.memory.threads_peak = std::max(result.memory.threads_peak, static_cast<double>(r.peak_threads));
        result.events += r.events;
        if (!result.knot && r.knot) result.knot = r.knot;
        if (result.messages.empty()) result.messages = r.messages;
    }
    if (std::ranges::any_of(replications, &Recording::cancelled))
        result.warnings.emplace_back("The run was cancelled; the figures cover what had been simulated.");
}

void add_rates(Result& result, const std::vector<Totals>& totals, const Window& window, Recordings replications) {
    const Totals all = sum(totals);
    const double n = static_cast<double>(totals.size());
    result.warmup_ms = milliseconds(replications.front().slice_length) * static_cast<double>(window.first);
    result.measured_ms = all.time_s * 1e3 / n;
    result.throughput_rps = all.per_second(all.answered);
    result.goodput_rps = all.per_second(all.ok);
    result.offered_rps = replications.front().offered_rps;
    result.replication_throughput = each(totals, [](const Totals& t) { return t.per_second(t.answered); });
    const bool all_ended =
        std::ranges::none_of(replications, [](const Recording& r) { return r.cancelled || r.deadlock || r.exhausted; });
    if (replications.front().finite && all_ended) result.makespan_ms = result.measured_ms;
}

void add_latencies(Result& result, Recordings replications, const Window& window, double mean_ms) {
    for (const auto& r : replications) {
        const Histogram of_one = kept_histogram(r, window);
        result.replication_p99.push_back(of_one.quantile(0.99) * 1e-6);
        result.histogram.merge(of_one);
    }
    result.latency = latency_of(result.histogram);
    result.latency.mean = mean_ms; // from exact sums, where the histogram knows a tenth of a percent
}

} // namespace

const char* word(Verdict verdict) {
    switch (verdict) {
    case Verdict::steady:
    case Verdict::finished: return "ok";
    case Verdict::unstable: return "unstable";
    case Verdict::deadlock: return "deadlock";
    case Verdict::out_of_memory: return "out-of-memory";
    case Verdict::not_stationary: return "not-stationary";
    }
    return "";
}

Result summarize(std::span<const Recording> replications, bool open_load) {
    Result result;
    result.replications = static_cast<int>(replications.size());
    if (replications.empty()) {
        result.warnings.emplace_back("There is no replication to summarise.");
        return result;
    }
    const Window window = choose_window(replications);
    std::vector<Totals> totals;
    for (const auto& r : replications)
        totals.push_back(totals_of(r, window));
    const Totals all = sum(totals);

    add_rates(result, totals, window, replications);
    add_latencies(result, replications, window, all.mean_ms());
    add_outcomes(result, replications, window);
    add_peaks(result, replications);
    const bool finite = replications.front().finite, staged = replications.front().staged;
    if (!finite && !staged) claim_rates(result, replications, window, totals);
    judge(result, replications, open_load, window, all.answered);
    if (result.verdict == Verdict::steady && !staged) claim_latencies(result, replications, window, totals);
    if (result.makespan_ms || (staged && result.verdict == Verdict::steady))
        claim_over_replications(result, replications, window, totals);
    if (result.verdict == Verdict::deadlock || result.verdict == Verdict::out_of_memory ||
        result.verdict == Verdict::not_stationary)
        result.confidence.clear();
    warn_of_small_samples(result);

    result.resources = resource_figures(replications, window);
    result.stages = stage_figures(replications, window);
    result.endpoints = endpoint_figures(replications, window);
    result.tiers = tier_figures(replications, window, all.answered);
    result.heap = heap_figures(replications, window);
    result.course = course_of(replications.front());
    // A simulated client sends exactly when it means to, so the two latencies are one.
    if (open_load) result.latency_planned = result.latency;
    return result;
}

} // namespace narrows::measure
