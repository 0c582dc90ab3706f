// SPDX-License-Identifier: GPL-3.0-or-later
// What the program says when something was not meant so.
#include "process.hpp"
#include "scenarios.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace narrows::testing {
namespace {

class Messages : public ::testing::Test {
protected:
    Folder folder;
    std::string small = folder.write("small.yaml", kSmall);

    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(Messages, AnUnknownCommandSaysTheNearestAndHowToListThem) {
    const auto said = narrows({"rnu", small});
    EXPECT_EQ(said.code, 2);
    EXPECT_EQ(said.out, "");
    EXPECT_TRUE(has(said.err, "there is no command 'rnu'; did you mean 'run'?")) << said.err;
    EXPECT_TRUE(has(said.err, "narrows --help")) << said.err;
    EXPECT_TRUE(has(narrows({"swep"}).err, "'sweep'"));
    EXPECT_FALSE(has(narrows({"nothing"}).err, "did you mean"));
    EXPECT_EQ(narrows({""}).code, 2);
    EXPECT_TRUE(has(narrows({small}).err, "narrows run " + small));
    EXPECT_TRUE(has(narrows({"order-summary"}).err, "narrows run order-summary"));
    const auto option = narrows({"run", small, "--thraeds", "virtual"});
    EXPECT_EQ(option.code, 2);
    EXPECT_TRUE(has(option.err, "did you mean '--threads'?")) << option.err;
}

TEST_F(Messages, EmptyValuesAreWrongUsage) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"run", small, "--json", ""},
                                                  {"run", small, "--json="},
                                                  {"run", small, "--csv", ""},
                                                  {"audit", small, "--json", ""},
                                                  {"reproduce", "--json", ""},
                                                  {"sweep", small, "--store", ""},
                                                  {"run", small, "--seed", ""},
                                                  {"run", small, "--replications", ""},
                                                  {"run", small, "--precision", ""},
                                                  {"run", small, "--threads", ""},
                                                  {"run", small, "--engine", ""},
                                                  {"run", small, "--assert", ""},
                                                  {"run", small, "--set", ""},
                                                  {"run", ""},
                                                  {"plot", "", "-o", "x.svg"},
                                                  {"plot", small, "-o", ""}}) {
        const auto said = narrows(words);
        EXPECT_EQ(said.code, 2) << words[words.size() - 2] << said.err;
        EXPECT_EQ(said.out, "") << words[words.size() - 2];
        EXPECT_FALSE(said.err.empty()) << words[words.size() - 2];
    }
}

TEST_F(Messages, WhatAnAxisOverridesIsSaid) {
    for (const char* verb : {"sweep", "check"}) {
        const auto said = narrows({verb, small, "--set", "load.users=7"});
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_TRUE(has(said.err, "--set load.users: warning: the sweep's axis load.users overrides this value"))
            << said.err;
        EXPECT_EQ(narrows({verb, small, "--set", "load.users=7", "--fatal-warnings"}).code, 3);
        EXPECT_FALSE(has(narrows({verb, small, "--set", "load.think=1ms"}).err, "axis"));
    }
    EXPECT_TRUE(has(narrows({"check", small, "--set", "load={users: 7}"}).err, "overrides a part of this value"));
    EXPECT_EQ(narrows({"check", small, "--set", "load={users: 7}", "--set", "sweep.load.users=[5]"}).code, 0);
    EXPECT_EQ(narrows({"run", small, "-q", "--set", "load.users=7"}).err, "") << "a run has no axes";
    // Other names of the same place, and options that stand for a setting.
    const auto file = folder.write("two.yaml", "load: {users: 1}\nrequest: [query: 1ms]\nsweep:\n"
                                               "  spring.datasource.hikari.maximum-pool-size: [1, 2]\n"
                                               "  measure.seed: [1, 2]\n  'request[0].query': [1ms, 2ms]\n");
    const auto two =
        narrows({"plan", file, "--sweep", "--set", "application.spring.datasource.hikari.maximumPoolSize=5", "--set",
                 "request[0].query.cpu=5ms", "--seed", "9"});
    EXPECT_TRUE(has(two.err, "--set application.spring.datasource.hikari.maximumPoolSize: warning")) << two.err;
    EXPECT_TRUE(has(two.err, "--set request[0].query.cpu: warning")) << two.err;
    EXPECT_TRUE(has(two.err, "--seed: warning")) << two.err;
}

TEST_F(Messages, WarningsOfASweepNameThePoint) {
    const std::vector<std::string> more{"--set", "sweep.load.users=[5, 9000]", "--set", "measure.duration=20ms"};
    for (const char* verb : {"check", "sweep"}) {
        std::vector<std::string> words{verb, small};
        words.insert(words.end(), more.begin(), more.end());
        const auto said = narrows(words);
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_TRUE(has(said.out + said.err, "warning: users = 9000: 9000 clients exceed")) << said.out << said.err;
        EXPECT_TRUE(has(said.out + said.err, "warning: virtual: server.tomcat.threads.*")) << said.out << said.err;
    }
}

