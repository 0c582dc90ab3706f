// SPDX-License-Identifier: GPL-3.0-or-later
// What tests ask of a recording: sums, a fingerprint, and the laws that every run must obey.
#pragma once

#include "measure/recording.hpp"
#include "random/streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace narrows::testing {

/// Sums over the slices [first, end). Waiting times and residences in ns, integrals in ns.
inline measure::ResourceSlice resource_sum(const measure::Recording& r, std::size_t resource, std::size_t first = 0) {
    measure::ResourceSlice sum;
    for (std::size_t i = first; i < r.slices.size(); ++i)
        measure::add(sum, r.slices[i].resources[resource]);
    return sum;
}
/// The same by name; a failure when there is no such resource.
inline measure::ResourceSlice resource_sum(const measure::Recording& r, std::string_view name, std::size_t first = 0) {
    for (std::size_t k = 0; k < r.resources.size(); ++k)
        if (r.resources[k].name == name) return resource_sum(r, k, first);
    ADD_FAILURE() << "no resource " << name;
    return {};
}

struct Answers {
    std::uint64_t answered = 0, ok = 0;
    double latency_ns = 0;
};
inline Answers answers(const measure::Recording& r, std::size_t first = 0) {
    Answers sum;
    for (std::size_t i = first; i < r.slices.size(); ++i) {
        sum.answered += r.slices[i].answered;
        sum.ok += r.slices[i].ok;
        sum.latency_ns += r.slices[i].latency_sum;
    }
    return sum;
}
inline std::uint64_t outcome_count(const measure::Recording& r, std::size_t outcome) {
    std::uint64_t n = 0;
    for (const auto& g : r.groups)
        n += g.outcomes[outcome];
    return n;
}

constexpr double kUnknown = -1;

/// Little's law over a whole run that began empty, for every resource, exactly:
///   pool, runner   integral of the queue = waits of those granted + waits of those still in the queue at the
///                  end (Recording::edge) + waits of those that gave up (`gave_up_ns`, from the caller;
///                  kUnknown: at least 0)
///   cpu            integral of the jobs present = residence of those done + ages of those present at the end
/// All times are whole nanoseconds, so the two sides differ by nothing but the rounding of the
/// sums: half an ulp of the running sum an addition, and there are fewer additions than 4 an event
/// and 8 a slice.
inline void expect_littles_law(const measure::Recording& r, double gave_up_ns = 0, std::string_view gave_up_at = {}) {
    ASSERT_EQ(r.edge.size(), r.resources.size());
    const double additions = 4.0 * static_cast<double>(r.events + r.issued) + 8.0 * measure::kSlices;
    for (std::size_t k = 0; k < r.resources.size(); ++k) {
        const auto sum = resource_sum(r, k);
        const bool cpu = r.resources[k].kind == measure::ResourceKind::cpu;
        const double inside = cpu ? sum.busy + sum.queue : sum.queue;
        const double left = cpu ? sum.residence : sum.waited;
        const double gave_up = r.resources[k].name == gave_up_at ? gave_up_ns : 0;
        const double rounding = additions * std::numeric_limits<double>::epsilon() * std::max(inside, left);
        if (gave_up == kUnknown) {
            EXPECT_GE(inside, left + r.edge[k] - rounding) << r.resources[k].name;
        } else {
            EXPECT_NEAR(inside, left + r.edge[k] + gave_up, rounding) << r.resources[k].name;
        }
        if (cpu) continue;
        EXPECT_GE(r.edge[k], 0) << r.resources[k].name;
        if (sum.queue_end == 0) {
            EXPECT_EQ(r.edge[k], 0) << r.resources[k].name;
        }
    }
    // Requests are conserved: each one sent is answered or under way.
    EXPECT_EQ(r.issued, answers(r).answered + r.unanswered);
}

/// 64 bits that depend on every figure of a recording, bit for bit.
class Fingerprint {
public:
    void add(std::uint64_t x) { hash_ = mix64(hash_ ^ (x + kGolden)); }
    void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
    void add(std::string_view text) {
        for (const char c : text)
            add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
        add(static_cast<std::uint64_t>(text.size()));
    }
    void add(std::int64_t x) { add(static_cast<std::uint64_t>(x)); }
    void add(const measure::Histogram& h) {
        add(h.count());
        for (const auto& b : h.buckets()) {
            add(b.low);
            add(b.count);
        }
        add(h.max());
        add(h.min());
    }
    void add(const measure::ResourceSlice& s) {
        for (const double x : {s.busy, s.queue, s.running, s.occupied, s.pinned, s.waited, s.residence})
            add(x);
        add(s.grants);
        add(s.queue_max);
        add(s.queue_end);
    }
    void add(const measure::Slice& s) {
        add(s.answered);
        add(s.ok);
        add(s.latency_sum);
        add(s.in_flight_end);
        for (const auto& x : s.resources)
            add(x);
    }
    void add(const measure::Group& g) {
        add(g.latency);
        for (const auto& h : g.endpoint)
            add(h);
        for (const auto n : g.endpoint_ok)
            add(n);
        for (const auto n : g.outcomes)
            add(n);
        for (const auto& c : g.cohorts) {
            add(c.count);
            for (const double x : c.stage_sum)
                add(x);
        }
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0;
};

inline std::uint64_t fingerprint(const measure::Recording& r) {
    Fingerprint f;
    f.add(r.slice_length);
    f.add(r.end);
    f.add(static_cast<std::int64_t>(r.finite) + 2 * static_cast<std::int64_t>(r.cancelled) +
          4 * static_cast<std::int64_t>(r.deadlock));
    f.add(r.fixed_warmup);
    f.add(r.max_warmup);
    for (const auto& x : r.resources) {
        f.add(x.name);
        f.add(static_cast<std::int64_t>(x.kind));
        f.add(x.capacity);
    }
    for (const auto& x : r.stages)
        f.add(x);
    for (const auto& x : r.endpoints)
        f.add(x);
    for (const auto& x : r.slices)
        f.add(x);
    for (const auto& x : r.groups)
        f.add(x);
    for (const double x : r.edge)
        f.add(x);
    if (r.knot) {
        f.add(r.knot->at_ms);
        f.add(static_cast<std::int64_t>(r.knot->until_timeout));
        f.add(r.knot->stuck);
        f.add(r.knot->times);
        for (const auto& line : r.knot->lines)
            f.add(line);
    }
    f.add(r.offered_rps);
    f.add(r.peak_in_flight);
    f.add(r.peak_threads);
    f.add(r.events);
    f.add(r.issued);
    f.add(r.unanswered);
    return f.value();
}

} // namespace narrows::testing
