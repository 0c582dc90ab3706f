// SPDX-License-Identifier: GPL-3.0-or-later
// What a thread model decides: what runs a request, and what becomes of that place during each
// kind of wait. Everything else in models/ is the same for all of them.
#pragma once

#include "plan/plan.hpp"
#include "scenario/scenario.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace narrows::models {

/// The kinds of waiting that a thread model may treat differently.
enum class Operation {
    socket,        ///< reading an answer of the database or of another service
    timer,         ///< Thread.sleep, a back-off
    park,          ///< java.util.concurrent: locks, semaphores, pools, futures
    monitor_enter, ///< a contended `synchronized`
    object_wait,   ///< Object.wait
    native_code,   ///< time inside a native call
    file_io,       ///< a buffered file read or write
};

/// What is on the strand's call stack around a wait.
struct Frame {
    int monitors = 0;    ///< `synchronized` blocks it is in
    int locks = 0;       ///< locks it holds
    bool native = false; ///< above a native or VM frame: a callback from native code, a static initialiser
};

/// What the strand does with its thread, carrier or loop meanwhile.
struct Wait {
    plan::Waiting waiting = plan::Waiting::hold;
    bool pinned = false;
    std::string note;
    plan::Wake wake = plan::Wake::waker; ///< who ends it
};

class ThreadModel {
public:
    ThreadModel() = default;
    ThreadModel(const ThreadModel&) = delete;
    ThreadModel& operator=(const ThreadModel&) = delete;
    virtual ~ThreadModel() = default;

    /// What a wait of this kind does, given what is on the stack.
    [[nodiscard]] virtual Wait wait(Operation operation, const Frame& frame) const = 0;
    /// What runs a request. `cpu` is the application's index in Plan::cpus.
    [[nodiscard]] virtual plan::Runner runner(int cpu) const = 0;
    /// The model that the children of `parallel` follow; this one unless it says otherwise.
    [[nodiscard]] virtual const ThreadModel& of_children() const { return *this; }
    /// Stage in which a request waits for its runner: "wait for a thread".
    [[nodiscard]] virtual std::string runner_stage() const = 0;
    /// Whether what a request's stack and ThreadLocals hold lies in the heap for as long as the request lasts.
    [[nodiscard]] virtual bool stack_on_heap() const { return false; }
    /// Whether queries go through JDBC, which blocks; R2DBC otherwise.
    [[nodiscard]] virtual bool blocking_driver() const { return servlet(); }
    /// Whether Tomcat stands in front (threads, max-connections); Reactor Netty otherwise.
    [[nodiscard]] virtual bool servlet() const { return true; }
};

/// The models' makers; `scenario` must outlive what they make.
[[nodiscard]] std::unique_ptr<ThreadModel> platform_threads(const scenario::Scenario& scenario);
[[nodiscard]] std::unique_ptr<ThreadModel> virtual_threads(const scenario::Scenario& scenario);
[[nodiscard]] std::unique_ptr<ThreadModel> event_loop(const scenario::Scenario& scenario);
[[nodiscard]] std::unique_ptr<ThreadModel> thread_model(const scenario::Scenario& scenario, scenario::Threads threads);

/// Major, minor, patch: missing parts are 0.
using Version = std::array<int, 3>;
/// versions.cpp: "42.5.4" and the like; reads up to the first character that fits neither.
[[nodiscard]] Version version_of(std::string_view text);
/// runtime.versions[library]; `otherwise` when it is not given or cannot be read.
[[nodiscard]] Version library_version(const scenario::Runtime& runtime, const std::string& library,
                                      const Version& otherwise);

/// pinning.cpp: what a wait does to the carrier of a virtual thread on JDK `jdk`.
[[nodiscard]] Wait virtual_wait(Operation operation, const Frame& frame, int jdk);
/// pinning.cpp: whether the driver of runtime.versions["driver"] holds a monitor while it waits
/// for the database. False when no driver is named (every Spring Boot with virtual threads ships
/// one that does not) or its version cannot be read.
[[nodiscard]] bool driver_holds_monitor(const scenario::Runtime& runtime);

/// availableProcessors(): the quota rounded up, at least 1.
[[nodiscard]] std::int64_t available_processors(const scenario::Runtime& runtime);

} // namespace narrows::models
