// SPDX-License-Identifier: Apache-2.0
// The launched sphere of the peers' drivers (R = 0.5 m, mu = 0.1, 5.5 m/s from z = 2 R, 10 s in
// steps of 1 ms): cost of a step, final speed against 5/7 of the launch speed, and the drift of a
// block held by friction at 0.96 of its limit for 10 s. Rigid-body engines on this task: ODE 990
// ns, MuJoCo 2600 ns, Siconos 5700 ns per step. In turns on one busy machine, processor time: ODE
// 0.16.2 905 to 1338 ns in its faster mode, backward Euler here 125 to 132 ns, a seventh or less;
// RK4 202 to 230 ns, about a fifth.

#include <benchmark/benchmark.h>

#include <asperity/integrate/fixed_step.hpp>
#include <asperity/models/frictional_contact/dai_frictional_contact.hpp>
#include <asperity/systems/sliding_mass.hpp>
#include <asperity/systems/sphere_on_plane.hpp>
#include <cmath>
#include <cstdio>

namespace {

using namespace asperity;
using contact = dai_frictional_contact<double>;
using sphere = sphere_on_plane<double, contact>;

constexpr double h = 1e-3;
constexpr long steps = 10000;

sphere body() {
  return {.contact = {.mu = 0.1}, .m = 1, .R = 0.5, .g_z = 9.81, .I = sphere::solid(1, 0.5)};
}
struct launch {
  double y[sphere::capacity] = {0, 0, 1, 5.5};
  launch() { y[9] = 1; }
};

enum class method { rk4, backward_euler, sdirk2 };

template <method How>
void step(const sphere& system, double* y) {
  double rate[sphere::capacity];
  if constexpr (How == method::rk4) rk4_step(system, 0.0, h, y);
  if constexpr (How == method::backward_euler) backward_euler_step(system, 0.0, h, y, rate);
  if constexpr (How == method::sdirk2) sdirk2_step(system, 0.0, h, y, rate);
}

template <method How>
void launched_sphere(benchmark::State& state) {
  const sphere system = body();
  double speed = 0, slip = 0, unit = 0;
  for (auto _ : state) {
    launch start;
    for (long i = 0; i < steps; ++i) step<How>(system, start.y);
    speed = start.y[3];
    slip = start.y[3] - system.R * start.y[7];
    const double* q = start.y + 9;
    unit = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    benchmark::DoNotOptimize(start);
  }
  state.counters["ns_per_step"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * steps * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["speed_error"] = speed / (5.5 * 5 / 7) - 1;
  state.counters["slip"] = slip;
  state.counters["q_size_error"] = unit - 1;
}
BENCHMARK(launched_sphere<method::rk4>)->Unit(benchmark::kMillisecond);
BENCHMARK(launched_sphere<method::backward_euler>)->Unit(benchmark::kMillisecond);
BENCHMARK(launched_sphere<method::sdirk2>)->Unit(benchmark::kMillisecond);

// The block of the peers' drift test, loaded by (0.336 + 0.144 cos(100 t))/0.5 of its limit.
struct pull : no_inputs<double> {
  double force(double t) const {
    const double limit = 0.5 * 9.81, ramp = t < 1 ? t : 1, phase = t < 1 ? 0 : t - 1;
    return limit * ramp * (0.336 + 0.144 * std::cos(100 * phase)) / 0.5;
  }
};
void loaded_block(benchmark::State& state) {
  const sliding_mass<double, dai<double>, pull> block{
      .friction = {.K = 1e5, .F = 0.5 * 9.81, .beta = 4e-3}};
  double drift = 0;
  for (auto _ : state) {
    double y[3] = {}, rate[3], first = 0;
    for (long i = 0; i < 11000; ++i) {
      sdirk2_step(block, static_cast<double>(i) * h, h, y, rate);
      if (i == 1000) first = y[0] - y[2];
    }
    // The block swings with its load; what drifts is the place from which it is deflected.
    drift = y[0] - y[2] - first;
    benchmark::DoNotOptimize(y);
  }
  state.counters["drift_in_metres"] = drift;
}
BENCHMARK(loaded_block)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
