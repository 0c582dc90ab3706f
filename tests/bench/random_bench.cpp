// SPDX-License-Identifier: GPL-3.0-or-later
// What a draw and a recorded latency cost.
#include "measure/histogram.hpp"
#include "random/sampler.hpp"

#include <benchmark/benchmark.h>

namespace narrows {
namespace {

void draw(benchmark::State& state, const Distribution& law) {
    const Sampler sampler(law);
    Stream stream(StreamKey::root(1, 0));
    for (auto _ : state)
        benchmark::DoNotOptimize(sampler.draw(stream));
}
BENCHMARK_CAPTURE(draw, exponential, Distribution::exponential(1e6));
BENCHMARK_CAPTURE(draw, uniform, Distribution::uniform(1e6, 2e6));
BENCHMARK_CAPTURE(draw, lognormal, Distribution::lognormal_median(1e6, 0.5));
BENCHMARK_CAPTURE(draw, gamma, Distribution::gamma(1e6, 2));

/// As the engine does it: a fresh stream for every (request, step).
void draw_by_name(benchmark::State& state) {
    const Sampler sampler(Distribution::exponential(1e6));
    const StreamKey root = StreamKey::root(1, 0);
    std::uint64_t request = 0;
    for (auto _ : state) {
        Stream stream(root.child(++request).child(3));
        benchmark::DoNotOptimize(sampler.draw(stream));
    }
}
BENCHMARK(draw_by_name);

void histogram_record(benchmark::State& state) {
    const Sampler sampler(Distribution::exponential(1e8));
    Stream stream(StreamKey::root(1, 0));
    std::vector<Nanos> values(4096);
    for (auto& v : values)
        v = sampler.draw(stream);
    measure::Histogram histogram;
    std::size_t i = 0;
    for (auto _ : state)
        histogram.record(values[++i & 4095]);
    benchmark::DoNotOptimize(histogram.count());
}
BENCHMARK(histogram_record);

} // namespace
} // namespace narrows
