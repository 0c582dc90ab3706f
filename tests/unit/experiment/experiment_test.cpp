// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment.hpp"
#include "report/json.hpp"
#include "scenarios.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <thread>

namespace narrows::experiment {
namespace {

using scenario::Threads;
using testing::Folder;
using testing::kSmall;
using testing::small;
using testing::under;
using testing::with_jobs;

std::string joined(const std::vector<measure::Result>& results) {
    std::string out;
    for (const auto& result : results)
        out += report::to_json(result, report::Detail::full) + "\n";
    return out;
}

std::vector<Task> small_tasks(const Folder& folder, const scenario::Settings& settings = {}) {
    std::vector<scenario::Problem> problems;
    auto out = tasks(folder.write("small.yaml", kSmall), settings, problems);
    for (const auto& problem : problems)
        ADD_FAILURE() << problem.text();
    return out;
}

TEST(RunPoint, DoesNotDependOnJobs) {
    const auto scenario = small();
    const auto one = report::to_json(run_point(scenario, Threads::virtual_threads, with_jobs(1)), report::Detail::full);
    EXPECT_EQ(report::to_json(run_point(scenario, Threads::virtual_threads, with_jobs(2)), report::Detail::full), one);
    EXPECT_EQ(report::to_json(run_point(scenario, Threads::virtual_threads, with_jobs(7)), report::Detail::full), one);
    const auto other_seed = small({{"measure.seed", "8"}});
    EXPECT_NE(report::to_json(run_point(other_seed, Threads::virtual_threads, with_jobs(1)), report::Detail::full),
              one);
}

TEST(RunPoint, FillsWhatTheMeasurementsLeaveOpen) {
    const auto result = run_point(small(), Threads::platform, with_jobs(1));
    EXPECT_EQ(result.threads, "platform");
    EXPECT_EQ(result.engine, "events");
    EXPECT_EQ(result.seed, 7U);
    EXPECT_EQ(result.replications, 3);
    EXPECT_EQ(result.manifest.scenario, "Small");
    EXPECT_EQ(result.manifest.scenario_sha256.size(), 64U);
    EXPECT_FALSE(result.bounds.empty());
    EXPECT_FALSE(result.bottleneck.evidence.empty());
    // 20 threads, each held for at least 10 ms: at most 2,000 a second, and 40 users want more.
    EXPECT_LT(result.throughput_rps, 2000);
    EXPECT_GT(result.throughput_rps, 1000);
    EXPECT_EQ(result.bottleneck.resource, "tomcat.threads") << result.bottleneck.evidence;
}

TEST(RunPoint, AutoStopsAtThePrecisionWhateverTheJobs) {
    const auto scenario = small({{"measure.replications", "auto"}, {"measure.precision", "5%"}});
    const auto one = run_point(scenario, Threads::platform, with_jobs(1));
    EXPECT_TRUE(precise(one, 0.05));
    ASSERT_TRUE(one.precision.has_value());
    EXPECT_TRUE(one.precision->reached);
    EXPECT_EQ(one.precision->asked, 0.05);
    EXPECT_LE(one.precision->p99, half_width_for(0.05));
    EXPECT_LE(one.precision->throughput_rps, half_width_for(0.05));
    int replications = kFirstLook;
    for (int look = 1; look < one.precision->looks; ++look)
        replications = next_look(replications, 100);
    EXPECT_EQ(one.replications, replications) << "whole rounds";
    EXPECT_TRUE(one.warnings.empty()) << one.warnings.front();
    EXPECT_EQ(report::to_json(run_point(scenario, Threads::platform, with_jobs(3))), report::to_json(one));
}

TEST(RunPoint, AutoGoesOnOnlyWhileItMust) {
    const auto calm = [](scenario::Settings settings) {
        settings.emplace_back("measure.duration", "8s");
        return under("{users: 40, think: exponential(10ms)}", settings);
    };
    const auto at = [&](const char* precision) {
        return run_point(calm({{"measure.replications", "auto"}, {"measure.precision", precision}}), Threads::platform,
                         with_jobs(2));
    };
    EXPECT_EQ(at("30%").replications, kFirstLook) << "never fewer";
    const auto fine = at("0.7%");
    EXPECT_GT(fine.replications, kFirstLook);
    EXPECT_TRUE(fine.precision->reached);
    // The same replications at the look before were not enough.
    int before = kFirstLook;
    while (next_look(before, 100) < fine.replications)
        before = next_look(before, 100);
    const auto earlier =
        run_point(calm({{"measure.replications", std::to_string(before)}}), Threads::platform, with_jobs(2));
    EXPECT_FALSE(precise(earlier, 0.007));
    EXPECT_FALSE(earlier.precision.has_value()) << "nothing was asked of it";
}

TEST(RunPoint, AutoLooksAtTenWholeRunsOfALoadThatEnds) {
    EXPECT_EQ(first_replications(small({{"measure.replications", "auto"}})), kFirstLook);
    const auto burst = under("{burst: 60}", {{"measure.replications", "auto"}, {"measure.precision", "50%"}});
    EXPECT_EQ(first_replications(burst), kFirstLookWhole);
    EXPECT_EQ(run_point(burst, Threads::platform, with_jobs(2)).replications, kFirstLookWhole);
    EXPECT_EQ(first_replications(small({{"measure.replications", "3"}})), 3);
}

TEST(RunPoint, AutoDoesNotRepeatWhatRepetitionCannotHelp) {
    const auto above = under("{rate: 100000}", {{"measure.replications", "auto"}});
    const auto result = run_point(above, Threads::platform, with_jobs(2));
    EXPECT_EQ(result.verdict, measure::Verdict::unstable);
    EXPECT_EQ(result.replications, kFirstLook);
    EXPECT_FALSE(result.precision->reached);
    EXPECT_NE(result.warnings.back().find("more would not help"), std::string::npos) << result.warnings.back();
}

TEST(NextLook, GrowsByHalfAndEndsAtTheLimit) {
    std::vector<int> looks{4};
    while (looks.back() < 100)
        looks.push_back(next_look(looks.back(), 100));
    EXPECT_EQ(looks, (std::vector<int>{4, 8, 12, 18, 27, 40, 60, 90, 100}));
    EXPECT_NEAR(half_width_for(0.02), 0.0196, 1e-4);
}

TEST(RunPoint, AutoSaysWhenItGaveUp) {
    const auto scenario =
        small({{"measure.replications", "auto"}, {"measure.precision", "0.00001"}, {"measure.max-replications", "6"}});
    const auto result = run_point(scenario, Threads::platform, with_jobs(1));
    EXPECT_EQ(result.replications, 6);
    EXPECT_FALSE(precise(result, 0.00001));
    ASSERT_FALSE(result.warnings.empty());
    EXPECT_NE(result.warnings.back().find("not reached in 6 replications, the most allowed"), std::string::npos)
        << result.warnings.back();
    EXPECT_FALSE(result.precision->reached);
    EXPECT_EQ(result.precision->limit, 6);
    EXPECT_EQ(result.precision->looks, 2);
}

TEST(RunPoint, ACancelledOneThrows) {
    std::atomic<bool> cancel{true};
    auto options = with_jobs(2);
    options.cancel = &cancel;
    EXPECT_THROW((void)run_point(small(), Threads::platform, options), Interrupted);
}

TEST(RunPoint, CancelStopsALongRunSoon) {
    std::atomic<bool> cancel{false};
    auto options = with_jobs(1);
    options.cancel = &cancel;
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        cancel = true;
    });
    // An hour of simulated time: minutes of real time.
    EXPECT_THROW((void)run_point(small({{"measure.duration", "3600s"}}), Threads::platform, options), Interrupted);
}

