// SPDX-License-Identifier: GPL-3.0-or-later
// Replications of a textbook queue, and its figures beside theory. Seeds are fixed, so a test that
// passes once passes always; a figure must lie in the 99.9 % Student interval over replications.
#pragma once

#include "engine/events.hpp"
#include "measure/interval.hpp"
#include "support/recordings.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace narrows::testing {

struct Sample {
    std::vector<double> throughput;  ///< answered with ok, a second
    std::vector<double> response_ms; ///< mean of those, others counting 0 (a refusal takes no time)
    std::vector<double> lost;        ///< share of answers that are not ok
    std::vector<double> p50_ms, p99_ms;
    std::vector<measure::Recording> recordings;
};

constexpr int kReplications = 20;
constexpr double kLevel = 0.999;

inline engine::Options fixed_options(double warmup_s, double duration_s, std::uint64_t replication) {
    engine::Options options;
    options.seed = 20240607;
    options.replication = replication;
    options.auto_warmup = false;
    options.warmup = static_cast<Nanos>(warmup_s * 1e9);
    options.duration = static_cast<Nanos>(duration_s * 1e9);
    return options;
}

/// The first fifth of each run is dropped.
inline Sample replicate(const plan::Plan& plan, double duration_s) {
    Sample out;
    constexpr std::size_t kFirst = measure::kSlices / 5;
    for (int r = 0; r < kReplications; ++r) {
        auto rec = engine::run(plan, fixed_options(duration_s / 4, duration_s, static_cast<std::uint64_t>(r)));
        expect_littles_law(rec);
        const auto sum = answers(rec, kFirst);
        const auto ok = static_cast<double>(sum.ok);
        const double time = seconds(rec.end - rec.slice_length * static_cast<Nanos>(kFirst));
        out.throughput.push_back(ok / time);
        out.response_ms.push_back(sum.latency_ns / ok * 1e-6);
        out.lost.push_back(1 - ok / static_cast<double>(sum.answered));
        measure::Histogram latencies;
        for (std::size_t g = kFirst / measure::kSlicesPerGroup; g < rec.groups.size(); ++g)
            latencies.merge(rec.groups[g].latency);
        out.p50_ms.push_back(latencies.quantile(0.5) * 1e-6);
        out.p99_ms.push_back(latencies.quantile(0.99) * 1e-6);
        out.recordings.push_back(std::move(rec));
    }
    return out;
}

/// Time average of a resource's jobs (cpu) or queue (pool, runner), by replication.
inline std::vector<double> inside(const Sample& sample, std::string_view resource) {
    constexpr std::size_t kFirst = measure::kSlices / 5;
    std::vector<double> out;
    for (const auto& rec : sample.recordings) {
        const auto sum = resource_sum(rec, resource, kFirst);
        out.push_back((sum.busy + sum.queue) /
                      static_cast<double>(rec.end - rec.slice_length * static_cast<Nanos>(kFirst)));
    }
    return out;
}

inline void expect_truth(const std::vector<double>& values, double truth, const std::string& what) {
    const auto interval = measure::student(values, kLevel);
    ASSERT_TRUE(interval.has_value()) << what;
    EXPECT_TRUE(interval->contains(truth))
        << what << ": " << truth << " is not in [" << interval->low << ", " << interval->high << "]";
    // An interval that holds everything proves nothing.
    EXPECT_LT(interval->half_width(), 0.05 * truth) << what << " is too uncertain to be judged";
}

} // namespace narrows::testing
