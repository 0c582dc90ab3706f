// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that nobody writes by accident. Each must give its clear error within a second of CPU time.
#include "support.hpp"

#include <ctime>

namespace narrows::scenario::testing {
namespace {

std::string times(std::size_t n, const std::string& text) {
    std::string all;
    all.reserve(n * text.size());
    for (std::size_t i = 0; i < n; ++i)
        all += text;
    return all;
}

/// CPU time, since a test machine has other things to do.
template <class F> void within_a_second(const std::string& what, F&& run) {
    const std::clock_t start = std::clock();
    run();
    const double spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)spent; // sanitizers slow down by a factor that says nothing
    (void)what;
#else
    EXPECT_LT(spent, 1.0) << what.substr(0, 100);
#endif
}

void hostile(const std::string& text, int line, int column, const std::string& words) {
    within_a_second(text, [&] { expect_error(text, line, column, words); });
}

TEST(Hostile, NothingThere) {
    hostile("", 1, 1, "the file is empty");
    hostile("# only a comment\n\n", 1, 1, "the file is empty");
    hostile("---\n", 1, 1, "the file is empty");
    hostile("- a\n", 1, 1, "found a list");
    hostile("hello", 1, 1, "found 'hello'");
    hostile(kRequest + kLoad + "---\na: 1\n", 4, 1, "second document");
}

TEST(Hostile, TabsDuplicatesAndNulls) {
    hostile("request:\n\t- cpu: 1ms\n" + kLoad, 2, 1, "a tab in the indentation");
    hostile("request:\n  \t- cpu: 1ms\n" + kLoad, 2, 3, "a tab in the indentation");
    good("about: |\n  a\n  \tb\n" + kRequest + kLoad); // tabs in a text are text
    hostile(kRequest + kLoad + "load: {users: 2}\n", 3, 1, "duplicate key 'load'; it stands at 2:1");
    hostile(kLoad + "request:\n  - transaction:\n      - query:\n          cpu:\n", 5, 11, "found nothing");
    hostile(kLoad + "request:\n  - cpu: ~\n", 3, 5, "found nothing");
    hostile(kLoad + "request:\n  - cpu: 1ms\n  -\n", 3, 3, "found nothing");
    hostile("load:\n" + kRequest, 1, 1, "found nothing");
}

TEST(Hostile, Aliases) {
    hostile("request: &a\n  - transaction: *a\n" + kLoad, 2, 18, "contains itself");
    hostile("&a [*a]", 1, 5, "contains itself");
    hostile(kLoad + "request: [*nowhere]", 2, 11, "anchor");
    std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 12; ++i) {
        bomb += fmt::format("a{}: &a{} [{}*a{}]\n", i, i, times(9, fmt::format("*a{},", i - 1)), i - 1);
    }
    const Reading read = reading(bomb);
    EXPECT_NE(problems(read).find("more than 100000 values"), std::string::npos);
    std::string chain = "a0: &a0 [x]\n";
    for (int i = 1; i < 5000; ++i)
        chain += fmt::format("a{}: &a{} [*a{}]\n", i, i, i - 1);
    within_a_second("chain", [&] { EXPECT_NE(problems(chain).find("levels deep"), std::string::npos); });
    good("services: {x: &x {latency: 1ms}, y: *x}\n" + kRequest + kLoad); // an honest alias
}

TEST(Hostile, ImpossibleValues) {
    hostile(kRequest + "load: {users: -1}", 2, 15, "'-1' is out of range; allowed: a whole number from 1");
    hostile(kRequest + "load: {users: 1e999}", 2, 15, "'1e999' is not allowed; allowed: a whole number from 1");
    hostile(kRequest + "load: {users: .inf}", 2, 15, "allowed");
    hostile(kRequest + "load: {users: 99999999999999999999}", 2, 15, "allowed");
    hostile(kRequest + "load: {rate: nan}", 2, 14, "allowed");
    hostile(kLoad + "request: [cpu: 100 parsecs]", 2, 16, "the units are ns, us, ms, s, min, h");
    hostile(kLoad + "request: [cpu: 1e999ms]", 2, 16, "not a duration");
    hostile(kLoad + "request: [cpu: -1ms]", 2, 16, "out of range");
    hostile(kLoad + "request: [cpu: 99999999h]", 2, 16, "out of range");
    hostile(kRequest + kLoad + "application: {spring.datasource.hikari.maximum-pool-size: 0}", 3, 59, "from 1 to");
}

