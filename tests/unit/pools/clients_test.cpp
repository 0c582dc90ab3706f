// SPDX-License-Identifier: GPL-3.0-or-later
// HTTP clients known by name: how many calls they let be under way, and how the others wait.
#include "run.hpp"

namespace narrows::testing {
namespace {

using plan::Outcome;
using plan::Waiting;

/// Users without think time, one call of 100 ms each, virtual threads.
std::string one_service(const std::string& client) {
    return "threads: virtual\nruntime: {cores: 4, " + kFree +
           "}\nservices: {remote: {latency: 100ms, client: " + client +
           "}}\nrequest: [call: remote]\nload: {users: 100}\n";
}

double per_second(const std::string& yaml) {
    const auto r = run(yaml);
    return static_cast<double>(answers(r).ok) / 10;
}

TEST(Clients, EachHasItsOwnCeiling) {
    EXPECT_NEAR(per_second(one_service("apache-hc5")), 5 / 0.1, 1);
    EXPECT_NEAR(per_second(one_service("apache-hc4")), 2 / 0.1, 1);
    EXPECT_NEAR(per_second(one_service("reactor-netty")), 100 / 0.1, 20);
    EXPECT_NEAR(per_second(one_service("jdk")), 100 / 0.1, 20);
}

TEST(Clients, AllServicesOfAClientShareItsTotal) {
    std::string services = "services:\n", request = "request:\n  - choose:\n";
    for (const std::string name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
        services += "  " + name + ": {latency: 100ms, client: apache-hc5}\n";
        request += "      - {weight: 1, steps: [call: " + name + "]}\n";
    }
    const std::string yaml = "threads: virtual\n" + services + request + "load: {users: 1000}\n";
    EXPECT_NEAR(per_second(yaml), 25 / 0.1, 8); // ten routes would let 50 through
    EXPECT_GT(per_second(yaml + "clients: {apache-hc5: {total: 1000}}\n"), 470);
}

TEST(Clients, LimitsCanBeSet) {
    const std::string yaml = one_service("apache-hc5") + "clients: {apache-hc5: {per-route: 50, total: 20}}\n";
    EXPECT_NEAR(per_second(yaml), 20 / 0.1, 3);
}

TEST(Clients, BothPermitsAreHeldDuringTheCallAndGivenBack) {
    EXPECT_EQ(lines(plan_of(one_service("apache-hc5"))),
              (std::vector<std::string>{"run on  carriers  [4]", "acquire apache-hc5 remote 180s park else L1",
                                        "acquire apache-hc5 180s        park else L2",
                                        "delay   remote 100ms           park", "release apache-hc5",
                                        "release apache-hc5 remote", "end     ok", "L1:", "end     pool_timeout",
                                        "L2:", "release apache-hc5 remote", "end     pool_timeout"}));
}

TEST(Clients, ReactorNettyRefusesWhatExceedsItsPendingQueue) {
    const auto r = run("threads: event-loop\nruntime: {" + kFree +
                       "}\nservices: {remote: {latency: 100ms, client: reactor-netty}}\nrequest: [call: remote]\n"
                       "clients: {reactor-netty: {per-route: 2, pending: 3}}\nload: {burst: 10}\n");
    EXPECT_EQ(count(r, Outcome::ok), 5U);
    EXPECT_EQ(count(r, Outcome::rejected), 5U);
    ASSERT_EQ(r.messages.size(), 1U);
    EXPECT_EQ(r.messages[0],
              "PoolAcquirePendingLimitException: Pending acquire queue has reached its maximum size of 3");
}

TEST(Clients, ReactorNettyWaits45SecondsAndDoublesItsPool) {
    const auto p = plan_of(one_service("reactor-netty"));
    EXPECT_EQ(first(p, plan::Op::acquire).timeout, 45'000'000'000);
    EXPECT_EQ(p.pools[0].capacity, 500);
    EXPECT_EQ(p.pools[0].queue_limit, 1000);
    const auto r = run("services: {remote: {latency: 100s, client: reactor-netty}}\nrequest: [call: remote]\n"
                       "clients: {reactor-netty: {per-route: 1}}\nload: {burst: 2}\n");
    EXPECT_EQ(count(r, Outcome::pool_timeout), 1U);
    ASSERT_EQ(r.messages.size(), 1U);
    EXPECT_NE(r.messages[0].find("pending for more than the configured timeout of 45000ms"), std::string::npos);
}

TEST(Clients, VersionAndJdkDecideWhatAWaiterDoesToItsCarrier) {
    const auto wait = [](const std::string& client, int jdk, const std::string& version = "") {
        scenario::Settings settings{{"runtime.jdk", std::to_string(jdk)}};
        if (!version.empty()) settings.emplace_back("runtime.versions." + client, version);
        return first(plan_of(one_service(client), settings), plan::Op::acquire);
    };
    EXPECT_EQ(wait("apache-hc5", 21).waiting, Waiting::park); // 5.4: ReentrantLock
    EXPECT_EQ(wait("apache-hc5", 21, "5.3.1").waiting, Waiting::compensate);
    EXPECT_EQ(wait("apache-hc5", 24, "5.3.1").waiting, Waiting::park);
    EXPECT_EQ(wait("apache-hc4", 21).waiting, Waiting::hold);
    EXPECT_TRUE(wait("apache-hc4", 21).pinned);
    EXPECT_EQ(wait("apache-hc4", 25).waiting, Waiting::park);
    EXPECT_EQ(wait("reactor-netty", 21).waiting, Waiting::park);
}

TEST(Pools, AWaitInsideAMonitorIsAPinUpTo23) {
    const std::string yaml = "threads: virtual\npools: {p: {size: 1, wait: in-monitor}}\n"
                             "request: [use: {pool: p, steps: [sleep: 1ms]}]\nload: {users: 2}\n";
    const auto on = [&](const char* jdk) { return first(plan_of(yaml, {{"runtime.jdk", jdk}}), plan::Op::acquire); };
    EXPECT_EQ(on("23").waiting, Waiting::hold);
    EXPECT_TRUE(on("23").pinned);
    EXPECT_EQ(on("24").waiting, Waiting::park);
    EXPECT_FALSE(first(plan_of(yaml, {{"runtime.jdk", "21"}}), plan::Op::delay).pinned); // only the wait for a permit
}

} // namespace
} // namespace narrows::testing
