// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is either complete or not there.
#pragma once

#include <filesystem>
#include <string_view>

namespace narrows::plots {

/// Writes `bytes` to a temporary name in the folder of `file`, forces them to the disk and renames.
/// A file of that name is replaced. On any failure the temporary file is removed and
/// std::runtime_error names the file and the system's reason.
void write_atomically(const std::filesystem::path& file, std::string_view bytes);

} // namespace narrows::plots
