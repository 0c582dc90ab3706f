// SPDX-License-Identifier: GPL-3.0-or-later
// Results for tests: every field has a value of its own, so that a lost or swapped one is seen.
#pragma once

#include "measure/result.hpp"

namespace narrows::report::testing {

inline measure::Result sample() {
    measure::Result r;
    r.threads = "virtual";
    r.engine = "events";
    r.seed = 18446744073709551615ULL;
    r.replications = 3;
    r.warmup_ms = 1250.5;
    r.measured_ms = 20000;
    r.throughput_rps = 13712.25;
    r.goodput_rps = 13700.125;
    r.latency = {822735, 182.1, 180.25, 200.5, 205.125, 221.0625, 240.3, 300.7, {"p999"}};
    r.confidence = {{"throughput_rps", {13627.5, 13797}}, {"p99", {219.5, 222.75}}, {"mean", {181, 183}}};
    r.outcomes = {{"ok", 822000}, {"pool_timeout", 735}};
    r.resources.push_back(
        {"hikari", measure::ResourceKind::pool, 50, 0.998, 49.9, 820.5, 1100, 61.25, 13712, 3.64, 0, 0, 0});
    r.resources.push_back(
        {"carriers", measure::ResourceKind::runner, 6, 0.81, 4.86, 640, 900, 15.5, 41000, 0.118, 4.8, 0.06, 0.01});
    r.resources.push_back({"app.cpu", measure::ResourceKind::cpu, 6, 0.8, 4.8, 0.25, 3, 0, 41000, 0.117, 0, 0, 0});
    r.stages = {{"hikari", 61.25, 70.5}, {"enrichment", 95.5, 95.5}};
    r.endpoints.push_back({"request", 13712.25, 13700.125, r.latency});
    r.memory = {2500, 1.5e6};
    r.peak_in_flight = 2500;
    r.bottleneck = {"hikari", 333333.25, "all 50 connections are taken"};
    r.bounds = {{"users", 26000.5, "2,500 users / 95.9 ms"}, {"hikari", 333333.25, "50 / 0.15 ms"}};
    r.knot = measure::Knot{12.5, true, 40, 2, {"40 requests hold monitor audit"}};
    r.course = {100, {1, 2.5}, {std::numeric_limits<double>::quiet_NaN(), 3}, {4, 5}, {{"hikari", {6, 7}}}};
    r.warnings = {"careful, \"quoted\""};
    r.manifest = {"0.1.0", "Order summary", "abc123", {{"load.users", "2500"}, {"x", "1.0"}}};
    r.at = {{"load.users", "2500"}, {"pool", "010"}, {"threads", "virtual"}};
    r.replication_throughput = {13700, 13710.5, 13726.25};
    r.replication_p99 = {220, 221, 222.5};
    for (const Nanos value : {1'000'001, 5'000'003, 5'000'009, 300'700'000})
        r.histogram.record(value);
    r.events = 123456789;
    return r;
}

} // namespace narrows::report::testing
