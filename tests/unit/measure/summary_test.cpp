// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings made by hand, with figures that one can work out on paper.
#include "measure/summary.hpp"

#include "measure/window.hpp"
#include "random/sampler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace narrows::measure {
namespace {

constexpr Nanos kMillisecond = 1'000'000;
constexpr Nanos kSliceLength = 100 * kMillisecond;

struct Shape {
    int slices = 240;
    Nanos fixed_warmup = -1;
    std::uint64_t seed = 1;
    double rate = 100;                                    ///< answers a slice, about
    double (*level)(int) = [](int) { return 1.0; };       ///< factor of rate by slice
    double (*latency_ms)(int) = [](int) { return 10.0; }; ///< mean by slice
    std::int64_t (*in_flight)(int) = [](int) { return std::int64_t{7}; };
};

/// A run with one pool ("hikari": 5 of 10 taken, 2 waiting) and one stage of a third of the latency.
Recording record(const Shape& shape) {
    Recording r;
    r.slice_length = kSliceLength;
    r.end = kSliceLength * shape.slices;
    r.fixed_warmup = shape.fixed_warmup;
    r.max_warmup = r.end / 2;
    r.resources = {{"hikari", ResourceKind::pool, 10}};
    r.stages = {"query"};
    r.endpoints = {"GET /"};
    r.peak_in_flight = 7;
    Stream stream(StreamKey::root(shape.seed, 0));
    for (int i = 0; i < shape.slices; ++i) {
        if (i % kSlicesPerGroup == 0) r.groups.emplace_back();
        auto& group = r.groups.back();
        group.endpoint.resize(1);
        group.endpoint_ok.resize(1);
        Slice slice;
        const double noise = shape.rate > 20 ? 4 * (stream.uniform() - 0.5) : 0;
        slice.answered = static_cast<std::uint64_t>(shape.rate * shape.level(i) + noise);
        for (std::uint64_t n = 0; n < slice.answered; ++n) {
            const double ms = shape.latency_ms(i) * (0.5 + stream.uniform());
            const auto latency = static_cast<Nanos>(ms * 1e6);
            slice.latency_sum += static_cast<double>(latency);
            group.latency.record(latency);
            const bool ok = n % 10 != 0;
            slice.ok += ok;
            ++group.outcomes[ok ? 0 : 1];
            group.endpoint_ok[0] += ok;
            const auto bucket = static_cast<std::size_t>(cohort_of(latency));
            if (group.cohorts.size() <= bucket) group.cohorts.resize(bucket + 1);
            ++group.cohorts[bucket].count;
            group.cohorts[bucket].stage_sum.resize(1);
            group.cohorts[bucket].stage_sum[0] += static_cast<double>(latency) / 3;
        }
        slice.in_flight_end = shape.in_flight(i);
        ResourceSlice pool;
        pool.busy = 5.0 * static_cast<double>(kSliceLength);
        pool.queue = 2.0 * static_cast<double>(kSliceLength);
        pool.grants = 50;
        pool.waited = 50 * 4e6;
        pool.queue_max = 3 + i % 2;
        slice.resources = {pool};
        r.slices.push_back(std::move(slice));
    }
    return r;
}

std::vector<Recording> three(Shape shape) {
    std::vector<Recording> out;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        shape.seed = seed;
        out.push_back(record(shape));
    }
    return out;
}

bool warns(const Result& r, const std::string& part) {
    return std::ranges::any_of(r.warnings, [&](const auto& w) { return w.find(part) != std::string::npos; });
}

