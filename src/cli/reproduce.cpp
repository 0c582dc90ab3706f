// SPDX-License-Identifier: GPL-3.0-or-later
// narrows reproduce: published figures against simulated ones.
#include "reproduce/reproduce.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace narrows::cli {

namespace {

struct Asked {
    std::vector<std::string> names;
    bool assert_agreement = false;
};

std::vector<reproduce::Case> run_cases(Common& common, const Asked& asked) {
    Progress progress(common.quiet);
    auto options = experiment_options(common, {});
    options.progress = [&](std::size_t done, std::size_t total) { progress.show(done, total); };
    try {
        return reproduce::run(asked.names.empty() ? reproduce::shipped_cases() : asked.names, options);
    } catch (const reproduce::NoCase& error) {
        throw Fatal(kUsage, error.what());
    }
}

void reproduce_all(Common& common, const Asked& asked) {
    check_outputs(common);
    const auto cases = run_cases(common, asked);
    if (wants_table(common)) {
        auto style = stdout_style();
        style.width = std::max(style.width, 110); // six columns, of which one is a sentence
        print(reproduce::text(cases, style));
    }
    if (!common.json.empty()) write_file(common.json, reproduce::json(cases));
    const auto sum = reproduce::summary(cases);
    if (sum.failures > 0) common.exit_code = kFailed;
    if (!asked.assert_agreement) return;
    for (const auto& line : sum.broken)
        say("marked to agree, and does not: " + line);
    if (!sum.broken.empty()) common.exit_code = kAssertion;
}

} // namespace

void add_reproduce(CLI::App& program, Common& common) {
    auto& app = *program.add_subcommand("reproduce", "Published figures of shipped cases against simulated ones");
    const auto asked = std::make_shared<Asked>();
    app.add_option("NAME", asked->names, "shipped scenarios, or files; all that have published figures if none");
    app.add_flag("--assert", asked->assert_agreement, "end with 99 when a figure that is marked to agree does not");
    app.add_option("-j,--jobs", common.jobs, "worker threads; the results do not depend on it")
        ->check(CLI::Range(0, 1024));
    app.add_option("--json", common.json, "cases, figures and summary as JSON to FILE, - for standard output")
        ->type_name("FILE");
    app.add_flag("-q,--quiet", common.quiet, "no table, no progress");
    app.footer("Examples:\n  narrows reproduce\n  narrows reproduce order-summary --json -\n"
               "  narrows reproduce --assert --quiet");
    app.callback([&common, asked] { reproduce_all(common, *asked); });
}

} // namespace narrows::cli
