// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/load.hpp"

#include <fmt/format.h>

namespace narrows::scenario {

namespace {

constexpr std::int64_t kMaxUsers = 10'000'000;

const Table<Stage>& stage_table() {
    static const Table<Stage> kTable{
        "a stage",
        {field("for", duration("", true), &Stage::length, "how long it takes", true),
         field("users", whole(0, kMaxUsers), &Stage::users, "reached linearly at its end", true)}};
    return kTable;
}

const Table<Load>& load_table() {
    static const Table<Load> kTable{
        "a load",
        {field("users", whole(1, kMaxUsers), &Load::users, "clients that think, request and repeat"),
         field("think", distribution(), &Load::think, "between an answer and the next request"),
         field("rate", rate(), &Load::rate, "arrivals that do not wait for answers"),
         field("arrivals", choice<Arrivals>({{"poisson", Arrivals::poisson}, {"constant", Arrivals::constant}}),
               &Load::arrivals, "how an open load arrives"),
         field_to<Load>("burst", whole(1, kMaxUsers),
                        std::function<void(Load&, std::int64_t)>([](Load& l, std::int64_t n) { l.requests = n; }),
                        "requests all at once, each on a connection of its own"),
         field("requests", whole(1, 1'000'000'000), &Load::requests,
               "in all, shared evenly by the users (as hey -n -c)"),
         field("stages", list_of("a list of {for, users}", object(stage_table())), &Load::stages,
               "a course of users over time (as k6 ramping-vus)"),
         field("start-users", whole(0, kMaxUsers), &Load::start_users, "users at the start of the stages"),
         field("timeout", duration("", true), &Load::timeout, "after which a client gives up waiting"),
         field("cpu", distribution(), &Load::cpu, "of the load generator, by request, on the application's cores"),
         field("keep-alive", boolean(), &Load::keep_alive, "false: a new connection for every request"),
         field("start", choice<Start>({{"spread", Start::spread}, {"together", Start::together}}), &Load::start,
               "first requests spread over the first cycle, or all together"),
         field("thread-per", choice<ThreadPer>({{"request", ThreadPer::request}, {"user", ThreadPer::user}}),
               &Load::thread_per, "user: users are threads of the application that loop, without Tomcat")}};
    return kTable;
}

/// The loads there are: what makes each, what else it takes.
struct Shape {
    LoadKind kind;
    std::string example;
    std::vector<std::string> made_by;
    std::vector<std::string> takes;
};

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> kShapes{
        {LoadKind::burst, "{burst: 600}", {"burst"}, {"timeout", "cpu", "keep-alive"}},
        {LoadKind::open, "{rate: 2000/s}", {"rate"}, {"arrivals", "timeout", "cpu", "keep-alive"}},
        {LoadKind::stages,
         "{stages: [{for: 10s, users: 1000}]}",
         {"stages"},
         {"start-users", "think", "timeout", "cpu", "keep-alive", "start"}},
        {LoadKind::fixed,
         "{users: 100, requests: 3000}",
         {"users", "requests"},
         {"timeout", "cpu", "keep-alive", "start", "thread-per"}},
        {LoadKind::closed,
         "{users: 1000}",
         {"users"},
         {"think", "timeout", "cpu", "keep-alive", "start", "thread-per"}},
    };
    return kShapes;
}

std::string kinds() {
    std::vector<std::string> all;
    for (auto shape = shapes().rbegin(); shape != shapes().rend(); ++shape)
        all.push_back(shape->example);
    return "a load is one of " + listed(all, "or");
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// `entry` does not belong to a load of this shape. Where the load was made by an option or by a
/// sweep on top of the file, it is that one which is out of place.
void refuse_company(Context& context, const Node& node, const Node::Entry& entry, const Shape& shape) {
    std::vector<std::string> takes = shape.made_by;
    takes.insert(takes.end(), shape.takes.begin(), shape.takes.end());
    const std::string rest =
        fmt::format("a load with '{}' takes {}; {}", listed(shape.made_by), listed(takes), kinds());
    const Node& maker = *node.find(shape.made_by.front());
    if (maker.probe > 0 || maker.origin > entry.origin) {
        context.error(maker, fmt::format("'{}' does not go with '{}'; {}", shape.made_by.front(), entry.key, rest));
    } else {
        context.error_at(entry, fmt::format("'{}' does not go with '{}'; {}", entry.key, listed(shape.made_by), rest));
    }
}

/// The shape that the given keys make, after saying which of them do not belong to it.
void decide_kind(Context& context, const Node& node, Load& load) {
    const auto given = [&](const std::string& key) { return node.find(key) != nullptr; };
    const auto shape = std::find_if(shapes().begin(), shapes().end(), [&](const Shape& s) {
        return std::all_of(s.made_by.begin(), s.made_by.end(), given);
    });
    if (shape == shapes().end()) {
        if (all_known(node, load_table()))
            context.error(node, "says neither users, rate, burst nor stages; " + kinds());
        return;
    }
    load.kind = shape->kind;
    for (const Node::Entry& entry : node.entries) {
        if (!load_table().find(entry.key) || contains(shape->made_by, entry.key) || contains(shape->takes, entry.key)) {
            continue;
        }
        refuse_company(context, node, entry, *shape);
    }
}

void check_amounts(Context& context, const Node& node, const Load& load) {
    if (load.kind == LoadKind::fixed && load.requests < load.users) {
        context.error(node, fmt::format("{} requests are fewer than {} users; each user sends requests / users",
                                        load.requests, load.users));
    }
    if (load.thread_per == ThreadPer::user) {
        for (const char* key : {"think", "timeout", "cpu", "keep-alive"}) {
            if (node.find(key) == nullptr) continue;
            context.error(*node.find(key),
                          fmt::format("'{}' is a client's; with thread-per: user there is none, for the "
                                      "users are threads of the application",
                                      key));
        }
    }
    if (load.kind != LoadKind::stages) return;
    const bool nobody = load.start_users == 0 && std::all_of(load.stages.begin(), load.stages.end(),
                                                             [](const Stage& stage) { return stage.users == 0; });
    if (nobody && !load.stages.empty()) context.error(node, "no stage has any users");
}

Json load_schema(SchemaWriter& writer) {
    Json schema = schema_of(load_table(), writer);
    Json one_of = Json::array();
    for (const Shape& shape : shapes()) {
        Json properties = Json::object();
        for (const auto* keys : {&shape.made_by, &shape.takes}) {
            for (const std::string& key : *keys)
                properties[key] = true;
        }
        one_of.push_back(
            Json{{"required", shape.made_by}, {"properties", properties}, {"additionalProperties", false}});
    }
    schema["oneOf"] = std::move(one_of);
    return schema;
}

const Table<Measure>& measure_table() {
    static const Table<Measure> kTable{
        "measure",
        {field("warmup", word_or("auto", duration()), &Measure::warmup, "left out at the start; auto = by MSER-5"),
         field("duration", duration("", true), &Measure::duration, "measured time after the warm-up"),
         field("replications", word_or("auto", whole(1, 100'000)), &Measure::replications,
               "runs with numbers of their own; auto = until precision is reached"),
         field("precision", share(), &Measure::precision, "relative error of throughput and p99 that auto tolerates"),
         field("max-replications", whole(4, 100'000), &Measure::max_replications, "where auto gives up"),
         field("seed", whole(0, std::numeric_limits<std::int64_t>::max()), &Measure::seed, "of all random numbers")}};
    return kTable;
}

} // namespace

Type<Load> load() {
    Type<Load> type = object(load_table());
    type.schema = load_schema;
    type.read = [read = type.read](Context& context, const Node& node) {
        auto value = read(context, node);
        if (value && node.is_mapping()) {
            value->mark = node.mark;
            decide_kind(context, node, *value);
            check_amounts(context, node, *value);
        }
        return value;
    };
    return type;
}

Type<Measure> measure() {
    Type<Measure> type = object(measure_table());
    type.read = [read = type.read](Context& context, const Node& node) {
        auto value = read(context, node);
        if (value && value->precision <= 0) context.error(node, "precision must be above 0, such as 2%");
        return value;
    };
    return type;
}

} // namespace narrows::scenario
