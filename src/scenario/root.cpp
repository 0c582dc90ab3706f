// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/root.hpp"

#include "scenario/load.hpp"
#include "scenario/published.hpp"
#include "scenario/spring.hpp"
#include "scenario/steps.hpp"

#include <fmt/format.h>

namespace narrows::scenario {

namespace {

const Table<Costs>& costs_table() {
    static const Table<Costs> kTable{
        "costs",
        {field("mount", duration(), &Costs::mount, "CPU to mount a virtual thread again after it parked"),
         field("virtual-start", duration(), &Costs::virtual_start, "CPU to create and start a virtual thread"),
         field("wake", duration(), &Costs::wake, "CPU to block and wake a platform thread once"),
         field("platform-start", duration(), &Costs::platform_start, "CPU to create a platform thread"),
         field("event", duration(), &Costs::event, "CPU to dispatch one event on an event loop"),
         field("yield", duration(), &Costs::yield, "CPU of one Thread.yield, when a connection is given back")}};
    return kTable;
}

const Table<Memory>& memory_table() {
    static const Table<Memory> kTable{
        "memory",
        {field("heap", size(), &Memory::heap, "-Xmx; unset: memory is not modelled"),
         field("collector", choice<Collector>({{"g1", Collector::g1}, {"parallel", Collector::parallel}}),
               &Memory::collector, "which garbage collector"),
         field("baseline", size(), &Memory::baseline, "live when nobody asks"),
         field("allocation", size(), &Memory::allocation, "allocated by each request"),
         field("request", size(), &Memory::request, "of that, live until the request ends"),
         field("connection", size(), &Memory::connection, "live by each connection"),
         field("thread-locals", size(), &Memory::thread_locals, "live by each thread"),
         field("thread-stack", size(), &Memory::thread_stack, "committed by a platform thread, outside the heap"),
         field("stack-depth", whole(1, 100'000), &Memory::stack_depth, "frames of a virtual thread that waits"),
         field("pause-goal", duration("", true), &Memory::pause_goal, "-XX:MaxGCPauseMillis, of g1")}};
    return kTable;
}

Type<Host> host() {
    return choice<Host>({{"own", Host::own}, {"application", Host::application}});
}

const Table<Runtime>& runtime_table() {
    static const Table<Runtime> kTable{
        "runtime",
        {field("jdk", whole(21, 25), &Runtime::jdk, "decides what unmounts, holds or pins"),
         field("cores", number(0, 4096), &Runtime::cores, "the application's CPUs; carriers follow them"),
         field("cpu-quota", number(0, 4096), &Runtime::cpu_quota, "a container's CPU limit, in cores"),
         field("cpu-period", duration("", true), &Runtime::cpu_period, "in which the quota is used up"),
         field("memory", object(memory_table()), &Runtime::memory, "the Java heap"),
         field("carriers", whole(1, 32767), &Runtime::carriers, "jdk.virtualThreadScheduler.parallelism"),
         field("max-pool-size", whole(1, 32767), &Runtime::max_pool_size, "jdk.virtualThreadScheduler.maxPoolSize"),
         field("event-loops", whole(1, 32767), &Runtime::event_loops, "unset: the greater of cores and 4"),
         field("run-queue", choice<RunQueue>({{"fifo", RunQueue::fifo}, {"two-level", RunQueue::two_level}}),
               &Runtime::run_queue, "how carriers queue virtual threads"),
         field("versions", dictionary("names with versions", line()), &Runtime::versions,
               "of libraries, such as hikari: 7.0.2"),
         field("costs", object(costs_table()), &Runtime::costs, "CPU costs of switching")}};
    return kTable;
}

Type<PoolDiscipline> pool_discipline() {
    return choice<PoolDiscipline>(
        {{"fifo", PoolDiscipline::fifo}, {"barging", PoolDiscipline::barging}, {"hikari", PoolDiscipline::hikari}});
}

const Table<Database>& database_table() {
    static const Table<Database> kTable{
        "database",
        {field("cores", number(0, 4096), &Database::cores, "the database's CPUs"),
         field("max_connections", whole(1, 1'000'000), &Database::max_connections,
               "more are refused (PostgreSQL's default is 100)", false, {"max-connections"}),
         field("usl-alpha", number(0, 1, true), &Database::usl_alpha,
               "contention per further active connection (Universal Scalability Law)"),
         field("usl-beta", number(0, 1, true), &Database::usl_beta,
               "coherency per pair of active connections (Universal Scalability Law)"),
         field("hand-off", pool_discipline(), &Database::hand_off, "how HikariCP passes connections on"),
         field("connect", distribution(), &Database::connect,
               "to open one more connection, when HikariCP's pool grows"),
         field("host", host(), &Database::host, "whose cores it computes on")}};
    return kTable;
}

Type<Client> client() {
    return choice<Client>({{word(Client::apache_hc5), Client::apache_hc5},
                           {word(Client::apache_hc4), Client::apache_hc4},
                           {word(Client::jdk), Client::jdk},
                           {word(Client::reactor_netty), Client::reactor_netty}});
}

const Table<Service>& service_table() {
    static const Table<Service> kTable{
        "a service",
        {field("latency", distribution(), &Service::latency, "from call to answer, without waiting"),
         field("limit", whole(1, 10'000'000), &Service::limit, "calls it serves at once; the others wait there"),
         field("cores", number(0, 4096), &Service::cores, "its own CPUs, for cpu:"),
         field("cpu", distribution(), &Service::cpu, "service demand of a call on its cores"),
         field("client", client(), &Service::client, "which HTTP client calls it; unset: one without limits"),
         field("host", host(), &Service::host, "whose cores it computes on")}};
    return kTable;
}

const Table<ClientLimits>& apache_table() {
    static const Table<ClientLimits> kTable{
        "limits of a client",
        {field("per-route", whole(1, 1'000'000), &ClientLimits::per_route, "connections to one service"),
         field("total", whole(1, 1'000'000), &ClientLimits::total, "connections to all of them"),
         field("timeout", duration(), &ClientLimits::timeout, "of the wait for a connection; 0s = for ever")}};
    return kTable;
}

const Table<ClientLimits>& netty_table() {
    static const Table<ClientLimits> kTable{
        "limits of a client",
        {field("per-route", whole(1, 1'000'000), &ClientLimits::per_route, "connections to one service"),
         field("pending", whole(0, 1'000'000), &ClientLimits::pending, "calls that may wait for a connection"),
         field("timeout", duration(), &ClientLimits::timeout, "of that wait; 0s = for ever")}};
    return kTable;
}

const Table<Clients>& clients_table() {
    static const Table<Clients> kTable{
        "clients",
        {field(word(Client::apache_hc5), object(apache_table()), &Clients::apache_hc5, "Apache HttpClient 5"),
         field(word(Client::apache_hc4), object(apache_table()), &Clients::apache_hc4, "Apache HttpClient 4"),
         field(word(Client::reactor_netty), object(netty_table()), &Clients::reactor_netty, "Reactor Netty")}};
    return kTable;
}

const Table<Executor>& executor_table() {
    static const Table<Executor> kTable{
        "an executor",
        {field("threads",
               choice<ExecutorThreads>(
                   {{"platform", ExecutorThreads::platform}, {"virtual", ExecutorThreads::virtual_threads}}),
               &Executor::threads, "what runs its tasks"),
         field("core-size", whole(1, 1'000'000), &Executor::core_size, "platform: threads"),
         field("max-size", whole(1, 2147483647), &Executor::max_size, "platform: threads when the queue is full"),
         field("queue-capacity", whole(0, 2147483647), &Executor::queue_capacity, "platform: tasks that wait"),
         field("limit", whole(1, 2147483647), &Executor::limit, "virtual: tasks at once; unset: any number"),
         field("reject", boolean(), &Executor::reject,
               "virtual, at the limit: refuses the task; else who submits it waits")}};
    return kTable;
}

const Table<NamedPool>& pool_table() {
    static const Table<NamedPool> kTable{
        "a pool",
        {field("size", whole(1, 10'000'000), &NamedPool::size, "permits", true),
         field("timeout", duration(), &NamedPool::timeout, "of the wait for a permit; 0s = for ever"),
         field("wait",
               choice<PoolWait>({{"park", PoolWait::park},
                                 {"object-wait", PoolWait::object_wait},
                                 {"in-monitor", PoolWait::in_monitor}}),
               &NamedPool::wait, "how a thread waits for a permit"),
         field("discipline", pool_discipline(), &NamedPool::discipline, "how permits are passed on")}};
    return kTable;
}

/// An object that also remembers where it stands.
template <class T> Type<T> marked(Type<T> type) {
    type.read = [read = type.read](Context& context, const Node& node) {
        auto value = read(context, node);
        if (value) value->mark = node.mark;
        return value;
    };
    return type;
}

Type<Service> service() {
    Type<Service> type = marked(object(service_table()));
    type.read = [read = type.read](Context& context, const Node& node) {
        auto value = read(context, node);
        if (!node.is_mapping() || !all_known(node, service_table())) return value;
        const bool guest = value && value->host == Host::application;
        if (guest && node.find("cores")) {
            context.error(node, "a service on the application's cores (host: application) has no cores of its own");
        } else if (guest && !node.find("cpu")) {
            context.error(node, "a service on the application's cores (host: application) needs cpu");
        } else if (guest) {
            return value;
        } else if (!node.find("latency") && !node.find("cpu")) {
            context.error(node, "a service needs a latency, or cores and cpu, or both");
        } else if ((node.find("cpu") != nullptr) != (node.find("cores") != nullptr)) {
            context.error(node, "cpu and cores of a service go together");
        }
        return value;
    };
    return type;
}

/// A key that has no meaning for this kind of threads is a mistake, and so are fewer threads at most than at least.
Type<Executor> executor() {
    Type<Executor> type = marked(object(executor_table()));
    type.read = [read = type.read](Context& context, const Node& node) {
        auto value = read(context, node);
        if (!value || !node.is_mapping()) return value;
        const bool on_virtual = value->threads == ExecutorThreads::virtual_threads;
        for (const Node::Entry& entry : node.entries) {
            const bool of_virtual = entry.key == "limit" || entry.key == "reject";
            const bool of_platform =
                entry.key == "core-size" || entry.key == "max-size" || entry.key == "queue-capacity";
            if (on_virtual ? of_platform : of_virtual)
                context.error_at(entry,
                                 fmt::format("'{}' is for {} threads, and this executor's are {}", entry.key,
                                             on_virtual ? "platform" : "virtual", on_virtual ? "virtual" : "platform"));
        }
        if (!on_virtual && value->max_size < value->core_size)
            context.error(node, fmt::format("max-size {} is below core-size {}", value->max_size, value->core_size));
        return value;
    };
    return type;
}

const Table<Endpoint>& endpoint_table() {
    static const Table<Endpoint> kTable{
        "an endpoint",
        {field("weight", number(0, 1e9), &Endpoint::weight, "its share of the load, in proportion to the others"),
         field("steps", steps(), &Endpoint::steps, "what its handler does", true)}};
    return kTable;
}

/// requests: a mapping of names, kept in the order of the file.
Type<std::vector<Endpoint>> endpoints() {
    const Type<Endpoint> one = marked(object(endpoint_table()));
    const auto all = dictionary("names with {weight, steps}", one);
    return {all.allowed,
            [all](SchemaWriter& writer) {
                Json schema = all.schema(writer);
                schema["minProperties"] = 1;
                return schema;
            },
            [one](Context& context, const Node& node) -> std::optional<std::vector<Endpoint>> {
                if (!node.is_mapping() || node.entries.empty()) {
                    context.error(node, "expected names with {weight, steps}, found " + node.shown());
                    return std::nullopt;
                }
                std::vector<Endpoint> endpoints;
                for (const Node::Entry& entry : node.entries) {
                    const Within within(context, entry.key);
                    context.endpoint = entry.key;
                    if (auto read = one.read(context, entry.value)) {
                        endpoints.push_back(std::move(*read));
                        endpoints.back().name = entry.key;
                    }
                }
                return endpoints;
            }};
}

/// request: the steps of the only endpoint.
Type<std::vector<Endpoint>> single_endpoint() {
    return {steps().allowed, steps().schema,
            [](Context& context, const Node& node) -> std::optional<std::vector<Endpoint>> {
                context.endpoint = "request";
                auto list = steps().read(context, node);
                if (!list) return std::nullopt;
                return std::vector<Endpoint>{{"request", 1, std::move(*list), node.mark}};
            }};
}

const Table<Scenario>& source_table() {
    static const Table<Scenario> kTable{
        "a source",
        {field("title", line(), &Scenario::source_title, "what the scenario is taken from"),
         field("url", line(), &Scenario::source_url, "where it can be read"),
         field("figures", text(), &Scenario::source_figures, "which of its figures are reproduced")}};
    return kTable;
}

/// A field of the Scenario inside the Draft.
template <class V, class M>
Field<Draft> in_scenario(std::string key, Type<V> type, M Scenario::* member, std::string doc) {
    return field_to<Draft, V>(
        std::move(key), std::move(type), [member](Draft& draft, V value) { draft.scenario.*member = std::move(value); },
        std::move(doc));
}

Field<Draft> source_field() {
    Field<Draft> made;
    made.key = "source";
    made.doc = "where the scenario's figures come from";
    made.schema = object(source_table()).schema;
    made.read = [](Context& context, const Node& node, Draft& draft) {
        read_fields(context, node, source_table(), draft.scenario);
    };
    return made;
}

Type<std::map<std::string, std::string>> reasons() {
    return dictionary("paths with reasons", text());
}

Type<Threads> threads() {
    return choice<Threads>({{word(Threads::platform), Threads::platform},
                            {word(Threads::virtual_threads), Threads::virtual_threads},
                            {word(Threads::event_loop), Threads::event_loop}});
}

} // namespace

namespace {

Table<Draft> make_root_table() {
    Table<Draft> table{
        "a scenario",
        {field_to<Draft>("narrows", whole(1, 1), std::function<void(Draft&, std::int64_t)>([](Draft&, std::int64_t) {}),
                         "version of the language"),
         in_scenario("name", line(), &Scenario::name, "a few words"),
         in_scenario("about", text(), &Scenario::about, "a few sentences"),
         source_field(),
         in_scenario("application", application(), &Scenario::application, "Spring Boot's own properties"),
         in_scenario("runtime", object(runtime_table()), &Scenario::runtime, "the JVM and its CPUs"),
         in_scenario("database", object(database_table()), &Scenario::database, "the database behind HikariCP"),
         in_scenario("services", dictionary("names with services", service()), &Scenario::services,
                     "services that the handler calls"),
         in_scenario("pools", dictionary("names with pools", marked(object(pool_table()))), &Scenario::pools,
                     "pools of your own: c3p0, Redis, an HTTP client's that is not known by name"),
         in_scenario("clients", object(clients_table()), &Scenario::clients, "limits of HTTP clients known by name"),
         in_scenario("executors", dictionary("names with executors", executor()), &Scenario::executors,
                     "executors of your own, for async"),
         in_scenario("request", single_endpoint(), &Scenario::endpoints, "the handler, step by step"),
         in_scenario("requests", endpoints(), &Scenario::endpoints, "several handlers with weights"),
         in_scenario("load", load(), &Scenario::load, "who sends requests"),
         in_scenario("measure", measure(), &Scenario::measure, "how long and how often"),
         in_scenario("threads", threads(), &Scenario::threads,
                     "the thread model; unset: as spring.threads.virtual.enabled says"),
         field_to<Draft>("sweep", sweep(), std::function<void(Draft&, SweepDraft)>([](Draft& d, SweepDraft s) {
                             d.sweep = std::move(s);
                         }),
                         "paths with the values they take"),
         in_scenario("published", list_of("a list of figures", published()), &Scenario::published,
                     "figures to compare with"),
         in_scenario("guessed", reasons(), &Scenario::guessed, "path: why this value"),
         in_scenario("fitted", reasons(), &Scenario::fitted, "path: fitted to what")}};
    for (Field<Draft>& field : table.fields) {
        field.read = [read = field.read, key = field.key](Context& context, const Node& node, Draft& draft) {
            const std::size_t before = context.problems.errors();
            read(context, node, draft);
            if (context.problems.errors() > before) draft.broken.insert(key);
        };
    }
    return table;
}

} // namespace

const Table<Draft>& root_table() {
    static const Table<Draft> kTable = make_root_table();
    return kTable;
}

Json root_schema(SchemaWriter& writer) {
    Json schema = schema_of(root_table(), writer);
    schema["required"] = Json::array({"load"});
    schema["oneOf"] =
        Json::array({Json{{"required", Json::array({"request"})}}, Json{{"required", Json::array({"requests"})}}});
    return schema;
}

} // namespace narrows::scenario
