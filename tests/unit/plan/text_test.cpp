// SPDX-License-Identifier: GPL-3.0-or-later
#include "make.hpp"

#include <gtest/gtest.h>

namespace narrows::plan::test {
namespace {

TEST(Words, AreTheKeysOfJson) {
    EXPECT_STREQ(word(Outcome::ok), "ok");
    EXPECT_STREQ(word(Outcome::pool_timeout), "pool_timeout");
    EXPECT_STREQ(word(Outcome::refused), "refused");
    EXPECT_STREQ(word(Outcome::client_timeout), "client_timeout");
    EXPECT_STREQ(word(Outcome::call_timeout), "call_timeout");
    EXPECT_STREQ(word(Op::acquire), "acquire");
    EXPECT_STREQ(word(Op::branch), "branch");
}

TEST(Text, OfAWholePlan) {
    EXPECT_EQ(text(small()), "cpu     app.cpu  [2]\n"
                             "pool    hikari  [10] fifo\n"
                             "pool    monitor m  [1] barging\n"
                             "runner  client\n"
                             "runner  tomcat.threads  [5] on app.cpu\n"
                             "load    closed 1 users spread over 0ms\n"
                             "\n"
                             "program session\n"
                             "    run on  client\n"
                             "  L1:\n"
                             "    send\n"
                             "    fork    request\n"
                             "    join\n"
                             "    answer\n"
                             "    branch  L1 while more\n"
                             "    end     ok\n"
                             "\n"
                             "program request\n"
                             "    run on  tomcat.threads  [5]\n"
                             "    acquire hikari hold\n"
                             "    work    app.cpu 1ms\n"
                             "    release hikari\n"
                             "    end     ok\n");
}

TEST(Text, OfWaitsPinsAndWays) {
    Plan p = small();
    Instruction acquire = on(Op::acquire, 0);
    acquire.timeout = 30'000'000'000;
    acquire.on_failure = 5;
    acquire.on_full = 6;
    acquire.waiting = Waiting::park;
    Instruction pinned = delay(95.5e6);
    pinned.what = "enrichment";
    pinned.pinned = true;
    Instruction spare = delay(2e3);
    spare.waiting = Waiting::compensate;
    spare.factor = 2;
    request(p) = {acquire, pinned, spare, on(Op::release, 0), end(), end(Outcome::pool_timeout), end(Outcome::refused)};
    EXPECT_EQ(program_lines(p, 1), (std::vector<std::string>{
                                       "run on  tomcat.threads  [5]",
                                       "acquire hikari 30s        park else L1, full L2",
                                       "delay   enrichment 95.5ms hold ; pinned",
                                       "delay   2us x2            compensate",
                                       "release hikari",
                                       "end     ok",
                                       "L1:",
                                       "end     pool_timeout",
                                       "L2:",
                                       "end     refused",
                                   }));
}

} // namespace
} // namespace narrows::plan::test
