// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic/open_queues.hpp"

#include <limits>

namespace narrows::analytic {

namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}

double erlang_b(std::int64_t servers, double a) {
    double b = 1;
    for (std::int64_t k = 1; k <= servers; ++k)
        b = a * b / (static_cast<double>(k) + a * b);
    return b;
}

double erlang_c(std::int64_t servers, double a) {
    const auto c = static_cast<double>(servers);
    if (a >= c) return 1;
    const double b = erlang_b(servers, a);
    return b / (1 - a / c * (1 - b));
}

double mmc_wait(double rate, double service, std::int64_t servers) {
    const double a = rate * service;
    const auto c = static_cast<double>(servers);
    return a >= c ? kNever : erlang_c(servers, a) * service / (c - a);
}

double mg1_wait(double rate, double service, double squared_cv) {
    const double rho = rate * service;
    return rho >= 1 ? kNever : rho * service * (1 + squared_cv) / (2 * (1 - rho));
}

double open_station(double rate, double service, const std::function<double(std::int64_t)>& capacity) {
    constexpr std::int64_t kMost = 1'000'000;
    constexpr double kTail = 1e-17, kLarge = 1e250;
    double p = 1, sum = 1, inside = 0;
    for (std::int64_t n = 1; n <= kMost; ++n) {
        const double ratio = rate * service / capacity(n);
        p *= ratio;
        sum += p;
        inside += p * static_cast<double>(n);
        if (p > kLarge) {
            p /= kLarge;
            sum /= kLarge;
            inside /= kLarge;
        }
        // Beyond here a geometric series, if the capacity falls no further.
        if (ratio < 1 && p * static_cast<double>(n) / (1 - ratio) < kTail * inside) return inside / sum / rate;
    }
    return kNever;
}

} // namespace narrows::analytic
