// SPDX-License-Identifier: GPL-3.0-or-later
// A small scenario for tests, quick to simulate.
#pragma once

#include "experiment/experiment.hpp"
#include "scenario/reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace narrows::experiment::testing {

inline const char* kSmall = R"(narrows: 1
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
load: {users: 40}
measure: {warmup: 200ms, duration: 1s, replications: 3, seed: 7}
sweep:
  load.users: [5, 40]
  threads: [platform, virtual]
)";

/// A folder that is gone after the test.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("narrows-test-" + std::to_string(::getpid()) + "-" + std::to_string(next_++))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    std::string write(const std::string& name, const std::string& text) const {
        const auto file = path_ / name;
        std::ofstream(file, std::ios::binary) << text;
        return file.string();
    }

private:
    static inline int next_ = 0;
    std::filesystem::path path_;
};

inline scenario::Scenario small(const scenario::Settings& settings = {}) {
    auto reading = scenario::read_text(kSmall, "small.yaml", ".", settings);
    for (const auto& problem : reading.problems)
        ADD_FAILURE() << problem.text();
    return reading.scenario.value_or(scenario::Scenario{});
}

inline Options with_jobs(int jobs) {
    Options out;
    out.jobs = jobs;
    return out;
}

/// The small scenario under another load.
inline scenario::Scenario under(const std::string& load, const scenario::Settings& settings) {
    std::string text = kSmall;
    text.replace(text.find("{users: 40}"), 11, load);
    text.erase(text.find("sweep:"));
    auto reading = scenario::read_text(text, "small.yaml", ".", settings);
    for (const auto& problem : reading.problems)
        ADD_FAILURE() << problem.text();
    return reading.scenario.value();
}

} // namespace narrows::experiment::testing
