// SPDX-License-Identifier: GPL-3.0-or-later
// One replication over time.
#include "experiment/experiment.hpp"
#include "scenarios.hpp"

#include <algorithm>
#include <cmath>

namespace narrows::experiment {
namespace {

using scenario::Threads;
using testing::small;
using testing::under;
using testing::with_jobs;

TEST(Series, IsTheFirstReplicationOverTime) {
    const auto scenario = small({{"measure.replications", "1"}});
    const auto result = run_point(scenario, Threads::platform, with_jobs(1));
    const auto series = experiment::series(scenario, Threads::platform, result, 100'000'000, with_jobs(1));
    ASSERT_EQ(series.size(), 12U) << "200 ms of warm-up and 1 s in steps of 100 ms";
    EXPECT_EQ(series.step_ms, 100);
    double answered = 0;
    double queue = 0;
    for (std::size_t i = 2; i < series.size(); ++i) {
        answered += series.answered[i];
        EXPECT_EQ(series.throughput_rps[i], series.answered[i] * 10);
        for (const auto& [name, values] : series.queue)
            if (name == "tomcat.threads") queue += values[i] / 10;
    }
    // The warm-up is cut in whole groups, 40 of the run: at 210 ms, not at 200.
    EXPECT_NEAR(answered / result.throughput_rps, 1, 0.01);
    for (const auto& resource : result.resources)
        if (resource.name == "tomcat.threads") {
            EXPECT_NEAR(queue, resource.queue_mean, 0.01 * queue);
        }
    EXPECT_GT(queue, 15) << "40 users, 20 threads";
    const auto chosen = experiment::series(scenario, Threads::platform, result, 0, with_jobs(1));
    EXPECT_EQ(chosen.step_ms, 10) << "120 of them";
    EXPECT_EQ(chosen.size(), 120U);
}

TEST(Series, OfALoadThatEndsHasAShorterLastStep) {
    const auto scenario = under("{burst: 60}", {{"measure.replications", "1"}});
    const auto result = run_point(scenario, Threads::platform, with_jobs(1));
    const auto series = experiment::series(scenario, Threads::platform, result, 7'000'000, with_jobs(1));
    EXPECT_EQ(static_cast<double>(series.size()), std::ceil(*result.makespan_ms / 7));
    double answered = 0;
    for (const double n : series.answered)
        answered += n;
    EXPECT_EQ(answered, 60);
    const double rest_s = (*result.makespan_ms - 7 * static_cast<double>(series.size() - 1)) / 1000;
    EXPECT_NEAR(series.throughput_rps.back(), series.answered.back() / rest_s, 1e-6 * series.throughput_rps.back());
    EXPECT_TRUE(std::isnan(series.p99_ms.front())) << "of fewer than 100 requests";
    // No more than 10,000 points, whatever is asked.
    EXPECT_EQ(experiment::series(scenario, Threads::platform, result, 1000, with_jobs(1)).size(), 10'000U);
}

TEST(Series, FollowsStages) {
    const auto scenario = under("{stages: [{for: 1s, users: 100}, {for: 1s, users: 100}, {for: 1s, users: 0}]}",
                                {{"measure.replications", "1"}, {"measure.warmup", "auto"}});
    const auto result = run_point(scenario, Threads::platform, with_jobs(1));
    const auto series = experiment::series(scenario, Threads::platform, result, 100'000'000, with_jobs(1));
    ASSERT_EQ(series.size(), 30U);
    EXPECT_LT(series.in_flight[1], 40);
    EXPECT_EQ(series.in_flight[15], 100);
    EXPECT_LT(series.in_flight.back(), 20);
    for (const auto& [name, values] : series.queue)
        if (name == "tomcat.threads") {
            EXPECT_NEAR(values[15], 80, 2);
        }
}

} // namespace
} // namespace narrows::experiment
