// SPDX-License-Identifier: GPL-3.0-or-later
// Paths into a scenario: "load.users", "request[0].cpu", "services.enrichment.latency",
// "server.tomcat.threads.max", 'services."my.service".latency'.
#pragma once

#include "scenario/tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrows::scenario {

struct PathPart {
    std::string key;
    int index = -1; ///< >= 0: the item of a list, and no key
};

/// Nothing and `error` when it cannot be read. A Spring property comes out as the two parts
/// "application" and its whole name.
[[nodiscard]] std::optional<std::vector<PathPart>> parse_path(std::string_view path, std::string& error);

/// Whether the path leads to something that is written in the tree.
[[nodiscard]] bool leads_somewhere(const Node& root, const std::vector<PathPart>& path);

/// Whether `path` is the place `whole` or lies below it, whatever names for it Boot would take for the same.
[[nodiscard]] bool lies_within(std::string_view path, std::string_view whole);

/// Puts a value there, making mappings on the way where there is nothing; "" or why it cannot.
[[nodiscard]] std::string put(Node& root, const std::vector<PathPart>& path, Node value);

} // namespace narrows::scenario
