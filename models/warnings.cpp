// SPDX-License-Identifier: GPL-3.0-or-later
// What a user should know before trusting a run.
#include "models/compile.hpp"
#include "models/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::models {

namespace {

class Warnings {
public:
    Warnings(const scenario::Scenario& scenario, scenario::Threads threads)
        : s_(scenario), threads_(threads), plan_(compile(scenario, threads)) {}

    std::vector<std::string> all() {
        ignored_settings();
        ignored_executors();
        ignored_clients();
        connections();
        database();
        carriers();
        warmup();
        return std::move(out_);
    }

private:
    template <typename... Args> void say(fmt::format_string<Args...> format, Args&&... args) {
        out_.push_back(fmt::format(format, std::forward<Args>(args)...));
    }

    bool has_pool(const char* name) const {
        return std::any_of(plan_.pools.begin(), plan_.pools.end(), [&](const auto& p) { return p.name == name; });
    }

    bool has_runner(plan::RunnerKind kind) const {
        return std::any_of(plan_.runners.begin(), plan_.runners.end(), [&](const auto& r) { return r.kind == kind; });
    }

    void ignored_settings() {
        const scenario::Application defaults;
        const auto& a = s_.application;
        const bool threads_set = a.tomcat_threads_max != defaults.tomcat_threads_max ||
                                 a.tomcat_max_queue_capacity != defaults.tomcat_max_queue_capacity;
        if (threads_ == scenario::Threads::virtual_threads && threads_set)
            say("server.tomcat.threads.* (max {}) is ignored: virtual threads have no pool", a.tomcat_threads_max);
        const bool connections_set = a.tomcat_max_connections != defaults.tomcat_max_connections ||
                                     a.tomcat_accept_count != defaults.tomcat_accept_count;
        if (threads_ == scenario::Threads::event_loop && (threads_set || connections_set))
            say("server.tomcat.* is ignored: an event loop runs without Tomcat");
        if (s_.runtime.carriers && !has_runner(plan::RunnerKind::carriers))
            say("runtime.carriers ({}) is ignored: no virtual thread runs here", *s_.runtime.carriers);
        if (s_.runtime.event_loops && threads_ != scenario::Threads::event_loop)
            say("runtime.event-loops ({}) is ignored: no event loop runs here", *s_.runtime.event_loops);
    }

    void ignored_executors() {
        const scenario::Application defaults;
        const auto& a = s_.application;
        const bool on_virtual = threads_ == scenario::Threads::virtual_threads;
        const bool pool_set = a.task_core_size != defaults.task_core_size ||
                              a.task_max_size != defaults.task_max_size ||
                              a.task_queue_capacity != defaults.task_queue_capacity;
        if (on_virtual && pool_set)
            say("spring.task.execution.pool.* is ignored: on virtual threads each task has a thread of its own");
        if (!on_virtual && (a.task_concurrency_limit || a.task_reject))
            say("spring.task.execution.simple.* is ignored: tasks run on a pool of threads here");
        if (a.hikari_minimum_idle && *a.hikari_minimum_idle > a.hikari_maximum_pool_size)
            say("hikari.minimum-idle {} is above the maximum: HikariCP takes {}", *a.hikari_minimum_idle,
                a.hikari_maximum_pool_size);
    }

    void ignored_clients() {
        using scenario::Client;
        const auto unused = [&](Client client, const scenario::ClientLimits& limits) {
            const bool used = std::any_of(s_.services.begin(), s_.services.end(),
                                          [&](const auto& service) { return service.second.client == client; });
            if (!used && limits != scenario::ClientLimits{})
                say("clients.{} is ignored: no service names that client", word(client));
        };
        unused(Client::apache_hc5, s_.clients.apache_hc5);
        unused(Client::apache_hc4, s_.clients.apache_hc4);
        unused(Client::reactor_netty, s_.clients.reactor_netty);
    }

    void connections() {
        const auto most = most_clients(s_.load);
        if (!most || !has_pool("tomcat.connections")) return;
        const std::int64_t admitted = s_.application.tomcat_max_connections + 1;
        const std::int64_t backlog = s_.application.tomcat_accept_count;
        if (*most > admitted + backlog)
            say("{} clients exceed max-connections {} + 1 and accept-count {}: some cannot connect and retry "
                "after 1 s, 2 s, 4 s …",
                *most, s_.application.tomcat_max_connections, backlog);
        else if (*most > admitted)
            say("{} clients exceed max-connections {} + 1: the others wait in the backlog", *most,
                s_.application.tomcat_max_connections);
    }

    void database() {
        if (!has_pool("hikari")) return;
        const auto& a = s_.application;
        if (a.hikari_maximum_pool_size > s_.database.max_connections)
            say("hikari.maximum-pool-size {} is above the database's max_connections {}: it refuses the "
                "others, and the pool stays at {}",
                a.hikari_maximum_pool_size, s_.database.max_connections, s_.database.max_connections);
        const bool only_threads = threads_ == scenario::Threads::platform && !has_runner(plan::RunnerKind::carriers);
        if (only_threads && a.hikari_maximum_pool_size > a.tomcat_threads_max)
            say("hikari.maximum-pool-size {} is above the {} threads: no more than {} connections can be in "
                "use",
                a.hikari_maximum_pool_size, a.tomcat_threads_max, a.tomcat_threads_max);
        constexpr Duration kFloor = std::chrono::milliseconds(250); // HikariConfig.setConnectionTimeout
        if (a.hikari_connection_timeout > Duration{0} && a.hikari_connection_timeout < kFloor)
            say("hikari.connection-timeout {} is below the 250 ms that HikariCP accepts",
                duration_text(static_cast<double>(a.hikari_connection_timeout.count())));
    }

    void carriers() {
        std::size_t pinned = 0;
        std::size_t blocking = 0;
        for (const auto& program : plan_.programs)
            for (const auto& i : program.code) {
                pinned += i.pinned ? 1 : 0;
                blocking += i.note == "blocks the loop" ? 1 : 0;
            }
        if (pinned > 0)
            say("{} of the handler's waits pin{} the carrier on JDK {}", pinned, pinned == 1 ? "s" : "",
                s_.runtime.jdk);
        if (blocking > 0) say("{} of the handler's waits block{} the event loop", blocking, blocking == 1 ? "s" : "");
    }

    /// Before every user has been through once, the measured part begins with the first rush.
    void warmup() {
        const bool endless = s_.load.kind != scenario::LoadKind::burst && s_.load.kind != scenario::LoadKind::fixed;
        if (!s_.measure.warmup || !endless) return;
        double response = unhindered_time(s_);
        if (s_.load.timeout) response = std::min(response, static_cast<double>(s_.load.timeout->count()));
        const double cycle = s_.load.think.mean() + response;
        const auto fixed = static_cast<double>(s_.measure.warmup->count());
        if (fixed < cycle)
            say("measure.warmup {} is shorter than one cycle, {} of think time and least response: the measured part "
                "includes the start",
                duration_text(fixed), duration_text(cycle));
    }

    const scenario::Scenario& s_;
    scenario::Threads threads_;
    plan::Plan plan_;
    std::vector<std::string> out_;
};

} // namespace

std::vector<std::string> warnings(const scenario::Scenario& scenario, scenario::Threads threads) {
    return Warnings(scenario, threads).all();
}

} // namespace narrows::models
