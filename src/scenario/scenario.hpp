// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario as typed values: what the YAML says, with defaults filled in, and nothing that a
// thread model decides. Reading is reader.hpp's work; what a field means to the models is told
// by the file in models/ that uses it.
#pragma once

#include "random/distribution.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace narrows::scenario {

/// Where a value stands in its file; both count from 1; 0 = not from a file (a default).
struct Mark {
    int line = 0;
    int column = 0;
    bool operator==(const Mark&) const = default;
};

enum class Threads { platform, virtual_threads, event_loop };
/// "platform", "virtual", "event-loop": the words of the command line and of JSON.
[[nodiscard]] const char* word(Threads model);

// ---------------------------------------------------------------- application, runtime, tiers

/// Spring Boot's properties that the models use, under Spring's own names, with Boot's defaults.
struct Application {
    std::optional<bool> virtual_threads;                 ///< spring.threads.virtual.enabled
    std::int64_t tomcat_threads_max = 200;               ///< server.tomcat.threads.max
    std::int64_t tomcat_threads_min_spare = 10;          ///< server.tomcat.threads.min-spare
    std::int64_t tomcat_max_connections = 8192;          ///< server.tomcat.max-connections; -1 = unlimited
    std::int64_t tomcat_accept_count = 100;              ///< server.tomcat.accept-count
    std::int64_t tomcat_max_queue_capacity = 2147483647; ///< server.tomcat.threads.max-queue-capacity
    std::int64_t hikari_maximum_pool_size = 10;          ///< spring.datasource.hikari.maximum-pool-size
    Duration hikari_connection_timeout =
        std::chrono::seconds(30);                         ///< …hikari.connection-timeout (ms when bare); 0 = none
    std::optional<std::int64_t> hikari_minimum_idle{};    ///< …hikari.minimum-idle; unset = maximum-pool-size
    std::int64_t task_core_size = 8;                      ///< spring.task.execution.pool.core-size
    std::int64_t task_max_size = 2147483647;              ///< spring.task.execution.pool.max-size
    std::int64_t task_queue_capacity = 2147483647;        ///< spring.task.execution.pool.queue-capacity
    std::optional<std::int64_t> task_concurrency_limit{}; ///< spring.task.execution.simple.concurrency-limit
    bool task_reject = false; ///< spring.task.execution.simple.reject-tasks-when-limit-reached
    bool operator==(const Application&) const = default;
};

/// CPU costs of switching, all overridable under runtime.costs. Defaults and their sources are in
/// models/platform_threads.cpp and models/virtual_threads.cpp; unset = that default.
struct Costs {
    std::optional<Duration> mount;          ///< CPU to mount a virtual thread again after it parked
    std::optional<Duration> virtual_start;  ///< CPU to create and start a virtual thread
    std::optional<Duration> wake;           ///< CPU to block and wake a platform thread once
    std::optional<Duration> platform_start; ///< CPU to create a platform thread
    std::optional<Duration> event;          ///< CPU to dispatch one event on an event loop
    std::optional<Duration> yield{};        ///< CPU of one Thread.yield (models/hikari.cpp)
    bool operator==(const Costs&) const = default;
};

enum class RunQueue { fifo, two_level };
enum class Collector { g1, parallel };

/// runtime.memory. Sizes are bytes. Without a heap nothing of it is modelled. Defaults that are unset here, and all
/// sources, are in models/memory.cpp.
struct Memory {
    std::optional<std::int64_t> heap; ///< -Xmx
    Collector collector = Collector::g1;
    std::int64_t baseline = 60'000'000; ///< live when nobody asks: Spring's context, caches (guessed)
    std::int64_t allocation = 100'000;  ///< by each request (guessed)
    std::int64_t request = 20'000;      ///< of that, live until the request ends (guessed)
    std::int64_t connection = 20'000;   ///< live by each connection (guessed)
    std::int64_t thread_locals = 0;     ///< live by each thread
    std::int64_t thread_stack = 29'000; ///< committed by a platform thread, outside the heap: RSS measured with JDK 25
    std::int64_t stack_depth = 100;     ///< frames of a virtual thread that waits (guessed)
    Duration pause_goal = std::chrono::milliseconds(200); ///< -XX:MaxGCPauseMillis, G1
    bool operator==(const Memory&) const = default;
};
enum class PoolDiscipline { fifo, barging, hikari };

