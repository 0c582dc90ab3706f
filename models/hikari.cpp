// SPDX-License-Identifier: GPL-3.0-or-later
// HikariCP: 30 s to wait for a connection by default. Waiting in ConcurrentBag.borrow is a park outside any monitor
// (HikariCP 6.0.0).
//
// Size: fixed (minimumIdle = maximumPoolSize) unless minimum-idle is smaller. Then the pool begins with that many and
// grows when borrowers wait: HikariPool's one adder thread opens a connection while there are fewer than the maximum
// and more wait than are idle (PoolEntryCreator.shouldContinueCreating), and from 5.1.0 sleeps 30 ms after each.
//
// Return: ConcurrentBag.requite makes the entry free first, then offers it to a parked waiter. While some borrower is
// counted as waiting and none is parked (one has been woken and does not run yet) and nobody has taken the entry, it
// looks again and again, with Thread.yield between, which costs CPU. From 7.1.0 (pull request 2402) a virtual thread
// parks for 10 us instead. With hand-off fifo there is no such window.
#include "models/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::models {

namespace {

// Spring Boot 4.1.1 ships it; older ones by runtime.versions.
constexpr Version kShipped{7, 0, 2};
constexpr Version kSleepsAfterAdding{5, 1, 0};
constexpr Version kStatistics{5, 1, 0}; ///< in the time-out's message
constexpr Version kParksVirtual{7, 1, 0};

constexpr Duration kAfterAdding = std::chrono::milliseconds(30);
constexpr Duration kPark = std::chrono::microseconds(10);
// CPU of one Thread.yield of a virtual thread: 0.2 to 0.45 us, measured on JDK 25 (2 CPUs). For a platform thread,
// whose sched_yield costs about as much when nobody else is runnable: guessed.
constexpr Duration kYield = std::chrono::nanoseconds(300);

Version version(const Builder& builder) {
    return library_version(builder.scenario.runtime, "hikari", kShipped);
}

/// The "HikariPool-1 connection adder".
void add_adder(Builder& builder, int pool) {
    const int program = builder.program("connection adder", builder.client);
    Writer writer(builder, program);
    const Label start = writer.label();
    writer.bind(start);
    plan::Instruction i;
    i.resource = pool;
    i.op = plan::Op::await;
    writer.raw(i);
    const Distribution& connect = builder.scenario.database.connect;
    if (!connect.is_zero()) writer.delay("connect", connect, kConnectStream, -1, {});
    i.op = plan::Op::add;
    writer.raw(i);
    if (version(builder) >= kSleepsAfterAdding)
        writer.delay("after adding", Distribution::constant(kAfterAdding), kConnectStream, -1, {});
    writer.jump(start);
    writer.store();
    builder.plan.daemons.push_back(program);
}

} // namespace

plan::Discipline discipline(scenario::PoolDiscipline discipline) {
    switch (discipline) {
    case scenario::PoolDiscipline::fifo: return plan::Discipline::fifo;
    case scenario::PoolDiscipline::barging: return plan::Discipline::barging;
    case scenario::PoolDiscipline::hikari: return plan::Discipline::hikari;
    }
    return plan::Discipline::fifo;
}

int hikari(Builder& builder) {
    const auto& application = builder.scenario.application;
    const auto& database = builder.scenario.database;
    plan::Pool pool;
    pool.name = "hikari";
    pool.kind = plan::PoolKind::datasource;
    // The database refuses connections above max_connections (postgresql.conf), so that the adder
    // keeps failing and the pool stays smaller than asked.
    pool.capacity = std::min(application.hikari_maximum_pool_size, database.max_connections);
    pool.discipline = discipline(database.hand_off);
    const std::int64_t idle = application.hikari_minimum_idle.value_or(pool.capacity);
    if (idle < pool.capacity) pool.initial = idle;
    // HikariPool.createTimeoutException; the statistics since 5.1.0.
    pool.timeout_text =
        "SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after {ms}ms";
    pool.timeout_text +=
        version(builder) >= kStatistics ? " (total={total}, active={active}, idle={idle}, waiting={waiting})" : ".";
    const std::size_t before = builder.plan.pools.size();
    const int index = builder.pool(pool);
    if (builder.plan.pools.size() > before && pool.initial >= 0) add_adder(builder, index);
    return index;
}

void borrow_connection(Writer& writer, const ThreadModel& model, const Frame& frame, bool staged) {
    Builder& builder = writer.builder();
    const int pool = hikari(builder);
    const Nanos timeout = builder.scenario.application.hikari_connection_timeout.count();
    // connectionTimeout 0 means Integer.MAX_VALUE ms (HikariConfig.setConnectionTimeout): none.
    writer.acquire(pool, staged ? builder.wait_stage(pool) : -1, model.wait(Operation::park, frame),
                   timeout > 0 ? timeout : -1);
}

void return_connection(Writer& writer, const ThreadModel& model, const Frame& frame) {
    Builder& builder = writer.builder();
    const int pool = hikari(builder);
    writer.release(pool);
    if (builder.scenario.database.hand_off != scenario::PoolDiscipline::hikari || !model.blocking_driver()) return;
    const Label again = writer.label();
    const Label done = writer.label();
    // An offer that a parked waiter takes is the end of it.
    plan::Instruction unclaimed;
    unclaimed.op = plan::Op::branch;
    unclaimed.branch = plan::Branch::unclaimed;
    unclaimed.resource = pool;
    unclaimed.to = again;
    unclaimed.limit = 1;
    writer.raw(unclaimed);
    writer.jump(done);
    writer.bind(again);
    const Wait park = model.wait(Operation::timer, frame);
    const bool is_virtual = builder.on_virtual_threads(model);
    const bool can_yield = !is_virtual || park.waiting == plan::Waiting::park;
    if (can_yield && (!is_virtual || version(builder) < kParksVirtual)) {
        const Duration cost = builder.scenario.runtime.costs.yield.value_or(kYield);
        writer.work(builder.app_cpu, Distribution::constant(cost), 0, -1);
        plan::Instruction yield;
        yield.op = plan::Op::yield;
        writer.raw(yield);
    } else {
        writer.delay("spin", Distribution::constant(kPark), 0, -1, park);
    }
    unclaimed.limit = 0;
    writer.raw(unclaimed);
    writer.bind(done);
}

} // namespace narrows::models
