// SPDX-License-Identifier: GPL-3.0-or-later
// Calls to other services. A service without limit and CPU is a delay (infinite server). One that
// has them is a queue of its own: what the caller waits for is then a strand at the far side, which
// runs on when the caller gives up, as a real server does.
#include "models/mechanisms.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace narrows::models {

const scenario::Service& service(const scenario::Scenario& scenario, const std::string& name) {
    const auto found = scenario.services.find(name);
    if (found == scenario.services.end()) throw std::invalid_argument(fmt::format("no service '{}'", name));
    return found->second;
}

namespace {

bool uses_cpu(const scenario::Service& s) {
    return (s.cores.has_value() || s.host == scenario::Host::application) && !s.cpu.is_zero();
}

/// Program of the far side of one call.
int far_side(Builder& builder, const std::string& name, const scenario::Service& s, int step_id) {
    const int program = builder.program("far side of " + name, builder.client);
    Writer writer(builder, program);
    int permits = -1;
    if (s.limit) {
        plan::Pool pool;
        pool.name = "service " + name;
        pool.kind = plan::PoolKind::service;
        pool.capacity = *s.limit;
        permits = builder.pool(pool);
        writer.acquire(permits, -1, {});
    }
    if (!s.latency.is_zero()) writer.delay(name, s.latency, stream(step_id, Draw::latency), -1, {});
    if (uses_cpu(s) && s.host == scenario::Host::application) {
        writer.work(builder.app_cpu, s.cpu, stream(step_id, Draw::main), -1, {}, builder.tier("service " + name));
    } else if (uses_cpu(s)) {
        plan::Cpu cpu;
        cpu.name = name + ".cpu";
        cpu.cores = *s.cores;
        writer.work(builder.cpu(cpu), s.cpu, stream(step_id, Draw::main), -1);
    }
    if (permits >= 0) writer.release(permits);
    writer.finish();
    return program;
}

} // namespace

void call(Writer& writer, const ThreadModel& model, const Frame& frame, const scenario::CallStep& what, int step_id,
          int stage) {
    if (!what.endpoint.empty()) return call_own(writer, model, frame, what, stage);
    Builder& builder = writer.builder();
    const scenario::Service& s = service(builder.scenario, what.service);
    lease(writer, model, frame, what.service, stage >= 0);
    const Wait wait = model.wait(Operation::socket, frame);
    const Nanos timeout = what.timeout ? what.timeout->count() : -1;
    if (!s.limit && !uses_cpu(s)) {
        writer.delay(what.service, s.latency, stream(step_id, Draw::latency), stage, wait, timeout);
        give_back(writer, what.service);
        return;
    }
    plan::Instruction fork;
    fork.op = plan::Op::fork;
    fork.children = {{far_side(builder, what.service, s, step_id), 1}};
    fork.stage = stage;
    writer.raw(fork);
    writer.join(stage, wait, plan::Outcome::ok, timeout);
    give_back(writer, what.service);
}

} // namespace narrows::models
