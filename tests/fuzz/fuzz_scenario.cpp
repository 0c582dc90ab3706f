// SPDX-License-Identifier: GPL-3.0-or-later
// Any text must give a scenario or errors, never both and never neither; and it must not throw, hang
// or break a rule of the language on the way.
#include "scenario/reader.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace narrows::scenario;
    std::string_view text(reinterpret_cast<const char*>(data), size);
    // A first line "#set path=value" is an override, so that those are fuzzed too.
    Settings overrides;
    while (text.starts_with("#set ")) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(5, end - std::min<std::size_t>(end, 5));
        const std::size_t equals = std::min(line.find('='), line.size());
        overrides.emplace_back(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    // A folder without files: nothing outside the text may matter.
    const Reading read = read_text(text, "fuzz.yaml", "/nonexistent", overrides);
    bool errors = false;
    for (const Problem& problem : read.problems) {
        errors = errors || problem.is_error;
        if (problem.message.empty() || problem.text().find('\n') != std::string::npos) std::abort();
    }
    if (errors == read.scenario.has_value()) std::abort();
    if (read.scenario && read.scenario->sweep.axes.size() <= 3) {
        std::size_t most = 1;
        for (const Axis& axis : read.scenario->sweep.axes)
            most *= axis.values.size();
        if (most <= 1000 && points(read.scenario->sweep).size() > most) std::abort();
    }
    return 0;
}
