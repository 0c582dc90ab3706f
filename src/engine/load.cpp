// SPDX-License-Identifier: GPL-3.0-or-later
// Who starts sessions, and when.
#include "engine/interpreter.hpp"

#include <algorithm>

namespace narrows::engine {

namespace {

/// Sessions are entities 0, 1, 2, …; the arrival process is an entity of its own far above.
constexpr std::uint64_t kArrivalEntity = std::uint64_t{1} << 48;
constexpr std::int64_t kNoLimit = -1;

} // namespace

/// Looked at now and then while sessions are opened: millions of them take seconds.
bool Interpreter::stopped(std::int64_t opened) {
    return (opened & 0xFFFF) == 0 && cancelled();
}

void Interpreter::open_load() {
    const plan::Load& load = plan_.load;
    switch (load.kind) {
    case plan::LoadKind::closed:
    case plan::LoadKind::fixed: {
        const std::int64_t each =
            load.kind == plan::LoadKind::closed ? kNoLimit : load.requests / std::max<std::int64_t>(1, load.users);
        if (each == 0) break;
        for (std::int64_t i = 0; i < load.users && !stopped(i); ++i) {
            Stream numbers(root_.child(static_cast<std::uint64_t>(i)).child(kArrivalEntity));
            const double at = load.together ? 0.0 : numbers.uniform() * static_cast<double>(load.spread);
            start_session(Sampler::to_nanos(at), each);
        }
        break;
    }
    case plan::LoadKind::burst:
        for (std::int64_t i = 0; i < load.requests && !stopped(i); ++i)
            start_session(0, 1);
        break;
    case plan::LoadKind::open:
        arrivals_.gap = Sampler(load.poisson ? Distribution::exponential(1e9 / load.rate)
                                             : Distribution::constant(1e9 / load.rate));
        arrivals_.stream = Stream(root_.child(kArrivalEntity));
        schedule_next_arrival();
        break;
    case plan::LoadKind::stages: open_stages(); break;
    }
    if (end_ == 0 && arrivals_.active == 0) over_ = true;
}

void Interpreter::start_session(Nanos at, std::int64_t requests) {
    const StrandId id = new_strand();
    Strand& s = strands_[id];
    const std::int64_t ordinal = arrivals_.ordinal++;
    s.key = root_.child(static_cast<std::uint64_t>(ordinal)).value;
    s.left = requests == kNoLimit ? -1 : static_cast<std::int32_t>(requests - 1);
    s.pc = static_cast<std::uint16_t>(lowered_.entry[static_cast<std::size_t>(lowered_.session_program)]);
    s.state = State::ready;
    for (const auto& runner : runners_) // a connection belongs to one loop, given out in turn
        if (runner.kind == plan::RunnerKind::loops)
            s.loop = static_cast<std::int16_t>(ordinal % static_cast<std::int64_t>(runner.loops.size()));
    ++arrivals_.active;
    if (at == now_)
        ready_.push(id);
    else
        push_timed(id, at);
}

void Interpreter::load_event() {
    if (plan_.load.kind == plan::LoadKind::open) {
        start_session(now_, 1);
        schedule_next_arrival();
        return;
    }
    const auto& stage = plan_.load.stages[arrivals_.stage];
    if (stage.users > arrivals_.target) {
        ++arrivals_.target;
        start_session(now_, kNoLimit);
    } else if (stage.users < arrivals_.target) {
        --arrivals_.target; // the next session to end a request sees that it is one too many
    }
    ++arrivals_.step;
    schedule_next_stage_step();
}

void Interpreter::schedule_load(Nanos at) {
    load_scheduled_ = true;
    calendar_.set(load_slot_, make_key(static_cast<std::uint64_t>(at), sequence_++, 0));
}

void Interpreter::schedule_next_arrival() {
    // Constant gaps are not summed up, so that they do not drift by half a nanosecond each.
    const Nanos at = plan_.load.poisson
                         ? now_ + arrivals_.gap.draw(arrivals_.stream)
                         : Sampler::to_nanos(static_cast<double>(arrivals_.ordinal + 1) * 1e9 / plan_.load.rate);
    schedule_load(at);
}

void Interpreter::open_stages() {
    arrivals_.target = plan_.load.start_users;
    for (std::int64_t i = 0; i < plan_.load.start_users && !stopped(i); ++i)
        start_session(0, kNoLimit);
    schedule_next_stage_step();
}

/// A stage moves the number of sessions in steps of one, equally spaced, the last at its end.
void Interpreter::schedule_next_stage_step() {
    const auto& stages = plan_.load.stages;
    load_scheduled_ = false;
    calendar_.set(load_slot_, kNever);
    while (arrivals_.stage < stages.size()) {
        const auto& stage = stages[arrivals_.stage];
        const std::int64_t left = std::abs(stage.users - arrivals_.target);
        if (left > 0) {
            const std::int64_t steps = arrivals_.step + left;
            const double at = static_cast<double>(stage.length) * static_cast<double>(arrivals_.step + 1) /
                              static_cast<double>(steps);
            schedule_load(arrivals_.stage_start + Sampler::to_nanos(at));
            return;
        }
        arrivals_.stage_start += stage.length;
        ++arrivals_.stage;
        arrivals_.step = 0;
    }
}

/// After an answer: does this session send another request?
bool Interpreter::session_goes_on(Strand& s) {
    if (s.left == 0) return false;
    if (s.left > 0) {
        --s.left;
        return true;
    }
    return plan_.load.kind != plan::LoadKind::stages || arrivals_.active <= arrivals_.target;
}

} // namespace narrows::engine
