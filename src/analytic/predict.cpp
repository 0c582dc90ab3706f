// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic/predict.hpp"

#include "analytic/bounds.hpp"
#include "analytic/layered.hpp"
#include "analytic/open_queues.hpp"
#include "analytic/product_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace narrows::analytic {

namespace {

using Kind = Piece::Kind;
using measure::Analytic;

constexpr double kNeverFull = 1e-6;

Analytic none(std::string reason) {
    Analytic out;
    out.reason = std::move(reason);
    return out;
}

class Predictor {
public:
    Predictor(const plan::Plan& plan, const Pieces& pieces, const Layered& layered)
        : plan_(plan), pieces_(pieces), layered_(layered), open_(plan.load.kind == plan::LoadKind::open) {
        demand_.assign(plan.cpus.size(), 0);
        for (const auto& piece : pieces.all) {
            if (piece.kind == Kind::work) demand_[static_cast<std::size_t>(piece.index)] += piece.amount;
            if (piece.kind == Kind::delay) (piece.thinking ? think_ : delay_) += piece.amount;
        }
        for (std::size_t limit = 0; limit < layered.full.size(); ++limit)
            if (layered.full[limit] >= kNeverFull) reached_.push_back(limit);
    }

    Analytic predict() const {
        if (const auto why = nobody_waits_so_long(); !why.empty()) return none(why);
        if (const auto exact = open_ ? open_exactly() : closed_exactly()) return *exact;
        return approximately();
    }

private:
    /// What the layers do not know of: waits that are given up, clients that are turned away.
    std::string nobody_waits_so_long() const {
        for (const auto limit : reached_)
            if (pieces_.limits.loses[limit])
                return fmt::format("{} turns requests away when its queue is full", pieces_.limits.names[limit]);
        for (const auto& piece : pieces_.all) {
            if (piece.kind != Kind::wait || piece.timeout_ms < 0) continue;
            const auto limit = static_cast<std::size_t>(piece.index);
            if (2 * layered_.wait_ms[limit] > piece.timeout_ms)
                return fmt::format("waits for {} come near its time-out", pieces_.limits.names[limit]);
        }
        if (pieces_.answer_within_ms >= 0 && 2 * layered_.response_ms > pieces_.answer_within_ms)
            return "responses come near the clients' time-out";
        return "";
    }

    bool insensitive(std::size_t cpu, double customers) const {
        const auto& what = plan_.cpus[cpu];
        if (demand_[cpu] <= 0 || what.sharing == plan::Sharing::processor_sharing) return true;
        if (customers >= 0 && customers <= what.cores) return true; // nobody ever waits
        const auto& services = pieces_.services[cpu];
        return !services.with_costs && std::all_of(services.of.begin(), services.of.end(), [&](const Distribution& d) {
            return d.shape == Shape::exponential && d == services.of.front();
        });
    }
    bool all_insensitive(double customers) const {
        for (std::size_t cpu = 0; cpu < demand_.size(); ++cpu)
            if (!insensitive(cpu, customers)) return false;
        return true;
    }
    std::size_t stations() const {
        return static_cast<std::size_t>(std::count_if(demand_.begin(), demand_.end(), [](double d) { return d > 0; }));
    }

    /// How many circle, when a product-form network is all there is; 0 when it is not.
    std::int64_t circling() const {
        if (reached_.empty()) return plan_.load.users;
        if (reached_.size() > 1 || think_ > 0) return 0;
        const auto limit = reached_.front();
        const auto outermost = [&](const Piece& p) { return p.kind == Kind::wait || p.held[limit]; };
        if (!std::all_of(pieces_.all.begin(), pieces_.all.end(), outermost)) return 0;
        return std::min(plan_.load.users, pieces_.limits.capacity[limit]);
    }

    std::string exactly_when(std::int64_t customers) const {
        std::string out = "exactly, in the steady state";
        if (!reached_.empty())
            out += fmt::format(", for the {} that {} lets in", customers, pieces_.limits.names[reached_.front()]);
        return out;
    }

    std::optional<Analytic> closed_exactly() const {
        const auto customers = circling();
        if (customers == 0 || pieces_.may_time_out || !all_insensitive(static_cast<double>(customers))) return {};
        std::vector<Station> network{{think_ + delay_, {}}};
        for (std::size_t cpu = 0; cpu < demand_.size(); ++cpu) {
            const auto& what = plan_.cpus[cpu];
            if (demand_[cpu] > 0)
                network.push_back({demand_[cpu], [&what](std::int64_t n) { return progress(what, n); }});
        }
        if (std::none_of(network.begin(), network.end(), [](const Station& s) { return s.demand > 0; })) return {};
        const double rate = product_form(network, customers).throughput;
        Analytic out;
        out.method = stations() == 1 ? "machine repairman" : "exact MVA";
        out.exact = true;
        out.throughput_rps = rate * 1000;
        out.response_ms = static_cast<double>(plan_.load.users) / rate - think_;
        out.validity = exactly_when(customers);
        return out;
    }