TEST(Tasks, AreThePointsInOrder) {
    const Folder folder;
    const auto all = small_tasks(folder);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].at, (scenario::Settings{{"load.users", "5"}, {"threads", "platform"}}));
    EXPECT_EQ(all[1].threads, Threads::virtual_threads);
    EXPECT_EQ(all[2].scenario.load.users, 40);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            EXPECT_NE(all[i].key, all[k].key);
}

TEST(Tasks, AWrongPointIsAProblemNotATask) {
    const Folder folder;
    std::string text = kSmall;
    text.replace(text.find("[5, 40]"), 7, "[5, -1]");
    std::vector<scenario::Problem> problems;
    EXPECT_TRUE(tasks(folder.write("small.yaml", text), {}, problems).empty());
    EXPECT_FALSE(problems.empty());
}

TEST(Sweep, DoesNotDependOnJobsAndStreamsInOrder) {
    const Folder folder;
    const auto all = small_tasks(folder);
    const auto one = run_sweep(all, with_jobs(1));
    ASSERT_EQ(one.results.size(), 4U);
    std::vector<measure::Result> streamed;
    const auto many = run_sweep(all, with_jobs(5), [&](const measure::Result& r) { streamed.push_back(r); });
    EXPECT_EQ(joined(many.results), joined(one.results));
    EXPECT_EQ(joined(streamed), joined(one.results));
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(one.results[i].at, all[i].at);
}

