// SPDX-License-Identifier: GPL-3.0-or-later
#include "process.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace narrows::testing {

namespace {

[[noreturn]] void become(const std::vector<std::string>& arguments, const Environment& environment) {
    std::vector<char*> argv;
    static std::string program = NARROWS_BINARY;
    argv.push_back(program.data());
    for (const auto& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    for (const auto& [name, value] : environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
}

} // namespace

Running::Running(const std::vector<std::string>& arguments, const Environment& environment,
                 const std::string& stdout_to)
    : start_(std::chrono::steady_clock::now()) {
    int out[2];
    int err[2];
    if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
        const int target = stdout_to.empty() || stdout_to == kClosed ? out[1] : ::open(stdout_to.c_str(), O_WRONLY);
        const int nothing = ::open("/dev/null", O_RDONLY);
        ::dup2(nothing, STDIN_FILENO);
        ::dup2(target, STDOUT_FILENO);
        ::dup2(err[1], STDERR_FILENO);
        if (stdout_to == kClosed) ::close(STDOUT_FILENO);
        become(arguments, environment);
    }
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
}

Running::~Running() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    if (out_ >= 0) ::close(out_);
    if (err_ >= 0) ::close(err_);
}

void Running::signal(int number) const {
    ::kill(pid_, number);
}

void Running::signal_when_told(int number) {
    char buffer[4096];
    const ssize_t got = ::read(err_, buffer, sizeof buffer);
    if (got > 0) told_.assign(buffer, static_cast<std::size_t>(got));
    signal(number);
}

void Running::close_stdout() {
    ::close(out_);
    out_ = -1;
}

Said Running::wait() {
    Said said;
    said.err = told_;
    std::pair<int*, std::string*> streams[] = {{&out_, &said.out}, {&err_, &said.err}};
    while (out_ >= 0 || err_ >= 0) {
        pollfd files[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
        if (::poll(files, 2, -1) < 0) break;
        for (int i = 0; i < 2; ++i) {
            if ((files[i].revents & (POLLIN | POLLHUP)) == 0) continue;
            char buffer[65536];
            const ssize_t got = ::read(files[i].fd, buffer, sizeof buffer);
            if (got > 0) {
                streams[i].second->append(buffer, static_cast<std::size_t>(got));
                continue;
            }
            ::close(files[i].fd);
            *streams[i].first = -1;
        }
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    said.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    said.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return said;
}

Said narrows(const std::vector<std::string>& arguments, const Environment& environment) {
    return Running(arguments, environment).wait();
}

Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "narrows-cli-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return file(name);
}

std::string read_whole(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

} // namespace narrows::testing
