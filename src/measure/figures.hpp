// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of the measured part -> the figures of a Result.
#pragma once

#include "measure/result.hpp"
#include "measure/window.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace narrows::measure {

/// Quantiles that are reported: JSON name and q.
inline constexpr std::array<std::pair<const char*, double>, 5> kQuantiles{
    {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}}};

/// Figures in ms of latencies in ns; quantiles that so few cannot support are listed. All 0 when empty.
[[nodiscard]] Latency latency_of(const Histogram& histogram);

/// Latencies of the measured part of one recording.
[[nodiscard]] Histogram kept_histogram(const Recording& recording, const Window& window);

[[nodiscard]] std::vector<ResourceFigures> resource_figures(std::span<const Recording> replications,
                                                            const Window& window);
[[nodiscard]] std::vector<StageFigures> stage_figures(std::span<const Recording> replications, const Window& window);
[[nodiscard]] std::vector<EndpointFigures> endpoint_figures(std::span<const Recording> replications,
                                                            const Window& window);
/// Who used the cores that several tiers share; `answered` requests. The first is what none of the guests used. Empty
/// without guests.
[[nodiscard]] std::vector<TierFigures> tier_figures(std::span<const Recording> replications, const Window& window,
                                                    double answered);
/// Nothing without a heap.
[[nodiscard]] std::optional<HeapFigures> heap_figures(std::span<const Recording> replications, const Window& window);
[[nodiscard]] Course course_of(const Recording& recording);

} // namespace narrows::measure
