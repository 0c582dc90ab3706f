// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of finished points. Each is one file, complete or absent: written under a temporary
// name, flushed to the disk, renamed. The first line holds key and checksum, the second the result.
#pragma once

#include "measure/result.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace narrows::experiment {

class Store {
public:
    /// Makes the folder when it is missing and locks it for this process. Throws
    /// std::runtime_error when it cannot, e.g. because another sweep has it.
    explicit Store(const std::filesystem::path& folder);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    struct Found {
        std::optional<measure::Result> result;
        std::string note; ///< set when a file was there but damaged; it will be computed again
    };
    /// The result saved under `key`. A file of another key (same name by chance) is not found.
    [[nodiscard]] Found find(const std::string& key) const;

    /// Saves. Throws std::runtime_error that names the file and the reason; then nothing is left.
    void save(const std::string& key, const measure::Result& result) const;

    /// Where `key` is kept: a name made from a hash of it.
    [[nodiscard]] std::filesystem::path file(const std::string& key) const;

private:
    std::filesystem::path folder_;
    int lock_ = -1;
};

/// 128 bits of a text as 32 hex digits, for names and checksums; not against an adversary.
[[nodiscard]] std::string fingerprint(const std::string& text);

} // namespace narrows::experiment
