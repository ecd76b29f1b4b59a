// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/planar/table_coupling.hpp>

namespace asperity {

namespace {

// The mean of coupling.hpp over cells.
double turning_speed(const patch_cells& cells, double rho, double c_squared,
                     const twist<double>& t) {
  const double least = t[2] * t[2] * c_squared;
  double slow = 0, all = 0;
  for (std::size_t i = 0; i < cells.share.size(); ++i) {
    const auto v = velocity_at<double>(t, cells.x[i], cells.y[i]);
    const double square = dot(v, v);
    const double arm = cells.x[i] * v[0] + cells.y[i] * v[1];
    const double s = cells.share[i] * (1 + (square > 0 ? arm * arm / (rho * rho * square) : 0.0));
    all += s / std::sqrt(square + least);
    slow += s / (square + least);
  }
  return all / slow;
}

}  // namespace

table_coupling::table_coupling(const contact_patch& patch, int the_intervals,
                               double relative_tolerance, double deflection)
    : intervals(the_intervals) {
  rho = patch.coulomb({{0, 0, 1}}, relative_tolerance).value[2];
  const double R = std::sqrt(2.0) * patch.gyration();  // of the disc with the same gyration
  const double c_squared = R * (deflection > 0 ? deflection : 1e-3 * R);
  const patch_cells cells = patch.cells(40);
  const int row = intervals + 2;  // one more than needed: the last triangle has a corner there
  for (int which = 0; which < 4; ++which)
    for (int j = 0; j < row; ++j)
      for (int i = 0; i < row; ++i) {
        const int k = intervals - i - j;
        if (k < -1) {  // beyond the last triangles
          entries.push_back({});
          continue;
        }
        const twist<double> t{{static_cast<double>(which % 2 == 0 ? i : -i),
                               static_cast<double>(which < 2 ? j : -j), k / rho}};
        const auto f = patch.coulomb(t, relative_tolerance).value;
        entries.push_back({{f[0], f[1], f[2] / rho,
                            turning_speed(cells, rho, c_squared, t) / (std::abs(k) + i + j)}});
      }
}

}  // namespace asperity
