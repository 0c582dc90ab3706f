// SPDX-License-Identifier: GPL-3.0-or-later
// Writing one program: labels, what is held, and what must be undone when something fails.
#include "models/builder.hpp"

#include "scenario/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace narrows::models {

namespace {

static_assert(scenario::kMaxRetryDepth == plan::kCounters);

Distribution scaled(Distribution d, double by) {
    const bool second_is_time = d.shape == Shape::uniform || d.shape == Shape::normal;
    d.first *= by;
    if (second_is_time) d.second *= by;
    for (double& sample : d.samples)
        sample *= by;
    for (auto& part : d.parts)
        part.what = scaled(part.what, by);
    return d;
}

plan::Instruction told(int breaker, plan::Outcome outcome) {
    plan::Instruction tell;
    tell.op = plan::Op::tell;
    tell.resource = breaker;
    tell.outcome = outcome;
    return tell;
}

void put(plan::Instruction& i, const Wait& wait) {
    i.waiting = wait.waiting;
    i.pinned = wait.pinned;
    i.wake = wait.wake;
    i.note = wait.note;
}

} // namespace

Writer::Writer(Builder& builder, int program) : builder_(builder), program_(program), scopes_(1) {}

Label Writer::label() {
    bound_.push_back(-1);
    return static_cast<Label>(bound_.size()) - 1;
}

void Writer::bind(Label label) {
    bound_[static_cast<std::size_t>(label)] = static_cast<int>(code_.size());
}

void Writer::work(int cpu, const Distribution& amount, int step, int stage, const Wait& wait, int tier) {
    plan::Instruction i;
    i.op = plan::Op::work;
    i.tier = tier;
    i.resource = cpu;
    i.amount = amount;
    i.step = step;
    i.stage = stage;
    put(i, wait);
    code_.push_back(i);
}

void Writer::spin(int cpu, const Distribution& time, int step, int stage) {
    plan::Instruction i;
    i.op = plan::Op::spin;
    i.resource = cpu;
    i.amount = time;
    i.step = step;
    i.stage = stage;
    code_.push_back(i);
}

void Writer::allocate(double bytes, double live) {
    if (bytes <= 0) return;
    live_ = live;
    plan::Instruction i;
    i.op = plan::Op::allocate;
    i.bytes = bytes;
    i.live = live;
    code_.push_back(i);
}

void Writer::write_end(plan::Outcome outcome) {
    plan::Instruction i;
    if (live_ > 0) {
        i.op = plan::Op::free;
        i.live = live_;
        code_.push_back(i);
    }
    plan::Instruction end;
    end.op = plan::Op::end;
    end.outcome = outcome;
    code_.push_back(end);
}

void Writer::delay(const std::string& what, const Distribution& amount, int step, int stage, const Wait& wait,
                   Nanos timeout) {
    plan::Instruction i;
    i.op = plan::Op::delay;
    i.what = what;
    i.amount = amount;
    i.step = step;
    i.stage = stage;
    i.timeout = timeout;
    if (timeout >= 0) i.on_failure = failure(plan::Outcome::call_timeout);
    put(i, wait);
    code_.push_back(i);
}

void Writer::acquire(int pool, int stage, const Wait& wait, Nanos timeout, plan::Outcome full) {
    plan::Instruction i;
    i.op = plan::Op::acquire;
    i.resource = pool;
    i.stage = stage;
    i.timeout = timeout;
    if (timeout >= 0) i.on_failure = failure(plan::Outcome::pool_timeout);
    const bool can_be_full = builder_.plan.pools[static_cast<std::size_t>(pool)].queue_limit >= 0;
    if (can_be_full && full != plan::Outcome::ok) i.on_full = failure(full);
    put(i, wait);
    code_.push_back(i);
    held_.push_back(pool);
}

void Writer::submit(int program, int gives, bool detached, plan::Outcome full) {
    plan::Instruction i;
    i.op = plan::Op::submit;
    i.children = {{program, 1}};
    i.gives = gives;
    i.detached = detached;
    if (full != plan::Outcome::ok) i.on_full = failure(full);
    code_.push_back(i);
    if (gives >= 0) drop(gives);
}

void Writer::release(int pool) {
    plan::Instruction i;
    i.op = plan::Op::release;
    i.resource = pool;
    code_.push_back(i);
    drop(pool);
}

void Writer::drop(int pool) {
    const auto last = std::find(held_.rbegin(), held_.rend(), pool);
    if (last == held_.rend()) throw std::logic_error("a model releases what it does not hold");
    held_.erase(std::next(last).base());
}

void Writer::join(int stage, const Wait& wait, plan::Outcome child_failure, Nanos timeout) {
    plan::Instruction i;
    i.op = plan::Op::join;
    i.stage = stage;
    i.timeout = timeout;
    if (timeout >= 0) i.on_failure = failure(plan::Outcome::call_timeout);
    if (child_failure != plan::Outcome::ok) i.on_child_failure = failure(child_failure);
    put(i, wait);
    code_.push_back(i);
}

void Writer::jump(Label to) {
    plan::Instruction i;
    i.op = plan::Op::branch;
    i.to = to;
    code_.push_back(i);
}

