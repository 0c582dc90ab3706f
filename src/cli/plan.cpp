// SPDX-License-Identifier: GPL-3.0-or-later
// narrows plan: what each thread model makes of the handler, side by side.
#include "cli/commands.hpp"
#include "cli/cost.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/sweep.hpp"
#include "models/compile.hpp"
#include "report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::cli {

namespace {

struct Column {
    std::string title;
    plan::Plan plan;
};

std::string title_of(const scenario::Scenario& scenario, scenario::Threads threads) {
    const auto title = report::model_title(scenario::word(threads));
    return threads == scenario::Threads::virtual_threads ? fmt::format("{}, JDK {}", title, scenario.runtime.jdk)
                                                         : title;
}

std::vector<std::string> program_names(const std::vector<Column>& columns) {
    std::vector<std::string> out;
    for (const auto& column : columns)
        for (const auto& program : column.plan.programs)
            if (std::find(out.begin(), out.end(), program.name) == out.end()) out.push_back(program.name);
    return out;
}

std::vector<std::string> lines_of(const Column& column, const std::string& name) {
    for (std::size_t i = 0; i < column.plan.programs.size(); ++i)
        if (column.plan.programs[i].name == name) return plan::program_lines(column.plan, static_cast<int>(i));
    return {"(none)"};
}

/// Requests first: they are what one came to see; the clients' session, many lines of connecting and retrying,
/// last and only when it is asked for.
void sort_programs(std::vector<std::string>& names, bool session) {
    const auto last =
        std::stable_partition(names.begin(), names.end(), [](const auto& name) { return name != "session"; });
    if (!session) names.erase(last, names.end());
}

/// Cells beside one another when they fit into the width, else below one another.
std::string beside(const std::vector<Column>& columns, const std::string& name, const report::Style& style) {
    std::vector<std::vector<std::string>> cells;
    std::vector<std::size_t> widths;
    std::size_t rows = 0;
    std::size_t total = 0;
    for (const auto& column : columns) {
        cells.push_back(lines_of(column, name));
        std::size_t width = report::columns(column.title);
        for (const auto& line : cells.back())
            width = std::max(width, report::columns(line));
        widths.push_back(width);
        total += width + 3;
        rows = std::max(rows, cells.back().size());
    }
    std::string out = report::bold(name, style) + "\n";
    if (total > static_cast<std::size_t>(style.width) + 3) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            out += fmt::format("  {}\n", columns[c].title);
            for (const auto& line : cells[c])
                out += fmt::format("    {}\n", line);
        }
        return out;
    }
    const auto add_row = [&](auto cell) {
        std::string line = "  ";
        for (std::size_t c = 0; c < columns.size(); ++c)
            line += report::pad(cell(c), widths[c] + 3);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    };
    add_row([&](std::size_t c) { return columns[c].title; });
    for (std::size_t r = 0; r < rows; ++r)
        add_row([&](std::size_t c) { return r < cells[c].size() ? cells[c][r] : std::string(); });
    return out;
}

void show_programs(Common& common, bool session) {
    using scenario::Threads;
    const auto scenario = load(common, overrides(common, false));
    const auto style = stdout_style();
    std::vector<Column> columns;
    for (const auto threads : models(common, {Threads::platform, Threads::virtual_threads}))
        columns.push_back({title_of(scenario, threads), models::compile(scenario, threads)});
    std::string out = report::bold(scenario.name, style) + "\n\n";
    auto names = program_names(columns);
    sort_programs(names, session);
    for (const auto& name : names)
        out += beside(columns, name, style) + "\n";
    out += "hold: keeps its thread, carrier or loop while it waits; park: gives the carrier back and queues "
           "for one again;\n"
           "compensate: keeps it and asks for a spare carrier\n";
    if (!session) out += "The clients' session (connecting, sending, time-outs) is not shown; --session shows it.\n";
    print(out);
}

void show_runs(Common& common) {
    scenario::Scenario base;
    const auto tasks = sweep_tasks(common, overrides(common, false), base);
    report::Table table({"run", "threads", "at", "about requests"}, {false, true, true});
    double total = 0;
    int replications = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        std::vector<std::string> at;
        for (const auto& [path, value] : tasks[i].at)
            if (path != "threads") at.push_back(fmt::format("{} = {}", path, value));
        const double requests = cost_of(tasks[i].scenario, tasks[i].threads).requests;
        total += requests;
        replications += experiment::first_replications(tasks[i].scenario);
        table.row({fmt::format("{}", i + 1), scenario::word(tasks[i].threads), fmt::format("{}", fmt::join(at, ", ")),
                   report::whole(requests)});
    }
    const int jobs = experiment_options(common, {}).jobs;
    print(fmt::format("{}\n{}\n{}, {} in all; about {} requests, roughly {} on {}\n", base.name,
                      table.text(stdout_style()), report::counted(static_cast<double>(tasks.size()), "point"),
                      report::counted(replications, "replication"), report::whole(total), time_text(total, jobs),
                      report::counted(jobs, "thread")));
}

} // namespace

void add_plan(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("plan", "The compiled programs of several thread models side by side");
    add_scenario(app, common);
    add_running(app, common);
    auto sweep = std::make_shared<bool>(false);
    app.add_flag("--sweep", *sweep, "list the runs of the sweep instead, with an estimate of their cost");
    auto session = std::make_shared<bool>(false);
    app.add_flag("--session", *session, "print the program of the clients' session too");
    app.footer("Examples:\n  narrows plan order-summary\n  narrows plan order-summary --threads "
               "platform,virtual,event-loop\n"
               "  narrows plan order-summary --sweep");
    app.callback([&common, sweep, session] {
        check_engine(common);
        if (*sweep)
            show_runs(common);
        else
            show_programs(common, *session);
    });
}

} // namespace narrows::cli
