// SPDX-License-Identifier: GPL-3.0-or-later
// Writing plans: resources by name, stages by name, and programs with labels and with what must
// be undone when something fails.
#pragma once

#include "models/rules.hpp"
#include "plan/plan.hpp"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace narrows::models {

/// Names of random streams (Instruction::step). A handler's step has id * 4 + purpose, so that each
/// thread model draws the same for it.
enum class Draw { main = 0, database = 1, latency = 2, other = 3 };
[[nodiscard]] int stream(int step_id, Draw draw);
/// The draw of the k-th alternative of a `choose` (0 <= k < 1024): from 2^28 upwards.
[[nodiscard]] int choice_stream(int step_id, int alternative);
/// A session's own draws, between a handler's and a choice's: no step has these.
inline constexpr int kThinkStream = (1 << 27) + 0;
inline constexpr int kEndpointStream = (1 << 27) + 1;
/// Of the thread that opens connections.
inline constexpr int kConnectStream = (1 << 27) + 2;

/// A program that runs an endpoint for the application itself.
struct OwnEndpoint {
    int program = -1;                          ///< -1 while it is being written
    plan::Outcome failure = plan::Outcome::ok; ///< how it can end, other than ok
};
inline constexpr int kClientStream = (1 << 27) + 3;

class Builder {
public:
    Builder(const scenario::Scenario& scenario, const ThreadModel& model);

    plan::Plan plan;
    const scenario::Scenario& scenario;
    const ThreadModel& model;

    /// Called endpoints' programs by endpoint name: of the handlers, and of the connections to them.
    std::map<std::string, OwnEndpoint> called, own_calls;

    int app_cpu = 0;
    int client = 0; ///< the unlimited runner

    /// Index of the cpu, pool or runner of that name; added when new. A pool that exists keeps its
    /// capacity: throws std::invalid_argument when it is asked for with another one.
    int cpu(const plan::Cpu& cpu);
    int pool(const plan::Pool& pool);
    int runner(const plan::Runner& runner);
    /// Throws std::invalid_argument when one of that name has other settings.
    int breaker(const plan::Breaker& breaker);

    /// Whether strands under this model are virtual threads.
    [[nodiscard]] bool on_virtual_threads(const ThreadModel& model) const;

    /// A new stage, numbered when the name is taken: "cpu", "cpu 2".
    int stage(const std::string& name);
    /// The stage "wait for NAME", one for each pool.
    int wait_stage(int pool);
    /// A new, empty program; its name is numbered when taken.
    int program(const std::string& name, int runner);
    /// Index of the tier of that name in Plan::tiers; added when new.
    int tier(const std::string& name);

private:
    int poller_program(int runner);

    /// Names given so far. It remembers where the numbers have got to: a handler of thousands of
    /// steps of one kind must not try them all again for each.
    struct Names {
        std::unordered_set<std::string> taken;
        std::unordered_map<std::string, int> next;
        /// `name`, or "name 2", "name 3", … when taken.
        std::string give(const std::string& name);
    };

    std::map<std::string, int> wait_stages_;
    Names stage_names_;
    Names program_names_;
};

using Label = int;

/// Writes one program. Labels may be used before they are bound; finish() puts the code into the
/// plan.
class Writer {
public:
    Writer(Builder& builder, int program);

    Builder& builder() { return builder_; }

    [[nodiscard]] Label label();
    void bind(Label label);

    /// tier: of a guest on that processor.
    void work(int cpu, const Distribution& amount, int step, int stage, const Wait& wait = {}, int tier = -1);
    /// what: shown to people. With timeout >= 0 a longer draw fails with call_timeout.
    /// Is busy on `cpu` for this long by the clock.
    void spin(int cpu, const Distribution& time, int step, int stage);
    /// `live` of these bytes of the heap are given back before each end that is written. Once, at the start.
    void allocate(double bytes, double live);
    void delay(const std::string& what, const Distribution& amount, int step, int stage, const Wait& wait,
               Nanos timeout = -1);
    /// Takes a permit; with timeout >= 0 fails with pool_timeout, and with `full` (other than ok) when no more may
    /// wait for that pool.
    void acquire(int pool, int stage, const Wait& wait, Nanos timeout = -1, plan::Outcome full = plan::Outcome::ok);
    /// Starts a child on an executor. gives >= 0: the strand's permit of that pool becomes the child's. With `full`
    /// (other than ok) fails so when the executor refuses it.
    void submit(int program, int gives, bool detached, plan::Outcome full);
    void release(int pool);
    /// Waits for the forked. With timeout >= 0 fails with call_timeout; when a child can end with
    /// `child_failure` (other than ok), that is how the strand then fails too.
    void join(int stage, const Wait& wait, plan::Outcome child_failure, Nanos timeout = -1);
    void jump(Label to);
    void chance(Label to, double probability, int step);
    /// For what has no shorthand. Its labels are Labels, and it must not acquire or release.
    void raw(const plan::Instruction& instruction);

    [[nodiscard]] bool holds(int pool) const;
    /// The label at which a failure goes on: undoes what was acquired inside the innermost retry and
    /// tries again, or, without one, releases everything and ends with `outcome`.
    [[nodiscard]] Label failure(plan::Outcome outcome);

    /// The steps written until end_retry() are tried up to `attempts` times.
    void begin_retry(std::int64_t attempts, const Distribution& backoff, double factor, int step, int stage,
                     const Wait& wait);
    void end_retry();

    /// The steps written until end_guard() are tried only if the breaker lets them; it hears how they ended.
    void begin_guard(int breaker);
    void end_guard();

    /// Ends the program well, writes what failures need, and stores the code in the plan. Returns the
    /// outcomes other than ok that it can end with, in the order of plan::Outcome.
    std::vector<plan::Outcome> finish();
    /// Stores the code as it stands: for programs that have written their own `end`s.
    void store();

private:
    struct Scope {
        int parent = -1;
        std::size_t depth = 0; ///< how many of held_ were there when it began
        Label start = -1;
        int counter = -1; ///< of the innermost retry; -1 = none
        int breaker = -1; ///< >= 0: no retry, but what this breaker guards
        int attempts = 1;
        plan::Instruction pause;
    };
    struct Failure {
        int scope = 0;
        std::vector<int> held;
        plan::Outcome outcome = plan::Outcome::ok;
        auto operator<=>(const Failure&) const = default;
    };

    void write_failure(const Failure& failure);
    void write_end(plan::Outcome outcome);

    Builder& builder_;
    int program_;
    std::vector<plan::Instruction> code_;
    std::vector<int> bound_; ///< by label
    void drop(int pool);     ///< from held_
    std::vector<int> held_;  ///< pools, in the order of acquisition
    std::vector<Scope> scopes_;
    int scope_ = 0;
    std::map<Failure, Label> failures_;
    std::vector<Failure> pending_;
    std::vector<plan::Outcome> outcomes_;
    double live_ = 0; ///< of the heap, until the end
};

} // namespace narrows::models
