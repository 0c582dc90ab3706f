// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers for the reader's tests.
#pragma once

#include "scenario/reader.hpp"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace narrows::scenario::testing {

inline const std::string kLoad = "load: {users: 10}\n";
inline const std::string kRequest = "request: [cpu: 1ms]\n";

inline Reading reading(const std::string& text, const Settings& overrides = {},
                       const std::filesystem::path& folder = ".") {
    return read_text(text, "x.yaml", folder, overrides);
}

/// All problems, one a line.
inline std::string problems(const Reading& read) {
    std::string all;
    for (const Problem& problem : read.problems)
        all += problem.text() + "\n";
    return all;
}

inline std::string problems(const std::string& text, const Settings& overrides = {}) {
    return problems(reading(text, overrides));
}

/// The scenario of a text that must be good.
inline Scenario good(const std::string& text, const Settings& overrides = {},
                     const std::filesystem::path& folder = ".") {
    const Reading read = reading(text, overrides, folder);
    EXPECT_TRUE(read.scenario) << problems(read) << "in:\n" << text;
    return read.scenario.value_or(Scenario{});
}

/// That a text has an error which begins with "x.yaml:LINE:COLUMN: error: " and contains `words`.
inline void expect_error(const std::string& text, int line, int column, const std::string& words,
                         const Settings& overrides = {}) {
    const Reading read = reading(text, overrides);
    EXPECT_FALSE(read.scenario) << text;
    bool found = false;
    for (const Problem& problem : read.problems) {
        found = found || (problem.is_error && problem.mark == Mark{line, column} &&
                          problem.message.find(words) != std::string::npos);
    }
    EXPECT_TRUE(found) << "no error at " << line << ":" << column << " with \"" << words << "\" but\n"
                       << problems(read) << "for\n"
                       << text;
}

/// A folder that is removed again.
class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("narrows-test-{}-{}", ::getpid(), count_++)) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    void write(const std::string& name, const std::string& content) const {
        std::ofstream(path_ / name, std::ios::binary) << content;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    static inline int count_ = 0;
    std::filesystem::path path_;
};

} // namespace narrows::scenario::testing
