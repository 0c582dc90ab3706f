// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the built program as a user would and keeps what it said.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace narrows::testing {

struct Said {
    int code = -1; ///< exit code; 128 + signal when killed
    std::string out, err;
    double seconds = 0;
};

inline constexpr const char* kClosed = "closed";

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs `narrows` with these arguments to its end, stdin empty.
[[nodiscard]] Said narrows(const std::vector<std::string>& arguments, const Environment& environment = {});

/// The program while it runs. `stdout_to` is a file instead of a pipe, or kClosed.
class Running {
public:
    explicit Running(const std::vector<std::string>& arguments, const Environment& environment = {},
                     const std::string& stdout_to = "");
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    void signal(int number) const;
    /// Waits until something is on stderr, then sends it; what was read belongs to wait().
    void signal_when_told(int number);
    void close_stdout(); ///< as a reader that went away
    [[nodiscard]] Said wait();

private:
    pid_t pid_ = -1;
    int out_ = -1, err_ = -1;
    std::string told_;
    std::chrono::steady_clock::time_point start_;
};

/// A folder that is gone after the test.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const;
    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

[[nodiscard]] std::string read_whole(const std::filesystem::path& file);

} // namespace narrows::testing
