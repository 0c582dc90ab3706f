// SPDX-License-Identifier: GPL-3.0-or-later
#include "audit/laws.hpp"

#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace narrows::audit {

namespace {

using report::count;
using report::number;

/// "95.2 ms", "100 ms", "0.412 ms": three digits at least, since small differences matter here.
std::string time(double ms) {
    if (ms >= 1000) return report::milliseconds(ms);
    const std::string text = ms >= 10  ? fmt::format("{:.1f}", ms)
                             : ms >= 1 ? fmt::format("{:.2f}", ms)
                                       : fmt::format("{:.3g}", ms);
    const bool whole = text.ends_with(".0") || text.ends_with(".00");
    return (whole ? text.substr(0, text.find('.')) : text) + " ms";
}

std::string cores(double value) {
    return value == 1 ? "1 core" : count(value) + " cores";
}

class Judge {
public:
    Judge(const Row& row, double tolerance) : row_(row), tolerance_(tolerance) {
        out_.line = row.line;
        out_.label = row.label;
    }

    Verdict verdict() {
        users();
        little();
        hold("threads", "threads", row_.threads, row_.hold_ms);
        hold("pool", "permits", row_.pool, row_.pool_hold_ms);
        demand();
        utilization();
        response();
        return std::move(out_);
    }

private:
    void flag(const char* law, double stated, double limit, std::string message) {
        out_.findings.push_back({law, std::move(message), stated, limit});
    }
    bool above(double value, double limit) const { return value > limit * (1 + tolerance_); }
    bool below(double value, double limit) const { return value < limit * (1 - tolerance_); }
    void imply(std::string text) { out_.implied.push_back(std::move(text)); }
    bool fails() const { return row_.errors.value_or(0) > 0; }
    /// Requests a second that surely held and asked what is stated.
    double good() const { return *row_.throughput_rps * (1 - row_.errors.value_or(0)); }
    std::string rate() const { return fmt::format("{} req/s{}", number(good()), fails() ? " without errors" : ""); }

    /// The least time between two requests of one user that the row states, and its words; 0 if none.
    double least_cycle(std::string& what) const {
        const double held = std::max(row_.hold_ms.value_or(0), row_.pool_hold_ms.value_or(0));
        const double sum = held > 0 ? held + row_.think_ms.value_or(0) : row_.think_ms.value_or(0);
        if (row_.cycle_ms && *row_.cycle_ms >= sum) {
            what = fmt::format("the stated {}", time(*row_.cycle_ms));
            return *row_.cycle_ms;
        }
        what = held > 0 && row_.think_ms.value_or(0) > 0
                   ? fmt::format("the {} of hold and think time stated", time(sum))
                   : fmt::format("the stated {} of {}", held > 0 ? "hold" : "think time", time(sum));
        return sum;
    }

    /// X (R + Z) = N, R >= the least: X <= N / (Z + the least).
    void users() {
        if (!row_.users || !row_.throughput_rps) return;
        const double cycle = *row_.users / good() * 1000;
        std::string stated;
        const double least = good() > 0 ? least_cycle(stated) : 0;
        const double limit = least > 0 ? *row_.users / least * 1000 : 0;
        const bool flagged = least > 0 && above(good(), limit);
        if (!row_.mean_ms && good() > 0 && !flagged)
            imply(row_.think_ms ? fmt::format("mean response {}", time(std::max(0.0, cycle - *row_.think_ms)))
                                : fmt::format("a cycle of {}", time(cycle)));
        if (least <= 0) return;
        ++out_.checks;
        if (flagged)
            flag("users", good(), limit,
                 fmt::format("{} users at {} need a cycle of {}, below {}: at most {} req/s", count(*row_.users),
                             rate(), time(cycle), stated, number(limit)));
    }

