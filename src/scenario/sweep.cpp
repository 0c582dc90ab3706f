// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/sweep.hpp"

#include "scenario/quantity.hpp"
#include "scenario/where.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace narrows::scenario {

namespace {

constexpr double kMostValues = static_cast<double>(kMaxPoints);

/// A number and the unit written after it ("" = none).
struct Measured {
    double number = 0;
    std::string unit;
};

std::optional<Measured> measured(std::string_view text) {
    text = trimmed(text);
    double value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || !std::isfinite(value)) return std::nullopt;
    return Measured{value, std::string(trimmed(text.substr(static_cast<std::size_t>(end - text.data()))))};
}

std::string too_many(double count) {
    return fmt::format("makes {:.6g} values; at most {} are allowed", count, kMaxPoints);
}

/// `count` values from low to high, evenly spaced or in even ratios.
std::vector<std::string> spaced(double low, double high, std::size_t count, bool ratios, const std::string& unit) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < count; ++i) {
        const double part = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
        double value = ratios ? low * std::pow(high / low, part) : low + (high - low) * part;
        if (i + 1 == count && count > 1) value = high;
        // 12 digits: what is left of a rounding error in the last places is not meant.
        values.push_back(fmt::format("{:.12g}{}", value, unit));
    }
    return values;
}

/// linspace(1, 10, 5) or logspace(1, 1000, 7). Nothing and an empty fault when it is neither.
std::optional<std::vector<std::string>> space_function(const std::string& text, std::string& fault) {
    const bool ratios = text.starts_with("logspace");
    if (!ratios && !text.starts_with("linspace")) return std::nullopt;
    const std::string form = fmt::format("write {}(from, to, count), as in {}", text.substr(0, 8),
                                         ratios ? "logspace(1, 1000, 7)" : "linspace(1, 10, 5)");
    const std::string_view rest = trimmed(std::string_view(text).substr(8));
    fault = form;
    if (!rest.starts_with('(') || !rest.ends_with(')')) return std::nullopt;
    const std::string_view inside = rest.substr(1, rest.size() - 2);
    const std::size_t one = inside.find(',');
    const std::size_t two = one == std::string_view::npos ? one : inside.find(',', one + 1);
    if (two == std::string_view::npos) return std::nullopt;
    const auto low = measured(inside.substr(0, one));
    const auto high = measured(inside.substr(one + 1, two - one - 1));
    const auto count = parse_integer(inside.substr(two + 1));
    if (!low || !high || !count || *count < 1) return std::nullopt;
    fault = fmt::format("'{}' and '{}' are different units", low->unit, high->unit);
    if (low->unit != high->unit) return std::nullopt;
    fault = "logspace goes between numbers above 0";
    if (ratios && (low->number <= 0 || high->number <= 0)) return std::nullopt;
    fault = too_many(static_cast<double>(*count));
    if (static_cast<double>(*count) > kMostValues) return std::nullopt;
    fault.clear();
    return spaced(low->number, high->number, static_cast<std::size_t>(*count), ratios, low->unit);
}

/// {from: 1, to: 10, step: 2}
std::optional<std::vector<std::string>> range(const Node& node, std::string& fault) {
    fault = "a range is {from: 10, to: 100, step: 10}";
    const Node* from = node.find("from");
    const Node* to = node.find("to");
    const Node* step = node.find("step");
    if (!from || !to || !step || node.entries.size() != 3) return std::nullopt;
    const auto low = measured(from->text);
    const auto high = measured(to->text);
    const auto by = measured(step->text);
    if (!low || !high || !by) return std::nullopt;
    fault = "from, to and step must have the same unit";
    if (low->unit != high->unit || low->unit != by->unit) return std::nullopt;
    fault = "a range goes up: from must not be above to, and step must be above 0";
    if (low->number > high->number || by->number <= 0) return std::nullopt;
    const double count = std::floor((high->number - low->number) / by->number * (1 + 1e-12)) + 1;
    fault = too_many(count);
    if (!(count <= kMostValues)) return std::nullopt;
    fault.clear();
    const double last = low->number + by->number * (count - 1);
    return spaced(low->number, last, static_cast<std::size_t>(count), false, low->unit);
}

class SweepReader {
public:
    SweepReader(Context& context, const Node& node) : context_(context), node_(node) { draft_.origin = node.origin; }

    std::optional<SweepDraft> read() {
        if (!node_.is_mapping()) {
            context_.error(node_,
                           "expected paths with their values, as in load.users: [100, 1000]; found " + node_.shown());
            return std::nullopt;
        }
        for (const Node::Entry& entry : node_.entries)
            read_entry(entry);
        check_zip();
        check_count();
        if (context_.problems.full() || !good_) return std::nullopt;
        check_where();
        return std::move(draft_);
    }

private:
    void refuse(const Node& node, const std::string& message) {
        context_.error(node, message);
        good_ = false;
    }

    void read_entry(const Node::Entry& entry) {
        const Within within(context_, entry.key);
        if (entry.key == "zip") {
            draft_.sweep.zip = boolean().read(context_, entry.value).value_or(false);
        } else if (entry.key == "where") {
            where_ = &entry.value;
            draft_.sweep.where = text().read(context_, entry.value).value_or("");
        } else {
            read_axis(entry);
        }
    }

