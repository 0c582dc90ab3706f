// SPDX-License-Identifier: GPL-3.0-or-later
// What a run says: one value type from every engine, simulated or live, so that tables, charts and
// the window cannot tell them apart. Times are milliseconds (double) unless a name says otherwise.
#pragma once

#include "measure/histogram.hpp"
#include "measure/interval.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace narrows::measure {

/// Latency figures of a set of requests. A quantile that the sample cannot support (fewer than
/// `min_samples_for(q)` requests) is still given, and listed in `unsupported`.
struct Latency {
    std::uint64_t count = 0;
    double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0, p999 = 0, max = 0;
    std::vector<std::string> unsupported; ///< e.g. {"p999"}
};

enum class ResourceKind { cpu, pool, runner };

struct ResourceFigures {
    std::string name;
    ResourceKind kind = ResourceKind::pool;
    double capacity = 0;
    double utilization = 0; ///< mean share of the capacity that is in use, 0…1; spare carriers left out
    double busy_mean = 0;   ///< cores, permits or workers in use
    double queue_mean = 0;  ///< strands waiting for it, time average
    double queue_max = 0;
    double wait_ms_mean = 0; ///< per acquisition, those that did not wait included
    double rate = 0;         ///< acquisitions (pool, runner) or completed jobs (cpu) per second
    double hold_ms_mean = 0; ///< pool: from grant to release; cpu: residence; runner: occupancy per mount
    // Runners only: busy_mean = running + occupied, and pinned is a part of occupied.
    double running_mean = 0;  ///< executing or waiting for a core
    double occupied_mean = 0; ///< held by a strand that waits
    double pinned_mean = 0;
    /// Pins that JFR would have logged in the measured part (plan::Runner::pin_logged), all replications.
    std::uint64_t pinned_events = 0;
};

struct StageFigures {
    std::string name;
    double mean_ms = 0; ///< per request
    double p99_ms = 0;  ///< mean over the slowest 1 % of requests
};

struct EndpointFigures {
    std::string name;
    double throughput_rps = 0, goodput_rps = 0;
    Latency latency;
};

struct Bound {
    std::string resource; ///< "hikari", "tomcat.threads", "app.cpu", "users"
    double rps = 0;       ///< throughput cannot exceed this
    std::string formula;  ///< "50 connections / 100 ms = 500 req/s"
};

/// What a formula says of the same plan, beside the measured figures (analytic/predict.hpp).
struct Analytic {
    std::string method; ///< "exact MVA", "machine repairman", "M/M/c", "M/G/1", "layered MVA"; "" when none applies
    bool exact = false; ///< else an approximation
    double throughput_rps = 0;
    double response_ms = 0; ///< mean
    std::string validity;   ///< under what the figures hold; for approximations, what they neglect
    std::string reason;     ///< why no method applies; "" when one does
};

struct Bottleneck {
    std::string resource; ///< "" when nothing limits but the load itself
    double bound_rps = 0;
    std::string evidence; ///< one sentence with the figures
};

enum class Verdict { steady, finished, unstable, deadlock, out_of_memory, not_stationary };
/// "ok" for steady and finished; "unstable", "deadlock", "out-of-memory", "not-stationary".
[[nodiscard]] const char* word(Verdict verdict);

/// Who holds what and who waits for it, when nothing can move.
struct Knot {
    double at_ms = 0;
    bool until_timeout = false;     ///< a time-out will undo it; the run went on
    std::uint64_t stuck = 0;        ///< requests in it
    std::uint64_t times = 0;        ///< how often it was seen
    std::vector<std::string> lines; ///< "40 requests hold monitor audit and wait for hikari (10 of 10 taken)"
};

struct MemoryFigures {
    double threads_peak = 0; ///< platform threads or virtual threads alive at once, at most
    double bytes_peak = 0;   ///< their stacks
};

/// A heap with its collector, where the scenario gives one.
struct HeapFigures {
    double capacity = 0;        ///< bytes
    double live_peak = 0;       ///< bytes in use at most
    double allocated_per_s = 0; ///< bytes
    double gc_cpu_share = 0;    ///< of the application's cores, in pauses and beside the threads
    double paused_share = 0;    ///< of the time
    double pauses_per_s = 0;
    double full_per_s = 0; ///< of those, collections of the whole heap
    double pause_ms_mean = 0, pause_ms_max = 0;
};

/// The heap could not hold what was in use.
struct Exhaustion {
    double at_ms = 0;
    std::int64_t in_flight = 0; ///< requests
    double live = 0, heap = 0;  ///< bytes
};

