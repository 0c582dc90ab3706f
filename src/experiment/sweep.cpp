// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment.hpp"
#include "experiment/scheduler.hpp"
#include "experiment/store.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::experiment {

namespace {

/// Counts up whenever the same scenario begins to give other figures, so that a store never mixes
/// results of two engines.
constexpr int kResultsRevision = 2;

std::string key_of(const scenario::Scenario& scenario, scenario::Threads threads) {
    return fmt::format("narrows {} results {} events {} {}", NARROWS_VERSION, kResultsRevision, scenario.sha256,
                       scenario::word(threads));
}

scenario::Settings joined(const scenario::Settings& overrides, const scenario::Settings& point) {
    scenario::Settings out = overrides;
    out.insert(out.end(), point.begin(), point.end());
    return out;
}

/// A store that may be absent, and what is to be said about it.
class Shelf {
public:
    Shelf(const Options& options, const std::vector<Task>& tasks, SweepOutcome& outcome)
        : tasks_(tasks), outcome_(outcome) {
        if (options.store) store_.emplace(*options.store);
        reuse_ = !options.force;
    }

    std::optional<measure::Result> find(const Task& task) {
        if (!store_ || !reuse_) return {};
        auto found = store_->find(task.key);
        if (!found.note.empty()) outcome_.notes.push_back(std::move(found.note));
        if (found.result) {
            found.result->at = task.at;
            ++outcome_.reused;
        }
        return std::move(found.result);
    }

    void save(std::size_t index, const measure::Result& result) {
        if (!store_) return;
        const std::lock_guard lock(mutex_);
        try {
            store_->save(tasks_[index].key, result);
        } catch (const std::runtime_error& error) {
            outcome_.save_failed = true;
            outcome_.notes.emplace_back(error.what());
        }
    }

private:
    const std::vector<Task>& tasks_;
    SweepOutcome& outcome_;
    std::optional<Store> store_;
    bool reuse_ = true;
    std::mutex mutex_;
};

} // namespace

std::vector<Task> tasks(const std::string& file_or_name, const scenario::Settings& overrides,
                        std::vector<scenario::Problem>& problems) {
    const auto first = scenario::read(file_or_name, overrides);
    if (!first.scenario) {
        problems.insert(problems.end(), first.problems.begin(), first.problems.end());
        return {};
    }
    std::vector<Task> out;
    bool failed = false;
    for (auto& point : scenario::points(first.scenario->sweep)) {
        auto reading = scenario::read(file_or_name, joined(overrides, point));
        // Every point has the file's own warnings: they are told once, with the first reading.
        for (const auto& problem : reading.problems)
            if (problem.is_error) problems.push_back(problem);
        if (!reading.scenario) {
            failed = true;
            if (problems.size() > 20) break; // one wrong axis makes as many problems as points
            continue;
        }
        Task task;
        task.at = std::move(point);
        task.scenario = std::move(*reading.scenario);
        task.threads = models::default_threads(task.scenario);
        task.key = key_of(task.scenario, task.threads);
        out.push_back(std::move(task));
    }
    if (failed) return {};
    return out;
}

SweepOutcome run_sweep(const std::vector<Task>& tasks, const Options& options,
                       const std::function<void(const measure::Result&)>& on_result) {
    SweepOutcome outcome;
    Shelf shelf(options, tasks, outcome);
    std::vector<Job> jobs;
    for (const auto& task : tasks)
        jobs.push_back({&task.scenario, task.threads, task.at, shelf.find(task)});
    const auto deliver = [&](Scheduler::Done&& done) {
        if (!done.result) {
            outcome.failures.push_back({tasks[done.index].at, reason(done.failure)});
            return;
        }
        for (const auto& [path, value] : options.settings)
            done.result->manifest.settings[path] = value;
        outcome.results.push_back(std::move(*done.result));
        if (on_result) on_result(outcome.results.back());
    };
    Scheduler scheduler(std::move(jobs), options, deliver,
                        [&](std::size_t index, const measure::Result& result) { shelf.save(index, result); });
    outcome.interrupted = !scheduler.run();
    return outcome;
}

} // namespace narrows::experiment
