// SPDX-License-Identifier: Apache-2.0
// Models by run-time names: every card, every parameter, and errors that explain themselves.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <cstdio>

int main() {
  for (const auto* entry : asperity::catalogue()) std::printf("%s ", entry->key.c_str());

  asperity::any_model model(asperity::find_model("lugre"));
  model.set("sigma_0", 2e5);
  const double z = 1e-6;
  double z_dot = 0.0;
  const double f = model.respond(&z, /*x=*/0.0, /*v=*/0.0, /*load=*/1.0, &z_dot);
  std::printf("\nforce of a bristle bent by 1 um: %g N\n", f);

  try {
    model.set("sigma_0", -1.0);
  } catch (const asperity::error& problem) {
    std::printf("as it should: %s\n", problem.what());
    return f > 0.199 && f < 0.201 ? 0 : 1;
  }
  return 1;
}
