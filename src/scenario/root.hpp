// SPDX-License-Identifier: GPL-3.0-or-later
// The top level of a scenario file.
#pragma once

#include "scenario/sweep.hpp"
#include "scenario/table.hpp"

#include <set>

namespace narrows::scenario {

/// A scenario in the making: what the file says beside what the Scenario will hold.
struct Draft {
    Scenario scenario;
    SweepDraft sweep;
    std::set<std::string> broken; ///< keys below which there are errors
};

[[nodiscard]] const Table<Draft>& root_table();
/// The schema of the whole, without $schema and $defs.
[[nodiscard]] Json root_schema(SchemaWriter& writer);

} // namespace narrows::scenario
