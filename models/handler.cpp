// SPDX-License-Identifier: GPL-3.0-or-later
// The walk over a handler's steps. What differs between thread models is asked of the ThreadModel;
// the order of the instructions does not differ.
#include "models/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace narrows::models {

const scenario::NamedPool& named_pool(const scenario::Scenario& scenario, const std::string& name) {
    const auto found = scenario.pools.find(name);
    if (found == scenario.pools.end()) throw std::invalid_argument(fmt::format("no pool '{}'", name));
    return found->second;
}

namespace {

using scenario::Step;
using scenario::Steps;

class Walk {
public:
    /// staged: whether time is booked to stages. Only the request's own strand does: what its
    /// children do is its time in `parallel`.
    Walk(Builder& builder, Writer& writer, const ThreadModel& model, std::string prefix, bool staged)
        : builder_(builder), writer_(writer), model_(model), prefix_(std::move(prefix)), staged_(staged) {}

    void steps(const Steps& steps, const Frame& frame) {
        for (const Step& step : steps)
            std::visit([&](const auto& what) { one(step, what, frame); }, step.what);
    }

private:
    int stage(const Step& step, const std::string& made) {
        return staged_ ? builder_.stage(prefix_ + (step.name.empty() ? made : step.name)) : -1;
    }
    int wait_stage(int pool) { return staged_ ? builder_.wait_stage(pool) : -1; }

    // -------------------------------------------------------------------- plain steps

    void one(const Step& step, const scenario::CpuStep& what, const Frame& /*frame*/) {
        writer_.work(builder_.app_cpu, what.demand, stream(step.id, Draw::main), stage(step, "cpu"));
    }

    void one(const Step& step, const scenario::QueryStep& what, const Frame& frame) {
        const int connections = hikari(builder_);
        const bool within_transaction = writer_.holds(connections);
        if (!within_transaction) borrow_connection(writer_, model_, frame, staged_);
        query(writer_, model_, frame, what, step.id, stage(step, "query"));
        if (!within_transaction) return_connection(writer_, model_, frame);
    }

    // Spring's default propagation (REQUIRED): an inner transaction joins the outer one. REQUIRES_NEW suspends the
    // outer one, whose connection stays taken, and takes a further one (AbstractPlatformTransactionManager).
    void one(const Step& /*step*/, const scenario::TransactionStep& what, const Frame& frame) {
        const int connections = hikari(builder_);
        const bool joins = !what.requires_new && writer_.holds(connections);
        if (!joins) borrow_connection(writer_, model_, frame, staged_);
        steps(what.steps, frame);
        if (!joins) return_connection(writer_, model_, frame);
    }

    void one(const Step& step, const scenario::CallStep& what, const Frame& frame) {
        call(writer_, model_, frame, what, step.id,
             stage(step, "call " + (what.endpoint.empty() ? what.service : what.endpoint)));
    }

    void one(const Step& step, const scenario::SleepStep& what, const Frame& frame) {
        writer_.delay("sleep", what.time, stream(step.id, Draw::main), stage(step, "sleep"),
                      model_.wait(Operation::timer, frame));
    }

    // Not a demand: `while (System.nanoTime() < end)` is over at a time, with however little CPU. Threads that share
    // cores spin at once (andrea-mauro/java-virtual-threads-benchmark @235d087: 50 of them on 4 CPUs, 100 ms each);
    // virtual threads have no time slices, so one that spins has its carrier to itself (JEP 444).
    void one(const Step& step, const scenario::SpinStep& what, const Frame& /*frame*/) {
        writer_.spin(builder_.app_cpu, what.time, stream(step.id, Draw::main), stage(step, "spin"));
    }

    void one(const Step& step, const scenario::FileIoStep& what, const Frame& frame) {
        writer_.delay("file-io", what.time, stream(step.id, Draw::main), stage(step, "file-io"),
                      model_.wait(Operation::file_io, frame));
    }

    // -------------------------------------------------------------------- what pins

    // Time in native code captures the carrier; Java called back from there pins it while it waits.
    void one(const Step& step, const scenario::NativeStep& what, const Frame& frame) {
        if (!what.time.is_zero())
            writer_.delay("native", what.time, stream(step.id, Draw::main), stage(step, "native"),
                          model_.wait(Operation::native_code, frame));
        steps(what.steps, above_native(frame));
    }

    // The VM calls <clinit> itself, so a VM frame is on the stack of whatever it does.
    void one(const Step& step, const scenario::ClassInitStep& what, const Frame& frame) {
        const Frame inside = above_native(frame);
        if (!what.time.is_zero())
            writer_.delay("class-init", what.time, stream(step.id, Draw::main), stage(step, "class-init"),
                          model_.wait(Operation::park, inside));
        steps(what.steps, inside);
    }

