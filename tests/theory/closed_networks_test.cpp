// SPDX-License-Identifier: GPL-3.0-or-later
// Closed systems: the machine repairman and product-form networks against exact MVA.
#include "replicate.hpp"
#include "support/plans.hpp"
#include "support/theory.hpp"

namespace narrows::testing {
namespace {

using plan::Sharing;

TEST(ClosedNetworks, MachineRepairman) {
    for (const int machines : {5, 20}) {
        SCOPED_TRACE(machines);
        PlanBuilder b;
        b.work(b.cpu("repairmen", 2, Sharing::fcfs), Distribution::exponential(1e6));
        auto plan = b.closed(machines, Distribution::exponential(8e6));
        plan.load.spread = 8'000'000;
        const auto s = replicate(plan, 60);
        const auto truth = machine_repairman(machines, 8, 1, 2);
        expect_truth(s.throughput, truth.throughput * 1000, "throughput");
        expect_truth(s.response_ms, truth.response, "response");
        expect_truth(inside(s, "repairmen"), truth.inside, "machines down");
    }
}

/// Think 30 ms; app: shared cores, any service; db: first come, exponential; a far service; app again.
plan::Plan network(int users) {
    PlanBuilder b;
    const int app = b.cpu("app", 3, Sharing::processor_sharing);
    const int db = b.cpu("db", 2, Sharing::fcfs);
    const int audit = b.cpu("audit", 1, Sharing::fcfs);
    b.work(app, Distribution::lognormal_median(1.2130613194252668e6, 1)); // mean 2 ms
    b.work(db, Distribution::exponential(1.8e6));
    b.delay(Distribution::gamma(10e6, 0.5));
    b.work(app, Distribution::constant(0.5e6));
    b.work(audit, Distribution::exponential(0.6e6));
    auto plan = b.closed(users, Distribution::uniform(0, 60e6));
    plan.load.spread = 60'000'000;
    return plan;
}

TEST(ClosedNetworks, ProductFormAgainstExactMva) {
    for (const int users : {1, 10, 40, 60}) {
        SCOPED_TRACE(users);
        const auto s = replicate(network(users), users == 1 ? 200 : 60);
        const auto truth = exact_mva({{2.5, 3}, {1.8, 2}, {10, 0}, {0.6, 1}}, users, 30);
        expect_truth(s.throughput, truth.throughput * 1000, "throughput");
        expect_truth(s.response_ms, truth.response, "response");
        expect_truth(inside(s, "app"), truth.inside[0], "at the application");
        expect_truth(inside(s, "db"), truth.inside[1], "at the database");
        expect_truth(inside(s, "audit"), truth.inside[3], "at the audit");
    }
}

TEST(ClosedNetworks, BranchesVisitStationsByTheirProbability) {
    // Only six requests in ten go to the database, and of those half go twice: 0.9 visits.
    PlanBuilder b;
    const int db = b.cpu("db", 1, Sharing::fcfs);
    const auto skip = [&](double probability, int to) {
        auto& branch = b.add(plan::Op::branch);
        branch.branch = plan::Branch::chance;
        branch.probability = probability;
        branch.to = to;
    };
    skip(0.4, 4);
    b.work(db, Distribution::exponential(1e6));
    skip(0.5, 4);
    b.work(db, Distribution::exponential(1e6));
    const auto s = replicate(b.closed(8, Distribution::exponential(10e6)), 60);
    const auto truth = exact_mva({{0.9, 1}}, 8, 10);
    expect_truth(s.throughput, truth.throughput * 1000, "throughput");
    expect_truth(s.response_ms, truth.response, "response");
}

} // namespace
} // namespace narrows::testing
