// SPDX-License-Identifier: GPL-3.0-or-later
// What runs a request under each thread model, and what it costs.
#include "make.hpp"
#include "models/rules.hpp"

namespace narrows::models::test {
namespace {

Scenario sleeper() {
    return scenario_of({sleep(100)});
}

const plan::Runner& runner_of_request(const plan::Plan& plan) {
    return plan.runners[static_cast<std::size_t>(program(plan, "request").runner)];
}

TEST(PlatformThreads, ThreadsMaxAndQueue) {
    Scenario s = sleeper();
    s.application.tomcat_threads_max = 37;
    s.application.tomcat_max_queue_capacity = 5;
    const plan::Runner r = runner_of_request(compile(s, Threads::platform));
    EXPECT_EQ(r.kind, plan::RunnerKind::threads);
    EXPECT_EQ(r.workers, 37);
    EXPECT_EQ(r.queue_limit, 5);
    EXPECT_EQ(r.resume_cost, 4800);
    EXPECT_EQ(r.create_cost, 66'000);
    EXPECT_EQ(runner_of_request(compile(sleeper(), Threads::platform)).queue_limit, -1);
}

TEST(PlatformThreads, CostsCanBeGiven) {
    Scenario s = sleeper();
    s.runtime.costs.wake = 7us;
    s.runtime.costs.platform_start = 8us;
    const plan::Runner r = runner_of_request(compile(s, Threads::platform));
    EXPECT_EQ(r.resume_cost, 7000);
    EXPECT_EQ(r.create_cost, 8000);
}

TEST(VirtualThreads, CarriersFollowTheCores) {
    Scenario s = sleeper();
    s.runtime.cores = 2.5; // a quota is rounded up
    plan::Runner r = runner_of_request(compile(s, Threads::virtual_threads));
    EXPECT_EQ(r.kind, plan::RunnerKind::carriers);
    EXPECT_EQ(r.workers, 3);
    EXPECT_EQ(r.max_workers, 256);
    EXPECT_EQ(r.min_runnable, 1);
    EXPECT_EQ(r.start_cost, 2000);
    EXPECT_EQ(r.resume_cost, 1000);
    EXPECT_EQ(r.queue_limit, -1);
    s.runtime.cores = 1;
    r = runner_of_request(compile(s, Threads::virtual_threads));
    EXPECT_EQ(r.min_runnable, 1);
}

TEST(VirtualThreads, RunQueuesAndPollersByJdk) {
    Scenario s = sleeper();
    s.runtime.cores = 6;
    plan::Plan plan = compile(s, Threads::virtual_threads);
    EXPECT_TRUE(runner_of_request(plan).two_level);
    EXPECT_EQ(runner_of_request(plan).pollers, 4); // the highest power of two in 6
    const auto& poller = plan.programs[static_cast<std::size_t>(runner_of_request(plan).poller)];
    EXPECT_EQ(poller.code.front().op, plan::Op::poll);
    s.runtime.cores = 100;
    EXPECT_EQ(runner_of_request(compile(s, Threads::virtual_threads)).pollers, 32);
    s.runtime.jdk = 22;
    EXPECT_EQ(runner_of_request(compile(s, Threads::virtual_threads)).pollers, 32);
    s.runtime.jdk = 21; // platform threads watch the sockets
    plan = compile(s, Threads::virtual_threads);
    EXPECT_TRUE(runner_of_request(plan).two_level);
    EXPECT_EQ(runner_of_request(plan).pollers, 0);
    s.runtime.jdk = 25;
    s.runtime.run_queue = scenario::RunQueue::fifo;
    EXPECT_FALSE(runner_of_request(compile(s, Threads::virtual_threads)).two_level);
    EXPECT_EQ(runner_of_request(compile(s, Threads::virtual_threads)).pollers, 0);
}

TEST(VirtualThreads, WhoWakesThem) {
    const Scenario s = sleeper();
    const auto model = virtual_threads(s);
    EXPECT_EQ(model->wait(Operation::socket, {}).wake, plan::Wake::socket);
    EXPECT_EQ(model->wait(Operation::timer, {}).wake, plan::Wake::outside);
    EXPECT_EQ(model->wait(Operation::park, {}).wake, plan::Wake::waker);
    EXPECT_EQ(model->wait(Operation::monitor_enter, {}).wake, plan::Wake::outside); // the unblocker's
}

TEST(VirtualThreads, ParallelismAndMaxPoolSize) {
    Scenario s = sleeper();
    s.runtime.carriers = 300;
    plan::Runner r = runner_of_request(compile(s, Threads::virtual_threads));
    EXPECT_EQ(r.workers, 300);
    EXPECT_EQ(r.max_workers, 300); // max(p, 256)
    EXPECT_EQ(r.min_runnable, 150);
    s.runtime.carriers = 8;
    s.runtime.max_pool_size = 4; // given: p = min(p, it)
    r = runner_of_request(compile(s, Threads::virtual_threads));
    EXPECT_EQ(r.workers, 4);
    EXPECT_EQ(r.max_workers, 4);
    EXPECT_EQ(r.min_runnable, 2);
}

TEST(EventLoop, AtLeastFourLoops) {
    Scenario s = sleeper();
    s.runtime.cores = 2;
    EXPECT_EQ(runner_of_request(compile(s, Threads::event_loop)).workers, 4);
    s.runtime.cores = 6;
    EXPECT_EQ(runner_of_request(compile(s, Threads::event_loop)).workers, 6);
    s.runtime.event_loops = 1;
    const plan::Runner r = runner_of_request(compile(s, Threads::event_loop));
    EXPECT_EQ(r.workers, 1);
    EXPECT_EQ(r.kind, plan::RunnerKind::loops);
    EXPECT_EQ(r.start_cost, 500);
    EXPECT_EQ(r.resume_cost, 500);
}

plan::Instruction waiting(const Step& step, Threads threads, plan::Op op = plan::Op::delay) {
    Scenario s = scenario_of({step, cpu(1)});
    s.pools["http"] = {5, 0ns, scenario::PoolWait::park, scenario::PoolDiscipline::fifo, {}};
    return first(compile(s, threads), op);
}

TEST(EventLoop, BlockingCodeBlocksTheLoop) {
    const Threads t = Threads::event_loop;
    const Step blocking[] = {step(scenario::NativeStep{ms(1), {}}),
                             step(scenario::NativeStep{{}, {sleep(1)}}),
                             step(scenario::ClassInitStep{ms(1), {}}),
                             step(scenario::FileIoStep{ms(1)}),
                             synchronized("", {sleep(1)}),
                             lock("a", {sleep(1)})};
    for (const Step& s : blocking) {
        const plan::Instruction i = waiting(s, t);
        EXPECT_EQ(i.waiting, plan::Waiting::hold);
        EXPECT_EQ(i.note, "blocks the loop");
        EXPECT_FALSE(i.pinned);
    }
    EXPECT_EQ(waiting(synchronized("m", {}), t, plan::Op::acquire).waiting, plan::Waiting::hold);
    EXPECT_EQ(waiting(lock("l", {}), t, plan::Op::acquire).waiting, plan::Waiting::hold);
}

TEST(EventLoop, MonosGiveTheLoopBack) {
    const Threads t = Threads::event_loop;
    EXPECT_EQ(waiting(sleep(1), t).waiting, plan::Waiting::park);
    EXPECT_EQ(waiting(call("enrichment"), t).waiting, plan::Waiting::park);
    EXPECT_EQ(waiting(query(1), t, plan::Op::work).waiting, plan::Waiting::park);
    EXPECT_EQ(waiting(query(1), t, plan::Op::acquire).waiting, plan::Waiting::park);
    EXPECT_EQ(waiting(use("http", {}), t, plan::Op::acquire).waiting, plan::Waiting::park);
    EXPECT_EQ(waiting(step(scenario::ParallelStep{{{sleep(1)}}}), t, plan::Op::join).waiting, plan::Waiting::park);
}

TEST(PlatformThreads, EveryWaitHolds) {
    const Threads t = Threads::platform;
    EXPECT_EQ(waiting(sleep(1), t).waiting, plan::Waiting::hold);
    EXPECT_EQ(waiting(query(1), t, plan::Op::work).waiting, plan::Waiting::hold);
    EXPECT_EQ(waiting(step(scenario::ParallelStep{{{sleep(1)}}}), t, plan::Op::join).waiting, plan::Waiting::hold);
    EXPECT_FALSE(waiting(step(scenario::ClassInitStep{ms(1), {}}), t).pinned);
}

TEST(VirtualThreads, StepsMapToTheTable) {
    const Threads t = Threads::virtual_threads; // JDK 25
    EXPECT_EQ(waiting(synchronized("m", {}), t, plan::Op::acquire).waiting, plan::Waiting::park);
    EXPECT_EQ(waiting(lock("l", {sleep(1)}), t).waiting, plan::Waiting::park);
    EXPECT_FALSE(waiting(step(scenario::NativeStep{ms(1), {}}), t).pinned); // captured
    EXPECT_TRUE(waiting(step(scenario::NativeStep{{}, {sleep(1)}}), t).pinned);
    EXPECT_TRUE(waiting(step(scenario::ClassInitStep{ms(1), {}}), t).pinned);
    EXPECT_EQ(waiting(step(scenario::FileIoStep{ms(1)}), t).waiting, plan::Waiting::hold);
}

plan::Waiting pool_wait(scenario::PoolWait wait, int jdk) {
    Scenario s = scenario_of({use("http", {sleep(1)})});
    s.pools["http"] = {5, 0ns, wait, scenario::PoolDiscipline::fifo, {}};
    s.runtime.jdk = jdk;
    return first(compile(s, Threads::virtual_threads), plan::Op::acquire).waiting;
}

TEST(VirtualThreads, PoolsWaitAsTheyAreWritten) {
    using scenario::PoolWait;
    EXPECT_EQ(pool_wait(PoolWait::park, 21), plan::Waiting::park);
    EXPECT_EQ(pool_wait(PoolWait::object_wait, 23), plan::Waiting::compensate);
    EXPECT_EQ(pool_wait(PoolWait::object_wait, 24), plan::Waiting::park);
    EXPECT_EQ(pool_wait(PoolWait::in_monitor, 23), plan::Waiting::hold);
    EXPECT_EQ(pool_wait(PoolWait::in_monitor, 24), plan::Waiting::park);
}

TEST(ThreadModels, TheDefaultFollowsSpring) {
    Scenario s = sleeper();
    EXPECT_EQ(default_threads(s), Threads::platform);
    s.application.virtual_threads = true;
    EXPECT_EQ(default_threads(s), Threads::virtual_threads);
    s.threads = Threads::event_loop;
    EXPECT_EQ(default_threads(s), Threads::event_loop);
}

TEST(ThreadModels, PlansSayTheirModelAndFirstStages) {
    const char* words[] = {"platform", "virtual", "event-loop"};
    const char* stages[] = {"wait for a thread", "wait for a carrier", "wait for a loop"};
    for (int n = 0; n < 3; ++n) {
        const plan::Plan p = compile(sleeper(), kAll[n]);
        EXPECT_EQ(p.threads, words[n]);
        EXPECT_EQ(p.stages, (std::vector<std::string>{"wait for a connection", stages[n], "sleep"}));
    }
}

} // namespace
} // namespace narrows::models::test
