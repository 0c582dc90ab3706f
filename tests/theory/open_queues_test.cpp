// SPDX-License-Identifier: GPL-3.0-or-later
// Open queues against their formulas. Service times have mean 1 ms, so rates are per ms times 1000.
#include "replicate.hpp"
#include "support/plans.hpp"
#include "support/theory.hpp"

namespace narrows::testing {
namespace {

using plan::Sharing;

struct Shape {
    std::string name;
    Distribution law; ///< mean 1 ms
};

/// From certain to wild, all of mean 1 ms.
std::vector<Shape> shapes() {
    const auto exponential = [](double ms) { return Distribution::exponential(ms * 1e6); };
    return {{"constant", Distribution::constant(1e6)},
            {"uniform", Distribution::uniform(0.2e6, 1.8e6)},
            {"gamma 4", Distribution::gamma(1e6, 4)},
            {"gamma 0.5", Distribution::gamma(1e6, 0.5)},
            {"exponential", exponential(1)},
            {"two exponentials", Distribution::mixture({{0.9, exponential(0.5)}, {0.1, exponential(5.5)}})},
            {"lognormal", Distribution::lognormal_median(0.6065306597126334e6, 1)}}; // e^(-1/2): mean 1
}

plan::Plan station(double rate, double cores, Sharing sharing, Distribution service) {
    PlanBuilder b;
    b.work(b.cpu("server", cores, sharing), std::move(service));
    return b.open(rate * 1000);
}

TEST(OpenQueues, OneServer) {
    for (const double rho : {0.3, 0.7, 0.9}) {
        SCOPED_TRACE(rho);
        const auto s = replicate(station(rho, 1, Sharing::fcfs, Distribution::exponential(1e6)), rho > 0.5 ? 200 : 50);
        const double response = mmc_response(rho, 1, 1);
        expect_truth(s.throughput, rho * 1000, "throughput");
        expect_truth(s.response_ms, response, "response");
        expect_truth(inside(s, "server"), rho * response, "jobs");
        if (rho > 0.8) continue; // the histogram's own resolution is enough below
        expect_truth(s.p50_ms, mm1_response_quantile(rho, 1, 0.5), "p50");
        expect_truth(s.p99_ms, mm1_response_quantile(rho, 1, 0.99), "p99");
    }
}

TEST(OpenQueues, SeveralServers) {
    for (const int servers : {2, 4, 16}) {
        SCOPED_TRACE(servers);
        const double rate = 0.8 * servers;
        const auto s =
            replicate(station(rate, servers, Sharing::fcfs, Distribution::exponential(1e6)), 100.0 / servers);
        expect_truth(s.throughput, rate * 1000, "throughput");
        expect_truth(s.response_ms, mmc_response(rate, 1, servers), "response");
    }
}

TEST(OpenQueues, SeveralServersAsAPoolOfPermits) {
    PlanBuilder b;
    const int servers = b.pool("servers", 4);
    b.acquire(servers).delay(Distribution::exponential(1e6)).release(servers);
    const auto s = replicate(b.open(3200), 25);
    expect_truth(s.response_ms, mmc_response(3.2, 1, 4), "response");
}

TEST(OpenQueues, SeveralServersAsAPoolOfThreadsThatHold) {
    PlanBuilder b;
    b.runner({.name = "threads",
              .kind = plan::RunnerKind::threads,
              .workers = 4,
              .cpu = b.cpu("cpu", 4, Sharing::processor_sharing)});
    b.delay(Distribution::exponential(1e6));
    const auto s = replicate(b.open(3200), 25);
    expect_truth(s.response_ms, mmc_response(3.2, 1, 4), "response");
}

TEST(OpenQueues, CarriersTakeTurnsAndDoNotShare) {
    // One carrier, one core: a strand keeps both to the end of its work, so it is M/M/1 in order of arrival.
    PlanBuilder b;
    const int cpu = b.cpu("cpu", 1, Sharing::processor_sharing);
    b.runner({.name = "carriers", .kind = plan::RunnerKind::carriers, .workers = 1, .max_workers = 1, .cpu = cpu});
    b.work(cpu, Distribution::gamma(1e6, 4));
    const auto s = replicate(b.open(700), 50);
    expect_truth(s.response_ms, mg1_response(0.7, 1, 0.25), "response");
}

TEST(OpenQueues, ConnectionsGoRoundTheLoops) {
    // Poisson arrivals given in turn to two loops: at each, gaps have two exponential stages.
    PlanBuilder b;
    const int cpu = b.cpu("cpu", 2, Sharing::processor_sharing);
    b.runner({.name = "loops", .kind = plan::RunnerKind::loops, .workers = 2, .cpu = cpu});
    b.work(cpu, Distribution::exponential(1e6));
    const auto s = replicate(b.open(1400), 50);
    expect_truth(s.response_ms, e2m1_response(0.7, 1), "response");
}

TEST(OpenQueues, LossWhenTheQueueIsFull) {
    PlanBuilder b;
    const int servers = b.pool("servers", 3, 2); // M/M/3/5
    b.add(plan::Op::acquire, servers).on_full = 4;
    b.delay(Distribution::exponential(1e6)).release(servers);
    b.add(plan::Op::end);
    auto plan = b.open(3300);
    plan.programs[1].code[4].outcome = plan::Outcome::refused;
    const auto s = replicate(plan, 40);
    const auto truth = mmck(3.3, 1, 3, 5);
    expect_truth(s.throughput, truth.throughput * 1000, "throughput");
    expect_truth(s.response_ms, truth.response, "response of those served");
    expect_truth(s.lost, truth.lost, "share refused");
}

TEST(OpenQueues, ErlangLossIsInsensitive) {
    for (const auto& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        PlanBuilder b;
        const int servers = b.pool("servers", 3, 0); // M/G/3/3
        b.add(plan::Op::acquire, servers).on_full = 4;
        b.delay(shape.law).release(servers);
        b.add(plan::Op::end);
        auto plan = b.open(2000);
        plan.programs[1].code[4].outcome = plan::Outcome::refused;
        expect_truth(replicate(plan, 20).lost, erlang_b(3, 2), "share refused");
    }
}

TEST(OpenQueues, AnyServiceInOrderOfArrival) {
    for (const auto& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        const double scv = shape.law.squared_cv();
        const auto s = replicate(station(0.7, 1, Sharing::fcfs, shape.law), scv > 1 ? 200 : 50);
        expect_truth(s.response_ms, mg1_response(0.7, shape.law.mean() * 1e-6, scv), "response");
    }
}

TEST(OpenQueues, AnyServiceSharedIsInsensitive) {
    for (const auto& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        const auto s = replicate(station(0.7, 1, Sharing::processor_sharing, shape.law), 100);
        expect_truth(s.response_ms, mg1_ps_response(0.7, 1), "response");
    }
}

TEST(OpenQueues, ManySharedCoresAreMMcWhateverTheService) {
    // n jobs on c cores progress at min(n, c) in all: the chain of M/M/c, and insensitive.
    for (const auto& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        const auto s = replicate(station(3.2, 4, Sharing::processor_sharing, shape.law), 40);
        expect_truth(s.response_ms, mmc_response(3.2, 1, 4), "response");
    }
}

TEST(OpenQueues, UniversalScalabilityLawIsALoadDependentServer) {
    PlanBuilder b;
    const int db = b.cpu("db", 4, Sharing::processor_sharing);
    b.plan.cpus[0].usl_alpha = 0.05;
    b.plan.cpus[0].usl_beta = 0.01;
    const int admitted = b.pool("connections", 12, 0); // keeps it stable: beyond 12 it would collapse
    b.add(plan::Op::acquire, admitted).on_full = 4;
    b.work(db, Distribution::gamma(1e6, 4)).release(admitted);
    b.add(plan::Op::end);
    auto plan = b.open(2000);
    plan.programs[1].code[4].outcome = plan::Outcome::refused;
    const auto s = replicate(plan, 60);
    const auto p = birth_death(
        12, [](int) { return 2.0; }, [](int n) { return std::min(n, 4) / (1 + 0.05 * (n - 1) + 0.01 * n * (n - 1)); });
    double jobs = 0;
    for (int n = 1; n <= 12; ++n)
        jobs += n * p[static_cast<std::size_t>(n)];
    const double served = 2 * (1 - p[12]);
    expect_truth(s.throughput, served * 1000, "throughput");
    expect_truth(s.response_ms, jobs / served, "response");
    expect_truth(s.lost, p[12], "share refused");
}

TEST(OpenQueues, NoQueueAtAll) {
    for (const auto& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        PlanBuilder b;
        b.delay(shape.law);
        const auto s = replicate(b.open(20000), 5);
        expect_truth(s.response_ms, shape.law.mean() * 1e-6, "response");
        std::vector<double> in_flight;
        for (const auto& rec : s.recordings) {
            double sum = 0;
            for (std::size_t i = measure::kSlices / 5; i < rec.slices.size(); ++i)
                sum += static_cast<double>(rec.slices[i].in_flight_end);
            in_flight.push_back(sum / static_cast<double>(rec.slices.size() - measure::kSlices / 5));
        }
        expect_truth(in_flight, 20, "requests in flight"); // M/M/infinity and M/G/infinity: rate times mean
    }
}

} // namespace
} // namespace narrows::testing
