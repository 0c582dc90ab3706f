// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/step_types.hpp"

namespace narrows::scenario {

namespace {

const char* named_thing(Reference::To to) {
    switch (to) {
    case Reference::To::service: return "the name of a service";
    case Reference::To::pool: return "the name of a pool";
    case Reference::To::endpoint: return "the name of a handler of this application";
    case Reference::To::executor: break;
    }
    return "the name of an executor";
}

} // namespace

Type<std::string> reference(Reference::To to) {
    Type<std::string> type = line();
    type.allowed = named_thing(to);
    type.read = [read = type.read, to](Context& context, const Node& node) {
        auto name = read(context, node);
        if (name) context.references.push_back({to, *name, node.mark, node.origin, context.endpoint});
        for (const Node& other : node.alternatives) {
            context.references.push_back({to, other.text, other.mark, other.origin, context.endpoint});
        }
        return name;
    };
    return type;
}

Type<std::string> named(const std::string& what) {
    Type<std::string> type = line();
    type.read = [read = type.read, what](Context& context, const Node& node) {
        auto name = read(context, node);
        if (name && name->empty()) {
            context.error(node, "the name of " + what + " is empty");
            name.reset();
        }
        return name;
    };
    return type;
}

} // namespace narrows::scenario
