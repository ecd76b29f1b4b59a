// SPDX-License-Identifier: Apache-2.0
// A model along samples in C++, as Python's does it: what benchmarks/python_bench.py is compared with.
// Prints nanoseconds of the processor per sample, the least of some tries, and the last force.
//
// sample_loop MODEL SAMPLES TRIES

#include <asperity/run/sampled_inputs.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

int main(int argc, char** argv) {
  using namespace asperity;
  if (argc != 4) return 2;
  const auto rows = static_cast<std::size_t>(std::atoll(argv[2]));
  std::vector<double> t(rows), v(rows), f(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    t[i] = 1e-3 * static_cast<double>(i);
    v[i] = 0.002 * std::sin(6.28 * t[i]);
  }
  stepped_model model{any_model(find_entry(argv[1]))};
  double least = INFINITY;
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    const std::clock_t start = std::clock();
    const sampled_inputs given(model.model(), t, {nullptr, v.data()});
    if (sample(model, given, true, f.data(), [] { return true; }).how != outcome::completed)
      return 1;
    const double took = 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    least = std::min(least, took / static_cast<double>(rows));
  }
  std::printf("%.17g %.17g\n", least, f.back());
}
