// SPDX-License-Identifier: GPL-3.0-or-later
// narrows audit: operational laws on any table of measurements.
#include "audit/report.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "report/json.hpp"
#include "scenario/problems.hpp"
#include "scenario/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace narrows::cli {

namespace {

struct Audit {
    std::string file, tolerance = "2%";
};

bool is_results(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

/// Results, one a line; every line that is none is a problem.
std::vector<audit::Verdict> judge_results(std::string_view text, const std::string& file, double tolerance,
                                          std::vector<scenario::Problem>& problems) {
    std::vector<audit::Verdict> out;
    for (int line = 1; !text.empty(); ++line) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto first = one.find_first_not_of(" \t\r");
        if (first == std::string_view::npos) continue;
        try {
            out.push_back(audit::check(report::from_json(one), tolerance));
            out.back().line = line;
        } catch (const std::runtime_error& error) {
            problems.push_back({true, file, {line, static_cast<int>(first) + 1}, error.what()});
        }
    }
    return out;
}

std::vector<audit::Verdict> judge_table(std::string_view text, const std::string& file, double tolerance,
                                        std::vector<scenario::Problem>& problems) {
    auto table = audit::read_csv(text, file);
    problems = std::move(table.problems);
    std::vector<audit::Verdict> out;
    for (const auto& row : table.rows)
        out.push_back(audit::check(row, tolerance));
    const bool any = std::any_of(out.begin(), out.end(), [](const auto& v) { return v.checks > 0; });
    if (problems.empty() && !any)
        problems.push_back({true,
                            file,
                            {1, 1},
                            "no row states enough to be checked: a throughput_rps with users and cycle_ms, users and "
                            "mean_ms, threads and hold_ms, pool and pool_hold_ms, or cores and demand_ms"});
    return out;
}

void audit_file(Common& common, const Audit& options) {
    check_outputs(common, options.file);
    const auto tolerance = scenario::parse_share(options.tolerance);
    if (!tolerance || *tolerance < 0 || *tolerance >= 1)
        throw Fatal(kUsage, fmt::format("--tolerance {}: write a share such as 2% or 0.02", options.tolerance));
    const auto text = read_file(options.file);
    std::vector<scenario::Problem> problems;
    const auto verdicts = is_results(text) ? judge_results(text, options.file, *tolerance, problems)
                                           : judge_table(text, options.file, *tolerance, problems);
    for (const auto& problem : problems)
        say(problem.text());
    if (!problems.empty())
        throw Fatal(kUsage, fmt::format("{}: {} error{}, nothing was checked", options.file, problems.size(),
                                        problems.size() == 1 ? "" : "s"));
    if (!common.quiet && common.json != "-") print(audit::to_text(verdicts, *tolerance, stdout_style()));
    if (!common.json.empty()) write_file(common.json, audit::to_json_lines(verdicts, options.file));
    const bool flagged =
        std::any_of(verdicts.begin(), verdicts.end(), [](const auto& v) { return !v.findings.empty(); });
    if (flagged) common.exit_code = kFlagged;
}

} // namespace

void add_audit(CLI::App& program, Common& common) {
    auto& app =
        *program.add_subcommand("audit", "Operational laws on a table of measurements: what cannot be as stated");
    auto options = std::make_shared<Audit>();
    app.add_option(
           "FILE", options->file,
           "CSV of measurements (docs/audit.md names the columns), or JSON lines of narrows run or sweep; - for "
           "standard input")
        ->required();
    app.add_option("--tolerance", options->tolerance, "by how much figures may be rounded (default 2%)")
        ->type_name("SHARE");
    app.add_option("--json", common.json, "verdicts as JSON lines to FILE, - for standard output")->type_name("FILE");
    app.add_flag("-q,--quiet", common.quiet, "nothing on standard output, the exit code alone: 1 when a law is broken");
    app.footer("Examples:\n  narrows audit measurements.csv --tolerance 2%\n"
               "  narrows sweep order-summary --json - --quiet | narrows audit -");
    app.callback([&common, options] { audit_file(common, *options); });
}

} // namespace narrows::cli
