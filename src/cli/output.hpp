// SPDX-License-Identifier: GPL-3.0-or-later
// Where texts go. Data on stdout, everything else on stderr; a file is complete or absent.
#pragma once

#include "report/text.hpp"

#include <string>
#include <string_view>

namespace narrows::cli {

/// Throws Fatal(kFailed) when stdout cannot take it (closed pipe, full disk).
void print(std::string_view text);
/// A line on stderr; errors there are ignored, there is no one left to tell. Control characters, which may come
/// from a file's name or a command line, are spelt out.
void say(std::string_view text);

/// Writes a file under a temporary name and renames it; "-" is stdout. Throws Fatal(kFailed) that
/// names file and reason, and leaves no half file.
void write_file(const std::string& path, std::string_view text);

/// Throws as write_file would where no file can be made at this place; leaves nothing behind.
void check_writable(const std::string& path);

/// The whole of a file, or of stdin for "-". Throws Fatal(kUsage).
[[nodiscard]] std::string read_file(const std::string& path);

/// Colour when stdout is a terminal that has it and NO_COLOR (https://no-color.org) is not set.
[[nodiscard]] report::Style stdout_style();

/// A word as a shell reads it back.
[[nodiscard]] std::string shell_quoted(std::string_view word);

} // namespace narrows::cli
