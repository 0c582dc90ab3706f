// SPDX-License-Identifier: GPL-3.0-or-later
// A million requests in flight, by the most that was resident. A program of its own, since the
// peak of a process only rises.
#include "engine/events.hpp"
#include "engine/strand.hpp"
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

/// Sends a million requests that all wait; says what each takes, -1 when nobody can tell.
double bytes_each(const plan::Plan& plan) {
    engine::Options options;
    options.auto_warmup = false;
    options.duration = 1'010'000'000;
    const double before = peak_resident();
    if (before < 0) return -1;
    const auto rec = engine::run(plan, options);
    EXPECT_GE(rec.peak_in_flight, 1'000'000);
    const auto requests = static_cast<double>(rec.peak_in_flight);
    const double each = (peak_resident() - before) / requests;
    fmt::print("    {:.0f} requests in flight: {:.1f} bytes each at the peak\n", requests, each);
    return each;
}

plan::Plan million() {
    PlanBuilder b;
    b.delay(Distribution::constant(10e9));
    return b.open(1'000'000, false);
}

TEST(Memory, AMillionRequestsInFlightTake200BytesEach) {
    EXPECT_LE(bytes_each(million()), 200);
}

TEST(Memory, AMillionClientsThatMayGiveUpTakeTwoStrandsEach) {
    auto plan = million();
    auto& session = plan.programs[0].code;
    session[2].timeout = Nanos{30} * 1'000'000'000;
    session[2].on_failure = static_cast<int>(session.size());
    plan::Instruction late, end;
    late.op = plan::Op::answer;
    late.outcome = plan::Outcome::client_timeout;
    end.op = plan::Op::end;
    session.push_back(late);
    session.push_back(end);
    // Two strands instead of one, and nothing else: the growth is that of the strands.
    EXPECT_LE(bytes_each(plan), 200 + sizeof(engine::Strand));
}

} // namespace
} // namespace narrows::testing
