// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/published.hpp"

namespace narrows::scenario {

namespace {

/// at: {load.users: 2500, threads: virtual}, in the order of the file.
Type<Settings> settings() {
    const Json schema{{"type", "object"}, {"additionalProperties", Json{{"type", {"string", "number", "boolean"}}}}};
    return {"paths with values", [schema](SchemaWriter&) { return schema; },
            [](Context& context, const Node& node) -> std::optional<Settings> {
                if (!node.is_mapping()) {
                    context.error(node, "expected paths with values, as in {load.users: 2500}; found " + node.shown());
                    return std::nullopt;
                }
                Settings all;
                for (const Node::Entry& entry : node.entries) {
                    const Within within(context, entry.key);
                    if (auto value = text().read(context, entry.value)) all.emplace_back(entry.key, std::move(*value));
                }
                return all;
            }};
}

Field<Published> figure(std::string key, const Type<double>& type, std::string doc) {
    const auto store = [key](Published& into, double value) { into.figures[key] = value; };
    return field_to<Published, double>(key, type, store, std::move(doc));
}

/// A figure of each named resource, stored as "key:NAME".
Field<Published> figure_each(const std::string& key, const Type<double>& type, std::string doc) {
    using Values = std::map<std::string, double>;
    const auto store = [key](Published& into, const Values& values) {
        for (const auto& [name, value] : values)
            into.figures[key + ":" + name] = value;
    };
    return field_to<Published, Values>(key, dictionary("names of resources with figures", type), store, std::move(doc));
}

Type<ReportedOutcome> outcome() {
    std::vector<std::pair<std::string, ReportedOutcome>> words;
    for (const auto one :
         {ReportedOutcome::flows, ReportedOutcome::errors, ReportedOutcome::timeouts, ReportedOutcome::stall,
          ReportedOutcome::deadlock, ReportedOutcome::unstable, ReportedOutcome::out_of_memory})
        words.emplace_back(word(one), one);
    return choice<ReportedOutcome>(std::move(words));
}

const Table<Published>& published_table() {
    static const Table<Published> kTable{
        "a published figure",
        {field("at", settings(), &Published::at, "the point it was measured at"),
         figure("throughput", rate(), "requests per second"), figure("mean", duration_ns(), "of the latency"),
         figure("p50", duration_ns(), "of the latency"), figure("p90", duration_ns(), "of the latency"),
         figure("p95", duration_ns(), "of the latency"), figure("p99", duration_ns(), "of the latency"),
         figure("max", duration_ns(), "of the latency"),
         figure("makespan", duration_ns(), "from the first request to the last answer"),
         figure_each("utilization", share(), "busy share of a resource"),
         figure_each("pending", number(0, 1e9, true), "mean number of requests waiting for a resource"),
         field("outcome", outcome(), &Published::outcome, "what became of the run"),
         field("pinned", boolean(), &Published::pinned, "whether waiting requests pinned carriers"),
         field("bottleneck", text(), &Published::bottleneck, "the resource that limited"),
         field("fitted", boolean(), &Published::fitted, "a parameter was fitted to this: shown, not judged"),
         field("derived", boolean(), &Published::derived, "follows by arithmetic or rules, not printed"),
         field("agrees", boolean(), &Published::agrees, "reproduce --assert fails when it does not agree"),
         field("note", text(), &Published::note, "what to know about the figure"),
         field("remark", text(), &Published::remark, "why it misses: a mechanism or a contradiction")}};
    return kTable;
}

} // namespace

Type<Published> published() {
    Type<Published> type = object(published_table());
    type.read = [read = type.read](Context& context, const Node& node) {
        auto value = read(context, node);
        if (value) value->mark = node.mark;
        return value;
    };
    return type;
}

} // namespace narrows::scenario
