// SPDX-License-Identifier: Apache-2.0
#include <asperity/planar/table_coupling.hpp>

namespace asperity {

table_coupling::table_coupling(const contact_patch& patch, int the_intervals,
                               double relative_tolerance)
    : intervals(the_intervals) {
  rho = patch.coulomb({{0, 0, 1}}, relative_tolerance).value[2];
  const int row = intervals + 2;  // one more than needed: the last triangle has a corner there
  for (int which = 0; which < 4; ++which)
    for (int j = 0; j < row; ++j)
      for (int i = 0; i < row; ++i) {
        const int k = intervals - i - j;
        if (k < -1) {  // beyond the last triangles
          entries.push_back({});
          continue;
        }
        const double w_x = (which % 2 == 0 ? i : -i), w_y = (which < 2 ? j : -j);
        const auto f = patch.coulomb({{w_x, w_y, k / rho}}, relative_tolerance).value;
        entries.push_back({{f[0], f[1], f[2] / rho}});
      }
}

}  // namespace asperity
