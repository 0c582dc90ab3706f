// SPDX-License-Identifier: GPL-3.0-or-later
// HikariCP beyond its size: growth, spinning returns, what it says.
#include "run.hpp"

namespace narrows::testing {
namespace {

using plan::Outcome;

/// `burst` requests at once that hold a connection for 1 s; the pool begins with 2 of 10.
std::string growing(int burst, const std::string& version) {
    return "threads: virtual\nruntime: {versions: {hikari: " + version + "}, " + kFree +
           "}\napplication:\n  spring.datasource.hikari: {minimum-idle: 2, maximum-pool-size: 10}\n"
           "request: [query: {cpu: 0s, latency: 1s}]\nload: {burst: " +
           std::to_string(burst) + "}\n";
}

TEST(HikariGrowth, OneConnectionEach30MsFrom51On) {
    // Six are missing: at 0, 30, … 150 ms.
    EXPECT_EQ(run(growing(8, "7.0.2")).end, 1'150'000'000);
    EXPECT_EQ(run(growing(8, "5.1.0")).end, 1'150'000'000);
    EXPECT_EQ(run(growing(8, "5.0.1")).end, 1'000'000'000);
}

TEST(HikariGrowth, OpeningAConnectionTakesItsTimeEachTime) {
    const auto end = [](const std::string& version) {
        return run(growing(8, version), {{"database.connect", "10ms"}}).end;
    };
    EXPECT_EQ(end("7.0.2"), 1'000'000'000 + 10'000'000 + 5 * 40'000'000);
    EXPECT_EQ(end("5.0.1"), 1'000'000'000 + 6 * 10'000'000);
}

TEST(HikariGrowth, StopsAtTheMaximum) {
    // 2 at 0 and 8 more up to 210 ms; the other two take over the first connections that come back.
    EXPECT_EQ(run(growing(12, "7.0.2")).end, 2'000'000'000);
    EXPECT_EQ(plan_of(growing(1, "7.0.2")).pools[0].initial, 2);
}

TEST(HikariGrowth, NoneWithoutMinimumIdle) {
    const auto p = plan_of("request: [query: 1ms]\nload: {users: 1}\n");
    EXPECT_TRUE(p.daemons.empty());
    EXPECT_EQ(p.pools[0].initial, -1);
}

TEST(HikariGrowth, AnEmptyPoolIsNoStall) {
    const auto r =
        run(growing(1, "7.0.2"), {{"spring.datasource.hikari.minimum-idle", "0"}, {"database.connect", "20ms"}});
    EXPECT_FALSE(r.knot.has_value());
    EXPECT_EQ(r.end, 1'020'000'000);
}

TEST(HikariTimeout, SaysWhatHikariSays) {
    const auto message = [](const std::string& version) {
        const auto r =
            run("threads: platform\nruntime: {versions: {hikari: " + version + "}, " + kFree +
                "}\napplication:\n  spring.datasource.hikari: {maximum-pool-size: 1, connection-timeout: 250}\n"
                "request: [query: {cpu: 0s, latency: 1s}]\nload: {burst: 3}\n");
        EXPECT_EQ(count(r, Outcome::pool_timeout), 2U);
        return r.messages.size() == 1 ? r.messages[0] : "";
    };
    EXPECT_EQ(message("7.0.2"), "SQLTransientConnectionException: HikariPool-1 - Connection is not available, request "
                                "timed out after 250ms (total=1, active=1, idle=0, waiting=1)");
    EXPECT_EQ(message("5.0.1"), "SQLTransientConnectionException: HikariPool-1 - Connection is not available, request "
                                "timed out after 250ms.");
}

/// CPU time in all, on one carrier; each request computes for 100 us.
double busy_ms(const std::string& version, const std::string& hand_off, int users, int pool,
               const std::string& latency) {
    const auto p = plan_of("threads: virtual\nruntime: {cores: 1, versions: {hikari: " + version +
                           "}, costs: {mount: 0s, virtual-start: 0s, yield: 50us}}\n"
                           "application: {spring.datasource.hikari.maximum-pool-size: " +
                           std::to_string(pool) + "}\ndatabase: {hand-off: " + hand_off +
                           "}\nrequest: [query: {cpu: 0s, latency: " + latency + "}, cpu: 100us]\nload: {users: " +
                           std::to_string(users) + ", requests: " + std::to_string(100 * users) + "}\n");
    return resource_sum(run(p), "app.cpu").busy * 1e-6;
}

TEST(HikariSpin, AnOfferThatAParkedWaiterTakesIsTheEndOfIt) {
    EXPECT_NEAR(busy_ms("7.0.2", "hikari", 2, 1, "1ms"), 200 * 0.1, 0.01);
}

TEST(HikariSpin, AReturnSpinsWhileTheWokenHaveNotComeAndNobodyIsParked) {
    const double work = 12 * 100 * 0.1;
    EXPECT_NEAR(busy_ms("7.0.2", "fifo", 12, 8, "exponential(500us)"), work, 0.01); // no window
    EXPECT_GT(busy_ms("7.0.2", "hikari", 12, 8, "exponential(500us)"), work + 0.2);
    // From 7.1.0 on a virtual thread parks instead, which costs no CPU to speak of.
    EXPECT_NEAR(busy_ms("7.1.0", "hikari", 12, 8, "exponential(500us)"), work, 0.01);
}

} // namespace
} // namespace narrows::testing
