// SPDX-License-Identifier: GPL-3.0-or-later
// A plan as text. Each instruction is one line in three columns: the word, what it is about, and
// what becomes of the strand's place meanwhile. A line that others go on at is preceded by its
// label, "L1:", numbered from the top.
#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace narrows::plan {

namespace {

const char* waiting_word(Waiting waiting) {
    switch (waiting) {
    case Waiting::hold: return "hold";
    case Waiting::park: return "park";
    case Waiting::compensate: return "compensate";
    }
    return "?";
}

/// 4887 -> "4.89KB".
std::string size_text(double bytes) {
    double value = bytes;
    const char* unit = "B";
    for (const char* larger : {"KB", "MB", "GB", "TB"}) {
        if (value < 1000) break;
        value /= 1000;
        unit = larger;
    }
    return fmt::format("{:.4g}{}", value, unit);
}

std::string time_text(Nanos t) {
    return duration_text(static_cast<double>(t));
}

/// One line before its columns are aligned.
struct Line {
    std::string op, operand, waiting, ways, note;
};

/// A count up to 1 never jumps: it only sets its counter back to 0.
bool resets(const Instruction& i) {
    return i.branch == Branch::count && i.limit <= 1;
}

/// Formats the lines of one program.
class Listing {
public:
    Listing(const Plan& plan, const Program& program) : plan_(plan), program_(program) {
        std::map<int, int> targets;
        for (const Instruction& i : program.code) {
            for (const int label : {i.on_failure, i.on_full, i.on_child_failure})
                if (label >= 0) targets[label] = 0;
            if (i.op == Op::branch && !resets(i)) targets[i.to] = 0;
        }
        int number = 0;
        for (const auto& target : targets)
            labels_[target.first] = fmt::format("L{}", ++number);
    }

    std::vector<std::string> lines() const {
        std::vector<std::string> out{run_on()};
        std::vector<Line> body;
        for (const Instruction& i : program_.code)
            body.push_back(line(i));
        std::size_t operands = 0;
        std::size_t waits = 0;
        for (const Line& l : body) {
            if (!l.waiting.empty() || !l.ways.empty()) operands = std::max(operands, l.operand.size());
            if (!l.ways.empty() || !l.note.empty()) waits = std::max(waits, l.waiting.size());
        }
        for (std::size_t pc = 0; pc < body.size(); ++pc) {
            const auto label = labels_.find(static_cast<int>(pc));
            if (label != labels_.end()) out.push_back(label->second + ":");
            out.push_back(aligned(body[pc], operands, waits));
        }
        return out;
    }

private:
    std::string run_on() const {
        const Runner& runner = plan_.runners[static_cast<std::size_t>(program_.runner)];
        if (runner.kind == RunnerKind::unlimited) return "run on  " + runner.name;
        return fmt::format("run on  {}  [{}]", runner.name, runner.workers);
    }

    static std::string aligned(const Line& l, std::size_t operands, std::size_t waits) {
        std::string out = fmt::format("{:<8}{:<{}} {:<{}} {}", l.op, l.operand, operands, l.waiting, waits, l.ways);
        while (!out.empty() && out.back() == ' ')
            out.pop_back();
        if (!l.note.empty()) out += " ; " + l.note;
        return out;
    }

    Line line(const Instruction& i) const {
        Line l;
        l.op = word(i.op);
        l.operand = operand(i);
        if (can_wait(i)) l.waiting = waiting_word(i.waiting);
        l.ways = ways(i);
        l.note = i.note;
        if (i.pinned) l.note = l.note.empty() ? "pinned" : "pinned, " + l.note;
        return l;
    }

    /// Work on the runner's own processor is what its workers are for: it is not a wait.
    bool can_wait(const Instruction& i) const {
        const Runner& runner = plan_.runners[static_cast<std::size_t>(program_.runner)];
        if (runner.kind == RunnerKind::unlimited) return false;
        if (i.op == Op::work) return i.resource != runner.cpu;
        return i.op == Op::delay || i.op == Op::acquire || i.op == Op::join || i.op == Op::poll;
    }

    std::string label(int pc) const {
        const auto found = labels_.find(pc);
        return found == labels_.end() ? "?" : found->second;
    }

    std::string pool(int index) const { return plan_.pools[static_cast<std::size_t>(index)].name; }
    std::string breaker(int index) const { return plan_.breakers[static_cast<std::size_t>(index)].name; }

