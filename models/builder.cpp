// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/builder.hpp"

#include "models/mechanisms.hpp"

#include "scenario/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace narrows::models {

namespace {

constexpr int kChoices = 1 << 28;
constexpr int kAlternatives = scenario::kMaxBranches;

template <typename T> int index_of(const std::vector<T>& values, const std::string& name) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i].name == name) return static_cast<int>(i);
    return -1;
}

template <typename T> int add(std::vector<T>& values, const T& value) {
    values.push_back(value);
    return static_cast<int>(values.size()) - 1;
}

} // namespace

int stream(int step_id, Draw draw) {
    return step_id * 4 + static_cast<int>(draw);
}

int choice_stream(int step_id, int alternative) {
    if (alternative >= kAlternatives)
        throw std::invalid_argument(fmt::format("a choose may have at most {} branches", kAlternatives));
    return kChoices + step_id * kAlternatives + alternative;
}

// ------------------------------------------------------------------------------ Builder

Builder::Builder(const scenario::Scenario& the_scenario, const ThreadModel& the_model)
    : scenario(the_scenario), model(the_model) {
    app_cpu = cpu(application_cpu(scenario));
    plan::Runner clients;
    clients.name = "client";
    client = runner(clients);
    for (const std::string& name : {std::string("wait for a connection"), model.runner_stage()})
        stage(name);
}

std::string Builder::Names::give(const std::string& name) {
    std::string out = name;
    for (int& n = next.try_emplace(name, 2).first->second; !taken.insert(out).second; ++n)
        out = fmt::format("{} {}", name, n);
    return out;
}

int Builder::cpu(const plan::Cpu& cpu) {
    const int found = index_of(plan.cpus, cpu.name);
    return found >= 0 ? found : add(plan.cpus, cpu);
}

int Builder::pool(const plan::Pool& pool) {
    const int found = index_of(plan.pools, pool.name);
    if (found < 0) return add(plan.pools, pool);
    if (plan.pools[static_cast<std::size_t>(found)].kind != pool.kind)
        throw std::invalid_argument(fmt::format("the name '{}' is taken by another resource", pool.name));
    const std::int64_t before = plan.pools[static_cast<std::size_t>(found)].capacity;
    if (before != pool.capacity)
        throw std::invalid_argument(
            fmt::format("{} has {} permits in one step and {} in another", pool.name, before, pool.capacity));
    return found;
}

int Builder::runner(const plan::Runner& runner) {
    const int found = index_of(plan.runners, runner.name);
    if (found >= 0) return found;
    const int index = add(plan.runners, runner);
    if (runner.pollers > 0) plan.runners[static_cast<std::size_t>(index)].poller = poller_program(index);
    return index;
}

int Builder::breaker(const plan::Breaker& breaker) {
    const int found = index_of(plan.breakers, breaker.name);
    if (found < 0) return add(plan.breakers, breaker);
    if (plan.breakers[static_cast<std::size_t>(found)] != breaker)
        throw std::invalid_argument(fmt::format("circuit breaker {} has other settings in another step", breaker.name));
    return found;
}

bool Builder::on_virtual_threads(const ThreadModel& which) const {
    return which.runner(app_cpu).kind == plan::RunnerKind::carriers;
}

/// What a socket poller does for ever.
int Builder::poller_program(int runner) {
    const int index = program("read poller", runner);
    plan::Instruction poll;
    poll.op = plan::Op::poll;
    poll.waiting = plan::Waiting::park;
    poll.wake = plan::Wake::outside;
    plan::Instruction again;
    again.op = plan::Op::branch;
    again.to = 0;
    plan.programs[static_cast<std::size_t>(index)].code = {poll, again};
    return index;
}

int Builder::stage(const std::string& name) {
    return add(plan.stages, stage_names_.give(name));
}

int Builder::wait_stage(int pool) {
    const std::string& name = plan.pools[static_cast<std::size_t>(pool)].name;
    const auto found = wait_stages_.find(name);
    if (found != wait_stages_.end()) return found->second;
    return wait_stages_[name] = stage("wait for " + name);
}

int Builder::program(const std::string& name, int runner) {
    plan::Program p;
    p.name = program_names_.give(name);
    p.runner = runner;
    return add(plan.programs, p);
}

int Builder::tier(const std::string& name) {
    const auto found = std::find(plan.tiers.begin(), plan.tiers.end(), name);
    if (found != plan.tiers.end()) return static_cast<int>(found - plan.tiers.begin());
    plan.tiers.push_back(name);
    return static_cast<int>(plan.tiers.size()) - 1;
}

} // namespace narrows::models