TEST(Summary, SteadyRunByHand) {
    const auto recordings = three({});
    const Result r = summarize(recordings, false);
    EXPECT_EQ(r.verdict, Verdict::steady);
    EXPECT_EQ(r.replications, 3);
    std::uint64_t answered = 0, ok = 0;
    const auto first = static_cast<std::size_t>(std::lround(r.warmup_ms / 100));
    for (const auto& recording : recordings)
        for (std::size_t i = first; i < 240; ++i) {
            answered += recording.slices[i].answered;
            ok += recording.slices[i].ok;
        }
    EXPECT_EQ(r.latency.count, answered);
    EXPECT_NEAR(r.throughput_rps, static_cast<double>(answered) / (3 * r.measured_ms / 1e3), 1e-9);
    EXPECT_NEAR(r.goodput_rps, static_cast<double>(ok) / (3 * r.measured_ms / 1e3), 1e-9);
    EXPECT_EQ(r.outcomes.at("ok"), ok);
    EXPECT_EQ(r.outcomes.at("pool_timeout"), answered - ok);
    EXPECT_EQ(r.outcomes.at("refused"), 0U);
    EXPECT_EQ(r.outcomes.at("circuit_open"), 0U);
    EXPECT_EQ(r.outcomes.size(), 7U);
    EXPECT_NEAR(r.warmup_ms + r.measured_ms, 24'000, 1e-6);
    EXPECT_NEAR(r.latency.mean, 10, 0.1);
    EXPECT_NEAR(r.latency.p50, 10, 0.1);
    EXPECT_NEAR(r.latency.p99, 14.9, 0.05); // uniform on 5…15 ms
    for (const char* name : {"throughput_rps", "goodput_rps", "mean", "p50", "p90", "p95", "p99"}) {
        ASSERT_TRUE(r.confidence.contains(name)) << name;
        EXPECT_LT(r.confidence.at(name).low, r.confidence.at(name).high) << name;
    }
    EXPECT_TRUE(r.confidence.at("throughput_rps").contains(r.throughput_rps));
    EXPECT_TRUE(r.confidence.at("p99").contains(r.latency.p99));
    EXPECT_EQ(r.replication_throughput.size(), 3U);
    EXPECT_EQ(r.replication_p99.size(), 3U);
    EXPECT_FALSE(r.makespan_ms);
    EXPECT_FALSE(r.latency_planned);
    EXPECT_TRUE(r.warnings.empty());
}

TEST(Summary, ResourcesStagesAndEndpoints) {
    const Result r = summarize(three({}), false);
    ASSERT_EQ(r.resources.size(), 1U);
    const auto& pool = r.resources[0];
    EXPECT_EQ(pool.name, "hikari");
    EXPECT_NEAR(pool.utilization, 0.5, 1e-12);
    EXPECT_NEAR(pool.busy_mean, 5, 1e-12);
    EXPECT_NEAR(pool.queue_mean, 2, 1e-12);
    EXPECT_EQ(pool.queue_max, 4);
    EXPECT_NEAR(pool.wait_ms_mean, 4, 1e-12);
    EXPECT_NEAR(pool.rate, 500, 1e-9);
    EXPECT_NEAR(pool.hold_ms_mean, 10, 1e-9); // 5 permits taken / 500 a second
    ASSERT_EQ(r.stages.size(), 1U);
    EXPECT_NEAR(r.stages[0].mean_ms, r.latency.mean / 3, 1e-9);
    // The slowest 1 % of uniform(5, 15) are 14.9…15; coarse buckets blur by a sixteenth octave.
    EXPECT_NEAR(r.stages[0].p99_ms * 3, 14.95, 0.5);
    ASSERT_EQ(r.endpoints.size(), 1U);
    EXPECT_EQ(r.endpoints[0].latency.count, r.latency.count);
    EXPECT_NEAR(r.endpoints[0].goodput_rps, r.goodput_rps, 1e-9);
}

TEST(Summary, SlowestCohortTakesItsShareOfTheBoundaryBucket) {
    Shape shape;
    shape.slices = 6;
    shape.rate = 0;
    shape.fixed_warmup = 0;
    Recording r = record(shape);
    auto& cohorts = r.groups[0].cohorts;
    cohorts.resize(3);
    cohorts[0] = {900, {900e6}};   // 1 ms each
    cohorts[1] = {96, {96 * 5e6}}; // 5 ms
    cohorts[2] = {4, {4 * 9e6}};   // 9 ms
    const Result result = summarize(std::vector{r}, false);
    // Ten of 1000: all four of 9 ms and six of 5 ms.
    EXPECT_NEAR(result.stages[0].p99_ms, (4 * 9 + 6 * 5) / 10.0, 1e-12);
    EXPECT_NEAR(result.stages[0].mean_ms, (900 + 480 + 36) / 1000.0, 1e-12);
}

TEST(Summary, AutomaticWarmUpCutsTheTransientToAGroup) {
    Shape shape;
    shape.latency_ms = [](int i) { return i < 40 ? 100.0 - 2 * i : 10.0; };
    const Result r = summarize(three(shape), false);
    EXPECT_EQ(r.verdict, Verdict::steady);
    EXPECT_GE(r.warmup_ms, 3500);
    EXPECT_LE(r.warmup_ms, 6000);
    EXPECT_EQ(std::lround(r.warmup_ms) % 600, 0);
    EXPECT_LT(r.latency.max, 31); // hardly a slice of the transient is left
}

TEST(Summary, WarmUpNeverPassesItsLimit) {
    Shape shape;
    shape.latency_ms = [](int i) { return i < 100 ? 1000.0 - 9 * i : 100.0; };
    auto recordings = three(shape);
    for (auto& r : recordings)
        r.max_warmup = 4'000 * kMillisecond; // 6.67 groups
    const Result r = summarize(recordings, false);
    EXPECT_NEAR(r.warmup_ms, 3600, 1e-9);
    EXPECT_EQ(r.verdict, Verdict::not_stationary); // what is left still falls
    EXPECT_TRUE(r.confidence.empty());
    EXPECT_TRUE(warns(r, "never settles"));
}

TEST(Summary, FixedWarmUpIsKeptAndNotJudged) {
    Shape shape;
    shape.fixed_warmup = 5'000 * kMillisecond;
    shape.latency_ms = [](int i) { return 10.0 + i; };
    const Result r = summarize(three(shape), false);
    EXPECT_NEAR(r.warmup_ms, 5400, 1e-9); // up to a group: 54 slices
    EXPECT_EQ(r.verdict, Verdict::steady);
}

TEST(Summary, StationaryNoiseIsSeldomCalledDrifting) {
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Shape shape;
        shape.seed = 1000 + seed;
        shape.rate = 25;
        wrong += !choose_window(std::vector{record(shape)}).settled;
    }
    EXPECT_LE(wrong, 3);
}

