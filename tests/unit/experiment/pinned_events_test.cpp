// SPDX-License-Identifier: GPL-3.0-or-later
// Pins as JFR would log them: jdk.VirtualThreadPinned, threshold 20 ms, on JDK 21 to 23 for parks only.
#include "experiment/experiment.hpp"
#include "scenario/reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace narrows::experiment {
namespace {

/// 60 requests, all at once, on 4 carriers.
measure::Result run(int jdk, const std::string& request, const std::string& latency) {
    const auto text = fmt::format("narrows: 1\nname: Pins\nruntime: {{jdk: {}, cores: 4}}\n"
                                  "services: {{other: {{latency: {}}}}}\nrequest:\n{}"
                                  "load: {{burst: 60}}\nmeasure: {{replications: 2}}\n",
                                  jdk, latency, request);
    auto reading = scenario::read_text(text, "pins.yaml", ".", {});
    for (const auto& problem : reading.problems)
        if (problem.is_error) ADD_FAILURE() << problem.text();
    return run_point(reading.scenario.value(), scenario::Threads::virtual_threads, {});
}

std::uint64_t events(const measure::Result& result) {
    std::uint64_t sum = 0;
    for (const auto& resource : result.resources)
        sum += resource.pinned_events;
    return sum;
}

double held(const measure::Result& result) {
    double sum = 0;
    for (const auto& resource : result.resources)
        sum += resource.occupied_mean;
    return sum;
}

const std::string kCallInItsMonitor = "  - synchronized: [call: other]\n";
const std::string kCallInOneMonitor = "  - synchronized: {monitor: m, steps: [call: other]}\n";
const std::string kCallAboveNative = "  - native: {time: 1ms, steps: [call: other]}\n";

TEST(PinnedEvents, OneForEachParkInAMonitorUpTo23) {
    EXPECT_EQ(events(run(21, kCallInItsMonitor, "25ms")), 120U) << "two replications of 60";
    EXPECT_EQ(events(run(23, kCallInItsMonitor, "25ms")), 120U);
    EXPECT_EQ(events(run(24, kCallInItsMonitor, "25ms")), 0U);
    EXPECT_EQ(events(run(25, kCallInItsMonitor, "25ms")), 0U);
}

TEST(PinnedEvents, OnlyFrom20MsOn) {
    EXPECT_EQ(events(run(21, kCallInItsMonitor, "20ms")), 120U);
    const auto shorter = run(21, kCallInItsMonitor, "19.999ms");
    EXPECT_EQ(events(shorter), 0U);
    EXPECT_GT(held(shorter), 3) << "pinned all the same";
}

TEST(PinnedEvents, AContendedEnterHoldsItsCarrierUnseen) {
    // Four carriers: one request parks in the monitor, three block at its entrance for far more than 20 ms.
    const auto result = run(21, kCallInOneMonitor, "25ms");
    EXPECT_GT(held(result), 3);
    EXPECT_EQ(events(result), 120U) << "not one for those that wait to enter";
    EXPECT_EQ(events(run(25, kCallInOneMonitor, "25ms")), 0U);
}

TEST(PinnedEvents, ParksAboveANativeFrameOnEveryJdk) {
    for (const int jdk : {21, 24, 25}) {
        EXPECT_EQ(events(run(jdk, kCallAboveNative, "25ms")), 120U) << jdk;
        EXPECT_EQ(events(run(jdk, "  - native: 30ms\n", "25ms")), 0U) << "captured, and no event: " << jdk;
    }
}

} // namespace
} // namespace narrows::experiment
