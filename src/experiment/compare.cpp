// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment.hpp"
#include "experiment/scheduler.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace narrows::experiment {

namespace {

using measure::Result;

/// "6.2 times as high", "3.1 % higher", "83 % lower (1/5.9)".
std::string words(double ratio) {
    if (ratio >= 1.5) return fmt::format("{} times as high", report::factor(ratio));
    if (ratio >= 1) return fmt::format("{} higher", report::percent(ratio - 1));
    const auto lower = fmt::format("{} lower", report::percent(1 - ratio));
    return ratio > 0 && ratio <= 0.667 ? fmt::format("{} (1/{})", lower, report::factor(1 / ratio)) : lower;
}

bool has_latency(const Result& result) {
    return result.verdict == measure::Verdict::steady || result.verdict == measure::Verdict::finished;
}

/// A p99 of fewer requests is a matter of chance in every single replication, however many there are.
bool enough_for_p99(const Result& result) {
    return result.latency.count >= measure::min_samples_for(0.99) * static_cast<std::uint64_t>(result.replications);
}

measure::Against of_p99(const Result& base, const Result& other) {
    const bool both = has_latency(base) && has_latency(other);
    if (both && enough_for_p99(base) && enough_for_p99(other))
        return against("p99", base.threads, base.replication_p99, other.replication_p99, base.latency.p99,
                       other.latency.p99);
    auto out = against("p99", base.threads, {}, {}, base.latency.p99, other.latency.p99);
    out.verdict = both ? "not compared: too few requests in a replication to tell its p99"
                       : "not compared: no latency is claimed where a run stalls, drifts or cannot keep up";
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

measure::Against against(const std::string& figure, const std::string& baseline, std::span<const double> base,
                         std::span<const double> values, double a, double b) {
    measure::Against out;
    out.figure = figure;
    out.baseline = baseline;
    out.ratio = b / a;
    // Replications of the same number share their random numbers; with `auto` one model may have
    // run more of them than the other.
    out.pairs = std::min(base.size(), values.size());
    base = base.first(out.pairs);
    values = values.first(out.pairs);
    out.interval = measure::paired_ratio(base, values);
    out.detectable = measure::detectable_ratio(base, values).value_or(std::numeric_limits<double>::quiet_NaN());
    out.differs = out.interval && !out.interval->contains(1);
    if (!std::isfinite(out.ratio))
        out.verdict = "cannot be compared";
    else if (out.interval && !out.differs)
        out.verdict = "no detectable difference";
    else
        out.verdict = words(out.ratio) + (out.interval ? "" : " (no interval: too few replications)");
    return out;
}

std::vector<Result> compare(const scenario::Scenario& scenario, const std::vector<scenario::Threads>& models,
                            const Options& options) {
    std::vector<Result> out;
    std::vector<Job> jobs;
    for (const auto threads : models)
        jobs.push_back({&scenario, threads, {}, {}});
    std::exception_ptr failure;
    std::size_t failed = 0;
    Scheduler scheduler(std::move(jobs), options, [&](Scheduler::Done&& done) {
        if (done.result)
            out.push_back(std::move(*done.result));
        else if (!failure) {
            failure = done.failure;
            failed = done.index;
        }
    });
    const bool complete = scheduler.run();
    if (failure) rethrow(failure, models[failed]);
    if (!complete) throw Interrupted();
    for (std::size_t i = 1; i < out.size(); ++i) {
        const Result& base = out[0];
        Result& other = out[i];
        other.against.push_back(against("throughput_rps", base.threads, base.replication_throughput,
                                        other.replication_throughput, base.throughput_rps, other.throughput_rps));
        other.against.push_back(of_p99(base, other));
    }
    return out;
}

} // namespace narrows::experiment
