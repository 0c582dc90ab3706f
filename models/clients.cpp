// SPDX-License-Identifier: GPL-3.0-or-later
// Pools of outbound HTTP clients: how many calls of one service (a route) and of all services may be under way, and
// what becomes of a call that finds no connection.
//
// Apache's pools look at both limits at once; here a call takes its route's permit and then the client's, and a call
// that waits for the second keeps the first. Nobody is let through who would not be: the route's permits are only kept
// from calls of the same route, which would wait for the total as well.
#include "models/mechanisms.hpp"

#include <fmt/format.h>

namespace narrows::models {

namespace {

using scenario::Client;

/// Of a client, with what the scenario says of it filled in. -1 = none.
struct Limits {
    std::int64_t per_route = -1, total = -1, pending = -1;
    Nanos timeout = -1;
    std::string timeout_text{}, full_text{};
};

// httpclient5 RequestConfig: DEFAULT_CONNECTION_REQUEST_TIMEOUT = 3 minutes. PoolingHttpClientConnectionManager:
// DEFAULT_MAX_CONNECTIONS_PER_ROUTE 5, DEFAULT_MAX_TOTAL_CONNECTIONS 25; Spring Boot does not raise them.
Limits apache_hc5() {
    return {.per_route = 5,
            .total = 25,
            .timeout = Nanos{180} * 1'000'000'000,
            .timeout_text =
                "ConnectionRequestTimeoutException: Timeout deadline: {ms} MILLISECONDS, actual: {ms} MILLISECONDS"};
}

// httpclient 4.5 PoolingHttpClientConnectionManager: 2 per route, 20 in all (its class comment). MainClientExec waits
// for ever unless connectionRequestTimeout is set.
Limits apache_hc4() {
    return {.per_route = 2,
            .total = 20,
            .timeout_text = "ConnectionPoolTimeoutException: Timeout waiting for connection from pool"};
}

// reactor-netty 1.3.6 ConnectionProvider, as TcpResources makes it for HTTP clients: max(2 x max(CPUs, 8), 500) per
// remote host, pendingAcquireMaxCount 2 x that, pendingAcquireTimeout 45 s; an overflow is an error, not a wait.
// The texts: reactor-pool, SimpleDequePool and its tests.
Limits reactor_netty(const scenario::Scenario& scenario, const scenario::ClientLimits& set) {
    constexpr std::int64_t kLeastPool = 500, kLeastProcessors = 8;
    Limits out;
    out.per_route = std::max(2 * std::max(available_processors(scenario.runtime), kLeastProcessors), kLeastPool);
    out.per_route = set.per_route.value_or(out.per_route);
    out.pending = 2 * out.per_route;
    out.timeout = Nanos{45} * 1'000'000'000;
    out.timeout_text = "PoolAcquireTimeoutException: Pool#acquire(Duration) has been pending for more than the "
                       "configured timeout of {ms}ms";
    out.full_text =
        fmt::format("PoolAcquirePendingLimitException: Pending acquire queue has reached its maximum size of {}",
                    set.pending.value_or(out.pending));
    return out;
}

Limits limits_of(const scenario::Scenario& scenario, Client client) {
    Limits out;
    scenario::ClientLimits set;
    switch (client) {
    case Client::apache_hc5:
        set = scenario.clients.apache_hc5;
        out = apache_hc5();
        break;
    case Client::apache_hc4:
        set = scenario.clients.apache_hc4;
        out = apache_hc4();
        break;
    case Client::reactor_netty:
        set = scenario.clients.reactor_netty;
        out = reactor_netty(scenario, set);
        break;
    case Client::jdk: break; // java.net.http: no limit of requests in flight over HTTP/1.1
    }
    out.per_route = set.per_route.value_or(out.per_route);
    out.total = set.total.value_or(out.total);
    out.pending = set.pending.value_or(out.pending);
    if (set.timeout) out.timeout = set.timeout->count() > 0 ? set.timeout->count() : -1;
    return out;
}

/// What a call that waits for a connection does to its carrier.
Wait waiting(const ThreadModel& model, const scenario::Runtime& runtime, Client client, Frame frame) {
    // HTTPCLIENT-2290 (LeaseRequest) and HTTPCORE-746 (BasicFuture), both in the 5.4 client with the 5.3 core: before,
    // the caller waits by Object.wait. Boot 3.4 and later bring 5.4.
    constexpr Version kLocks{5, 4, 0};
    if (client == Client::apache_hc5 && library_version(runtime, word(client), kLocks) < kLocks)
        return model.wait(Operation::object_wait, frame);
    // AbstractConnPool.lease of httpcore 4.4: Condition.await inside the future's own `synchronized` (HTTPCORE-746,
    // which was not addressed in 4.4).
    if (client == Client::apache_hc4) ++frame.monitors;
    return model.wait(Operation::park, frame);
}

} // namespace

Connections client_connections(Builder& builder, const std::string& service) {
    const auto& scenario = builder.scenario;
    const auto client = models::service(scenario, service).client;
    Connections out;
    if (!client) return out;
    const Limits limits = limits_of(scenario, *client);
    const auto add = [&](const std::string& name, std::int64_t size) {
        if (size < 0) return;
        plan::Pool pool;
        pool.name = name;
        pool.kind = plan::PoolKind::user;
        pool.capacity = size;
        pool.queue_limit = limits.pending;
        pool.timeout_text = limits.timeout_text;
        pool.full_text = limits.full_text;
        out.pools.push_back(builder.pool(pool));
    };
    add(fmt::format("{} {}", word(*client), service), limits.per_route);
    add(word(*client), limits.total);
    out.timeout = limits.timeout;
    return out;
}

void lease(Writer& writer, const ThreadModel& model, const Frame& frame, const std::string& service, bool staged) {
    Builder& builder = writer.builder();
    const auto connections = client_connections(builder, service);
    for (const int pool : connections.pools) {
        const Wait wait =
            waiting(model, builder.scenario.runtime, *models::service(builder.scenario, service).client, frame);
        writer.acquire(pool, staged ? builder.wait_stage(pool) : -1, wait, connections.timeout,
                       plan::Outcome::rejected);
    }
}

void give_back(Writer& writer, const std::string& service) {
    const auto connections = client_connections(writer.builder(), service);
    for (auto pool = connections.pools.rbegin(); pool != connections.pools.rend(); ++pool)
        writer.release(*pool);
}

} // namespace narrows::models
