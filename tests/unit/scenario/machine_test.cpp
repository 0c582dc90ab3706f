// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of the machine below the threads: heap, shared cores, quota, spin.
#include "support.hpp"

namespace narrows::scenario::testing {
namespace {

using namespace std::chrono_literals;

const std::string kBase = kRequest + kLoad;

TEST(Machine, MemoryIsReadWithItsUnits) {
    const Memory m =
        good(kBase + "runtime: {memory: {heap: 2GiB, collector: parallel, request: 60KB, stack-depth: 150, "
                     "connection: 512, pause-goal: 50ms}}")
            .runtime.memory;
    EXPECT_EQ(m.heap, std::int64_t{2} << 30);
    EXPECT_EQ(m.collector, Collector::parallel);
    EXPECT_EQ(m.request, 60'000);
    EXPECT_EQ(m.connection, 512); // bytes
    EXPECT_EQ(m.stack_depth, 150);
    EXPECT_EQ(m.pause_goal, 50ms);
    EXPECT_FALSE(good(kBase).runtime.memory.heap.has_value());
}

TEST(Machine, WrongSizesAndCollectors) {
    expect_error(kBase + "runtime: {memory: {heap: 2 gigs}}", 3, 26, "a size such as 512MB");
    expect_error(kBase + "runtime: {memory: {collector: g2}}", 3, 31, "did you mean");
    expect_error(kBase + "runtime: {memory: {haep: 2GB}}", 3, 20, "did you mean 'heap'");
}

TEST(Machine, WhoseCoresATierHas) {
    const Scenario s = good(kBase + "database: {host: application}\n"
                                    "services: {stub: {cpu: 1ms, host: application}}\n");
    EXPECT_EQ(s.database.host, Host::application);
    EXPECT_EQ(s.services.at("stub").host, Host::application);
    EXPECT_EQ(good(kRequest + "load: {users: 5, cpu: 2ms}").load.cpu.mean(), 2e6);
    expect_error(kBase + "services: {stub: {cpu: 1ms, cores: 2, host: application}}", 3, 18, "no cores of its own");
    expect_error(kBase + "services: {stub: {latency: 1ms, host: application}}", 3, 18, "needs cpu");
    expect_error(kBase + "database: {host: mine}", 3, 18, "own or application");
}

TEST(Machine, QuotaAndSpin) {
    const Scenario s = good("request: [spin: 100ms]\n" + kLoad + "runtime: {cores: 8, cpu-quota: 1.5}");
    EXPECT_EQ(s.runtime.cpu_quota, 1.5);
    EXPECT_EQ(s.runtime.cpu_period, 100ms);
    EXPECT_EQ(std::get<SpinStep>(s.endpoints.at(0).steps.at(0).what).time.mean(), 1e8);
    expect_error(kBase + "runtime: {cpu-quota: 0}", 3, 22, "out of range");
}

} // namespace
} // namespace narrows::scenario::testing