    void read_axis(const Node::Entry& entry) {
        Axis axis{entry.key, {}, entry.mark};
        std::vector<Mark> marks;
        const Node& value = entry.value;
        bool generated = !value.is_sequence();
        std::string fault;
        if (value.is_sequence()) {
            read_list(value, axis, marks);
        } else if (value.is_mapping()) {
            if (auto values = range(value, fault)) axis.values = std::move(*values);
        } else if (value.is_scalar()) {
            if (auto values = space_function(value.text, fault))
                axis.values = std::move(*values);
            else if (fault.empty())
                axis.values = {value.text}, generated = false;
        }
        if (!fault.empty()) return refuse(value, fault);
        if (axis.values.empty())
            return refuse(value, "has no values; write a list, linspace(…), logspace(…) or {from, to, step}");
        if (marks.empty()) marks.assign(1, value.mark);
        draft_.sweep.axes.push_back(std::move(axis));
        draft_.generated.push_back(generated);
        draft_.marks.push_back(std::move(marks));
    }

    void read_list(const Node& list, Axis& axis, std::vector<Mark>& marks) {
        for (const Node& item : list.items) {
            if (!item.is_scalar()) {
                refuse(item, "a value of an axis is one word or number; found " + item.shown());
                continue;
            }
            axis.values.push_back(item.text);
            marks.push_back(item.mark);
        }
    }

    void check_zip() {
        if (!draft_.sweep.zip || !good_) return;
        for (const Axis& axis : draft_.sweep.axes) {
            const Axis& first = draft_.sweep.axes.front();
            if (axis.values.size() == first.values.size()) continue;
            context_.problems.error(
                node_.origin, axis.mark,
                context_.located(fmt::format("zip needs axes of the same length: {} has {} values, {} has {}",
                                             first.path, first.values.size(), axis.path, axis.values.size())));
            good_ = false;
        }
    }

    void check_count() {
        double product = 1;
        for (const Axis& axis : draft_.sweep.axes)
            product *= static_cast<double>(axis.values.size());
        if (draft_.sweep.zip || product <= kMostValues) return;
        refuse(node_, fmt::format("makes {:.6g} points; at most {} are allowed", product, kMaxPoints));
    }

    void check_where() {
        if (!where_ || !where_->is_scalar()) return;
        std::vector<std::string> paths;
        std::vector<std::vector<std::string>> values;
        for (const Axis& axis : draft_.sweep.axes) {
            paths.push_back(axis.path);
            values.push_back(axis.values);
        }
        const Condition condition(draft_.sweep.where, paths, values);
        const Within within(context_, "where");
        if (!condition.error().empty()) context_.error(*where_, "the condition " + condition.error());
    }

    Context& context_;
    const Node& node_;
    const Node* where_ = nullptr;
    SweepDraft draft_;
    bool good_ = true;
};

Json sweep_schema(SchemaWriter& writer) {
    const Json single{{"type", {"string", "number", "boolean"}}};
    const Json number{{"type", {"string", "number"}}};
    const Json list{{"type", "array"}, {"minItems", 1}, {"items", single}};
    const Json steps{{"type", "object"},
                     {"additionalProperties", false},
                     {"required", {"from", "to", "step"}},
                     {"properties", {{"from", number}, {"to", number}, {"step", number}}}};
    return Json{{"type", "object"},
                {"properties", {{"zip", boolean().schema(writer)}, {"where", text().schema(writer)}}},
                {"additionalProperties", Json{{"anyOf", Json::array({list, single, steps})}}}};
}

} // namespace

void round_generated(std::vector<std::string>& values) {
    std::vector<std::string> rounded;
    for (const std::string& value : values) {
        const double number = parse_number(value).value_or(0);
        std::string whole = fmt::format("{:.0f}", std::floor(number + 0.5));
        if (rounded.empty() || rounded.back() != whole) rounded.push_back(std::move(whole));
    }
    values = std::move(rounded);
}

Type<SweepDraft> sweep() {
    return {"paths with their values", sweep_schema,
            [](Context& context, const Node& node) { return SweepReader(context, node).read(); }};
}

std::vector<Settings> points(const Sweep& sweep) {
    std::vector<std::string> paths;
    std::vector<std::vector<std::string>> texts;
    std::vector<std::vector<Operand>> operands;
    std::size_t count = 1;
    for (const Axis& axis : sweep.axes) {
        paths.push_back(axis.path);
        texts.push_back(axis.values);
        auto& values = operands.emplace_back();
        for (const std::string& value : axis.values)
            values.push_back(operand(value));
        count = sweep.zip ? axis.values.size() : count * axis.values.size();
    }
    const Condition condition(sweep.where, paths, texts);
    std::vector<Settings> all;
    std::vector<std::size_t> at(paths.size());
    std::vector<const Operand*> now(paths.size());
    for (std::size_t n = 0; n < count; ++n) {
        std::size_t rest = n;
        for (std::size_t i = paths.size(); i-- > 0;) { // the last axis is the fastest
            at[i] = sweep.zip ? n : rest % texts[i].size();
            rest /= texts[i].size();
            now[i] = &operands[i][at[i]];
        }
        if (!sweep.where.empty() && !condition.holds(now)) continue;
        Settings& point = all.emplace_back();
        for (std::size_t i = 0; i < paths.size(); ++i)
            point.emplace_back(paths[i], texts[i][at[i]]);
    }
    return all;
}

} // namespace narrows::scenario
