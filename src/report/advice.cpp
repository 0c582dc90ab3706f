// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/advice.hpp"

#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace narrows::report {

namespace {

using measure::Bound;
using measure::ResourceFigures;
using measure::ResourceKind;
using measure::Result;

constexpr double kWaiting = 0.1; ///< the share of the latency from which on waiting is worth a word
constexpr double kConvoy = 2;    ///< a pool's bound is this many times the throughput

const ResourceFigures* find(const Result& result, const std::string& name) {
    for (const auto& r : result.resources)
        if (r.name == name) return &r;
    return nullptr;
}

bool of_load(const Bound& bound) {
    return bound.resource == "users" || bound.resource == "offered load";
}

/// The users or the offered rate, when the throughput is as high as they let it be.
const Bound* load_reached(const Result& result) {
    if (result.verdict != measure::Verdict::steady) return nullptr;
    for (const auto& b : result.bounds)
        if (of_load(b) && result.throughput_rps >= kReached * b.rps) return &b;
    return nullptr;
}

/// The lowest limit above the throughput that does not belong to `except`.
const Bound* next_bound(const Result& result, const std::string& except, bool resources_only) {
    const Bound* next = nullptr;
    for (const auto& b : result.bounds) {
        if (b.resource == except || !(b.rps > result.throughput_rps)) continue;
        if (resources_only && of_load(b)) continue;
        if (next == nullptr || b.rps < next->rps) next = &b;
    }
    return next;
}

/// Mean time a request spends waiting for `r`, in ms: by Little's law, so that it holds for processors too.
double waiting_ms(const Result& result, const ResourceFigures& r) {
    return result.throughput_rps > 0 ? r.queue_mean / result.throughput_rps * 1000 : 0;
}

/// Where requests wait longest, when that is a notable part of the latency.
const ResourceFigures* longest_wait(const Result& result) {
    const auto most = std::max_element(result.resources.begin(), result.resources.end(),
                                       [](const auto& a, const auto& b) { return a.queue_mean < b.queue_mean; });
    if (most == result.resources.end() || !(result.latency.mean > 0)) return nullptr;
    return waiting_ms(result, *most) >= kWaiting * result.latency.mean ? &*most : nullptr;
}

/// "38.1 of 48.0 ms": the unit once when both have the same.
std::string part_of(double part, double all) {
    std::string first = milliseconds(part);
    const std::string second = milliseconds(all);
    const auto unit = [](const std::string& text) { return text.substr(std::min(text.find(' '), text.size())); };
    if (unit(first) == unit(second)) first.resize(first.find(' '));
    return fmt::format("{} of {}", first, second);
}

std::string about_latency(const Result& result, const ResourceFigures& r) {
    const double wait = waiting_ms(result, r);
    const std::string in_use = percent(std::round(r.utilization * 100) / 100);
    // Parallel branches wait side by side: together more than the request takes.
    std::string out =
        wait <= result.latency.mean
            ? fmt::format("Latency is not: {} are spent waiting for {} ({} in use).",
                          part_of(wait, result.latency.mean), r.name, in_use)
            : fmt::format("Latency is not: the branches of a request wait {} for {} ({} in use), added up.",
                          milliseconds(wait), r.name, in_use);
    return out +
           (r.kind == ResourceKind::cpu ? " More cores shorten the latency" : " Widening it shortens the latency");
}

std::string load_sets_it(const Result& result) {
    const auto* slow = longest_wait(result);
    const bool cores = slow != nullptr && slow->kind == ResourceKind::cpu;
    if (slow == nullptr)
        return "Throughput is set by the load, and little of the latency is waiting: a wider resource changes little.";
    const std::string start = "Throughput is set by the load. " + about_latency(result, *slow);
    if (load_reached(result) != nullptr)
        return fmt::format("{} and {} the throughput as it is.", start, cores ? "leave" : "leaves");
    // Users who are answered sooner ask again sooner.
    for (const auto& b : result.bounds)
        if (b.resource == "users" && b.rps > result.throughput_rps)
            return fmt::format("{}; as the same users then ask again sooner, the throughput rises too, to {} req/s at "
                               "most.",
                               start, number(std::min(b.rps, next_bound(result, slow->name, false)->rps)));
    return start + ".";
}

/// More is offered than served, though nothing is busy all the time.
std::string of_growing_queue(const Result& result) {
    const auto most = std::max_element(result.resources.begin(), result.resources.end(),
                                       [](const auto& a, const auto& b) { return a.queue_mean < b.queue_mean; });
    if (most == result.resources.end() || most->queue_mean <= 0) return "Less load: more is offered than is served.";
    return fmt::format("Less load, or a wider {}, where the longest queue is.", most->name);
}

std::vector<std::string> advice_under_load(const Result& result) {
    if (result.verdict == measure::Verdict::unstable) return {of_growing_queue(result)};
    std::vector<std::string> out;
    if (result.verdict == measure::Verdict::steady)
        out.push_back(load_sets_it(result));
    else if (const auto* slow = longest_wait(result); slow != nullptr)
        out.push_back(fmt::format("No resource is short of places over the whole run, yet {} of a mean request are "
                                  "spent waiting for {}: widening it is the first thing to try.",
                                  part_of(waiting_ms(result, *slow), result.latency.mean), slow->name));
    else
        out.push_back("No resource is short, and little of the latency is waiting: a wider one changes little.");
    if (const auto* next = next_bound(result, "", true))
        out.push_back(fmt::format("More load gives more throughput, until {} allows no more: {} req/s ({}).",
                                  next->resource, number(next->rps), next->formula));
    return out;
}

/// Whether holders of the pool wait for a carrier (or event loop), and so make the pool's queue.
bool in_convoy(const Result& result, const ResourceFigures& pool, const Bound* own) {
    if (pool.kind != ResourceKind::pool || own == nullptr || !std::isfinite(own->rps)) return false;
    if (result.threads == "platform" || own->rps < kConvoy * result.throughput_rps) return false;
    return std::any_of(result.resources.begin(), result.resources.end(), [](const auto& r) {
        return r.kind == ResourceKind::runner && r.capacity > 0 && r.queue_mean >= 1;
    });
}

/// The evidence has said how the convoy comes about (experiment/bottleneck.cpp).
std::string of_convoy(const Result& result, const ResourceFigures& pool) {
    const std::string cause = result.threads == "event-loop" ? "the event loops" : "the carriers";
    std::string out = fmt::format("{0} is where requests queue, but {1} are why. A wider pool moves the queue to {1}",
                                  pool.name, cause);
    if (const auto* next = next_bound(result, pool.name, false))
        out += fmt::format("; at most {}'s {} req/s can be gained", next->resource, number(next->rps));
    return out + ".";
}

} // namespace

