// SPDX-License-Identifier: GPL-3.0-or-later
// The application's processors: a container's quota, and other tiers that compute on the same cores.
#include "models/mechanisms.hpp"

#include <stdexcept>

namespace narrows::models {

plan::Cpu application_cpu(const scenario::Scenario& scenario) {
    const scenario::Runtime& runtime = scenario.runtime;
    plan::Cpu app;
    app.name = "app.cpu";
    app.cores = runtime.cores;
    // cgroup v2 cpu.max "QUOTA PERIOD" (Linux Documentation/admin-guide/cgroup-v2.rst; Documentation/scheduler/
    // sched-bwc.rst): all threads of the group together may run for QUOTA in each PERIOD, 100 ms by default; then all
    // are throttled until it ends. That a CPU takes its share of the quota in slices of 5 ms, part of which it may not
    // use, is not modelled.
    if (runtime.cpu_quota && *runtime.cpu_quota < runtime.cores) {
        app.quota = *runtime.cpu_quota;
        app.period = runtime.cpu_period.count();
    }
    return app;
}

void compute_as_guest(Writer& writer, const std::string& tier, const Distribution& demand, int step, int stage,
                      const Wait& wait) {
    Builder& builder = writer.builder();
    const int program = builder.program(tier, builder.client);
    Writer far(builder, program);
    far.work(builder.app_cpu, demand, step, -1, {}, builder.tier(tier));
    far.finish();
    plan::Instruction fork;
    fork.op = plan::Op::fork;
    fork.children = {{program, 1}};
    fork.stage = stage;
    writer.raw(fork);
    writer.join(stage, wait, plan::Outcome::ok);
}

} // namespace narrows::models
