// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/point.hpp"

#include "analytic/bounds.hpp"
#include "analytic/predict.hpp"
#include "experiment/bottleneck.hpp"
#include "experiment/scheduler.hpp"
#include "measure/summary.hpp"
#include "models/compile.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace narrows::experiment {

engine::Options engine_options(const scenario::Scenario& scenario, int replication, const std::atomic<bool>* cancel) {
    engine::Options out;
    out.seed = scenario.measure.seed;
    out.replication = static_cast<std::uint64_t>(replication);
    out.auto_warmup = !scenario.measure.warmup;
    out.warmup = scenario.measure.warmup ? scenario.measure.warmup->count() : 0;
    out.duration = scenario.measure.duration.count();
    out.cancel = cancel;
    return out;
}

measure::Result make_result(const scenario::Scenario& scenario, scenario::Threads threads, const plan::Plan& plan,
                            std::span<const measure::Recording> recordings, const std::vector<std::string>& warnings) {
    measure::Result out = measure::summarize(recordings, scenario.load.kind == scenario::LoadKind::open);
    out.threads = scenario::word(threads);
    out.engine = "events";
    out.seed = scenario.measure.seed;
    out.replications = static_cast<int>(recordings.size());
    if (out.heap) out.memory.bytes_peak = out.memory.threads_peak * models::thread_bytes(scenario, threads);
    out.bounds = analytic::bounds(plan);
    out.analytic = analytic::predict(plan);
    out.bottleneck = find_bottleneck(plan, out);
    out.warnings.insert(out.warnings.end(), warnings.begin(), warnings.end());
    out.manifest.version = NARROWS_VERSION;
    out.manifest.scenario = scenario.name;
    out.manifest.scenario_sha256 = scenario.sha256;
    return out;
}

namespace {

/// Relative half width, or nothing when no interval can be defended.
std::optional<double> relative(const measure::Result& result, const char* key, double value) {
    const auto it = result.confidence.find(key);
    if (it == result.confidence.end() || !(value > 0)) return {};
    return it->second.half_width() / value;
}

} // namespace

int next_look(int now, int limit) {
    return std::min(limit, now + std::max(4, now / 2));
}

int first_replications(const scenario::Scenario& scenario) {
    const auto& measure = scenario.measure;
    if (measure.replications) return *measure.replications;
    const auto kind = scenario.load.kind;
    const bool steady = kind == scenario::LoadKind::closed || kind == scenario::LoadKind::open;
    return std::min(!steady ? kFirstLookWhole : kFirstLook, measure.max_replications);
}

double half_width_for(double precision) {
    return precision / (1 + precision);
}

bool precise(const measure::Result& result, double precision) {
    const double enough = half_width_for(precision);
    const auto throughput = relative(result, "throughput_rps", result.throughput_rps);
    const auto p99 = relative(result, "p99", result.latency.p99);
    return throughput && p99 && *throughput <= enough && *p99 <= enough;
}

bool worth_more(const measure::Result& result) {
    return result.verdict == measure::Verdict::steady || result.verdict == measure::Verdict::finished;
}

measure::Precision precision_of(const measure::Result& result, const scenario::Measure& measure, int looks) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    measure::Precision out;
    out.asked = measure.precision;
    out.limit = measure.max_replications;
    out.looks = looks;
    out.reached = precise(result, measure.precision);
    out.throughput_rps = relative(result, "throughput_rps", result.throughput_rps).value_or(kNone);
    out.p99 = relative(result, "p99", result.latency.p99).value_or(kNone);
    return out;
}

std::string precision_warning(const measure::Result& result) {
    const auto said = [](double half) {
        return std::isfinite(half) ? fmt::format("± {}", report::percent(half)) : std::string("no interval");
    };
    const auto& precision = *result.precision;
    const char* why = !worth_more(result)                      ? "; more would not help"
                      : result.replications >= precision.limit ? ", the most allowed (measure.max-replications)"
                                                               : "";
    return fmt::format("the precision of {} was not reached in {} replications{}: throughput {}, p99 {}",
                       report::percent(precision.asked), result.replications, why, said(precision.throughput_rps),
                       said(precision.p99));
}

measure::Result run_point(const scenario::Scenario& scenario, scenario::Threads threads, const Options& options) {
    std::optional<measure::Result> result;
    std::exception_ptr failure;
    std::vector<Job> jobs(1);
    jobs[0].scenario = &scenario;
    jobs[0].threads = threads;
    Scheduler scheduler(std::move(jobs), options, [&](Scheduler::Done&& done) {
        result = std::move(done.result);
        failure = done.failure;
    });
    const bool complete = scheduler.run();
    if (failure) std::rethrow_exception(failure);
    if (!complete || !result) throw Interrupted();
    return std::move(*result);
}

} // namespace narrows::experiment