TEST_F(Messages, LongRunsAreToldBefore) {
    const auto said = narrows({"check", small, "--set", "measure.duration=3000h"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(has(said.err, "billion events")) << said.err;
    EXPECT_EQ(narrows({"check", small, "--set", "measure.duration=3000h", "--fatal-warnings"}).code, 3);
    EXPECT_FALSE(has(narrows({"check", small}).err, "events"));
    EXPECT_FALSE(has(narrows({"check", small, "--set", "measure.duration=60s"}).err, "events"));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", small}, {"compare", small}, {"explain", small}, {"sweep", small}}) {
        auto with = words;
        with.insert(with.end(), {"--set", "measure.duration=3000h"});
        Running running(with);
        running.signal_when_told(SIGINT);
        const auto early = running.wait();
        EXPECT_EQ(early.code, 130) << words[0] << early.err;
        EXPECT_TRUE(has(early.err, "billion events")) << words[0] << early.err;
    }
}

TEST_F(Messages, AShortWarmUpIsSaid) {
    const auto said = narrows({"run", small, "--set", "measure.warmup=1ms", "--set", "measure.duration=50ms"});
    EXPECT_TRUE(has(said.out, "measure.warmup 1ms is shorter than one cycle")) << said.out;
}

TEST_F(Messages, FatalWarningsEndWith3) {
    EXPECT_EQ(narrows({"run", small, "-q", "--set", "server.port=1"}).code, 0);
    EXPECT_EQ(narrows({"run", small, "-q", "--set", "server.port=1", "--fatal-warnings"}).code, 3) << "of the reader";
    EXPECT_EQ(narrows({"run", small, "-q", "--threads", "virtual"}).code, 0);
    EXPECT_EQ(narrows({"run", small, "-q", "--threads", "virtual", "--fatal-warnings"}).code, 3) << "of the model";
    EXPECT_EQ(narrows({"run", small, "-q", "--threads", "platform", "--fatal-warnings"}).code, 0) << "none";
    EXPECT_EQ(narrows({"check", small, "-q", "--fatal-warnings"}).code, 3);
}

TEST_F(Messages, ListShowsAScenarioThatCanBeRun) {
    const auto said = narrows({"list", "--show", "order-summary"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out, read_whole(std::filesystem::path(NARROWS_SOURCE_DIR) / "configs/seeds/order-summary.yaml"));
    EXPECT_EQ(narrows({"check", folder.write("copy.yaml", said.out)}).code, 0);
    const auto none = narrows({"list", "--show", "order-sumary"});
    EXPECT_EQ(none.code, 2);
    EXPECT_TRUE(has(none.err, "did you mean 'order-summary'?")) << none.err;
}

TEST_F(Messages, ThePlanLeavesTheSessionOutUnlessAsked) {
    const auto plain = narrows({"plan", small});
    EXPECT_EQ(plain.code, 0) << plain.err;
    EXPECT_FALSE(has(plain.out, "tomcat.connections")) << plain.out;
    EXPECT_TRUE(plain.out.ends_with("--session shows it.\n")) << plain.out;
    const auto all = narrows({"plan", small, "--session"});
    EXPECT_TRUE(has(all.out, "\nsession\n")) << all.out;
    EXPECT_TRUE(has(all.out, "tomcat.connections")) << all.out;
    EXPECT_FALSE(has(all.out, "--session shows")) << all.out;
}

TEST_F(Messages, NothingThatActsOnATerminalIsPrinted) {
    const std::string escape = "\x1b]0;owned\x07";
    const auto named = folder.write("named.yaml", "name: \"\\e]0;owned\\a\"\nload: {users: 1}\nrequest: [cpu: 1ms]\n");
    const auto file = folder.write("a" + escape + ".yaml", "load: {users: 0}\n");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"run", named},
                                                  {"plan", named},
                                                  {"check", file},
                                                  {"run", escape},
                                                  {escape},
                                                  {"list", "--show", escape},
                                                  {"run", small, "--set", "name=" + escape},
                                                  {"run", small, "--set", escape + "=1"},
                                                  {"run", small, "--threads", escape},
                                                  {"run", small, "--engine", escape},
                                                  {"run", small, "--assert", escape},
                                                  {"run", small, "--" + escape},
                                                  {"run", small, "--json", folder.file("no/" + escape)}}) {
        const auto said = narrows(words);
        EXPECT_NE(said.code, 0) << said.err;
        EXPECT_EQ((said.out + said.err).find_first_of("\x1b\x07"), std::string::npos) << words[0];
    }
}

#ifdef NARROWS_HAS_PLOTS
TEST_F(Messages, PlotSaysWhichFileIsBroken) {
    const auto broken = folder.write("broken.jsonl", "{\"threads\": \"virt");
    const auto said = narrows({"plot", broken, "-o", folder.file("x.svg")});
    EXPECT_EQ(said.code, 2);
    EXPECT_EQ(said.err, "narrows: " + broken + ": line 1: the JSON breaks off; the file may not be complete\n");
}
#endif

} // namespace
} // namespace narrows::testing
