// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/spring.hpp"

#include "scenario/property_names.hpp"
#include "scenario/quantity.hpp"
#include "scenario/source_text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>

namespace narrows::scenario {

namespace {

/// Roots of Spring Boot's own properties ("Common Application Properties").
constexpr std::array kRoots{"spring", "server", "management", "logging", "info", "debug", "trace", "springdoc"};

/// Properties of before, which Boot would ignore without a word, and where they went.
constexpr std::array<std::pair<const char*, const char*>, 3> kFormer{{
    {"server.tomcat.maxthreads", "server.tomcat.threads.max"},                     // until Boot 2.3
    {"server.tomcat.minsparethreads", "server.tomcat.threads.min-spare"},          // until Boot 2.3
    {"spring.datasource.maxactive", "spring.datasource.hikari.maximum-pool-size"}, // Boot 1
}};

const Table<Application>& properties() {
    static const Table<Application> kTable{
        "application",
        {field("spring.threads.virtual.enabled", boolean(), &Application::virtual_threads,
               "requests run on virtual threads"),
         field("server.tomcat.threads.max", whole(1, 1'000'000), &Application::tomcat_threads_max,
               "Tomcat's worker threads"),
         field("server.tomcat.threads.min-spare", whole(0, 1'000'000), &Application::tomcat_threads_min_spare,
               "worker threads kept ready"),
         field("server.tomcat.max-connections", whole(-1, 10'000'000), &Application::tomcat_max_connections,
               "connections open at once; -1 = unlimited"),
         field("server.tomcat.accept-count", whole(1, 10'000'000), &Application::tomcat_accept_count,
               "backlog of the listening socket"),
         field("server.tomcat.threads.max-queue-capacity", whole(1, 2147483647),
               &Application::tomcat_max_queue_capacity, "requests that wait for a worker thread"),
         field("spring.datasource.hikari.maximum-pool-size", whole(1, 1'000'000),
               &Application::hikari_maximum_pool_size, "database connections"),
         field("spring.datasource.hikari.connection-timeout", duration("ms"), &Application::hikari_connection_timeout,
               "how long a request waits for a connection; 0 = for ever"),
         field("spring.datasource.hikari.minimum-idle", whole(0, 1'000'000), &Application::hikari_minimum_idle,
               "connections there from the start; the others are added when they are missed. Unset: all of them"),
         field("spring.task.execution.pool.core-size", whole(1, 1'000'000), &Application::task_core_size,
               "threads of the task executor"),
         field("spring.task.execution.pool.max-size", whole(1, 2147483647), &Application::task_max_size,
               "its threads when the queue is full"),
         field("spring.task.execution.pool.queue-capacity", whole(0, 2147483647), &Application::task_queue_capacity,
               "tasks that wait for its threads"),
         field("spring.task.execution.simple.concurrency-limit", whole(1, 2147483647),
               &Application::task_concurrency_limit, "tasks at once on virtual threads; unset: any number"),
         field("spring.task.execution.simple.reject-tasks-when-limit-reached", boolean(), &Application::task_reject,
               "a task beyond the limit is refused; else who submits it waits")}};
    return kTable;
}

const std::vector<std::string>& uniform_names() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> all;
        for (const auto& field : properties().fields)
            all.push_back(uniform_name(field.key));
        return all;
    }();
    return kNames;
}

std::string root_of(std::string_view name) {
    return uniform_name(name.substr(0, name.find('.')));
}

bool has_known_root(std::string_view name) {
    const std::string root = root_of(name);
    return std::find(kRoots.begin(), kRoots.end(), root) != kRoots.end();
}

/// The modelled property that an unknown one may stand for, if it is less than a plain misspelling away; "".
std::string near_property(std::string_view name) {
    for (const auto& field : properties().fields) {
        if (may_stand_for(name, field.key)) return field.key;
    }
    return "";
}

/// A property as given somewhere: its whole dotted name and its value.
struct Given {
    std::string name;
    Mark key_mark;
    const Node* value;
    bool own_file; ///< of an application.yml, where other properties than Spring's are normal
};

void flatten(const Node& node, const std::string& prefix, bool own_file, std::vector<Given>& into) {
    for (const Node::Entry& entry : node.entries) {
        std::string name = prefix.empty() ? entry.key : prefix + "." + entry.key;
        if (name.size() > 500) name.resize(500);
        if (entry.value.is_mapping())
            flatten(entry.value, name, own_file, into);
        else
            into.push_back({std::move(name), entry.mark, &entry.value, own_file});
    }
}