    static Frame above_native(Frame frame) {
        frame.native = true;
        return frame;
    }

    // -------------------------------------------------------------------- permits

    // Monitors and ReentrantLock re-enter; a monitor of the request's own is never contended, but
    // it is on the stack all the same.
    void one(const Step& /*step*/, const scenario::SynchronizedStep& what, const Frame& frame) {
        Frame inside = frame;
        ++inside.monitors;
        if (what.monitor.empty()) return steps(what.steps, inside);
        // HotSpot monitors: first come, first woken, but ownership is competitive (objectMonitor.cpp).
        const int pool = permits("monitor " + what.monitor, plan::PoolKind::monitor, 1, plan::Discipline::barging);
        around(pool, model_.wait(Operation::monitor_enter, frame), -1, what.steps, inside, true);
    }

    void one(const Step& /*step*/, const scenario::LockStep& what, const Frame& frame) {
        Frame inside = frame;
        ++inside.locks;
        // new ReentrantLock() is unfair: a newcomer may take it before the one that was woken.
        const int pool = permits("lock " + what.lock, plan::PoolKind::lock, 1, plan::Discipline::barging);
        around(pool, model_.wait(Operation::park, inside), -1, what.steps, inside, true);
    }

    // new Semaphore(n) is unfair too, belongs to no thread, and does not re-enter.
    void one(const Step& /*step*/, const scenario::SemaphoreStep& what, const Frame& frame) {
        const int pool =
            permits("semaphore " + what.semaphore, plan::PoolKind::semaphore, what.permits, plan::Discipline::barging);
        around(pool, model_.wait(Operation::park, frame), what.timeout ? what.timeout->count() : -1, what.steps, frame,
               false);
    }

    void one(const Step& /*step*/, const scenario::UseStep& what, const Frame& frame) {
        const scenario::NamedPool& named = named_pool(builder_.scenario, what.pool);
        const int pool = permits(what.pool, plan::PoolKind::user, named.size, discipline(named.discipline));
        const Nanos timeout = named.timeout.count();
        around(pool, waits_by(named.wait, frame), timeout > 0 ? timeout : -1, what.steps, frame, false);
    }

    Wait waits_by(scenario::PoolWait wait, Frame frame) const {
        if (wait == scenario::PoolWait::object_wait) return model_.wait(Operation::object_wait, frame);
        // A park inside a `synchronized` of the pool's own: it is on the stack for that wait only.
        if (wait == scenario::PoolWait::in_monitor) ++frame.monitors;
        return model_.wait(Operation::park, frame);
    }

    int permits(const std::string& name, plan::PoolKind kind, std::int64_t capacity, plan::Discipline discipline) {
        plan::Pool pool;
        pool.name = name;
        pool.kind = kind;
        pool.capacity = capacity;
        pool.discipline = discipline;
        return builder_.pool(pool);
    }

    void around(int pool, const Wait& wait, Nanos timeout, const Steps& inner, const Frame& inside, bool re_enters) {
        const bool again = re_enters && writer_.holds(pool);
        if (!again) writer_.acquire(pool, wait_stage(pool), wait, timeout);
        steps(inner, inside);
        if (!again) writer_.release(pool);
    }

    // -------------------------------------------------------------------- control

    void one(const Step& step, const scenario::ParallelStep& what, const Frame& frame) {
        if (what.branches.empty()) return;
        const ThreadModel& model = model_.of_children();
        const int runner = builder_.runner(model.runner(builder_.app_cpu));
        plan::Instruction fork;
        fork.op = plan::Op::fork;
        plan::Outcome failure = plan::Outcome::ok;
        for (const Steps& branch : what.branches) {
            const int program = builder_.program(prefix_ + "parallel", runner);
            Writer writer(builder_, program);
            const Footprint footprint = request_footprint(builder_, model, true);
            writer.allocate(footprint.bytes, footprint.live);
            // A new thread: nothing of the parent's is on its stack, and it holds nothing.
            Walk(builder_, writer, model, prefix_, false).steps(branch, Frame{});
            const auto outcomes = writer.finish();
            if (failure == plan::Outcome::ok && !outcomes.empty()) failure = outcomes.front();
            fork.children.push_back({program, 1});
        }
        fork.stage = stage(step, "parallel");
        writer_.raw(fork);
        writer_.join(fork.stage, model_.wait(Operation::park, frame), failure);
    }

