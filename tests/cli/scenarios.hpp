// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace narrows::testing {

/// Quick to run: four points of a second each.
inline constexpr const char* kSmall = R"(narrows: 1
name: Small
application:
  server.tomcat.threads.max: 20
  spring.datasource.hikari.maximum-pool-size: 4
runtime: {jdk: 25, cores: 2}
database: {cores: 2}
services:
  other: {latency: 10ms}
request:
  - cpu: exponential(100us)
  - query: {cpu: exponential(200us)}
  - call: other
  - parallel:
      - [{call: other}]
      - [{sleep: 5ms}]
load: {users: 40}
measure: {warmup: 200ms, duration: 1s, replications: 2, seed: 7}
sweep:
  load.users: [5, 40]
  threads: [platform, virtual]
published:
  - {at: {load.users: 40, threads: platform}, throughput: 1000}
)";

} // namespace narrows::testing
