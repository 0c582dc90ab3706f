// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/bottleneck.hpp"

#include <gtest/gtest.h>

namespace narrows::experiment {
namespace {

using measure::ResourceKind;

/// Six carriers on six cores, 200 threads, a pool of 50: resources only, no programs.
plan::Plan plan_of(plan::RunnerKind kind) {
    plan::Plan plan;
    plan.cpus = {{"app.cpu", 6, plan::Sharing::processor_sharing, 0, 0}};
    plan::Pool hikari;
    hikari.name = "hikari";
    hikari.kind = plan::PoolKind::datasource;
    hikari.capacity = 50;
    plan.pools = {hikari};
    plan::Runner runner;
    runner.name = kind == plan::RunnerKind::threads ? "tomcat.threads" : "carriers";
    runner.kind = kind;
    runner.workers = kind == plan::RunnerKind::threads ? 200 : 6;
    runner.cpu = 0;
    plan.runners = {runner};
    plan.load.users = 2500;
    return plan;
}

measure::ResourceFigures figures(const char* name, ResourceKind kind, double capacity, double utilization, double queue,
                                 double wait_ms, double hold_ms) {
    measure::ResourceFigures out;
    out.name = name;
    out.kind = kind;
    out.capacity = capacity;
    out.utilization = utilization;
    out.busy_mean = capacity * utilization;
    out.queue_mean = queue;
    out.wait_ms_mean = wait_ms;
    out.hold_ms_mean = hold_ms;
    return out;
}

TEST(Bottleneck, NothingSaturatedIsTheLoadItself) {
    measure::Result r;
    r.throughput_rps = 1042;
    r.resources = {figures("hikari", ResourceKind::pool, 50, 0.1, 0, 0, 0.15),
                   figures("app.cpu", ResourceKind::cpu, 6, 0.06, 0, 0, 0.1)};
    auto plan = plan_of(plan::RunnerKind::carriers);
    plan.load.users = 100;
    const auto found = find_bottleneck(plan, r);
    EXPECT_EQ(found.resource, "");
    EXPECT_NE(found.evidence.find("nothing is saturated"), std::string::npos);
    EXPECT_NE(found.evidence.find("100 users, one cycle takes 96.0 ms"), std::string::npos) << found.evidence;
}

TEST(Bottleneck, OfSeveralTheOneWithTheLowestBound) {
    // Threads wait for the pool while they are held: both are full, the pool is why.
    measure::Result r;
    r.throughput_rps = 500;
    r.resources = {figures("tomcat.threads", ResourceKind::runner, 200, 1, 1800, 3600, 400),
                   figures("hikari", ResourceKind::pool, 50, 1, 150, 300, 100)};
    r.bounds = {{"hikari", 500, "50 / 100 ms"}, {"tomcat.threads", 2000, "200 / 100 ms"}};
    const auto found = find_bottleneck(plan_of(plan::RunnerKind::threads), r);
    EXPECT_EQ(found.resource, "hikari");
    EXPECT_EQ(found.bound_rps, 500);
    EXPECT_NE(found.evidence.find("all 50 connections of hikari are taken 100 % of the time"), std::string::npos)
        << found.evidence;
    EXPECT_NE(found.evidence.find("150.0 requests wait for one, 300 ms each"), std::string::npos) << found.evidence;
    EXPECT_EQ(found.evidence.find("convoy"), std::string::npos);
}

TEST(Bottleneck, WhatIsFullOnlyBecauseOfAnInnerQueueIsNone) {
    // 10,000 users: every connection is held by a client whose request waits for hikari, further in.
    // Neither bound is reached, although the outer one is the lower.
    auto plan = plan_of(plan::RunnerKind::carriers);
    plan::Pool connections;
    connections.name = "tomcat.connections";
    connections.kind = plan::PoolKind::connections;
    connections.capacity = 8193;
    plan.pools.push_back(connections);
    plan::Program request;
    for (const auto op : {plan::Op::acquire, plan::Op::release, plan::Op::end}) {
        plan::Instruction in;
        in.op = op;
        in.resource = op == plan::Op::end ? -1 : 0;
        request.code.push_back(in);
    }
    plan.programs = {request};
    measure::Result r;
    r.throughput_rps = 13200;
    r.resources = {figures("tomcat.connections", ResourceKind::pool, 8193, 1, 100, 0, 0),
                   figures("hikari", ResourceKind::pool, 50, 1, 6612, 500, 3.8)};
    r.bounds = {{"tomcat.connections", 85344, ""}, {"hikari", 333333, ""}};
    EXPECT_EQ(find_bottleneck(plan, r).resource, "hikari");
    // Where the outer bound is reached, it is the one.
    r.throughput_rps = 80000;
    EXPECT_EQ(find_bottleneck(plan, r).resource, "tomcat.connections");
}

TEST(Bottleneck, AFullPoolWithoutAQueueIsNone) {
    measure::Result r;
    r.throughput_rps = 100;
    r.resources = {figures("hikari", ResourceKind::pool, 50, 0.95, 0.1, 0, 10)};
    EXPECT_EQ(find_bottleneck(plan_of(plan::RunnerKind::carriers), r).resource, "");
}

TEST(Bottleneck, TellsAConvoy) {
    measure::Result r;
    r.throughput_rps = 13700;
    auto carriers = figures("carriers", ResourceKind::runner, 6, 0.81, 640, 15, 0.1);
    r.resources = {carriers, figures("hikari", ResourceKind::pool, 50, 0.998, 820, 61, 3.64),
                   figures("app.cpu", ResourceKind::cpu, 6, 0.81, 0, 0, 0.1)};
    r.bounds = {{"app.cpu", 17100, ""}, {"hikari", 333333, ""}};
    const auto found = find_bottleneck(plan_of(plan::RunnerKind::carriers), r);
    EXPECT_EQ(found.resource, "hikari");
    EXPECT_NE(found.evidence.find("convoy"), std::string::npos) << found.evidence;
    EXPECT_NE(found.evidence.find("3.64 ms instead of 0.150 ms"), std::string::npos) << found.evidence;
    EXPECT_NE(found.evidence.find("the processors (app.cpu) are at 81 %"), std::string::npos) << found.evidence;
    // Without a queue for carriers it is something else that lengthens the holds.
    r.resources[0].queue_mean = 0;
    EXPECT_EQ(find_bottleneck(plan_of(plan::RunnerKind::carriers), r).evidence.find("convoy"), std::string::npos);
}

TEST(Bottleneck, CarriersThatRunAreTheirProcessors) {
    measure::Result r;
    r.throughput_rps = 17000;
    auto carriers = figures("carriers", ResourceKind::runner, 6, 0.995, 900, 50, 0.1);
    carriers.running_mean = carriers.busy_mean;
    r.resources = {carriers, figures("app.cpu", ResourceKind::cpu, 6, 0.995, 0, 0, 0.1)};
    r.bounds = {{"app.cpu", 17100, ""}};
    EXPECT_EQ(find_bottleneck(plan_of(plan::RunnerKind::carriers), r).resource, "app.cpu");
    // Held by waiting strands instead (pinned): then it is the carriers.
    r.resources[0].running_mean = 0.3;
    r.resources[0].occupied_mean = 5.6;
    r.resources[1].utilization = 0.05;
    r.bounds = {{"carriers", 60, ""}, {"app.cpu", 17100, ""}};
    EXPECT_EQ(find_bottleneck(plan_of(plan::RunnerKind::carriers), r).resource, "carriers");
}

TEST(Bottleneck, LoadsThatEndHaveSlack) {
    measure::Result r;
    r.verdict = measure::Verdict::finished;
    r.throughput_rps = 450;
    r.resources = {figures("tomcat.threads", ResourceKind::runner, 200, 0.7, 150, 300, 300)};
    EXPECT_EQ(find_bottleneck(plan_of(plan::RunnerKind::threads), r).resource, "tomcat.threads");
    r.verdict = measure::Verdict::steady;
    EXPECT_EQ(find_bottleneck(plan_of(plan::RunnerKind::threads), r).resource, "");
}

} // namespace
} // namespace narrows::experiment
