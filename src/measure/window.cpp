// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/window.hpp"

#include "measure/interval.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace narrows::measure {
namespace {

std::size_t shortest(std::span<const Recording> replications) {
    std::size_t n = replications.empty() ? 0 : replications.front().slices.size();
    for (const auto& r : replications)
        n = std::min(n, r.slices.size());
    return n;
}

std::size_t up_to_group(std::size_t slices) {
    return (slices + kSlicesPerGroup - 1) / kSlicesPerGroup * kSlicesPerGroup;
}

struct SliceSeries {
    std::vector<double> answered, latency;
};

/// Sums over the replications. A slice without an answer repeats the latency before it.
SliceSeries slice_series(std::span<const Recording> replications, std::size_t n) {
    SliceSeries out;
    for (std::size_t i = 0; i < n; ++i) {
        double answered = 0, latency = 0;
        for (const auto& r : replications) {
            answered += static_cast<double>(r.slices[i].answered);
            latency += r.slices[i].latency_sum;
        }
        out.answered.push_back(answered);
        const double before = out.latency.empty() ? 0 : out.latency.back();
        out.latency.push_back(answered > 0 ? latency / answered : before);
    }
    return out;
}

/// The most slices that may be cut: within max_warmup, and a group must be left.
std::size_t largest_cut(std::span<const Recording> replications, std::size_t n) {
    const std::size_t left = n <= kSlicesPerGroup ? 0 : (n - 1) / kSlicesPerGroup * kSlicesPerGroup;
    const auto& first = replications.front();
    if (first.fixed_warmup >= 0 || first.slice_length <= 0) return left;
    const auto allowed = std::max<Nanos>(0, first.max_warmup) / (first.slice_length * kSlicesPerGroup);
    return std::min(left, static_cast<std::size_t>(allowed) * kSlicesPerGroup);
}

} // namespace

bool drifts(std::span<const double> series) {
    constexpr std::size_t kBatch = 5;
    const std::size_t m = series.size() / kBatch;
    if (m < 4) return false;
    std::vector<double> y(m, 0.0);
    double mean = 0;
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < kBatch; ++j)
            y[i] += series[i * kBatch + j] / kBatch;
        mean += y[i] / static_cast<double>(m);
    }
    const double n = static_cast<double>(m);
    const double middle = (n - 1) / 2;
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < m; ++i) {
        const double x = static_cast<double>(i) - middle;
        xx += x * x;
        xy += x * (y[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    const double slope = xy / xx;
    const double error = std::sqrt(std::max(0.0, yy - slope * xy) / (n - 2) / xx);
    return std::abs(slope) * (n - 1) > 0.05 * std::abs(mean) &&
           std::abs(slope) > student_quantile(0.999, n - 2) * error;
}

Window choose_window(std::span<const Recording> replications) {
    Window window;
    const std::size_t n = shortest(replications);
    for (const auto& r : replications)
        if (r.finite || r.deadlock || r.exhausted) return window;
    if (n == 0) return window;
    const auto& first = replications.front();
    const std::size_t most = largest_cut(replications, n);
    if (first.fixed_warmup >= 0) {
        const Nanos length = std::max<Nanos>(1, first.slice_length);
        const auto slices = static_cast<std::size_t>((first.fixed_warmup + length - 1) / length);
        window.first = std::min(most, up_to_group(slices));
        return window;
    }
    const auto series = slice_series(replications, n);
    const auto by_rate = mser5(series.answered);
    const auto by_latency = mser5(series.latency);
    const std::size_t wanted = up_to_group(std::max(by_rate.drop, by_latency.drop));
    window.first = std::min(wanted, most);
    if (!by_rate.settled || !by_latency.settled || wanted > most) {
        const auto rest = [&](const std::vector<double>& v) { return std::span(v).subspan(window.first); };
        window.settled = !drifts(rest(series.answered)) && !drifts(rest(series.latency));
    }
    return window;
}

double slice_seconds(const Recording& recording, std::size_t i) {
    const Nanos begin = recording.slice_length * static_cast<Nanos>(i);
    const Nanos end =
        recording.end > 0 ? std::min(recording.end, begin + recording.slice_length) : begin + recording.slice_length;
    return seconds(std::max<Nanos>(0, end - begin));
}

double kept_seconds(const Recording& recording, const Window& window) {
    const Nanos covered = recording.slice_length * static_cast<Nanos>(recording.slices.size());
    const Nanos end = recording.end > 0 ? std::min(recording.end, covered) : covered;
    return seconds(std::max<Nanos>(0, end - recording.slice_length * static_cast<Nanos>(window.first)));
}

Growth growth(std::span<const Recording> replications, const Window& window) {
    Growth out;
    std::vector<double> increments;
    double time = 0;
    for (const auto& r : replications) {
        auto before = window.first == 0 || r.slices.size() < window.first ? std::int64_t{0}
                                                                          : r.slices[window.first - 1].in_flight_end;
        for (std::size_t i = window.first + kSlicesPerGroup; i <= r.slices.size(); i += kSlicesPerGroup) {
            const auto now = r.slices[i - 1].in_flight_end;
            increments.push_back(static_cast<double>(now - before));
            before = now;
        }
        time = seconds(r.slice_length) * kSlicesPerGroup;
    }
    const auto interval = increments.size() < 5 ? std::nullopt : student(increments, 0.99);
    if (!interval || !(time > 0)) return out;
    for (const double x : increments)
        out.total += x / static_cast<double>(replications.size());
    out.per_second = (interval->low + interval->high) / 2 / time;
    out.at_least = interval->low / time;
    out.significant = interval->low > 0;
    return out;
}

} // namespace narrows::measure
