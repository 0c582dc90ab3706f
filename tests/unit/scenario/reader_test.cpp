// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/steps.hpp"
#include "support.hpp"

namespace narrows::scenario::testing {
namespace {

using namespace std::chrono_literals;

TEST(Reader, TheSmallestScenarioHasTheDefaults) {
    const Scenario s = good(kRequest + kLoad);
    EXPECT_EQ(s.application, Application{});
    EXPECT_EQ(s.runtime, Runtime{});
    EXPECT_EQ(s.database, Database{});
    ASSERT_EQ(s.endpoints.size(), 1u);
    EXPECT_EQ(s.endpoints[0].name, "request");
    EXPECT_EQ(s.load.users, 10);
    EXPECT_EQ(s.load.kind, LoadKind::closed);
    EXPECT_EQ(s.measure.replications, 3);
    EXPECT_FALSE(s.threads);
    EXPECT_EQ(s.sha256.size(), 64u);
}

TEST(Reader, EveryFieldOfTheTiers) {
    const Scenario s = good(kRequest + kLoad + R"(
narrows: 1
name: n
about: a
source: {title: t, url: u, figures: f}
runtime:
  jdk: 21
  cores: 2.5
  carriers: 3
  max-pool-size: 300
  event-loops: 5
  run-queue: two-level
  versions: {hikari: 7.0.2, driver: 42.7}
  costs: {mount: 1us, virtual-start: 2us, wake: 3us, platform-start: 4us, event: 5us}
database: {cores: 8, max_connections: 300, usl-alpha: 0.1, usl-beta: 0.01, hand-off: hikari}
services: {s: {latency: 5ms, limit: 7, cores: 2, cpu: 1ms}}
pools: {p: {size: 4, timeout: 2s, wait: object-wait, discipline: barging}}
measure: {warmup: 5s, duration: 1min, replications: auto, precision: 5%, seed: 42}
threads: event-loop
)");
    EXPECT_EQ(s.name + s.about + s.source_title + s.source_url + s.source_figures, "natuf");
    EXPECT_EQ(s.runtime.jdk, 21);
    EXPECT_EQ(s.runtime.cores, 2.5);
    EXPECT_EQ(s.runtime.carriers, 3);
    EXPECT_EQ(s.runtime.max_pool_size, 300);
    EXPECT_EQ(s.runtime.event_loops, 5);
    EXPECT_EQ(s.runtime.run_queue, RunQueue::two_level);
    EXPECT_EQ(s.runtime.versions.at("driver"), "42.7");
    EXPECT_EQ(s.runtime.costs, (Costs{1us, 2us, 3us, 4us, 5us}));
    EXPECT_EQ(s.database, (Database{8, 300, 0.1, 0.01, PoolDiscipline::hikari}));
    EXPECT_EQ(s.services.at("s").limit, 7);
    EXPECT_EQ(s.services.at("s").cpu, Distribution::constant(1e6));
    EXPECT_EQ(s.pools.at("p").size, 4);
    EXPECT_EQ(s.pools.at("p").timeout, 2s);
    EXPECT_EQ(s.pools.at("p").wait, PoolWait::object_wait);
    EXPECT_EQ(s.pools.at("p").discipline, PoolDiscipline::barging);
    EXPECT_EQ(s.measure.warmup, 5s);
    EXPECT_EQ(s.measure.duration, 60s);
    EXPECT_FALSE(s.measure.replications);
    EXPECT_EQ(s.measure.precision, 0.05);
    EXPECT_EQ(s.measure.seed, 42u);
    EXPECT_EQ(s.threads, Threads::event_loop);
}

const Steps& steps_of(const Scenario& s) {
    return s.endpoints.at(0).steps;
}

TEST(Reader, EveryStep) {
    const Scenario s = good(kLoad + R"(
services: {x: {latency: 1ms}}
pools: {p: {size: 1}}
request:
  - {cpu: 1ms, name: first}
  - query: exponential(2ms)
  - query: {cpu: 1ms, latency: 3ms}
  - transaction: [query: 1ms, call: x]
  - call: {service: x, timeout: 2s}
  - sleep: 4ms
  - parallel: [[cpu: 1ms, sleep: 1ms], cpu: 2ms]
  - synchronized: [sleep: 1ms]
  - synchronized: {monitor: m, steps: [sleep: 1ms]}
  - lock: {name: l, steps: [sleep: 1ms]}
  - semaphore: {name: sem, permits: 5, timeout: 1s, steps: [call: x]}
  - native: 1ms
  - native: {steps: [sleep: 1ms]}
  - class-init: {time: 1ms}
  - file-io: 6ms
  - retry: {attempts: 4, backoff: 10ms, factor: 2, steps: [call: x]}
  - choose: [{weight: 3, steps: [cpu: 1ms]}, {weight: 1, steps: [sleep: 1ms]}]
  - use: {pool: p, steps: [call: x]}
)");
    const Steps& all = steps_of(s);
    ASSERT_EQ(all.size(), 18u);
    EXPECT_EQ(all[0].name, "first");
    EXPECT_EQ(std::get<CpuStep>(all[0].what).demand, Distribution::constant(1e6));
    EXPECT_EQ(std::get<QueryStep>(all[1].what).cpu, Distribution::exponential(2e6));
    EXPECT_EQ(std::get<QueryStep>(all[2].what).latency, Distribution::constant(3e6));
    EXPECT_EQ(std::get<TransactionStep>(all[3].what).steps.size(), 2u);
    EXPECT_EQ(std::get<CallStep>(all[4].what).timeout, 2s);
    EXPECT_EQ(std::get<SleepStep>(all[5].what).time, Distribution::constant(4e6));
    const auto& branches = std::get<ParallelStep>(all[6].what).branches;
    ASSERT_EQ(branches.size(), 2u);
    EXPECT_EQ(branches[0].size(), 2u);
    EXPECT_EQ(branches[1].size(), 1u);
    EXPECT_EQ(std::get<SynchronizedStep>(all[7].what).monitor, "");
    EXPECT_EQ(std::get<SynchronizedStep>(all[8].what).monitor, "m");
    EXPECT_EQ(std::get<LockStep>(all[9].what).lock, "l");
    EXPECT_EQ(std::get<SemaphoreStep>(all[10].what).permits, 5);
    EXPECT_EQ(std::get<SemaphoreStep>(all[10].what).timeout, 1s);
    EXPECT_EQ(std::get<NativeStep>(all[11].what).time, Distribution::constant(1e6));
    EXPECT_EQ(std::get<NativeStep>(all[12].what).steps.size(), 1u);
    EXPECT_EQ(std::get<ClassInitStep>(all[13].what).time, Distribution::constant(1e6));
    EXPECT_EQ(std::get<FileIoStep>(all[14].what).time, Distribution::constant(6e6));
    EXPECT_EQ(std::get<RetryStep>(all[15].what).attempts, 4);
    EXPECT_EQ(std::get<RetryStep>(all[15].what).factor, 2);
    EXPECT_EQ(std::get<ChooseStep>(all[16].what).branches.at(0).weight, 3);
    EXPECT_EQ(std::get<UseStep>(all[17].what).pool, "p");
}

TEST(Reader, StepsAreNumberedInReadingOrderOverAllEndpoints) {
    const Scenario s = good(kLoad + R"(
requests:
  b: {weight: 3, steps: [cpu: 1ms, transaction: [query: 1ms, query: 2ms], cpu: 3ms]}
  a: {steps: [cpu: 1ms]}
)");
    ASSERT_EQ(s.endpoints.size(), 2u);
    EXPECT_EQ(s.endpoints[0].name, "b"); // the file's order, not the alphabet's
    EXPECT_EQ(s.endpoints[0].weight, 3);
    EXPECT_EQ(s.endpoints[0].steps[1].id, 1);
    EXPECT_EQ(std::get<TransactionStep>(s.endpoints[0].steps[1].what).steps[1].id, 3);
    EXPECT_EQ(s.endpoints[0].steps[2].id, 4);
    EXPECT_EQ(s.endpoints[1].steps[0].id, 5);
    EXPECT_EQ(s.endpoints[0].steps[1].mark, (Mark{4, 36}));
}

TEST(Reader, EveryLoad) {
    const Load closed =
        good(kRequest + "load: {users: 5, think: 1s, timeout: 2s, keep-alive: false, start: together}").load;
    EXPECT_EQ(closed.kind, LoadKind::closed);
    EXPECT_EQ(closed.think, Distribution::constant(1e9));
    EXPECT_EQ(closed.timeout, 2s);
    EXPECT_FALSE(closed.keep_alive);
    EXPECT_EQ(closed.start, Start::together);
    const Load open = good(kRequest + "load: {rate: 120/min, arrivals: constant}").load;
    EXPECT_EQ(open.kind, LoadKind::open);
    EXPECT_EQ(open.rate, 2);
    EXPECT_EQ(open.arrivals, Arrivals::constant);
    const Load burst = good(kRequest + "load: {burst: 600}").load;
    EXPECT_EQ(burst.kind, LoadKind::burst);
    EXPECT_EQ(burst.requests, 600);
    const Load fixed = good(kRequest + "load: {users: 100, requests: 3000}").load;
    EXPECT_EQ(fixed.kind, LoadKind::fixed);
    EXPECT_EQ(fixed.requests, 3000);
    const Load stages =
        good(kRequest + "load: {start-users: 3, stages: [{for: 10s, users: 1e3}, {for: 5s, users: 0}]}").load;
    EXPECT_EQ(stages.kind, LoadKind::stages);
    EXPECT_EQ(stages.stages, (std::vector<Stage>{{10s, 1000}, {5s, 0}}));
    EXPECT_EQ(stages.start_users, 3);
}

TEST(Reader, LoadsThatDoNotGoTogether) {
    expect_error(kRequest + "load: {users: 5, rate: 3/s}", 2, 8, "'users' does not go with 'rate'");
    expect_error(kRequest + "load: {burst: 5, users: 3}", 2, 18, "'users' does not go with 'burst'");
    expect_error(kRequest + "load: {rate: 3/s, think: 1s}", 2, 19, "'think' does not go with 'rate'");
    expect_error(kRequest + "load: {timeout: 1s}", 2, 7, "users, rate, burst nor stages");
    expect_error(kRequest + "load: {users: 5, requests: 3}", 2, 7, "fewer than 5 users");
    expect_error(kRequest + "load: {stages: [{for: 1s, users: 0}]}", 2, 7, "no stage has any users");
}

TEST(Reader, AllErrorsAtOnceInTheOrderOfTheFile) {
    const Reading read = reading("load: {users: -1}\nruntime: {jdk: 20, cors: 4}\nrequest:\n  - cpu: 5\n");
    ASSERT_EQ(read.problems.size(), 4u) << problems(read);
    EXPECT_EQ(read.problems[0].text(),
              "x.yaml:1:15: error: load.users: '-1' is out of range; allowed: a whole number from 1 to 10000000");
    EXPECT_EQ(read.problems[1].mark, (Mark{2, 16}));
    EXPECT_EQ(read.problems[2].text(),
              "x.yaml:2:20: error: runtime: unknown key 'cors'; did you mean 'cores'?; runtime "
              "has jdk, cores, cpu-quota, cpu-period, memory, carriers, max-pool-size, event-loops, run-queue, "
              "versions and costs");
    EXPECT_EQ(read.problems[3].text(),
              "x.yaml:4:10: error: request[0].cpu: '5' has no unit; write one of ns, us, ms, s, min, h");
}

TEST(Reader, ErrorsOfSteps) {
    const auto at = [](const std::string& step) { return kLoad + "request:\n  - " + step + "\n"; };
    expect_error(at("release: db"), 3, 5, "given back where its block ends");
    expect_error(at("acquire: db"), 3, 5, "taken for a block");
    expect_error(at("quer: 1ms"), 3, 5, "did you mean 'query'");
    expect_error(at("release"), 3, 5, "expected a step");
    expect_error(at("{cpu: 1ms, sleep: 1ms}"), 3, 16, "one thing");
    expect_error(at("{name: x}"), 3, 5, "a step says what it does");
    expect_error(at("call: x"), 3, 11, "no service 'x'");
    expect_error(at("use: {pool: x, steps: [cpu: 1ms]}"), 3, 17, "no pool 'x'");
    expect_error(at("transaction: []"), 3, 18, "an empty one");
    expect_error(at("semaphore: {name: s, steps: [cpu: 1ms]}"), 3, 16, "'permits' is missing");
    expect_error(at("retry: {attempts: 0, steps: [cpu: 1ms]}"), 3, 23, "from 1 to 255");
    expect_error(at("retry: {attempts: 256, steps: [cpu: 1ms]}"), 3, 23,
                 "from 1 to 255"); // plan: 8-bit counters
    expect_error(at("choose: [{weight: 0, steps: [cpu: 1ms]}]"), 3, 23, "above 0");
    expect_error(at("parallel: []"), 3, 15, "empty list");
    expect_error(at("cpu:"), 3, 5, "found nothing");
    expect_error(at("cpu: exponential(5 parsecs)"), 3, 22, "unknown unit"); // the column of the 5
    expect_error(at("cpu: 'exponential(5)'"), 3, 23, "no unit");
    expect_error(kLoad + "services: {enrichment: {latency: 1ms}}\nrequest: [call: enrichmnt]", 3, 17,
                 "did you mean 'enrichment'");
    expect_error(kLoad + "request: [semaphore: {name: s, permits: 1, steps: [cpu: 1ms]}, semaphore: {name: s, permits: "
                         "2, steps: [cpu: 1ms]}]",
                 2, 75, "2 permits here and 1 at 2:22");
    expect_error(kLoad + "services: {s: {latency: lognormal(mean=1ms, p99=3ms)}}\n" + kRequest, 2, 45, "needs quotes");
}

TEST(Reader, ErrorsOfTheTopLevel) {
    expect_error(kLoad, 1, 1, "'request' is missing");
    expect_error(kRequest, 1, 1, "'load' is missing");
    expect_error(kLoad + kRequest + "requests: {a: {steps: [cpu: 1ms]}}", 3, 1, "exclude each other");
    expect_error(kLoad + kRequest + "narrows: 2", 3, 10, "from 1 to 1");
    expect_error(kLoad + kRequest + "threads: virtul", 3, 10, "did you mean 'virtual'");
    expect_error(kLoad + kRequest + "services: {s: {}}", 3, 15, "needs a latency");
    expect_error(kLoad + kRequest + "services: {s: {latency: 1ms, cpu: 1ms}}", 3, 15, "go together");
    expect_error(kLoad + kRequest + "pools: {p: {size: 0}}", 3, 19, "from 1");
    expect_error(kLoad + kRequest + "measure: {precision: 0}", 3, 10, "above 0");
    expect_error(kLoad + kRequest + "runtime: {cores: .nan}", 3, 18, "allowed");
    expect_error(kLoad + kRequest + "guessed: {load.usrs: x}", 3, 11, "leads to nothing");
    expect_error(kLoad + kRequest + "fitted: {'request[4].cpu': x}", 3, 10, "leads to nothing");
}

TEST(Reader, GuessedPathsOfEveryKind) {
    const Scenario s = good(kLoad + R"(
application: {server: {tomcat.threads: {max: 5}}}
services: {x: {latency: 1ms}}
request: [query: 1ms, synchronized: [sleep: 1ms], transaction: [query: {cpu: 1ms}]]
guessed:
  request[0].query: a
  request[0].query.cpu: b
  request[1].synchronized.steps[0].sleep: c
  request[1].synchronized[0].sleep: d
  request[2].transaction[0].query.cpu: e
  server.tomcat.threads.max: f
  application.server.tomcat.threads.max: g
  services.x.latency: h
  services."x".latency: i
)");
    EXPECT_EQ(s.guessed.size(), 9u);
}

TEST(Reader, ARequestThatTakesNoTime) {
    expect_error("load: {users: 1}\nrequest: [cpu: 0ms, transaction: [sleep: 0s]]", 2, 10, "no time at all");
    good("load: {users: 1, think: 1s}\nrequest: [cpu: 0ms]");
    good("load: {rate: 1/s}\nrequest: [cpu: 0ms]");
    good("load: {users: 1}\nservices: {s: {latency: 1ms}}\nrequest: [cpu: 0ms, call: s]");
}

TEST(Reader, PublishedFigures) {
    const Scenario s = good(kLoad + kRequest + R"(
published:
  - at: {load.users: 2500, threads: virtual}
    throughput: 13700/s
    p99: 690ms
    utilization: {app.cpu: 80%}
    pending: {hikari: 1000}
    note: n
)");
    ASSERT_EQ(s.published.size(), 1u);
    const Published& p = s.published[0];
    EXPECT_EQ(p.at, (Settings{{"load.users", "2500"}, {"threads", "virtual"}}));
    EXPECT_EQ(p.figures,
              (std::map<std::string, double>{
                  {"throughput", 13700}, {"p99", 690e6}, {"utilization:app.cpu", 0.8}, {"pending:hikari", 1000}}));
    expect_error(kLoad + kRequest + "published:\n  - {at: {load.users: x}, throughput: 1}", 4, 5, "whole number");
    expect_error(kLoad + kRequest + "published:\n  - {throughput: 1, p98: 1ms}", 4, 21, "did you mean 'p9");
}

} // namespace
} // namespace narrows::scenario::testing
