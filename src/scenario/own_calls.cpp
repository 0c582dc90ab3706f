// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/own_calls.hpp"

#include "scenario/limits.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

namespace narrows::scenario {

namespace {

using Calls = std::multimap<std::string, const Reference*>; ///< by the endpoint that calls

/// What is wrong with that call; "" when nothing is.
std::string own_call_problem(const Calls& calls, const Reference& first) {
    std::set<std::string> reached{first.name};
    for (int depth = 0; !reached.empty(); ++depth) {
        if (reached.contains(first.from)) return fmt::format("'{}' would call itself for ever", first.from);
        if (depth == kMaxOwnCalls) return fmt::format("endpoints call each other more than {} deep", kMaxOwnCalls);
        std::set<std::string> next;
        for (const std::string& name : reached)
            for (auto [call, end] = calls.equal_range(name); call != end; ++call)
                next.insert(call->second->name);
        reached.swap(next);
    }
    return "";
}

} // namespace

void check_own_calls(const Context& context) {
    Calls calls;
    for (const Reference& reference : context.references)
        if (reference.to == Reference::To::endpoint) calls.emplace(reference.from, &reference);
    for (const auto& [from, reference] : calls) {
        const std::string problem = own_call_problem(calls, *reference);
        if (!problem.empty()) return context.problems.error(reference->origin, reference->mark, problem);
    }
}

} // namespace narrows::scenario
