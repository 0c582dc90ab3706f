// SPDX-License-Identifier: GPL-3.0-or-later
// Results as CSV (RFC 4180, lines end with \n): one row a point and thread model, the columns of
// docs/output.md. Every row of one file has the same columns.
#pragma once

#include "measure/result.hpp"

#include <span>
#include <string>

namespace narrows::report {

/// Heading and rows. Columns for swept settings ("at.PATH") and resources are the union over all
/// results, in order of first appearance; a figure that a row does not have is empty.
[[nodiscard]] std::string to_csv(std::span<const measure::Result> results);

/// The series of results that have one, a row a step: threads, from_s, step_s, answered, throughput_rps, goodput_rps,
/// p50_ms, p99_ms, in_flight, queue.RESOURCE (mean number waiting). Empty = no such figure.
[[nodiscard]] std::string series_csv(std::span<const measure::Result> results);

} // namespace narrows::report
