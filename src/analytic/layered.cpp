// SPDX-License-Identifier: GPL-3.0-or-later
#include "analytic/layered.hpp"

#include "analytic/open_queues.hpp"
#include "analytic/repairman.hpp"

#include <algorithm>
#include <cmath>

namespace narrows::analytic {

namespace {

using Kind = Piece::Kind;

class Layers {
public:
    Layers(const plan::Plan& plan, const Pieces& pieces) : plan_(plan), pieces_(pieces) {
        const auto limits = pieces.limits.names.size();
        out_.wait_ms.assign(limits, 0);
        out_.full.assign(limits, 0);
        out_.stretch.assign(plan.cpus.size(), 1);
        open_ = plan.load.kind == plan::LoadKind::open;
        for (const auto& piece : pieces.all)
            if (piece.thinking) think_ += piece.amount;
    }

    std::optional<Layered> solve() {
        constexpr int kMost = 3000;
        constexpr double kSettled = 1e-10;
        for (int round = 0; round < kMost; ++round) {
            response_ = total([](const Piece& piece) { return !piece.thinking; });
            rate_ = open_ ? plan_.load.rate / 1000 : static_cast<double>(plan_.load.users) / (response_ + think_);
            moved_ = 0;
            // The step shrinks, so that two queues that push each other to and fro come to rest.
            step_ = 1.0 / (2 + round / 20.0);
            for (std::size_t cpu = 0; cpu < plan_.cpus.size(); ++cpu)
                if (!processor(cpu)) return {};
            for (std::size_t limit = 0; limit < out_.wait_ms.size(); ++limit)
                if (!place(limit)) return {};
            if (moved_ <= kSettled * response_) return finish(); // equal: a request may take no time at all
        }
        return moved_ < 1e-4 * response_ ? finish() : std::nullopt;
    }

private:
    std::optional<Layered> finish() {
        out_.throughput_rps = rate_ * 1000;
        out_.response_ms = response_;
        return out_;
    }

    double visits(const Piece& piece) const {
        return piece.after < 0 ? piece.amount : piece.amount * out_.full[static_cast<std::size_t>(piece.after)];
    }
    double time(const Piece& piece) const {
        switch (piece.kind) {
        case Kind::work: return piece.amount * out_.stretch[static_cast<std::size_t>(piece.index)];
        case Kind::wait: return visits(piece) * out_.wait_ms[static_cast<std::size_t>(piece.index)];
        default: return piece.amount;
        }
    }
    template <typename Choose> double total(Choose chosen) const {
        double sum = 0;
        for (const auto& piece : pieces_.all)
            if (chosen(piece)) sum += time(piece);
        return sum;
    }

    /// How many can be in all these pieces at once: the users, or the places of the narrowest thing held in all.
    template <typename Choose> std::int64_t population(Choose chosen) const {
        std::int64_t least = open_ ? -1 : plan_.load.users;
        for (std::size_t limit = 0; limit < pieces_.limits.capacity.size(); ++limit) {
            const auto places = pieces_.limits.capacity[limit];
            if (places < 0 || (least >= 0 && places >= least)) continue;
            const bool encloses = std::all_of(pieces_.all.begin(), pieces_.all.end(),
                                              [&](const Piece& p) { return !chosen(p) || p.held[limit]; });
            if (encloses) least = places;
        }
        return least;
    }

    void settle(double& value, double target, double weight) {
        moved_ = std::max(moved_, std::abs(target - value) * weight);
        value += step_ * (target - value);
    }

    bool processor(std::size_t cpu) {
        const auto here = [&](const Piece& p) { return p.kind == Kind::work && p.index == static_cast<int>(cpu); };
        double demand = 0;
        for (const auto& piece : pieces_.all)
            if (here(piece)) demand += piece.amount;
        if (demand <= 0) return true;
        const auto customers = population(here);
        const auto& what = plan_.cpus[cpu];
        const auto capacity = [&](std::int64_t n) { return progress(what, n); };
        double residence = 0;
        if (customers < 0) {
            residence = open_station(rate_, demand, capacity);
            if (!std::isfinite(residence)) return false;
        } else {
            const double inside = demand * out_.stretch[cpu];
            const double elsewhere = std::max(0.0, static_cast<double>(customers) / rate_ - inside);
            residence = repairman(customers, elsewhere, demand, 1, capacity).response;
        }
        settle(out_.stretch[cpu], residence / demand, demand);
        return true;
    }

    bool place(std::size_t limit) {
        const auto places = pieces_.limits.capacity[limit];
        const auto asks = [&](const Piece& p) { return p.kind == Kind::wait && p.index == static_cast<int>(limit); };
        double times = 0;
        for (const auto& piece : pieces_.all)
            if (asks(piece)) times += visits(piece);
        const auto customers = population(asks);
        if (places < 0 || times <= 0 || (customers >= 0 && customers <= places)) return true;
        const double held = total([&](const Piece& p) { return p.held[limit]; });
        if (held <= 0) return true;
        if (customers < 0) {
            const double wait = mmc_wait(rate_, held, places);
            if (!std::isfinite(wait)) return false;
            out_.full[limit] = erlang_c(places, rate_ * held);
            settle(out_.wait_ms[limit], wait / times, times);
            return true;
        }
        const double inside = held + times * out_.wait_ms[limit];
        const double elsewhere = std::max(0.0, static_cast<double>(customers) / rate_ - inside);
        const auto station = repairman(customers, elsewhere, held, places);
        out_.full[limit] = station.full;
        settle(out_.wait_ms[limit], std::max(0.0, station.response - held) / times, times);
        return true;
    }

    const plan::Plan& plan_;
    const Pieces& pieces_;
    Layered out_;
    bool open_ = false;
    double think_ = 0, response_ = 0, rate_ = 0; ///< ms; 1/ms
    double moved_ = 0, step_ = 0.5;
};

} // namespace

double progress(const plan::Cpu& cpu, std::int64_t jobs) {
    const auto n = static_cast<double>(jobs);
    return std::min(n, cpu.cores) / (1 + cpu.usl_alpha * (n - 1) + cpu.usl_beta * n * (n - 1));
}

std::optional<Layered> layered(const plan::Plan& plan, const Pieces& pieces) {
    return Layers(plan, pieces).solve();
}

} // namespace narrows::analytic