TEST(Summary, DriftingRunIsNotStationary) {
    Shape shape;
    shape.level = [](int i) { return 0.5 + i / 240.0; };
    const Result r = summarize(three(shape), false);
    EXPECT_EQ(r.verdict, Verdict::not_stationary);
    EXPECT_TRUE(r.confidence.empty());
}

TEST(Summary, OpenLoadThatIsNotKeptUpWithIsUnstable) {
    Shape shape;
    shape.latency_ms = [](int i) { return 10.0 + i; };
    shape.in_flight = [](int i) { return std::int64_t{10} * i; };
    auto recordings = three(shape);
    for (auto& r : recordings)
        r.offered_rps = 1100;
    const Result r = summarize(recordings, true);
    EXPECT_EQ(r.verdict, Verdict::unstable);
    EXPECT_STREQ(word(r.verdict), "unstable");
    EXPECT_TRUE(warns(r, "not kept up with"));
    EXPECT_FALSE(r.confidence.contains("mean"));
    EXPECT_FALSE(r.confidence.contains("p99"));
    EXPECT_TRUE(std::ranges::count(r.latency.unsupported, "mean"));
    // The same growth under a closed load is a load's own doing.
    EXPECT_NE(summarize(recordings, false).verdict, Verdict::unstable);
}