    std::string operand(const Instruction& i) const {
        switch (i.op) {
        case Op::work:
        case Op::guest_work:
        case Op::spin: return cpu(i);
        case Op::allocate: return size_text(i.bytes) + ", live " + size_text(i.live);
        case Op::free: return size_text(i.live);
        case Op::collect: return "marking";
        case Op::delay: return delay(i);
        case Op::acquire: return pool(i.resource) + (i.timeout >= 0 ? " " + time_text(i.timeout) : "");
        case Op::release: return pool(i.resource);
        case Op::fork: return children(i);
        case Op::join: return i.timeout >= 0 ? time_text(i.timeout) : "";
        case Op::branch: return branch(i);
        case Op::send: return "";
        case Op::answer: return i.outcome == Outcome::ok ? "" : word(i.outcome);
        case Op::poll: return "sockets";
        case Op::submit: return children(i) + (i.detached ? " detached" : "");
        case Op::yield: return "";
        case Op::await: return "demand for " + pool(i.resource);
        case Op::add: return pool(i.resource);
        case Op::ask: return breaker(i.resource);
        case Op::tell: return breaker(i.resource) + (i.outcome == Outcome::ok ? " ok" : " failed");
        case Op::end: return word(i.outcome);
        }
        return "";
    }

    std::string cpu(const Instruction& i) const {
        std::string out = plan_.cpus[static_cast<std::size_t>(i.resource)].name + " " + i.amount.text();
        if (i.tier >= 0) out += " for " + plan_.tiers[static_cast<std::size_t>(i.tier)];
        return out;
    }

    std::string delay(const Instruction& i) const {
        std::string out = i.what.empty() ? "" : i.what + " ";
        out += i.amount.text();
        if (i.factor != 1) out += fmt::format(" x{}", i.factor);
        if (i.timeout >= 0) out += " within " + time_text(i.timeout);
        return out;
    }

    std::string children(const Instruction& i) const {
        std::string out;
        for (const Child& child : i.children) {
            if (!out.empty()) out += i.choose ? " | " : ", ";
            out += plan_.programs[static_cast<std::size_t>(child.program)].name;
            if (i.choose && i.children.size() > 1) out += fmt::format(" {}", child.weight);
        }
        return out;
    }

    std::string branch(const Instruction& i) const {
        if (resets(i)) return "on, counting anew";
        const std::string to = label(i.to);
        switch (i.branch) {
        case Branch::always: return to;
        case Branch::chance: return fmt::format("{} with chance {}", to, i.probability);
        case Branch::count: return fmt::format("{} up to {} times", to, i.limit);
        case Branch::more: return to + " while more";
        case Branch::unclaimed:
            return fmt::format("{} while {} is unclaimed{}", to, pool(i.resource),
                               i.limit > 0 ? ", if it woke nobody" : "");
        }
        return to;
    }

    std::string ways(const Instruction& i) const {
        std::string out;
        const auto add = [&](const char* when, const std::string& to) {
            out += (out.empty() ? "" : ", ") + std::string(when) + " " + to;
        };
        if (i.on_failure >= 0) add(i.op == Op::join ? "late" : "else", label(i.on_failure));
        if (i.on_full >= 0 && i.on_full != i.on_failure) add(i.op == Op::ask ? "else" : "full", label(i.on_full));
        if (i.on_child_failure >= 0) add("failed", label(i.on_child_failure));
        if (i.gives >= 0) out += " gives " + pool(i.gives);
        return out;
    }

