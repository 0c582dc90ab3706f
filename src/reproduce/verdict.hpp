// SPDX-License-Identifier: GPL-3.0-or-later
// One published figure against the simulated one: whether they agree, and whether the published one
// can be true at all.
#pragma once

#include "measure/result.hpp"
#include "scenario/scenario.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrows::reproduce {

enum class Verdict {
    agrees,              ///< within its tolerance
    misses,              ///< outside, or this run has no such figure
    forbidden,           ///< the laws forbid the published figure for the scenario's own parameters
    outcome_as_reported, ///< deadlock, time-outs, limiting resource, pinning
    outcome_differs,
    fitted, ///< a parameter was fitted to it: no test
};
/// "agrees", "misses", "the laws forbid the published figure", "outcome as reported", "outcome differs",
/// "fitted to this".
[[nodiscard]] const char* word(Verdict verdict);

/// What a figure is, and so how near it must come.
enum class Kind {
    throughput,  ///< and makespans, which are requests / throughput: within 10 %
    median,      ///< p50 and means: within 15 %
    tail,        ///< p90, p95, p99, max: within a factor of 1.5
    utilization, ///< within 10 points of a percentage
    waiting,     ///< a mean number in a queue: within a factor of 1.5
    outcome,     ///< a word
};
[[nodiscard]] Kind kind_of(std::string_view figure);
/// Whether a simulated figure is near enough to a published one of this kind; both in the same unit.
/// What is not finite never is.
[[nodiscard]] bool near(Kind kind, double published, double simulated);

struct Line {
    std::string figure; ///< "throughput", "p99", "outcome", …
    Kind kind = Kind::throughput;
    std::string published_text, simulated_text; ///< for people, with units
    double published = 0, simulated = 0;        ///< 1/s, ms, share, number; NaN for a word
    std::optional<measure::Interval> interval;  ///< 95 %, of the simulated one
    double ratio = 0;                           ///< simulated / published; NaN for a word
    Verdict verdict = Verdict::misses;
    std::string law;       ///< forbidden: the bound that forbids it, as a formula
    bool asserted = false; ///< marked to agree
    bool derived = false;  ///< not printed by the source: counted apart
};
[[nodiscard]] bool is_miss(const Line& line);

/// By how much a published figure may pass a bound, for rounding and for what "about" means.
inline constexpr double kBoundTolerance = 0.02;

/// The bound of `result` that a published figure breaks, as text; "" when none does. A throughput may not
/// exceed the narrowest bound; a makespan may not be shorter than the requests at that bound take. `value` in
/// 1/s or ms.
[[nodiscard]] std::string broken_law(std::string_view figure, double value, const measure::Result& result);

/// What became of a run, of the words a report can use; the worst that holds.
[[nodiscard]] scenario::ReportedOutcome outcome_of(const measure::Result& result);
/// Whether the report's word holds for this run: "errors" holds for time-outs too, and "timeouts" for a stall
/// that time-outs undo.
[[nodiscard]] bool outcome_holds(scenario::ReportedOutcome reported, const measure::Result& result);

/// Every figure and word of an entry against the result of its point, in a fixed order. `laws_bind`: bounds can
/// forbid figures; not where a parameter was fitted, for then the bound rests on a figure of the same source.
[[nodiscard]] std::vector<Line> judge(const scenario::Published& entry, const measure::Result& result,
                                      bool laws_bind = true);

} // namespace narrows::reproduce
