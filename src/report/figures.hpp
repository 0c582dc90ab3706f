// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a result by name, for assertions, published figures and charts.
#pragma once

#include "measure/result.hpp"
#include "scenario/scenario.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrows::report {

struct Figure {
    double value = 0;
    std::optional<measure::Interval> interval; ///< 95 %, where one can be defended
};

/// "throughput_rps", "goodput_rps", "mean_ms", "p50_ms" … "p999_ms", "max_ms", "makespan_ms",
/// "peak_in_flight", "error_share", "utilization.RESOURCE" (0…1), "queue.RESOURCE",
/// "wait_ms.RESOURCE". Nothing when there is no such figure in this result.
[[nodiscard]] std::optional<Figure> figure(const measure::Result& result, std::string_view name);
/// The names that `figure` knows for this result, in a fixed order.
[[nodiscard]] std::vector<std::string> figure_names(const measure::Result& result);

/// An assertion on a result: "p99_ms < 1000", "p99_ms <= 1s", "utilization.hikari > 90%".
struct Assertion {
    std::string text;
    std::string figure;
    std::string comparison; ///< "<", "<=", ">", ">="
    double limit = 0;
};
/// Throws std::invalid_argument that says what is wrong and what is allowed.
[[nodiscard]] Assertion parse_assertion(std::string_view text);

struct Judgement {
    bool holds = false;
    std::string text; ///< one line: the assertion, the figure, which end was judged
};
/// Judged on the unfavourable end of the interval. A figure that is not a number never holds.
/// Throws std::invalid_argument for a figure this result does not have.
[[nodiscard]] Judgement judge(const Assertion& assertion, const measure::Result& result);

/// Published figures beside simulated ones.
struct Beside {
    std::string figure; ///< "throughput", "p99", "pending:hikari"
    double published = 0, simulated = 0;
    double ratio = 0; ///< simulated / published
    std::string text; ///< "throughput: published 13,700 req/s, simulated 13,512 req/s (0.99 times)"
};
/// Whether a published entry speaks of this result: its thread model and every setting of its `at`.
[[nodiscard]] bool speaks_of(const scenario::Published& published, const measure::Result& result);
[[nodiscard]] std::vector<Beside> beside(const scenario::Published& published, const measure::Result& result);
/// A published figure's name as this program's: "p99" -> "p99_ms", "pending:hikari" -> "queue.hikari".
[[nodiscard]] std::string figure_of_published(std::string_view name);

} // namespace narrows::report
