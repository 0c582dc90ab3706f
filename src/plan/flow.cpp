// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/flow.hpp"

#include <algorithm>

namespace narrows::plan {

namespace {

void add_label(std::vector<Edge>& out, int label, int gives, bool free) {
    if (label >= 0) out.push_back({label, -1, gives, free});
}

void add_branch(std::vector<Edge>& out, const Instruction& i, int next) {
    const bool counts = i.branch == Branch::count;
    if (!counts || i.limit > 1) out.push_back({i.to, -1, -1, !counts});
    if (i.branch != Branch::always) out.push_back({next, -1, -1, true});
}

} // namespace

std::vector<Edge> edges(const Program& program, int pc) {
    const Instruction& i = program.code[static_cast<std::size_t>(pc)];
    const int next = pc + 1;
    std::vector<Edge> out;
    switch (i.op) {
    case Op::end: break;
    case Op::branch: add_branch(out, i, next); break;
    case Op::acquire:
        out.push_back({next, i.resource, -1, true});
        add_label(out, i.on_failure, -1, i.timeout <= 0);
        add_label(out, i.on_full, -1, true);
        break;
    case Op::release: out.push_back({next, -1, i.resource, true}); break;
    case Op::join:
        out.push_back({next, -1, -1, false});
        add_label(out, i.on_failure, i.gives, false);
        add_label(out, i.on_child_failure, -1, false);
        break;
    case Op::delay:
        out.push_back({next, -1, -1, i.amount.is_zero()});
        add_label(out, i.on_failure, -1, i.amount.is_zero());
        break;
    case Op::submit:
        out.push_back({next, -1, i.gives, true});
        add_label(out, i.on_full, -1, true);
        break;
    case Op::ask:
        out.push_back({next, -1, -1, true});
        add_label(out, i.on_full, -1, true);
        break;
    case Op::spin: out.push_back({next, -1, -1, i.amount.is_zero()}); break;
    case Op::await:
    case Op::poll:
    case Op::collect:
    case Op::guest_work:
    case Op::work: out.push_back({next, -1, -1, false}); break;
    case Op::yield:
    case Op::add:
    case Op::tell:
    case Op::allocate:
    case Op::free:
    case Op::fork:
    case Op::send:
    case Op::answer: out.push_back({next, -1, -1, true}); break;
    }
    return out;
}

bool compensates(const Plan& plan, std::size_t runner) {
    return std::any_of(plan.programs.begin(), plan.programs.end(), [&](const Program& program) {
        return static_cast<std::size_t>(program.runner) == runner &&
               std::any_of(program.code.begin(), program.code.end(),
                           [](const Instruction& in) { return in.waiting == Waiting::compensate; });
    });
}

} // namespace narrows::plan
