// SPDX-License-Identifier: GPL-3.0-or-later
// The same bytes whatever the surroundings; stopping, killing and going on; lost outputs.
#include "process.hpp"
#include "report/json.hpp"
#include "scenarios.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/resource.h>
#include <thread>

namespace narrows::testing {
namespace {

/// A soft limit for this process and what it starts.
class Limit {
public:
    Limit(__rlimit_resource what, rlim_t most) : what_(what) {
        ::getrlimit(what_, &before_);
        rlimit now = before_;
        now.rlim_cur = most;
        ::setrlimit(what_, &now);
    }
    ~Limit() { ::setrlimit(what_, &before_); }
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;

private:
    __rlimit_resource what_;
    rlimit before_{};
};

class Robust : public ::testing::Test {
protected:
    Folder folder;
    std::string small = folder.write("small.yaml", kSmall);
    std::string store = folder.file("store");

    /// Points that take some tenths of a second each, so that there is time to interrupt them.
    std::vector<std::string> long_sweep() const {
        return {"sweep", small, "--set", "measure.duration=60s", "--json", "-", "--store", store, "-j", "1"};
    }
    [[nodiscard]] std::size_t stored() const {
        std::size_t count = 0;
        std::error_code missing;
        for (const auto& entry : std::filesystem::directory_iterator(store, missing))
            count += entry.path().extension() == ".json" ? 1U : 0U;
        return count;
    }
    void wait_for_a_point() const {
        for (int i = 0; i < 6000 && stored() == 0; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        ASSERT_GT(stored(), 0U) << "no point was finished in a minute";
    }
};

TEST_F(Robust, SameBytesForAnyNumberOfJobsAndAnyLocale) {
    for (const std::vector<std::string>& base : {std::vector<std::string>{"sweep", small, "--json", "-"},
                                                 {"sweep", small, "--csv", "-"},
                                                 {"run", small},
                                                 {"compare", small}}) {
        auto one = base;
        one.insert(one.end(), {"-j", "1"});
        auto two = base;
        two.insert(two.end(), {"-j", "2"});
        const auto expected = narrows(one);
        EXPECT_EQ(expected.code, 0) << expected.err;
        EXPECT_EQ(narrows(two).out, expected.out) << base[0];
        // A locale that is not installed falls back to C; the other one is always there.
        for (const char* locale : {"C.UTF-8", "de_DE.UTF-8"})
            EXPECT_EQ(narrows(two, {{"LC_ALL", locale}, {"TZ", "Asia/Tokyo"}}).out, expected.out) << locale;
    }
}

TEST_F(Robust, AnotherSeedGivesOtherFigures) {
    EXPECT_NE(narrows({"run", small, "--json", "-", "--seed", "8"}).out, narrows({"run", small, "--json", "-"}).out);
}

TEST_F(Robust, GoesOnAfterAKill) {
    const auto whole = narrows({"sweep", small, "--set", "measure.duration=60s", "--json", "-", "-j", "2"});
    ASSERT_EQ(whole.code, 0) << whole.err;
    {
        Running running(long_sweep());
        wait_for_a_point();
        running.signal(SIGKILL);
        EXPECT_EQ(running.wait().code, 128 + SIGKILL);
    }
    const auto rest = narrows(long_sweep());
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(rest.out, whole.out) << "stored, killed or run in one go makes no difference";
    EXPECT_NE(rest.err.find("were in the store"), std::string::npos) << rest.err;
}

TEST_F(Robust, StopsOnceAndSaysHowToGoOn) {
    Running running(long_sweep());
    wait_for_a_point();
    const auto before = std::chrono::steady_clock::now();
    running.signal(SIGINT);
    const auto said = running.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(2));
    EXPECT_EQ(said.code, 130) << said.err;
    EXPECT_NE(said.err.find("to go on: narrows sweep"), std::string::npos) << said.err;
    EXPECT_GE(report::from_json_lines(said.out).size(), 1U) << "what is done is printed";
    EXPECT_EQ(narrows(long_sweep()).code, 0);
}

TEST_F(Robust, WithoutAStoreItSaysSo) {
    Running running({"sweep", small, "--set", "measure.duration=600s", "--json", "-"});
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    running.signal(SIGINT);
    const auto said = running.wait();
    EXPECT_EQ(said.code, 130);
    EXPECT_NE(said.err.find("--store"), std::string::npos) << said.err;
}

TEST_F(Robust, TwoSweepsDoNotShareAStore) {
    Running running(long_sweep());
    wait_for_a_point();
    const auto second = narrows(long_sweep());
    EXPECT_EQ(second.code, 4);
    EXPECT_NE(second.err.find("in use"), std::string::npos) << second.err;
}

TEST_F(Robust, AReaderThatWentAwayIsToldNotDiedOf) {
    Running running({"sweep", small, "--json", "-"});
    running.close_stdout();
    const auto said = running.wait();
    EXPECT_EQ(said.code, 4);
    EXPECT_NE(said.err.find("standard output"), std::string::npos) << said.err;
}

TEST_F(Robust, AFullDiskIsTold) {
    const auto said = Running({"run", small}, {}, "/dev/full").wait();
    EXPECT_EQ(said.code, 4);
    EXPECT_NE(said.err.find("No space left"), std::string::npos) << said.err;
}

TEST_F(Robust, AClosedStandardOutputIsToldAndNoFileTakesItsPlace) {
    const auto said = Running({"sweep", small, "--json", "-", "--store", store}, {}, kClosed).wait();
    EXPECT_EQ(said.code, 4) << said.err;
    EXPECT_NE(said.err.find("standard output"), std::string::npos) << said.err;
    EXPECT_EQ(read_whole(store + "/lock"), "") << "the results went into the first file that was opened";
}

TEST_F(Robust, AFileAboveTheLimitOfTheShellIsToldAndLeavesNoHalf) {
    Said said;
    {
        const Limit limit(RLIMIT_FSIZE, 512);
        said = Running({"run", small, "-q", "--json", folder.file("r.json")}).wait();
    }
    EXPECT_EQ(said.code, 4);
    EXPECT_NE(said.err.find("File too large"), std::string::npos) << said.err;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        EXPECT_EQ(entry.path().string().find("r.json"), std::string::npos) << entry.path();
}

TEST_F(Robust, WhatTheEngineRefusesIsNoMoreCheckedThanRun) {
    std::string text = "narrows: 1\nload: {users: 1}\nservices:\n";
    for (int i = 0; i < 70; ++i)
        text += "  s" + std::to_string(i) + ": {cpu: 1ms, cores: 1}\n";
    text += "request:\n";
    for (int i = 0; i < 70; ++i)
        text += "  - call: s" + std::to_string(i) + "\n";
    const auto file = folder.write("many.yaml", text);
    for (const char* verb : {"check", "run"}) {
        const auto said = narrows({verb, file});
        EXPECT_EQ(said.code, 2) << verb;
        EXPECT_NE(said.err.find("64 processors"), std::string::npos) << said.err;
    }
}

TEST_F(Robust, OutputsThatCannotBeAreToldBeforeTheRun) {
    const std::string long_run = "measure.duration=3000h";
    const auto nowhere = narrows({"run", small, "--set", long_run, "-q", "--json", folder.file("no/x.json")});
    EXPECT_EQ(nowhere.code, 4);
    EXPECT_NE(nowhere.err.find("x.json"), std::string::npos) << nowhere.err;
    EXPECT_EQ(narrows({"run", small, "--set", long_run, "-q", "--csv", folder.path().string()}).code, 4);
    const auto file = folder.file("both");
    EXPECT_EQ(narrows({"run", small, "--set", long_run, "--json", file, "--csv", file}).code, 2);
    EXPECT_EQ(narrows({"sweep", small, "--set", long_run, "--json", "-", "--csv", "-"}).code, 2);
}

#ifndef __SANITIZE_ADDRESS__ // which needs terabytes of addresses
TEST_F(Robust, FewerThreadsThanAskedForDoTheWork) {
    const auto expected = narrows({"sweep", small, "--json", "-", "-j", "1"});
    const Limit limit(RLIMIT_AS, rlim_t{2} << 30);
    const auto said = narrows({"sweep", small, "--json", "-", "-j", "1000"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out, expected.out);
}

TEST_F(Robust, OutOfMemoryIsNoMistakeInTheScenario) {
    const Limit limit(RLIMIT_AS, rlim_t{600} << 20);
    for (const char* verb : {"run", "compare"}) {
        const auto said = narrows({verb, small, "--set", "load.users=10000000", "-j", "1"});
        EXPECT_EQ(said.code, 4) << verb;
        EXPECT_NE(said.err.find("out of memory"), std::string::npos) << said.err;
    }
}
#endif

} // namespace
} // namespace narrows::testing
