// SPDX-License-Identifier: GPL-3.0-or-later
// Spring's properties, overrides and sweeps.
#include "scenario/where.hpp"
#include "support.hpp"

namespace narrows::scenario::testing {
namespace {

using namespace std::chrono_literals;

const std::string kBase = kRequest + kLoad;

Application application(const std::string& yaml, const Settings& overrides = {}) {
    return good(kBase + "application: " + yaml, overrides).application;
}

TEST(Spring, NestedDottedMixedAndRelaxed) {
    for (const char* yaml : {"{server.tomcat.threads.max: 50}", "{server: {tomcat: {threads: {max: 50}}}}",
                             "{server: {tomcat.threads: {max: 50}}}", "{SERVER.Tomcat.threads.MAX: 50}",
                             "{server.tomcat: {threads.max: 50}}"}) {
        EXPECT_EQ(application(yaml).tomcat_threads_max, 50) << yaml;
    }
    for (const char* key : {"maximum-pool-size", "maximumPoolSize", "maximum_pool_size", "MAXIMUMPOOLSIZE"}) {
        EXPECT_EQ(application(fmt::format("{{spring.datasource.hikari.{}: 7}}", key)).hikari_maximum_pool_size, 7)
            << key;
    }
}

TEST(Spring, EveryProperty) {
    const Application a = application(R"(
  spring.threads.virtual.enabled: true
  server.tomcat.threads.max: 1
  server.tomcat.threads.min-spare: 2
  server.tomcat.max-connections: -1
  server.tomcat.accept-count: 4
  server.tomcat.threads.max-queue-capacity: 5
  spring.datasource.hikari.maximum-pool-size: 6
  spring.datasource.hikari.connection-timeout: 7000
)");
    EXPECT_EQ(a, (Application{true, 1, 2, -1, 4, 5, 6, 7s}));
    EXPECT_EQ(application("{spring.datasource.hikari.connection-timeout: 2s}").hikari_connection_timeout, 2s);
}

TEST(Spring, PropertiesThatAreNotModelledGiveOneWarning) {
    const Reading read = reading(kBase + "application: {server.port: 8080, logging.level.root: info}");
    ASSERT_TRUE(read.scenario) << problems(read);
    ASSERT_EQ(read.problems.size(), 1u);
    EXPECT_EQ(read.problems[0].text(),
              "x.yaml:3:14: warning: application: not modelled, so without effect: server.port and "
              "logging.level.root");
}

TEST(Spring, TyposAndOldNamesAreErrors) {
    expect_error(kBase + "application: {server.tomcat.treads.max: 5}", 3, 15,
                 "did you mean 'server.tomcat.threads.max'");
    expect_error(kBase + "application: {server: {tomcat: {threads: {maxx: 5}}}}", 3, 43, "server.tomcat.threads.max'");
    expect_error(kBase + "application: {server.tomcat.max-threads: 5}", 3, 15, "'server.tomcat.threads.max' now");
    expect_error(kBase + "application: {sprin.datasource.url: 5}", 3, 15, "did you mean 'spring'");
    expect_error(kBase + "application: {server.tomcat.threads.max: 0}", 3, 42, "out of range");
    expect_error(kBase + "application: {server.tomcat.max-connections: 0}", 3, 46, "unlimited");
    expect_error(kBase + "application: {server.tomcat.threads.max: 5, server: {tomcat.threads.max: 6}}", 3, 54,
                 "3:15 already");
    expect_error(kBase + "application: {spring.threads.virtual.enabled: 1}", 3, 47, "true or false");
}

TEST(Spring, FilesOfSpring) {
    const Folder folder;
    folder.write("application.yml",
                 "server:\n  tomcat.threads.max: 5\nmy.own: x\n---\nspring.config.activate.on-profile: "
                 "test\nserver.tomcat.threads.max: 9\n");
    folder.write("app.properties",
                 "\xEF\xBB\xBF# comment\r\n! too\nserver.tomcat.threads.max : 6\r\n"
                 "spring.datasource.hikari.maximum\\\n  PoolSize=1\\\n  2\nserver.tomcat.accept-count 3\n");
    folder.write("bad.properties", "a=b\n\n  server.tomcat.threads.max=x\n");
    folder.write("var.yml", "server.tomcat.threads.max: ${THREADS:17}\n");
    const auto read = [&](const std::string& yaml) {
        return good(kBase + "application: " + yaml, {}, folder.path()).application;
    };
    EXPECT_EQ(read("application.yml").tomcat_threads_max, 5);
    EXPECT_EQ(read("app.properties").tomcat_threads_max, 6);
    EXPECT_EQ(read("app.properties").hikari_maximum_pool_size, 12);
    EXPECT_EQ(read("app.properties").tomcat_accept_count, 3);
    EXPECT_EQ(read("{file: app.properties, server.tomcat.threads.max: 8}").tomcat_threads_max, 8);
    EXPECT_EQ(read("var.yml").tomcat_threads_max, 17);
    const Reading bad = reading(kBase + "application: bad.properties", {}, folder.path());
    ASSERT_EQ(bad.problems.size(), 1u) << problems(bad);
    EXPECT_EQ(bad.problems[0].file, (folder.path() / "bad.properties").string());
    EXPECT_EQ(bad.problems[0].mark, (Mark{3, 3}));
    expect_error(kBase + "application: nowhere.yml", 3, 14, "no such file");
    expect_error(kBase + "application: app.xml", 3, 14, "no application.yml");
}

TEST(Spring, TheChecksumKnowsIncludedFiles) {
    const Folder folder;
    folder.write("a.properties", "server.tomcat.threads.max=5");
    const auto sum = [&] { return good(kBase + "application: a.properties", {}, folder.path()).sha256; };
    const std::string before = sum();
    EXPECT_EQ(before, sum());
    folder.write("a.properties", "server.tomcat.threads.max=6");
    EXPECT_NE(before, sum());
}

TEST(Override, TypedPathsOfEveryKind) {
    const std::string text = kLoad +
                             "services: {x: {latency: 1ms}}\napplication: {server: {tomcat: {threads: {max: 5}}}}\n"
                             "request: [query: 1ms, call: x, synchronized: [sleep: 1ms]]\n";
    const auto with = [&](const std::string& path, const std::string& value) { return good(text, {{path, value}}); };
    EXPECT_EQ(with("load.users", "77").load.users, 77);
    EXPECT_EQ(with("threads", "virtual").threads, Threads::virtual_threads);
    EXPECT_EQ(with("server.tomcat.threads.max", "9").application.tomcat_threads_max, 9);
    EXPECT_EQ(with("application.server.tomcat.threads.max", "9").application.tomcat_threads_max, 9);
    EXPECT_EQ(with("application.\"server.tomcat.threads.max\"", "9").application.tomcat_threads_max, 9);
    EXPECT_EQ(with("spring.datasource.hikari.maximumPoolSize", "9").application.hikari_maximum_pool_size, 9);
    EXPECT_EQ(with("services.x.latency", "exponential(2ms)").services.at("x").latency, Distribution::exponential(2e6));
    EXPECT_EQ(with("runtime.costs.mount", "2us").runtime.costs.mount, 2us);
    EXPECT_EQ(with("runtime.versions.hikari", "7").runtime.versions.at("hikari"), "7");
    const auto query = [&](const std::string& path) {
        return std::get<QueryStep>(with(path, "5ms").endpoints[0].steps[0].what);
    };
    EXPECT_EQ(query("request[0].query").cpu, Distribution::constant(5e6));
    EXPECT_EQ(query("request[0].query.cpu").cpu, Distribution::constant(5e6));
    EXPECT_EQ(query("request[0].query.latency").cpu, Distribution::constant(1e6));
    EXPECT_EQ(query("request[0].query.latency").latency, Distribution::constant(5e6));
    EXPECT_EQ(std::get<CallStep>(with("request[1].call.timeout", "5ms").endpoints[0].steps[1].what).timeout, 5ms);
    EXPECT_EQ(with("load", "{burst: 5}").load.kind, LoadKind::burst);
    EXPECT_EQ(with("sweep.load.users", "[1, 2]").sweep.axes.at(0).path, "load.users");
    const Scenario last = good(text, {{"load.users", "1"}, {"load.users", "2"}});
    EXPECT_EQ(last.load.users, 2);
    EXPECT_NE(last.sha256, good(text).sha256);
}

TEST(Override, TheProblemNamesTheOption) {
    const auto said = [](const std::string& path, const std::string& value) {
        return problems(kBase, {{path, value}});
    };
    EXPECT_EQ(said("load.users", "x"),
              "--set load.users: error: load.users: 'x' is not allowed; allowed: a whole number from 1 "
              "to 10000000\n");
    EXPECT_NE(said("load.usrs", "1").find("--set load.usrs: error: load: unknown key 'usrs'; did you mean 'users'?"),
              std::string::npos);
    EXPECT_NE(said("lod.users", "1").find("did you mean 'load'"), std::string::npos);
    EXPECT_NE(said("request[3].cpu", "1ms").find("no item [3]; the list has 1"), std::string::npos);
    EXPECT_NE(said("load.users.x", "1").find("asks for a part of '10'"), std::string::npos);
    EXPECT_NE(said("load..users", "1").find("is no path"), std::string::npos);
    EXPECT_NE(said("load.users", "").find("has no value"), std::string::npos);
    EXPECT_NE(said("server.tomcat.thread.max", "1").find("did you mean 'server.tomcat.threads.max'"),
              std::string::npos);
}

TEST(Override, MendsWhatTheFileHasWrong) {
    EXPECT_EQ(good("load: {users: -1}\n" + kRequest, {{"load.users", "3"}}).load.users, 3);
}

Sweep sweep(const std::string& yaml) {
    return good(kBase + "sweep:\n  " + yaml).sweep;
}

TEST(Sweeps, ValuesInEveryForm) {
    using Values = std::vector<std::string>;
    EXPECT_EQ(sweep("load.users: [1, 20]").axes.at(0).values, (Values{"1", "20"}));
    EXPECT_EQ(sweep("load.users: 7").axes.at(0).values, (Values{"7"}));
    EXPECT_EQ(sweep("runtime.cores: linspace(1, 2, 5)").axes.at(0).values, (Values{"1", "1.25", "1.5", "1.75", "2"}));
    EXPECT_EQ(sweep("load.users: logspace(1, 1000, 4)").axes.at(0).values, (Values{"1", "10", "100", "1000"}));
    EXPECT_EQ(sweep("load.users: logspace(1, 10, 3)").axes.at(0).values, (Values{"1", "3", "10"})); // whole numbers
    EXPECT_EQ(sweep("load.users: linspace(1, 2, 5)").axes.at(0).values, (Values{"1", "2"}));        // once each
    EXPECT_EQ(sweep("load.users: {from: 10, to: 35, step: 10}").axes.at(0).values, (Values{"10", "20", "30"}));
    EXPECT_EQ(sweep("runtime.cores: {from: 0.1, to: 0.3, step: 0.1}").axes.at(0).values, (Values{"0.1", "0.2", "0.3"}));
    EXPECT_EQ(sweep("request[0].cpu: linspace(1ms, 2ms, 3)").axes.at(0).values, (Values{"1ms", "1.5ms", "2ms"}));
    EXPECT_EQ(sweep("threads: [platform, virtual, event-loop]").axes.at(0).values.size(), 3u);
}

TEST(Sweeps, EveryValueIsChecked) {
    const auto bad = [](const std::string& yaml) { return kBase + "sweep:\n  " + yaml; };
    expect_error(bad("load.users: [1, 2, -3]"), 4, 22, "'-3' is out of range");
    expect_error(bad("load.usrs: [1]"), 4, 15, "did you mean 'users'");
    expect_error(bad("threads: [platform, virtal]"), 4, 23, "did you mean 'virtual'");
    expect_error(bad("measure.replications: [auto, 0]"), 4, 32, "out of range");
    expect_error(bad("request[1].cpu: [1ms]"), 4, 20, "no item [1]");
    expect_error(bad("server.tomcat.threads.max: [5, x]"), 4, 34, "not allowed");
    expect_error(bad("load.users: []"), 4, 15, "no values");
    expect_error(bad("load.users: [[1]]"), 4, 16, "one word or number");
    expect_error(bad("load.users: linspace(1, 2)"), 4, 15, "linspace(from, to, count)");
    expect_error(bad("load.users: logspace(0, 2, 3)"), 4, 15, "above 0");
    expect_error(bad("load.users: {from: 2, to: 1, step: 1}"), 4, 15, "goes up");
    expect_error(bad("load.users: linspace(1, 1e8, 3)"), 4, 15, "out of range");
    expect_error(bad("load.users: [1, 2]\n  runtime.cores: [1]\n  zip: true"), 5, 3, "same length");
    expect_error(bad("load.users: [1, 2]\n  where: usrs < 2"), 5, 10, "did you mean 'users'");
    expect_error(bad("load.rate: [5/s]"), 4, 15, "does not go with");
}

TEST(Sweeps, PointsInOrderAndFiltered) {
    const auto shown = [](const Sweep& s) {
        std::string all;
        for (const Settings& point : points(s)) {
            for (const auto& [path, value] : point)
                all += value + " ";
            all += "| ";
        }
        return all;
    };
    EXPECT_EQ(points(Sweep{}).size(), 1u);
    EXPECT_TRUE(points(Sweep{}).at(0).empty());
    EXPECT_EQ(shown(sweep("load.users: [1, 2]\n  threads: [platform, virtual]")),
              "1 platform | 1 virtual | 2 platform | 2 virtual | ");
    EXPECT_EQ(shown(sweep("load.users: [1, 2]\n  runtime.cores: [3, 4]\n  zip: true")), "1 3 | 2 4 | ");
    EXPECT_EQ(shown(sweep("load.users: [1, 2, 3]\n  runtime.cores: [2, 3]\n  where: cores <= users")),
              "2 2 | 3 2 | 3 3 | ");
}

bool holds(const std::string& text) {
    const std::vector<std::string> axes{"load.users", "spring.datasource.hikari.maximum-pool-size", "threads",
                                        "load.think"};
    const std::vector<std::vector<std::string>> values{{"100"}, {"50"}, {"virtual", "platform"}, {"20ms"}};
    const Condition condition(text, axes, values);
    EXPECT_EQ(condition.error(), "") << text;
    const std::vector<Operand> now{100.0, 50.0, std::string("virtual"), operand("20ms")};
    const std::vector<const Operand*> at{now.data(), &now[1], &now[2], &now[3]};
    return condition.holds(at);
}

TEST(Where, Conditions) {
    EXPECT_TRUE(holds("maximum-pool-size <= users"));
    EXPECT_TRUE(holds("spring.datasource.hikari.maximum-pool-size * 2 == load.users"));
    EXPECT_FALSE(holds("users - maximum-pool-size > 50"));
    EXPECT_TRUE(holds("threads == virtual and users > 1"));
    EXPECT_TRUE(holds("threads = 'virtual'"));
    EXPECT_FALSE(holds("threads != virtual or users < 1"));
    EXPECT_TRUE(holds("1 + 2 * 3 == 7"));
    EXPECT_TRUE(holds("(1 + 2) * 3 == 9"));
    EXPECT_TRUE(holds("8 / 2 / 2 == 2"));
    EXPECT_TRUE(holds("not (users < 1)"));
    EXPECT_TRUE(holds("users > 1 or users > 2 and users < 3")); // and binds tighter
    EXPECT_TRUE(holds("think == 0.02s"));
    EXPECT_TRUE(holds("-users < 0"));
    EXPECT_FALSE(holds("threads < 5"));
}

TEST(Where, Errors) {
    const std::vector<std::string> axes{"load.users", "a.size", "b.size"};
    const std::vector<std::vector<std::string>> values{{"1"}, {"1"}, {"1"}};
    const auto error = [&](const std::string& text) { return Condition(text, axes, values).error(); };
    EXPECT_NE(error("usrs < 1").find("did you mean 'users'"), std::string::npos);
    EXPECT_NE(error("size < 1").find("several axes"), std::string::npos);
    EXPECT_NE(error("users <").find("ends where"), std::string::npos);
    EXPECT_NE(error("(users < 1").find("misses a ')'"), std::string::npos);
    EXPECT_NE(error("users < 1 1").find("cannot be read from '1'"), std::string::npos);
    EXPECT_NE(error("users < 5parsec").find("no number"), std::string::npos);
    EXPECT_NE(error(std::string(200, '(')).find("nested too deep"), std::string::npos);
    EXPECT_NE(error(std::string(2000, '1')).find("longer than"), std::string::npos);
    EXPECT_NE(error("").find("ends where"), std::string::npos);
}

} // namespace
} // namespace narrows::scenario::testing
