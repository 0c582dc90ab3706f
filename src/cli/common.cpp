// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/common.hpp"

#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>

namespace narrows::cli {

void add_scenario(CLI::App& app, Common& common) {
    app.add_option("SCENARIO", common.scenario, "a YAML file, or the name of a shipped scenario (narrows list)")
        ->required();
    app.add_option("--set", common.set,
                   "KEY=VALUE: another value for any path of the scenario or Spring property; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_running(CLI::App& app, Common& common) {
    app.add_option("--engine", common.engine, "events (simgrid and analytic are not in this version)")
        ->type_name("NAME");
    app.add_option("--threads", common.threads,
                   "platform, virtual or event-loop; several with commas where models are compared")
        ->type_name("MODEL")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--seed", common.seed, "seed of all random numbers")->type_name("N");
    app.add_option("--replications", common.replications,
                   "how many independent runs, or auto: from 4 on (10 where the load ends or changes), as many as the "
                   "precision "
                   "needs")
        ->type_name("N|auto");
    app.add_option("--precision", common.precision, "relative error of throughput and p99 at which auto stops, e.g. 2%")
        ->type_name("SHARE");
    app.add_option("--max-replications", common.max_replications, "where auto gives up; 100 if not said")
        ->type_name("N");
    app.add_option("-j,--jobs", common.jobs, "worker threads; the results do not depend on it")
        ->check(CLI::Range(0, 1024));
}

void add_output(CLI::App& app, Common& common) {
    app.add_option("--assert", common.asserts,
                   "fail (99) unless e.g. 'p99_ms < 1000' holds at the worse end of its interval; repeatable")
        ->type_name("EXPR")
        ->allow_extra_args(false);
    app.add_option("--json", common.json, "results as JSON to FILE, - for standard output")->type_name("FILE");
    app.add_option("--csv", common.csv, "results as CSV to FILE, - for standard output")->type_name("FILE");
    app.add_flag("-q,--quiet", common.quiet, "no table, no progress");
    app.add_flag("--fatal-warnings", common.fatal_warnings, "end with 3 when there are warnings");
}

void add_series(CLI::App& app, Common& common) {
    app.add_option("--series", common.series,
                   "one replication over time as CSV to FILE, - for standard output: throughput, percentiles, queue "
                   "lengths; also as `series` in the JSON")
        ->type_name("FILE");
    app.add_option("--series-step", common.series_step,
                   "length of its steps, e.g. 1s; about 100 steps if not said. Alone: only in the JSON")
        ->type_name("TIME");
}

void add_store(CLI::App& app, Common& common) {
    app.add_option("--store", common.store, "folder that keeps finished points, so that a sweep can go on")
        ->type_name("DIR");
    app.add_flag("--force", common.force, "run every point again, whatever the store has");
}

scenario::Settings overrides(const Common& common, bool with_threads) {
    scenario::Settings out;
    for (const auto& text : common.set) {
        const auto equal = text.find('=');
        if (equal == std::string::npos || equal == 0)
            throw Fatal(kUsage, fmt::format("--set {}: write KEY=VALUE, e.g. --set load.users=500", text));
        out.emplace_back(text.substr(0, equal), text.substr(equal + 1));
    }
    if (!common.seed.empty()) out.emplace_back("measure.seed", common.seed);
    if (!common.replications.empty()) out.emplace_back("measure.replications", common.replications);
    if (!common.precision.empty()) out.emplace_back("measure.precision", common.precision);
    if (!common.max_replications.empty()) out.emplace_back("measure.max-replications", common.max_replications);
    if (with_threads && !common.threads.empty()) {
        const auto chosen = models(common, {});
        if (chosen.size() != 1) throw Fatal(kUsage, "--threads: one thread model here; narrows compare takes several");
        out.emplace_back("threads", scenario::word(chosen[0]));
    }
    return out;
}

std::vector<scenario::Threads> models(const Common& common, std::vector<scenario::Threads> otherwise) {
    using scenario::Threads;
    if (common.threads.empty()) return otherwise;
    std::vector<Threads> out;
    for (const auto& text : common.threads) {
        bool found = false;
        for (const auto model : {Threads::platform, Threads::virtual_threads, Threads::event_loop}) {
            if (text != scenario::word(model)) continue;
            found = true;
            if (std::find(out.begin(), out.end(), model) == out.end()) out.push_back(model);
        }
        if (!found)
            throw Fatal(
                kUsage,
                fmt::format("--threads {}: no such thread model; there are platform, virtual and event-loop", text));
    }
    return out;
}

void warn(Common& common, const std::string& text) {
    say(fmt::format("{}: warning: {}", common.scenario, text));
    if (common.fatal_warnings) common.exit_code = std::max(common.exit_code, kWarnings);
}

void say_problems(Common& common, const std::vector<scenario::Problem>& problems) {
    for (const auto& problem : problems) {
        say(problem.text());
        if (!problem.is_error && common.fatal_warnings) common.exit_code = std::max(common.exit_code, kWarnings);
    }
}

scenario::Scenario load(Common& common, const scenario::Settings& settings) {
    auto reading = scenario::read(common.scenario, settings);
    say_problems(common, reading.problems);
    if (!reading.scenario) {
        const auto count =
            std::count_if(reading.problems.begin(), reading.problems.end(), [](const auto& p) { return p.is_error; });
        throw Fatal(kUsage,
                    fmt::format("{}: {} error{}, nothing was run", common.scenario, count, count == 1 ? "" : "s"));
    }
    return std::move(*reading.scenario);
}

void check_engine(const Common& common) {
    if (common.engine == "events") return;
    if (common.engine == "simgrid" || common.engine == "analytic")
        throw Fatal(kUsage, fmt::format("--engine {}: not in this version; use --engine events", common.engine));
    throw Fatal(kUsage, fmt::format("--engine {}: no such engine; use --engine events", common.engine));
}

namespace {

/// Whether two names, however written, lead to one file.
bool same_file(const std::string& a, const std::string& b) {
    if (a == b) return true;
    if (a == "-" || b == "-") return false;
    std::error_code unknown;
    return std::filesystem::weakly_canonical(a, unknown) == std::filesystem::weakly_canonical(b, unknown) ||
           std::filesystem::equivalent(a, b, unknown);
}

} // namespace

void check_outputs(const Common& common, const std::string& input) {
    const std::array<std::pair<const char*, const std::string*>, 3> files{
        {{"--json", &common.json}, {"--csv", &common.csv}, {"--series", &common.series}}};
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (files[i].second->empty()) continue;
        for (std::size_t k = 0; k < i; ++k)
            if (!files[k].second->empty() && same_file(*files[k].second, *files[i].second))
                throw Fatal(kUsage, fmt::format("{} and {} both go to {}; give them different files", files[k].first,
                                                files[i].first, *files[i].second));
        for (const std::string& read : {input, common.scenario})
            if (std::error_code unknown;
                !read.empty() && std::filesystem::is_regular_file(read, unknown) && same_file(read, *files[i].second))
                throw Fatal(kUsage, fmt::format("{} {} would replace what is read; give another file", files[i].first,
                                                *files[i].second));
        check_writable(*files[i].second);
    }
    (void)series_step(common);
}

experiment::Options experiment_options(const Common& common, const scenario::Settings& settings) {
    experiment::Options out;
    out.jobs = common.jobs > 0 ? common.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    if (!common.store.empty()) out.store = common.store;
    out.force = common.force;
    out.cancel = &cancel_flag();
    out.settings = settings;
    return out;
}

bool wants_table(const Common& common) {
    return !common.quiet && common.json != "-" && common.csv != "-" && common.series != "-";
}

std::optional<Nanos> series_step(const Common& common) {
    if (common.series_step.empty()) return common.series.empty() ? std::nullopt : std::optional<Nanos>(0);
    const auto step = scenario::parse_duration(common.series_step);
    if (!step || step->count() < 1)
        throw Fatal(kUsage, fmt::format("--series-step {}: no duration above 0 with a unit, such as 500ms or 1s",
                                        common.series_step));
    return step->count();
}

void add_series_to(const Common& common, const scenario::Scenario& scenario, std::span<const scenario::Threads> models,
                   std::span<measure::Result> results, const experiment::Options& options) {
    const auto step = series_step(common);
    if (!step) return;
    for (std::size_t i = 0; i < results.size(); ++i)
        results[i].series = experiment::series(scenario, models[i], results[i], *step, options);
    if (!common.series.empty()) write_file(common.series, report::series_csv(results));
}

void write_outputs(const Common& common, std::span<const measure::Result> results, bool json_done) {
    if (!common.json.empty() && !json_done) {
        std::string text;
        for (const auto& result : results)
            text += report::to_json(result) + "\n";
        write_file(common.json, text);
    }
    if (!common.csv.empty()) write_file(common.csv, report::to_csv(results));
}

std::vector<report::Assertion> assertions(const Common& common) {
    std::vector<report::Assertion> out;
    try {
        for (const auto& text : common.asserts)
            out.push_back(report::parse_assertion(text));
    } catch (const std::invalid_argument& error) {
        throw Fatal(kUsage, error.what());
    }
    return out;
}

void check_figures(std::span<const report::Assertion> assertions, const measure::Result& result) {
    try {
        for (const auto& assertion : assertions)
            (void)report::judge(assertion, result);
    } catch (const std::invalid_argument& error) {
        throw Fatal(kUsage, error.what());
    }
}

void judge_all(Common& common, std::span<const report::Assertion> assertions,
               std::span<const measure::Result> results) {
    for (const auto& result : results) {
        std::string where = result.threads;
        for (const auto& [path, value] : result.at)
            if (path != "threads") where += fmt::format(", {} = {}", path, value);
        for (const auto& assertion : assertions) {
            const auto judgement = report::judge(assertion, result);
            if (!judgement.holds) common.exit_code = kAssertion;
            if (!judgement.holds || !common.quiet) say(fmt::format("{}: {}", where, judgement.text));
        }
    }
}

void judge_quality(Common& common, std::span<const measure::Result> results) {
    for (const auto& result : results) {
        if (common.fatal_warnings && !result.warnings.empty()) common.exit_code = std::max(common.exit_code, kWarnings);
        if (result.precision && !result.precision->reached) common.exit_code = std::max(common.exit_code, kPrecision);
    }
}

} // namespace narrows::cli
