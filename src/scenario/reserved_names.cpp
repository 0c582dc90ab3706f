// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/reserved_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace narrows::scenario {

namespace {

struct Reserved {
    const char* section;
    const char* what;
    std::vector<std::string> names;
    std::vector<std::string> beginnings; ///< of names that the models make up
};

bool takes(const Reserved& reserved, const std::string& name) {
    return std::find(reserved.names.begin(), reserved.names.end(), name) != reserved.names.end() ||
           std::any_of(reserved.beginnings.begin(), reserved.beginnings.end(),
                       [&](const std::string& beginning) { return name.starts_with(beginning); });
}

} // namespace

void refuse_reserved_names(const Node& root, Problems& problems) {
    static const std::vector<Reserved> kReserved{
        {"services", "service", {"app", "db"}, {}},
        {"pools",
         "pool",
         {"hikari", "carriers", "client", "event loops", "threads", "tomcat.connections", "tomcat.threads",
          "apache-hc5", "apache-hc4", "reactor-netty"},
         {"service ", "monitor ", "lock ", "semaphore ", "executor ", "apache-hc5 ", "apache-hc4 ", "reactor-netty "}}};
    for (const Reserved& reserved : kReserved) {
        const Node* declared = root.find(reserved.section);
        if (!declared) continue;
        for (const Node::Entry& entry : declared->entries) {
            if (!takes(reserved, entry.key)) continue;
            problems.error(entry.origin, entry.mark,
                           fmt::format("the name '{0}' belongs to a part that every service has; call the {1} "
                                       "something else, as in 'my {0}' (taken are {2})",
                                       entry.key, reserved.what, listed(reserved.names)));
        }
    }
}

} // namespace narrows::scenario