struct Runtime {
    int jdk = 25;                                         ///< 21 … 25; decides what unmounts, holds, pins
    double cores = 4;                                     ///< the application's CPU; carriers follow it as in the JDK
    std::optional<double> cpu_quota;                      ///< a container's limit, in cores, enforced by periods
    Duration cpu_period = std::chrono::milliseconds(100); ///< of cpu_quota
    Memory memory;
    std::optional<std::int64_t> carriers;        ///< jdk.virtualThreadScheduler.parallelism; unset = ceil(cores)
    std::int64_t max_pool_size = 256;            ///< jdk.virtualThreadScheduler.maxPoolSize
    std::optional<std::int64_t> event_loops;     ///< unset = Reactor Netty's max(cores, 4)
    RunQueue run_queue = RunQueue::two_level;    ///< carriers' queues
    std::map<std::string, std::string> versions; ///< e.g. hikari: 7.0.2, driver: "pgjdbc 42.7"
    Costs costs;
    bool operator==(const Runtime&) const = default;
};

/// Whose cores a tier computes on.
enum class Host { own, application };

struct Database {
    double cores = 4;
    std::int64_t max_connections = 100;             ///< PostgreSQL's default; more are refused
    double usl_alpha = 0;                           ///< contention, per active connection beyond the first (USL)
    double usl_beta = 0;                            ///< coherency (USL)
    PoolDiscipline hand_off = PoolDiscipline::fifo; ///< how HikariCP passes connections on
    Distribution connect{};                         ///< to open one more connection, when the pool grows
    Host host = Host::own;                          ///< application: queries compute on the application's cores
    bool operator==(const Database&) const = default;
};

/// HTTP clients whose pools are known.
enum class Client { apache_hc5, apache_hc4, jdk, reactor_netty };
/// "apache-hc5", …: their names in files.
[[nodiscard]] const char* word(Client client);

/// What a client's pool was set to; unset = the library's default (models/clients.cpp).
struct ClientLimits {
    std::optional<std::int64_t> per_route; ///< connections to one service
    std::optional<std::int64_t> total;     ///< connections to all of them
    std::optional<std::int64_t> pending;   ///< calls that may wait for a connection
    std::optional<Duration> timeout;       ///< of that wait; 0 = none
    bool operator==(const ClientLimits&) const = default;
};

struct Clients {
    ClientLimits apache_hc5, apache_hc4, reactor_netty;
    bool operator==(const Clients&) const = default;
};

struct Service {
    Distribution latency;
    std::optional<std::int64_t> limit; ///< calls it serves at once; the others wait at the service
    std::optional<double> cores;       ///< with cpu: its own processors
    Distribution cpu;                  ///< service demand a call, on its cores
    std::optional<Client> client;      ///< which HTTP client calls it; unset = one without limits
    Host host = Host::own;             ///< application: `cpu` is needed on the application's cores
    Mark mark;
    bool operator==(const Service&) const = default;
};

enum class PoolWait { park, object_wait, in_monitor };

/// A pool of the user's own (an HTTP client's connections, c3p0, Redis).
struct NamedPool {
    std::int64_t size = 0;
    Duration timeout{0};            ///< 0 = waits for ever
    PoolWait wait = PoolWait::park; ///< what a waiter does to its carrier
    PoolDiscipline discipline = PoolDiscipline::fifo;
    Mark mark;
    bool operator==(const NamedPool&) const = default;
};

enum class ExecutorThreads { platform, virtual_threads };

/// An executor of the user's own, with the defaults of Spring's.
struct Executor {
    ExecutorThreads threads = ExecutorThreads::platform;
    std::int64_t core_size = 8; ///< platform
    std::int64_t max_size = 2147483647;
    std::int64_t queue_capacity = 2147483647;
    std::optional<std::int64_t> limit; ///< virtual: tasks at once; unset = no limit
    bool reject = false;               ///< virtual, at the limit: refuses the task, else the caller waits
    Mark mark;
    bool operator==(const Executor&) const = default;
};

