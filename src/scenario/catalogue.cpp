// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/catalogue.hpp"

#include "scenario/embedded.hpp"
#include "scenario/quantity.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace narrows::scenario {

namespace {

/// The value of the line `name: …` at the top level.
std::string_view name_line(std::string_view yaml) {
    constexpr std::string_view kKey = "name:";
    while (!yaml.empty()) {
        const std::size_t end = std::min(yaml.find('\n'), yaml.size());
        std::string_view line = yaml.substr(0, end);
        yaml.remove_prefix(std::min(end + 1, yaml.size()));
        if (!line.starts_with(kKey)) continue;
        line = trimmed(line.substr(kKey.size()));
        const bool quoted = line.size() >= 2 && (line[0] == '"' || line[0] == '\'') && line.back() == line[0];
        return quoted ? line.substr(1, line.size() - 2) : line;
    }
    return {};
}

std::size_t rank(std::string_view folder) {
    constexpr std::array<std::string_view, 4> kOrder{"seeds", "lessons", "examples", "published"};
    return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), folder) - kOrder.begin());
}

std::vector<Shipped> sorted_catalogue() {
    std::vector<Shipped> all;
    for (std::size_t i = 0; i < kEmbeddedCount; ++i) {
        const Embedded& one = kEmbedded[i];
        all.push_back({one.name, one.folder, name_line(one.yaml), one.yaml});
    }
    std::sort(all.begin(), all.end(), [](const Shipped& a, const Shipped& b) {
        return std::tuple{rank(a.folder), a.folder, a.name} < std::tuple{rank(b.folder), b.folder, b.name};
    });
    return all;
}

} // namespace

std::span<const Shipped> catalogue() {
    static const std::vector<Shipped> kAll = sorted_catalogue();
    return kAll;
}

const Shipped* find_shipped(std::string_view name) {
    for (const Shipped& shipped : catalogue()) {
        if (shipped.name == name) return &shipped;
    }
    return nullptr;
}

} // namespace narrows::scenario
