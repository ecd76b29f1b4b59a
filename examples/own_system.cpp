// SPDX-License-Identifier: Apache-2.0
// A system of one's own, a method and an event: a pendulum that drops from the horizontal.

#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/run.hpp>
#include <cmath>
#include <cstdio>

struct pendulum {
  double length = 1;  // [m]

  static constexpr int capacity = 2;
  static int size() { return 2; }
  void rates(double, const double* y, double* rate) const {  // y = (angle, its rate)
    rate[0] = y[1];
    rate[1] = -9.81 / length * std::sin(y[0]);
  }
};

int main() {
  using namespace asperity;
  const pendulum system;
  const double start[] = {std::acos(0.0), 0};  // [rad], [rad/s]
  dopri5_stepper<pendulum> method(system, tolerances{.relative = 1e-10}, 1e-6, 0.1);
  const event lowest{"lowest", [](double, const double* y) { return y[0]; }};
  run_options options;
  options.to = 2;  // [s]
  std::vector<event_record> found;
  const auto result =
      run(method, start, 2, options, std::span(&lowest, 1), found, [](double, const double*) {});
  // Energy: the speed at the lowest point is the root of 2 g l.
  for (const auto& each : found)
    std::printf("lowest at t = %.4f s with %.6f rad/s\n", each.t, each.y[1]);
  const bool is_right =
      !found.empty() && std::abs(std::abs(found[0].y[1]) - std::sqrt(2 * 9.81)) < 1e-6;
  return result.how == outcome::completed && is_right ? 0 : 1;
}
