// SPDX-License-Identifier: GPL-3.0-or-later
// Distributions as one writes them: "exponential(120us)", "lognormal(mean=100ms, p99=300ms)".
#pragma once

#include "random/distribution.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace narrows::scenario {

/// What is wrong with a text, and at which byte of it.
struct Fault {
    std::string message;
    std::size_t offset = 0;
};

/// Nothing when it is none; then `fault` says what and where. Files of empirical(…) are read from
/// `folder`; their bytes are appended to `*included` (for the scenario's checksum) unless null.
[[nodiscard]] std::optional<Distribution> read_distribution(std::string_view text, const std::filesystem::path& folder,
                                                            Fault& fault, std::string* included = nullptr);

/// The samples of a CSV file in nanoseconds, sorted. `column` is a heading, a number from 1, or ""
/// for the first; `unit` is that of values written without one. Nothing and `error` when it fails.
[[nodiscard]] std::optional<std::vector<double>> read_samples(std::string_view csv, std::string_view column,
                                                              std::string_view unit, std::string& error);

/// One line for messages and the schema: which laws there are.
[[nodiscard]] std::string distribution_forms();
/// Their names, as alternatives of a regular expression.
[[nodiscard]] std::string distribution_laws();

} // namespace narrows::scenario
