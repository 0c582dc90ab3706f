// SPDX-License-Identifier: GPL-3.0-or-later
// The database: queries share its cores (one OS process a connection in PostgreSQL), slowed by
// contention and coherency as the Universal Scalability Law has it (N. Gunther 2007; the fit for
// PostgreSQL 9.1 is alpha 0.0095, beta 0.0020).
#include "models/mechanisms.hpp"

namespace narrows::models {

void query(Writer& writer, const ThreadModel& model, const Frame& frame, const scenario::QueryStep& what, int step_id,
           int stage) {
    Builder& builder = writer.builder();
    const auto& database = builder.scenario.database;
    const bool guest = database.host == scenario::Host::application;
    plan::Cpu cpu;
    cpu.name = "db.cpu";
    cpu.cores = database.cores;
    cpu.usl_alpha = database.usl_alpha;
    cpu.usl_beta = database.usl_beta;
    Frame around = frame;
    // An old driver waits for the database inside its own `synchronized`; the monitor belongs to
    // the connection, so it is never contended, but it pins on JDK 21 to 23.
    if (model.blocking_driver() && driver_holds_monitor(builder.scenario.runtime)) ++around.monitors;
    const Wait wait = model.wait(Operation::socket, around);
    if (!what.cpu.is_zero() && guest)
        compute_as_guest(writer, "database", what.cpu, stream(step_id, Draw::database), stage, wait);
    else if (!what.cpu.is_zero())
        writer.work(builder.cpu(cpu), what.cpu, stream(step_id, Draw::database), stage, wait);
    if (!what.latency.is_zero()) writer.delay("database", what.latency, stream(step_id, Draw::latency), stage, wait);
}

} // namespace narrows::models
