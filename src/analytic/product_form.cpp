// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic/product_form.hpp"

#include <algorithm>
#include <cmath>

namespace narrows::analytic {

namespace {

using Logs = std::vector<double>; ///< logarithms of weights, by number of customers

Logs weights(const Station& station, std::int64_t customers) {
    Logs out{0.0};
    out.reserve(static_cast<std::size_t>(customers) + 1);
    for (std::int64_t n = 1; n <= customers; ++n) {
        const double progress = station.capacity ? station.capacity(n) : static_cast<double>(n);
        out.push_back(out.back() + std::log(station.demand / progress));
    }
    return out;
}

/// Log of sum over k of exp(a[k] + b[n - k]). Terms below the greatest by a factor of 1e-20 are left out: where
/// capacities do not fall, the terms rise to one peak and fall, so that leaving begins at the peak; else all are
/// looked at.
double fold(const Logs& a, const Logs& b, std::size_t n, std::size_t& peak, bool one_peak) {
    constexpr double kNegligible = -46;
    const auto term = [&](std::size_t k) { return a[k] + b[n - k]; };
    std::size_t top = std::min(peak, n);
    if (one_peak) {
        while (top < n && term(top + 1) >= term(top))
            ++top;
        while (top > 0 && term(top - 1) > term(top))
            --top;
    } else {
        for (std::size_t k = 0; k <= n; ++k)
            if (term(k) > term(top)) top = k;
    }
    peak = top;
    const double most = term(top);
    double sum = 0;
    for (std::size_t k = top + 1; k-- > 0;) {
        const double x = term(k) - most;
        if (x > kNegligible)
            sum += std::exp(x);
        else if (one_peak)
            break;
    }
    for (std::size_t k = top + 1; k <= n; ++k) {
        const double x = term(k) - most;
        if (x > kNegligible)
            sum += std::exp(x);
        else if (one_peak)
            break;
    }
    return most + std::log(sum);
}

Logs convolve(const Logs& a, const Logs& b, bool one_peak) {
    Logs out(a.size());
    std::size_t peak = 0;
    for (std::size_t n = 0; n < a.size(); ++n)
        out[n] = fold(a, b, n, peak, one_peak);
    return out;
}

bool never_falls(const Station& station, std::int64_t customers) {
    if (!station.capacity) return true;
    for (std::int64_t n = 1; n < customers; ++n)
        if (station.capacity(n + 1) < station.capacity(n)) return false;
    return true;
}

} // namespace

Network product_form(const std::vector<Station>& stations, std::int64_t customers) {
    double delay = 0;
    for (const auto& s : stations)
        if (!s.capacity) delay += s.demand;
    Logs all{0.0};
    all.resize(static_cast<std::size_t>(customers) + 1, -1e300);
    bool one_peak = true, first = true;
    const auto add = [&](const Station& s) {
        if (s.demand <= 0) return;
        one_peak = one_peak && never_falls(s, customers);
        all = first ? weights(s, customers) : convolve(all, weights(s, customers), one_peak);
        first = false;
    };
    add({delay, {}});
    for (const auto& s : stations)
        if (s.capacity) add(s);
    const auto n = static_cast<std::size_t>(customers);
    Network out;
    out.throughput = std::exp(all[n - 1] - all[n]);
    out.cycle = static_cast<double>(customers) / out.throughput;
    return out;
}

} // namespace narrows::analytic
