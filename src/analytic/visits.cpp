// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic/visits.hpp"

#include <functional>
#include <utility>

namespace narrows::analytic {

namespace {

using plan::Op;

std::vector<std::pair<std::size_t, double>> ways_on(const plan::Program& program, std::size_t pc, bool session) {
    const auto& in = program.code[pc];
    if (in.op == Op::end) return {};
    // A breaker may refuse any call, and bounds count the least that a request can ask for.
    if (in.op == Op::ask) return {{static_cast<std::size_t>(in.on_full), 1.0}};
    if (in.op != Op::branch) return {{pc + 1, 1.0}};
    const auto to = static_cast<std::size_t>(in.to);
    switch (in.branch) {
    case plan::Branch::always: return {{to, 1.0}};
    case plan::Branch::chance: return {{to, in.probability}, {pc + 1, 1 - in.probability}};
    case plan::Branch::more: return {{to, 1.0}};
    case plan::Branch::unclaimed: return {{pc + 1, 1.0}}; // mostly nobody is on the way
    case plan::Branch::count: // a session counts requests on a connection and mostly stays; a retry falls through
                              // when all is well
        return {{session && in.limit > 1 ? to : pc + 1, 1.0}};
    }
    return {};
}

} // namespace

std::vector<double> visits(const plan::Program& program, bool session) {
    const auto n = program.code.size();
    std::vector<std::size_t> order;
    std::vector<bool> done(n, false);
    const auto next = [&](std::size_t pc) { return ways_on(program, pc, session); };
    const std::function<void(std::size_t)> visit = [&](std::size_t pc) {
        if (done[pc]) return;
        done[pc] = true;
        for (const auto& [to, share] : next(pc))
            visit(to);
        order.push_back(pc);
    };
    visit(0);
    std::vector<double> count(n, 0.0);
    count[0] = 1;
    for (auto it = order.rbegin(); it != order.rend(); ++it)
        for (const auto& [to, share] : next(*it))
            if (to > *it || !session) count[to] += count[*it] * share;
    return count;
}

} // namespace narrows::analytic
