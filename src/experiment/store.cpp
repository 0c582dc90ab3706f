// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/store.hpp"

#include "random/streams.hpp"
#include "report/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/file.h>
#include <unistd.h>

namespace narrows::experiment {

namespace {

namespace fs = std::filesystem;

std::runtime_error failed(const char* what, const fs::path& path) {
    return std::runtime_error(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

/// Writes all and flushes it to the disk. errno tells what went wrong.
bool write_all(int file, const std::string& text) {
    const char* at = text.data();
    std::size_t left = text.size();
    while (left > 0) {
        const ssize_t done = ::write(file, at, left);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        left -= static_cast<std::size_t>(done);
    }
    return ::fsync(file) == 0;
}

/// A rename lasts only when the folder itself is on the disk. Best effort: some file systems
/// cannot flush a folder.
void flush_folder(const fs::path& folder) {
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file);
    ::close(file);
}

} // namespace

std::string fingerprint(const std::string& text) {
    std::uint64_t a = 0xcbf29ce484222325ULL;
    std::uint64_t b = kGolden;
    for (const char c : text) {
        a = (a ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL; // FNV-1a
        b = mix64(b + static_cast<unsigned char>(c));
    }
    return fmt::format("{:016x}{:016x}", a, b);
}

Store::Store(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw std::runtime_error(fmt::format("cannot make the store {}: {}", folder_.string(), error.message()));
    const fs::path lock = folder_ / "lock";
    lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock_ < 0) throw failed("open", lock);
    // The kernel gives the lock up when its owner dies, however that happens.
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        const bool busy = errno == EWOULDBLOCK;
        const auto other = failed("lock", lock);
        ::close(lock_);
        if (busy) throw std::runtime_error(fmt::format("the store {} is in use by another sweep", folder_.string()));
        throw other;
    }
}

Store::~Store() {
    ::close(lock_);
}

fs::path Store::file(const std::string& key) const {
    return folder_ / (fingerprint(key) + ".json");
}

Store::Found Store::find(const std::string& key) const {
    const fs::path path = file(key);
    std::ifstream in(path, std::ios::binary);
    if (!in) return {};
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto damaged = [&](const std::string& why) {
        return Found{{}, fmt::format("{} is damaged ({}); its point is run again", path.string(), why)};
    };
    const auto line_end = text.find('\n');
    if (line_end == std::string::npos || text.back() != '\n' || text.size() < line_end + 2)
        return damaged("incomplete");
    const std::string body = text.substr(line_end + 1, text.size() - line_end - 2);
    try {
        const auto head = nlohmann::json::parse(text.substr(0, line_end));
        if (head.at("key").get<std::string>() != key) return {};
        if (head.at("checksum").get<std::string>() != fingerprint(body)) return damaged("wrong checksum");
        return {report::from_json(body), ""};
    } catch (const std::exception& error) {
        return damaged(error.what());
    }
}

void Store::save(const std::string& key, const measure::Result& result) const {
    const std::string body = report::to_json(result, report::Detail::full);
    const nlohmann::ordered_json head = {{"key", key}, {"checksum", fingerprint(body)}};
    const std::string text = head.dump() + "\n" + body + "\n";
    const fs::path path = file(key);
    const fs::path beside = path.string() + ".part";
    const int out = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out < 0) throw failed("write", beside);
    const bool written = write_all(out, text);
    const auto reason = failed("write", beside);
    ::close(out);
    if (!written) {
        ::unlink(beside.c_str());
        throw reason;
    }
    if (::rename(beside.c_str(), path.c_str()) != 0) {
        const auto why = failed("rename", beside);
        ::unlink(beside.c_str());
        throw why;
    }
    flush_folder(folder_);
}

} // namespace narrows::experiment
