// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/scheduler.hpp"

#include "engine/events.hpp"
#include "experiment/point.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

namespace narrows::experiment {

std::string reason(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        return "out of memory";
    } catch (const std::exception& error) {
        return error.what();
    }
}

Scheduler::Scheduler(std::vector<Job> jobs, const Options& options, std::function<void(Done&&)> deliver,
                     std::function<void(std::size_t, const measure::Result&)> finished)
    : options_(options), deliver_(std::move(deliver)), finished_(std::move(finished)) {
    for (auto& job : jobs) {
        auto state = std::make_unique<State>();
        state->index = states_.size();
        state->job = std::move(job);
        if (state->job.ready) {
            state->result = std::move(state->job.ready);
            state->done = true;
        } else {
            state->target = first_replications(*state->job.scenario);
            state->recordings.resize(static_cast<std::size_t>(state->target));
        }
        units_total_ += static_cast<std::size_t>(state->target);
        states_.push_back(std::move(state));
    }
}

bool Scheduler::cancelled() const {
    return options_.cancel != nullptr && options_.cancel->load();
}

bool Scheduler::run() {
    deliver_ready();
    {
        std::vector<std::jthread> workers;
        const std::size_t count = std::min(static_cast<std::size_t>(std::max(1, options_.jobs)), units_total_);
        try {
            for (std::size_t i = 1; i < count; ++i)
                workers.emplace_back([this] { work(); });
        } catch (const std::system_error&) { // NOLINT(bugprone-empty-catch): running with fewer is the handling
            // No more threads to be had: those there are do the work, with the same results.
        }
        work();
    }
    if (error_) std::rethrow_exception(error_);
    if (interrupted_) deliver_rest();
    return !interrupted_;
}

/// After an interruption: what is finished behind the first gap, still in order.
void Scheduler::deliver_rest() {
    for (; delivered_ < states_.size(); ++delivered_) {
        State& state = *states_[delivered_];
        if (!state.done) continue;
        Done done{delivered_, {}, state.failure};
        if (!state.failure) done.result = std::move(state.result);
        deliver_(std::move(done));
    }
}

/// The next replication to run, of the earliest point that has one; waits while others may still
/// add a round. Nothing when all is done or stopped.
Scheduler::State* Scheduler::next(int& replication) {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (error_) return nullptr;
        while (first_open_ < states_.size() && states_[first_open_]->done)
            ++first_open_;
        if (first_open_ == states_.size()) return nullptr;
        if (cancelled()) {
            interrupted_ = true;
            return nullptr;
        }
        for (std::size_t i = first_open_; i < states_.size(); ++i) {
            State& state = *states_[i];
            if (state.done || state.started >= state.target) continue;
            replication = state.started++;
            return &state;
        }
        // Wakes now and then to look at the cancel flag, which a signal handler sets.
        changed_.wait_for(lock, std::chrono::milliseconds(100));
    }
}

void Scheduler::work() {
    try {
        int replication = 0;
        while (State* state = next(replication))
            run_one(*state, replication);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
    }
    changed_.notify_all();
}

void Scheduler::run_one(State& state, int replication) {
    std::exception_ptr failure;
    measure::Recording recording;
    try {
        std::call_once(state.compiled, [&] {
            state.plan = models::compile(*state.job.scenario, state.job.threads);
            state.warnings = models::warnings(*state.job.scenario, state.job.threads);
        });
        recording = engine::run(state.plan, engine_options(*state.job.scenario, replication, options_.cancel));
    } catch (const std::exception&) {
        failure = std::current_exception();
    }
    bool round_over = false;
    {
        const std::lock_guard lock(mutex_);
        if (recording.cancelled) {
            interrupted_ = true;
            return;
        }
        state.recordings[static_cast<std::size_t>(replication)] = std::move(recording);
        if (failure && !state.failure) state.failure = failure;
        round_over = ++state.ended == state.target;
    }
    report_progress(1);
    if (round_over) close_round(state);
}

/// All replications begun are there: a result, or another round. Only one thread gets here per
/// round, since only one ends the last replication.
void Scheduler::close_round(State& state) {
    if (!state.failure) {
        try {
            state.result =
                make_result(*state.job.scenario, state.job.threads, state.plan, state.recordings, state.warnings);
        } catch (const std::exception&) {
            state.failure = std::current_exception();
        }
    }
    const auto& measure = state.job.scenario->measure;
    if (!state.failure && !measure.replications) {
        state.result->precision = precision_of(*state.result, measure, ++state.looks);
        if (!state.result->precision->reached) {
            if (state.target < measure.max_replications && worth_more(*state.result)) return add_round(state);
            state.result->warnings.push_back(precision_warning(*state.result));
        }
    }
    complete(state);
}

void Scheduler::add_round(State& state) {
    const std::lock_guard lock(mutex_);
    const int target = next_look(state.target, state.job.scenario->measure.max_replications);
    units_total_ += static_cast<std::size_t>(target - state.target);
    state.target = target;
    state.recordings.resize(static_cast<std::size_t>(target));
    changed_.notify_all();
}

void Scheduler::complete(State& state) {
    if (state.result) {
        state.result->at = state.job.at;
        for (const auto& [path, value] : options_.settings)
            state.result->manifest.settings[path] = value;
        if (!state.failure && finished_) finished_(state.index, *state.result);
    }
    {
        const std::lock_guard lock(mutex_);
        state.recordings.clear();
        state.recordings.shrink_to_fit();
        state.done = true;
    }
    changed_.notify_all();
    deliver_ready();
}

void Scheduler::deliver_ready() {
    const std::lock_guard order(delivery_);
    while (delivered_ < states_.size()) {
        State& state = *states_[delivered_];
        {
            const std::lock_guard lock(mutex_);
            if (!state.done || error_) return;
        }
        Done done{delivered_, {}, state.failure};
        if (!state.failure) done.result = std::move(state.result);
        ++delivered_;
        try {
            deliver_(std::move(done));
        } catch (...) {
            // Noted before the next one may be delivered by another thread.
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            return;
        }
    }
}

void Scheduler::report_progress(std::size_t units) {
    const std::lock_guard lock(mutex_);
    units_done_ += units;
    if (options_.progress) options_.progress(units_done_, units_total_);
}

} // namespace narrows::experiment