/// The values of one place: `node` and what it flattens to, kept together because the one points
/// into the other.
struct Source {
    std::unique_ptr<Node> node;
    std::vector<Given> given;
};

Source source_of(Node node, bool own_file) {
    Source source{std::make_unique<Node>(std::move(node)), {}};
    flatten(*source.node, "", own_file, source.given);
    return source;
}

bool belongs_to_a_profile(const Source& source) {
    return std::any_of(source.given.begin(), source.given.end(), [](const Given& given) {
        const std::string name = uniform_name(given.name);
        return name == "spring.config.activate.onprofile" || name == "spring.profiles";
    });
}

class ApplicationReader {
public:
    explicit ApplicationReader(Context& context) : context_(context) {}

    Application read(const Node& node) {
        if (node.is_scalar()) {
            take_file(node);
        } else if (node.is_mapping()) {
            if (const Node* file = node.find("file")) take_file(*file);
            Node rest = node;
            std::erase_if(rest.entries, [](const Node::Entry& entry) { return entry.key == "file"; });
            sources_.push_back(source_of(std::move(rest), false));
        } else {
            context_.error(node, "expected Spring Boot's properties, or the path of an application.yml or "
                                 ".properties file; found " +
                                     node.shown());
        }
        for (const Source& source : sources_) {
            for (const Given& given : source.given)
                settle(given);
        }
        if (!ignored_.empty()) {
            context_.warning(node, fmt::format("not modelled, so without effect: {}", listed(ignored_)));
        }
        return application_;
    }

private:
    void take_file(const Node& path) {
        if (!path.is_scalar()) return context_.error(path, "expected the path of a file, found " + path.shown());
        const std::filesystem::path full = context_.folder / path.text;
        const std::string extension = full.extension().string();
        if (extension != ".yml" && extension != ".yaml" && extension != ".properties") {
            return context_.error(path,
                                  fmt::format("{} is no application.yml, .yaml or .properties file", path.shown()));
        }
        std::string error;
        const auto content = read_file(full, kMaxTextBytes, error);
        if (!content) return context_.error(path, fmt::format("{}: {}", path.shown(), error));
        context_.included += *content;
        const int origin = context_.problems.add_origin(full.string());
        if (extension == ".properties") {
            sources_.push_back(source_of(parse_properties(*content, origin, context_.problems), true));
            return;
        }
        for (Node& document : parse_yaml(*content, origin, context_.problems))
            take_document(std::move(document));
    }

    void take_document(Node document) {
        if (document.is_null()) return;
        if (!document.is_mapping()) return context_.error(document, "expected Spring Boot's properties");
        Source source = source_of(std::move(document), true);
        if (!belongs_to_a_profile(source)) {
            sources_.push_back(std::move(source));
        } else {
            context_.warning(*source.node, "a document for some profiles only is left out");
        }
    }

