// SPDX-License-Identifier: GPL-3.0-or-later
// The first draws of every shape and a digest of many, pinned: they must be the same on every
// machine, with every compiler and at every optimisation level. A change here changes every
// published number and belongs in CHANGELOG.md.
#include "random/sampler.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <string>
#include <vector>

namespace narrows {
namespace {

struct Pinned {
    const char* name;
    Distribution law;
    std::array<Nanos, 4> first;
    std::uint64_t digest; ///< of 100 000 draws
};

std::vector<Pinned> table() {
    using D = Distribution;
    const auto mixed = D::mixture({{0.9, D::exponential(1e6)}, {0.1, D::gamma(5e6, 2)}});
    return {
        {"constant", D::constant(95.5e6), {95500000, 95500000, 95500000, 95500000}, 0x3d17716cfb993129ULL},
        {"exponential", D::exponential(1e6), {217166, 492894, 3923533, 69785}, 0xcbadfb8be662f202ULL},
        {"uniform", D::uniform(1e6, 3e6), {1210211, 1780877, 2019481, 1174668}, 0x762740ecd84f8c99ULL},
        {"normal", D::normal(1e6, 8e5), {853765, 1406169, 931042, 612469}, 0x437c76aed95ec29dULL},
        {"lognormal", D::lognormal_mean_p99(1e6, 3e6), {786818, 1137185, 321165, 828421}, 0xa7c6863a3d629621ULL},
        {"gamma", D::gamma(1e6, 3.5), {814969, 249722, 680142, 1371838}, 0x1e2782c6e5cd6ecaULL},
        {"gamma below 1", D::gamma(1e6, 0.5), {471169, 530471, 694754, 9428}, 0x15286e74ed3cd9ddULL},
        {"weibull", D::weibull(1e6, 0.7), {112865, 363980, 7048724, 22296}, 0x2432f2df51bd63e3ULL},
        {"pareto", D::pareto(1e6, 2.5), {1090751, 1217936, 4803829, 1028307}, 0x6fe6e86dec7c876fULL},
        {"empirical", D::empirical({1e6, 2e6, 5e6}), {1000000, 2000000, 2000000, 1000000}, 0x50804d93766fc16eULL},
        {"mixture", mixed, {492894, 69785, 553674, 1724638}, 0xb11db27a68465a3dULL},
    };
}

TEST(Fingerprint, DrawsOfEveryShape) {
    for (const auto& pinned : table()) {
        const Sampler sampler(pinned.law);
        Stream stream(StreamKey::root(2024, 7));
        std::array<Nanos, 4> first{};
        std::uint64_t digest = 0;
        for (std::size_t i = 0; i < 100'000; ++i) {
            const Nanos x = sampler.draw(stream);
            if (i < first.size()) first[i] = x;
            digest = mix64(digest ^ static_cast<std::uint64_t>(x)) + kGolden;
        }
        EXPECT_EQ(first, pinned.first) << pinned.name;
        EXPECT_EQ(digest, pinned.digest) << fmt::format("{{\"{}\", …, {{{}, {}, {}, {}}}, 0x{:016x}}},", pinned.name,
                                                        first[0], first[1], first[2], first[3], digest);
    }
}

TEST(Fingerprint, BitsOfTheStandardLaws) {
    Stream stream(StreamKey::root(2024, 8));
    std::uint64_t exponential = 0, normal = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        exponential = mix64(exponential ^ std::bit_cast<std::uint64_t>(Sampler::standard_exponential(stream)));
        normal = mix64(normal ^ std::bit_cast<std::uint64_t>(Sampler::standard_normal(stream)));
    }
    EXPECT_EQ(exponential, 0xbe2412a80a0cbbb5ULL);
    EXPECT_EQ(normal, 0x5f1800a3a9d8404bULL);
}

TEST(Fingerprint, Streams) {
    EXPECT_EQ(StreamKey::root(1, 0).value, 0xeb8e2cc54e7efd98ULL);
    EXPECT_EQ(StreamKey::root(1, 0).child(2).child(3).value, 0x3b775d5d019b9a39ULL);
    EXPECT_EQ(Stream(StreamKey{0}).next(), 0xe220a8397b1dcdafULL); // SplitMix64's own first number from 0
}

} // namespace
} // namespace narrows
