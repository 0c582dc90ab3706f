// SPDX-License-Identifier: GPL-3.0-or-later
// From a scenario to results: replications, thread models side by side, sweeps over points on
// several threads, and a store that lets an interrupted sweep go on.
#pragma once

#include "measure/result.hpp"
#include "models/compile.hpp"
#include "scenario/reader.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace narrows::experiment {

struct Options {
    int jobs = 1;                               ///< worker threads; results do not depend on it
    std::optional<std::filesystem::path> store; ///< folder of finished points
    bool force = false;                         ///< ignore what the store has
    /// Looked at between and within replications; what is finished by then is kept.
    const std::atomic<bool>* cancel = nullptr;
    scenario::Settings settings; ///< overrides in force, for the manifest only
    /// Called under a lock, from any worker, when a replication or point ends.
    std::function<void(std::size_t done, std::size_t total)> progress;
};

/// Thrown by run_point and compare when options.cancel stopped them.
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

/// Replications at the first look of `auto`. Intervals of steady loads rest on 10 batches or more by then
/// (measure/interval.hpp); those of loads that end or change rest on whole replications, so there are 10 of these: A.
/// M. Law, "Simulation Modeling and Analysis", 5th ed. 2015, section 9.4.1, wants 10 observations before a first look,
/// since an interval that is too narrow by chance would otherwise end the run.
inline constexpr int kFirstLook = 4;
inline constexpr int kFirstLookWhole = 10;
/// Replications to have at the next look, after one at `now`: half as many again, at least 4 more. Few looks, for
/// each is a chance to stop at an interval that is too narrow by luck.
[[nodiscard]] int next_look(int now, int limit);
/// Replications that a point begins with: those asked for, or those of the first look of `auto`.
[[nodiscard]] int first_replications(const scenario::Scenario& scenario);
/// The relative half width (of the estimate) at which the error is at most `precision` of the truth with the
/// interval's confidence: precision / (1 + precision), Law (2015), section 9.4.1. That stopping there keeps the
/// confidence as precision goes to 0 is Y. S. Chow and H. Robbins, Ann. Math. Stat. 36, 1965; how far it keeps it
/// here has not been measured yet.
[[nodiscard]] double half_width_for(double precision);

/// One point, one thread model, all replications (in parallel on options.jobs). `auto` adds replications until the
/// 95 % intervals of throughput and of p99 are both narrow enough, or measure.max_replications are done, or more
/// cannot help (a stall, a load above capacity, a run that never settles). Which is decided by whole rounds only,
/// so that it does not depend on options.jobs. Throws std::invalid_argument
/// with a readable reason for what no model can run, Interrupted, and what the engine threw (out of memory).
[[nodiscard]] measure::Result run_point(const scenario::Scenario& scenario, scenario::Threads threads,
                                        const Options& options);

/// Whether throughput and p99 have intervals that are at most half_width_for(precision) of the value to either side.
[[nodiscard]] bool precise(const measure::Result& result, double precision);

/// One replication of a point over time, in steps of `step`; the run is the first of run_point's. 0: a step of 1, 2
/// or 5 times a power of ten that gives about 100 points for `result`, which is what run_point said of it. At most
/// 10,000 points; the rest of a longer run is left out. Throws as run_point does.
[[nodiscard]] measure::Series series(const scenario::Scenario& scenario, scenario::Threads threads,
                                     const measure::Result& result, Nanos step, const Options& options);

/// A point of a sweep to run: which settings, which scenario they make, which thread model.
struct Task {
    scenario::Settings at;
    scenario::Scenario scenario;
    scenario::Threads threads = scenario::Threads::platform;
    std::string key; ///< content hash: engine version + scenario text + threads
};

struct Failure {
    scenario::Settings at;
    std::string reason;
};

struct SweepOutcome {
    std::vector<measure::Result> results; ///< in the order of the tasks; missing ones left out
    std::vector<Failure> failures;
    bool interrupted = false;
    std::size_t reused = 0;         ///< taken from the store
    std::vector<std::string> notes; ///< about the store: damaged files, what could not be saved
    bool save_failed = false;
};

/// The tasks of a scenario's sweep. `reading_again` re-reads the same file with a point's settings
/// added; problems in any point are returned instead of tasks.
[[nodiscard]] std::vector<Task> tasks(const std::string& file_or_name, const scenario::Settings& overrides,
                                      std::vector<scenario::Problem>& problems);

/// Runs tasks; `on_result` is called in task order as soon as a prefix is complete (so that output
/// can stream and is the same for every number of jobs). What `on_result` throws ends the sweep
/// and is thrown again. Throws std::runtime_error when the store cannot be used (another sweep has
/// it, no such folder can be made).
[[nodiscard]] SweepOutcome run_sweep(const std::vector<Task>& tasks, const Options& options,
                                     const std::function<void(const measure::Result&)>& on_result = {});

/// Thread models on common random numbers: one result a model, the first is the baseline, and each other has
/// `against` it throughput and p99. With `auto`, pairs are the replications that both have.
[[nodiscard]] std::vector<measure::Result>
compare(const scenario::Scenario& scenario, const std::vector<scenario::Threads>& models, const Options& options);

/// `values` beside `base`, replication by replication; `a` and `b` are the figures of all of them. `time`: less is
/// shorter. `differs` and the verdict follow the 95 % interval of the ratio (measure::paired_ratio); `detectable` is
/// measure::detectable_ratio. Where the difference is not told apart, the verdict says how small one would have been.
[[nodiscard]] measure::Against against(const std::string& figure, const std::string& baseline,
                                       std::span<const double> base, std::span<const double> values, double a,
                                       double b);

} // namespace narrows::experiment
