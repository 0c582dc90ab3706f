// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the interpreter share: limits, and the names of random streams.
#pragma once

#include "engine/lowering.hpp"
#include "engine/strand.hpp"

namespace narrows::engine {

/// So many steps without time moving mean a program that loops for ever in an instant.
inline constexpr std::uint64_t kMaxSpins = 50'000'000;
inline constexpr std::uint64_t kCancelEvery = 4096;

/// Times a strand's queueing for its runner is booked to: models::compile puts it there.
inline constexpr std::int16_t kRunnerStage = 1;

/// One of the strand's four retry counters.
[[nodiscard]] inline unsigned counter(const Strand& s, const Code& c) {
    return (s.counters >> (8 * c.counter)) & 0xffU;
}

/// Sets the draws of one attempt of a retry apart from those of the next. A session's counters (which
/// differ between thread models) do not matter: every `send` draws a fresh key.
[[nodiscard]] inline std::uint64_t round_of(const Strand& s, const Code& c) {
    return c.session ? 0 : s.counters * 0xa0761d6478bd642fULL;
}

[[nodiscard]] constexpr std::uint64_t sign_free(Nanos t) {
    return static_cast<std::uint64_t>(t);
}

/// The key of the strand that this fork starts; one that can be undone, for inlined requests.
[[nodiscard]] constexpr std::uint64_t child_salt(const Code& c) {
    return c.step * 0x9fb21c651e98df25ULL;
}

} // namespace narrows::engine
