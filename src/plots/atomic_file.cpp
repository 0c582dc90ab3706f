// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/atomic_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>

namespace narrows::plots {

namespace {

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    [[nodiscard]] int get() const { return number_; }
    /// Closes and says whether that worked: some file systems report a full disk only here.
    bool close() {
        const int number = number_;
        number_ = -1;
        return ::close(number) == 0;
    }

private:
    int number_;
};

[[noreturn]] void fail(const std::filesystem::path& file, int error) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", file.string(), std::generic_category().message(error)));
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

} // namespace

void write_atomically(const std::filesystem::path& file, std::string_view bytes) {
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    const std::filesystem::path beside = folder / fmt::format(".{}.{}.tmp", file.filename().string(), ::getpid());
    ::unlink(beside.c_str()); // of an earlier process with our number
    Descriptor out(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (out.get() < 0) fail(file, errno);
    const bool done = write_all(out.get(), bytes) && ::fsync(out.get()) == 0 && out.close() &&
                      ::rename(beside.c_str(), file.c_str()) == 0;
    if (!done) {
        const int error = errno;
        ::unlink(beside.c_str());
        fail(file, error);
    }
    // The name too must survive a power cut; a folder that cannot be synchronised is no failure.
    const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.get() >= 0) ::fsync(directory.get());
}

} // namespace narrows::plots
