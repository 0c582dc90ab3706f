// SPDX-License-Identifier: GPL-3.0-or-later
// narrows check, schema, list: nothing is run.
#include "cli/commands.hpp"
#include "cli/cost.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/sweep.hpp"
#include "engine/lowering.hpp"
#include "models/compile.hpp"
#include "report/text.hpp"
#include "report/warnings.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/problems.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::cli {

namespace {

void check(Common& common) {
    scenario::Scenario base;
    const auto tasks = sweep_tasks(common, overrides(common, false), base);
    std::vector<report::PointWarnings> points;
    Cost cost;
    for (const auto& task : tasks) {
        // Both throw what they cannot run.
        (void)engine::lower(models::compile(task.scenario, task.threads));
        points.push_back({task.at, scenario::word(task.threads), models::warnings(task.scenario, task.threads)});
        cost += cost_of(task.scenario, task.threads);
    }
    const auto said = report::merged_warnings(points);
    for (const auto& warning : said)
        warn(common, warning.line());
    warn_if_long(common, cost);
    if (!common.quiet)
        print(fmt::format("{}: \"{}\" can be run: {} point{}{}\n", common.scenario, base.name, tasks.size(),
                          tasks.size() == 1 ? "" : "s",
                          said.empty() ? "" : fmt::format(", {} warning{}", said.size(), said.size() == 1 ? "" : "s")));
}

std::string nearest_shipped(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& shipped : scenario::catalogue())
        names.emplace_back(shipped.name);
    return scenario::did_you_mean(name, names);
}

void list() {
    report::Table table({"name", "what it is"}, {true, true});
    std::string_view folder;
    std::string out;
    const auto style = stdout_style();
    const auto flush = [&] {
        if (!folder.empty()) out += fmt::format("{}{}:\n{}", out.empty() ? "" : "\n", folder, table.text(style, 2));
        table = report::Table({"name", "what it is"}, {true, true});
    };
    for (const auto& shipped : scenario::catalogue()) {
        if (shipped.folder != folder) flush();
        folder = shipped.folder;
        table.row({std::string(shipped.name), std::string(shipped.about)});
    }
    flush();
    print(out.empty() ? "no scenarios are shipped with this build\n" : out);
}

} // namespace

void add_check(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("check", "Errors and warnings of a scenario, all at once; runs nothing");
    add_scenario(app, common);
    app.add_flag("--fatal-warnings", common.fatal_warnings, "end with 3 when there are warnings");
    app.add_flag("-q,--quiet", common.quiet, "nothing on standard output");
    app.footer("Example:\n  narrows check my-service.yaml");
    app.callback([&common] { check(common); });
}

void add_schema(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("schema", "JSON Schema of scenarios, for editors");
    (void)common;
    app.footer("Example:\n  narrows schema > narrows.schema.json");
    app.callback([] {
        auto text = scenario::json_schema();
        if (text.empty() || text.back() != '\n') text += '\n';
        print(text);
    });
}

void add_list(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("list", "Shipped scenarios, known by name");
    auto* show = app.add_option("--show", common.scenario, "print the YAML of one of them")->type_name("NAME");
    app.footer("Examples:\n  narrows list\n  narrows list --show order-summary > my-service.yaml");
    app.callback([&common, show] {
        if (show->count() == 0) return list();
        const auto* found = scenario::find_shipped(common.scenario);
        if (found == nullptr)
            throw Fatal(kUsage, fmt::format("{}: no shipped scenario of that name{}; see narrows list", common.scenario,
                                            nearest_shipped(common.scenario)));
        print(found->yaml);
    });
}

} // namespace narrows::cli
