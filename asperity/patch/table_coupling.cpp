// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <asperity/patch/table_coupling.hpp>

namespace asperity {

namespace {

// Over turn of coupling.hpp, the mean over cells, for two radii c around the centre of rotation.
std::array<double, 2> over_turn(const patch_cells& cells, double rho,
                                const std::array<double, 2>& c_squared, const twist<double>& t) {
  double slow[2] = {}, all[2] = {};
  for (std::size_t i = 0; i < cells.share.size(); ++i) {
    const auto v = velocity_at<double>(t, cells.x[i], cells.y[i]);
    const double square = dot(v, v);
    const double arm = cells.x[i] * v[0] + cells.y[i] * v[1];
    const double s = cells.share[i] * (1 + (square > 0 ? arm * arm / (rho * rho * square) : 0.0));
    for (int k = 0; k < 2; ++k) {
      const double beyond = square + t[2] * t[2] * c_squared[k];
      all[k] += s / std::sqrt(beyond);
      slow[k] += s / beyond;
    }
  }
  return {slow[0] / all[0], slow[1] / all[1]};
}

}  // namespace

table_coupling::table_coupling(const contact_patch& patch, int the_intervals,
                               double relative_tolerance)
    : intervals(the_intervals) {
  centre = patch.centre();
  const auto coulomb = [&](const twist<double>& t) {
    const auto of_origin = twist_about<double>(t, -centre.x, -centre.y);
    return wrench_about<double>(patch.coulomb(of_origin, relative_tolerance).value, centre.x,
                                centre.y);
  };
  rho = coulomb({{0, 0, 1}})[2];
  patch_cells cells = patch.cells(40);
  double cubes = 0;
  for (std::size_t i = 0; i < cells.share.size(); ++i) {
    cells.x[i] -= centre.x;
    cells.y[i] -= centre.y;
    cubes += cells.share[i] * std::pow(std::hypot(cells.x[i], cells.y[i]), 3);
  }
  spin_square = cubes / (rho * rho * rho);
  // Radii that the cells resolve. Over turn grows with ln(1 + (R/c)^2), which is 2/wake: so it is
  // known at every wake, and turn is taken as a straight line through two of them.
  const double R = std::sqrt(2.0) * patch.gyration();  // of the disc with the same gyration
  const std::array<double, 2> c_squared{0.01 * R * R, 0.04 * R * R};
  const double log_small = std::log(101.0), log_large = std::log(26.0);
  const double little_wake = 0.2, much_wake = 0.3;
  const auto speeds = [&](const twist<double>& t) {
    const auto over = over_turn(cells, rho, c_squared, t);
    const double slope = std::max(0.0, (over[0] - over[1]) / (log_small - log_large));
    const auto turn = [&](double wake) { return 1 / (over[0] + slope * (2 / wake - log_small)); };
    const double moving = (turn(much_wake) - turn(little_wake)) / (much_wake - little_wake);
    return std::pair(std::max(0.0, turn(little_wake) - little_wake * moving), moving);
  };
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
        const auto f = coulomb(t);
        const auto [still, moving] = speeds(t);
        const double sum = std::abs(k) + i + j;
        entries.push_back({{f[0], f[1], f[2] / rho, still / sum, moving / sum}});
      }
}

}  // namespace asperity
