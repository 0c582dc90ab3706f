// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/compile.hpp"

#include "models/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace narrows::models {

std::unique_ptr<ThreadModel> thread_model(const scenario::Scenario& scenario, scenario::Threads threads) {
    switch (threads) {
    case scenario::Threads::platform: return platform_threads(scenario);
    case scenario::Threads::virtual_threads: return virtual_threads(scenario);
    case scenario::Threads::event_loop: return event_loop(scenario);
    }
    return platform_threads(scenario);
}

namespace {

/// A quota stops a container's threads, not those of other tiers that share its cores; the plan has one processor for
/// all of them.
void refuse_guests_under_quota(const plan::Plan& plan) {
    const bool quota = std::any_of(plan.cpus.begin(), plan.cpus.end(), [](const auto& cpu) { return cpu.quota > 0; });
    const auto guests = static_cast<std::size_t>(plan.memory.heap > 0 ? 1 : 0);
    if (quota && plan.tiers.size() > guests)
        throw std::invalid_argument(fmt::format("runtime.cpu-quota is the application's alone, and the {} computes on "
                                                "the same cores: the two do not go together",
                                                plan.tiers.back()));
}

const char* name_of(scenario::Threads threads) {
    switch (threads) {
    case scenario::Threads::platform: return "platform";
    case scenario::Threads::virtual_threads: return "virtual";
    case scenario::Threads::event_loop: return "event-loop";
    }
    return "";
}

} // namespace

plan::Plan compile(const scenario::Scenario& scenario, scenario::Threads threads) {
    const auto model = thread_model(scenario, threads);
    if (scenario.load.thread_per == scenario::ThreadPer::user && threads == scenario::Threads::event_loop)
        throw std::invalid_argument("an event loop has no thread for each user, as load.thread-per: user asks");
    Builder builder(scenario, *model);
    builder.plan.threads = name_of(threads);
    const int session = builder.program("session", builder.client);
    memory(builder);
    double weights = 0;
    for (const auto& endpoint : scenario.endpoints) {
        builder.plan.endpoints.push_back(endpoint.name);
        weights += endpoint.weight;
    }
    if (!(weights > 0)) throw std::invalid_argument("no endpoint has a weight above 0");
    std::vector<plan::Child> requests;
    for (std::size_t e = 0; e < scenario.endpoints.size(); ++e) {
        const int program = request_program(builder, static_cast<int>(e));
        requests.push_back({program, scenario.endpoints[e].weight / weights});
    }
    session_program(builder, session, requests);
    builder.plan.load = load(scenario, session);
    refuse_guests_under_quota(builder.plan);
    const auto wrong = plan::problems(builder.plan);
    if (!wrong.empty()) throw std::invalid_argument(fmt::format("cannot be run: {}", fmt::join(wrong, "; ")));
    return std::move(builder.plan);
}

scenario::Threads default_threads(const scenario::Scenario& scenario) {
    if (scenario.threads) return *scenario.threads;
    return scenario.application.virtual_threads.value_or(false) ? scenario::Threads::virtual_threads
                                                                : scenario::Threads::platform;
}

} // namespace narrows::models
