// SPDX-License-Identifier: GPL-3.0-or-later
// Spinning, heaps, tiers that share cores and quotas, as they are compiled.
#include "make.hpp"
#include "models/mechanisms.hpp"

#include <algorithm>

namespace narrows::models::test {
namespace {

constexpr Threads kPlatform = Threads::platform;
constexpr Threads kVirtual = Threads::virtual_threads;

bool has_line(const std::vector<std::string>& lines, const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
}

TEST(Spinning, KeepsItsThreadOrCarrier) {
    const Scenario s = scenario_of({step(scenario::SpinStep{ms(100)})});
    for (const Threads threads : kAll) {
        EXPECT_EQ(request_lines(s, threads)[1], "spin    app.cpu 100ms");
        EXPECT_EQ(first(compile(s, threads), plan::Op::spin).resource, 0);
    }
}

Scenario with_heap(Steps steps) {
    Scenario s = scenario_of(std::move(steps));
    s.runtime.memory.heap = 1'000'000'000;
    s.runtime.memory.allocation = 50'000;
    s.runtime.memory.request = 10'000;
    s.runtime.memory.thread_locals = 1'000;
    return s;
}

TEST(Memory, WithoutAHeapNothingOfItIsThere) {
    const plan::Plan p = compile(scenario_of({cpu(1)}), kVirtual);
    EXPECT_EQ(p.memory.heap, 0);
    EXPECT_EQ(count(p, "request", plan::Op::allocate), 0);
    EXPECT_TRUE(p.tiers.empty());
}

TEST(Memory, StacksAndThreadLocalsOfVirtualThreadsLieInTheHeap) {
    const Scenario s = with_heap({cpu(1)});
    EXPECT_EQ(first(compile(s, kPlatform), plan::Op::allocate).live, 10'000);
    EXPECT_EQ(first(compile(s, kPlatform), plan::Op::allocate).bytes, 50'000);
    EXPECT_EQ(find_runner(compile(s, kPlatform), "tomcat.threads")->create_bytes, 1'000);
    EXPECT_EQ(first(compile(s, kVirtual), plan::Op::allocate).live, 10'000 + 1'000 + parked_stack_bytes(100));
    EXPECT_EQ(find_runner(compile(s, kVirtual), "carriers")->create_bytes, 0);
}

TEST(Memory, WeightOfAParkedStackByItsDepth) {
    EXPECT_DOUBLE_EQ(parked_stack_bytes(1), 2686);
    EXPECT_DOUBLE_EQ(parked_stack_bytes(100), 4887);
    EXPECT_DOUBLE_EQ(parked_stack_bytes(150), (4887 + 8806) / 2.0);
    EXPECT_DOUBLE_EQ(parked_stack_bytes(500), 21277);
    EXPECT_NEAR(parked_stack_bytes(1000), 21277 + 500 * (21277 - 8806) / 300.0, 1e-6);
}

TEST(Memory, EveryEndGivesBackWhatLives) {
    Scenario s = with_heap({query(1), call("enrichment")});
    const plan::Plan p = compile(s, kVirtual);
    EXPECT_EQ(count(p, "request", plan::Op::end), 2); // well, and no connection in time
    EXPECT_EQ(count(p, "request", plan::Op::free), 2);
    const auto& code = program(p, "request").code;
    for (std::size_t pc = 0; pc < code.size(); ++pc)
        if (code[pc].op == plan::Op::end) {
            EXPECT_EQ(code[pc - 1].op, plan::Op::free);
        }
}

TEST(Memory, WorkersAndSizesOfTheCollectors) {
    Scenario s = with_heap({cpu(1)});
    s.runtime.cores = 16;
    plan::Memory m = compile(s, kPlatform).memory;
    EXPECT_EQ(m.workers, 13); // 8 + 5/8 of the other 8
    EXPECT_EQ(m.concurrent_workers, 3);
    EXPECT_EQ(m.young_most, 0.6);
    EXPECT_EQ(m.pause_goal, 200'000'000);
    s.runtime.memory.collector = scenario::Collector::parallel;
    m = compile(s, kPlatform).memory;
    EXPECT_EQ(m.concurrent_workers, 0);
    EXPECT_NEAR(m.young_most, 0.2667, 1e-4);
    EXPECT_EQ(m.pause_goal, 0);
    EXPECT_EQ(compile(with_heap({cpu(1)}), kPlatform).memory.workers, 6);
}

TEST(SharedCores, TheDatabaseIsAGuestForWhichTheRequestWaits) {
    Scenario s = scenario_of({query(1)});
    s.database.host = scenario::Host::application;
    const plan::Plan p = compile(s, kVirtual);
    EXPECT_EQ(p.cpus.size(), 1U);
    EXPECT_EQ(p.tiers, std::vector<std::string>{"database"});
    EXPECT_TRUE(has_line(lines(p, "database"), "work    app.cpu 1ms for database"));
    EXPECT_EQ(first(p, plan::Op::join).waiting, plan::Waiting::park);
    EXPECT_EQ(compile(scenario_of({query(1)}), kVirtual).cpus.size(), 2U);
}

TEST(SharedCores, ServicesAndTheLoadGenerator) {
    Scenario s = scenario_of({call("enrichment")});
    s.services["enrichment"].cpu = ms(2);
    s.services["enrichment"].host = scenario::Host::application;
    s.load.cpu = ms(0.5);
    const plan::Plan p = compile(s, kPlatform);
    EXPECT_EQ(p.tiers, (std::vector<std::string>{"service enrichment", "load generator"}));
    EXPECT_TRUE(has_line(lines(p, "far side of enrichment"), "work    app.cpu 2ms for service enrichment"));
    EXPECT_EQ(count(p, "session", plan::Op::work), 1);
}

TEST(Quota, CarriersAndLoopsFollowItRoundedUp) {
    Scenario s = scenario_of({cpu(1)});
    s.runtime.cores = 8;
    s.runtime.cpu_quota = 1.5;
    const plan::Plan p = compile(s, kVirtual);
    EXPECT_EQ(p.cpus[0].cores, 8);
    EXPECT_EQ(p.cpus[0].quota, 1.5);
    EXPECT_EQ(p.cpus[0].period, 100'000'000);
    EXPECT_EQ(find_runner(p, "carriers")->workers, 2);
    s.runtime.cpu_quota = 8;
    EXPECT_EQ(compile(s, kVirtual).cpus[0].quota, 0); // as many as there are: nothing to enforce
}

TEST(Quota, DoesNotGoWithGuests) {
    Scenario s = scenario_of({query(1)});
    s.runtime.cores = 8;
    s.runtime.cpu_quota = 1.5;
    s.database.host = scenario::Host::application;
    EXPECT_THROW((void)compile(s, kVirtual), std::invalid_argument);
}

} // namespace
} // namespace narrows::models::test
