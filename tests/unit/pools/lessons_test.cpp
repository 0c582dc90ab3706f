// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped lessons end as they say.
#include "run.hpp"

namespace narrows::testing {
namespace {

using plan::Outcome;

measure::Recording lesson(const std::string& name, const scenario::Settings& settings = {}) {
    const auto read = scenario::read(std::string(NARROWS_SOURCE_DIR) + "/configs/lessons/" + name + ".yaml", settings);
    return run(models::compile(read.scenario.value(), models::default_threads(*read.scenario)), 20'000'000'000);
}

TEST(Lessons, AServiceThatCallsItselfStalls) {
    const auto r = lesson("own-call");
    EXPECT_TRUE(r.deadlock);
    ASSERT_TRUE(r.knot.has_value());
    EXPECT_EQ(r.knot->lines[0], "20 requests wait for what they started, keeping 20 of 20 tomcat.threads");
    EXPECT_FALSE(lesson("own-call", {{"server.tomcat.threads.max", "80"}}).knot.has_value());
    EXPECT_FALSE(lesson("own-call", {{"threads", "virtual"}}).knot.has_value());
}

TEST(Lessons, AnOpenCircuitFreesThreads) {
    const auto with = lesson("open-circuit");
    const auto without =
        lesson("open-circuit", {{"requests.pay.steps", "[cpu: 300us, call: {service: payment, timeout: 1s}]"}});
    EXPECT_GT(count(with, Outcome::circuit_open), 1000U);
    EXPECT_GT(2 * count(with, Outcome::ok), 3 * count(without, Outcome::ok));
}

} // namespace
} // namespace narrows::testing