    std::optional<Analytic> open_exactly() const {
        if (!reached_.empty() || pieces_.may_time_out || !plan_.load.poisson) return {};
        Analytic out;
        out.exact = true;
        out.throughput_rps = plan_.load.rate;
        out.validity = "exactly, in the steady state";
        const double rate = plan_.load.rate / 1000;
        if (all_insensitive(-1)) {
            out.method = stations() == 1 ? "M/M/c" : "open product form";
            out.response_ms = delay_;
            for (std::size_t cpu = 0; cpu < demand_.size(); ++cpu)
                if (demand_[cpu] > 0)
                    out.response_ms +=
                        open_station(rate, demand_[cpu], [&](std::int64_t n) { return progress(plan_.cpus[cpu], n); });
            return out;
        }
        const auto cpu = static_cast<std::size_t>(
            std::find_if(demand_.begin(), demand_.end(), [](double d) { return d > 0; }) - demand_.begin());
        const auto& services = pieces_.services[cpu];
        const bool one_queue = stations() == 1 && plan_.cpus[cpu].cores == 1 && services.of.size() == 1 &&
                               !services.with_costs && std::isfinite(services.of.front().squared_cv());
        // A visit of probability less than one, or a second one, would make another stream of it.
        if (!one_queue || std::abs(services.of.front().mean() * 1e-6 - demand_[cpu]) > 1e-9 * demand_[cpu]) return {};
        out.method = "M/G/1";
        out.response_ms = delay_ + demand_[cpu] + mg1_wait(rate, demand_[cpu], services.of.front().squared_cv());
        return out;
    }

    Analytic approximately() const {
        Analytic out;
        out.method = "layered MVA";
        out.throughput_rps = layered_.throughput_rps;
        out.response_ms = layered_.response_ms;
        std::vector<std::string> full;
        for (const auto limit : reached_)
            full.push_back(pieces_.limits.names[limit]);
        out.validity = fmt::format(
            "for means in the steady state without time-outs; {}worst where a queue just begins",
            full.empty() ? ""
                         : fmt::format("{} taken as independent queues, too high where they hold each other up; ",
                                       fmt::join(full, ", ")));
        return out;
    }

    const plan::Plan& plan_;
    const Pieces& pieces_;
    const Layered& layered_;
    bool open_;
    std::vector<double> demand_; ///< ms, by cpu
    double think_ = 0, delay_ = 0;
    std::vector<std::size_t> reached_; ///< limits that are full now and then
};

/// The pool of which some program takes a second permit while it holds one; the layers know only whether
/// one is held.
std::string taken_twice(const plan::Plan& plan) {
    for (int program = 0; program < static_cast<int>(plan.programs.size()); ++program)
        for (const auto& held : plan::holdings(plan, program))
            for (const int pool : held)
                if (std::count(held.begin(), held.end(), pool) > 1)
                    return plan.pools[static_cast<std::size_t>(pool)].name;
    return "";
}

/// An approximation above a bound is no figure: what makes it so is not in its layers. Exact figures are left
/// as they are: one that breaks a bound is a mistake, and is to be seen (tests/unit/experiment).
Analytic within_bounds(const plan::Plan& plan, Analytic said) {
    constexpr double kRounding = 1e-6;
    if (!said.reason.empty() || said.exact) return said;
    for (const auto& bound : bounds(plan))
        if (said.throughput_rps > bound.rps * (1 + kRounding))
            return none(fmt::format("{} would exceed the bound {}", said.method, bound.formula));
    return said;
}

} // namespace

Analytic predict(const plan::Plan& plan) {
    const bool open = plan.load.kind == plan::LoadKind::open;
    if (!open && plan.load.kind != plan::LoadKind::closed)
        return none("the load begins and ends or changes, and formulas speak of a steady state");
    const auto what = pieces(plan);
    if (!what.obstacle.empty()) return none(what.obstacle);
    if (const auto pool = taken_twice(plan); !pool.empty())
        return none(fmt::format("requests take a second permit of {} while they hold one", pool));
    const auto solution = layered(plan, what);
    if (!solution)
        return none(open ? "more is offered than can be served" : "the waits that depend on each other do not settle");
    return within_bounds(plan, Predictor(plan, what, *solution).predict());
}

} // namespace narrows::analytic
