// SPDX-License-Identifier: GPL-3.0-or-later
// Executors, pools that grow, spinning returns, circuit breakers: what few plans have, kept out of the hot path. A
// part of interpreter.cpp, included there alone.
#pragma once

#include "engine/interpreter.hpp"
#include "engine/interpreter_draws.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace narrows::engine {

/// Starts a child elsewhere; it takes over a permit of its parent's. The strands may move.
[[gnu::noinline]] inline void Interpreter::submit(StrandId id, const Code& c) {
    Strand& parent = strands_[id];
    const LoweredChild child = lowered_.children[static_cast<std::size_t>(c.extra)];
    RunnerState& r = runners_[static_cast<std::size_t>(lowered_.runner[static_cast<std::size_t>(child.program)])];
    const bool full =
        r.queue_limit >= 0 && r.gauge.busy.value() >= r.open && r.open == r.workers && r.queue.size() >= r.queue_limit;
    if (full && c.on_full >= 0) {
        parent.pc = static_cast<std::uint16_t>(c.on_full);
        return;
    }
    const std::uint64_t key = parent.key + child_salt(c) + round_of(parent, c);
    const StrandId task = born(id, child, key);
    Strand& s = strands_[task];
    Strand& p = strands_[id];
    s.gift = c.gives;
    if (c.detached) { // a parent that no strand ever is: itself, in another life
        s.parent = task;
        s.parent_generation = static_cast<std::uint16_t>(s.generation + 1);
    } else {
        ++p.children;
    }
    ++p.pc;
    if (!begin(task, r)) notify_and_free(task, plan::Outcome::refused);
}

/// True when the strand now waits behind others. On threads the operating system shares the processors out anyway.
[[gnu::noinline]] inline bool Interpreter::yield(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    ++s.pc;
    if (!c.limited) return false;
    RunnerState& r = runner_of(c);
    if (r.kind == plan::RunnerKind::threads) return false;
    if (r.kind == plan::RunnerKind::carriers) {
        if (r.queues.empty()) return false;
        r.queues.push_yielded(strands_.waits(), id, s.loop);
    } else {
        Loop& loop = r.loops[static_cast<std::size_t>(s.loop)];
        if (loop.queue.empty()) return false;
        loop.queue.push_back(strands_.waits(), id);
    }
    s.state = State::queued;
    s.since = now_;
    s.debt += r.resume_cost;
    r.gauge.enqueue(now_);
    leave(s, r);
    return true;
}

/// True when the daemon now waits for demand.
[[gnu::noinline]] inline bool Interpreter::await(StrandId id, const Code& c) {
    Strand& s = strands_[id];
    PoolState& pool = pools_[static_cast<std::size_t>(c.resource)];
    if (pool.permits.short_of() && pool.permits.capacity() < pool.most) {
        ++s.pc;
        return false;
    }
    s.state = State::waiting;
    pool.adder = id;
    return true;
}

[[gnu::noinline]] inline void Interpreter::wake_adder(PoolState& pool) {
    if (!pool.permits.short_of() || pool.permits.capacity() >= pool.most) return;
    const StrandId adder = std::exchange(pool.adder, kNobody);
    ++strands_[adder].pc;
    strands_[adder].state = State::ready;
    ready_.push(adder);
}

[[gnu::noinline]] inline void Interpreter::add_permit(Strand& s, const Code& c) {
    PoolState& pool = pools_[static_cast<std::size_t>(c.resource)];
    s.key = mix64(s.key + kGolden); // its next round draws anew
    ++s.pc;
    const StrandId woken = pool.permits.grow(strands_.waits());
    if (woken == kNobody) return;
    if (pool.permits.hands_over()) pool.gauge.busy.up(now_);
    pass_on(pool, woken);
}

[[gnu::noinline]] inline void Interpreter::ask(Strand& s, const Code& c) {
    const auto index = static_cast<std::size_t>(c.resource);
    if (breakers_[index].ask(now_)) {
        ++s.pc;
        return;
    }
    s.pc = static_cast<std::uint16_t>(c.on_full);
    auto& messages = recorder_.recording.messages;
    const std::string& text = plan_.breakers[index].refusal_text;
    if (!text.empty() && std::find(messages.begin(), messages.end(), text) == messages.end()) messages.push_back(text);
}

/// Puts the first time-out and the first overflow of each pool into the words of its software.
[[gnu::noinline]] inline void Interpreter::complain(std::int16_t index, bool full, Nanos waited) {
    PoolState& pool = pools_[static_cast<std::size_t>(index)];
    bool& done = full ? pool.complained_full : pool.complained_late;
    if (std::exchange(done, true)) return;
    const auto& from = plan_.pools[static_cast<std::size_t>(index)];
    std::string text = full ? from.full_text : from.timeout_text;
    if (text.empty()) return;
    const auto put = [&text](std::string_view what, std::int64_t value) {
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
            text.replace(at, what.size(), std::to_string(value));
    };
    put("{ms}", waited / 1'000'000);
    put("{total}", pool.permits.capacity());
    put("{active}", pool.permits.taken());
    put("{idle}", pool.permits.capacity() - pool.permits.taken());
    put("{waiting}", pool.gauge.queue.value());
    recorder_.recording.messages.push_back(std::move(text));
}

} // namespace narrows::engine
