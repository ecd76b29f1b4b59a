// SPDX-License-Identifier: Apache-2.0
// Templates only: a model is a header.

#include <asperity/models/friction/lugre.hpp>
#include <cstdio>

int main() {
  const asperity::lugre<double> model{};
  double z = 0.0;
  const double h = 1e-6, v = 0.1;
  for (int i = 0; i < 100000; ++i) z += h * model({{z}}, {.v = v}).rate[0];
  const double f = model({{z}}, {.v = v}).f;
  std::printf("steady friction at %g m/s: %g N\n", v, f);
  return f > 0.9 && f < 1.6 ? 0 : 1;
}