// ---------------------------------------------------------------- the handler

struct Step;
using Steps = std::vector<Step>;

struct CpuStep {
    Distribution demand;
}; ///< cpu: application CPU
struct QueryStep {        ///< query: connection + database CPU
    Distribution cpu;     ///< service demand on the database's CPU
    Distribution latency; ///< further time that uses no CPU (disk, network); 0 by default
};
struct TransactionStep {
    Steps steps;
    bool requires_new = false; ///< Spring's REQUIRES_NEW: a further connection, inside another transaction too
}; ///< one connection held for all of these; queries inside use it
struct CallStep {
    std::string service;
    std::optional<Duration> timeout;
    std::string endpoint{}; ///< instead of a service: one of the application's own
};
struct SleepStep {
    Distribution time;
}; ///< Thread.sleep
struct SpinStep {
    Distribution time;
}; ///< busy until this much time has passed by the clock, whatever CPU it got
struct ParallelStep {
    std::vector<Steps> branches;
}; ///< all at once; goes on when the last has ended
struct SynchronizedStep {
    std::string monitor;
    Steps steps;
}; ///< monitor "" = the request's own, never contended
struct LockStep {
    std::string lock;
    Steps steps;
}; ///< ReentrantLock, by name
struct SemaphoreStep {
    std::string semaphore;
    std::int64_t permits = 1;
    std::optional<Duration> timeout;
    Steps steps;
};
struct NativeStep {
    Distribution time;
    Steps steps;
}; ///< time spent in native code, or Java steps called back from it
struct ClassInitStep {
    Distribution time;
    Steps steps;
}; ///< a static initialiser that blocks
struct FileIoStep {
    Distribution time;
}; ///< buffered file read or write
struct RetryStep {
    std::int64_t attempts = 3;
    Distribution backoff;
    double factor = 1;
    Steps steps;
};
struct ChooseStep {
    struct Branch {
        double weight;
        Steps steps;
    };
    std::vector<Branch> branches;
};
struct UseStep {
    std::string pool;
    Steps steps;
}; ///< a permit of a declared pool, held for these
struct AsyncStep {
    std::string executor; ///< "" = Spring's applicationTaskExecutor
    bool await = false;   ///< waits for the task's end
    Steps steps;
}; ///< a task on an executor: @Async
struct BreakerStep {
    std::string breaker;
    double failure_rate = 0.5;
    std::int64_t window = 100;
    std::int64_t minimum = 100;
    Duration open = std::chrono::seconds(60);
    std::int64_t half_open = 10;
    Steps steps;
}; ///< a circuit breaker, with Resilience4j's defaults

using StepKind = std::variant<CpuStep, QueryStep, TransactionStep, CallStep, SleepStep, SpinStep, ParallelStep,
                              SynchronizedStep, LockStep, SemaphoreStep, NativeStep, ClassInitStep, FileIoStep,
                              RetryStep, ChooseStep, UseStep, AsyncStep, BreakerStep>;

struct Step {
    StepKind what;
    std::string name; ///< optional `name:` shown in stage tables; "" = made from the step
    Mark mark;
    /// Position in the handler in reading order, unique over all endpoints: the name of this step's
    /// random stream, the same for every thread model.
    int id = 0;
};

struct Endpoint {
    std::string name;  ///< "request" when the scenario has only `request:`
    double weight = 1; ///< share of the load, normalised by the models
    Steps steps;
    Mark mark;
};

// ---------------------------------------------------------------- load and measurement

enum class LoadKind {
    closed, ///< users: think, request, repeat
    open,   ///< rate: arrivals that do not wait for answers
    burst,  ///< requests all at once, each on a connection of its own
    fixed,  ///< users share a fixed number of requests: floor(requests / users) each, as hey -n -c
    stages, ///< users follow a piecewise linear course, as k6 ramping-vus
};
enum class Arrivals { poisson, constant };
/// What gets a thread: each request, as in a server, or each user, as the workers of a benchmark that loop inside the
/// application.
enum class ThreadPer { request, user };
enum class Start { spread, together };

struct Stage {
    Duration length{0};
    std::int64_t users = 0; ///< reached linearly at the stage's end
    bool operator==(const Stage&) const = default;
};

