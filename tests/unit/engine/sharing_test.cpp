// SPDX-License-Identifier: GPL-3.0-or-later
// The processor-sharing station against the plainest possible simulation of the fluid.
#include "engine/stations.hpp"
#include "random/sampler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace narrows::engine {
namespace {

double capacity(const plan::Cpu& cpu, double n) {
    return std::min(n, cpu.cores) / (1 + cpu.usl_alpha * (n - 1) + cpu.usl_beta * n * (n - 1));
}

/// Every job's remaining demand, all lowered at every event: O(N) a step. A job leaves at the first whole
/// nanosecond at which it has its service, and shares until then.
class Fluid {
public:
    explicit Fluid(const plan::Cpu& cpu) : cpu_(cpu) {}

    void start(int id, Nanos at, Nanos demand) {
        end_before(at);
        go_to(at);
        jobs_.push_back({id, static_cast<long double>(demand)});
    }
    void end_before(Nanos t) {
        while (!jobs_.empty()) {
            const auto least = std::min_element(jobs_.begin(), jobs_.end(),
                                                [](const Job& a, const Job& b) { return a.left < b.left; });
            const long double wait = std::max(0.0L, least->left / rate());
            const auto next = now_ + static_cast<Nanos>(std::ceil(wait - kSlack));
            if (next >= t) return;
            const int id = least->id;
            go_to(next);
            std::erase_if(jobs_, [&](const Job& job) { return job.id == id; });
            ends[id] = next;
        }
    }
    std::map<int, Nanos> ends;

private:
    static constexpr long double kSlack = 0x1.0p-10L; // as in the station: thirds are not exact
    struct Job {
        int id;
        long double left;
    };
    [[nodiscard]] long double rate() const {
        const auto n = static_cast<double>(jobs_.size());
        return capacity(cpu_, n) / n;
    }
    void go_to(Nanos t) {
        if (!jobs_.empty())
            for (const long double step = static_cast<long double>(t - now_) * rate(); auto& job : jobs_)
                job.left -= step;
        now_ = t;
    }
    plan::Cpu cpu_;
    std::vector<Job> jobs_;
    Nanos now_ = 0;
};

/// Both are driven by the same arrivals and must end every job at the same nanosecond.
void compare_with_fluid(const plan::Cpu& cpu, double mean_gap, double mean_demand, int arrivals) {
    ProcessorSharing station(cpu);
    Fluid fluid(cpu);
    Stream random(StreamKey{static_cast<std::uint64_t>(cpu.cores * 1000)});
    std::map<int, Nanos> ends;
    Nanos arrival = 0;
    const auto end_before = [&](Nanos t) {
        for (Nanos next = station.next_end(); next < t; next = station.next_end())
            ends[station.finish(next)] = next;
    };
    std::size_t most = 0;
    for (int id = 0; id < arrivals; ++id) {
        arrival += Sampler::to_nanos(mean_gap * Sampler::standard_exponential(random));
        const Nanos demand = Sampler::to_nanos(mean_demand * Sampler::standard_exponential(random));
        end_before(arrival);
        station.start(arrival, id, demand, static_cast<std::uint64_t>(id));
        fluid.start(id, arrival, demand);
        most = std::max(most, station.jobs());
    }
    end_before(kForever);
    fluid.end_before(kForever);
    ASSERT_EQ(ends.size(), static_cast<std::size_t>(arrivals));
    EXPECT_GT(most, 10U) << "no crowd, no test";
    for (const auto& [id, end] : ends)
        ASSERT_EQ(end, fluid.ends[id]) << cpu.name << " job " << id;
    EXPECT_EQ(station.jobs(), 0U);
}

TEST(ProcessorSharing, AgreesWithTheFluid) {
    compare_with_fluid({.name = "one", .cores = 1}, 1000, 800, 20'000);
    compare_with_fluid({.name = "four", .cores = 4}, 1000, 3600, 20'000);
    compare_with_fluid({.name = "quota", .cores = 1.5}, 1000, 1300, 20'000);
    compare_with_fluid({.name = "half", .cores = 0.5}, 1000, 400, 20'000);
    compare_with_fluid({.name = "usl", .cores = 4, .usl_alpha = 0.05, .usl_beta = 0.002}, 1000, 1500, 20'000);
}

TEST(ProcessorSharing, OneJobRunsAtOneCoreAtMost) {
    ProcessorSharing station(plan::Cpu{.name = "cpu", .cores = 4});
    station.start(0, 1, 1000, 0);
    EXPECT_EQ(station.next_end(), 1000);
}

TEST(ProcessorSharing, HalfACoreTakesTwiceAsLong) {
    ProcessorSharing station(plan::Cpu{.name = "cpu", .cores = 0.5});
    station.start(0, 1, 1000, 0);
    EXPECT_EQ(station.next_end(), 2000);
}

TEST(ProcessorSharing, ArrivalsSlowThoseThere) {
    ProcessorSharing station(plan::Cpu{.name = "cpu", .cores = 1});
    station.start(0, 1, 1000, 0);
    station.start(500, 2, 250, 1); // 500 left and 250: the second ends after 500 more
    EXPECT_EQ(station.next_end(), 1000);
    EXPECT_EQ(station.finish(1000), 2);
    EXPECT_EQ(station.next_end(), 1250);
    EXPECT_EQ(station.finish(1250), 1);
    EXPECT_EQ(station.next_end(), kForever);
}

TEST(ProcessorSharing, ScalabilityLawSlowsAll) {
    // Two jobs on two cores with alpha 0.5: C(2) = 2 / 1.5, so each runs at 2/3.
    ProcessorSharing station(plan::Cpu{.name = "cpu", .cores = 2, .usl_alpha = 0.5});
    station.start(0, 1, 1000, 0);
    station.start(0, 2, 1000, 1);
    EXPECT_EQ(station.next_end(), 1500);
    EXPECT_EQ(station.finish(1500), 1); // equal ends in the order of arrival
    EXPECT_EQ(station.next_end(), 1500);
    EXPECT_EQ(station.finish(1500), 2);
}

TEST(ProcessorSharing, BetaMakesMoreJobsSlowerInAll) {
    // C(10) = 1 / (1 + 0.1 * 90) = 0.1 on one core: ten jobs of 100 take 10,000 together.
    ProcessorSharing station(plan::Cpu{.name = "cpu", .cores = 1, .usl_beta = 0.1});
    for (int i = 0; i < 10; ++i)
        station.start(0, i, 100, static_cast<std::uint64_t>(i));
    EXPECT_EQ(station.next_end(), 10'000);
}

} // namespace
} // namespace narrows::engine
