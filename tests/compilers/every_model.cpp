// SPDX-License-Identifier: Apache-2.0
// For g++, clang++ and em++.

#include "every_model.hpp"

#include <asperity/scalar/pack.hpp>
#include <cstdio>

int main() {
  using namespace asperity;
  double out[compilers::every_model::count];
  compilers::every_model::evaluate<double>(-1e-3, 0.1, out);
  compilers::every_model::evaluate<float>(-1e-3, 0.1, out);
  compilers::every_model::evaluate<dual<double, 2>>(-1e-3, 0.1, out);
  compilers::every_model::evaluate<pack<double>>(-1e-3, 0.1, out);
  for (int i = 0; i < compilers::every_model::count; ++i)
    std::printf("%s %g\n", compilers::every_model::key(i), out[i]);
}
