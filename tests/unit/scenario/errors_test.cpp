// SPDX-License-Identifier: GPL-3.0-or-later
// Every error at the first reading, each with a place, and none that acts on a terminal.
#include "scenario/limits.hpp"
#include "scenario/problems.hpp"
#include "scenario/property_names.hpp"
#include "support.hpp"

namespace narrows::scenario::testing {
namespace {

/// That the errors of a text are exactly at these places, in this order.
void expect_places(const std::string& text, const std::vector<Mark>& places) {
    const Reading read = reading(text);
    std::vector<Mark> found;
    for (const Problem& problem : read.problems)
        found.push_back(problem.mark);
    EXPECT_TRUE(found == places) << problems(read) << "for\n" << text;
}

TEST(AtOnce, AMisspeltStepHidesNothing) {
    const std::string text = "load: {users: 0}\n"
                             "request:\n"
                             "  - qery: 5 parsecs\n"
                             "  - sleep: 5\n"
                             "  - transacton:\n"
                             "      - cpu: 3\n"
                             "  - call: nobody\n"
                             "measure: {duration: 5}\n"
                             "sweep: {load.users: [1, x], 'request[0].query': [1ms, 2]}\n"
                             "published:\n"
                             "  - {at: {load.users: y}, throughput: 1}\n"
                             "guessed: {'request[0].query.cpu': a, 'request[9].cpu': b}\n";
    expect_places(text, {{1, 15}, // users
                         {3, 5},  // qery, and what it is given
                         {3, 11},
                         {4, 12}, // sleep
                         {5, 5},  // transacton, and the step below it
                         {6, 14},
                         {7, 11}, // nobody
                         {8, 21}, // duration
                         {9, 25}, // the axes' values
                         {9, 55},
                         {11, 5},    // the published point
                         {12, 38}}); // the path that leads nowhere: not the one through qery
}

TEST(AtOnce, AMisspeltKeyHidesNothing) {
    // laod is a load and usres are users: neither is said to be missing.
    expect_places("laod: {usres: x}\nrequest: [cpu: 1ms]\n", {{1, 1}, {1, 8}, {1, 15}});
    expect_places("load: {usres: 5}\nrequest: [cpu: 1ms]\n", {{1, 8}});
    expect_places(kLoad + kRequest + "services: {s: {latncy: 5}}\n", {{3, 16}, {3, 24}});
    expect_places(kLoad + "request: [retry: {atempts: 300, steps: [cpu: 1ms]}]", {{2, 19}, {2, 28}});
    expect_places(kLoad + kRequest + "application: {server.tomcat.treads.max: x}", {{3, 15}, {3, 41}});
    // What stands there under its own name already is not read twice.
    expect_places("load: {users: 5, usres: x}\nrequest: [cpu: 1ms]\n", {{1, 18}});
    expect_places("load: {users: 5}\nrequest: [{qery: 1ms, query: 1ms}]\n", {{2, 12}});
}

TEST(AtOnce, AWordThatIsNoStepHidesNotTheOthers) {
    expect_places(kLoad + "request: [http: 1ms, sleep: 3, frobnicate: 1, cpu: 4]",
                  {{2, 11}, {2, 29}, {2, 32}, {2, 52}});
}

TEST(Places, ChooseOfTooManyBranches) {
    const auto text = [](std::size_t branches) {
        std::string all = kLoad + "request:\n  - choose:\n";
        for (std::size_t i = 0; i < branches; ++i)
            all += "      - {weight: 1, steps: [cpu: 1ms]}\n";
        return all;
    };
    good(text(kMaxBranches));
    expect_error(text(kMaxBranches + 1), 4 + static_cast<int>(kMaxBranches), 9, "at most 1024 branches, and has 1025");
}

TEST(Places, RetriesTooDeep) {
    const auto nested = [](int depth, const std::string& inner, const std::string& more = "") {
        std::string all = inner;
        for (int i = 0; i < depth; ++i)
            all = "retry: {" + more + "steps: [" + all + "]}";
        return all;
    };
    const auto text = [](const std::string& step) { return kLoad + "request: [" + step + "]"; };
    good(text(nested(4, "cpu: 1ms")));
    expect_error(text(nested(5, "cpu: 1ms")), 2, 18 + 4 * 16, "more than 4 deep");
    expect_error(text(nested(9, "cpu: 1ms")), 2, 18 + 4 * 16, "more than 4 deep");
    // A branch of parallel is a strand of its own, and one attempt is no retry.
    good(text(nested(4, "parallel: [" + nested(4, "cpu: 1ms") + "]")));
    good(text(nested(9, "cpu: 1ms", "attempts: 1, ")));
    // What a sweep makes of it counts too.
    expect_error(text(nested(4, "retry: {attempts: 1, steps: [cpu: 1ms]}")) +
                     "\nsweep: {'request[0].retry.steps[0].retry.steps[0].retry.steps[0].retry.steps[0]."
                     "retry.attempts': [1, 2]}",
                 2, 18 + 4 * 16, "more than 4 deep");
}

TEST(Places, TooManyProcessors) {
    const auto text = [](int services, const std::string& more, bool called = true) {
        std::string all = kLoad + "services:\n";
        for (int i = 0; i < services; ++i)
            all += fmt::format("  s{}: {{cpu: 1ms, cores: 1}}\n", i);
        all += "request:\n" + more;
        for (int i = 0; i < services && called; ++i)
            all += fmt::format("  - call: s{}\n", i);
        return all;
    };
    good(text(63, "  - sleep: 1ms\n"));
    good(text(62, "  - query: 1ms\n"));
    good(text(80, "  - query: 1ms\n", false));
    // The mapping is in the file's order.
    expect_error(text(64, ""), 3 + 63, 3, "more than 64 processors");
    expect_error(text(63, "  - query: 1ms\n"), 3 + 62, 3, "more than 64 processors");
}

TEST(Places, HandlersInWhichNoTimePasses) {
    for (const char* step :
         {"choose: [{weight: 1, steps: [cpu: 0ms]}, {weight: 2, steps: [sleep: 0s]}]", "cpu: 'uniform(0s, 0s)'",
          "sleep: exponential(0.1ns)", "retry: {steps: [native: 'uniform(0s, 0s)']}", "call: quick",
          "query: {cpu: 'uniform(0s, 0s)'}"}) {
        expect_error(fmt::format("load: {{users: 1}}\nservices: {{quick: {{latency: 'uniform(0s, 0s)'}}}}\n"
                                 "request: [{}]",
                                 step),
                     3, 10, "no time at all");
    }
    expect_error("load: {users: 1, think: 'uniform(0s, 0s)'}\nrequest: [parallel: [[cpu: 0ms], [sleep: 0ms]]]", 2, 10,
                 "no time at all");
    good("load: {users: 1}\nrequest: [choose: [{weight: 1, steps: [cpu: 0ms]}, {weight: 2, steps: [sleep: 1s]}]]");
    // Errors elsewhere do not hide it; errors of the handler itself do, as its time is not known then.
    expect_error("load: {users: 1}\nrequest: [cpu: 0ms]\nmeasure: {seed: x}", 2, 10, "no time at all");
    EXPECT_EQ(problems("load: {users: 1}\nrequest: [cpu: 1]").find("no time"), std::string::npos);
    EXPECT_EQ(problems("load: {users: 1}\nrequest: [call: s]\nservices: {s: {latency: 1}}").find("no time"),
              std::string::npos);
}

TEST(Spring, NearToAModelledOneItIsSaid) {
    for (const char* key : {"maxPoolSize", "max-pool-size", "pool-size", "MAX_POOL_SIZE"}) {
        const Reading read =
            reading(kLoad + kRequest + "application: {spring: {datasource: {hikari: {" + key + ": 5}}}}");
        ASSERT_TRUE(read.scenario) << key << problems(read);
        ASSERT_EQ(read.problems.size(), 1U) << key;
        EXPECT_EQ(read.problems[0].text(),
                  fmt::format("x.yaml:3:46: warning: application: 'spring.datasource.hikari.{}' is not modelled, so "
                              "without effect; did you mean 'spring.datasource.hikari.maximum-pool-size'?",
                              key));
    }
    EXPECT_TRUE(may_stand_for("spring.datasource.hikari.connTimeout", "spring.datasource.hikari.connection-timeout"));
    EXPECT_TRUE(may_stand_for("spring.datasource.maximum-pool-size", "spring.datasource.hikari.maximum-pool-size"));
    EXPECT_TRUE(may_stand_for("server.tomcat.max-conns", "server.tomcat.max-connections"));
    EXPECT_TRUE(may_stand_for("server.max-connections", "server.tomcat.max-connections"));
}

TEST(Spring, RealOnesThatAreNotModelledAreNotTakenForOthers) {
    // HikariConfig's and Spring Boot's own names.
    std::string yaml = "application:\n";
    for (const char* key : {"spring.datasource.hikari.minimum-idle",
                            "spring.datasource.hikari.max-lifetime",
                            "spring.datasource.hikari.idle-timeout",
                            "spring.datasource.hikari.validation-timeout",
                            "spring.datasource.hikari.initialization-fail-timeout",
                            "spring.datasource.hikari.leak-detection-threshold",
                            "spring.datasource.hikari.keepalive-time",
                            "spring.datasource.hikari.pool-name",
                            "spring.datasource.hikari.connection-test-query",
                            "spring.datasource.hikari.connection-init-sql",
                            "server.tomcat.connection-timeout",
                            "server.tomcat.keep-alive-timeout",
                            "server.tomcat.max-keep-alive-requests",
                            "server.tomcat.max-swallow-size",
                            "server.tomcat.max-http-form-post-size",
                            "server.tomcat.max-parameter-count",
                            "server.tomcat.processor-cache",
                            "server.jetty.threads.max",
                            "server.jetty.max-connections",
                            "server.tomcat.mbeanregistry.enabled",
                            "spring.task.execution.threads.max",
                            "spring.datasource.tomcat.max-active",
                            "server.port"})
        yaml += fmt::format("  {}: 1\n", key);
    const Reading read = reading(kLoad + kRequest + yaml);
    ASSERT_EQ(read.problems.size(), 1U) << problems(read);
    EXPECT_EQ(problems(read).find("did you mean"), std::string::npos) << problems(read);
}

TEST(Controls, AreRefusedWithAPlaceAndNeverPrinted) {
    for (const char* text :
         {"name: \"a\\e[31mb\"\n", "name: \"a\\x9b31m\"\n", "name: \"a\\x7f\"\n", "name: \"a\\rb\"\n",
          "name: \"a\\u202eb\"\n", "name: \"a\\nb\"\n", "name: a\x1b[2Jb\n", "name: \"\\e\"\n"})
        expect_error(std::string(text) + kLoad + kRequest, 1, 7, "not allowed");
    expect_error("\"\\e[31m\": 1\n" + kLoad + kRequest, 1, 1, "control character");
    expect_error(kLoad + "request: [{cpu: 1ms, name: \"a\\eb\"}]", 2, 28, "control character");
    expect_error(kLoad + kRequest + "services: {\"a\\tb\": {latency: 1ms}}", 3, 12, "control character");
    expect_error(kLoad + kRequest + "about: \"a\\eb\"", 3, 8, "control character");
    const std::string hostile = "\x1b]0;x\x07\xC2\x9B\x7F\r";
    for (const std::string& said :
         {problems(kLoad + kRequest, {{"name", hostile}}), problems(kLoad + kRequest, {{hostile, "5"}}),
          problems(kLoad + kRequest, {{"load.users", hostile}}), problems(read_text(kLoad, "a\x1b[31m\n.yaml", ".")),
          problems(kLoad + "request: [\"\\e[31m\": 1]")}) {
        EXPECT_FALSE(said.empty());
        for (std::size_t start = 0; start < said.size();) { // by lines: those end with a line end
            const std::size_t end = said.find('\n', start);
            EXPECT_EQ(first_control(said.substr(start, end - start), false), std::string::npos) << printable(said);
            start = end + 1;
        }
    }
    // Prose may have lines, and other alphabets are no control characters.
    EXPECT_EQ(good("name: Größe — 速度 e\xCC\x81\nabout: |\n  one\n  two\n" + kLoad + kRequest).about, "one\ntwo\n");
    EXPECT_EQ(good("name: >\n  folded\n  text\n" + kLoad + kRequest).name, "folded text");
}

TEST(ThreadPerUser, TakesNothingOfAClients) {
    expect_error(kRequest + "load:\n  users: 5\n  thread-per: user\n  think: 1s", 5, 10, "'think' is a client's");
    expect_error(kRequest + "load: {rate: 5/s, thread-per: user}", 2, 19, "'thread-per' does not go with 'rate'");
    EXPECT_EQ(good(kRequest + "load: {users: 5, requests: 10, thread-per: user}").load.thread_per, ThreadPer::user);
}

TEST(Names, OfPartsThatEveryServiceHasAreTaken) {
    expect_error(kLoad + kRequest + "services:\n  db: {latency: 1ms}", 4, 3, "the name 'db' belongs to a part");
    expect_error(kLoad + kRequest + "services:\n  app: {latency: 1ms}", 4, 3, "taken are app and db");
    expect_error(kLoad + kRequest + "pools:\n  hikari: {size: 3}", 4, 3, "call the pool something else");
    expect_error(kLoad + kRequest + "pools:\n  'service a': {size: 3}", 4, 3, "'service a'");
    EXPECT_TRUE(good(kLoad + kRequest + "services: {db2: {latency: 1ms}}\npools: {hikari2: {size: 3}}")
                    .pools.contains("hikari2"));
}

} // namespace
} // namespace narrows::scenario::testing
