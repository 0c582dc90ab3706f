// SPDX-License-Identifier: GPL-3.0-or-later
// narrows plot: a chart file from results, or from a scenario whose sweep it runs.
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/sweep.hpp"
#ifdef NARROWS_HAS_PLOTS
#include "cli/chart.hpp"
#include "cli/series_chart.hpp"
#endif
#include "report/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace narrows::cli {

namespace {

struct Plot {
    std::vector<std::string> inputs;
    std::string output, beside;
};

#ifdef NARROWS_HAS_PLOTS

/// Results are JSON lines; whatever does not begin like them is a scenario.
bool is_results(const std::string& input) {
    if (input == "-") return true;
    if (!std::filesystem::is_regular_file(input)) return false;
    const auto text = read_file(input);
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{';
}

std::vector<measure::Result> read_results(const std::vector<std::string>& inputs) {
    std::vector<measure::Result> out;
    for (const auto& input : inputs) {
        try {
            auto more = report::from_json_lines(read_file(input));
            out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        } catch (const std::runtime_error& error) {
            throw Fatal(kUsage, fmt::format("{}: {}", input == "-" ? "standard input" : input, error.what()));
        }
    }
    return out;
}

/// Results of run or compare with a series are drawn over time.
bool over_time(const std::vector<measure::Result>& results) {
    return !results.empty() &&
           std::all_of(results.begin(), results.end(), [](const auto& r) { return r.series.has_value(); });
}

void plot(Common& common, const Plot& options) {
    check_engine(common);
    const auto ending = std::filesystem::path(options.output).extension();
    if (ending != ".png" && ending != ".svg" && ending != ".pdf")
        throw Fatal(kUsage, fmt::format("-o {}: the ending says what to write: .png, .svg or .pdf", options.output));
    std::vector<measure::Result> results;
    std::vector<scenario::Published> published;
    if (is_results(options.inputs.front())) {
        results = read_results(options.inputs);
        if (!options.beside.empty()) {
            common.scenario = options.beside;
            published = load(common, {}).published;
        }
    } else {
        if (options.inputs.size() > 1) throw Fatal(kUsage, "plot: one scenario at a time");
        common.scenario = options.inputs.front();
        auto swept = run_sweep(common, {});
        results = std::move(swept.outcome.results);
        published = std::move(swept.scenario.published);
        if (results.empty()) return;
    }
    try {
        plots::draw(over_time(results) ? make_series_chart(results) : make_chart(results, published), options.output);
    } catch (const std::invalid_argument& error) {
        throw Fatal(kUsage, error.what());
    } catch (const std::runtime_error& error) {
        throw Fatal(kFailed, error.what());
    }
    if (!common.quiet)
        say(fmt::format("{} {} drawn to {}", results.size(), over_time(results) ? "runs over time" : "points",
                        options.output));
}

#else

void plot(Common&, const Plot&) {
    throw Fatal(kUsage, "plot: this build has no charts (it was made with NARROWS_PLOTS=OFF)");
}

#endif

} // namespace

void add_plot(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("plot", "A chart of results, as PNG, SVG or PDF; needs no display");
    auto options = std::make_shared<Plot>();
    app.add_option(
           "RESULTS", options->inputs,
           "JSON lines of narrows sweep, or of run or compare with a series (- for standard input), or a scenario to "
           "sweep")
        ->required();
    app.add_option("-o,--output", options->output, "the file; .png, .svg or .pdf")->required()->type_name("FILE");
    app.add_option("--published", options->beside, "draw the published figures of this scenario too (for RESULTS)")
        ->type_name("SCENARIO");
    app.add_option("--set", common.set, "KEY=VALUE, when a scenario is swept; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_running(app, common);
    add_store(app, common);
    app.add_flag("-q,--quiet", common.quiet, "no progress");
    app.footer("Examples:\n  narrows plot order-summary -o order-summary.png\n"
               "  narrows sweep order-summary --json results.jsonl && narrows plot results.jsonl --published "
               "order-summary -o chart.svg\n"
               "  narrows run service.yaml --series-step 1s --json run.json && narrows plot run.json -o over-time.png");
    app.callback([&common, options] { plot(common, *options); });
}

} // namespace narrows::cli
