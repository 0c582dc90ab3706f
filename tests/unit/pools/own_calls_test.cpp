// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of the application to itself, and two connections a request.
#include "run.hpp"

namespace narrows::testing {
namespace {

using plan::Outcome;
using Lines = std::vector<std::string>;

/// Everybody asks for the page, which asks for its menu.
std::string page(const std::string& threads, int users) {
    return "threads: " + threads + "\nruntime: {cores: 4, " + kFree +
           "}\napplication: {server.tomcat.threads.max: 5}\n"
           "requests:\n  page: {weight: 1, steps: [sleep: 10ms, call: {endpoint: menu}]}\n"
           "  menu: {weight: 0.000001, steps: [sleep: 5ms]}\n"
           "load: {users: " +
           std::to_string(users) + ", start: together}\n";
}

TEST(OwnCalls, CallersThatHaveAllThreadsNeverGetOneForTheirCalls) {
    const auto r = run(page("platform", 5));
    EXPECT_TRUE(r.deadlock);
    ASSERT_TRUE(r.knot.has_value());
    EXPECT_EQ(r.knot->stuck, 5U);
    ASSERT_GE(r.knot->lines.size(), 2U);
    const auto says = [&](const std::string& line) {
        return std::find(r.knot->lines.begin(), r.knot->lines.end(), line) != r.knot->lines.end();
    };
    EXPECT_TRUE(says("5 requests wait for what they started, keeping 5 of 5 tomcat.threads"));
    EXPECT_TRUE(says("5 strands wait for one of 5 tomcat.threads, all held"));
}

TEST(OwnCalls, OneThreadMoreThanCallersIsEnough) {
    const auto r = run(page("platform", 4));
    EXPECT_FALSE(r.knot.has_value());
    EXPECT_GT(count(r, Outcome::ok), 500U);
}

TEST(OwnCalls, VirtualThreadsFlow) {
    const auto r = run(page("virtual", 100));
    EXPECT_FALSE(r.knot.has_value());
    EXPECT_NEAR(static_cast<double>(count(r, Outcome::ok)), 100 * 10 / 0.015, 700);
}

TEST(OwnCalls, ATimeOutUndoesTheKnot) {
    auto yaml = page("platform", 5);
    yaml.replace(yaml.find("{endpoint: menu}"), 16, "{endpoint: menu, timeout: 1s}");
    const auto r = run(yaml);
    EXPECT_FALSE(r.deadlock);
    ASSERT_TRUE(r.knot.has_value());
    EXPECT_TRUE(r.knot->until_timeout);
    EXPECT_GT(count(r, Outcome::call_timeout), 0U);
}

TEST(OwnCalls, TakeATomcatConnectionOfTheirOwn) {
    const auto p = plan_of(page("platform", 1));
    EXPECT_EQ(first(p, plan::Op::acquire, "own call of menu").resource, 0);
    EXPECT_EQ(p.pools[0].name, "tomcat.connections");
}

TEST(OwnCalls, EndlessOnesAreRefusedWithTheirPlace) {
    const auto problem = [](const std::string& steps) {
        const auto read = scenario::read_text("narrows: 1\nload: {users: 1}\nrequests:\n" + steps, "x.yaml", ".");
        return read.problems.empty() ? "" : read.problems[0].text();
    };
    EXPECT_EQ(problem("  a: {steps: [cpu: 1ms, call: {endpoint: b}]}\n  b: {steps: [call: {endpoint: a}]}\n"),
              "x.yaml:4:42: error: 'a' would call itself for ever");
    EXPECT_EQ(problem("  alpha: {steps: [cpu: 1ms, call: {endpoint: betta}]}\n  beta: {steps: [cpu: 1ms]}\n"),
              "x.yaml:4:46: error: there is no endpoint 'betta'; did you mean 'beta'?; declared are alpha and beta");
}

std::string two_connections(const std::string& propagation) {
    return "threads: platform\nruntime: {cores: 4, " + kFree +
           "}\napplication:\n  spring.datasource.hikari: {maximum-pool-size: 5, connection-timeout: 1000}\n"
           "request:\n  - transaction:\n      steps:\n        - query: {cpu: 0s, latency: 5ms}\n"
           "        - transaction: {propagation: " +
           propagation +
           ", steps: [query: {cpu: 0s, latency: 5ms}]}\n"
           "load: {users: 5, start: together}\n";
}

TEST(TwoConnections, RequiresNewTakesASecondOneAndStalls) {
    const auto r = run(two_connections("requires-new"));
    ASSERT_TRUE(r.knot.has_value());
    EXPECT_TRUE(r.knot->until_timeout);
    EXPECT_EQ(r.knot->lines[0],
              "5 requests hold hikari and wait for hikari (5 of 5 taken), keeping 5 of 200 tomcat.threads");
    EXPECT_GT(count(r, Outcome::pool_timeout), 0U);
}

TEST(TwoConnections, RequiredSharesTheFirst) {
    const auto r = run(two_connections("required"));
    EXPECT_FALSE(r.knot.has_value());
    EXPECT_EQ(count(r, Outcome::pool_timeout), 0U);
}

TEST(TwoConnections, OneMoreThanTheWikisRuleIsEnough) {
    const auto r = run(two_connections("requires-new"), {{"spring.datasource.hikari.maximum-pool-size", "6"}});
    EXPECT_FALSE(r.knot.has_value()); // 5 x (2 - 1) + 1
}

} // namespace
} // namespace narrows::testing
