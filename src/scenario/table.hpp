// SPDX-License-Identifier: GPL-3.0-or-later
// Field tables: what keys a mapping has. From one table come the reading, the error texts and the
// JSON Schema.
#pragma once

#include "scenario/types.hpp"

#include <algorithm>

namespace narrows::scenario {

template <class T> struct Field {
    std::string key;
    std::string doc;
    bool required = false;
    std::vector<std::string> aliases;
    std::function<void(Context&, const Node&, T&)> read;
    std::function<Json(SchemaWriter&)> schema;
    Json default_value;

    [[nodiscard]] bool matches(std::string_view word) const {
        return key == word || std::find(aliases.begin(), aliases.end(), word) != aliases.end();
    }
};

template <class T> struct Table {
    std::string name; ///< "a load": for messages and for the schema's $defs
    std::vector<Field<T>> fields;

    [[nodiscard]] const Field<T>* find(std::string_view word) const {
        for (const Field<T>& field : fields) {
            if (field.matches(word)) return &field;
        }
        return nullptr;
    }
    [[nodiscard]] std::vector<std::string> keys() const {
        std::vector<std::string> all;
        for (const Field<T>& field : fields)
            all.push_back(field.key);
        return all;
    }
};

/// A field stored in a member (which the type's value converts to).
template <class T, class V, class M>
Field<T> field(std::string key, Type<V> type, M T::* member, std::string doc, bool required = false,
               std::vector<std::string> aliases = {}) {
    Field<T> made;
    made.key = std::move(key);
    made.doc = std::move(doc);
    made.required = required;
    made.aliases = std::move(aliases);
    made.schema = type.schema;
    if (!required) made.default_value = shown_default(T{}.*member);
    made.read = [read = type.read, member](Context& context, const Node& node, T& into) {
        if (auto value = read(context, node)) into.*member = static_cast<M>(std::move(*value));
    };
    return made;
}

/// A field whose value goes elsewhere: `store(into, value)`.
template <class T, class V>
Field<T> field_to(std::string key, Type<V> type, std::function<void(T&, V)> store, std::string doc,
                  bool required = false) {
    Field<T> made;
    made.key = std::move(key);
    made.doc = std::move(doc);
    made.required = required;
    made.schema = type.schema;
    made.read = [read = type.read, store](Context& context, const Node& node, T& into) {
        if (auto value = read(context, node)) store(into, std::move(*value));
    };
    return made;
}

/// Reports it. Returns the key that it was likely meant to be; "" when there is none.
std::string unknown_key(Context& context, const Node::Entry& entry, const std::string& owner,
                        const std::vector<std::string>& known);

template <class T> bool has(const Node& node, const Field<T>& field) {
    return std::any_of(node.entries.begin(), node.entries.end(),
                       [&](const Node::Entry& entry) { return field.matches(entry.key); });
}

/// Whether a mapping has only keys that the table knows: else what seems to be missing may be misspelt.
template <class T> bool all_known(const Node& node, const Table<T>& table) {
    return std::all_of(node.entries.begin(), node.entries.end(),
                       [&](const Node::Entry& entry) { return table.find(entry.key) != nullptr; });
}

/// Reads a mapping's entries into a value; every problem is reported, what is good is stored. What stands
/// under a misspelt key is read as that of the nearest one, so that its errors come up at once too.
template <class T> void read_fields(Context& context, const Node& node, const Table<T>& table, T& into) {
    if (!node.is_mapping()) {
        context.error(node, "expected " + table.name + ", a mapping with " + listed(table.keys()) + "; found " +
                                node.shown());
        return;
    }
    std::vector<const Field<T>*> meant;
    for (const Node::Entry& entry : node.entries) {
        if (context.problems.full()) return;
        const Field<T>* field = table.find(entry.key);
        std::string key = entry.key;
        if (!field) {
            field = table.find(unknown_key(context, entry, table.name, table.keys()));
            if (!field || has(node, *field)) continue;
            meant.push_back(field);
            context.take_for(entry, field->key);
            key = field->key; // in messages too: the next reading finds it so
        }
        const Within within(context, std::move(key));
        field->read(context, entry.value, into);
    }
    for (const Field<T>& field : table.fields) {
        const bool given = has(node, field) || std::find(meant.begin(), meant.end(), &field) != meant.end();
        if (field.required && !given) context.error(node, "'" + field.key + "' is missing: " + field.doc);
    }
}

template <class T> Json properties_of(const Table<T>& table, SchemaWriter& writer) {
    Json properties = Json::object();
    for (const Field<T>& field : table.fields) {
        Json schema = field.schema(writer);
        if (!field.doc.empty()) schema["description"] = field.doc;
        if (!field.default_value.is_null()) schema["default"] = field.default_value;
        for (const std::string& alias : field.aliases)
            properties[alias] = schema;
        properties[field.key] = std::move(schema);
    }
    return properties;
}

template <class T> Json schema_of(const Table<T>& table, SchemaWriter& writer) {
    Json schema{{"type", "object"}, {"additionalProperties", false}, {"properties", properties_of(table, writer)}};
    Json required = Json::array();
    for (const Field<T>& field : table.fields) {
        if (field.required) required.push_back(field.key);
    }
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}

/// The type of values that a table describes. `table` must live on (they are function statics).
template <class T> Type<T> object(const Table<T>& table) {
    return {table.name, [&table](SchemaWriter& writer) { return schema_of(table, writer); },
            [&table](Context& context, const Node& node) {
                T value;
                read_fields(context, node, table, value);
                return std::optional<T>(std::move(value));
            }};
}

} // namespace narrows::scenario
