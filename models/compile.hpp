// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario + thread model -> Plan. Each mechanism has its file beside this one, with the source of
// every rule it applies.
#pragma once

#include "plan/plan.hpp"
#include "scenario/scenario.hpp"

namespace narrows::models {

/// The plan of `scenario` under `threads`. Always passes plan::problems(). Throws
/// std::invalid_argument with a readable reason for what a scenario may say but no model can run
/// (e.g. retries nested deeper than plan::kCounters).
[[nodiscard]] plan::Plan compile(const scenario::Scenario& scenario, scenario::Threads threads);

/// Things a user should know before trusting a run, e.g. a property that the thread model ignores
/// (server.tomcat.threads.max with virtual threads), more connections than the database accepts.
[[nodiscard]] std::vector<std::string> warnings(const scenario::Scenario& scenario, scenario::Threads threads);

/// Bytes of one thread's stack under this model: committed memory of a platform thread, heap of a virtual one.
[[nodiscard]] double thread_bytes(const scenario::Scenario& scenario, scenario::Threads threads);

/// The thread model to use when none is asked for: `threads:`, else virtual if
/// spring.threads.virtual.enabled, else platform.
[[nodiscard]] scenario::Threads default_threads(const scenario::Scenario& scenario);

} // namespace narrows::models
