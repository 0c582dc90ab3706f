// SPDX-License-Identifier: GPL-3.0-or-later
// From YAML to a recording: the mechanisms of pools, from the words of a scenario to the figures.
#pragma once

#include "engine/events.hpp"
#include "models/compile.hpp"
#include "scenario/reader.hpp"
#include "support/recordings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace narrows::testing {

/// Switching costs nothing, so that every end is known to the nanosecond.
inline const std::string kFree = "costs: {mount: 0s, virtual-start: 0s, wake: 0s, platform-start: 0s, event: 0s}";

inline plan::Plan plan_of(const std::string& yaml, const scenario::Settings& settings = {}) {
    const auto read = scenario::read_text("narrows: 1\n" + yaml, "x.yaml", ".", settings);
    for (const auto& problem : read.problems)
        ADD_FAILURE_AT(__FILE__, __LINE__) << problem.text();
    return models::compile(read.scenario.value(), models::default_threads(*read.scenario));
}

inline measure::Recording run(const plan::Plan& plan, Nanos duration = 10'000'000'000) {
    engine::Options options;
    options.auto_warmup = false;
    options.duration = duration;
    return engine::run(plan, options);
}
inline measure::Recording run(const std::string& yaml, const scenario::Settings& settings = {}) {
    return run(plan_of(yaml, settings));
}

inline std::uint64_t count(const measure::Recording& r, plan::Outcome outcome) {
    return outcome_count(r, static_cast<std::size_t>(outcome));
}

inline std::vector<std::string> lines(const plan::Plan& plan, const std::string& program = "request") {
    for (std::size_t i = 0; i < plan.programs.size(); ++i)
        if (plan.programs[i].name == program) return plan::program_lines(plan, static_cast<int>(i));
    ADD_FAILURE() << "no program " << program;
    return {};
}

/// Latencies in ms, rounded, with how many requests had them.
inline std::map<long, std::uint64_t> latencies(const measure::Recording& r) {
    std::map<long, std::uint64_t> out;
    for (const auto& group : r.groups)
        for (const auto& bucket : group.latency.buckets())
            out[std::lround(static_cast<double>(bucket.low) * 1e-6)] += bucket.count;
    return out;
}

inline const plan::Instruction& first(const plan::Plan& plan, plan::Op op, const std::string& program = "request") {
    for (const auto& p : plan.programs)
        if (p.name == program)
            for (const auto& in : p.code)
                if (in.op == op) return in;
    static const plan::Instruction kNone;
    ADD_FAILURE() << "no " << plan::word(op) << " in " << program;
    return kNone;
}

} // namespace narrows::testing
