// SPDX-License-Identifier: GPL-3.0-or-later
// The table of what a wait does to a carrier, by JDK, row by row.
#include "make.hpp"
#include "models/rules.hpp"

#include <fmt/format.h>

namespace narrows::models::test {
namespace {

std::string said(Operation operation, const Frame& frame, int jdk) {
    const Wait w = virtual_wait(operation, frame, jdk);
    std::string out = w.waiting == plan::Waiting::park ? "park" : "hold";
    if (w.waiting == plan::Waiting::compensate) out = "compensate";
    return w.pinned ? out + " pinned" : out;
}

/// By JDK 21 … 25.
std::vector<std::string> row(Operation operation, const Frame& frame = {}) {
    std::vector<std::string> out;
    for (int jdk = 21; jdk <= 25; ++jdk)
        out.push_back(said(operation, frame, jdk));
    return out;
}

using Row = std::vector<std::string>;

TEST(Pinning, PlainWaitsUnmountOnEveryJdk) {
    for (const Operation o : {Operation::socket, Operation::timer, Operation::park})
        EXPECT_EQ(row(o), (Row{"park", "park", "park", "park", "park"}));
}

TEST(Pinning, WaitsInAMonitorPinUpTo23) {
    Frame in_monitor;
    in_monitor.monitors = 1;
    for (const Operation o : {Operation::socket, Operation::timer, Operation::park})
        EXPECT_EQ(row(o, in_monitor), (Row{"hold pinned", "hold pinned", "hold pinned", "park", "park"}));
}

TEST(Pinning, ContendedEnterHoldsUnreportedUpTo23) {
    EXPECT_EQ(row(Operation::monitor_enter), (Row{"hold", "hold", "hold", "park", "park"}));
}

TEST(Pinning, ObjectWaitIsCompensatedUpTo23) {
    EXPECT_EQ(row(Operation::object_wait), (Row{"compensate", "compensate", "compensate", "park", "park"}));
}

TEST(Pinning, BufferedFileIoLostItsCompensationIn23) {
    EXPECT_EQ(row(Operation::file_io), (Row{"compensate", "compensate", "hold", "hold", "hold"}));
}

TEST(Pinning, NativeCodeCapturesOnEveryJdk) {
    EXPECT_EQ(row(Operation::native_code), (Row{"hold", "hold", "hold", "hold", "hold"}));
    EXPECT_EQ(virtual_wait(Operation::native_code, {}, 25).note, "captured");
}

TEST(Pinning, WaitsAboveANativeFramePinOnEveryJdk) {
    Frame above;
    above.native = true;
    const Row pinned(5, "hold pinned");
    EXPECT_EQ(row(Operation::socket, above), pinned);
    EXPECT_EQ(row(Operation::park, above), pinned);
    EXPECT_EQ(said(Operation::monitor_enter, above, 25), "hold pinned");
    EXPECT_EQ(said(Operation::monitor_enter, above, 21), "hold");
    EXPECT_EQ(said(Operation::object_wait, above, 25), "hold pinned");
}

bool holds(const std::string& driver) {
    scenario::Runtime runtime;
    runtime.versions["driver"] = driver;
    return driver_holds_monitor(runtime);
}

TEST(Pinning, OldDriversHoldAMonitorAcrossTheQuery) {
    EXPECT_TRUE(holds("pgjdbc 42.5.4"));
    EXPECT_FALSE(holds("pgjdbc 42.6.0"));
    EXPECT_FALSE(holds("pgjdbc 42.6"));
    EXPECT_FALSE(holds("pgjdbc 42.13"));
    EXPECT_TRUE(holds("mysql-connector-j 8.4.0"));
    EXPECT_FALSE(holds("mysql-connector-j 9.0.0"));
    EXPECT_FALSE(holds("mariadb 1.0"));
    EXPECT_FALSE(holds("pgjdbc"));
    EXPECT_FALSE(driver_holds_monitor({}));
}

plan::Instruction query_of(const std::string& driver, int jdk, Threads threads) {
    Scenario s = scenario_of({query(1)});
    s.runtime.versions["driver"] = driver;
    s.runtime.jdk = jdk;
    return first(compile(s, threads), plan::Op::work);
}

TEST(Pinning, TheDriversMonitorPinsVirtualThreadsOnly) {
    EXPECT_TRUE(query_of("pgjdbc 42.5.4", 23, Threads::virtual_threads).pinned);
    EXPECT_FALSE(query_of("pgjdbc 42.6.0", 23, Threads::virtual_threads).pinned);
    EXPECT_FALSE(query_of("pgjdbc 42.5.4", 24, Threads::virtual_threads).pinned);
    EXPECT_FALSE(query_of("pgjdbc 42.5.4", 23, Threads::platform).pinned);
    EXPECT_EQ(query_of("pgjdbc 42.5.4", 23, Threads::event_loop).waiting, plan::Waiting::park);
}

} // namespace
} // namespace narrows::models::test
