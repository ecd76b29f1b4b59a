// SPDX-License-Identifier: Apache-2.0
// A model is a header: templates only, inlined, no dependency.

#include <asperity/models/friction/lugre.hpp>
#include <cstdio>

int main() {
  const asperity::lugre<double> model{.sigma_0 = 2e5};

  // The state is an argument. Here one bristle deflection z, at a steady 10 cm/s.
  double z = 0.0;
  const double v = 0.1, h = 1e-6;
  for (int i = 0; i < 100000; ++i) z += h * model({{z}}, {.v = v}).rate[0];

  const double f = model({{z}}, {.v = v}).f;
  std::printf("friction at %g m/s: %g N\n", v, f);
  return f > 0.9 && f < 1.6 ? 0 : 1;
}
