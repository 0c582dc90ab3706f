// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/mean_time.hpp"

#include <algorithm>
#include <limits>

namespace narrows::scenario {

namespace {

/// Adds up mean times; one overload a kind of step.
struct MeanTime {
    const std::map<std::string, Service>& services;

    double sum(const Steps& steps) const { return mean_time(steps, services); }
    double operator()(const CpuStep& s) const { return s.demand.mean(); }
    double operator()(const QueryStep& s) const { return s.cpu.mean() + s.latency.mean(); }
    double operator()(const TransactionStep& s) const { return sum(s.steps); }
    double operator()(const CallStep& s) const {
        const auto far = services.find(s.service);
        if (far == services.end()) return std::numeric_limits<double>::infinity();
        const double time = far->second.latency.mean() +
                            (far->second.cores || far->second.host == Host::application ? far->second.cpu.mean() : 0);
        return s.timeout ? std::min(time, static_cast<double>(s.timeout->count())) : time;
    }
    double operator()(const SleepStep& s) const { return s.time.mean(); }
    double operator()(const SpinStep& s) const { return s.time.mean(); }
    double operator()(const ParallelStep& s) const {
        double longest = 0;
        for (const Steps& branch : s.branches)
            longest = std::max(longest, sum(branch));
        return longest;
    }
    double operator()(const SynchronizedStep& s) const { return sum(s.steps); }
    double operator()(const LockStep& s) const { return sum(s.steps); }
    double operator()(const SemaphoreStep& s) const { return sum(s.steps); }
    double operator()(const NativeStep& s) const { return s.time.mean() + sum(s.steps); }
    double operator()(const ClassInitStep& s) const { return s.time.mean() + sum(s.steps); }
    double operator()(const FileIoStep& s) const { return s.time.mean(); }
    double operator()(const RetryStep& s) const { return sum(s.steps); }
    double operator()(const ChooseStep& s) const {
        double weights = 0;
        double out = 0;
        for (const auto& branch : s.branches) {
            weights += branch.weight;
            out += branch.weight * sum(branch.steps);
        }
        return weights > 0 ? out / weights : 0;
    }
    double operator()(const UseStep& s) const { return sum(s.steps); }
};

} // namespace

double mean_time(const Steps& steps, const std::map<std::string, Service>& services) {
    double out = 0;
    for (const Step& step : steps)
        out += std::visit(MeanTime{services}, step.what);
    return out;
}

} // namespace narrows::scenario
