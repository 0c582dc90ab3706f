// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/flow.hpp"

namespace narrows::plan {

namespace {

void add_label(std::vector<Edge>& out, int label, int gives = -1) {
    if (label >= 0) out.push_back({label, -1, gives});
}

void add_branch(std::vector<Edge>& out, const Instruction& i, int next) {
    out.push_back({i.to, -1, -1});
    if (i.branch != Branch::always) out.push_back({next, -1, -1});
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
        out.push_back({next, i.resource, -1});
        add_label(out, i.on_failure);
        add_label(out, i.on_full);
        break;
    case Op::release: out.push_back({next, -1, i.resource}); break;
    case Op::join:
        out.push_back({next, -1, -1});
        add_label(out, i.on_failure, i.gives);
        add_label(out, i.on_child_failure);
        break;
    case Op::delay:
        out.push_back({next, -1, -1});
        add_label(out, i.on_failure);
        break;
    case Op::work:
    case Op::fork:
    case Op::send:
    case Op::answer: out.push_back({next, -1, -1}); break;
    }
    return out;
}

} // namespace narrows::plan
