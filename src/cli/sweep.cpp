// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/sweep.hpp"

#include "cli/commands.hpp"
#include "cli/cost.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "report/json.hpp"
#include "report/tables.hpp"
#include "scenario/path.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::cli {

namespace {

bool sweeps_threads(const scenario::Scenario& scenario) {
    return std::any_of(scenario.sweep.axes.begin(), scenario.sweep.axes.end(),
                       [](const auto& axis) { return axis.path == "threads"; });
}

/// The option that made a setting: --set comes first, then those that stand for one.
std::string option_of(const Common& common, const scenario::Settings& settings, std::size_t index) {
    if (index < common.set.size()) return "--set " + settings[index].first;
    const auto& path = settings[index].first;
    return "--" + path.substr(path.rfind('.') + 1);
}

/// An axis sets its path anew at every point, whatever the command line says.
void warn_of_overridden(Common& common, const scenario::Settings& settings, const scenario::Sweep& sweep) {
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const auto& [path, value] = settings[i];
        for (const auto& axis : sweep.axes) {
            const bool all = scenario::lies_within(path, axis.path);
            const bool part = !all && scenario::lies_within(axis.path, path) &&
                              value.find(axis.path.substr(axis.path.rfind('.') + 1)) != std::string::npos;
            if (!all && !part) continue;
            say(fmt::format("{}: warning: the sweep's axis {} overrides {}; to change its values: --set 'sweep.{}=[…]'",
                            option_of(common, settings, i), axis.path, all ? "this value" : "a part of this value",
                            axis.path));
            if (common.fatal_warnings) common.exit_code = std::max(common.exit_code, kWarnings);
        }
    }
}

std::string at_text(const scenario::Settings& at) {
    std::vector<std::string> parts;
    for (const auto& [path, value] : at)
        parts.push_back(fmt::format("{} = {}", path, value));
    return fmt::format("{}", fmt::join(parts, ", "));
}

void say_end(Common& common, const Swept& swept) {
    const auto& outcome = swept.outcome;
    for (const auto& note : outcome.notes)
        say("note: " + note);
    if (outcome.reused > 0 && !common.quiet)
        say(fmt::format("{} of {} were in the store {}", outcome.reused,
                        report::counted(static_cast<double>(swept.points), "point"), common.store));
    for (const auto& failure : outcome.failures)
        say(fmt::format("failed: {}: {}", at_text(failure.at), failure.reason));
    if (outcome.save_failed || !outcome.failures.empty()) common.exit_code = kFailed;
    if (!outcome.interrupted) return;
    common.exit_code = kInterrupted;
    say(fmt::format("interrupted: {} of {} done", outcome.results.size(),
                    report::counted(static_cast<double>(swept.points), "point")));
    if (common.store.empty())
        say("nothing was stored; with --store DIR a sweep can go on where it was stopped");
    else
        say("to go on: " + common.command);
}

std::string published_table(const scenario::Scenario& scenario, std::span<const measure::Result> results,
                            const report::Style& style) {
    report::Table table({"at", "figure", "published", "simulated", "ratio"}, {true, true});
    bool any = false;
    for (const auto& result : results)
        for (const auto& published : scenario.published) {
            if (!report::speaks_of(published, result)) continue;
            for (const auto& line : report::beside(published, result)) {
                any = true;
                table.row({at_text(result.at), line.figure, report::number(line.published),
                           report::number(line.simulated),
                           fmt::format("{:.2f}{}", line.ratio, line.ratio < 0.9 || line.ratio > 1.1 ? " !" : "  ")});
            }
        }
    if (!any) return "";
    const auto title =
        fmt::format("beside the published figures ({}); times in ms; ! marks what differs by more than 10 %",
                    scenario.source_title);
    return "\n" + report::wrap(title, static_cast<std::size_t>(style.width)) + "\n" + table.text(style);
}

void sweep(Common& common) {
    check_engine(common);
    check_outputs(common);
    const auto wanted = assertions(common);
    const bool stream = common.json == "-";
    const auto swept = run_sweep(common, [&](const measure::Result& result) {
        check_figures(wanted, result);
        if (stream) print(report::to_json(result) + "\n");
    });
    const auto& results = swept.outcome.results;
    if (wants_table(common)) {
        const auto style = stdout_style();
        print(report::sweep_table(results, style) + published_table(swept.scenario, results, style));
    }
    write_outputs(common, results, stream);
    if (common.exit_code == kInterrupted) return;
    const int so_far = common.exit_code;
    judge_quality(common, results);
    if (so_far == kFailed) common.exit_code = kFailed;
    judge_all(common, wanted, results);
}

} // namespace

std::vector<experiment::Task> sweep_tasks(Common& common, const scenario::Settings& settings,
                                          scenario::Scenario& base) {
    base = load(common, settings);
    const auto chosen = models(common, {});
    warn_of_overridden(common, settings, base.sweep);
    auto with = settings;
    const bool axis = sweeps_threads(base);
    if (!axis && chosen.size() > 1)
        throw Fatal(kUsage, "--threads: this sweep does not vary the thread model, so it takes one; add "
                            "`threads` to its axes");
    if (!axis && chosen.size() == 1) with.emplace_back("threads", scenario::word(chosen[0]));
    std::vector<scenario::Problem> problems;
    auto tasks = experiment::tasks(common.scenario, with, problems);
    say_problems(common, problems);
    if (std::any_of(problems.begin(), problems.end(), [](const auto& p) { return p.is_error; }))
        throw Fatal(kUsage, fmt::format("{}: some points of the sweep are wrong, nothing was run", common.scenario));
    if (axis && !chosen.empty())
        std::erase_if(tasks, [&](const auto& task) {
            return std::find(chosen.begin(), chosen.end(), task.threads) == chosen.end();
        });
    return tasks;
}

Swept run_sweep(Common& common, const std::function<void(const measure::Result&)>& on_result) {
    Swept out;
    const auto settings = overrides(common, false);
    const auto tasks = sweep_tasks(common, settings, out.scenario);
    out.points = tasks.size();
    Cost cost;
    for (const auto& task : tasks)
        cost += cost_of(task.scenario, task.threads);
    warn_if_long(common, cost);
    {
        Progress progress(common.quiet);
        auto options = experiment_options(common, settings);
        options.progress = [&](std::size_t done, std::size_t total) { progress.show(done, total); };
        out.outcome = experiment::run_sweep(tasks, options, on_result);
    }
    say_end(common, out);
    return out;
}

void add_sweep(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("sweep", "Every point of the scenario's sweep; can be stopped and go on");
    add_scenario(app, common);
    add_running(app, common);
    add_output(app, common);
    add_store(app, common);
    app.footer("Examples:\n  narrows sweep order-summary --csv points.csv\n"
               "  narrows sweep order-summary --json results.jsonl --store points   (stop with Ctrl-C, go on "
               "with the same line)");
    app.callback([&common] { sweep(common); });
}

} // namespace narrows::cli
