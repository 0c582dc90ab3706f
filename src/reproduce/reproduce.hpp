// SPDX-License-Identifier: GPL-3.0-or-later
// Cases: shipped scenarios with published figures, run at the points the figures speak of and judged.
#pragma once

#include "experiment/experiment.hpp"
#include "report/text.hpp"
#include "reproduce/verdict.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace narrows::reproduce {

/// An entry of `published:` with its point.
struct Entry {
    scenario::Settings at;
    std::vector<Line> lines;
    std::string note, remark;
    std::string failure; ///< the run of its point failed: no lines
};

struct Case {
    std::string name;   ///< "order-summary"
    std::string title;  ///< the scenario's `name:`
    std::string source; ///< the source's title
    std::string runs;   ///< "3 × 20 s": replications and measured time of a point
    std::size_t guessed = 0, fitted = 0;
    std::vector<Entry> entries;
};

/// "n of m".
struct Tally {
    std::size_t right = 0, of = 0;
    void add(bool is_right) {
        ++of;
        if (is_right) ++right;
    }
};

struct Summary {
    std::size_t cases = 0, judged = 0, forbidden = 0, fitted_figures = 0;
    Tally throughputs, medians, tails, others, outcomes;
    Tally derived;                       ///< expectations that nobody printed; of all kinds, in no other tally
    Tally orderings;                     ///< pairs of points that differ in one setting: the same one is ahead
    std::size_t guessed = 0, fitted = 0; ///< parameters
    std::size_t unexplained = 0;         ///< misses without a remark
    std::vector<std::string> broken;     ///< marked to agree, and they do not: "case: at: figure"
    std::size_t failures = 0;            ///< points that could not be run
};

/// A scenario of that name cannot be used: it does not exist, has errors or no published figures.
struct NoCase : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The names of all shipped scenarios of seeds and published that have published figures, sorted as `narrows list`.
[[nodiscard]] std::vector<std::string> shipped_cases();

/// Runs the points of all published entries of these scenarios, each point once, and judges them, in order.
/// Nothing of it depends on options.jobs. Throws NoCase, experiment::Interrupted.
[[nodiscard]] std::vector<Case> run(const std::vector<std::string>& names, const experiment::Options& options);

[[nodiscard]] Summary summary(const std::vector<Case>& cases);

/// Figures a line, remarks, summary.
[[nodiscard]] std::string text(const std::vector<Case>& cases, const report::Style& style);
/// One object: {"cases": […], "summary": {…}}.
[[nodiscard]] std::string json(const std::vector<Case>& cases);

/// "load.users = 2500, threads = virtual"; "as it stands" for no settings.
[[nodiscard]] std::string at_text(const scenario::Settings& at);

} // namespace narrows::reproduce