TEST(Sweep, GoesOnFromItsStore) {
    const Folder folder;
    auto all = small_tasks(folder);
    const auto whole = run_sweep(all, with_jobs(2));
    auto options = with_jobs(2);
    options.store = folder.path() / "store";
    std::vector<Task> first(all.begin(), all.begin() + 2);
    EXPECT_EQ(run_sweep(first, options).reused, 0U);
    const auto second = run_sweep(all, options);
    EXPECT_EQ(second.reused, 2U);
    EXPECT_EQ(joined(second.results), joined(whole.results)) << "stored or run makes no difference";
    options.force = true;
    EXPECT_EQ(run_sweep(all, options).reused, 0U);
}

TEST(Sweep, GoesOnWithAutoReplications) {
    const Folder folder;
    const scenario::Settings settings{{"measure.replications", "auto"}, {"measure.precision", "4%"}};
    const auto all = small_tasks(folder, settings);
    const auto whole = run_sweep(all, with_jobs(3));
    auto options = with_jobs(1);
    options.store = folder.path() / "store";
    (void)run_sweep({all.begin(), all.begin() + 3}, options);
    const auto rest = run_sweep(all, options);
    EXPECT_EQ(rest.reused, 3U);
    EXPECT_EQ(joined(rest.results), joined(whole.results)) << "what was asked and reached is stored too";
    for (const auto& result : rest.results)
        EXPECT_TRUE(result.precision.has_value());
    const auto finer = small_tasks(folder, {{"measure.replications", "auto"}, {"measure.precision", "3%"}});
    EXPECT_EQ(run_sweep(finer, options).reused, 0U) << "another precision is another question";
}

TEST(Sweep, OtherSettingsAreOtherPoints) {
    const Folder folder;
    auto options = with_jobs(1);
    options.store = folder.path() / "store";
    (void)run_sweep(small_tasks(folder), options);
    EXPECT_EQ(run_sweep(small_tasks(folder, {{"measure.seed", "9"}}), options).reused, 0U);
    EXPECT_EQ(run_sweep(small_tasks(folder), options).reused, 4U);
}

TEST(Sweep, DamagedFilesAreRunAgain) {
    const Folder folder;
    const auto all = small_tasks(folder);
    auto options = with_jobs(1);
    options.store = folder.path() / "store";
    const auto whole = run_sweep(all, options);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(*options.store))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    ASSERT_EQ(files.size(), 4U);
    std::filesystem::resize_file(files[0], std::filesystem::file_size(files[0]) / 2);
    std::filesystem::resize_file(files[1], 0);
    {
        std::fstream file(files[2], std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(files[2])) - 40);
        file.put('9'); // a digit or sign somewhere else than before
    }
    const auto again = run_sweep(all, options);
    EXPECT_EQ(again.reused, 1U);
    EXPECT_EQ(again.notes.size(), 3U);
    EXPECT_EQ(joined(again.results), joined(whole.results));
    EXPECT_EQ(run_sweep(all, options).reused, 4U) << "they were written again";
}

TEST(Sweep, TwoDoNotShareAStore) {
    const Folder folder;
    const auto all = small_tasks(folder);
    auto options = with_jobs(1);
    options.store = folder.path() / "store";
    bool refused = false;
    (void)run_sweep(all, options, [&](const measure::Result&) {
        try {
            (void)run_sweep(all, options);
        } catch (const std::runtime_error& error) {
            refused = std::string(error.what()).find("in use") != std::string::npos;
        }
    });
    EXPECT_TRUE(refused);
}

TEST(Sweep, WhatTheReceiverThrowsEndsIt) {
    const Folder folder;
    const auto all = small_tasks(folder);
    int calls = 0;
    EXPECT_THROW((void)run_sweep(all, with_jobs(2),
                                 [&](const measure::Result&) {
                                     ++calls;
                                     throw std::logic_error("closed");
                                 }),
                 std::logic_error);
    EXPECT_EQ(calls, 1);
}

TEST(Sweep, KeepsWhatWasDoneWhenCancelled) {
    const Folder folder;
    const auto all = small_tasks(folder);
    std::atomic<bool> cancel{false};
    auto options = with_jobs(1);
    options.store = folder.path() / "store";
    options.cancel = &cancel;
    const auto part = run_sweep(all, options, [&](const measure::Result&) { cancel = true; });
    EXPECT_TRUE(part.interrupted);
    EXPECT_EQ(part.results.size(), 1U);
    cancel = false;
    EXPECT_EQ(run_sweep(all, options).reused, 1U);
}

} // namespace
} // namespace narrows::experiment