    void one(const Step& step, const scenario::RetryStep& what, const Frame& frame) {
        if (what.attempts <= 1) return steps(what.steps, frame);
        const bool pauses = !what.backoff.is_zero();
        writer_.begin_retry(what.attempts, what.backoff, what.factor, stream(step.id, Draw::main),
                            pauses ? stage(step, "backoff") : -1, model_.wait(Operation::timer, frame));
        steps(what.steps, frame);
        writer_.end_retry();
    }

    void one(const Step& step, const scenario::AsyncStep& what, const Frame& frame) {
        const Tasks executor = tasks(builder_, what.executor);
        const int program = builder_.program(prefix_ + "async", executor.runner);
        Writer writer(builder_, program);
        Walk(builder_, writer, *executor.model, prefix_, false).steps(what.steps, Frame{});
        const auto outcomes = writer.finish();
        submit(writer_, model_, frame, executor, program, what.await, staged_);
        if (!what.await) return;
        writer_.join(stage(step, "async"), model_.wait(Operation::park, frame),
                     outcomes.empty() ? plan::Outcome::ok : outcomes.front());
    }

    // Resilience4j's decorator: a refused call is no result, everything else that fails is one.
    void one(const Step& /*step*/, const scenario::BreakerStep& what, const Frame& frame) {
        plan::Breaker breaker;
        breaker.name = what.breaker;
        breaker.window = static_cast<int>(what.window);
        // A count-based window cannot hold more (CircuitBreakerMetrics takes the lesser of the two).
        breaker.minimum = static_cast<int>(std::min(what.minimum, what.window));
        breaker.threshold = what.failure_rate;
        breaker.open = what.open.count();
        breaker.half_open = static_cast<int>(what.half_open);
        breaker.refusal_text = fmt::format(
            "CallNotPermittedException: CircuitBreaker '{}' is OPEN and does not permit further calls", what.breaker);
        writer_.begin_guard(builder_.breaker(breaker));
        steps(what.steps, frame);
        writer_.end_guard();
    }

    // Weights become the chance of each branch given that none before it was taken.
    void one(const Step& step, const scenario::ChooseStep& what, const Frame& frame) {
        double left = 0;
        std::vector<const scenario::ChooseStep::Branch*> branches;
        for (const auto& branch : what.branches) {
            if (branch.weight > 0) branches.push_back(&branch);
            left += branch.weight;
        }
        if (branches.empty()) return;
        const Label done = writer_.label();
        std::vector<Label> starts;
        for (std::size_t n = 0; n + 1 < branches.size(); ++n) {
            starts.push_back(writer_.label());
            writer_.chance(starts.back(), branches[n]->weight / left, choice_stream(step.id, static_cast<int>(n)));
            left -= branches[n]->weight;
        }
        steps(branches.back()->steps, frame);
        for (std::size_t n = 0; n < starts.size(); ++n) {
            writer_.jump(done);
            writer_.bind(starts[n]);
            steps(branches[n]->steps, frame);
        }
        writer_.bind(done);
    }

    Builder& builder_;
    Writer& writer_;
    const ThreadModel& model_;
    std::string prefix_;
    bool staged_;
};

} // namespace

OwnEndpoint called_program(Builder& builder, int endpoint) {
    const scenario::Endpoint& e = builder.scenario.endpoints[static_cast<std::size_t>(endpoint)];
    const auto [known, fresh] = builder.called.emplace(e.name, OwnEndpoint{});
    if (!fresh) {
        if (known->second.program < 0)
            throw std::invalid_argument(fmt::format("'{}' would call itself for ever", e.name));
        return known->second;
    }
    OwnEndpoint out;
    out.program = builder.program(e.name + " (own call)", builder.runner(builder.model.runner(builder.app_cpu)));
    Writer writer(builder, out.program);
    Walk(builder, writer, builder.model, "", false).steps(e.steps, Frame{});
    const auto outcomes = writer.finish();
    if (!outcomes.empty()) out.failure = outcomes.front();
    return builder.called[e.name] = out;
}

int request_program(Builder& builder, int endpoint) {
    const auto& endpoints = builder.scenario.endpoints;
    const scenario::Endpoint& e = endpoints[static_cast<std::size_t>(endpoint)];
    const int runner = builder.runner(builder.model.runner(builder.app_cpu));
    const int program = builder.program(e.name, runner);
    builder.plan.programs[static_cast<std::size_t>(program)].endpoint = endpoint;
    Writer writer(builder, program);
    const Footprint footprint = request_footprint(builder, builder.model, false);
    writer.allocate(footprint.bytes, footprint.live);
    const std::string prefix = endpoints.size() > 1 ? e.name + ": " : "";
    Walk(builder, writer, builder.model, prefix, true).steps(e.steps, Frame{});
    writer.finish();
    return program;
}

} // namespace narrows::models
