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
#include <stdexcept>
#include <string>
#include <vector>

namespace narrows::experiment {

struct Options {
    int jobs = 1;                               ///< worker threads; results do not depend on it
    std::optional<std::filesystem::path> store; ///< folder of finished points
    bool force = false;                         ///< ignore what the store has
    int max_replications = 100;                 ///< for replications: auto
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

/// One point, one thread model, all replications (in parallel on options.jobs). `auto`
/// replications are added in rounds of kRound until both relative half widths (throughput, p99) are
/// at most measure.precision, or options.max_replications are done. Throws std::invalid_argument
/// with a readable reason for what no model can run, Interrupted, and what the engine threw (out of memory).
inline constexpr int kRound = 4;
[[nodiscard]] measure::Result run_point(const scenario::Scenario& scenario, scenario::Threads threads,
                                        const Options& options);

/// Whether throughput and p99 have intervals whose half width is at most `precision` of the value.
[[nodiscard]] bool precise(const measure::Result& result, double precision);

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

/// Virtual against platform on common random numbers.
struct Comparison {
    std::vector<measure::Result> results; ///< one a thread model, the first is the baseline
    struct Ratio {
        std::string figure; ///< "throughput_rps", "p99"
        std::string model;
        double ratio = 1;
        std::optional<measure::Interval> interval;
        std::string verdict; ///< "6.2 times as much", "no detectable difference", …
    };
    std::vector<Ratio> ratios;
};
[[nodiscard]] Comparison compare(const scenario::Scenario& scenario, const std::vector<scenario::Threads>& models,
                                 const Options& options);

} // namespace narrows::experiment
