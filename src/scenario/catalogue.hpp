// SPDX-License-Identifier: GPL-3.0-or-later
// The scenarios under configs/, embedded in the binary and known by their file name.
#pragma once

#include <span>
#include <string_view>

namespace narrows::scenario {

struct Shipped {
    std::string_view name;   ///< "order-summary"
    std::string_view folder; ///< "seeds", "published", "lessons", "examples"
    std::string_view about;  ///< its `name:` line, for `narrows list`
    std::string_view yaml;
};

/// Sorted by folder (seeds, lessons, examples, published), then name.
[[nodiscard]] std::span<const Shipped> catalogue();
/// Nothing when no shipped scenario has that name.
[[nodiscard]] const Shipped* find_shipped(std::string_view name);

} // namespace narrows::scenario