    /// Little's law over the cycle: no more than all users can be inside, and, when the think time is stated, no
    /// fewer.
    void little() {
        if (!row_.throughput_rps || !row_.mean_ms) return;
        const double inside = *row_.throughput_rps * *row_.mean_ms / 1000;
        if (!row_.users) return imply(fmt::format("{} requests under way on average", number(inside)));
        ++out_.checks;
        const double busy = inside + *row_.throughput_rps * row_.think_ms.value_or(0) / 1000;
        const std::string product = fmt::format("{} req/s x {} = {}", number(*row_.throughput_rps),
                                                time(*row_.mean_ms + row_.think_ms.value_or(0)), number(busy));
        if (above(busy, *row_.users))
            flag("Little", busy, *row_.users,
                 fmt::format(
                     "{} users are needed, but {} are stated: their mean response is at most {}", product,
                     count(*row_.users),
                     time(std::max(0.0, *row_.users / *row_.throughput_rps * 1000 - row_.think_ms.value_or(0)))));
        else if (row_.think_ms && !fails() && below(busy, *row_.users))
            flag("Little", busy, *row_.users,
                 fmt::format("{} users are accounted for, but {} are stated: the rest waited elsewhere, thought for "
                             "longer, or did not run",
                             product, count(*row_.users)));
        else if (!row_.think_ms && below(busy, *row_.users))
            imply(fmt::format("{} requests under way on average, a think time of {}", number(inside),
                              time(*row_.users / *row_.throughput_rps * 1000 - *row_.mean_ms)));
    }

    /// c places, each held for S a request, serve at most c / S.
    void hold(const char* law, const char* things, std::optional<double> places, std::optional<double> held) {
        if (!places || !row_.throughput_rps || good() <= 0) return;
        if (!held) return;
        ++out_.checks;
        const double limit = *places / *held * 1000;
        if (above(good(), limit))
            flag(law, good(), limit,
                 fmt::format("{} {} at {} need a hold of {}, below the stated {}: at most {} req/s", count(*places),
                             things, rate(), time(*places / good() * 1000), time(*held), number(limit)));
    }

    /// X D <= cores.
    void demand() {
        if (!row_.throughput_rps || !row_.demand_ms || !row_.cores) return;
        ++out_.checks;
        const double needed = good() * *row_.demand_ms / 1000;
        if (above(needed, *row_.cores))
            flag("cores", good(), *row_.cores / *row_.demand_ms * 1000,
                 fmt::format("{} of {} CPU each need {} cores, above the stated {}: a request has at most {}", rate(),
                             time(*row_.demand_ms), number(needed), count(*row_.cores),
                             time(*row_.cores / good() * 1000)));
    }

    /// U = X D / cores. Other work on the same cores may add to U, but nothing takes away from it.
    void utilization() {
        if (!row_.utilization_pct) return;
        ++out_.checks;
        if (above(*row_.utilization_pct, 100))
            flag("utilization", *row_.utilization_pct, 100,
                 fmt::format("a utilization of {} %: all cores together cannot be busy for more than 100 %",
                             number(*row_.utilization_pct)));
        if (!row_.cores || !row_.throughput_rps || good() <= 0) return;
        const double busy = *row_.cores * *row_.utilization_pct / 100;
        const double most = busy / *row_.throughput_rps * 1000;
        if (!row_.demand_ms) return imply(fmt::format("at most {} CPU a request", time(most)));
        const double needed = good() * *row_.demand_ms / 1000;
        if (above(needed, busy))
            flag("utilization", needed, busy,
                 fmt::format("{} of {} CPU each keep {} cores busy, but {} % of {} are {}: a request has at most {}",
                             rate(), time(*row_.demand_ms), number(needed), number(*row_.utilization_pct),
                             cores(*row_.cores), number(busy), time(most)));
        else if (below(needed, busy))
            imply(fmt::format("{} of the busy cores do something else", number(busy - needed)));
    }

    /// A request takes no less time than it holds something.
    void response() {
        const double held = std::max(row_.hold_ms.value_or(0), row_.pool_hold_ms.value_or(0));
        if (!row_.mean_ms || held <= 0 || fails()) return;
        ++out_.checks;
        if (below(*row_.mean_ms, held))
            flag("response", *row_.mean_ms, held,
                 fmt::format("a mean response of {} is below the {} for which a request holds its place",
                             time(*row_.mean_ms), time(held)));
    }

    const Row& row_;
    double tolerance_;
    Verdict out_;
};

} // namespace

Verdict check(const Row& row, double tolerance) {
    return Judge(row, tolerance).verdict();
}

} // namespace narrows::audit