    /// Finds what a given property is; stores it, or says what is wrong with it.
    void settle(const Given& given) {
        if (context_.problems.full()) return;
        const std::string name = uniform_name(given.name);
        const auto& known = uniform_names();
        const auto found = std::find(known.begin(), known.end(), name);
        if (found != known.end()) return store(static_cast<std::size_t>(found - known.begin()), given);
        for (const auto& [former, now] : kFormer) {
            if (name == former) return refuse(given, fmt::format("; Spring Boot calls it '{}' now", now));
        }
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (edit_distance(name, known[i], 2) > 2) continue;
            const Field<Application>& meant = properties().fields[i];
            refuse(given, fmt::format("; did you mean '{}'?", meant.key));
            Application ignored; // its value is checked as well
            const Within within(context_, given.name);
            return meant.read(context_, *given.value, ignored);
        }
        if (const auto near = near_property(given.name); has_known_root(given.name) && !near.empty()) {
            context_.problems.warning(
                given.value->origin, given.key_mark,
                context_.located(
                    fmt::format("'{}' is not modelled, so without effect; did you mean '{}'?", given.name, near)));
        } else if (has_known_root(given.name)) {
            if (ignored_.size() < 20) ignored_.push_back(given.name);
        } else if (!given.own_file) {
            std::vector<std::string> roots(kRoots.begin(), kRoots.end());
            refuse(given, did_you_mean(root_of(given.name), roots) + "; Spring Boot's properties begin with " +
                              listed(roots, "or"));
        }
    }

    void refuse(const Given& given, const std::string& help) {
        context_.problems.error(given.value->origin, given.key_mark,
                                context_.located(fmt::format("unknown property '{}'{}", given.name, help)));
    }

    void store(std::size_t index, const Given& given) {
        const Field<Application>& field = properties().fields[index];
        const Node& value = *given.value;
        const auto [before, fresh] = seen_.emplace(index, std::pair{value.origin, given.key_mark});
        // In a file of Spring's, later lines and documents win, as in Boot.
        if (!fresh && before->second.first == value.origin && !given.own_file) {
            context_.problems.error(
                value.origin, given.key_mark,
                context_.located(fmt::format("'{}' is given at {}:{} already", field.key, before->second.second.line,
                                             before->second.second.column)));
        }
        before->second = {value.origin, given.key_mark};
        const Within within(context_, field.key);
        field.read(context_, without_placeholder(value), application_);
        check(field, value);
    }

    /// ${NAME:default} stands for its default here, where there is no environment to ask.
    Node without_placeholder(const Node& value) {
        Node plain = value;
        if (!value.is_scalar() || !value.text.starts_with("${") || !value.text.ends_with("}")) return plain;
        const std::size_t colon = value.text.find(':');
        if (colon == std::string::npos) return plain;
        plain.text = value.text.substr(colon + 1, value.text.size() - colon - 2);
        context_.warning(value, fmt::format("{} is taken as its default, {}", value.shown(), plain.shown()));
        return plain;
    }

    void check(const Field<Application>& field, const Node& value) {
        if (field.key == "server.tomcat.max-connections" && application_.tomcat_max_connections == 0) {
            context_.error(value, "0 connections serve nobody; allowed: -1 (unlimited), or from 1");
            application_.tomcat_max_connections = 1;
        }
        const auto timeout = application_.hikari_connection_timeout;
        if (timeout.count() > 0 && timeout < std::chrono::milliseconds(250) &&
            field.key.ends_with("connection-timeout")) {
            context_.warning(value, "HikariCP itself refuses time-outs below 250ms");
        }
    }

    Context& context_;
    Application application_;
    std::vector<Source> sources_;
    std::map<std::size_t, std::pair<int, Mark>> seen_; // field -> where last given
    std::vector<std::string> ignored_;
};

/// Properties nested as in application.yml; `names` are all known below this point.
Json nested_schema(const std::map<std::string, Json>& names) {
    Json schema{{"type", {"object", "null"}}, {"properties", Json::object()}};
    std::map<std::string, std::map<std::string, Json>> below;
    for (const auto& [name, value] : names) {
        schema["properties"][name] = value;
        const std::size_t dot = name.find('.');
        if (dot != std::string::npos) below[name.substr(0, dot)].emplace(name.substr(dot + 1), value);
    }
    for (const auto& [name, rest] : below)
        schema["properties"][name] = nested_schema(rest);
    return schema;
}

Json application_schema(SchemaWriter& writer) {
    std::map<std::string, Json> names;
    const Json typed = properties_of(properties(), writer);
    for (const auto& [name, schema] : typed.items())
        names.emplace(name, schema);
    Json mapping = nested_schema(names);
    mapping["type"] = "object";
    mapping["properties"]["file"] = Json{{"type", "string"}, {"description", "an application.yml or .properties file"}};
    return Json{{"anyOf", Json::array({Json{{"type", "string"}}, mapping})}};
}

} // namespace

bool is_spring_property(std::string_view name) {
    const auto& known = uniform_names();
    return has_known_root(name) || std::find(known.begin(), known.end(), uniform_name(name)) != known.end();
}

bool gives_property(const Node& node, std::string_view name) {
    std::vector<Given> all;
    flatten(node, "", false, all);
    return std::any_of(all.begin(), all.end(),
                       [&](const Given& given) { return uniform_name(given.name) == uniform_name(name); });
}

Type<Application> application() {
    return {"Spring Boot's properties, or the path of a file with them", application_schema,
            [](Context& context, const Node& node) { return std::optional(ApplicationReader(context).read(node)); }};
}

} // namespace narrows::scenario
