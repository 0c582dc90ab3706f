// SPDX-License-Identifier: GPL-3.0-or-later
// The three listings of the design: one handler, and the thread models are one word a line.
#include "make.hpp"

namespace narrows::models::test {
namespace {

Scenario order_summary() {
    return scenario_of({cpu(0.12), query(0.15), cpu(0.08), call("enrichment"), cpu(0.15)});
}

TEST(Listing, PlatformThreadsHoldEverywhere) {
    EXPECT_EQ(request_lines(order_summary(), Threads::platform), (std::vector<std::string>{
                                                                     "run on  tomcat.threads  [200]",
                                                                     "work    app.cpu 120us",
                                                                     "acquire hikari 30s       hold else L1",
                                                                     "work    db.cpu 150us     hold",
                                                                     "release hikari",
                                                                     "work    app.cpu 80us",
                                                                     "delay   enrichment 100ms hold",
                                                                     "work    app.cpu 150us",
                                                                     "end     ok",
                                                                     "L1:",
                                                                     "end     pool_timeout",
                                                                 }));
}

TEST(Listing, VirtualThreadsParkEverywhere) {
    EXPECT_EQ(request_lines(order_summary(), Threads::virtual_threads), (std::vector<std::string>{
                                                                            "run on  carriers  [6]",
                                                                            "work    app.cpu 120us",
                                                                            "acquire hikari 30s       park else L1",
                                                                            "work    db.cpu 150us     park",
                                                                            "release hikari",
                                                                            "work    app.cpu 80us",
                                                                            "delay   enrichment 100ms park",
                                                                            "work    app.cpu 150us",
                                                                            "end     ok",
                                                                            "L1:",
                                                                            "end     pool_timeout",
                                                                        }));
}

TEST(Listing, SynchronizedPinsOnJdk21) {
    Scenario s = scenario_of({cpu(0.12), synchronized("audit", {call("enrichment")}), cpu(0.15)});
    s.runtime.jdk = 21;
    EXPECT_EQ(request_lines(s, Threads::virtual_threads), (std::vector<std::string>{
                                                              "run on  carriers  [6]",
                                                              "work    app.cpu 120us",
                                                              "acquire monitor audit    hold",
                                                              "delay   enrichment 100ms hold ; pinned",
                                                              "release monitor audit",
                                                              "work    app.cpu 150us",
                                                              "end     ok",
                                                          }));
}

} // namespace
} // namespace narrows::models::test
