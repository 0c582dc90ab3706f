// SPDX-License-Identifier: GPL-3.0-or-later
// A plan made ready for interpretation: all programs in one array of 64-byte codes, samplers
// built, constant delays and equal time-outs given their queues.
#pragma once

#include "plan/plan.hpp"
#include "random/sampler.hpp"

#include <cstdint>
#include <vector>

namespace narrows::engine {

enum class Draw : std::uint8_t { constant, exponential, other };

/// One instruction. Labels are positions in Lowered::code; -1 = none.
struct Code {
    plan::Op op = plan::Op::end;
    plan::Waiting waiting = plan::Waiting::hold;
    plan::Wake wake = plan::Wake::waker;
    plan::Branch branch = plan::Branch::always;
    Draw draw = Draw::constant;
    bool pinned = false;
    bool own_cpu = false; ///< work on the CPU of the strand's own runner: it runs, it does not wait
    bool choose = false;
    bool session = false;  ///< of the session program
    bool limited = false;  ///< its runner has a limited number of workers
    bool scaled = false;   ///< delay with a factor or a time-out
    bool detached = false; ///< submit
    bool inlined = false;  ///< session fork: the session runs the request itself
    std::uint8_t counter = 0;
    std::uint8_t runner = 0;
    std::int16_t resource = -1;
    std::int16_t stage = -1;
    std::int16_t ring = -1; ///< delay of constant length: its ring
    std::int16_t timeout_queue = -1;
    std::int16_t program = 0;
    std::int16_t gives = -1;
    std::int16_t on_failure = -1;
    std::int16_t on_full = -1;
    std::int16_t on_child_failure = -1;
    std::int16_t to = -1;
    std::int32_t extra = -1; ///< Draw::other: sampler; fork: first of `children`; branch chance: of `chances`
    std::uint16_t limit = 0; ///< branch count; fork: number of children; guest_work: tier
    plan::Outcome outcome = plan::Outcome::ok;
    std::uint64_t step = 0; ///< offset of the random stream
    union {
        Nanos constant = 0; ///< Draw::constant
        double scale;       ///< Draw::exponential: mean
    };
};
static_assert(sizeof(Code) <= 64);

struct LoweredChild {
    std::int32_t entry = 0; ///< position of its first code
    std::int16_t program = 0;
    double up_to = 1; ///< fork choose: cumulative weight
};

struct Lowered {
    std::vector<Code> code;
    std::vector<std::int32_t> entry;    ///< by program
    std::vector<std::int16_t> runner;   ///< by program
    std::vector<std::int16_t> endpoint; ///< by program, -1 unless a request
    std::vector<Sampler> samplers;
    std::vector<LoweredChild> children;
    std::vector<double> chances;
    std::vector<double> factors;  ///< by code position, only where it is not 1 (else empty)
    std::vector<Nanos> cut_after; ///< by code position: delay's time-out or -1 (empty when there is none)
    std::vector<Nanos> timeouts;  ///< by time-out queue: its length
    int rings = 0;
    int session_program = 0;
    std::int32_t inlined_fork = -1;  ///< position of the one inlined fork; its join follows
    std::int16_t kept_runner = -1;   ///< Load::keeps_worker: whose worker a session keeps
    std::int32_t after_inlined = -1; ///< where the session goes on after an inlined request that succeeded
};

/// Throws std::invalid_argument naming the first thing an engine cannot run.
[[nodiscard]] Lowered lower(const plan::Plan& plan);

} // namespace narrows::engine
