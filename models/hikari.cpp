// SPDX-License-Identifier: GPL-3.0-or-later
// HikariCP: connections of a fixed-size pool (minimumIdle = maximumPoolSize), 30 s to wait for one
// by default. Waiting in ConcurrentBag.borrow is a park outside any monitor (HikariCP 6.0.0).
#include "models/mechanisms.hpp"

#include <algorithm>

namespace narrows::models {

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
    return builder.pool(pool);
}

void borrow_connection(Writer& writer, const ThreadModel& model, const Frame& frame, bool staged) {
    Builder& builder = writer.builder();
    const int pool = hikari(builder);
    const Nanos timeout = builder.scenario.application.hikari_connection_timeout.count();
    // connectionTimeout 0 means Integer.MAX_VALUE ms (HikariConfig.setConnectionTimeout): none.
    writer.acquire(pool, staged ? builder.wait_stage(pool) : -1, model.wait(Operation::park, frame),
                   timeout > 0 ? timeout : -1);
}

} // namespace narrows::models
