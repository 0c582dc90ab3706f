// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios by hand, and looking things up in compiled plans.
#pragma once

#include "models/compile.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace narrows::models::test {

using namespace std::chrono_literals;
using scenario::Scenario;
using scenario::Step;
using scenario::Steps;
using scenario::Threads;

inline constexpr Threads kAll[] = {Threads::platform, Threads::virtual_threads, Threads::event_loop};

inline Distribution ms(double t) {
    return Distribution::constant(t * 1e6);
}

/// A step; ids are given by number(), as the reader gives them.
template <typename What> Step step(What what, std::string name = "") {
    Step s;
    s.what = std::move(what);
    s.name = std::move(name);
    return s;
}
inline Step cpu(double t) {
    return step(scenario::CpuStep{ms(t)});
}
inline Step query(double t) {
    return step(scenario::QueryStep{ms(t), {}});
}
inline Step call(const std::string& service) {
    return step(scenario::CallStep{service, {}});
}
inline Step sleep(double t) {
    return step(scenario::SleepStep{ms(t)});
}
inline Step transaction(Steps steps) {
    return step(scenario::TransactionStep{std::move(steps)});
}
inline Step synchronized(const std::string& monitor, Steps steps) {
    return step(scenario::SynchronizedStep{monitor, std::move(steps)});
}
inline Step lock(const std::string& name, Steps steps) {
    return step(scenario::LockStep{name, std::move(steps)});
}
inline Step use(const std::string& pool, Steps steps) {
    return step(scenario::UseStep{pool, std::move(steps)});
}

inline Scenario scenario_of(Steps steps) {
    Scenario s;
    s.runtime.cores = 6;
    s.services["enrichment"].latency = ms(100);
    scenario::Endpoint e;
    e.name = "request";
    e.steps = std::move(steps);
    // Ids in order of the top level are enough here: inner steps keep 0.
    for (std::size_t i = 0; i < e.steps.size(); ++i)
        e.steps[i].id = static_cast<int>(i) + 1;
    s.endpoints.push_back(std::move(e));
    s.load.users = 10;
    return s;
}

inline const plan::Program& program(const plan::Plan& plan, const std::string& name) {
    for (const auto& p : plan.programs)
        if (p.name == name) return p;
    ADD_FAILURE() << "no program " << name;
    return plan.programs.front();
}

inline int index_of(const plan::Plan& plan, const std::string& name) {
    for (std::size_t i = 0; i < plan.programs.size(); ++i)
        if (plan.programs[i].name == name) return static_cast<int>(i);
    ADD_FAILURE() << "no program " << name;
    return 0;
}

inline std::vector<std::string> lines(const plan::Plan& plan, const std::string& name) {
    return plan::program_lines(plan, index_of(plan, name));
}

inline std::vector<std::string> request_lines(const Scenario& s, Threads threads) {
    return lines(compile(s, threads), "request");
}

inline const plan::Pool* find_pool(const plan::Plan& plan, const std::string& name) {
    for (const auto& p : plan.pools)
        if (p.name == name) return &p;
    return nullptr;
}

inline const plan::Runner* find_runner(const plan::Plan& plan, const std::string& name) {
    for (const auto& r : plan.runners)
        if (r.name == name) return &r;
    return nullptr;
}

/// The first instruction of that kind in the request.
inline plan::Instruction first(const plan::Plan& plan, plan::Op op) {
    for (const auto& i : program(plan, "request").code)
        if (i.op == op) return i;
    ADD_FAILURE() << "no " << plan::word(op);
    return {};
}

inline int count(const plan::Plan& plan, const std::string& name, plan::Op op) {
    int n = 0;
    for (const auto& i : program(plan, name).code)
        n += i.op == op ? 1 : 0;
    return n;
}

} // namespace narrows::models::test
