// SPDX-License-Identifier: GPL-3.0-or-later
// Exact results of queueing theory that the engine is judged by. Units are the caller's: any time
// unit, rates per that unit. Sources:
//   Kleinrock   L. Kleinrock, "Queueing Systems, Volume 1: Theory", 1975, chapters 3, 5 and 6
//   Kelly       F. P. Kelly, "Reversibility and Stochastic Networks", 1979 (insensitivity)
//   Reiser      M. Reiser, S. S. Lavenberg, "Mean-value analysis of closed multichain queuing
//               networks", J. ACM 27(2), 1980, with the load-dependent form of
//               E. D. Lazowska et al., "Quantitative System Performance", 1984, section 8.2
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace narrows::testing {

/// Probability that c servers offered `a` erlangs are all busy when there is no queue (Kleinrock
/// 3.6; the usual recursion, which neither overflows nor cancels).
inline double erlang_b(int servers, double a) {
    double b = 1;
    for (int k = 1; k <= servers; ++k)
        b = a * b / (k + a * b);
    return b;
}

/// Probability that an arrival waits in M/M/c. Precondition: a < servers.
inline double erlang_c(int servers, double a) {
    const double b = erlang_b(servers, a);
    return b / (1 - a / servers * (1 - b));
}

/// Mean response time of M/M/c.
inline double mmc_response(double rate, double service, int servers) {
    const double a = rate * service;
    return service + erlang_c(servers, a) * service / (servers - a);
}

/// Mean response time of M/G/1, first come first served (Pollaczek and Khinchine; Kleinrock 5.7).
inline double mg1_response(double rate, double service, double squared_cv) {
    const double rho = rate * service;
    return service + rate * service * service * (1 + squared_cv) / (2 * (1 - rho));
}

/// Mean response time of M/G/1 under processor sharing, whatever the distribution (Kelly 3.3).
inline double mg1_ps_response(double rate, double service) {
    return service / (1 - rate * service);
}

/// Quantile q of M/M/1's response time, which is exponential (Kleinrock 5.7).
inline double mm1_response_quantile(double rate, double service, double q) {
    return -std::log(1 - q) / (1 / service - rate);
}

/// Mean response time of E2/M/1: `rate` arrivals a unit whose gaps have two exponential stages. The
/// response is exponential with mean service/(1 - sigma), sigma = A*((1 - sigma)/service) with A* the
/// transform of the gap (Kleinrock 6.4). Solved by bisection.
inline double e2m1_response(double rate, double service) {
    const auto f = [&](double sigma) {
        const double stage = 2 * rate / (2 * rate + (1 - sigma) / service);
        return stage * stage - sigma;
    };
    double low = 0, high = 1 - 1e-9; // f(0) > 0; 1 is a root too, f < 0 just below it
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (f(middle) > 0 ? low : high) = middle;
    }
    return service / (1 - low);
}

/// Stationary probabilities of a birth-death chain on 0 … n with birth(k) from k to k+1 and death(k)
/// from k to k-1 (Kleinrock 3.1).
template <class Birth, class Death> std::vector<double> birth_death(int n, Birth birth, Death death) {
    std::vector<double> p(static_cast<std::size_t>(n) + 1);
    p[0] = 1;
    double sum = 1;
    for (int k = 1; k <= n; ++k) {
        const auto i = static_cast<std::size_t>(k);
        p[i] = p[i - 1] * birth(k - 1) / death(k);
        sum += p[i];
    }
    for (double& x : p)
        x /= sum;
    return p;
}

/// A figure of a system with a finite number of customers inside.
struct Stationary {
    double throughput = 0; ///< of those served
    double response = 0;   ///< of those served
    double inside = 0;     ///< mean number in the system
    double lost = 0;       ///< share of arrivals turned away
};

/// M/M/c/K: at most K inside, servers included; others are lost.
inline Stationary mmck(double rate, double service, int servers, int most) {
    const auto p = birth_death(most, [&](int) { return rate; }, [&](int k) { return std::min(k, servers) / service; });
    Stationary out;
    for (int k = 0; k <= most; ++k)
        out.inside += k * p[static_cast<std::size_t>(k)];
    out.lost = p[static_cast<std::size_t>(most)];
    out.throughput = rate * (1 - out.lost);
    out.response = out.inside / out.throughput;
    return out;
}

/// Machine repairman, M/M/c//N: `machines` work for an exponential time of mean `up`, then need one
/// of `servers` repairmen for an exponential time of mean `service`.
inline Stationary machine_repairman(int machines, double up, double service, int servers) {
    const auto p = birth_death(
        machines, [&](int k) { return (machines - k) / up; }, [&](int k) { return std::min(k, servers) / service; });
    Stationary out;
    for (int k = 0; k <= machines; ++k) {
        out.inside += k * p[static_cast<std::size_t>(k)];
        out.throughput += std::min(k, servers) / service * p[static_cast<std::size_t>(k)];
    }
    out.response = out.inside / out.throughput;
    return out;
}

/// A station of a closed product-form network: `servers` of speed 1 (0: a delay).
struct MvaStation {
    double demand = 0;
    int servers = 1;
};
struct MvaResult {
    double throughput = 0;
    double response = 0;        ///< of a cycle without the delays' think time `think`
    std::vector<double> inside; ///< mean number at each station
};

/// Exact mean value analysis of one class. Multi-server stations are load dependent: with j inside
/// they work at rate min(j, servers), and their marginal probabilities are carried along.
inline MvaResult exact_mva(const std::vector<MvaStation>& stations, int customers, double think) {
    const std::size_t m = stations.size();
    MvaResult out;
    out.inside.assign(m, 0);
    // p[i][j]: probability of j inside station i, with one customer fewer.
    std::vector<std::vector<double>> p(m, std::vector<double>(static_cast<std::size_t>(customers) + 1, 0.0));
    for (auto& of_one : p)
        of_one[0] = 1;
    std::vector<double> response(m);
    for (int n = 1; n <= customers; ++n) {
        out.response = 0;
        for (std::size_t i = 0; i < m; ++i) {
            const auto& s = stations[i];
            if (s.servers == 0)
                response[i] = s.demand;
            else if (s.servers == 1)
                response[i] = s.demand * (1 + out.inside[i]);
            else {
                response[i] = 0;
                for (int j = 1; j <= n; ++j)
                    response[i] += s.demand * j / std::min(j, s.servers) * p[i][static_cast<std::size_t>(j) - 1];
            }
            out.response += response[i];
        }
        out.throughput = n / (think + out.response);
        for (std::size_t i = 0; i < m; ++i) {
            const auto& s = stations[i];
            out.inside[i] = out.throughput * response[i];
            if (s.servers < 2) continue;
            double sum = 0;
            for (int j = n; j >= 1; --j) {
                const auto k = static_cast<std::size_t>(j);
                p[i][k] = s.demand / std::min(j, s.servers) * out.throughput * p[i][k - 1];
                sum += p[i][k];
            }
            p[i][0] = std::max(0.0, 1 - sum);
        }
    }
    return out;
}

} // namespace narrows::testing