/// CPU time of one tier on cores that several share.
struct TierFigures {
    std::string name;
    double cores = 0;  ///< in use on average
    double cpu_ms = 0; ///< per answered request
};

/// Course over time, equal steps: for lines over time and for the warm-up cut.
struct Course {
    double step_ms = 0;
    std::vector<double> throughput_rps;
    std::vector<double> latency_ms;                   ///< mean of those that ended in the step; NaN if none
    std::vector<double> in_flight;                    ///< at the step's end
    std::map<std::string, std::vector<double>> queue; ///< resource -> waiting, at the step's end
};

/// What one would have seen on a dashboard: one replication, from its beginning, warm-up included. Equal steps;
/// the last one may be shorter.
struct Series {
    double step_ms = 0;
    std::vector<double> answered; ///< requests in the step
    std::vector<double> throughput_rps, goodput_rps;
    std::vector<double> p50_ms, p99_ms;                             ///< NaN where fewer than 2 (100) were answered
    std::vector<double> in_flight;                                  ///< at the step's end
    std::vector<std::pair<std::string, std::vector<double>>> queue; ///< resource, mean number waiting in the step
    [[nodiscard]] std::size_t size() const { return answered.size(); }
};

/// What `--replications auto` asked for, and how near it came.
struct Precision {
    double asked = 0;          ///< relative error that is tolerated
    int limit = 0;             ///< the most replications allowed
    int looks = 0;             ///< how often it was decided whether to go on
    bool reached = false;      ///< both of these are small enough (experiment::half_width_for)
    double throughput_rps = 0; ///< relative half width; NaN without an interval
    double p99 = 0;
};

/// A figure beside that of another thread model, on common random numbers.
struct Against {
    std::string figure;   ///< "throughput_rps", "p99"
    std::string baseline; ///< thread model
    double ratio = 1;     ///< this / baseline
    std::optional<Interval> interval;
    std::size_t pairs = 0; ///< replications that were paired
    bool differs = false;  ///< the interval leaves out 1
    double detectable = 0; ///< relative difference that would have shown in nine cases of ten; NaN: unknown
    std::string verdict;   ///< "6.2 times as high", "83 % lower (1/5.9)", "no detectable difference …"
};

struct Manifest {
    std::string version;
    std::string scenario; ///< name
    std::string scenario_sha256;
    std::map<std::string, std::string> settings; ///< overrides in force
};

struct Result {
    std::string threads, engine;
    std::uint64_t seed = 0;
    int replications = 1;
    Verdict verdict = Verdict::steady;
    double warmup_ms = 0, measured_ms = 0;  ///< per replication (mean)
    double throughput_rps = 0;              ///< every answered request, whatever its outcome
    double goodput_rps = 0;                 ///< outcome ok
    double offered_rps = 0;                 ///< open loads: what was asked
    Latency latency;                        ///< of answered requests
    std::optional<Latency> latency_planned; ///< open loads, from the planned send
    /// 95 % intervals by figure: "throughput_rps", "goodput_rps", "mean", "p50", "p90", "p95", "p99", "p999"
    /// (latencies in ms). A figure without a defensible interval is absent.
    std::map<std::string, Interval> confidence;
    /// Why a percentile has none, by the same names: a sentence with the number of requests beyond it.
    std::map<std::string, std::string> no_interval;
    std::optional<Precision> precision; ///< runs of `auto` replications
    std::map<std::string, std::uint64_t> outcomes;
    std::optional<double> makespan_ms; ///< burst, fixed
    std::vector<ResourceFigures> resources;
    std::vector<StageFigures> stages;
    std::vector<EndpointFigures> endpoints;
    MemoryFigures memory;
    std::optional<HeapFigures> heap;
    std::optional<Exhaustion> exhausted;
    std::vector<TierFigures> tiers; ///< who used the application's cores, where not it alone did
    double peak_in_flight = 0;
    Bottleneck bottleneck;
    std::vector<Bound> bounds; ///< narrowest first
    std::optional<Analytic> analytic;
    std::optional<Knot> knot;
    Course course;                     ///< first replication
    std::optional<Series> series;      ///< where asked for
    std::vector<Against> against;      ///< comparisons: all but the baseline
    std::vector<std::string> messages; ///< what the software itself says when a pool or breaker refuses, first of each
    std::vector<std::string> warnings;
    Manifest manifest;
    std::vector<std::pair<std::string, std::string>> at;         ///< the sweep's point
    std::vector<double> replication_throughput, replication_p99; ///< for paired comparisons
    Histogram histogram;                                         ///< measured latencies, all replications, ns
    std::uint64_t events = 0;                                    ///< timed events simulated
};

} // namespace narrows::measure
