// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/table.hpp"

#include <fmt/format.h>

namespace narrows::scenario {

std::string unknown_key(Context& context, const Node::Entry& entry, const std::string& owner,
                        const std::vector<std::string>& known) {
    const std::string shown = entry.key.size() <= 60 ? entry.key : entry.key.substr(0, 57) + "…";
    if (entry.value.is_null() && entry.key.ends_with(')')) {
        context.error_at(entry, fmt::format("'{}' is the rest of a value that was cut at its comma; inside {{ }} "
                                            "such a value needs quotes",
                                            shown));
        return "";
    }
    context.error_at(entry, fmt::format("unknown key '{}'{}; {} has {}", shown, did_you_mean(entry.key, known), owner,
                                        listed(known)));
    const std::string* meant = nearest(entry.key, known);
    return meant ? *meant : "";
}

} // namespace narrows::scenario