TEST(Summary, OpenLoadThatIsKeptUpWithIsStable) {
    Shape shape;
    shape.in_flight = [](int i) { return std::int64_t{20} + (i * 7919) % 13; };
    auto recordings = three(shape);
    for (auto& r : recordings)
        r.offered_rps = 1000;
    const Result r = summarize(recordings, true);
    EXPECT_EQ(r.verdict, Verdict::steady);
    ASSERT_TRUE(r.latency_planned);
    EXPECT_EQ(r.latency_planned->p99, r.latency.p99);
}

TEST(Summary, FiniteRunCountsEverything) {
    std::vector<Recording> recordings;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Shape shape;
        shape.slices = 20;
        shape.seed = seed;
        Recording r = record(shape);
        r.finite = true;
        r.end = (1900 + static_cast<Nanos>(seed) * 10) * kMillisecond;
        recordings.push_back(std::move(r));
    }
    const Result r = summarize(recordings, false);
    EXPECT_EQ(r.verdict, Verdict::finished);
    EXPECT_STREQ(word(r.verdict), "ok");
    EXPECT_EQ(r.warmup_ms, 0);
    ASSERT_TRUE(r.makespan_ms);
    EXPECT_NEAR(*r.makespan_ms, 1930, 1e-9);
    std::uint64_t answered = 0;
    for (const auto& recording : recordings)
        for (const auto& slice : recording.slices)
            answered += slice.answered;
    EXPECT_EQ(r.latency.count, answered);
    EXPECT_NEAR(r.throughput_rps, static_cast<double>(answered) / (5 * 1.930), 1e-6);
    const auto makespan = r.confidence.at("makespan_ms");
    EXPECT_NEAR(makespan.high - 1930, 2.776445105 * std::sqrt(250.0 / 5), 1e-6);
    EXPECT_TRUE(r.confidence.contains("p99"));
    EXPECT_TRUE(r.confidence.contains("throughput_rps"));
    const Result one = summarize(std::span(recordings).first(1), false);
    EXPECT_TRUE(one.confidence.empty());
    EXPECT_FALSE(summarize(std::span(recordings).first(4), false).confidence.contains("p99"));
}

TEST(Summary, ALoadThatChangesHasNoBatches) {
    Shape rising;
    rising.fixed_warmup = 0;
    rising.level = [](int i) { return 0.2 + 1.6 * i / 240; };
    rising.latency_ms = [](int i) { return 10.0 + i / 10.0; };
    auto recordings = three(rising);
    for (auto& r : recordings)
        r.staged = true;
    const Result r = summarize(recordings, false);
    EXPECT_EQ(r.verdict, Verdict::steady);
    const auto expected = student(r.replication_throughput);
    ASSERT_TRUE(expected && r.confidence.contains("throughput_rps"));
    EXPECT_EQ(r.confidence.at("throughput_rps"), *expected) << "over whole replications, not over unlike parts of them";
    EXPECT_FALSE(r.confidence.contains("p99"));
    EXPECT_NE(r.no_interval.at("p99").find("3 are fewer than the 5"), std::string::npos) << r.no_interval.at("p99");
    EXPECT_FALSE(r.makespan_ms.has_value());
    for (std::uint64_t seed = 4; seed <= 6; ++seed) {
        rising.seed = seed;
        recordings.push_back(record(rising));
        recordings.back().staged = true;
    }
    const Result more = summarize(recordings, false);
    ASSERT_TRUE(more.confidence.contains("p99"));
    EXPECT_TRUE(more.confidence.at("p99").contains(more.latency.p99));
}

TEST(Summary, StallIsAVerdictWithItsKnot) {
    Shape shape;
    shape.slices = 30;
    auto recordings = three(shape);
    recordings[1].deadlock = true;
    recordings[1].knot = Knot{.at_ms = 12, .stuck = 4, .lines = {"4 requests wait"}};
    const Result r = summarize(recordings, false);
    EXPECT_EQ(r.verdict, Verdict::deadlock);
    EXPECT_STREQ(word(r.verdict), "deadlock");
    ASSERT_TRUE(r.knot);
    EXPECT_EQ(r.knot->stuck, 4U);
    EXPECT_TRUE(r.confidence.empty());
    EXPECT_TRUE(warns(r, "1 of 3"));
}

