// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/context.hpp"

#include <algorithm>

namespace narrows::scenario {

void Context::error_inside(const Node& node, std::size_t offset, const std::string& message) {
    Mark mark = node.mark;
    // A value over several lines is folded, so only its start is known.
    if (mark.line > 0 && node.text.find('\n') == std::string::npos) {
        mark.column += static_cast<int>(offset) + (node.quoted ? 1 : 0);
    }
    problems.error(node.origin, mark, located(message));
}

std::string Context::located(const std::string& message) const {
    // The last few keys are enough to find one's way; deep handlers would fill the line otherwise.
    constexpr std::size_t kShown = 4;
    std::string where;
    for (std::size_t i = path.size() - std::min(path.size(), kShown); i < path.size(); ++i) {
        if (!where.empty() && !path[i].starts_with('[')) where += '.';
        where += path[i].size() <= 60 ? path[i] : path[i].substr(0, 57) + "…";
    }
    return where.empty() ? message : where + ": " + message;
}

} // namespace narrows::scenario
