// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of value that a field of a scenario can have. A Type reads a node, says what is
// allowed, and describes itself as JSON Schema: one definition for the three.
#pragma once

#include "random/distribution.hpp"
#include "scenario/context.hpp"
#include "scenario/distribution_text.hpp"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace narrows::scenario {

using Json = nlohmann::ordered_json;

/// Collects named definitions ($defs) while a schema is made, so that steps can contain steps.
class SchemaWriter {
public:
    /// {"$ref": …} to `name`, made by `make` at the first mention.
    Json refer(const std::string& name, const std::function<Json()>& make);
    Json definitions = Json::object();
};

template <class V> struct Type {
    std::string allowed; ///< completes "allowed: …"
    std::function<Json(SchemaWriter&)> schema;
    /// Nothing after an error, which is then in the context.
    std::function<std::optional<V>(Context&, const Node&)> read;
};

/// A type whose values are scalars, made from a parser of their text. A scalar with alternatives
/// (a sweep's axis) has every one of them tried.
template <class V>
Type<V> scalar(std::string allowed, Json schema, std::function<std::optional<V>(Context&, const Node&, Fault&)> parse) {
    const auto one = [allowed, parse](Context& context, const Node& node) -> std::optional<V> {
        if (!node.is_scalar()) {
            context.error(node, "expected " + allowed + ", found " + node.shown());
            return std::nullopt;
        }
        Fault fault;
        std::optional<V> value = parse(context, node, fault);
        if (!value) {
            if (fault.message.empty()) fault.message = node.shown() + " is not allowed; allowed: " + allowed;
            context.error_inside(node, fault.offset, fault.message);
        }
        return value;
    };
    return {allowed, [schema](SchemaWriter&) { return schema; },
            [one](Context& context, const Node& node) {
                for (const Node& other : node.alternatives)
                    (void)one(context, other);
                return one(context, node);
            }};
}

template <class To, class From> Type<To> converted(Type<From> from) {
    return {from.allowed, from.schema, [read = from.read](Context& context, const Node& node) -> std::optional<To> {
                auto value = read(context, node);
                return value ? std::optional<To>(static_cast<To>(std::move(*value))) : std::nullopt;
            }};
}

/// A fixed set of words.
template <class E> Type<E> choice(std::vector<std::pair<std::string, E>> words) {
    std::vector<std::string> names;
    for (const auto& [name, value] : words)
        names.push_back(name);
    return scalar<E>(listed(names, "or"), Json{{"enum", names}},
                     [words, names](Context&, const Node& node, Fault& fault) -> std::optional<E> {
                         for (const auto& [name, value] : words) {
                             if (name == node.text) return value;
                         }
                         fault.message = node.shown() + " is not allowed; allowed: " + listed(names, "or") +
                                         did_you_mean(node.text, names);
                         return std::nullopt;
                     });
}

/// A word that stands for "no value" (auto, unlimited), or another type's value.
template <class V> Type<std::optional<V>> word_or(std::string word, Type<V> other) {
    return {word + ", or " + other.allowed,
            [word, other](SchemaWriter& schema) {
                return Json{{"anyOf", Json::array({Json{{"const", word}}, other.schema(schema)})}};
            },
            [word, other](Context& context, const Node& node) -> std::optional<std::optional<V>> {
                for (const Node& alternative : node.alternatives) {
                    if (alternative.text != word) (void)other.read(context, alternative);
                }
                if (node.is_scalar() && node.text == word) return std::optional<V>();
                Node plain = node;
                plain.alternatives.clear();
                auto value = other.read(context, plain);
                return value ? std::optional(std::optional<V>(std::move(*value))) : std::nullopt;
            }};
}

/// Names of the user's own -> values.
template <class V> Type<std::map<std::string, V>> dictionary(std::string allowed, Type<V> value) {
    return {allowed,
            [value](SchemaWriter& schema) {
                return Json{{"type", "object"}, {"additionalProperties", value.schema(schema)}};
            },
            [allowed, value](Context& context, const Node& node) -> std::optional<std::map<std::string, V>> {
                if (!node.is_mapping()) {
                    context.error(node, "expected " + allowed + ", found " + node.shown());
                    return std::nullopt;
                }
                std::map<std::string, V> all;
                for (const Node::Entry& entry : node.entries) {
                    if (context.problems.full()) break;
                    const Within within(context, entry.key);
                    if (auto one = value.read(context, entry.value)) all.emplace(entry.key, std::move(*one));
                }
                return all;
            }};
}

/// At least one value, in order.
template <class V> Type<std::vector<V>> list_of(std::string allowed, Type<V> value) {
    return {allowed,
            [value](SchemaWriter& schema) {
                return Json{{"type", "array"}, {"minItems", 1}, {"items", value.schema(schema)}};
            },
            [allowed, value](Context& context, const Node& node) -> std::optional<std::vector<V>> {
                if (!node.is_sequence() || node.items.empty()) {
                    const std::string found = node.is_sequence() ? "an empty list" : node.shown();
                    context.error(node, "expected " + allowed + ", found " + found);
                    return std::nullopt;
                }
                std::vector<V> all;
                for (std::size_t i = 0; i < node.items.size() && !context.problems.full(); ++i) {
                    const Within within(context, "[" + std::to_string(i) + "]");
                    if (auto one = value.read(context, node.items[i])) all.push_back(std::move(*one));
                }
                return all;
            }};
}

[[nodiscard]] Type<std::string> text(); ///< may have several lines
[[nodiscard]] Type<std::string> line(); ///< has one: what stands in tables
[[nodiscard]] Type<bool> boolean();
[[nodiscard]] Type<std::int64_t> whole(std::int64_t low, std::int64_t high);
/// Above `low` (or from it, if `inclusive`) to `high`.
[[nodiscard]] Type<double> number(double low, double high, bool inclusive = false);
[[nodiscard]] Type<double> share();      ///< 0 … 1, or 0% … 100%
[[nodiscard]] Type<double> rate();       ///< requests per second, above 0
[[nodiscard]] Type<std::int64_t> size(); ///< bytes
/// `bare_unit`: the unit of a number without one; "" = there must be one.
[[nodiscard]] Type<Duration> duration(std::string bare_unit = "", bool above_zero = false);
[[nodiscard]] Type<double> duration_ns(); ///< a figure: nanoseconds as a double
[[nodiscard]] Type<Distribution> distribution();

/// A default as it would be written, for the schema; null when there is none to show.
[[nodiscard]] inline Json shown_default(bool value) {
    return value;
}
[[nodiscard]] inline Json shown_default(std::int64_t value) {
    return value;
}
[[nodiscard]] inline Json shown_default(int value) {
    return value;
}
[[nodiscard]] inline Json shown_default(std::uint64_t value) {
    return value;
}
[[nodiscard]] inline Json shown_default(double value) {
    return value;
}
[[nodiscard]] inline Json shown_default(Duration value) {
    return duration_text(static_cast<double>(value.count()));
}
[[nodiscard]] inline Json shown_default(const Distribution& value) {
    return value.text();
}
template <class T> Json shown_default(const T&) {
    return nullptr;
}
template <class T> Json shown_default(const std::optional<T>& value) {
    return value ? shown_default(*value) : Json(nullptr);
}

} // namespace narrows::scenario
