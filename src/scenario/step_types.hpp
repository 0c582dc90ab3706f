// SPDX-License-Identifier: GPL-3.0-or-later
// Types of values that several steps have.
#pragma once

#include "scenario/table.hpp"

namespace narrows::scenario {

/// `query: 1ms` for `query: {cpu: 1ms}`: what is no mapping is the value of one member.
template <class T, class V, class M> Type<T> either(Type<V> plain, M T::* member, const Table<T>& table) {
    return {plain.allowed + ", or " + table.name + " with " + listed(table.keys()),
            [plain, &table](SchemaWriter& writer) {
                return Json{{"anyOf", Json::array({plain.schema(writer), schema_of(table, writer)})}};
            },
            [plain, member, &table](Context& context, const Node& node) -> std::optional<T> {
                T value;
                if (node.is_mapping()) {
                    read_fields(context, node, table, value);
                    return value;
                }
                auto simple = plain.read(context, node);
                if (!simple) return std::nullopt;
                value.*member = static_cast<M>(std::move(*simple));
                return value;
            }};
}

/// A text that must be declared elsewhere; checked when everything is read.
[[nodiscard]] Type<std::string> reference(Reference::To to);
/// A name that is not empty. `what` completes "the name of …".
[[nodiscard]] Type<std::string> named(const std::string& what);

} // namespace narrows::scenario
