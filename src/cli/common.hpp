// SPDX-License-Identifier: GPL-3.0-or-later
// Options that most commands share, and what they all do with a scenario and with results.
#pragma once

#include "experiment/experiment.hpp"
#include "measure/result.hpp"
#include "report/figures.hpp"
#include "scenario/reader.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace narrows::cli {

struct Common {
    std::string scenario;
    std::vector<std::string> set;
    std::string engine = "events";
    std::vector<std::string> threads;
    std::string seed, replications, precision, max_replications;
    std::vector<std::string> asserts;
    int jobs = 0; ///< 0 = as many as there are processors
    std::string json, csv;
    std::string series, series_step;
    bool quiet = false;
    bool fatal_warnings = false;
    std::string store;
    bool force = false;
    int exit_code = 0;   ///< what the command ends with
    std::string command; ///< the command line as typed, for "to go on"
};

/// SCENARIO and --set.
void add_scenario(CLI::App& app, Common& common);
/// --engine --threads --seed --replications --precision --max-replications -j: whatever runs something.
void add_running(CLI::App& app, Common& common);
/// --assert --json --csv --quiet --fatal-warnings.
void add_output(CLI::App& app, Common& common);
/// --series --series-step: where single points are run.
void add_series(CLI::App& app, Common& common);
/// --store --force.
void add_store(CLI::App& app, Common& common);

/// --set and the options that stand for a setting, in order. `with_threads`: --threads too (it must
/// be one word then). Throws Fatal(kUsage).
[[nodiscard]] scenario::Settings overrides(const Common& common, bool with_threads);
/// The thread models of --threads, or `otherwise`. Throws Fatal(kUsage) for an unknown word.
[[nodiscard]] std::vector<scenario::Threads> models(const Common& common, std::vector<scenario::Threads> otherwise);
/// Says the problems on stderr. Throws Fatal(kUsage) when one is an error.
[[nodiscard]] scenario::Scenario load(Common& common, const scenario::Settings& settings);
/// Says "SCENARIO: warning: text" on stderr; raises exit_code when warnings are fatal.
void warn(Common& common, const std::string& text);
void say_problems(Common& common, const std::vector<scenario::Problem>& problems);
/// Throws Fatal(kUsage) unless the engine is there.
void check_engine(const Common& common);
/// Refuses, before anything is run, files that cannot be written, are one and the same, or are read: `input`, the
/// scenario.
void check_outputs(const Common& common, const std::string& input = "");

/// jobs, store, cancel flag, settings for the manifest. `progress` may be empty.
[[nodiscard]] experiment::Options experiment_options(const Common& common, const scenario::Settings& settings);

/// Whether a table for people is wanted on stdout.
[[nodiscard]] bool wants_table(const Common& common);
/// --json and --csv of finished results.
void write_outputs(const Common& common, std::span<const measure::Result> results, bool json_done = false);
/// --assert texts, parsed. Throws Fatal(kUsage).
[[nodiscard]] std::vector<report::Assertion> assertions(const Common& common);
/// Throws Fatal(kUsage) when a result lacks a figure that is asserted: before anything is printed.
void check_figures(std::span<const report::Assertion> assertions, const measure::Result& result);
/// Judges every result; says the outcome on stderr; sets exit_code.
void judge_all(Common& common, std::span<const report::Assertion> assertions, std::span<const measure::Result> results);
/// Length of a step of the series that is wanted, 0 = chosen by the run; nothing when none is. Throws Fatal(kUsage).
[[nodiscard]] std::optional<Nanos> series_step(const Common& common);
/// Runs the series that are wanted and writes --series.
void add_series_to(const Common& common, const scenario::Scenario& scenario, std::span<const scenario::Threads> models,
                   std::span<measure::Result> results, const experiment::Options& options);

/// Raises exit_code for warnings (when fatal) and for a precision not reached.
void judge_quality(Common& common, std::span<const measure::Result> results);

} // namespace narrows::cli
