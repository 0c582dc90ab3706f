// SPDX-License-Identifier: GPL-3.0-or-later
// Verdicts for people and for programs.
#pragma once

#include "audit/laws.hpp"
#include "report/text.hpp"

#include <span>
#include <string>

namespace narrows::audit {

/// Every flagged row with its reasons, what other rows imply, and a summary.
[[nodiscard]] std::string to_text(std::span<const Verdict> verdicts, double tolerance, const report::Style& style);

/// JSON lines: `file`, `line` (0 for a result alone in its file's line), `label`, `flagged`, `checks`, `findings`
/// [{`law`, `stated`, `limit`, `message`}], `implied`.
[[nodiscard]] std::string to_json_lines(std::span<const Verdict> verdicts, const std::string& file);

} // namespace narrows::audit
