// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "scenario/catalogue.hpp"
#include "scenario/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>

namespace narrows::cli {

namespace {

constexpr const char* kWelcome = R"(Narrows shows where the queue forms in a blocking web service.

It reads a description of a service (its Spring Boot settings, its request handler, its database,
the services it calls, its load), runs it under platform threads, virtual threads and an event loop,
and says what throughput and tail latency to expect, which resource is the narrowest, and how long
the queue in front of it is.

Three commands to try:

  narrows run order-summary --set load.users=2500 --threads virtual
        one point: throughput, latency, every resource, and the bottleneck with its evidence
  narrows sweep order-summary
        every point of its sweep, platform beside virtual threads, and how the bottleneck moved
  narrows plan order-summary
        what each thread model does at every step that waits: hold the thread, or park

More: narrows list shows the shipped scenarios, narrows explain SCENARIO says why the figures are what
they are, narrows --help names every command. A scenario of your own is a YAML file; narrows check
FILE tells what is wrong with it.
)";

void add_all(CLI::App& program, Common& common) {
    add_run(program, common);
    add_compare(program, common);
    add_sweep(program, common);
    add_check(program, common);
    add_plan(program, common);
    add_explain(program, common);
    add_audit(program, common);
    add_plot(program, common);
    add_reproduce(program, common);
    add_schema(program, common);
    add_list(program, common);
    // "" is what a shell makes of a variable that is not set: nothing is not what was meant.
    const CLI::Validator not_empty(
        [](const std::string& text) { return text.empty() ? std::string("it is empty") : std::string(); }, "", "");
    for (auto* command : program.get_subcommands([](CLI::App*) { return true; }))
        for (auto* option : command->get_options())
            if (option->get_type_size_max() > 0) option->check(not_empty);
}

/// Throws Fatal(kUsage) when the first argument is neither a command nor an option.
void check_command(const CLI::App& program, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    const std::string given = argv[1];
    std::vector<std::string> names;
    for (const auto* command : program.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), given) != names.end()) return;
    std::string help = scenario::did_you_mean(given, names);
    std::error_code ignored;
    if (help.empty() && (scenario::find_shipped(given) != nullptr || std::filesystem::exists(given, ignored)))
        help = fmt::format("; to run this scenario: narrows run {}", shell_quoted(given));
    throw Fatal(kUsage, fmt::format("there is no command '{}'{}\nThe commands are {}; narrows --help tells what each "
                                    "does.",
                                    given.substr(0, 60), help, scenario::listed(names)));
}

/// "; did you mean '--set'?" for the first unknown option among what was left over.
std::string nearest_option(const CLI::App& command, const std::vector<std::string>& left) {
    std::vector<std::string> known;
    for (const auto* option : command.get_options())
        for (const auto& name : option->get_lnames())
            known.push_back("--" + name);
    for (const auto& word : left)
        if (word.starts_with("--")) return scenario::did_you_mean(word.substr(0, word.find('=')), known);
    return "";
}

int parse_and_run(CLI::App& program, Common& common, int argc, char** argv) {
    check_command(program, argc, argv);
    try {
        program.parse(argc, argv);
        if (program.get_subcommands().empty()) print(kWelcome);
        return common.exit_code;
    } catch (const CLI::CallForHelp&) {
        const auto chosen = program.get_subcommands();
        print(chosen.empty() ? program.help() : chosen.front()->help("narrows"));
        return kOk;
    } catch (const CLI::CallForVersion&) {
        print(fmt::format("narrows {}\n", NARROWS_VERSION));
        return kOk;
    } catch (const CLI::ParseError& error) {
        const auto chosen = program.get_subcommands();
        const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !chosen.empty();
        say(fmt::format("narrows: {}{}", error.what(),
                        extra ? nearest_option(*chosen.front(), program.remaining(true)) : ""));
        say(fmt::format("narrows {}--help says what is allowed",
                        chosen.empty() ? "" : chosen.front()->get_name() + " "));
        return kUsage;
    }
}

int main_(int argc, char** argv) {
    keep_standard_streams_apart();
    install_signal_handlers();
    Common common;
    for (int i = 0; i < argc; ++i)
        common.command += (i > 0 ? " " : "") + shell_quoted(i > 0 ? argv[i] : "narrows");
    CLI::App program("Shows where the queue forms in a blocking web service.", "narrows");
    program.set_version_flag("--version", std::string(NARROWS_VERSION));
    program.require_subcommand(0, 1);
    program.footer("narrows COMMAND --help tells more and has examples.\n"
                   "Exit codes: 0 ok, 1 audit found broken laws, 2 usage or scenario error, 3 fatal warnings, 4 some "
                   "runs failed or "
                   "output was lost,\n"
                   "5 precision not reached, 99 an assertion failed, 130 interrupted.");
    try {
        add_all(program, common);
        return parse_and_run(program, common, argc, argv);
    } catch (const Fatal& error) {
        say(fmt::format("narrows: {}", error.what()));
        return error.code;
    } catch (const experiment::Interrupted&) {
        say("narrows: interrupted, nothing is kept of an unfinished point");
        return kInterrupted;
    } catch (const std::invalid_argument& error) {
        say(fmt::format("narrows: {}", error.what()));
        return kUsage;
    } catch (const std::bad_alloc&) {
        say("narrows: out of memory");
        return kFailed;
    } catch (const std::exception& error) {
        say(fmt::format("narrows: {}", error.what()));
        return kFailed;
    }
}

} // namespace

} // namespace narrows::cli

int main(int argc, char** argv) {
    return narrows::cli::main_(argc, argv);
}
