// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/mean_time.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <variant>

namespace narrows::scenario {

namespace {

/// Adds up mean times; one overload a kind of step.
struct MeanTime {
    const Scenario& scenario;
    /// Of endpoints that are called; infinite while one is being added up.
    std::map<std::string, double> known{};

    double sum(const Steps& steps) {
        double out = 0;
        for (const Step& step : steps)
            out += std::visit(*this, step.what);
        return out;
    }
    double endpoint(const std::string& name) {
        const auto [at, fresh] = known.emplace(name, std::numeric_limits<double>::infinity());
        if (!fresh) return at->second;
        for (const Endpoint& e : scenario.endpoints)
            if (e.name == name) known[name] = sum(e.steps);
        return known[name];
    }
    double operator()(const CpuStep& s) const { return s.demand.mean(); }
    double operator()(const QueryStep& s) const { return s.cpu.mean() + s.latency.mean(); }
    double operator()(const TransactionStep& s) { return sum(s.steps); }
    double operator()(const CallStep& s) {
        double time = std::numeric_limits<double>::infinity();
        const auto far = scenario.services.find(s.service);
        if (!s.endpoint.empty())
            time = endpoint(s.endpoint);
        else if (far != scenario.services.end())
            time = far->second.latency.mean() +
                   (far->second.cores || far->second.host == Host::application ? far->second.cpu.mean() : 0);
        return s.timeout ? std::min(time, static_cast<double>(s.timeout->count())) : time;
    }
    double operator()(const SleepStep& s) const { return s.time.mean(); }
    double operator()(const SpinStep& s) const { return s.time.mean(); }
    double operator()(const ParallelStep& s) {
        double longest = 0;
        for (const Steps& branch : s.branches)
            longest = std::max(longest, sum(branch));
        return longest;
    }
    double operator()(const SynchronizedStep& s) { return sum(s.steps); }
    double operator()(const LockStep& s) { return sum(s.steps); }
    double operator()(const SemaphoreStep& s) { return sum(s.steps); }
    double operator()(const NativeStep& s) { return s.time.mean() + sum(s.steps); }
    double operator()(const ClassInitStep& s) { return s.time.mean() + sum(s.steps); }
    double operator()(const FileIoStep& s) const { return s.time.mean(); }
    double operator()(const RetryStep& s) { return sum(s.steps); }
    double operator()(const ChooseStep& s) {
        double weights = 0;
        double out = 0;
        for (const auto& branch : s.branches) {
            weights += branch.weight;
            out += branch.weight * sum(branch.steps);
        }
        return weights > 0 ? out / weights : 0;
    }
    double operator()(const UseStep& s) { return sum(s.steps); }
    double operator()(const AsyncStep& s) { return s.await ? sum(s.steps) : 0; }
    double operator()(const BreakerStep& s) { return sum(s.steps); }
};

} // namespace

double mean_time(const Steps& steps, const Scenario& scenario) {
    return MeanTime{scenario}.sum(steps);
}

} // namespace narrows::scenario