void Writer::chance(Label to, double probability, int step) {
    plan::Instruction i;
    i.op = plan::Op::branch;
    i.branch = plan::Branch::chance;
    i.to = to;
    i.probability = probability;
    i.step = step;
    code_.push_back(i);
}

void Writer::raw(const plan::Instruction& instruction) {
    code_.push_back(instruction);
}

bool Writer::holds(int pool) const {
    return std::find(held_.begin(), held_.end(), pool) != held_.end();
}

Label Writer::failure(plan::Outcome outcome) {
    const Failure key{scope_, held_, outcome};
    const auto found = failures_.find(key);
    if (found != failures_.end()) return found->second;
    pending_.push_back(key);
    return failures_[key] = label();
}

void Writer::begin_retry(std::int64_t attempts, const Distribution& backoff, double factor, int step, int stage,
                         const Wait& wait) {
    Scope s;
    s.parent = scope_;
    s.depth = held_.size();
    s.start = label();
    s.counter = scopes_[static_cast<std::size_t>(scope_)].counter + 1;
    if (s.counter >= plan::kCounters)
        throw std::invalid_argument(fmt::format("retries may be nested {} deep, not more", plan::kCounters));
    s.attempts = static_cast<int>(std::min<std::int64_t>(attempts, 1'000'000'000));
    s.pause.op = plan::Op::delay;
    s.pause.what = "backoff";
    // The counter is 1 at the first pause already, and that one shall be the plain back-off.
    s.pause.amount = factor > 0 ? scaled(backoff, 1 / factor) : backoff;
    s.pause.factor = factor;
    s.pause.counter = s.counter;
    s.pause.step = step;
    s.pause.stage = stage;
    put(s.pause, wait);
    bind(s.start);
    scopes_.push_back(s);
    scope_ = static_cast<int>(scopes_.size()) - 1;
}

void Writer::end_retry() {
    const Scope& s = scopes_[static_cast<std::size_t>(scope_)];
    // A limit of 1 falls through and leaves the counter at 0 for whoever counts with it next.
    plan::Instruction reset;
    reset.op = plan::Op::branch;
    reset.branch = plan::Branch::count;
    reset.counter = s.counter;
    reset.limit = 1;
    reset.to = s.start;
    code_.push_back(reset);
    scope_ = s.parent;
}

void Writer::begin_guard(int breaker) {
    plan::Instruction ask;
    ask.op = plan::Op::ask;
    ask.resource = breaker;
    ask.on_full = failure(plan::Outcome::circuit_open); // a refusal is no result of the guarded call
    code_.push_back(ask);
    Scope s;
    s.parent = scope_;
    s.depth = held_.size();
    s.counter = scopes_[static_cast<std::size_t>(scope_)].counter;
    s.breaker = breaker;
    scopes_.push_back(s);
    scope_ = static_cast<int>(scopes_.size()) - 1;
}

void Writer::end_guard() {
    const Scope& s = scopes_[static_cast<std::size_t>(scope_)];
    code_.push_back(told(s.breaker, plan::Outcome::ok));
    scope_ = s.parent;
}

void Writer::write_failure(const Failure& failure) {
    std::vector<std::pair<Label, const Scope*>> pauses;
    held_ = failure.held;
    // Outward from the innermost retry or breaker: undo what was acquired in it, try again while it may.
    for (int scope = failure.scope; scope >= 0; scope = scopes_[static_cast<std::size_t>(scope)].parent) {
        const Scope& s = scopes_[static_cast<std::size_t>(scope)];
        while (held_.size() > s.depth)
            release(held_.back());
        if (scope == 0) break;
        if (s.breaker >= 0) {
            code_.push_back(told(s.breaker, failure.outcome));
            continue;
        }
        pauses.emplace_back(label(), &s);
        plan::Instruction count;
        count.op = plan::Op::branch;
        count.branch = plan::Branch::count;
        count.counter = s.counter;
        count.limit = s.attempts;
        count.to = pauses.back().first;
        code_.push_back(count);
    }
    write_end(failure.outcome);
    for (const auto& [again, scope] : pauses) {
        bind(again);
        if (!scope->pause.amount.is_zero()) code_.push_back(scope->pause);
        jump(scope->start);
    }
    if (std::find(outcomes_.begin(), outcomes_.end(), failure.outcome) == outcomes_.end())
        outcomes_.push_back(failure.outcome);
}

std::vector<plan::Outcome> Writer::finish() {
    write_end(plan::Outcome::ok);
    for (std::size_t n = 0; n < pending_.size(); ++n) {
        const Failure failure = pending_[n];
        bind(failures_.at(failure));
        write_failure(failure);
    }
    std::sort(outcomes_.begin(), outcomes_.end());
    store();
    return outcomes_;
}

void Writer::store() {
    const auto resolve = [&](int& label) {
        if (label >= 0) label = bound_[static_cast<std::size_t>(label)];
    };
    for (plan::Instruction& i : code_) {
        resolve(i.on_failure);
        resolve(i.on_full);
        resolve(i.on_child_failure);
        if (i.op == plan::Op::branch) resolve(i.to);
    }
    builder_.plan.programs[static_cast<std::size_t>(program_)].code = std::move(code_);
}

} // namespace narrows::models
