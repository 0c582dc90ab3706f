// SPDX-License-Identifier: GPL-3.0-or-later
// Collecting everything that is wrong with a scenario, and finding the nearest right word.
#pragma once

#include "scenario/reader.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace narrows::scenario {

/// Problems found so far. An origin is a file, or a command line option such as "--set load.users".
class Problems {
public:
    /// A new origin's index; the first one made, 0, is the scenario's own file.
    int add_origin(std::string name);
    void error(int origin, Mark mark, std::string message) { add(true, origin, mark, std::move(message)); }
    void warning(int origin, Mark mark, std::string message) { add(false, origin, mark, std::move(message)); }

    [[nodiscard]] std::size_t errors() const { return errors_; }
    [[nodiscard]] bool has_errors() const { return errors_ > 0; }
    /// Too many errors to be of use: reading may stop.
    [[nodiscard]] bool full() const { return errors_ >= kMaxErrors; }
    [[nodiscard]] const std::string& origin(int index) const { return origins_[static_cast<std::size_t>(index)]; }
    /// By origin, then by place.
    [[nodiscard]] std::vector<Problem> sorted() const;

private:
    static constexpr std::size_t kMaxErrors = 200;
    struct Found {
        int origin;
        Problem problem;
    };
    /// The same problem is kept only once.
    void add(bool is_error, int origin, Mark mark, std::string message);

    std::vector<std::string> origins_;
    std::vector<Found> found_;
    std::size_t errors_ = 0;
    std::size_t warnings_ = 0;
};

/// Insertions, deletions, substitutions and swaps of neighbours that turn a into b, or limit + 1
/// when that takes more than `limit`. (Optimal string alignment distance.)
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

/// The known word that a misspelt one was likely meant to be; null when none is near.
[[nodiscard]] const std::string* nearest(std::string_view word, std::span<const std::string> known);

/// "; did you mean 'users'?", or "" when none of the words is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// "a, b and c".
[[nodiscard]] std::string listed(std::span<const std::string> words, std::string_view last = "and");

/// Where a character stands that acts on a terminal instead of being shown (control characters, and those
/// that turn the direction of writing); npos when there is none. Line ends and tabs count unless `prose`.
[[nodiscard]] std::size_t first_control(std::string_view text, bool prose);

/// The same text with such characters spelt out, as in "\x1b"; line ends and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);

} // namespace narrows::scenario
