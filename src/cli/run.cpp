// SPDX-License-Identifier: GPL-3.0-or-later
// narrows run, compare, explain: one point.
#include "cli/commands.hpp"
#include "cli/cost.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "models/compile.hpp"
#include "report/explain.hpp"
#include "report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::cli {

namespace {

measure::Result run_one(Common& common, scenario::Scenario& scenario, const scenario::Settings& settings) {
    warn_if_long(common, cost_of(scenario, models::default_threads(scenario)));
    Progress progress(common.quiet);
    auto options = experiment_options(common, settings);
    options.progress = [&](std::size_t done, std::size_t total) { progress.show(done, total); };
    const auto threads = models::default_threads(scenario);
    auto result = experiment::run_point(scenario, threads, options);
    add_series_to(common, scenario, {&threads, 1}, {&result, 1}, options);
    return result;
}

void run(Common& common) {
    check_engine(common);
    check_outputs(common);
    const auto wanted = assertions(common);
    const auto settings = overrides(common, true);
    auto scenario = load(common, settings);
    const auto result = run_one(common, scenario, settings);
    check_figures(wanted, result);
    if (wants_table(common)) {
        print(report::run_report(result, stdout_style()));
        if (const auto text = published_beside(common.scenario, scenario, settings, result); !text.empty())
            print("\n" + text);
    }
    write_outputs(common, {&result, 1});
    judge_quality(common, {&result, 1});
    judge_all(common, wanted, {&result, 1});
}

void explain(Common& common) {
    check_engine(common);
    const auto settings = overrides(common, true);
    auto scenario = load(common, settings);
    print(report::explain(run_one(common, scenario, settings), stdout_style()));
}

void compare(Common& common) {
    using scenario::Threads;
    check_engine(common);
    check_outputs(common);
    const auto wanted = assertions(common);
    const auto settings = overrides(common, false);
    auto scenario = load(common, settings);
    const auto chosen = models(common, {Threads::platform, Threads::virtual_threads, Threads::event_loop});
    Cost cost;
    for (const auto threads : chosen)
        cost += cost_of(scenario, threads);
    warn_if_long(common, cost);
    Progress progress(common.quiet);
    auto options = experiment_options(common, settings);
    options.progress = [&](std::size_t done, std::size_t total) { progress.show(done, total); };
    auto results = experiment::compare(scenario, chosen, options);
    add_series_to(common, scenario, chosen, results, options);
    progress.clear();
    for (const auto& result : results)
        check_figures(wanted, result);
    if (wants_table(common)) print(report::comparison_table(results, stdout_style()));
    write_outputs(common, results);
    judge_quality(common, results);
    judge_all(common, wanted, results);
}

} // namespace

std::string published_beside(const std::string& file, const scenario::Scenario& scenario,
                             const scenario::Settings& settings, const measure::Result& result) {
    std::string out;
    for (const auto& published : scenario.published) {
        // It speaks of this point when its own settings change nothing: the plans are the same.
        scenario::Settings with = settings;
        bool other_model = false;
        for (const auto& [path, value] : published.at) {
            other_model = other_model || (path == "threads" && value != result.threads);
            if (path != "threads") with.emplace_back(path, value);
        }
        if (other_model) continue;
        const auto reading = scenario::read(file, with);
        if (!reading.scenario) continue;
        const auto threads = models::default_threads(scenario);
        if (plan::text(models::compile(*reading.scenario, threads)) != plan::text(models::compile(scenario, threads)))
            continue;
        for (const auto& line : report::beside(published, result))
            out += fmt::format("  {}\n", line.text);
    }
    if (out.empty()) return "";
    return report::wrap(fmt::format("beside the published figures ({}):", scenario.source_title), 100) + "\n" + out;
}

void add_run(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("run", "One point: throughput, latency, resources, bottleneck");
    add_scenario(app, common);
    add_running(app, common);
    add_output(app, common);
    add_series(app, common);
    app.footer("Examples:\n  narrows run order-summary\n"
               "  narrows run order-summary --threads virtual --set load.users=2500 --json -\n"
               "  narrows run my-service.yaml --set server.tomcat.threads.max=400 --assert 'p99_ms < 1s'");
    app.callback([&common] { run(common); });
}

void add_explain(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("explain", "Bounds, bottleneck, where the queue is and why");
    add_scenario(app, common);
    add_running(app, common);
    app.add_flag("-q,--quiet", common.quiet, "no progress");
    app.footer("Example:\n  narrows explain order-summary --threads virtual --set load.users=2500");
    app.callback([&common] { explain(common); });
}

void add_compare(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("compare", "Thread models side by side, on the same random numbers");
    add_scenario(app, common);
    add_running(app, common);
    add_output(app, common);
    add_series(app, common);
    app.footer(
        "Examples:\n  narrows compare order-summary --set load.users=1000\n"
        "  narrows compare order-summary --threads platform,virtual --replications auto --precision 1%\n"
        "  narrows compare order-summary --series-step 500ms --json two.jsonl && narrows plot two.jsonl -o two.png");
    app.callback([&common] { compare(common); });
}

} // namespace narrows::cli
