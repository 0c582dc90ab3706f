// SPDX-License-Identifier: GPL-3.0-or-later
// The mechanisms around a handler, each in a file of its own name. Times are nanoseconds.
#pragma once

#include "models/builder.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace narrows::models {

// ------------------------------------------------------------------------------ hikari.cpp
/// The pool "hikari" of this scenario, added when first asked for.
[[nodiscard]] int hikari(Builder& builder);
/// Takes a connection for the strand. Fails with pool_timeout.
void borrow_connection(Writer& writer, const ThreadModel& model, const Frame& frame, bool staged);
/// Gives it back, spinning as the version of HikariCP does when a waiter has been woken and not come yet.
void return_connection(Writer& writer, const ThreadModel& model, const Frame& frame);

// ------------------------------------------------------------------------------ database.cpp
/// The query itself, once the strand has a connection.
void query(Writer& writer, const ThreadModel& model, const Frame& frame, const scenario::QueryStep& what, int step_id,
           int stage);

// ------------------------------------------------------------------------------ services.cpp
/// A call: a plain delay, or a strand at the far side when the service has a limit or a CPU.
void call(Writer& writer, const ThreadModel& model, const Frame& frame, const scenario::CallStep& what, int step_id,
          int stage);

// ------------------------------------------------------------------------------ clients.cpp
/// The pools of the HTTP client that calls a service, in the order in which a call takes their permits.
struct Connections {
    std::vector<int> pools; ///< none when the service names no client, or one without limits
    Nanos timeout = -1;     ///< of the wait for each; -1 = none
};
[[nodiscard]] Connections client_connections(Builder& builder, const std::string& service);
/// Takes a connection to `service`. Fails with pool_timeout, or rejected when no more may wait.
void lease(Writer& writer, const ThreadModel& model, const Frame& frame, const std::string& service, bool staged);
void give_back(Writer& writer, const std::string& service);

// ------------------------------------------------------------------------------ executors.cpp
/// What runs the tasks of an executor.
struct Tasks {
    std::unique_ptr<ThreadModel> model;
    int runner = -1;
    int permits = -1; ///< pool of its concurrency limit; -1 = none
};
/// `executor`: a name under executors:; "" = Spring's applicationTaskExecutor. Throws std::invalid_argument when there
/// is none of that name.
[[nodiscard]] Tasks tasks(Builder& builder, const std::string& executor);
/// Starts `program` on it; may fail with rejected.
void submit(Writer& writer, const ThreadModel& model, const Frame& frame, const Tasks& tasks, int program, bool await,
            bool staged);

// ------------------------------------------------------------------------------ own_calls.cpp
/// A call of one of the application's own endpoints, through its own admission.
void call_own(Writer& writer, const ThreadModel& model, const Frame& frame, const scenario::CallStep& what, int stage);

// ------------------------------------------------------------------------------ handler.cpp
/// Writes an endpoint's request program and the programs of its parallel branches; returns its
/// index.
int request_program(Builder& builder, int endpoint);
/// The same handler as the application's own call runs it: no client of the load waits for its answer. Throws
/// std::invalid_argument for an endpoint that would call itself for ever.
OwnEndpoint called_program(Builder& builder, int endpoint);

// ------------------------------------------------------------------------------ tomcat.cpp
/// The pool of Tomcat's connections; -1 when they are not limited.
[[nodiscard]] int connection_pool(Builder& builder);
/// The session: a client with its connection to the server. `requests` are the request programs
/// with their weights (they sum to 1). Fills the program, whose slot must exist.
void session_program(Builder& builder, int program, const std::vector<plan::Child>& requests);

// ------------------------------------------------------------------------------ memory.cpp
/// Bytes that something allocates when it begins, and those of them that live until it ends.
struct Footprint {
    double bytes = 0, live = 0;
};
/// The plan's heap and collector, if the scenario has a heap.
void memory(Builder& builder);
/// Of a request, or of a child of `parallel`, under this thread model; nothing without a heap.
[[nodiscard]] Footprint request_footprint(const Builder& builder, const ThreadModel& model, bool child);
[[nodiscard]] Footprint connection_footprint(const Builder& builder);
/// Heap that a parked virtual thread takes with `frames` on its stack.
[[nodiscard]] double parked_stack_bytes(std::int64_t frames);

// ------------------------------------------------------------------------------ machine.cpp
/// The application's processors, with the container's quota.
[[nodiscard]] plan::Cpu application_cpu(const scenario::Scenario& scenario);
/// What another tier computes for the strand on the application's cores: a strand of that tier's own does it, and the
/// strand waits. `tier` is shown to people.
void compute_as_guest(Writer& writer, const std::string& tier, const Distribution& demand, int step, int stage,
                      const Wait& wait);

// ------------------------------------------------------------------------------ load.cpp
/// Mean time of these steps when nothing queues and nothing fails; parallel branches overlap.
[[nodiscard]] double unhindered_time(const scenario::Scenario& scenario, const scenario::Steps& steps);
/// The same of a request, averaged over the endpoints by weight.
[[nodiscard]] double unhindered_time(const scenario::Scenario& scenario);
/// The plan's load. Throws std::invalid_argument for a load that could not run.
[[nodiscard]] plan::Load load(const scenario::Scenario& scenario, int session);
/// The most clients at once, if the load says so (not for open loads).
[[nodiscard]] std::optional<std::int64_t> most_clients(const scenario::Load& load);

/// The scenario's pool or service of that name; throws std::invalid_argument when there is none.
[[nodiscard]] const scenario::NamedPool& named_pool(const scenario::Scenario& scenario, const std::string& name);
[[nodiscard]] const scenario::Service& service(const scenario::Scenario& scenario, const std::string& name);
[[nodiscard]] plan::Discipline discipline(scenario::PoolDiscipline discipline);

} // namespace narrows::models
