// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of a text before it is parsed, and reading files with a limit.
#pragma once

#include "scenario/problems.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace narrows::scenario {

/// Where `offset` stands in `text`, columns in bytes.
[[nodiscard]] Mark mark_at(std::string_view text, std::size_t offset);

/// The first byte that is no UTF-8 (overlong forms and surrogates included) or is NUL; npos if all is well.
[[nodiscard]] std::size_t first_bad_utf8(std::string_view text);

/// Where a line's indentation has a tab outside block scalars, comments and blank lines.
[[nodiscard]] std::optional<Mark> first_indenting_tab(std::string_view text);

/// The content of a regular file of at most `limit` bytes; else nothing, and why in `error`.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t limit,
                                                   std::string& error);

/// SHA-256 in lower-case hex.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

} // namespace narrows::scenario
