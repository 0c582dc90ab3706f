// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing on the server can move: who holds what, and who waits for it.
#include "engine/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace narrows::engine {

namespace {

constexpr std::size_t kMaxLines = 12;

std::string plural(std::uint64_t n, const std::string& noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// What runs for ever and is no request.
bool is_daemon(plan::Op op) {
    return op == plan::Op::poll || op == plan::Op::await || op == plan::Op::collect;
}

/// "hikari" or "hikari and monitor audit": what a strand at this instruction holds.
std::string held_names(const plan::Plan& plan, const std::vector<int>& pools) {
    std::string text;
    for (const int pool : pools) {
        if (!text.empty()) text += " and ";
        text += plan.pools[static_cast<std::size_t>(pool)].name;
    }
    return text;
}

} // namespace

/// Called when server strands exist and time passes for none of them: no request can finish unless
/// a time-out fires, whatever may still arrive.
void Interpreter::report_stall() {
    stalled_ = true;
    auto& rec = recorder_.recording;
    const bool helped = server_timers_ > 0;
    if (rec.knot) ++rec.knot->times;
    if (!rec.knot || !helped) {
        // Equal situations share a line: program, instruction, and whether only a worker is missing.
        struct Situation {
            std::size_t program, pc;
            bool lacks_worker;
            int gift; ///< pool whose permit was left to it, -1 = none
            auto operator<=>(const Situation&) const = default;
        };
        std::map<Situation, std::uint64_t> situations;
        std::uint64_t stuck = 0;
        for (std::size_t i = 0; i < strands_.size(); ++i) {
            const Strand& s = strands_[static_cast<StrandId>(i)];
            if (s.state == State::free || code_of(s).session || is_daemon(code_of(s).op)) continue;
            const auto program = static_cast<std::size_t>(code_of(s).program);
            ++situations[{program, s.pc - static_cast<std::size_t>(lowered_.entry[program]), s.state == State::queued,
                          s.gift}];
            stuck += lowered_.endpoint[program] >= 0 ? 1 : 0;
        }
        measure::Knot knot;
        knot.at_ms = milliseconds(now_);
        knot.stuck = stuck;
        knot.times = rec.knot ? rec.knot->times : 1;
        std::vector<std::pair<std::uint64_t, std::string>> lines;
        for (const auto& [where, count] : situations) {
            const auto& program = plan_.programs[where.program];
            const auto& in = program.code[where.pc];
            const auto& runner = plan_.runners[static_cast<std::size_t>(program.runner)];
            auto pools = plan::holdings(plan_, static_cast<int>(where.program))[where.pc];
            if (where.gift >= 0) pools.push_back(where.gift);
            const auto held = held_names(plan_, pools);
            std::string line = plural(count, program.endpoint >= 0 ? "request" : "strand");
            const bool one = count == 1;
            if (!held.empty()) line += fmt::format(" {} {} and", one ? "holds" : "hold", held);
            if (where.lacks_worker) {
                line +=
                    fmt::format(" {} for one of {} {}, all held", one ? "waits" : "wait", runner.workers, runner.name);
            } else if (in.op == plan::Op::acquire) {
                const auto& pool = pools_[static_cast<std::size_t>(in.resource)].permits;
                line +=
                    fmt::format(" {} for {} ({} of {} taken)", one ? "waits" : "wait",
                                plan_.pools[static_cast<std::size_t>(in.resource)].name, pool.taken(), pool.capacity());
            } else {
                line += one ? " waits for what it started" : " wait for what they started";
            }
            if (!where.lacks_worker && runner.kind != plan::RunnerKind::unlimited && in.waiting != plan::Waiting::park)
                line += fmt::format(", keeping {} of {} {}", one ? "one" : fmt::format("{}", count), runner.workers,
                                    runner.name);
            if (in.pinned && !where.lacks_worker) line += " (pinned)";
            lines.emplace_back(count, std::move(line));
        }
        std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        if (lines.size() > kMaxLines) lines.resize(kMaxLines);
        for (auto& line : lines)
            knot.lines.push_back(std::move(line.second));
        rec.knot = std::move(knot);
    }
    rec.knot->until_timeout = helped;
    if (!helped) {
        rec.deadlock = true;
        over_ = true;
    }
}

} // namespace narrows::engine
