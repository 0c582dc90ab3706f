// SPDX-License-Identifier: GPL-3.0-or-later
// A table of measurements, of whatever origin: CSV (RFC 4180; lines that begin with # are comments)
// with a heading, columns by name. docs/audit.md describes the columns.
#pragma once

#include "scenario/reader.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrows::audit {

/// One line of measurements. A figure that is not stated is absent; times are milliseconds.
struct Row {
    int line = 0;
    std::string label, source;
    std::optional<double> users;           ///< closed: how many there are, each with one request at most
    std::optional<double> throughput_rps;  ///< requests a second, of all users together
    std::optional<double> mean_ms;         ///< mean response time (no median: the laws speak of means)
    std::optional<double> think_ms;        ///< mean, between an answer and the next request
    std::optional<double> threads;         ///< of the pool that runs requests
    std::optional<double> hold_ms;         ///< least time that a request keeps its thread
    std::optional<double> pool;            ///< permits, e.g. connections
    std::optional<double> pool_hold_ms;    ///< least time that a request keeps its permit
    std::optional<double> cores;           ///< of the processor
    std::optional<double> demand_ms;       ///< CPU time of a request
    std::optional<double> utilization_pct; ///< of all cores together, 0 … 100
    std::optional<double> cycle_ms;        ///< least time from one request of a user to the next
    std::optional<double> errors;          ///< share of requests that failed, 0 … 1
};

struct Table {
    std::vector<Row> rows;
    std::vector<scenario::Problem> problems; ///< all of them, with line and column (bytes, from 1)
};

/// Reads a table; `file` names it in problems. Wrong or doubled headings, cells that are no number, negative
/// numbers, zeros where something is divided by, and lines that are too short or too long are errors; then
/// there are no rows. Never throws for bad input.
[[nodiscard]] Table read_csv(std::string_view text, const std::string& file);

} // namespace narrows::audit
