// SPDX-License-Identifier: GPL-3.0-or-later
// One function a command: adds it to the program; its callback runs it and sets exit_code.
#pragma once

#include "cli/common.hpp"

namespace narrows::cli {

void add_run(CLI::App& program, Common& common);
void add_compare(CLI::App& program, Common& common);
void add_sweep(CLI::App& program, Common& common);
void add_check(CLI::App& program, Common& common);
void add_plan(CLI::App& program, Common& common);
void add_explain(CLI::App& program, Common& common);
void add_audit(CLI::App& program, Common& common);
void add_plot(CLI::App& program, Common& common);
void add_schema(CLI::App& program, Common& common);
void add_reproduce(CLI::App& program, Common& common);
void add_list(CLI::App& program, Common& common);

/// Published figures of a scenario that speak of exactly the point that `settings` make under the
/// model of `result`, beside it, as lines; "" when there are none.
[[nodiscard]] std::string published_beside(const std::string& file, const scenario::Scenario& scenario,
                                           const scenario::Settings& settings, const measure::Result& result);

} // namespace narrows::cli
