// SPDX-License-Identifier: GPL-3.0-or-later
// The laws of a result of ours or of a live run.
#include "audit/laws.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace narrows::audit {

namespace {

using measure::ResourceFigures;
using measure::ResourceKind;
using measure::Result;
using report::milliseconds;
using report::number;

constexpr double kFewest = 0.05; ///< mean lengths below this are counted as none

/// The interval's relative half width; 0 when there is none.
double spread(const Result& result, const char* figure, double value) {
    const auto it = result.confidence.find(figure);
    return it == result.confidence.end() || !(value > 0) ? 0 : it->second.half_width() / value;
}

std::string point(const Result& result) {
    std::string out = result.threads;
    for (const auto& [path, value] : result.at)
        if (path != "threads") out += fmt::format(", {} = {}", path, value);
    return out;
}

class Judge {
public:
    Judge(const Result& result, double tolerance) : result_(result), tolerance_(tolerance) {
        out_.label = point(result);
        // Without a steady state nothing says what a mean wait has to do with a mean length.
        steady_ = result.verdict == measure::Verdict::steady || result.verdict == measure::Verdict::finished;
    }

    Verdict verdict() {
        bounds();
        whole();
        for (const auto& r : result_.resources)
            resource(r);
        return std::move(out_);
    }

private:
    void flag(std::string law, double stated, double limit, std::string message) {
        out_.findings.push_back({std::move(law), std::move(message), stated, limit});
    }

    /// Requests that ended well did all that the bounds count; others may have been sent away at once.
    double surely() const { return result_.goodput_rps * (1 - spread(result_, "goodput_rps", result_.goodput_rps)); }

    void bounds() {
        for (const auto& bound : result_.bounds) {
            ++out_.checks;
            if (surely() <= bound.rps * (1 + tolerance_)) continue;
            flag("bound " + bound.resource, result_.goodput_rps, bound.rps,
                 fmt::format("{} req/s are above what {} allows: {}", number(result_.goodput_rps), bound.resource,
                             bound.formula));
        }
    }

    void whole() {
        if (!steady_ || !std::isfinite(result_.latency.mean) || result_.peak_in_flight <= 0) return;
        ++out_.checks;
        const double inside = result_.throughput_rps * result_.latency.mean / 1000;
        const double slack = tolerance_ + spread(result_, "mean", result_.latency.mean);
        if (inside <= result_.peak_in_flight * (1 + slack)) return;
        flag("Little", inside, result_.peak_in_flight,
             fmt::format("{} req/s x {} = {} requests under way on average, but at most {} were",
                         number(result_.throughput_rps), milliseconds(result_.latency.mean), number(inside),
                         number(result_.peak_in_flight)));
    }

    void resource(const ResourceFigures& r) {
        if (r.capacity > 0) {
            ++out_.checks;
            if (r.utilization > 1 + tolerance_)
                flag("utilization", r.utilization, 1,
                     fmt::format("{} is in use for {} of the time", r.name, report::percent(r.utilization)));
        }
        if (r.kind == ResourceKind::cpu) return processor(r);
        if (!steady_ || !(result_.measured_ms > 0)) return;
        const double waited = r.rate * r.wait_ms_mean / 1000;
        // Waits are booked when they end: those that stood there at the window's two ends are counted by halves.
        const double ends = 2 * r.queue_max * r.wait_ms_mean / result_.measured_ms;
        ++out_.checks;
        const double slack = std::max(kFewest, tolerance_ * r.queue_mean + ends);
        if (std::abs(waited - r.queue_mean) > slack && gave_up() == 0)
            flag("Little at " + r.name, r.queue_mean, waited,
                 fmt::format("{} wait for {}, but {} a second x {} = {}", number(r.queue_mean), r.name, number(r.rate),
                             milliseconds(r.wait_ms_mean), number(waited)));
        if (r.kind == ResourceKind::pool) held(r);
    }

    void held(const ResourceFigures& r) {
        if (!(r.rate > 0)) return; // a permit kept throughout the window: no hold has ended
        ++out_.checks;
        const double held = r.rate * r.hold_ms_mean / 1000;
        const double slack =
            std::max(kFewest, tolerance_ * r.busy_mean + 2 * r.capacity * r.hold_ms_mean / result_.measured_ms);
        if (std::abs(held - r.busy_mean) <= slack) return;
        flag("Little in " + r.name, r.busy_mean, held,
             fmt::format("{} of {} are taken, but {} a second x {} = {}", number(r.busy_mean), r.name, number(r.rate),
                         milliseconds(r.hold_ms_mean), number(held)));
    }

    /// U = X D: a bound of c / D says what D is, but not where contention (USL) takes a part of the cores: then
    /// the bound's formula begins with another number than c.
    void processor(const ResourceFigures& r) {
        const auto bound = std::find_if(result_.bounds.begin(), result_.bounds.end(),
                                        [&](const auto& b) { return b.resource == r.name; });
        if (!steady_ || bound == result_.bounds.end() || !(bound->rps > 0) || !counts_all(bound->formula, r.capacity))
            return;
        ++out_.checks;
        const double least = surely() / bound->rps;
        // The requests of a run are a sample of demands: four standard errors of an exponential one are allowed.
        const double sample = result_.goodput_rps * result_.measured_ms / 1000 * result_.replications;
        const double slack = tolerance_ + 4 / std::sqrt(std::max(1.0, sample));
        if (least <= r.utilization * (1 + slack)) return;
        flag("utilization", r.utilization, least,
             fmt::format("{} req/s need {} of {}, but {} of it is in use", number(result_.goodput_rps),
                         report::percent(least), r.name, report::percent(r.utilization)));
    }

    static bool counts_all(const std::string& formula, double capacity) {
        double first = 0;
        const auto end = formula.find(' ');
        std::from_chars(formula.data(), formula.data() + std::min(end, formula.size()), first);
        return std::abs(first - capacity) <= 0.005 * capacity; // written with three digits
    }

    /// Requests that stopped waiting: their waits are in the queue's length, but in no acquisition.
    std::uint64_t gave_up() const {
        std::uint64_t out = 0;
        for (const auto& [name, requests] : result_.outcomes)
            if (name != "ok") out += requests;
        return out;
    }

    const Result& result_;
    double tolerance_;
    bool steady_ = false;
    Verdict out_;
};

} // namespace

Verdict check(const Result& result, double tolerance) {
    return Judge(result, tolerance).verdict();
}

} // namespace narrows::audit
