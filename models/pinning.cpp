// SPDX-License-Identifier: GPL-3.0-or-later
// What a wait does to the carrier of a virtual thread: unmount (park), hold, or hold with
// compensation, by JDK. A hold is called pinned where the JVM reports jdk.VirtualThreadPinned.
#include "models/rules.hpp"

#include <string_view>

namespace narrows::models {

namespace {

// JEP 491 (commit e3055c22, 2024-11-12), in JDK 24: monitors no longer tie a virtual thread to its
// carrier.
constexpr int kUnmountsInMonitors = 24;
// JDK-8329593 (April 2024), in JDK 23: buffered file I/O is no longer compensated.
constexpr int kFileIoUncompensated = 23;

const Wait kPark{plan::Waiting::park, false, ""};
const Wait kPinned{plan::Waiting::hold, true, ""};
const Wait kHold{plan::Waiting::hold, false, ""};
const Wait kCompensate{plan::Waiting::compensate, false, ""};

// VirtualThread.park: the continuation cannot yield above a native or VM frame on any JDK, nor, on
// 21 to 23, with a monitor held; then the carrier is parked (parkOnCarrierThread), which reports
// the pin and does not compensate (JEP 425).
Wait parking(const Frame& frame, int jdk) {
    if (frame.native) return kPinned;
    if (frame.monitors > 0 && jdk < kUnmountsInMonitors) return kPinned;
    return kPark;
}

} // namespace

Wait virtual_wait(Operation operation, const Frame& frame, int jdk) {
    const bool old_monitors = jdk < kUnmountsInMonitors;
    switch (operation) {
    case Operation::socket:
    case Operation::timer:
    case Operation::park: return parking(frame, jdk);
    case Operation::monitor_enter:
        // 21 to 23: the carrier blocks in the VM, neither compensated nor reported. 24 and later:
        // try_preempt freezes the continuation (objectMonitor.cpp of jdk25u).
        return old_monitors ? kHold : parking(frame, jdk);
    case Operation::object_wait:
        // 21 to 23: Blocker.begin in Object.java, so compensated even where it could not unmount.
        return old_monitors ? kCompensate : parking(frame, jdk);
    case Operation::native_code:
        // The carrier is captured: no unmount, no compensation, no event.
        return {plan::Waiting::hold, false, "captured"};
    case Operation::file_io: return jdk < kFileIoUncompensated ? kCompensate : kHold;
    }
    return kHold;
}

bool driver_holds_monitor(const scenario::Runtime& runtime) {
    const auto found = runtime.versions.find("driver");
    if (found == runtime.versions.end()) return false;
    const std::string_view driver = found->second;
    const std::size_t space = driver.find(' ');
    if (space == std::string_view::npos) return false;
    const std::string_view name = driver.substr(0, space);
    const Version version = version_of(driver.substr(space + 1));
    if (version == Version{}) return false;
    // QueryExecutorImpl.execute is synchronized up to 42.5.4; ResourceLock from 42.6.0 (PR #2635).
    if (name == "pgjdbc") return version < Version{42, 6, 0};
    // Connector/J 9.0.0 (2024-07-01): synchronized replaced by ReentrantLock, release notes.
    if (name == "mysql-connector-j") return version < Version{9, 0, 0};
    return false;
}

} // namespace narrows::models
