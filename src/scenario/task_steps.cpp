// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/task_steps.hpp"

#include "scenario/step_types.hpp"
#include "scenario/steps.hpp"

#include <fmt/format.h>

namespace narrows::scenario {

namespace {

const Table<CallStep>& call_table() {
    static const Table<CallStep> kTable{
        "a call",
        {field("service", reference(Reference::To::service), &CallStep::service, "a name under services:"),
         field("endpoint", reference(Reference::To::endpoint), &CallStep::endpoint,
               "instead: a handler of this application, by its name under requests:"),
         field("timeout", duration("", true), &CallStep::timeout, "after which the call fails")}};
    return kTable;
}

Type<bool> propagation() {
    return choice<bool>({{"required", false}, {"requires-new", true}});
}

const Table<TransactionStep>& transaction_table() {
    static const Table<TransactionStep> kTable{
        "a transaction",
        {field("propagation", propagation(), &TransactionStep::requires_new,
               "required joins a transaction around it, requires-new takes a further connection"),
         field("steps", steps(), &TransactionStep::steps, "what is done with the connection", true)}};
    return kTable;
}

/// A strand of its own: the retries around it are not its own.
Type<Steps> task_steps() {
    Type<Steps> type = steps();
    type.read = [read = type.read](Context& context, const Node& node) {
        const int around = std::exchange(context.retry_depth, 0);
        auto inner = read(context, node);
        context.retry_depth = around;
        return inner;
    };
    return type;
}

const Table<AsyncStep>& async_table() {
    static const Table<AsyncStep> kTable{"a task",
                                         {field("executor", reference(Reference::To::executor), &AsyncStep::executor,
                                                "a name under executors:; unset: Spring's, by spring.task.execution.*"),
                                          field("await", boolean(), &AsyncStep::await, "waits for the task's end"),
                                          field("steps", task_steps(), &AsyncStep::steps, "what the task does", true)}};
    return kTable;
}

const Table<BreakerStep>& breaker_table() {
    static const Table<BreakerStep> kTable{
        "a circuit breaker",
        {field("name", named("a circuit breaker"), &BreakerStep::breaker, "which one; shared by all requests", true),
         field("failure-rate-threshold", share(), &BreakerStep::failure_rate, "share of failures from which it opens"),
         field("sliding-window-size", whole(1, 1'000'000), &BreakerStep::window, "the latest calls that count"),
         field("minimum-number-of-calls", whole(1, 1'000'000), &BreakerStep::minimum,
               "calls before the rate is looked at"),
         field("wait-duration-in-open-state", duration("", true), &BreakerStep::open, "how long it stays open"),
         field("permitted-number-of-calls-in-half-open-state", whole(1, 1'000'000), &BreakerStep::half_open,
               "calls that it then tries with"),
         field("steps", steps(), &BreakerStep::steps, "what it guards", true)}};
    return kTable;
}

std::string settings_of(const BreakerStep& b) {
    return fmt::format("{} {} {} {} {}", b.failure_rate, b.window, b.minimum, b.open.count(), b.half_open);
}

} // namespace

Type<CallStep> call_step() {
    Type<CallStep> type = either(reference(Reference::To::service), &CallStep::service, call_table());
    type.read = [read = type.read](Context& context, const Node& node) {
        auto step = read(context, node);
        if (!node.is_mapping() || !all_known(node, call_table())) return step;
        const bool service = node.find("service") != nullptr;
        if (service == (node.find("endpoint") != nullptr))
            context.error(node, service ? "a call goes to a service or to an endpoint, not to both"
                                        : "'service' is missing: a name under services:, or endpoint: one of its own");
        return step;
    };
    return type;
}

Type<TransactionStep> transaction_step() {
    return either(steps(), &TransactionStep::steps, transaction_table());
}

Type<AsyncStep> async_step() {
    return either(task_steps(), &AsyncStep::steps, async_table());
}

Type<BreakerStep> breaker_step() {
    Type<BreakerStep> type = object(breaker_table());
    type.read = [read = type.read](Context& context, const Node& node) {
        auto step = read(context, node);
        if (!step || step->breaker.empty()) return step;
        if (!(step->failure_rate > 0)) context.error(node, "a failure rate of 0 is always reached; allowed: above 0");
        const auto [known, fresh] = context.breakers.emplace(step->breaker, std::pair{settings_of(*step), node.mark});
        if (!fresh && known->second.first != settings_of(*step))
            context.error(node, fmt::format("circuit breaker '{}' has other settings at {}:{}", step->breaker,
                                            known->second.second.line, known->second.second.column));
        return step;
    };
    return type;
}

} // namespace narrows::scenario
