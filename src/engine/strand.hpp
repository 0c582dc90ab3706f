// SPDX-License-Identifier: GPL-3.0-or-later
// The state of one strand: what a stack would be elsewhere. 88 bytes, no pointers, no allocation.
#pragma once

#include "plan/disciplines/wait_list.hpp"
#include "plan/plan.hpp"
#include "random/time.hpp"

#include <cstdint>
#include <vector>

namespace narrows::engine {

using plan::kNobody;
using plan::StrandId;
using plan::WaitLink;

enum class State : std::uint8_t {
    free,    ///< the record is in the free list
    ready,   ///< in the ready ring: runs at this very instant
    queued,  ///< waits for a worker of its runner
    timed,   ///< waits for time to pass: work or delay
    waiting, ///< waits for a permit
    joining, ///< waits for its children
};

enum Flag : std::uint16_t {
    kCompensated = 1, ///< its carrier was compensated for
    kWoken = 2,       ///< has been woken by a pool and must retry
    kExpired = 4,     ///< its time-out passed while it was woken
    kCutShort = 8,    ///< the delay ends by its time-out
    kPaying = 16,     ///< at `end`, burning the switching costs it still owes
    kTimer = 32,      ///< is in a time-out queue
    kPolling = 128,   ///< a poller that is on its way to a carrier, or on one
    kSpinning = 256,  ///< is busy until a time that the clock will show
    kInlined = 64,    ///< a session that runs its request itself, there being no time-out to part them
    kKeeping = 256,   ///< a session between two requests that has kept its worker
};

struct Strand {
    Nanos since = 0;       ///< start of the present wait
    Nanos sent = 0;        ///< session: when its request was sent
    Nanos asked = 0;       ///< when it asked for the permit it waits for, in vain wake-ups included
    std::uint64_t key = 0; ///< name of its random streams
    WaitLink wait;         ///< in a pool's, runner's or station's queue; `next` also links free records
    WaitLink timer;        ///< in a time-out queue
    StrandId parent = kNobody;
    std::int32_t left = -1; ///< session: requests left, -1 = no limit
    std::int32_t debt = 0;  ///< switching costs not yet paid, ns of CPU; on an unlimited runner, which
                            ///< has none, the first child, heir of a permit that a time-out leaves behind
    std::uint16_t pc = 0;
    std::uint16_t generation = 0; ///< grows when children are abandoned and when the record is freed
    std::uint16_t parent_generation = 0;
    std::uint16_t children = 0; ///< still running
    std::int16_t loop = -1;     ///< event loop it belongs to, or carrier it was last on
    std::int16_t gift = -1;     ///< pool whose permit an abandoning parent left to it
    std::uint16_t flags = 0;    ///< of Flag; no byte type, whose stores could alias anything
    State state = State::free;
    plan::Outcome outcome = plan::Outcome::ok; ///< of its ended children, other than ok if any was
    std::uint32_t counters = 0;                ///< four bytes, the lowest is counter 0
    std::uint32_t session_counters = 0;        ///< kept while the session runs its request itself
};

/// Strands by id, with a free list. Ids are reused, so a run's memory follows the most in flight.
class Strands {
public:
    StrandId allocate() {
        if (free_ != kNobody) {
            const StrandId id = free_;
            Strand& s = base_[id];
            free_ = s.wait.next;
            const std::uint16_t generation = s.generation;
            s = Strand{};
            s.generation = generation;
            return id;
        }
        all_.emplace_back();
        base_ = all_.data();
        return static_cast<StrandId>(all_.size() - 1);
    }

    void release(StrandId id) {
        Strand& s = (*this)[id];
        s.state = State::free;
        ++s.generation;
        s.wait.next = free_;
        free_ = id;
    }

    [[nodiscard]] Strand& operator[](StrandId id) { return base_[id]; }
    [[nodiscard]] const Strand& operator[](StrandId id) const { return base_[id]; }
    [[nodiscard]] std::size_t size() const { return all_.size(); }
    /// Asks for a strand that is soon to run: thousands of them do not fit the first cache. Any id.
    void fetch(StrandId id) const {
        const auto* first = reinterpret_cast<const char*>(base_ + (id < 0 ? 0 : id));
        __builtin_prefetch(first);
        __builtin_prefetch(first + sizeof(Strand) - 1);
    }

    struct WaitNodes {
        Strand* base;
        WaitLink& operator[](StrandId id) const { return base[id].wait; }
    };
    struct TimerNodes {
        Strand* base;
        WaitLink& operator[](StrandId id) const { return base[id].timer; }
    };
    [[nodiscard]] WaitNodes waits() { return {base_}; }
    [[nodiscard]] TimerNodes timers() { return {base_}; }

private:
    std::vector<Strand> all_;
    Strand* base_ = nullptr;
    StrandId free_ = kNobody;
};

static_assert(sizeof(Strand) == 88);

} // namespace narrows::engine
