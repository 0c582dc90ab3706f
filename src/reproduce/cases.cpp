// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/compile.hpp"
#include "reproduce/reproduce.hpp"
#include "scenario/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace narrows::reproduce {

namespace {

/// All points of all cases as one sweep, so that every worker has something to do to the end.
struct Work {
    std::vector<experiment::Task> tasks;
    std::vector<std::size_t> task_of; ///< by entry, over all cases
};

scenario::Scenario read(const std::string& name, const scenario::Settings& at) {
    auto reading = scenario::read(name, at);
    if (reading.scenario) return std::move(*reading.scenario);
    throw NoCase(reading.problems.empty() ? name + ": cannot be read" : reading.problems.front().text());
}

/// Two entries may speak of one point in another order of its settings.
std::string point_key(const std::string& name, scenario::Settings at) {
    std::sort(at.begin(), at.end());
    std::string key = name;
    for (const auto& [path, value] : at)
        key += fmt::format("\n{}\n{}", path, value);
    return key;
}

void add_points(const std::string& name, const scenario::Scenario& base, Work& work) {
    std::map<std::string, std::size_t> known;
    for (const auto& entry : base.published) {
        const auto [it, is_new] = known.emplace(point_key(name, entry.at), work.tasks.size());
        work.task_of.push_back(it->second);
        if (!is_new) continue;
        experiment::Task task;
        // Its number, because points of several cases may have the same settings.
        task.at = {{"point", std::to_string(work.tasks.size())}};
        task.scenario = read(name, entry.at);
        task.threads = models::default_threads(task.scenario);
        work.tasks.push_back(std::move(task));
    }
}

std::string seconds(Duration time) {
    return report::milliseconds(static_cast<double>(time.count()) / 1e6);
}

std::string runs_of(const scenario::Scenario& base) {
    const auto& m = base.measure;
    const std::string times = m.replications ? std::to_string(*m.replications) : "auto";
    using scenario::LoadKind;
    switch (base.load.kind) {
    case LoadKind::burst:
    case LoadKind::fixed: return times + " × the whole load";
    case LoadKind::stages: return times + " × all stages";
    default: return fmt::format("{} × {}", times, seconds(m.duration));
    }
}

Case heading(const std::string& name, const scenario::Scenario& base) {
    Case out;
    out.name = name;
    out.title = base.name;
    out.source = base.source_title;
    out.runs = runs_of(base);
    out.guessed = base.guessed.size();
    out.fitted = base.fitted.size();
    return out;
}

using Outcomes = std::vector<std::pair<const measure::Result*, std::string>>; ///< result or failure, by task

Outcomes by_task(const Work& work, const experiment::SweepOutcome& outcome) {
    Outcomes out(work.tasks.size());
    std::map<std::string, std::size_t> number;
    for (std::size_t i = 0; i < work.tasks.size(); ++i)
        number[work.tasks[i].at.front().second] = i;
    for (const auto& result : outcome.results)
        out[number.at(result.at.front().second)].first = &result;
    for (const auto& failure : outcome.failures)
        out[number.at(failure.at.front().second)].second = failure.reason;
    return out;
}

} // namespace

std::vector<std::string> shipped_cases() {
    std::vector<std::string> out;
    for (const auto& shipped : scenario::catalogue()) {
        if (shipped.folder != "seeds" && shipped.folder != "published") continue;
        const auto reading = scenario::read_text(shipped.yaml, std::string(shipped.name), {});
        if (reading.scenario && !reading.scenario->published.empty()) out.emplace_back(shipped.name);
    }
    return out;
}

std::vector<Case> run(const std::vector<std::string>& names, const experiment::Options& options) {
    Work work;
    std::vector<Case> cases;
    std::vector<scenario::Scenario> bases;
    for (const auto& name : names) {
        bases.push_back(read(name, {}));
        if (bases.back().published.empty())
            throw NoCase(name + ": has no published figures; scenarios of your own may have them under `published:`");
        cases.push_back(heading(name, bases.back()));
        add_points(name, bases.back(), work);
    }
    const auto outcome = experiment::run_sweep(work.tasks, options);
    if (outcome.interrupted) throw experiment::Interrupted();
    const auto found = by_task(work, outcome);
    std::size_t entry_index = 0;
    for (std::size_t c = 0; c < cases.size(); ++c)
        for (const auto& entry : bases[c].published) {
            const auto& [result, failure] = found[work.task_of[entry_index++]];
            Entry out{entry.at, {}, entry.note, entry.remark, failure};
            if (result != nullptr) out.lines = judge(entry, *result, bases[c].fitted.empty());
            cases[c].entries.push_back(std::move(out));
        }
    return cases;
}

} // namespace narrows::reproduce