std::vector<std::string> advice(const Result& result) {
    if (result.verdict == measure::Verdict::deadlock)
        return {"Undo the knot first: let nobody wait for the one resource while holding the other, or give the wait a "
                "time-out. Wider pools only put it off."};
    if (result.verdict == measure::Verdict::out_of_memory)
        return {"Let fewer requests in at once, or let each keep less: a larger heap only moves the number at which it "
                "is full. Threads that cost nothing admit more requests than a heap holds."};
    const auto& name = result.bottleneck.resource;
    if (name.empty() || load_reached(result) != nullptr) return advice_under_load(result);
    const auto* own = find(result, name);
    const auto bound =
        std::find_if(result.bounds.begin(), result.bounds.end(), [&](const auto& b) { return b.resource == name; });
    const Bound* own_bound = bound == result.bounds.end() ? nullptr : &*bound;
    if (own != nullptr && in_convoy(result, *own, own_bound)) return {of_convoy(result, *own)};
    std::vector<std::string> out;
    const bool short_of_limit = own_bound != nullptr && result.throughput_rps < kReached * own_bound->rps;
    if (own != nullptr && own->kind == ResourceKind::pool && result.knot && short_of_limit)
        return {fmt::format("Undo the knot at {} first: whoever waits holds what the others wait for, and only a "
                            "time-out parts them. Let nobody wait for one while holding the other; a wider pool only "
                            "makes it rarer.",
                            name)};
    if (own != nullptr && own->kind == ResourceKind::cpu)
        out.push_back(fmt::format("{} has no time left: more cores, or less CPU time a request. Wider pools or another "
                                  "thread model only move the waiting elsewhere.",
                                  name));
    else
        out.push_back(fmt::format("Widen {}, or shorten the time for which a request holds one.", name));
    if (const auto* next = next_bound(result, name, false))
        out.push_back(
            fmt::format("Then the next limit is {}: {} req/s ({}).", next->resource, number(next->rps), next->formula));
    return out;
}

} // namespace narrows::report
