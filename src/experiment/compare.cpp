// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment.hpp"
#include "experiment/scheduler.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace narrows::experiment {

namespace {

using measure::Result;

/// "6.2 times as much", "3.1 % less", in words that fit a rate or a time.
std::string words(double ratio, bool time) {
    const char* more = time ? "longer" : "more";
    const char* less = time ? "shorter" : "less";
    const char* as = time ? "as long" : "as much";
    if (!std::isfinite(ratio)) return "cannot be compared";
    if (ratio >= 1.5) return fmt::format("{} times {}", report::factor(ratio), as);
    if (ratio <= 0.667) return fmt::format("{:.2f} times {}", ratio, as);
    if (ratio >= 1) return fmt::format("{} {}", report::percent(ratio - 1), more);
    return fmt::format("{} {}", report::percent(1 - ratio), less);
}

std::string verdict(double ratio, const std::optional<measure::Interval>& interval, bool time) {
    if (interval && interval->contains(1)) return "no detectable difference";
    std::string out = words(ratio, time);
    // Where every replication agrees to the last digit there is nothing to spread.
    if (!interval) out += " (no interval: too few replications)";
    return out;
}

Comparison::Ratio ratio_of(const std::string& figure, const Result& other, const std::vector<double>& base_values,
                           const std::vector<double>& values, double a, double b, bool time) {
    Comparison::Ratio out;
    out.figure = figure;
    out.model = other.threads;
    out.ratio = b / a;
    // Replications of the same number share their random numbers; with `auto` one model may have
    // run more of them than the other.
    const std::size_t both = std::min(base_values.size(), values.size());
    out.interval = measure::paired_ratio(std::span(base_values).first(both), std::span(values).first(both));
    out.verdict = verdict(out.ratio, out.interval, time);
    return out;
}

/// The same kind of failure, with the model it is of.
[[noreturn]] void rethrow(const std::exception_ptr& failure, scenario::Threads model) {
    const std::string text = fmt::format("{}: {}", scenario::word(model), reason(failure));
    try {
        std::rethrow_exception(failure);
    } catch (const std::invalid_argument&) {
        throw std::invalid_argument(text);
    } catch (const std::exception&) {
        throw std::runtime_error(text);
    }
}

} // namespace

Comparison compare(const scenario::Scenario& scenario, const std::vector<scenario::Threads>& models,
                   const Options& options) {
    Comparison out;
    std::vector<Job> jobs;
    for (const auto threads : models)
        jobs.push_back({&scenario, threads, {}, {}});
    std::exception_ptr failure;
    std::size_t failed = 0;
    Scheduler scheduler(std::move(jobs), options, [&](Scheduler::Done&& done) {
        if (done.result)
            out.results.push_back(std::move(*done.result));
        else if (!failure) {
            failure = done.failure;
            failed = done.index;
        }
    });
    const bool complete = scheduler.run();
    if (failure) rethrow(failure, models[failed]);
    if (!complete) throw Interrupted();
    for (std::size_t i = 1; i < out.results.size(); ++i) {
        const Result& base = out.results[0];
        const Result& other = out.results[i];
        out.ratios.push_back(ratio_of("throughput_rps", other, base.replication_throughput,
                                      other.replication_throughput, base.throughput_rps, other.throughput_rps, false));
        out.ratios.push_back(ratio_of("p99", other, base.replication_p99, other.replication_p99, base.latency.p99,
                                      other.latency.p99, true));
    }
    return out;
}

} // namespace narrows::experiment
