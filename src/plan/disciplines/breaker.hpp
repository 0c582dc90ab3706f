// SPDX-License-Identifier: GPL-3.0-or-later
// A circuit breaker as a state machine: time comes in as an argument. Rules: Resilience4j's documentation
// (CircuitBreaker, "count-based sliding window"), with its automatic transition from open to half-open off, as it is
// by default.
//
//   closed     lets all through. Once `minimum` of the latest `window` calls are known and the share of failures among
//              them has reached `threshold`, it opens.
//   open       lets none through; results of calls begun before change nothing. The first that asks after the time is
//              over finds it half-open.
//   half-open  lets `half_open` calls through and no more. With as many results it closes, or opens again when the
//              share of failures among them has reached the threshold. Results of calls begun earlier count, too.
#pragma once

#include "plan/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace narrows::plan {

class CircuitBreaker {
public:
    enum class State : std::uint8_t { closed, open, half_open };

    CircuitBreaker() = default;
    explicit CircuitBreaker(const Breaker& settings) : settings_(settings) { start(State::closed, settings.window); }

    /// Whether a call may be made at `now`.
    [[nodiscard]] bool ask(Nanos now) {
        if (state_ == State::open) {
            if (now < until_) return false;
            start(State::half_open, settings_.half_open);
            permitted_ = settings_.half_open;
        }
        if (state_ == State::closed) return true;
        if (permitted_ == 0) return false;
        --permitted_;
        return true;
    }

    /// A call has ended at `now`.
    void tell(Nanos now, bool failed) {
        if (state_ == State::open) return;
        if (known_ == window_)
            failures_ -= latest_[next_];
        else
            ++known_;
        latest_[next_] = failed ? 1 : 0;
        failures_ += latest_[next_];
        next_ = next_ + 1 == latest_.size() ? 0 : next_ + 1;
        const int needed = state_ == State::half_open ? settings_.half_open : settings_.minimum;
        if (known_ < needed) return;
        const bool too_many = failures_ >= settings_.threshold * known_;
        if (too_many) {
            state_ = State::open;
            until_ = now + settings_.open;
            ++opened_;
        } else if (state_ == State::half_open) {
            start(State::closed, settings_.window);
        }
    }

    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] std::uint64_t opened() const { return opened_; } ///< how often

private:
    /// A state begins with no calls known.
    void start(State state, int window) {
        state_ = state;
        window_ = window;
        latest_.assign(static_cast<std::size_t>(window), 0);
        known_ = failures_ = 0;
        next_ = 0;
    }

    Breaker settings_;
    State state_ = State::closed;
    int window_ = 1, known_ = 0, failures_ = 0, permitted_ = 0;
    std::vector<std::uint8_t> latest_ = {0}; ///< a ring: 1 = failed
    std::size_t next_ = 0;
    Nanos until_ = 0;
    std::uint64_t opened_ = 0;
};

} // namespace narrows::plan
