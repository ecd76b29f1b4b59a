// SPDX-License-Identifier: Apache-2.0
#include <asperity/planar/table_coupling.hpp>

namespace asperity {

table_coupling::table_coupling(const contact_patch& patch, int the_intervals,
                               double relative_tolerance)
    : intervals(the_intervals) {
  rho = patch.coulomb({{0, 0, 1}}, relative_tolerance).value[2];
  for (int j = 0; j <= intervals; ++j)
    for (int i = 0; i <= intervals; ++i) {
      const double s = 2.0 * i / intervals - 1, t = 2.0 * j / intervals - 1;
      const double p = 0.5 * (s + t), q = 0.5 * (s - t);
      const double spin = std::max(0.0, 1 - std::abs(p) - std::abs(q));
      const auto f = patch.coulomb({{p, q, spin / rho}}, relative_tolerance).value;
      entries.push_back({{f[0], f[1], f[2] / rho}});
    }
}

}  // namespace asperity
