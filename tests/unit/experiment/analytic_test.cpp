// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds and formulas against the events engine on every point of every shipped scenario. Bounds must hold and
// exact figures lie in the interval; the approximation's errors are printed, not judged.
#include "analytic/bounds.hpp"
#include "experiment/experiment.hpp"
#include "measure/interval.hpp"
#include "models/compile.hpp"
#include "scenario/catalogue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace narrows::experiment {
namespace {

struct Error {
    std::string point;
    double error = 0;
};

std::string where(const Task& task, const std::string& name) {
    std::string out = name + " " + scenario::word(task.threads);
    for (const auto& [path, value] : task.at)
        if (path != "threads") out += fmt::format(" {}={}", path, value);
    return out;
}

constexpr int kRuns = 8;

/// Settings of one of the runs of a point. Services that answer in waves (200 threads, a constant call) are counted
/// by whole waves, so that equal windows would all be wrong by the same part of one: they begin and end at other
/// parts of a wave of 100 ms each, and the interval over runs tells what that costs.
scenario::Settings run_settings(int run) {
    return {{"measure.replications", "1"},
            {"measure.seed", fmt::format("{}", run + 1)},
            {"measure.warmup", fmt::format("{}us", 3'000'000 + 12'500 * (3 * run % kRuns))},
            {"measure.duration", fmt::format("{}us", 5'000'000 + 12'500 * run)}};
}

/// Of the requests that succeed. 99.9 %: many points are judged, and none may miss by chance.
measure::Interval interval_of(const std::vector<measure::Result>& runs) {
    std::vector<double> values;
    for (const auto& r : runs)
        values.push_back(r.goodput_rps);
    return measure::student(values, 0.999).value();
}

/// Five seconds of a cycle of two may hold three of its waves: bounds and formulas speak of longer runs.
bool long_cycle(const Task& task) {
    constexpr double kLongCycleNs = 500e6;
    const auto demands = analytic::demands(models::compile(task.scenario, task.threads));
    return demands.minimum_response_ns + demands.think_ns > kLongCycleNs;
}

/// How many arrive in eight runs of five seconds says little of a rate when they are few.
bool few_arrivals(const Task& task) {
    constexpr double kFew = 400;
    return task.scenario.load.kind == scenario::LoadKind::open && task.scenario.load.rate < kFew;
}

/// Why no formula, which all speak of requests that succeed, is held against these runs; "" when one is.
std::string failing(const std::vector<measure::Result>& runs) {
    for (const auto& r : runs) {
        if (r.throughput_rps > r.goodput_rps) return "requests fail";
        if (!(r.throughput_rps > 0)) return "nothing gets on";
    }
    return "";
}

void expect_bounds(const std::vector<measure::Result>& runs, const std::string& point) {
    const auto& first = runs.front();
    for (const auto& bound : first.bounds) {
        EXPECT_LE(interval_of(runs).low, bound.rps) << point << ": " << bound.formula;
        if (!first.analytic->reason.empty()) continue;
        EXPECT_LE(first.analytic->throughput_rps, bound.rps * (1 + 1e-6)) << point << ": " << bound.formula;
    }
}

struct Tally {
    int exact = 0;
    std::vector<Error> errors;
    std::vector<std::string> none;

    void judge(const std::vector<measure::Result>& runs, const std::string& point) {
        const auto interval = interval_of(runs);
        const auto& said = *runs.front().analytic;
        if (const auto why = failing(runs); !why.empty()) return none.push_back(fmt::format("{}: {}", point, why));
        if (!said.reason.empty()) return none.push_back(fmt::format("{}: {}", point, said.reason));
        const double middle = (interval.low + interval.high) / 2;
        const double error = said.throughput_rps / middle - 1;
        if (!said.exact) return errors.push_back({point, error});
        ++exact;
        EXPECT_TRUE(interval.contains(said.throughput_rps))
            << point << ": " << said.method << " " << said.throughput_rps << " is not in [" << interval.low << ", "
            << interval.high << "]";
        EXPECT_LT(interval.half_width(), 0.05 * middle) << point << " is too uncertain to be judged";
        fmt::print("exact          {:+7.2f} % (interval ± {:.2f} %)  {} ({})\n", 100 * error,
                   100 * interval.half_width() / middle, point, said.method);
    }

    void print() {
        std::sort(errors.begin(), errors.end(),
                  [](const auto& a, const auto& b) { return std::abs(a.error) < std::abs(b.error); });
        for (const auto& e : errors)
            fmt::print("approximation  {:+7.2f} %  {}\n", 100 * e.error, e.point);
        for (const auto& line : none)
            fmt::print("no formula     {}\n", line);
        if (errors.empty()) return;
        fmt::print("{} exact; {} approximations, of throughput: median |error| {:.2f} %, 90th percentile {:.2f} %, "
                   "greatest {:.2f} %; {} without a formula\n",
                   exact, errors.size(), 100 * std::abs(errors[errors.size() / 2].error),
                   100 * std::abs(errors[errors.size() * 9 / 10].error), 100 * std::abs(errors.back().error),
                   none.size());
    }
};

TEST(AnalyticAgainstEvents, EveryShippedScenario) {
    Tally tally;
    for (const auto& shipped : scenario::catalogue()) {
        const std::string name(shipped.name);
        std::vector<scenario::Problem> problems;
        std::vector<std::vector<Task>> runs;
        for (int run = 0; run < kRuns; ++run)
            runs.push_back(tasks(name, run_settings(run), problems));
        for (const auto& problem : problems)
            ADD_FAILURE() << problem.text();
        for (std::size_t t = 0; t < runs.front().size(); ++t) {
            std::vector<measure::Result> results;
            for (const auto& run : runs)
                results.push_back(run_point(run.at(t).scenario, run.at(t).threads, {}));
            const auto point = where(runs.front()[t], name);
            ASSERT_TRUE(results.front().analytic) << point;
            if (long_cycle(runs.front()[t])) {
                fmt::print("not judged     {}: its cycle is long against these runs\n", point);
                continue;
            }
            expect_bounds(results, point);
            if (few_arrivals(runs.front()[t])) {
                fmt::print("not judged     {}: few requests arrive in these runs\n", point);
                continue;
            }
            tally.judge(results, point);
        }
    }
    tally.print();
    EXPECT_GT(tally.exact, 0) << "nothing was judged";
}

} // namespace
} // namespace narrows::experiment
