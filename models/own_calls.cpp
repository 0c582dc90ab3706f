// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of the application to itself over HTTP: a further connection, a further thread, and the caller's thread waits
// for them. Tomcat does not know that the two belong together, so once callers have all the threads, no call of theirs
// ever gets one.
#include "models/mechanisms.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace narrows::models {

namespace {

int endpoint_named(const scenario::Scenario& scenario, const std::string& name) {
    for (std::size_t i = 0; i < scenario.endpoints.size(); ++i)
        if (scenario.endpoints[i].name == name) return static_cast<int>(i);
    throw std::invalid_argument(fmt::format("no endpoint '{}'", name));
}

/// The server's side of the connection: admitted as any other client's, then the handler. A client that finds the
/// backlog full fails at once here, and does not send its SYN again.
OwnEndpoint connection(Builder& builder, const std::string& name) {
    const OwnEndpoint handler = called_program(builder, endpoint_named(builder.scenario, name));
    OwnEndpoint out;
    out.program = builder.program("own call of " + name, builder.client);
    Writer writer(builder, out.program);
    const int connections = connection_pool(builder);
    if (connections >= 0) writer.acquire(connections, -1, {}, -1, plan::Outcome::refused);
    plan::Instruction fork;
    fork.op = plan::Op::fork;
    fork.children = {{handler.program, 1}};
    writer.raw(fork);
    const bool may_be_refused =
        builder.plan
            .runners[static_cast<std::size_t>(builder.plan.programs[static_cast<std::size_t>(handler.program)].runner)]
            .queue_limit >= 0;
    writer.join(-1, {},
                handler.failure == plan::Outcome::ok && may_be_refused ? plan::Outcome::refused : handler.failure);
    if (connections >= 0) writer.release(connections);
    const auto outcomes = writer.finish();
    if (!outcomes.empty()) out.failure = outcomes.back();
    return out;
}

} // namespace

void call_own(Writer& writer, const ThreadModel& model, const Frame& frame, const scenario::CallStep& what, int stage) {
    Builder& builder = writer.builder();
    auto known = builder.own_calls.find(what.endpoint);
    if (known == builder.own_calls.end())
        known = builder.own_calls.emplace(what.endpoint, connection(builder, what.endpoint)).first;
    plan::Instruction fork;
    fork.op = plan::Op::fork;
    fork.children = {{known->second.program, 1}};
    fork.stage = stage;
    writer.raw(fork);
    writer.join(stage, model.wait(Operation::socket, frame), known->second.failure,
                what.timeout ? what.timeout->count() : -1);
}

} // namespace narrows::models
