// SPDX-License-Identifier: Apache-2.0
// Run-time names: the catalogue knows every model, and a mistake is explained.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <cstdio>
#include <string>

int main() {
  using namespace asperity;
  std::printf("%zu models\n", catalogue().size());

  any_model model(find_model("lugre"));
  model.set("sigma_0", 2e5);
  double z = 1e-6, z_dot = 0.0;
  const double f = model.respond(&z, 0.0, 0.0, 1.0, &z_dot);
  if (f < 0.199 || f > 0.201) return 1;

  try {
    model.set("sigma_0", -1.0);
  } catch (const error& e) {
    std::printf("as it should: %s\n", e.what());
    return std::string(e.what()).find("sigma_0") == std::string::npos ? 1 : 0;
  }
  return 1;
}
