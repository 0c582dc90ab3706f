// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/types.hpp"

#include "scenario/quantity.hpp"

#include <cmath>
#include <fmt/format.h>

namespace narrows::scenario {

namespace {

const std::string kNumberPattern = "[0-9]*\\.?[0-9]+([eE][-+]?[0-9]+)?";
const std::string kDurationPattern = "^\\s*" + kNumberPattern + "\\s*(ns|us|µs|μs|ms|s|m|min|h)\\s*$";
const std::string kRatePattern = "^\\s*" + kNumberPattern + "\\s*((requests|req|r)?\\s*/\\s*(s|min|h))?\\s*$";

std::optional<std::int64_t> read_whole(Context& context, const Node& node) {
    if (node.probe > 0) context.whole[static_cast<std::size_t>(node.probe) - 1] = true;
    if (node.generated) {
        const auto value = parse_number(node.text);
        if (!value || std::abs(*value) > 0x1.0p53) return std::nullopt;
        return static_cast<std::int64_t>(std::floor(*value + 0.5));
    }
    return parse_integer(node.text);
}

} // namespace

Json SchemaWriter::refer(const std::string& name, const std::function<Json()>& make) {
    if (!definitions.contains(name)) {
        definitions[name] = Json::object(); // stands there while it is made, so that recursion ends
        Json made = make();
        definitions[name] = std::move(made);
    }
    return Json{{"$ref", "#/$defs/" + name}};
}

Type<std::string> text() {
    return scalar<std::string>("a text", Json{{"type", {"string", "number", "boolean"}}},
                               [](Context&, const Node& node, Fault&) { return std::optional(node.text); });
}

Type<std::string> line() {
    return scalar<std::string>("a text of one line", Json{{"type", {"string", "number", "boolean"}}},
                               [](Context&, const Node& node, Fault&) -> std::optional<std::string> {
                                   std::string value = node.text;
                                   while (value.ends_with('\n')) // of a block scalar
                                       value.pop_back();
                                   if (first_control(value, false) != std::string::npos) return std::nullopt;
                                   return value;
                               });
}

Type<bool> boolean() {
    Type<bool> type = choice<bool>({{"true", true}, {"false", false}});
    type.schema = [](SchemaWriter&) { return Json{{"type", "boolean"}}; };
    return type;
}

Type<std::int64_t> whole(std::int64_t low, std::int64_t high) {
    const std::string allowed = fmt::format("a whole number from {} to {}", low, high);
    return scalar<std::int64_t>(allowed, Json{{"type", "integer"}, {"minimum", low}, {"maximum", high}},
                                [low, high, allowed](Context& context, const Node& node, Fault& fault) {
                                    auto value = read_whole(context, node);
                                    if (value && (*value < low || *value > high)) {
                                        fault.message = node.shown() + " is out of range; allowed: " + allowed;
                                        value.reset();
                                    }
                                    return value;
                                });
}

Type<double> number(double low, double high, bool inclusive) {
    const std::string allowed =
        fmt::format("a number {} {} {} {}", inclusive ? "from" : "above", low, inclusive ? "to" : "and at most", high);
    const Json schema{{"type", "number"}, {inclusive ? "minimum" : "exclusiveMinimum", low}, {"maximum", high}};
    return scalar<double>(allowed, schema, [=](Context&, const Node& node, Fault& fault) {
        auto value = parse_number(node.text);
        if (value && (*value < low || *value > high || (!inclusive && *value == low))) {
            fault.message = node.shown() + " is out of range; allowed: " + allowed;
            value.reset();
        }
        return value;
    });
}

Type<double> share() {
    const Json schema{
        {"anyOf", Json::array({Json{{"type", "number"}, {"minimum", 0}, {"maximum", 1}},
                               Json{{"type", "string"}, {"pattern", "^\\s*" + kNumberPattern + "\\s*%\\s*$"}}})}};
    return scalar<double>("a share such as 80% or 0.8, from 0 to 1", schema, [](Context&, const Node& node, Fault&) {
        auto value = parse_share(node.text);
        if (value && (*value < 0 || *value > 1)) value.reset();
        return value;
    });
}

Type<double> rate() {
    const Json schema{{"anyOf", Json::array({Json{{"type", "number"}, {"exclusiveMinimum", 0}},
                                             Json{{"type", "string"}, {"pattern", kRatePattern}}})}};
    return scalar<double>("a rate above 0 and at most 1e9/s, such as 2000/s or 120/min", schema,
                          [](Context&, const Node& node, Fault&) {
                              auto value = parse_rate(node.text);
                              if (value && (*value <= 0 || *value > 1e9)) value.reset();
                              return value;
                          });
}

Type<std::int64_t> size() {
    const std::string allowed = "a size such as 512MB, with a unit (B, KB, MB, GB, KiB, MiB, GiB), at most 100TB";
    const Json schema{
        {"anyOf",
         Json::array({Json{{"type", "integer"}, {"minimum", 0}, {"maximum", 100'000'000'000'000}},
                      Json{{"type", "string"}, {"pattern", "^\\s*" + kNumberPattern + "\\s*([KMGT]i?)?B\\s*$"}}})}};
    return scalar<std::int64_t>(allowed, schema, [](Context&, const Node& node, Fault&) {
        auto value = parse_size(node.text);
        if (!value) value = parse_integer(node.text);
        if (value && (*value < 0 || *value > 100'000'000'000'000)) value.reset();
        return value;
    });
}

Type<Duration> duration(std::string bare_unit, bool above_zero) {
    std::string allowed = fmt::format("a duration such as 100ms, with a unit ({})", kDurationUnits);
    Json schema{{"type", "string"}, {"pattern", kDurationPattern}};
    if (!bare_unit.empty()) {
        allowed = fmt::format("a duration such as 30s, or a number of {}", bare_unit);
        schema = Json{{"anyOf", Json::array({schema, Json{{"type", "number"}, {"minimum", 0}}})}};
    }
    return scalar<Duration>(
        allowed, schema, [bare_unit, above_zero](Context&, const Node& node, Fault& fault) -> std::optional<Duration> {
            DurationFault wrong{};
            const double ns = parse_duration_ns(node.text, bare_unit, wrong);
            if (wrong != DurationFault::none) {
                fault.message = node.shown() + " " + describe(wrong);
                return std::nullopt;
            }
            const Duration value(static_cast<std::int64_t>(ns + 0.5));
            if (above_zero && value.count() == 0) {
                fault.message = node.shown() + " must be at least 1ns";
                return std::nullopt;
            }
            return value;
        });
}

Type<double> duration_ns() {
    Type<Duration> whole_ns = duration();
    return {whole_ns.allowed, whole_ns.schema, [read = whole_ns.read](Context& context, const Node& node) {
                const auto value = read(context, node);
                return value ? std::optional(static_cast<double>(value->count())) : std::nullopt;
            }};
}

Type<Distribution> distribution() {
    const Json schema{{"type", "string"},
                      {"pattern", "^\\s*(" + kNumberPattern + "\\s*(ns|us|µs|μs|ms|s|m|min|h)|(" + distribution_laws() +
                                      ")\\s*\\(.*\\))\\s*$"},
                      {"description", "A duration, " + distribution_forms()}};
    const auto parse = [](Context& context, const Node& node, Fault& fault) {
        return read_distribution(node.text, context.folder, fault, &context.included);
    };
    auto type =
        scalar<Distribution>("a duration or a distribution, such as 100ms or exponential(100ms)", schema, parse);
    type.schema = [schema](SchemaWriter& writer) { return writer.refer("distribution", [&] { return schema; }); };
    return type;
}

} // namespace narrows::scenario
