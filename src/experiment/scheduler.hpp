// SPDX-License-Identifier: GPL-3.0-or-later
// Replications of several points over worker threads. Which thread runs what, and when, leaves no
// trace in the results: replications are merged in their order, rounds of `auto` have a fixed
// size, and points are delivered in their order.
#pragma once

#include "experiment/experiment.hpp"
#include "measure/recording.hpp"
#include "plan/plan.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>

namespace narrows::experiment {

/// What a person reads about a failure.
[[nodiscard]] std::string reason(const std::exception_ptr& failure);

/// One point to run.
struct Job {
    const scenario::Scenario* scenario = nullptr;
    scenario::Threads threads = scenario::Threads::platform;
    scenario::Settings at;
    std::optional<measure::Result> ready; ///< from a store: nothing to run
};

class Scheduler {
public:
    struct Done {
        std::size_t index = 0;
        std::optional<measure::Result> result;
        std::exception_ptr failure; ///< why there is none
    };

    /// `deliver` is called under a lock, in the order of the jobs. `finished` is called as soon as
    /// a job that was run has its result, in any order, by several threads at once.
    Scheduler(std::vector<Job> jobs, const Options& options, std::function<void(Done&&)> deliver,
              std::function<void(std::size_t, const measure::Result&)> finished = {});

    /// Runs all. False when it was cancelled. Throws what `deliver` threw.
    bool run();

private:
    struct State {
        std::size_t index = 0;
        Job job;
        std::once_flag compiled;
        plan::Plan plan;
        std::vector<std::string> warnings;
        std::vector<measure::Recording> recordings; ///< by replication
        std::exception_ptr failure;
        int target = 0; ///< replications of the rounds begun
        int looks = 0;  ///< rounds ended
        int started = 0;
        int ended = 0;
        bool done = false;
        std::optional<measure::Result> result;
    };

    void work();
    [[nodiscard]] State* next(int& replication);
    void run_one(State& state, int replication);
    void close_round(State& state);
    void add_round(State& state);
    void complete(State& state);
    void deliver_ready();
    void report_progress(std::size_t units);
    [[nodiscard]] bool cancelled() const;
    void deliver_rest();

    const Options& options_;
    std::function<void(Done&&)> deliver_;
    std::function<void(std::size_t, const measure::Result&)> finished_;
    std::vector<std::unique_ptr<State>> states_;
    std::mutex mutex_; ///< states' counters, error_
    std::condition_variable changed_;
    std::mutex delivery_;
    std::size_t delivered_ = 0; ///< under delivery_
    std::size_t units_done_ = 0, units_total_ = 0;
    std::size_t first_open_ = 0; ///< all jobs before it are done
    std::exception_ptr error_;
    bool interrupted_ = false;
};

} // namespace narrows::experiment
