// SPDX-License-Identifier: GPL-3.0-or-later
// A million requests in flight, by the most that was resident. A program of its own, since the
// peak of a process only rises.
#include "engine/events.hpp"
#include "support/plans.hpp"
#include "support/recordings.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace narrows::testing {
namespace {

/// The most memory this process has had resident, bytes (Linux).
double peak_resident() {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
        if (word == "VmHWM:") {
            double kilobytes = 0;
            status >> kilobytes;
            return kilobytes * 1024;
        }
    return -1;
}

TEST(Memory, AMillionRequestsInFlightTake200BytesEach) {
    PlanBuilder b;
    b.delay(Distribution::constant(10e9));
    const auto plan = b.open(1'000'000, false);
    engine::Options options;
    options.auto_warmup = false;
    options.duration = 1'010'000'000;
    const double before = peak_resident();
    if (before < 0) GTEST_SKIP() << "no /proc/self/status";
    const auto rec = engine::run(plan, options);
    ASSERT_GE(rec.peak_in_flight, 1'000'000);
    const auto requests = static_cast<double>(rec.peak_in_flight);
    const double each = (peak_resident() - before) / requests;
    fmt::print("    {:.0f} requests in flight: {:.1f} bytes each at the peak\n", requests, each);
    EXPECT_LE(each, 200);
}

} // namespace
} // namespace narrows::testing
