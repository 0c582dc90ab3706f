// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/quantity.hpp"
#include "scenario/source_text.hpp"
#include "support.hpp"

namespace narrows::scenario::testing {
namespace {

using namespace std::chrono_literals;

TEST(Quantity, DurationsInEveryUnit) {
    EXPECT_EQ(parse_duration("7ns"), 7ns);
    EXPECT_EQ(parse_duration("120us"), 120us);
    EXPECT_EQ(parse_duration("120\xC2\xB5s"), 120us);
    EXPECT_EQ(parse_duration("120\xCE\xBCs"), 120us);
    EXPECT_EQ(parse_duration("0.5 ms"), 500us);
    EXPECT_EQ(parse_duration("95.5ms"), 95'500us);
    EXPECT_EQ(parse_duration("0.29ms"), 290us); // 0.29 * 1e6 is not whole in binary
    EXPECT_EQ(parse_duration("2s"), 2s);
    EXPECT_EQ(parse_duration("1m"), 1min);
    EXPECT_EQ(parse_duration("1min"), 1min);
    EXPECT_EQ(parse_duration("1e-1h"), 6min);
    EXPECT_EQ(parse_duration("30000", "ms"), 30s);
    EXPECT_EQ(parse_duration("30s", "ms"), 30s);
    EXPECT_EQ(parse_duration("-0ms"), 0ns);
}

TEST(Quantity, WhatIsNoDuration) {
    for (const char* text : {"", " ", "ms", "30000", "0", "5 parsecs", "-1ms", "nan ms", "infs", "1e999s", "1,5ms",
                             "1_000ms", "5ms5", "8761h", "0x10ms", "1 2ms"}) {
        EXPECT_FALSE(parse_duration(text)) << text;
    }
}

TEST(Quantity, WholeNumbers) {
    EXPECT_EQ(parse_integer("10"), 10);
    EXPECT_EQ(parse_integer("-3"), -3);
    EXPECT_EQ(parse_integer("1e4"), 10'000);
    EXPECT_EQ(parse_integer("2.5e1"), 25);
    for (const char* text :
         {"", "10_000", "1.5", "ten", "1e999", "nan", "inf", "0x10", "99999999999999999999", "1 0"}) {
        EXPECT_FALSE(parse_integer(text)) << text;
    }
}

TEST(Quantity, RatesSizesShares) {
    EXPECT_EQ(parse_rate("2000/s"), 2000);
    EXPECT_EQ(parse_rate("120/min"), 2);
    EXPECT_EQ(parse_rate("7200 /h"), 2);
    EXPECT_EQ(parse_rate("300 req/s"), 300);
    EXPECT_EQ(parse_rate("13700"), 13700);
    EXPECT_FALSE(parse_rate("2000/ms"));
    EXPECT_FALSE(parse_rate("2000s"));
    EXPECT_EQ(parse_size("64KiB"), 65536);
    EXPECT_EQ(parse_size("64 KB"), 64'000);
    EXPECT_EQ(parse_size("1.5MB"), 1'500'000);
    EXPECT_EQ(parse_size("512B"), 512);
    EXPECT_FALSE(parse_size("512"));
    EXPECT_FALSE(parse_size("-1B"));
    EXPECT_EQ(parse_share("80%"), 0.8);
    EXPECT_EQ(parse_share("0.8"), 0.8);
}

TEST(Quantity, Sha256OfKnownTexts) { // FIPS 180-4 examples
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Quantity, Utf8) {
    EXPECT_EQ(first_bad_utf8("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), std::string_view::npos);
    EXPECT_EQ(first_bad_utf8("caf\xE9"), 3u);
    EXPECT_EQ(first_bad_utf8("\xC0\x80"), 0u);         // overlong
    EXPECT_EQ(first_bad_utf8("a\xED\xA0\x80"), 1u);    // surrogate
    EXPECT_EQ(first_bad_utf8("\xF4\x90\x80\x80"), 0u); // above U+10FFFF
    EXPECT_EQ(first_bad_utf8("ab\xE2\x82"), 2u);       // cut short
    EXPECT_EQ(first_bad_utf8(std::string_view("a\0b", 3)), 1u);
}

TEST(Quantity, EditDistance) {
    EXPECT_EQ(edit_distance("users", "users", 3), 0u);
    EXPECT_EQ(edit_distance("usres", "users", 3), 1u); // a swap is one slip
    EXPECT_EQ(edit_distance("user", "users", 3), 1u);
    EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3u);
    EXPECT_EQ(edit_distance("abc", "xyzw", 2), 3u); // more than the limit
}

Distribution dist(const std::string& text) {
    std::string error;
    const auto read = parse_distribution(text, ".", error);
    EXPECT_TRUE(read) << text << ": " << error;
    return read.value_or(Distribution{});
}

std::string fault(const std::string& text) {
    std::string error;
    EXPECT_FALSE(parse_distribution(text, ".", error)) << text;
    return error;
}

TEST(DistributionText, EveryLaw) {
    EXPECT_EQ(dist("95.5ms"), Distribution::constant(95.5e6));
    EXPECT_EQ(dist("constant(1s)"), Distribution::constant(1e9));
    EXPECT_EQ(dist("exponential(120us)"), Distribution::exponential(120e3));
    EXPECT_EQ(dist(" exponential( mean = 120 us ) "), Distribution::exponential(120e3));
    EXPECT_EQ(dist("uniform(1ms, 3ms)"), Distribution::uniform(1e6, 3e6));
    EXPECT_EQ(dist("uniform(high=3ms, low=1ms)"), Distribution::uniform(1e6, 3e6));
    EXPECT_EQ(dist("normal(mean=5ms, sd=1ms)"), Distribution::normal(5e6, 1e6));
    EXPECT_EQ(dist("lognormal(mean=100ms, p99=300ms)"), Distribution::lognormal_mean_p99(100e6, 300e6));
    EXPECT_EQ(dist("lognormal(median=80ms, sigma=0.5)"), Distribution::lognormal_median(80e6, 0.5));
    EXPECT_EQ(dist("gamma(mean=1ms, shape=2)"), Distribution::gamma(1e6, 2));
    EXPECT_EQ(dist("weibull(scale=1ms, shape=0.7)"), Distribution::weibull(1e6, 0.7));
    EXPECT_EQ(dist("pareto(minimum=1ms, alpha=2.5)"), Distribution::pareto(1e6, 2.5));
    const Distribution mixed = dist("mixture(0.9: exponential(1ms), 0.1: uniform(1ms, 2ms))");
    ASSERT_EQ(mixed.parts.size(), 2u);
    EXPECT_EQ(mixed.parts[0].weight, 0.9);
    EXPECT_EQ(mixed.parts[1].what, Distribution::uniform(1e6, 2e6));
}

TEST(DistributionText, WhatIsWrongIsSaid) {
    EXPECT_NE(fault("expnential(1ms)").find("did you mean 'exponential'"), std::string::npos);
    EXPECT_NE(fault("exponential(1)").find("has no unit"), std::string::npos);
    EXPECT_NE(fault("exponential(0ms)").find("above 0"), std::string::npos);
    EXPECT_NE(fault("exponential(1ms").find("closing ')'"), std::string::npos);
    EXPECT_NE(fault("lognormal(1ms, 2ms)").find("lognormal(mean=…, p99=…)"), std::string::npos);
    EXPECT_NE(fault("lognormal(mean=3ms, p99=1ms)").find("p99"), std::string::npos);
    EXPECT_NE(fault("uniform(3ms, 1ms)").find("low"), std::string::npos);
    EXPECT_NE(fault("pareto(minimum=1ms, alpha=1)").find("above 1"), std::string::npos);
    EXPECT_NE(fault("mixture(exponential(1ms))").find("weight"), std::string::npos);
    EXPECT_NE(fault("empirical(nowhere.csv)").find("no such file"), std::string::npos);
    EXPECT_NE(fault("5 parsecs").find("unknown unit"), std::string::npos);
    EXPECT_NE(fault("").find("empty"), std::string::npos);
    EXPECT_NE(fault("normal(mean=1ms, mean=2ms)").find("is written"), std::string::npos);
    std::string nested = "1ms";
    for (int i = 0; i < 20; ++i)
        nested = "mixture(1: " + nested + ")";
    EXPECT_NE(fault(nested).find("nest"), std::string::npos);
}

TEST(DistributionText, SamplesFromCsv) {
    const Folder folder;
    folder.write("a.csv", "time,other\n3,1ms\n1,2ms\n# comment\n\n2,3ms\n");
    std::string error;
    const auto by_name = parse_distribution("empirical(a.csv, column=time, unit=ms)", folder.path(), error);
    ASSERT_TRUE(by_name) << error;
    EXPECT_EQ(*by_name, Distribution::empirical({1e6, 2e6, 3e6}));
    const auto by_number = parse_distribution("empirical(a.csv, column=2)", folder.path(), error);
    ASSERT_TRUE(by_number) << error;
    EXPECT_EQ(*by_number, Distribution::empirical({1e6, 2e6, 3e6}));
    EXPECT_FALSE(parse_distribution("empirical(a.csv, column=time)", folder.path(), error));
    EXPECT_NE(error.find("line 2"), std::string::npos) << error;
    EXPECT_FALSE(parse_distribution("empirical(a.csv, column=tme)", folder.path(), error));
    EXPECT_FALSE(parse_distribution("empirical(a.csv, unit=parsec)", folder.path(), error));
}

} // namespace
} // namespace narrows::scenario::testing
