// SPDX-License-Identifier: GPL-3.0-or-later
// How much a scenario may ask of what compiles and runs it. The reader refuses more, so that the error has
// a place in the file; models/builder.cpp and engine/lowering.cpp have the same limits.
#pragma once

#include <cstddef>

namespace narrows::scenario {

inline constexpr std::size_t kMaxBranches = 1024; ///< of a choose
inline constexpr int kMaxRetryDepth = 4;          ///< retries in retries, in one strand
inline constexpr std::size_t kMaxProcessors = 64; ///< CPUs: the application's, the database's, services'

inline constexpr int kMaxOwnCalls = 8; ///< endpoints that call endpoints

} // namespace narrows::scenario
