// SPDX-License-Identifier: GPL-3.0-or-later
// What one replication recorded, before statistics: sums by equal slices of time, so that the
// warm-up can be cut afterwards and batches formed. Pure data; summary.hpp turns recordings into
// a Result.
#pragma once

#include "measure/histogram.hpp"
#include "measure/result.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace narrows::measure {

inline constexpr int kSlices = 240;       ///< of the whole run, warm-up included
inline constexpr int kSlicesPerGroup = 6; ///< histograms are kept by group: 40 of them

/// Sums of one resource over one slice. Integrals are strand-nanoseconds.
struct ResourceSlice {
    double busy = 0;                              ///< cpu: cores in use; pool: permits taken; runner: workers taken
    double queue = 0;                             ///< waiting
    double running = 0, occupied = 0, pinned = 0; ///< runners
    double spare = 0;                ///< runners: of busy, what exceeded their workers (compensated carriers)
    double waited = 0;               ///< total waiting time of those granted in the slice, ns; cpu: residence - demand
    double residence = 0;            ///< cpu: total time from arrival to completion, ns
    std::uint64_t pinned_events = 0; ///< runners: pins of at least plan::Runner::pin_logged that ended in the slice
    std::uint64_t grants = 0;        ///< pool: permits granted; runner: mounts; cpu: jobs completed
    std::int64_t queue_max = 0;
    std::int64_t queue_end = 0;
};

/// What a heap went through in one slice.
struct HeapSlice {
    double paused = 0;    ///< ns in which all threads stood still
    double worked = 0;    ///< CPU ns of the collector, in pauses and beside the threads
    double allocated = 0; ///< bytes
    std::uint64_t pauses = 0;
    std::uint64_t full = 0;   ///< of those, collections of the whole heap
    double longest_pause = 0; ///< ns
    double live_most = 0;     ///< bytes in use at most
};

/// Adds the sums of a later slice; its end is the end of both.
void add(ResourceSlice& into, const ResourceSlice& later);
void add(HeapSlice& into, const HeapSlice& later);

struct Slice {
    std::uint64_t answered = 0;
    std::uint64_t ok = 0;
    double latency_sum = 0; ///< of answered, ns
    std::int64_t in_flight_end = 0;
    std::vector<ResourceSlice> resources; ///< in the order of Recording::resources
    std::vector<double> tiers;            ///< CPU ns by Recording::tiers
    HeapSlice heap;
};

/// Sums of stage times by coarse latency bucket (16 an octave), so that the slowest 1 % can be told
/// apart afterwards.
struct StageCohort {
    std::uint64_t count = 0;
    std::vector<double> stage_sum; ///< ns, by stage
};

struct Group {
    Histogram latency;               ///< answered requests, ns
    std::vector<Histogram> endpoint; ///< by endpoint
    std::vector<std::uint64_t> endpoint_ok;
    std::array<std::uint64_t, 8> outcomes{}; ///< by plan::Outcome
    std::vector<StageCohort> cohorts;        ///< by coarse bucket
};
/// Index of the coarse bucket of a latency: 16 an octave, one a nanosecond below 16.
[[nodiscard]] inline int cohort_of(Nanos latency) {
    const auto v = static_cast<std::uint64_t>(latency < 0 ? 0 : latency);
    const int shift = v < 16 ? 0 : static_cast<int>(std::bit_width(v)) - 5;
    return shift * 16 + static_cast<int>(v >> shift);
}
/// Lower edge of a coarse bucket, ns: the least latency with this index.
[[nodiscard]] inline Nanos cohort_low(int index) {
    if (index < 32) return index < 0 ? 0 : index;
    const int shift = index / 16 - 1;
    return static_cast<Nanos>(static_cast<std::uint64_t>(index - shift * 16) << shift);
}

struct ResourceInfo {
    std::string name;
    ResourceKind kind = ResourceKind::pool;
    double capacity = 0;
};

struct Recording {
    Nanos slice_length = 0;
    Nanos end = 0;       ///< when the run ended (finished loads: last answer)
    bool finite = false; ///< burst, fixed: everything counts, no warm-up cut
    bool staged = false; ///< the load changes as it goes: no part of a run is like another
    bool cancelled = false;
    Nanos fixed_warmup = -1; ///< >= 0: cut here; else MSER-5
    Nanos max_warmup = 0;    ///< the latest cut that leaves the asked duration
    std::vector<ResourceInfo> resources;
    std::vector<std::string> stages;
    std::vector<std::string> endpoints;
    std::vector<std::string> tiers;      ///< as Plan::tiers
    double heap = 0;                     ///< bytes; 0 = not modelled
    std::optional<Exhaustion> exhausted; ///< the heap could not hold what was in use: the run ended there
    std::vector<Slice> slices;           ///< kSlices, fewer when it ended early
    /// By resource, ns: how long those who wait for it at the end (cpu: are there) have done so by then,
    /// summed. With it Little's law holds exactly for a run that began empty: the integral of the queue
    /// (cpu: of the jobs) is the time of those who left it plus this.
    std::vector<double> edge;
    std::vector<Group> groups;    ///< one per kSlicesPerGroup slices
    std::optional<Series> series; ///< of a run for its series, which has no slices and groups
    std::optional<Knot> knot;
    bool deadlock = false;  ///< knot without any time-out that could undo it
    double offered_rps = 0; ///< open loads
    std::int64_t peak_in_flight = 0;
    std::int64_t peak_threads = 0;
    std::vector<std::string> messages; ///< what the software itself would have said, the first of each
    std::uint64_t events = 0;          ///< timed events
    std::uint64_t issued = 0;          ///< requests sent
    std::uint64_t unanswered = 0;      ///< still under way at the end
};

} // namespace narrows::measure
