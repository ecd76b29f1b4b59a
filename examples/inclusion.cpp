// SPDX-License-Identifier: Apache-2.0
// A system with sgn and dio, stated in C++ and run.

#include <asperity/inclusion/inclusion_system.hpp>
#include <cstdio>

using namespace asperity;

int main() {
  inclusion block;
  const auto M = block.parameter("M", 1, units::kilogram);
  const auto push = block.input("push", signal::ramp(0.1), units::newton);  // 0.1 N/s
  const auto v = block.state("v", units::metre / units::second);
  const auto friction = block.define("friction", 0.5 * sgn(v));  // a bare number fits everywhere
  block.rate(v, (push - friction) / M);

  const inclusion_system ode(block);      // const: any number of runs may share it
  const auto work = ode.new_workspace();  // what one run writes to
  std::vector<double> y = ode.initial(), next = y;
  const double h = 1e-3;
  for (int i = 1; i <= 6000; ++i) {
    ode.implicit()->solve_stage(i * h, h, y.data(), next.data(), *work);  // backward Euler
    y = next;
    if (i == 4900) std::printf("at t = 4.9 s it sticks: v = %.3f m/s\n", y[0]);
  }
  std::printf("at t = 6 s it has slid for 1 s: v = %.3f m/s\n", y[0]);
}
