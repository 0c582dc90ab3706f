// SPDX-License-Identifier: GPL-3.0-or-later
// Permits are followed by abstract interpretation over each program's control flow graph: the state at an instruction
// is the multiset of pools held, and all paths to it must agree.
#include "plan/check_flow.hpp"

#include "plan/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace narrows::plan {

namespace {

using Held = std::vector<int>; ///< sorted, with repetition
using Problems = std::vector<std::string>;

// ------------------------------------------------------------------------------ permits

std::string names(const Plan& plan, const Held& held) {
    if (held.empty()) return "nothing";
    std::string out;
    for (const int pool : held)
        out += (out.empty() ? "" : ", ") + plan.pools[static_cast<std::size_t>(pool)].name;
    return out;
}

/// Follows permits through one program. Precondition: labels and pools exist.
class PermitFlow {
public:
    PermitFlow(const Plan& plan, const Program& program, Problems& out)
        : plan_(plan), program_(program), out_(out), at_(program.code.size()) {}

    void run() {
        reach(0, {});
        while (!todo_.empty()) {
            const int pc = todo_.back();
            todo_.pop_back();
            step(pc);
        }
    }

    std::vector<Held> states() const {
        std::vector<Held> out;
        for (const auto& state : at_)
            out.push_back(state.value_or(Held{}));
        return out;
    }

private:
    void bad(int pc, const std::string& what) { out_.push_back(fmt::format("{}:{}: {}", program_.name, pc, what)); }

    void step(int pc) {
        const Held held = *at_[static_cast<std::size_t>(pc)];
        const Instruction& i = program_.code[static_cast<std::size_t>(pc)];
        if (i.op == Op::end && !held.empty()) bad(pc, "ends while it holds " + names(plan_, held));
        for (const Edge& edge : edges(program_, pc)) {
            Held after = held;
            if (edge.gives >= 0) {
                const auto found = std::find(after.begin(), after.end(), edge.gives);
                if (found == after.end()) {
                    bad(pc, fmt::format("{} {}, which is not held", i.op == Op::join ? "gives" : "releases",
                                        plan_.pools[static_cast<std::size_t>(edge.gives)].name));
                    continue;
                }
                after.erase(found);
            }
            if (edge.takes >= 0) after.insert(std::upper_bound(after.begin(), after.end(), edge.takes), edge.takes);
            if (!in(edge.to, program_.code))
                bad(pc, "runs off the end of the program");
            else
                reach(edge.to, after);
        }
    }

    void reach(int pc, const Held& held) {
        auto& state = at_[static_cast<std::size_t>(pc)];
        if (!state) {
            state = held;
            todo_.push_back(pc);
        } else if (*state != held) {
            bad(pc, fmt::format("is reached holding {} and holding {}", names(plan_, *state), names(plan_, held)));
        }
    }

    const Plan& plan_;
    const Program& program_;
    Problems& out_;
    std::vector<std::optional<Held>> at_;
    std::vector<int> todo_;
};

// ------------------------------------------------------------------------------ loops

/// A loop in which no instruction can take time would never let the clock go on.
class IdleLoops {
public:
    explicit IdleLoops(const Program& program) : program_(program), color_(program.code.size(), 0) {}

    bool found() {
        for (int pc = 0; in(pc, program_.code); ++pc)
            if (visit(pc)) return true;
        return false;
    }

private:
    bool visit(int pc) {
        const auto at = static_cast<std::size_t>(pc);
        if (color_[at] != 0) return false;
        color_[at] = 1;
        for (const Edge& edge : edges(program_, pc)) {
            if (!edge.free || !in(edge.to, program_.code)) continue;
            if (color_[static_cast<std::size_t>(edge.to)] == 1 || visit(edge.to)) return true;
        }
        color_[at] = 2;
        return false;
    }

    const Program& program_;
    std::vector<char> color_; ///< 0 new, 1 on the path, 2 done
};

/// Programs that fork themselves, through any number of others, would never end.
class ForkLoops {
public:
    explicit ForkLoops(const Plan& plan) : plan_(plan), color_(plan.programs.size(), 0) {}

    void run(Problems& out) {
        for (int p = 0; in(p, plan_.programs); ++p)
            if (visit(p))
                out.push_back(fmt::format("program {} forks itself", plan_.programs[static_cast<std::size_t>(p)].name));
    }

private:
    bool visit(int p) {
        const auto at = static_cast<std::size_t>(p);
        if (color_[at] == 1) return true;
        if (color_[at] == 2) return false;
        color_[at] = 1;
        bool loop = false;
        for (const Instruction& i : plan_.programs[at].code)
            for (const Child& child : i.children)
                loop = loop || visit(child.program);
        color_[at] = 2;
        return loop;
    }

    const Plan& plan_;
    std::vector<char> color_;
};

} // namespace

void check_permits(const Plan& plan, const Program& program, Problems& out) {
    PermitFlow(plan, program, out).run();
}

bool has_idle_loop(const Program& program) {
    return IdleLoops(program).found();
}

void check_fork_loops(const Plan& plan, Problems& out) {
    ForkLoops(plan).run(out);
}

std::vector<std::vector<int>> holdings(const Plan& plan, int program) {
    Problems ignored;
    PermitFlow flow(plan, plan.programs[static_cast<std::size_t>(program)], ignored);
    flow.run();
    return flow.states();
}

} // namespace narrows::plan