TEST(Hostile, SweepsOfABillionPoints) {
    const std::string base = kRequest + kLoad + "sweep:\n";
    hostile(base + "  load.users: linspace(1, 1e9, 1000000000)", 4, 15, "at most 1000000");
    hostile(base + "  load.users: {from: 1, to: 1000000000, step: 1}", 4, 15, "at most 1000000");
    hostile(base + "  runtime.cores: {from: 1, to: 2, step: 1e-300}", 4, 18, "at most 1000000");
    hostile(base + "  load.users: linspace(1,1000,1000)\n  runtime.cores: linspace(1,1000,1000)\n"
                   "  database.cores: linspace(1,1000,1000)",
            4, 3, "1e+09 points");
}

TEST(Hostile, Encodings) {
    hostile("name: caf\xE9\n" + kRequest + kLoad, 1, 10, "0xE9 is not UTF-8");
    hostile(kRequest + kLoad + std::string("name: a\0b", 9), 3, 8, "0x00 is not UTF-8");
    good("\xEF\xBB\xBF" + kRequest + kLoad);
    good("request: [cpu: 1ms]\r\nload: {users: 10}\r\n");
    hostile("request: [cpu: 1ms]\r\nload: {users: 0}\r\n", 2, 15, "out of range");
}

TEST(Hostile, LargeAndDeep) {
    within_a_second("100 MB", [&] {
        const Folder folder;
        const auto path = folder.path() / "large.yaml";
        std::ofstream(path) << "x";
        std::filesystem::resize_file(path, 100u << 20);
        EXPECT_NE(problems(read(path.string())).find("has 104857600 bytes; at most 262144"), std::string::npos);
    });
    EXPECT_NE(problems(std::string(300'000, ' ')).find("at most 262144"), std::string::npos);
    const std::size_t most = 262'144;
    for (const std::string piece :
         {"[",  "{",  "- ", "? ", "a: ", "&a ",    "*a ",   "!",    "!a ",  "%", "---\n", "--- a\n...\n",
          "[,", "\n", "'",  "\"", "|\n", "a: 1\n", "- x\n", "{a: ", "[a, ", "#", " ",     "a\n",
          "\\", ":",  "&",  "`"}) {
        const std::string text = times(most / piece.size(), piece);
        within_a_second(piece, [&] { EXPECT_FALSE(reading(text).scenario); });
    }
    std::string keys = kRequest + kLoad;
    for (int i = 0; i < 20'000; ++i)
        keys += fmt::format("k{}: 1\n", i);
    within_a_second("keys", [&] { EXPECT_LE(reading(keys).problems.size(), 201u); });
}

TEST(Hostile, StepsInsideSteps) {
    const auto nested = [](std::size_t depth) {
        return kLoad + "request: " + times(depth, "[{transaction: ") + "[{cpu: 1ms}]" + times(depth, "}]");
    };
    good(nested(63));
    const Reading read = reading(nested(64));
    EXPECT_NE(problems(read).find("steps are nested more than 64 deep"), std::string::npos) << problems(read);
}

TEST(Hostile, FilesThatAreNone) {
    EXPECT_NE(problems(read("/")).find("is a folder"), std::string::npos);
    EXPECT_NE(problems(read("/dev/zero")).find("not a regular file"), std::string::npos);
    EXPECT_NE(problems(read("order-sumary")).find("did you mean 'order-summary'"), std::string::npos);
    EXPECT_NE(problems(reading(kRequest + kLoad + "application: /dev/zero.yml")).find("no such file"),
              std::string::npos);
}

} // namespace
} // namespace narrows::scenario::testing
