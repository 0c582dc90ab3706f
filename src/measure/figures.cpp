// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/figures.hpp"

#include <algorithm>
#include <limits>

namespace narrows::measure {
namespace {

double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

double total_seconds(std::span<const Recording> replications, const Window& window) {
    double time = 0;
    for (const auto& r : replications)
        time += kept_seconds(r, window);
    return time;
}

ResourceFigures figures_of(const ResourceInfo& info, const ResourceSlice& sum, double time_s) {
    constexpr double kMs = 1e-6; // ms in a nanosecond
    const double time = time_s * 1e9, grants = static_cast<double>(sum.grants);
    ResourceFigures out;
    out.name = info.name;
    out.kind = info.kind;
    out.capacity = info.capacity;
    out.busy_mean = ratio(sum.busy, time);
    out.utilization = ratio(ratio(sum.busy - sum.spare, time), info.capacity);
    out.queue_mean = ratio(sum.queue, time);
    out.queue_max = static_cast<double>(sum.queue_max);
    out.wait_ms_mean = ratio(sum.waited, grants) * kMs;
    out.rate = ratio(grants, time_s);
    out.hold_ms_mean = ratio(info.kind == ResourceKind::cpu ? sum.residence : sum.busy, grants) * kMs;
    out.running_mean = ratio(sum.running, time);
    out.occupied_mean = ratio(sum.occupied, time);
    out.pinned_mean = ratio(sum.pinned, time);
    out.pinned_events = sum.pinned_events;
    return out;
}

/// Coarse buckets of all measured groups together.
std::vector<StageCohort> all_cohorts(std::span<const Recording> replications, const Window& window,
                                     std::size_t stages) {
    std::vector<StageCohort> out;
    for (const auto& r : replications)
        for (std::size_t g = window.first_group(); g < r.groups.size(); ++g) {
            const auto& cohorts = r.groups[g].cohorts;
            if (out.size() < cohorts.size()) out.resize(cohorts.size());
            for (std::size_t i = 0; i < cohorts.size(); ++i) {
                out[i].count += cohorts[i].count;
                out[i].stage_sum.resize(stages);
                for (std::size_t k = 0; k < std::min(stages, cohorts[i].stage_sum.size()); ++k)
                    out[i].stage_sum[k] += cohorts[i].stage_sum[k];
            }
        }
    return out;
}

} // namespace

Latency latency_of(const Histogram& histogram) {
    constexpr double kMs = 1e-6;
    Latency out;
    out.count = histogram.count();
    out.mean = histogram.mean() * kMs;
    out.max = static_cast<double>(histogram.max()) * kMs;
    double* const figures[] = {&out.p50, &out.p90, &out.p95, &out.p99, &out.p999};
    for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
        *figures[i] = histogram.quantile(kQuantiles[i].second) * kMs;
        if (out.count < min_samples_for(kQuantiles[i].second)) out.unsupported.emplace_back(kQuantiles[i].first);
    }
    return out;
}

Histogram kept_histogram(const Recording& recording, const Window& window) {
    Histogram out;
    for (std::size_t g = window.first_group(); g < recording.groups.size(); ++g)
        out.merge(recording.groups[g].latency);
    return out;
}

std::vector<ResourceFigures> resource_figures(std::span<const Recording> replications, const Window& window) {
    std::vector<ResourceFigures> out;
    if (replications.empty()) return out;
    const auto& resources = replications.front().resources;
    const double time = total_seconds(replications, window);
    for (std::size_t k = 0; k < resources.size(); ++k) {
        ResourceSlice sum;
        for (const auto& r : replications)
            for (std::size_t i = window.first; i < r.slices.size(); ++i)
                if (k < r.slices[i].resources.size()) add(sum, r.slices[i].resources[k]);
        out.push_back(figures_of(resources[k], sum, time));
    }
    return out;
}

std::vector<TierFigures> tier_figures(std::span<const Recording> replications, const Window& window, double answered) {
    std::vector<TierFigures> out;
    if (replications.empty() || replications.front().tiers.empty()) return out;
    const double time = total_seconds(replications, window) * 1e9;
    double busy = 0; // of the application's processors, which are the first
    std::vector<double> sums(replications.front().tiers.size());
    for (const auto& r : replications)
        for (std::size_t i = window.first; i < r.slices.size(); ++i) {
            if (!r.slices[i].resources.empty()) busy += r.slices[i].resources.front().busy;
            for (std::size_t k = 0; k < r.slices[i].tiers.size(); ++k)
                sums[k] += r.slices[i].tiers[k];
        }
    const auto add = [&](const std::string& name, double ns) {
        out.push_back({name, ratio(ns, time), ratio(ns, answered) * 1e-6});
    };
    // Guests' demands are counted when they begin, so that little may be left over of a run's edges.
    double guests = 0;
    for (const double ns : sums)
        guests += ns;
    add("application", std::max(0.0, busy - guests));
    for (std::size_t k = 0; k < sums.size(); ++k)
        add(replications.front().tiers[k], sums[k]);
    return out;
}

