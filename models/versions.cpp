// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/rules.hpp"

#include <charconv>

namespace narrows::models {

Version version_of(std::string_view text) {
    Version out{};
    for (int& part : out) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
        if (error != std::errc()) break;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty() || text.front() != '.') break;
        text.remove_prefix(1);
    }
    return out;
}

Version library_version(const scenario::Runtime& runtime, const std::string& library, const Version& otherwise) {
    const auto found = runtime.versions.find(library);
    if (found == runtime.versions.end()) return otherwise;
    const Version version = version_of(found->second);
    return version == Version{} ? otherwise : version;
}

} // namespace narrows::models
