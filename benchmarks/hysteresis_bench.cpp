// SPDX-License-Identifier: Apache-2.0
// 100 play operators over 1e5 samples: the streaming kernel beside a plain loop. Reports
// nanoseconds per operator and sample.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <asperity/analysis/stream.hpp>
#include <cmath>
#include <vector>

namespace {

struct workload {
  std::vector<double> r, p, w, x, out;
  workload(int operators, int samples)
      : w(static_cast<std::size_t>(operators)), out(static_cast<std::size_t>(samples)) {
    for (int i = 0; i < operators; ++i) {
      r.push_back(static_cast<double>(i) / operators);
      p.push_back(std::exp(-3.0 * i / operators) / operators);
    }
    for (int k = 0; k < samples; ++k) x.push_back(std::sin(2e-3 * k) * (0.3 + 0.7 * k / samples));
  }
};

void report(benchmark::State& state, const workload& load) {
  const double each = static_cast<double>(load.r.size() * load.x.size());
  state.counters["per operator and sample"] = benchmark::Counter(
      each, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void streamed(benchmark::State& state, const char* instructions) {
  workload load(100, 100000);
  for (auto _ : state) {
    if (!asperity::play_stream_with(instructions, 0, load.r, load.p, load.w, load.x, load.out)) {
      state.SkipWithError("this processor does not have them");
      return;
    }
    benchmark::DoNotOptimize(load.out.data());
  }
  report(state, load);
}

void plain_loop(benchmark::State& state) {
  workload load(100, 100000);
  for (auto _ : state) {
    for (std::size_t k = 0; k < load.x.size(); ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < load.r.size(); ++i) {
        load.w[i] = std::max(load.x[k] - load.r[i], std::min(load.x[k] + load.r[i], load.w[i]));
        sum += load.p[i] * load.w[i];
      }
      load.out[k] = sum;
    }
    benchmark::DoNotOptimize(load.out.data());
  }
  report(state, load);
}

}  // namespace

BENCHMARK_CAPTURE(streamed, avx2, "avx2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(streamed, baseline, "baseline")->Unit(benchmark::kMillisecond);
BENCHMARK(plain_loop)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