std::optional<HeapFigures> heap_figures(std::span<const Recording> replications, const Window& window) {
    if (replications.empty() || replications.front().heap <= 0) return std::nullopt;
    HeapSlice sum;
    for (const auto& r : replications)
        for (std::size_t i = window.first; i < r.slices.size(); ++i)
            add(sum, r.slices[i].heap);
    const double time_s = total_seconds(replications, window);
    const double cores = replications.front().resources.empty() ? 1 : replications.front().resources.front().capacity;
    HeapFigures out;
    out.capacity = replications.front().heap;
    out.live_peak = sum.live_most;
    out.allocated_per_s = ratio(sum.allocated, time_s);
    out.gc_cpu_share = ratio(sum.worked, time_s * 1e9 * cores);
    out.paused_share = ratio(sum.paused, time_s * 1e9);
    out.pauses_per_s = ratio(static_cast<double>(sum.pauses), time_s);
    out.full_per_s = ratio(static_cast<double>(sum.full), time_s);
    out.pause_ms_mean = ratio(sum.paused, static_cast<double>(sum.pauses)) * 1e-6;
    out.pause_ms_max = sum.longest_pause * 1e-6;
    return out;
}

std::vector<StageFigures> stage_figures(std::span<const Recording> replications, const Window& window) {
    constexpr double kMs = 1e-6;
    std::vector<StageFigures> out;
    if (replications.empty()) return out;
    const auto& names = replications.front().stages;
    const auto cohorts = all_cohorts(replications, window, names.size());
    double count = 0;
    for (const auto& cohort : cohorts)
        count += static_cast<double>(cohort.count);
    const double slowest = 0.01 * count;
    for (std::size_t k = 0; k < names.size(); ++k) {
        double sum = 0, slow_sum = 0, wanted = slowest;
        // From the slowest down; of the bucket at the boundary the share that fills the 1 %.
        for (auto cohort = cohorts.rbegin(); cohort != cohorts.rend(); ++cohort) {
            if (cohort->count == 0) continue;
            const double n = static_cast<double>(cohort->count);
            const double taken = std::min(n, wanted);
            sum += cohort->stage_sum[k];
            slow_sum += cohort->stage_sum[k] * taken / n;
            wanted -= taken;
        }
        out.push_back({names[k], ratio(sum, count) * kMs, ratio(slow_sum, slowest) * kMs});
    }
    return out;
}

std::vector<EndpointFigures> endpoint_figures(std::span<const Recording> replications, const Window& window) {
    std::vector<EndpointFigures> out;
    if (replications.empty()) return out;
    const auto& names = replications.front().endpoints;
    const double time = total_seconds(replications, window);
    for (std::size_t e = 0; e < names.size(); ++e) {
        Histogram latencies;
        double ok = 0;
        for (const auto& r : replications)
            for (std::size_t g = window.first_group(); g < r.groups.size(); ++g) {
                const auto& group = r.groups[g];
                // A single endpoint's latencies are the run's; they are not recorded twice.
                if (names.size() == 1)
                    latencies.merge(group.latency);
                else if (e < group.endpoint.size())
                    latencies.merge(group.endpoint[e]);
                if (e < group.endpoint_ok.size()) ok += static_cast<double>(group.endpoint_ok[e]);
            }
        const auto answered = static_cast<double>(latencies.count());
        out.push_back({names[e], ratio(answered, time), ratio(ok, time), latency_of(latencies)});
    }
    return out;
}

Course course_of(const Recording& recording) {
    Course out;
    out.step_ms = milliseconds(recording.slice_length);
    for (std::size_t i = 0; i < recording.slices.size(); ++i) {
        const auto& slice = recording.slices[i];
        const auto answered = static_cast<double>(slice.answered);
        out.throughput_rps.push_back(ratio(answered, slice_seconds(recording, i)));
        out.latency_ms.push_back(slice.answered > 0 ? slice.latency_sum / answered * 1e-6
                                                    : std::numeric_limits<double>::quiet_NaN());
        out.in_flight.push_back(static_cast<double>(slice.in_flight_end));
        for (std::size_t k = 0; k < std::min(slice.resources.size(), recording.resources.size()); ++k)
            out.queue[recording.resources[k].name].push_back(static_cast<double>(slice.resources[k].queue_end));
    }
    return out;
}

} // namespace narrows::measure
