// SPDX-License-Identifier: GPL-3.0-or-later
// Hand-made plans for tests and benchmarks: textbook queues and the two workloads of the
// performance page, without a scenario or a thread model.
#pragma once

#include "plan/plan.hpp"

#include <string>
#include <utility>
#include <vector>

namespace narrows::testing {

/// Builds a plan of one session program (send, fork request, join, answer, think, again) and one
/// request program on an unlimited runner, unless told otherwise.
class PlanBuilder {
public:
    PlanBuilder() {
        plan.runners.push_back({.name = "client"});
        plan.stages = {"wait for a connection", "wait for a thread", "service"};
        plan.endpoints = {"request"};
        plan.programs.resize(2);
        plan.programs[0].name = "session";
        plan.programs[1].name = "request";
        plan.programs[1].endpoint = 0;
    }

    int cpu(std::string name, double cores, plan::Sharing sharing) {
        plan.cpus.push_back({.name = std::move(name), .cores = cores, .sharing = sharing});
        return static_cast<int>(plan.cpus.size()) - 1;
    }
    int pool(std::string name, std::int64_t capacity, std::int64_t queue_limit = -1,
             plan::Discipline discipline = plan::Discipline::fifo) {
        plan.pools.push_back(
            {.name = std::move(name), .capacity = capacity, .queue_limit = queue_limit, .discipline = discipline});
        return static_cast<int>(plan.pools.size()) - 1;
    }
    /// The request runs on this runner.
    int runner(plan::Runner what) {
        plan.runners.push_back(std::move(what));
        plan.programs[1].runner = static_cast<int>(plan.runners.size()) - 1;
        return plan.programs[1].runner;
    }

    plan::Instruction& add(plan::Op op, int resource = -1, plan::Waiting waiting = plan::Waiting::hold) {
        auto& code = plan.programs[1].code;
        plan::Instruction in;
        in.op = op;
        in.resource = resource;
        in.waiting = waiting;
        in.stage = 2;
        in.step = static_cast<int>(code.size()) + 1;
        code.push_back(std::move(in));
        return code.back();
    }
    PlanBuilder& work(int cpu_index, Distribution demand, plan::Waiting waiting = plan::Waiting::hold) {
        add(plan::Op::work, cpu_index, waiting).amount = std::move(demand);
        return *this;
    }
    PlanBuilder& delay(Distribution time, plan::Waiting waiting = plan::Waiting::hold) {
        add(plan::Op::delay, -1, waiting).amount = std::move(time);
        return *this;
    }
    PlanBuilder& acquire(int pool_index, plan::Waiting waiting = plan::Waiting::hold) {
        add(plan::Op::acquire, pool_index, waiting);
        return *this;
    }
    PlanBuilder& release(int pool_index) {
        add(plan::Op::release, pool_index);
        return *this;
    }

    /// Ends the request and writes the session program.
    plan::Plan closed(std::int64_t users, Distribution think = {}) {
        plan.load.kind = plan::LoadKind::closed;
        plan.load.users = users;
        return finish(std::move(think));
    }
    plan::Plan open(double rate, bool poisson = true) {
        plan.load.kind = plan::LoadKind::open;
        plan.load.rate = rate;
        plan.load.poisson = poisson;
        return finish({});
    }
    plan::Plan burst(std::int64_t requests) {
        plan.load.kind = plan::LoadKind::burst;
        plan.load.requests = requests;
        return finish({});
    }
    plan::Plan fixed(std::int64_t users, std::int64_t requests) {
        plan.load.kind = plan::LoadKind::fixed;
        plan.load.users = users;
        plan.load.requests = requests;
        return finish({});
    }

    plan::Plan plan;

private:
    plan::Plan finish(Distribution think) {
        add(plan::Op::end);
        auto& code = plan.programs[0].code;
        const auto simple = [](plan::Op op) {
            plan::Instruction in;
            in.op = op;
            return in;
        };
        code.push_back(simple(plan::Op::send));
        auto fork = simple(plan::Op::fork);
        fork.children = {{1, 1.0}};
        fork.choose = true;
        fork.step = 1'000'001;
        code.push_back(fork);
        code.push_back(simple(plan::Op::join));
        code.push_back(simple(plan::Op::answer));
        auto more = simple(plan::Op::branch);
        more.branch = plan::Branch::more;
        more.to = 6;
        code.push_back(more);
        code.push_back(simple(plan::Op::end));
        auto pause = simple(plan::Op::delay);
        pause.amount = std::move(think);
        pause.step = 1'000'002;
        code.push_back(pause);
        auto again = simple(plan::Op::branch);
        again.to = 0;
        code.push_back(again);
        return plan;
    }
};

/// W1 of the performance page: M/M/1 at utilization 0.9 (service 1 ms).
inline plan::Plan w1() {
    PlanBuilder b;
    b.work(b.cpu("server", 1, plan::Sharing::fcfs), Distribution::exponential(1e6));
    return b.open(900);
}

/// W2: 2,500 users, no think time: [1 of 200 permits] -> CPU exp(0.3 ms) on 8 cores -> 1 of 50
/// connections -> DB exp(0.5 ms) on 4 cores -> release -> 100 ms -> CPU exp(0.2 ms) -> release.
inline plan::Plan w2(bool permits, plan::Sharing sharing = plan::Sharing::fcfs) {
    PlanBuilder b;
    const int app = b.cpu("app.cpu", 8, sharing);
    const int db = b.cpu("db.cpu", 4, sharing);
    const int threads = permits ? b.pool("threads", 200) : -1;
    const int connections = b.pool("connections", 50);
    if (permits) b.acquire(threads);
    b.work(app, Distribution::exponential(0.3e6));
    b.acquire(connections).work(db, Distribution::exponential(0.5e6)).release(connections);
    b.delay(Distribution::constant(100e6)).work(app, Distribution::exponential(0.2e6));
    if (permits) b.release(threads);
    return b.closed(2500);
}

/// Order summary under virtual threads at 2,500 users, every mechanism on: admission, carriers,
/// HikariCP with time-outs, processor sharing, costs.
inline plan::Plan order_summary_virtual(std::int64_t users = 2500) {
    PlanBuilder b;
    const int app = b.cpu("app.cpu", 6, plan::Sharing::processor_sharing);
    const int db = b.cpu("db.cpu", 4, plan::Sharing::processor_sharing);
    const int hikari = b.pool("hikari", 50);
    b.runner({.name = "carriers",
              .kind = plan::RunnerKind::carriers,
              .workers = 6,
              .max_workers = 256,
              .min_runnable = 3,
              .cpu = app,
              .start_cost = 2000,
              .resume_cost = 1000});
    b.work(app, Distribution::exponential(120e3));
    auto& wait = b.add(plan::Op::acquire, hikari, plan::Waiting::park);
    wait.timeout = 30'000'000'000;
    wait.on_failure = 7;
    b.work(db, Distribution::exponential(150e3), plan::Waiting::park).release(hikari);
    b.work(app, Distribution::exponential(80e3)).delay(Distribution::constant(95.5e6), plan::Waiting::park);
    b.work(app, Distribution::exponential(150e3));
    plan::Plan plan = b.closed(users);
    auto& code = plan.programs[1].code;
    plan::Instruction failed = code.back();
    code.back() = failed;
    failed.outcome = plan::Outcome::pool_timeout;
    code.push_back(failed);
    code[1].on_failure = static_cast<int>(code.size()) - 1;
    plan.load.spread = 96'000'000;
    return plan;
}

} // namespace narrows::testing
