// SPDX-License-Identifier: GPL-3.0-or-later
// The same seed gives the same recording, bit for bit: again, in any order of replications, in
// debug and release builds, on every machine. Thread models draw the same numbers.
#include "engine/events.hpp"
#include "support/cast.hpp"
#include "support/plans.hpp"

#include <fmt/format.h>

namespace narrows::testing {
namespace {

using plan::Waiting;

/// One of everything: all ops, disciplines, time-outs, shapes, runners.
plan::Plan medley() {
    PlanBuilder b;
    const int app = b.cpu("app", 1.5, plan::Sharing::processor_sharing), db = b.cpu("db", 2, plan::Sharing::fcfs);
    b.plan.cpus[0].usl_alpha = 0.01;
    const int hikari = b.pool("hikari", 3, -1, plan::Discipline::hikari),
              lock = b.pool("lock", 1, 40, plan::Discipline::barging);
    b.runner({.name = "carriers",
              .kind = plan::RunnerKind::carriers,
              .workers = 3,
              .max_workers = 8,
              .min_runnable = 1,
              .cpu = app,
              .start_cost = 2000,
              .resume_cost = 1000});
    b.work(app, Distribution::lognormal_median(2e5, 0.7));
    auto& connection = b.add(plan::Op::acquire, hikari, Waiting::park);
    connection.timeout = 20'000'000;
    connection.on_failure = 12;
    b.work(db, Distribution::gamma(1e6, 0.5), Waiting::park).release(hikari);
    auto& branch = b.add(plan::Op::branch);
    branch.branch = plan::Branch::chance;
    branch.probability = 0.5;
    branch.to = 8;
    auto& monitor = b.add(plan::Op::acquire, lock);
    monitor.on_full = 12;
    b.delay(Distribution::weibull(4e5, 2), Waiting::compensate).release(lock);
    b.delay(Distribution::pareto(1e5, 2.5), Waiting::park);
    auto& retry = b.add(plan::Op::branch);
    retry.branch = plan::Branch::count;
    retry.limit = 2;
    retry.to = 8;
    b.work(app, Distribution::uniform(1e5, 3e5));
    b.add(plan::Op::end);
    auto plan = b.closed(30, Distribution::exponential(5e6));
    plan.programs[1].code[12].outcome = plan::Outcome::pool_timeout;
    return plan;
}

engine::Options options(std::uint64_t seed, std::uint64_t replication, double duration_s) {
    engine::Options o;
    o.seed = seed;
    o.replication = replication;
    o.duration = static_cast<Nanos>(duration_s * 1e9);
    return o;
}

TEST(Determinism, SameSeedSameRecording) {
    const auto plan = medley();
    const auto a = engine::run(plan, options(7, 0, 2));
    EXPECT_GT(outcome_count(a, static_cast<std::size_t>(plan::Outcome::pool_timeout)), 0U);
    expect_littles_law(a, kUnknown, "hikari"); // some expire while they are woken, later than their time-out
    EXPECT_EQ(fingerprint(a), fingerprint(engine::run(plan, options(7, 0, 2))));
    EXPECT_NE(fingerprint(a), fingerprint(engine::run(plan, options(8, 0, 2))));
    EXPECT_NE(fingerprint(a), fingerprint(engine::run(plan, options(7, 1, 2))));
}

TEST(Determinism, WhateverTheOrderOfReplications) {
    const auto plan = medley();
    std::vector<std::uint64_t> forwards, backwards(6);
    for (std::uint64_t r = 0; r < 6; ++r)
        forwards.push_back(fingerprint(engine::run(plan, options(3, r, 0.5))));
    for (std::uint64_t r = 6; r-- > 0;)
        backwards[r] = fingerprint(engine::run(plan, options(3, r, 0.5)));
    EXPECT_EQ(forwards, backwards);
}

TEST(Determinism, FiguresOfThePlansArePinned) {
    // A change here means that results change for users: say so in CHANGELOG.md.
    const std::pair<const char*, std::uint64_t> pinned[] = {
        {"w1", fingerprint(engine::run(w1(), options(1, 0, 2)))},
        {"w2 with permits", fingerprint(engine::run(w2(true), options(1, 0, 0.3)))},
        {"w2 shared", fingerprint(engine::run(w2(false, plan::Sharing::processor_sharing), options(1, 0, 0.3)))},
        {"order summary", fingerprint(engine::run(order_summary_virtual(300), options(1, 0, 0.5)))},
        {"medley", fingerprint(engine::run(medley(), options(1, 0, 1)))},
    };
    const std::uint64_t expected[] = {0x6cbd1067dc175838, 0x1dc8e14afbceaa8d, 0x9100e774f30cc0d6, 0x747c8f4771ceaa7d,
                                      0x3fbccd26a848620f};
    for (std::size_t i = 0; i < std::size(pinned); ++i)
        EXPECT_EQ(pinned[i].second, expected[i]) << pinned[i].first << " " << fmt::format("{:#018x}", pinned[i].second);
}

/// The same with a client time-out that never fires.
plan::Plan patient(plan::Plan plan) {
    auto& session = plan.programs[0].code;
    for (auto& in : session)
        if (in.op == plan::Op::join) {
            in.timeout = Nanos{3600} * 1'000'000'000;
            in.on_failure = static_cast<int>(session.size());
        }
    plan::Instruction late, end;
    late.op = plan::Op::answer;
    late.outcome = plan::Outcome::client_timeout;
    end.op = plan::Op::end;
    session.push_back(late);
    session.push_back(end);
    return plan;
}

TEST(Sessions, AreTheirRequestsOrWaitForThemAllTheSame) {
    // A client that may give up is a strand of its own; otherwise the engine makes the session its request.
    for (const auto& plan : {w1(), order_summary_virtual(300), medley()}) {
        const auto a = engine::run(plan, options(5, 0, 0.5)), b = engine::run(patient(plan), options(5, 0, 0.5));
        Fingerprint ha, hb;
        for (const auto& g : a.groups)
            ha.add(g);
        for (const auto& g : b.groups)
            hb.add(g);
        for (std::size_t k = 0; k < a.resources.size(); ++k) {
            ha.add(resource_sum(a, k));
            hb.add(resource_sum(b, k));
        }
        EXPECT_EQ(ha.value(), hb.value()) << plan.cpus[0].name;
        EXPECT_EQ(a.events, b.events);
    }
}

// ---------------------------------------------------------------- common random numbers

/// Twenty sessions of ten requests: a demand on the CPU, a far service.
plan::Plan request_plan(bool crowded) {
    PlanBuilder b;
    const int cpu = b.cpu("cpu", crowded ? 1 : 1000, crowded ? plan::Sharing::processor_sharing : plan::Sharing::fcfs);
    const int pool = b.pool("pool", crowded ? 1 : 1000);
    const auto waiting = crowded ? Waiting::park : Waiting::hold;
    if (crowded)
        b.runner({.name = "carriers", .kind = plan::RunnerKind::carriers, .workers = 1, .max_workers = 1, .cpu = cpu});
    b.work(cpu, Distribution::exponential(1e6), waiting);
    b.acquire(pool, waiting).delay(Distribution::lognormal_median(2e6, 1), waiting).release(pool);
    auto plan = b.fixed(20, 200);
    plan.load.spread = 3'000'000;
    return plan;
}

TEST(CommonRandomNumbers, DemandsDoNotDependOnWhatRunsThem) {
    const auto free = engine::run(request_plan(false), options(5, 0, 1));
    const auto crowded = engine::run(request_plan(true), options(5, 0, 1));
    expect_littles_law(free);
    expect_littles_law(crowded);
    EXPECT_GT(crowded.end, 2 * free.end) << "no crowd, no test";
    // Alone, a request takes its own demands; in the crowd the processor and the permits are busy for
    // exactly as long in all.
    EXPECT_EQ(resource_sum(free, "cpu").grants, 200U);
    EXPECT_EQ(resource_sum(free, "cpu").busy,
              resource_sum(crowded, "cpu").residence - resource_sum(crowded, "cpu").waited);
}

TEST(CommonRandomNumbers, TheKthRequestOfASessionIsTheSameEverywhere) {
    // One user, so order is plain: nothing but the runner differs, and every latency agrees.
    for (const auto waiting : {Waiting::hold, Waiting::park, Waiting::compensate}) {
        PlanBuilder a, b;
        a.delay(Distribution::gamma(1e6, 0.7));
        b.runner({.name = "carriers",
                  .kind = plan::RunnerKind::carriers,
                  .workers = 4,
                  .max_workers = 8,
                  .cpu = b.cpu("cpu", 4, plan::Sharing::processor_sharing)});
        b.delay(Distribution::gamma(1e6, 0.7), waiting);
        const auto x = engine::run(a.fixed(1, 500), options(5, 0, 1));
        const auto y = engine::run(b.fixed(1, 500), options(5, 0, 1));
        Fingerprint hx, hy;
        for (const auto& g : x.groups)
            hx.add(g.latency);
        for (const auto& g : y.groups)
            hy.add(g.latency);
        EXPECT_EQ(hx.value(), hy.value());
        EXPECT_EQ(x.end, y.end);
    }
}

} // namespace
} // namespace narrows::testing
