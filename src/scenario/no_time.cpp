// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a handler can take any time at all.
#include "scenario/steps.hpp"

#include <algorithm>

namespace narrows::scenario {

namespace {

struct NoTime {
    const std::map<std::string, Service>& services;

    bool all(const Steps& steps) const { return takes_no_time(steps, services); }
    bool operator()(const CpuStep& s) const { return s.demand.is_zero(); }
    bool operator()(const QueryStep& s) const { return s.cpu.is_zero() && s.latency.is_zero(); }
    bool operator()(const TransactionStep& s) const { return all(s.steps); }
    bool operator()(const CallStep& s) const {
        const auto service = services.find(s.service);
        return service != services.end() && service->second.latency.is_zero() && service->second.cpu.is_zero();
    }
    bool operator()(const SleepStep& s) const { return s.time.is_zero(); }
    bool operator()(const ParallelStep& s) const {
        return std::all_of(s.branches.begin(), s.branches.end(), [&](const Steps& branch) { return all(branch); });
    }
    bool operator()(const SynchronizedStep& s) const { return all(s.steps); }
    bool operator()(const LockStep& s) const { return all(s.steps); }
    bool operator()(const SemaphoreStep& s) const { return all(s.steps); }
    bool operator()(const NativeStep& s) const { return s.time.is_zero() && all(s.steps); }
    bool operator()(const ClassInitStep& s) const { return s.time.is_zero() && all(s.steps); }
    bool operator()(const FileIoStep& s) const { return s.time.is_zero(); }
    bool operator()(const RetryStep& s) const { return all(s.steps); }
    bool operator()(const ChooseStep& s) const {
        return std::all_of(s.branches.begin(), s.branches.end(), [&](const auto& branch) { return all(branch.steps); });
    }
    bool operator()(const UseStep& s) const { return all(s.steps); }
};

} // namespace

bool takes_no_time(const Steps& steps, const std::map<std::string, Service>& services) {
    return std::all_of(steps.begin(), steps.end(),
                       [&](const Step& step) { return std::visit(NoTime{services}, step.what); });
}

} // namespace narrows::scenario
