// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic/repairman.hpp"

#include <algorithm>

namespace narrows::analytic {

namespace {

template <typename Function>
Repairs solve(std::int64_t customers, double think, double service, std::int64_t servers, Function capacity) {
    constexpr double kLarge = 1e250;
    Repairs out;
    const auto c = static_cast<double>(servers);
    if (think < 1e-12 * service) { // nobody is ever elsewhere
        const auto n = static_cast<double>(customers);
        out.throughput = capacity(customers) / service;
        out.response = n / out.throughput;
        out.inside = n;
        out.full = customers >= servers ? 1 : 0;
        out.utilization = std::min(n, c) / c;
        return out;
    }
    double p = 1, sum = 1, done = 0;
    for (std::int64_t n = 1; n <= customers; ++n) {
        const double progress = capacity(n);
        p *= static_cast<double>(customers - n + 1) * service / (think * progress);
        sum += p;
        out.inside += p * static_cast<double>(n);
        done += p * progress;
        out.utilization += p * std::min(static_cast<double>(n), c) / c;
        if (n >= servers) out.full += p;
        if (p > kLarge)
            for (double* x : {&p, &sum, &done, &out.inside, &out.full, &out.utilization})
                *x /= kLarge;
    }
    out.inside /= sum;
    out.full /= sum;
    out.utilization /= sum;
    out.throughput = done / sum / service;
    out.response = out.inside / out.throughput;
    return out;
}

} // namespace

Repairs repairman(std::int64_t customers, double think, double service, std::int64_t servers,
                  const Capacity& capacity) {
    return solve(customers, think, service, servers, capacity);
}

Repairs repairman(std::int64_t customers, double think, double service, std::int64_t servers) {
    return solve(customers, think, service, servers,
                 [servers](std::int64_t n) { return static_cast<double>(std::min(n, servers)); });
}

} // namespace narrows::analytic
