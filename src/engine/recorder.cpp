// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/recorder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace narrows::engine {

namespace {

constexpr std::size_t kMostPoints = 10'000;    // of a series: bounds its memory
constexpr Nanos kFirstAdaptiveSlice = 1 << 16; // 65 us; doubled as often as needed

void add(measure::Slice& into, const measure::Slice& more) {
    into.answered += more.answered;
    into.ok += more.ok;
    into.latency_sum += more.latency_sum;
    into.in_flight_end = more.in_flight_end;
    for (std::size_t i = 0; i < into.resources.size(); ++i)
        measure::add(into.resources[i], more.resources[i]);
    for (std::size_t i = 0; i < into.tiers.size(); ++i)
        into.tiers[i] += more.tiers[i];
    measure::add(into.heap, more.heap);
}

void add(measure::Group& into, const measure::Group& more) {
    into.latency.merge(more.latency);
    for (std::size_t i = 0; i < into.endpoint.size(); ++i)
        into.endpoint[i].merge(more.endpoint[i]);
    for (std::size_t i = 0; i < into.endpoint_ok.size(); ++i)
        into.endpoint_ok[i] += more.endpoint_ok[i];
    for (std::size_t i = 0; i < into.outcomes.size(); ++i)
        into.outcomes[i] += more.outcomes[i];
    into.cohorts.resize(std::max(into.cohorts.size(), more.cohorts.size()));
    for (std::size_t i = 0; i < more.cohorts.size(); ++i) {
        auto& cohort = into.cohorts[i];
        cohort.count += more.cohorts[i].count;
        cohort.stage_sum.resize(std::max(cohort.stage_sum.size(), more.cohorts[i].stage_sum.size()));
        for (std::size_t k = 0; k < more.cohorts[i].stage_sum.size(); ++k)
            cohort.stage_sum[k] += more.cohorts[i].stage_sum[k];
    }
}

} // namespace

Recorder::Recorder(const plan::Plan& plan, Nanos end, Nanos series_step)
    : adaptive_(end == 0 && series_step <= 0), series_(series_step > 0), endpoints_(plan.endpoints.size()) {
    recording.slice_length =
        adaptive_ ? kFirstAdaptiveSlice : std::max<Nanos>(1, (end + measure::kSlices - 1) / measure::kSlices);
    recording.finite = end == 0;
    recording.stages = plan.stages;
    recording.endpoints = plan.endpoints;
    recording.tiers = plan.tiers;
    recording.heap = plan.memory.heap;
    using measure::ResourceKind;
    for (const auto& cpu : plan.cpus)
        recording.resources.push_back({cpu.name, ResourceKind::cpu, cpu.quota > 0 ? cpu.quota : cpu.cores});
    for (const auto& pool : plan.pools)
        recording.resources.push_back({pool.name, ResourceKind::pool, static_cast<double>(pool.capacity)});
    for (const auto& runner : plan.runners)
        if (runner.kind != plan::RunnerKind::unlimited)
            recording.resources.push_back({runner.name, ResourceKind::runner, static_cast<double>(runner.workers)});
    if (series_) open_series(series_step);
    recording.slices.reserve(measure::kSlices + 1);
    recording.groups.reserve(measure::kSlices / measure::kSlicesPerGroup + 1);
    next_cut_ = recording.slice_length;
    open_group();
}

void Recorder::open_group() {
    auto& group = recording.groups.emplace_back();
    group.endpoint.resize(endpoints_);
    group.endpoint_ok.resize(endpoints_);
    group_ = &group;
}

void Recorder::open_series(Nanos step) {
    recording.slice_length = step;
    auto& series = recording.series.emplace();
    series.step_ms = milliseconds(step);
    for (const auto& resource : recording.resources)
        series.queue.emplace_back(resource.name, std::vector<double>{});
}

/// The step that ends, `length` ns long. Its histogram is forgotten: that of the run is in the run itself.
void Recorder::add_point(const std::vector<measure::ResourceSlice>& sums, std::int64_t in_flight, Nanos length) {
    auto& series = *recording.series;
    const auto answered = static_cast<double>(slice_.answered);
    const double time = seconds(length);
    const auto quantile = [&](double q, std::uint64_t least) {
        return slice_.answered < least ? std::numeric_limits<double>::quiet_NaN() : group_->latency.quantile(q) * 1e-6;
    };
    series.answered.push_back(answered);
    series.throughput_rps.push_back(answered / time);
    series.goodput_rps.push_back(static_cast<double>(slice_.ok) / time);
    series.p50_ms.push_back(quantile(0.5, 2));
    series.p99_ms.push_back(quantile(0.99, 100)); // fewer, and it is but the slowest
    series.in_flight.push_back(static_cast<double>(in_flight));
    for (std::size_t k = 0; k < sums.size(); ++k)
        series.queue[k].second.push_back(sums[k].queue / static_cast<double>(length));
    slice_ = {};
    group_->latency.clear();
}

void Recorder::cut(std::vector<measure::ResourceSlice> sums, std::int64_t in_flight) {
    if (series_) {
        add_point(sums, in_flight, recording.slice_length);
        next_cut_ = recording.series->size() < kMostPoints ? next_cut_ + recording.slice_length : kForever;
        return;
    }
    slice_.resources = std::move(sums);
    slice_.in_flight_end = in_flight;
    recording.slices.push_back(std::move(slice_));
    slice_ = {};
    if (adaptive_ && recording.slices.size() == measure::kSlices) halve();
    next_cut_ += recording.slice_length;
    const std::size_t open = recording.slices.size() / measure::kSlicesPerGroup;
    if (open >= recording.groups.size()) open_group();
    group_ = &recording.groups[open];
}

/// Twice the slice length, half as many slices and groups.
void Recorder::halve() {
    auto& slices = recording.slices;
    for (std::size_t i = 0; i < slices.size() / 2; ++i) {
        measure::Slice merged = std::move(slices[2 * i]);
        add(merged, slices[2 * i + 1]);
        slices[i] = std::move(merged);
    }
    slices.resize(slices.size() / 2);
    auto& groups = recording.groups;
    for (std::size_t i = 0; i < groups.size() / 2; ++i) {
        measure::Group merged = std::move(groups[2 * i]);
        add(merged, groups[2 * i + 1]);
        groups[i] = std::move(merged);
    }
    groups.resize(groups.size() / 2);
    recording.slice_length *= 2;
    next_cut_ = recording.slice_length * static_cast<Nanos>(slices.size());
}

measure::Recording Recorder::finish(std::vector<measure::ResourceSlice> sums, std::int64_t in_flight, Nanos end) {
    if (series_) {
        const Nanos rest = end - (next_cut_ - recording.slice_length);
        if (next_cut_ != kForever && rest > 0) add_point(sums, in_flight, rest);
        recording.end = end;
        return std::move(recording);
    }
    slice_.resources = std::move(sums);
    slice_.in_flight_end = in_flight;
    const Nanos covered = recording.slice_length * static_cast<Nanos>(recording.slices.size());
    if (end > covered || slice_.answered > 0) recording.slices.push_back(std::move(slice_));
    recording.end = end;
    return std::move(recording);
}

} // namespace narrows::engine
