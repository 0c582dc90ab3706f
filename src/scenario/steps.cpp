// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/steps.hpp"

#include "scenario/limits.hpp"
#include "scenario/quantity.hpp"
#include "scenario/step_types.hpp"
#include "scenario/task_steps.hpp"

#include <fmt/format.h>

namespace narrows::scenario {

namespace {

/// One word of the handler's language.
struct StepWord {
    std::string word;
    std::string doc;
    std::string shorthand;
    Type<StepKind> type;
};

const Table<QueryStep>& query_table() {
    static const Table<QueryStep> kTable{
        "a query",
        {field("cpu", distribution(), &QueryStep::cpu, "service demand on the database's CPU", true),
         field("latency", distribution(), &QueryStep::latency, "further time that uses no CPU (disk, network)")}};
    return kTable;
}

const Table<SynchronizedStep>& synchronized_table() {
    static const Table<SynchronizedStep> kTable{
        "a synchronized block",
        {field("monitor", named("a monitor"), &SynchronizedStep::monitor,
               "shared by all requests that name it; without it each request has its own"),
         field("steps", steps(), &SynchronizedStep::steps, "what is done inside", true)}};
    return kTable;
}

const Table<LockStep>& lock_table() {
    static const Table<LockStep> kTable{
        "a lock",
        {field("name", named("a lock"), &LockStep::lock, "which ReentrantLock", true),
         field("steps", steps(), &LockStep::steps, "what is done while it is held", true)}};
    return kTable;
}

const Table<SemaphoreStep>& semaphore_table() {
    static const Table<SemaphoreStep> kTable{
        "a semaphore",
        {field("name", named("a semaphore"), &SemaphoreStep::semaphore, "which semaphore", true),
         field("permits", whole(1, 1'000'000), &SemaphoreStep::permits, "how many may be inside at once", true),
         field("timeout", duration("", true), &SemaphoreStep::timeout, "after which the wait for a permit fails"),
         field("steps", steps(), &SemaphoreStep::steps, "what is done with the permit", true)}};
    return kTable;
}

const Table<NativeStep>& native_table() {
    static const Table<NativeStep> kTable{
        "a native call",
        {field("time", distribution(), &NativeStep::time, "spent blocked in native code"),
         field("steps", steps(), &NativeStep::steps, "Java code that the native code calls back")}};
    return kTable;
}

const Table<ClassInitStep>& class_init_table() {
    static const Table<ClassInitStep> kTable{
        "a class initialiser",
        {field("time", distribution(), &ClassInitStep::time, "spent blocked in the static initialiser"),
         field("steps", steps(), &ClassInitStep::steps, "what the static initialiser does")}};
    return kTable;
}

const Table<RetryStep>& retry_table() {
    static const Table<RetryStep> kTable{
        "a retry",
        {field("attempts", whole(1, 255), &RetryStep::attempts, "tries in all, the first included"),
         field("backoff", distribution(), &RetryStep::backoff, "pause before the second try"),
         field("factor", number(0, 1000), &RetryStep::factor, "by which each further pause is longer"),
         field("steps", steps(), &RetryStep::steps, "what is tried", true)}};
    return kTable;
}

const Table<ChooseStep::Branch>& branch_table() {
    using Branch = ChooseStep::Branch;
    static const Table<Branch> kTable{
        "a branch",
        {field("weight", number(0, 1e9), &Branch::weight, "how often, in proportion to the others", true),
         field("steps", steps(), &Branch::steps, "what this branch does", true)}};
    return kTable;
}

const Table<UseStep>& use_table() {
    static const Table<UseStep> kTable{
        "the use of a pool",
        {field("pool", reference(Reference::To::pool), &UseStep::pool, "a name under pools:", true),
         field("steps", steps(), &UseStep::steps, "what is done with the permit", true)}};
    return kTable;
}

/// The same name is the same semaphore, so it must have the same permits everywhere.
Type<SemaphoreStep> semaphore() {
    Type<SemaphoreStep> type = object(semaphore_table());
    type.read = [read = type.read](Context& context, const Node& node) {
        auto step = read(context, node);
        if (step && !step->semaphore.empty()) {
            const auto [known, fresh] =
                context.semaphores.emplace(step->semaphore, std::pair{step->permits, node.mark});
            if (!fresh && known->second.first != step->permits) {
                context.error(node, fmt::format("semaphore '{}' has {} permits here and {} at {}:{}", step->semaphore,
                                                step->permits, known->second.first, known->second.second.line,
                                                known->second.second.column));
            }
        }
        return step;
    };
    return type;
}

/// Whether a retry with these attempts needs a counter: for some value of a sweep, if there are several.
bool tries_again(const Node* attempts) {
    if (!attempts) return true;
    const auto above_one = [](const Node& node) { return parse_integer(node.text).value_or(2) > 1; };
    return above_one(*attempts) || std::any_of(attempts->alternatives.begin(), attempts->alternatives.end(), above_one);
}

Type<RetryStep> retry() {
    Type<RetryStep> type = object(retry_table());
    type.read = [read = type.read](Context& context, const Node& node) {
        const int counts = tries_again(node.find("attempts")) ? 1 : 0;
        if (counts > 0 && context.retry_depth == kMaxRetryDepth) {
            context.error(node, fmt::format("retries are nested more than {} deep", kMaxRetryDepth));
        }
        context.retry_depth += counts;
        auto step = read(context, node);
        context.retry_depth -= counts;
        return step;
    };
    return type;
}

Type<std::vector<ChooseStep::Branch>> branches() {
    auto type = list_of("a list of {weight, steps}", object(branch_table()));
    type.schema = [schema = type.schema](SchemaWriter& writer) {
        Json limited = schema(writer);
        limited["maxItems"] = kMaxBranches;
        return limited;
    };
    type.read = [read = type.read](Context& context, const Node& node) {
        if (node.items.size() > kMaxBranches) {
            context.error(node.items[kMaxBranches], fmt::format("a choose may have at most {} branches, and has {}",
                                                                kMaxBranches, node.items.size()));
        }
        return read(context, node);
    };
    return type;
}

std::optional<Step> read_step(Context& context, const Node& node);
Json step_schema(SchemaWriter& writer);

/// A branch of parallel: a list of steps, or one step alone.
Type<Steps> parallel_branch() {
    return {"steps",
            [](SchemaWriter& writer) {
                const Json one = writer.refer("step", [&] { return step_schema(writer); });
                return Json{{"anyOf", Json::array({steps().schema(writer), one})}};
            },
            [](Context& context, const Node& node) -> std::optional<Steps> {
                const int around = std::exchange(context.retry_depth, 0); // a strand of its own
                std::optional<Steps> branch;
                if (node.is_sequence()) {
                    branch = steps().read(context, node);
                } else if (auto step = read_step(context, node)) {
                    branch = Steps{std::move(*step)};
                }
                context.retry_depth = around;
                return branch;
            }};
}

template <class T, class V, class M> Type<T> wrapped(Type<V> plain, M T::* member) {
    return {plain.allowed, plain.schema, [plain, member](Context& context, const Node& node) -> std::optional<T> {
                auto simple = plain.read(context, node);
                if (!simple) return std::nullopt;
                T value;
                value.*member = std::move(*simple);
                return value;
            }};
}

template <class T> StepWord word(std::string name, std::string doc, std::string shorthand, Type<T> type) {
    return {std::move(name), std::move(doc), std::move(shorthand), converted<StepKind>(std::move(type))};
}

const std::vector<StepWord>& words() {
    static const std::vector<StepWord> kWords{
        word("cpu", "computes on the application's CPU", "", wrapped(distribution(), &CpuStep::demand)),
        word("query", "a connection of HikariCP and the database's CPU", "cpu",
             either(distribution(), &QueryStep::cpu, query_table())),
        word("transaction", "one connection held for all of these steps", "steps", transaction_step()),
        word("call", "a blocking call of a service, or of one of the application's own endpoints", "service",
             call_step()),
        word("sleep", "Thread.sleep", "", wrapped(distribution(), &SleepStep::time)),
        word("spin", "is busy until this much time has passed by the clock", "",
             wrapped(distribution(), &SpinStep::time)),
        word("parallel", "branches at once; goes on when the last has ended", "",
             wrapped(list_of("a list of branches", parallel_branch()), &ParallelStep::branches)),
        word("synchronized", "a Java monitor", "steps",
             either(steps(), &SynchronizedStep::steps, synchronized_table())),
        word("lock", "a ReentrantLock, by name", "", object(lock_table())),
        word("semaphore", "a permit of a semaphore, by name", "", semaphore()),
        word("native", "blocks in native code", "time", either(distribution(), &NativeStep::time, native_table())),
        word("class-init", "blocks in a static initialiser", "time",
             either(distribution(), &ClassInitStep::time, class_init_table())),
        word("file-io", "a buffered read or write of a file", "", wrapped(distribution(), &FileIoStep::time)),
        word("retry", "tries again after a failure", "", retry()),
        word("choose", "one of the branches, by weight", "", wrapped(branches(), &ChooseStep::branches)),
        word("use", "a permit of a pool under pools:, held for these steps", "", object(use_table())),
        word("async", "a task on an executor, as @Async", "steps", async_step()),
        word("circuit-breaker", "fails at once while too many of the latest tries have failed", "", breaker_step()),
    };
    return kWords;
}

std::vector<std::string> step_names() {
    std::vector<std::string> all;
    for (const StepWord& step : words())
        all.push_back(step.word);
    return all;
}

bool step_known(const std::string& name) {
    return std::any_of(words().begin(), words().end(), [&](const StepWord& step) { return step.word == name; });
}

/// Words that people try, and what to write instead.
std::string hint(const std::string& word) {
    static const std::map<std::string, std::string> kHints{
        {"acquire", "a permit is taken for a block of steps: semaphore: {name, permits, steps} or use: {pool, steps}"},
        {"release", "a permit is given back where its block ends: semaphore: {name, permits, steps} or use: "
                    "{pool, steps}"},
        {"http", "a call of another service is call"},
        {"delay", "a wait is sleep, or call for another service"},
        {"wait", "a wait is sleep, or call for another service"},
        {"sql", "a database query is query"},
        {"jdbc", "a database query is query"},
        {"mutex", "a mutual exclusion is lock or synchronized"},
        {"executor", "a task on an executor is async: {executor, steps}"},
        {"bulkhead", "at most so many inside is semaphore: {name, permits, steps}"},
        {"if", "a choice between branches is choose: [{weight, steps}, …]"},
    };
    const auto known = kHints.find(word);
    return known == kHints.end() ? "" : "; " + known->second;
}

/// Reports it. Returns the step that it was likely meant to be; "" when there is none.
std::string unknown_step(Context& context, const Node::Entry& entry) {
    const auto known = step_names();
    std::string help = hint(entry.key);
    const std::string* meant = help.empty() ? nearest(entry.key, known) : nullptr;
    if (help.empty()) help = did_you_mean(entry.key, known);
    context.error_at(
        entry, fmt::format("unknown step '{}'{}; the steps are {}", entry.key.substr(0, 60), help, listed(known)));
    return meant ? *meant : "";
}

/// The entry that says what the step is; name: is read on the way.
const Node::Entry* step_entry(Context& context, const Node& node, std::string& name) {
    const Node::Entry* what = nullptr;
    for (const Node::Entry& entry : node.entries) {
        if (entry.key == "name") {
            const Within within(context, entry.key);
            if (auto read = line().read(context, entry.value)) name = std::move(*read);
        } else if (what && !step_known(entry.key)) {
            (void)unknown_step(context, entry);
        } else if (what && !step_known(what->key)) {
            (void)unknown_step(context, *std::exchange(what, &entry));
        } else if (what) {
            context.error_at(entry, fmt::format("a step is one thing, and this one is '{}' already; begin '{}' with "
                                                "'- ' on its own",
                                                what->key, entry.key.substr(0, 60)));
        } else {
            what = &entry;
        }
    }
    if (!what) context.error(node, "a step says what it does: one of " + listed(step_names(), "or"));
    return what;
}

std::optional<Step> read_step(Context& context, const Node& node) {
    if (!node.is_mapping()) {
        const std::string help = node.is_scalar() ? hint(node.text) : "";
        context.error(node, fmt::format("expected a step such as 'cpu: 1ms', found {}{}", node.shown(), help));
        return std::nullopt;
    }
    Step step{.what = CpuStep{}, .name = {}, .mark = node.mark, .id = context.next_step_id++};
    const Node::Entry* entry = step_entry(context, node, step.name);
    if (!entry) return std::nullopt;
    std::string word = entry->key;
    if (!step_known(word)) {
        word = unknown_step(context, *entry);
        if (word.empty()) return std::nullopt;
        context.take_for(*entry, word);
    }
    const Within within(context, word);
    const auto known = std::find_if(words().begin(), words().end(), [&](const auto& w) { return w.word == word; });
    auto what = known->type.read(context, entry->value);
    if (!what) return std::nullopt;
    step.what = std::move(*what);
    const auto* query = std::get_if<QueryStep>(&step.what);
    context.queries = context.queries || (query && !query->cpu.is_zero());
    return step;
}

std::optional<Steps> read_steps(Context& context, const Node& node) {
    if (context.step_depth >= kMaxStepDepth) {
        context.error(node, fmt::format("steps are nested more than {} deep", kMaxStepDepth));
        return std::nullopt;
    }
    if (!node.is_sequence() || node.items.empty()) {
        context.error(node, "expected a list of steps, found " + (node.is_sequence() ? "an empty one" : node.shown()));
        return std::nullopt;
    }
    ++context.step_depth;
    Steps all;
    for (std::size_t i = 0; i < node.items.size() && !context.problems.full(); ++i) {
        const Within within(context, fmt::format("[{}]", i));
        if (auto step = read_step(context, node.items[i])) all.push_back(std::move(*step));
    }
    --context.step_depth;
    return all;
}

Json step_schema(SchemaWriter& writer) {
    Json properties{
        {"name", Json{{"type", {"string", "number", "boolean"}}, {"description", "shown in stage tables"}}}};
    Json one_of = Json::array();
    for (const StepWord& step : words()) {
        Json schema = step.type.schema(writer);
        schema["description"] = step.doc;
        properties[step.word] = std::move(schema);
        one_of.push_back(Json{{"required", Json::array({step.word})}});
    }
    return Json{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}, {"oneOf", one_of}};
}

} // namespace

Type<Steps> steps() {
    return {"a list of steps",
            [](SchemaWriter& writer) {
                return writer.refer("steps", [&] {
                    const Json one = writer.refer("step", [&] { return step_schema(writer); });
                    return Json{{"type", "array"}, {"minItems", 1}, {"items", one}};
                });
            },
            read_steps};
}

std::string step_shorthand(std::string_view word) {
    for (const StepWord& step : words()) {
        if (step.word == word) return step.shorthand;
    }
    return "";
}

} // namespace narrows::scenario