TEST(Summary, NothingAnsweredIsZeroAndSaidSo) {
    Shape shape;
    shape.rate = 0;
    Recording empty = record(shape);
    for (auto& slice : empty.slices)
        slice.resources = {ResourceSlice{}};
    for (const bool open : {false, true}) {
        const Result r = summarize(std::vector{empty}, open);
        for (const double x : {r.throughput_rps, r.goodput_rps, r.latency.mean, r.latency.p99, r.latency.max,
                               r.resources[0].wait_ms_mean, r.resources[0].hold_ms_mean, r.stages[0].mean_ms,
                               r.stages[0].p99_ms, r.endpoints[0].latency.mean})
            EXPECT_EQ(x, 0);
        EXPECT_TRUE(warns(r, "No request was answered"));
        for (const auto& [name, interval] : r.confidence)
            EXPECT_TRUE(std::isfinite(interval.low) && std::isfinite(interval.high)) << name;
    }
    EXPECT_TRUE(warns(summarize({}, false), "no replication"));
    // Cancelled before the first slice was full.
    Recording bare;
    bare.cancelled = true;
    const Result r = summarize(std::vector{bare}, false);
    EXPECT_EQ(r.throughput_rps, 0);
    EXPECT_TRUE(warns(r, "cancelled"));
}

TEST(Summary, FewRequestsAreMarked) {
    Shape shape;
    shape.rate = 1;
    shape.slices = 100;
    const Result r = summarize(std::vector{record(shape)}, false);
    EXPECT_EQ(r.latency.unsupported, (std::vector<std::string>{"p99", "p999"}));
    EXPECT_FALSE(r.confidence.contains("p99"));
    EXPECT_TRUE(warns(r, "needs 368"));
}

TEST(Summary, CourseIsTheFirstReplications) {
    Shape shape;
    shape.slices = 12;
    auto recordings = three(shape);
    recordings[0].slices[3].answered = 0;
    recordings[0].end -= kSliceLength / 2; // the last slice is half as long
    const Result r = summarize(recordings, false);
    EXPECT_EQ(r.course.step_ms, 100);
    ASSERT_EQ(r.course.throughput_rps.size(), 12U);
    EXPECT_TRUE(std::isnan(r.course.latency_ms[3]));
    EXPECT_NEAR(r.course.throughput_rps[11], static_cast<double>(recordings[0].slices[11].answered) / 0.05, 1e-9);
    EXPECT_EQ(r.course.in_flight[5], 7);
    EXPECT_EQ(r.course.queue.at("hikari").size(), 12U);
}

TEST(Cohort, SixteenAnOctaveAndInvertible) {
    for (int i = 0; i < 900; ++i) {
        ASSERT_EQ(cohort_of(cohort_low(i)), i);
        if (i > 0) {
            ASSERT_EQ(cohort_of(cohort_low(i) - 1), i - 1);
        }
    }
    EXPECT_EQ(cohort_of(2'000'000) - cohort_of(1'000'000), 16);
    EXPECT_EQ(cohort_of(-5), 0);
}

TEST(Drifts, NeedsSizeAndSignificance) {
    std::vector<double> flat, slight, steep;
    Stream stream(StreamKey::root(81, 0));
    for (int i = 0; i < 200; ++i) {
        const double noise = Sampler::standard_normal(stream);
        flat.push_back(100 + noise);
        slight.push_back(100 + 0.01 * i + 0.01 * noise); // 2 %, however clear
        steep.push_back(100 + 0.1 * i + noise);
    }
    EXPECT_FALSE(drifts(flat));
    EXPECT_FALSE(drifts(slight));
    EXPECT_TRUE(drifts(steep));
    EXPECT_FALSE(drifts({}));
}

} // namespace
} // namespace narrows::measure
