// SPDX-License-Identifier: GPL-3.0-or-later
// What cmake/EmbedScenarios.cmake generates from configs/.
#pragma once

#include <cstddef>

namespace narrows::scenario {

struct Embedded {
    const char* name;
    const char* folder;
    const char* yaml;
};

extern const Embedded kEmbedded[];
extern const std::size_t kEmbeddedCount;

} // namespace narrows::scenario