    const Plan& plan_;
    const Program& program_;
    std::map<int, std::string> labels_;
};

const char* discipline_word(Discipline discipline) {
    switch (discipline) {
    case Discipline::fifo: return "fifo";
    case Discipline::barging: return "barging";
    case Discipline::hikari: return "hikari";
    }
    return "?";
}

Nanos quota_time(const Cpu& cpu) {
    return static_cast<Nanos>(cpu.quota * static_cast<double>(cpu.period));
}

std::string cpu_text(const Cpu& cpu) {
    std::string out = fmt::format("cpu     {}  [{}]", cpu.name, cpu.cores);
    if (cpu.sharing == Sharing::fcfs) out += " fcfs";
    if (cpu.usl_alpha != 0 || cpu.usl_beta != 0)
        out += fmt::format(" usl alpha={} beta={}", cpu.usl_alpha, cpu.usl_beta);
    if (cpu.quota > 0) out += fmt::format(" quota {} of every {}", time_text(quota_time(cpu)), time_text(cpu.period));
    return out + "\n";
}

std::string pool_text(const Pool& pool) {
    std::string out = fmt::format("pool    {}  [{}] {}", pool.name, pool.capacity, discipline_word(pool.discipline));
    if (pool.queue_limit >= 0) out += fmt::format(" queue {}", pool.queue_limit);
    if (pool.initial >= 0) out += fmt::format(" from {}", pool.initial);
    return out + "\n";
}

std::string breaker_text(const Breaker& b) {
    return fmt::format("breaker {}  opens at {}% of {} calls (at least {}) for {}, then tries {}\n", b.name,
                       b.threshold * 100, b.window, b.minimum, time_text(b.open), b.half_open);
}

std::string memory_text(const Plan& plan) {
    const Memory& m = plan.memory;
    if (m.heap <= 0) return "";
    std::string out =
        fmt::format("heap    {} baseline {} young {} to {} workers {}", size_text(m.heap), size_text(m.baseline),
                    size_text(m.young_least * m.heap), size_text(m.young_most * m.heap), m.workers);
    if (m.pause_goal > 0) out += " pause goal " + time_text(m.pause_goal);
    if (m.concurrent_workers > 0)
        out +=
            fmt::format(", {} mark beside when the old have {}", m.concurrent_workers, size_text(m.mark_at * m.heap));
    return out + "\n";
}

std::string runner_text(const Plan& plan, const Runner& r) {
    std::string out = "runner  " + r.name;
    if (r.kind != RunnerKind::unlimited) out += fmt::format("  [{}]", r.workers);
    if (r.cpu >= 0) out += " on " + plan.cpus[static_cast<std::size_t>(r.cpu)].name;
    if (r.kind == RunnerKind::carriers) out += fmt::format(" max {} min-runnable {}", r.max_workers, r.min_runnable);
    if (r.core >= 0) out += fmt::format(" core {}", r.core);
    if (r.queue_limit >= 0) out += fmt::format(" queue {}", r.queue_limit);
    if (r.start_cost > 0) out += " start " + time_text(r.start_cost);
    if (r.resume_cost > 0) out += " resume " + time_text(r.resume_cost);
    if (r.create_cost > 0) out += " create " + time_text(r.create_cost);
    if (r.create_bytes > 0) out += " and " + size_text(r.create_bytes);
    return out + "\n";
}

std::string load_text(const Plan& plan) {
    const Load& l = plan.load;
    std::string out = "load    ";
    switch (l.kind) {
    case LoadKind::closed: out += fmt::format("closed {} users", l.users); break;
    case LoadKind::open: out += fmt::format("open {}/s {}", l.rate, l.poisson ? "poisson" : "constant"); break;
    case LoadKind::burst: out += fmt::format("burst {} requests", l.requests); break;
    case LoadKind::fixed: out += fmt::format("fixed {} requests, {} users", l.requests, l.users); break;
    case LoadKind::stages:
        out += fmt::format("stages from {} users", l.start_users);
        for (const LoadStage& s : l.stages)
            out += fmt::format(", {} in {}", s.users, time_text(s.length));
        break;
    }
    const bool by_users = l.kind == LoadKind::closed || l.kind == LoadKind::fixed;
    if (by_users) out += l.together ? " together" : " spread over " + time_text(l.spread);
    if (l.keeps_worker) out += ", each one strand that loops";
    return out + "\n";
}

} // namespace

std::vector<std::string> program_lines(const Plan& plan, int program) {
    return Listing(plan, plan.programs[static_cast<std::size_t>(program)]).lines();
}

std::string text(const Plan& plan) {
    std::string out = plan.threads.empty() ? "" : "threads " + plan.threads + "\n";
    for (const Cpu& cpu : plan.cpus)
        out += cpu_text(cpu);
    for (const Pool& pool : plan.pools)
        out += pool_text(pool);
    for (const Breaker& breaker : plan.breakers)
        out += breaker_text(breaker);
    for (const Runner& runner : plan.runners)
        out += runner_text(plan, runner);
    out += memory_text(plan);
    out += load_text(plan);
    for (std::size_t p = 0; p < plan.programs.size(); ++p) {
        out += "\nprogram " + plan.programs[p].name + "\n";
        for (const std::string& line : program_lines(plan, static_cast<int>(p)))
            out += (line.back() == ':' ? "  " : "    ") + line + "\n";
    }
    return out;
}

} // namespace narrows::plan
