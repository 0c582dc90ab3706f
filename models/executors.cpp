// SPDX-License-Identifier: GPL-3.0-or-later
// Executors that run tasks beside requests: @Async, bounded executors.
//
// Platform threads: java.util.concurrent.ThreadPoolExecutor under Spring's ThreadPoolTaskExecutor. execute() starts a
// thread while there are fewer than the core size; else queues the task; else, the queue being full, starts a thread up
// to the maximum, which runs the new task at once; else rejects it (AbortPolicy: TaskRejectedException). Spring Boot
// (TaskExecutionProperties): core 8, maximum and queue unlimited. Threads idle for 60 s are not let go here.
//
// Virtual threads: Spring's SimpleAsyncTaskExecutor, a new thread for each task. With a concurrency limit
// ConcurrencyThrottleSupport makes the *caller* wait until one of the tasks has ended, or with
// reject-tasks-when-limit-reached refuses the task (Spring Boot: spring.task.execution.simple.*).
#include "models/mechanisms.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace narrows::models {

namespace {

constexpr std::int64_t kUnlimited = 2147483647; // Integer.MAX_VALUE

scenario::Executor settings_of(const Builder& builder, const std::string& name) {
    if (!name.empty()) {
        const auto found = builder.scenario.executors.find(name);
        if (found == builder.scenario.executors.end())
            throw std::invalid_argument(fmt::format("no executor '{}'", name));
        return found->second;
    }
    // TaskExecutorConfigurations: virtual where requests are, by spring.threads.virtual.enabled.
    const auto& a = builder.scenario.application;
    scenario::Executor out;
    if (builder.on_virtual_threads(builder.model)) out.threads = scenario::ExecutorThreads::virtual_threads;
    out.core_size = a.task_core_size;
    out.max_size = a.task_max_size;
    out.queue_capacity = a.task_queue_capacity;
    out.limit = a.task_concurrency_limit;
    out.reject = a.task_reject;
    return out;
}

/// The threads of a ThreadPoolExecutor.
plan::Runner threads(const plan::Runner& like, const std::string& name, const scenario::Executor& executor) {
    plan::Runner r = like; // the costs of a platform thread
    r.name = name;
    const bool queues_all = executor.queue_capacity >= kUnlimited;
    // With an endless queue there are never more threads than the core has.
    r.workers = queues_all ? executor.core_size : std::max(executor.core_size, executor.max_size);
    r.max_workers = r.workers;
    r.core = executor.core_size < r.workers ? executor.core_size : -1;
    r.queue_limit = queues_all ? -1 : executor.queue_capacity;
    return r;
}

} // namespace

Tasks tasks(Builder& builder, const std::string& executor) {
    const auto settings = settings_of(builder, executor);
    const std::string name = "executor " + (executor.empty() ? std::string("task") : executor);
    Tasks out;
    if (settings.threads == scenario::ExecutorThreads::platform) {
        out.model = platform_threads(builder.scenario);
        out.runner = builder.runner(threads(out.model->runner(builder.app_cpu), name, settings));
        return out;
    }
    out.model = virtual_threads(builder.scenario);
    out.runner = builder.runner(out.model->runner(builder.app_cpu));
    if (!settings.limit) return out;
    plan::Pool pool;
    pool.name = name;
    pool.kind = plan::PoolKind::semaphore;
    pool.capacity = *settings.limit;
    pool.queue_limit = settings.reject ? 0 : -1;
    // The count goes down and one waiter is notified; whoever comes first takes the place.
    pool.discipline = plan::Discipline::barging;
    out.permits = builder.pool(pool);
    return out;
}

void submit(Writer& writer, const ThreadModel& model, const Frame& frame, const Tasks& tasks, int program, bool await,
            bool staged) {
    Builder& builder = writer.builder();
    if (tasks.permits >= 0) {
        const bool rejects = builder.plan.pools[static_cast<std::size_t>(tasks.permits)].queue_limit == 0;
        writer.acquire(tasks.permits, staged ? builder.wait_stage(tasks.permits) : -1,
                       model.wait(Operation::park, frame), -1, rejects ? plan::Outcome::rejected : plan::Outcome::ok);
    }
    const bool refuses = builder.plan.runners[static_cast<std::size_t>(tasks.runner)].queue_limit >= 0;
    writer.submit(program, tasks.permits, !await, refuses ? plan::Outcome::rejected : plan::Outcome::ok);
}

} // namespace narrows::models
