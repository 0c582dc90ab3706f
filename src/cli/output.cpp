// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/output.hpp"

#include "cli/exit_codes.hpp"
#include "scenario/problems.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace narrows::cli {

namespace {

/// 0, or the error number.
int write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t done = ::write(file, text.data(), text.size());
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(done));
    }
    return 0;
}

Fatal cannot_write(const std::string& where, int error) {
    return {kFailed, fmt::format("cannot write {}: {}", where, std::strerror(error))};
}

/// /dev/stdout, /dev/full, a fifo: nothing to rename over.
bool is_special(const std::string& path) {
    struct stat what{};
    return ::stat(path.c_str(), &what) == 0 && !S_ISREG(what.st_mode);
}

/// Where a file is written before it takes its place.
std::string part_of(const std::string& path) {
    return fmt::format("{}.{}.part", path, ::getpid());
}

void write_through(const std::string& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) throw cannot_write(path, errno);
    const int error = write_all(file, text);
    ::close(file);
    if (error != 0) throw cannot_write(path, error);
}

} // namespace

void print(std::string_view text) {
    if (const int error = write_all(STDOUT_FILENO, text); error != 0) throw cannot_write("to standard output", error);
}

void say(std::string_view text) {
    const std::string line = scenario::printable(text) + "\n";
    (void)write_all(STDERR_FILENO, line);
}

void check_writable(const std::string& path) {
    struct stat what{};
    if (path == "-") return;
    if (::stat(path.c_str(), &what) == 0 && S_ISDIR(what.st_mode)) throw cannot_write(path, EISDIR);
    if (is_special(path)) return;
    const std::string beside = part_of(path);
    const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) throw cannot_write(path, errno);
    ::close(file);
    ::unlink(beside.c_str());
}

void write_file(const std::string& path, std::string_view text) {
    if (path == "-") return print(text);
    if (is_special(path)) return write_through(path, text);
    const std::string beside = part_of(path);
    const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) throw cannot_write(path, errno);
    int error = write_all(file, text);
    if (error == 0 && ::fsync(file) != 0 && errno != EINVAL) error = errno;
    if (::close(file) != 0 && error == 0) error = errno;
    if (error == 0 && ::rename(beside.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) {
        ::unlink(beside.c_str());
        throw cannot_write(path, error);
    }
}

std::string read_file(const std::string& path) {
    if (path == "-") return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown))
        throw Fatal(kUsage, fmt::format("{} is a folder, not a file", path));
    std::ifstream in(path, std::ios::binary);
    if (!in) throw Fatal(kUsage, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

report::Style stdout_style() {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    report::Style style;
    style.colour = ::isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
                   std::strcmp(terminal, "dumb") != 0;
    return style;
}

std::string shell_quoted(std::string_view word) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:%+@";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
    std::string out = "'";
    for (const char c : word)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

} // namespace narrows::cli
