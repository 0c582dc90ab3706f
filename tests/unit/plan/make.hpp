// SPDX-License-Identifier: GPL-3.0-or-later
// A small plan that can be run, to be spoilt by tests.
#pragma once

#include "plan/plan.hpp"

namespace narrows::plan::test {

inline Instruction op(Op o) {
    Instruction i;
    i.op = o;
    return i;
}
inline Instruction on(Op o, int resource) {
    Instruction i = op(o);
    i.resource = resource;
    return i;
}
inline Instruction work(double ns, int cpu = 0) {
    Instruction i = on(Op::work, cpu);
    i.amount = Distribution::constant(ns);
    return i;
}
inline Instruction delay(double ns) {
    Instruction i = op(Op::delay);
    i.amount = Distribution::constant(ns);
    return i;
}
inline Instruction end(Outcome outcome = Outcome::ok) {
    Instruction i = op(Op::end);
    i.outcome = outcome;
    return i;
}
inline Instruction branch(Branch kind, int to) {
    Instruction i = op(Op::branch);
    i.branch = kind;
    i.to = to;
    return i;
}
inline Instruction fork(int program) {
    Instruction i = op(Op::fork);
    i.children = {{program, 1}};
    return i;
}

/// Sessions (program 0) that fork a request (program 1): acquire, work, release.
inline Plan small() {
    Plan p;
    p.cpus = {{"app.cpu", 2, Sharing::processor_sharing, 0, 0}};
    p.pools = {{"hikari", PoolKind::datasource, 10, -1, Discipline::fifo},
               {"monitor m", PoolKind::monitor, 1, -1, Discipline::barging}};
    Runner clients;
    clients.name = "client";
    Runner threads;
    threads.name = "tomcat.threads";
    threads.kind = RunnerKind::threads;
    threads.workers = 5;
    threads.cpu = 0;
    p.runners = {clients, threads};
    p.endpoints = {"request"};
    p.programs = {
        {"session", 0, -1, {op(Op::send), fork(1), op(Op::join), op(Op::answer), branch(Branch::more, 0), end()}},
        {"request", 1, 0, {on(Op::acquire, 0), work(1e6), on(Op::release, 0), end()}}};
    return p;
}

inline std::vector<Instruction>& request(Plan& p) {
    return p.programs[1].code;
}

} // namespace narrows::plan::test
