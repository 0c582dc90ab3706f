// SPDX-License-Identifier: GPL-3.0-or-later
// Fills a measure::Recording while a run goes on.
#pragma once

#include "engine/gauge.hpp"
#include "measure/recording.hpp"
#include "plan/plan.hpp"

#include <span>
#include <vector>

namespace narrows::engine {

class Recorder {
public:
    /// `end` = planned end of the run, or 0 when it ends by itself (then slices start small and are
    /// merged in pairs as time goes on). `series_step` > 0: only Recording::series is filled, in steps of that.
    Recorder(const plan::Plan& plan, Nanos end, Nanos series_step = 0);

    /// When the current slice ends.
    [[nodiscard]] Nanos next_cut() const { return next_cut_; }

    /// A client has its answer. `stages` has one time (ns) a stage, or is empty.
    void answered(Nanos latency, int endpoint, plan::Outcome outcome, std::span<const float> stages) {
        ++slice_.answered;
        slice_.latency_sum += static_cast<double>(latency);
        auto& group = *group_;
        group.latency.record(latency);
        ++group.outcomes[static_cast<std::size_t>(outcome)];
        const bool ok = outcome == plan::Outcome::ok;
        slice_.ok += ok ? 1 : 0;
        if (endpoint >= 0) {
            if (endpoints_ > 1) group.endpoint[static_cast<std::size_t>(endpoint)].record(latency);
            group.endpoint_ok[static_cast<std::size_t>(endpoint)] += ok ? 1 : 0;
        }
        if (!stages.empty()) add_stages(latency, stages);
    }

    /// The present slice, for what no gauge measures.
    [[nodiscard]] measure::Slice& slice() { return slice_; }
    /// Ends the current slice with the sums of the gauges.
    void cut(std::vector<measure::ResourceSlice> sums, std::int64_t in_flight);

    /// The last, possibly shorter slice, and everything that is known at the end.
    [[nodiscard]] measure::Recording finish(std::vector<measure::ResourceSlice> sums, std::int64_t in_flight,
                                            Nanos end);

    measure::Recording recording; ///< filled as the run goes; counters are the interpreter's to set

private:
    void add_stages(Nanos latency, std::span<const float> stages) {
        const auto bucket = static_cast<std::size_t>(measure::cohort_of(latency));
        auto& cohorts = group_->cohorts;
        if (bucket >= cohorts.size()) cohorts.resize(bucket + 1);
        auto& cohort = cohorts[bucket];
        if (cohort.stage_sum.empty()) cohort.stage_sum.resize(stages.size());
        ++cohort.count;
        for (std::size_t i = 0; i < stages.size(); ++i)
            cohort.stage_sum[i] += static_cast<double>(stages[i]);
    }
    void open_group();
    void open_series(Nanos step);
    void halve();
    void add_point(const std::vector<measure::ResourceSlice>& sums, std::int64_t in_flight, Nanos length);

    bool adaptive_ = false;
    bool series_ = false;
    std::size_t endpoints_ = 0;
    Nanos next_cut_ = 0;
    measure::Slice slice_;
    measure::Group* group_ = nullptr;
};

} // namespace narrows::engine
