// SPDX-License-Identifier: GPL-3.0-or-later
// The YAML text as a tree of our own: every value knows where it stands, overrides can be written
// into it, and nothing that a hostile file can do (aliases that recurse or explode, deep nesting)
// reaches the reader. The only part that knows yaml-cpp.
#pragma once

#include "scenario/problems.hpp"
#include "scenario/scenario.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace narrows::scenario {

inline constexpr std::size_t kMaxTextBytes = 256u << 10; ///< a scenario, or a file it includes: what yaml-cpp
                                                         ///< surely reads within a second, whatever is in it
inline constexpr std::size_t kMaxNodes = 100'000;        ///< values in a file, aliases counted as copies
inline constexpr int kMaxTreeDepth = 300;                ///< below yaml-cpp's own limit of 500

struct Node {
    enum class Kind : std::uint8_t { null, scalar, sequence, mapping };
    struct Entry;

    Kind kind = Kind::null;
    bool quoted = false;
    bool generated = false; ///< of linspace, logspace or a range: rounded where a whole number is wanted
    int origin = 0;         ///< which file or option it comes from: an index of Problems
    int probe = 0;          ///< 1 + number of the sweep axis whose values are tried here; 0 = none
    Mark mark;
    std::string text;               ///< scalar
    std::vector<Node> items;        ///< sequence
    std::vector<Entry> entries;     ///< mapping, in file order, keys unique
    std::vector<Node> alternatives; ///< probe: further scalars to be read like this one

    [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar; }
    [[nodiscard]] bool is_sequence() const { return kind == Kind::sequence; }
    [[nodiscard]] bool is_mapping() const { return kind == Kind::mapping; }
    [[nodiscard]] bool is_null() const { return kind == Kind::null; }
    [[nodiscard]] const Node* find(std::string_view key) const;
    [[nodiscard]] Node* find(std::string_view key);
    /// "a list", "a mapping", "nothing" or the scalar in quotes: for messages.
    [[nodiscard]] std::string shown() const;
};

struct Node::Entry {
    std::string key;
    Mark mark;
    int origin = 0;
    Node value;
};

[[nodiscard]] Node scalar_node(std::string text, Mark mark, int origin);

/// Every document of a YAML text; empty after an error (which is then in `problems`) and for an
/// empty text. Refuses text that is too large, not UTF-8, indented with tabs, or nested too deep.
[[nodiscard]] std::vector<Node> parse_yaml(std::string_view text, int origin, Problems& problems);

} // namespace narrows::scenario