struct Load {
    LoadKind kind = LoadKind::closed;
    std::int64_t users = 1;                    ///< closed, fixed
    Distribution think;                        ///< closed, stages: between an answer and the next request
    double rate = 0;                           ///< open: requests per second
    Arrivals arrivals = Arrivals::poisson;     ///< open
    std::int64_t requests = 0;                 ///< burst, fixed
    std::vector<Stage> stages;                 ///< stages
    std::int64_t start_users = 0;              ///< stages: users at time 0
    std::optional<Duration> timeout;           ///< the client's; the server's work runs on
    Distribution cpu;                          ///< of the load generator by request, on the application's cores
    bool keep_alive = true;                    ///< false: a new connection for every request
    Start start = Start::spread;               ///< closed: first requests spread over the first cycle, or together
    ThreadPer thread_per = ThreadPer::request; ///< closed without think time, fixed
    Mark mark;
};

struct Measure {
    std::optional<Duration> warmup;               ///< unset = automatic (MSER-5)
    Duration duration = std::chrono::seconds(20); ///< measured time, after the warm-up
    std::optional<int> replications = 3;          ///< unset = auto: until `precision` is reached
    double precision = 0.02;                      ///< relative error that `auto` tolerates
    int max_replications = 100;                   ///< where `auto` gives up
    std::uint64_t seed = 1;
};

// ---------------------------------------------------------------- sweeps and published figures

/// path -> value as written ("load.users" -> "2500"): what --set and a sweep's point say.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Axis {
    std::string path;                ///< "threads" is an axis like any other
    std::vector<std::string> values; ///< as YAML scalars, in order
    Mark mark;
};

struct Sweep {
    std::vector<Axis> axes; ///< product, the first axis slowest
    bool zip = false;       ///< axes advance together instead
    std::string where;      ///< condition on the axes' values; "" = all points
};

/// What a report says became of a run.
enum class ReportedOutcome {
    flows,         ///< every request was answered well
    errors,        ///< some requests failed
    timeouts,      ///< some requests waited in vain for a pool, a call or an answer
    stall,         ///< nothing could move until a time-out fired
    deadlock,      ///< nothing can ever move again
    unstable,      ///< more arrives than can be served
    out_of_memory, ///< the heap could not hold what was in use
};
/// "flows", "errors", "timeouts", "stall", "deadlock", "unstable", "out-of-memory".
[[nodiscard]] const char* word(ReportedOutcome outcome);

struct Published {
    Settings at;
    std::map<std::string, double> figures;  ///< "throughput" (1/s), "mean", "p50", "p90", "p95", "p99", "max",
                                            ///< "makespan" (ns), "utilization:NAME" (0…1), "pending:NAME"
    std::optional<ReportedOutcome> outcome; ///< what became of the run as a whole
    std::optional<bool> pinned;             ///< whether waiting requests pinned carriers
    std::string bottleneck;                 ///< the resource that was said to limit; "" = not said
    bool fitted = false;                    ///< a parameter was fitted to these figures: they are no test
    bool derived = false;                   ///< follows from the source by arithmetic or rules; nobody printed it
    bool agrees = false;                    ///< marked to agree: a regression when it does not
    std::string note;
    std::string remark; ///< for a miss: the mechanism that is missing, or the figure that contradicts itself
    Mark mark;
};

struct Scenario {
    std::string file; ///< as given, or "order-summary (shipped)"
    std::string name;
    std::string about;
    std::string source_title, source_figures;
    std::string source_url;
    Application application;
    Runtime runtime;
    Database database;
    std::map<std::string, Service> services;
    std::map<std::string, NamedPool> pools;
    Clients clients;
    std::map<std::string, Executor> executors;
    std::vector<Endpoint> endpoints;
    Load load;
    Measure measure;
    std::optional<Threads> threads; ///< `threads:`; unset = follow spring.threads.virtual.enabled
    Sweep sweep;
    std::vector<Published> published;
    std::map<std::string, std::string> guessed; ///< path -> why this value
    std::map<std::string, std::string> fitted;  ///< path -> fitted to what
    std::string sha256;                         ///< of the text with overrides applied, lower-case hex
};

} // namespace narrows::scenario
