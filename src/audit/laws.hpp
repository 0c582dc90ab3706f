// SPDX-License-Identifier: GPL-3.0-or-later
// Operational laws (P. Denning, J. Buzen, "The operational analysis of queueing network models", ACM Comp.
// Surveys 1978; E. Lazowska et al., "Quantitative System Performance", 1984, ch. 3 and 5). They hold of any
// finite time and any distribution, so that figures that break them cannot be as stated.
#pragma once

#include "audit/table.hpp"
#include "measure/result.hpp"

#include <string>
#include <vector>

namespace narrows::audit {

/// A law that is broken. `stated` and `limit` are in the unit that `law`'s row in docs/audit.md names.
struct Finding {
    std::string law; ///< "users", "Little", "threads", "pool", "cores", "utilization", "response"; of a result also
                     ///< "bound RESOURCE", "Little at RESOURCE"
    std::string message;
    double stated = 0, limit = 0;
};

/// What the laws say about one row or one result.
struct Verdict {
    int line = 0;
    std::string label;
    int checks = 0; ///< laws for which enough is stated
    std::vector<Finding> findings;
    std::vector<std::string> implied; ///< what the stated figures imply about those that are not
};

/// Judges a row. A figure is flagged when it is beyond a law's limit by more than `tolerance` (relative, e.g.
/// 0.02: printed figures are rounded). Bounds from holds and demands are held against the requests that did not
/// fail, since a failed one need not have held anything.
[[nodiscard]] Verdict check(const Row& row, double tolerance);

/// Judges a result, simulated or live, by the same laws: its throughput against its bounds (lower end of its
/// 95 % interval), Little's law for the whole and for each queue and pool, the utilization law for processors.
/// What stood in a queue when the measured window began or ended is allowed for, beside `tolerance`.
[[nodiscard]] Verdict check(const measure::Result& result, double tolerance);

} // namespace narrows::audit
