// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loops over the cells of a patch, compiled for the baseline processor and for AVX2; which one runs
// is found out once. Both give the same bits: no fused operations, and sums in eight fixed lanes.
// Arrays are padded to a multiple of eight cells with shares of 0.

#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/planar/planar.hpp>

namespace asperity::kernels {

inline constexpr int lanes = 8;
constexpr int padded(int cells) { return (cells + lanes - 1) / lanes * lanes; }

struct lugre_cells {
  int count;  // padded
  const double *x, *y, *share;
  double sigma_0, sigma_1, z_ba, load;
  stribeck_exponential<double> g;
};
// h > 0: takes z_x and z_y one step further. h = 0: leaves them, and writes their rates.
wrench<double> lugre(const lugre_cells&, const twist<double>&, double h, double* z_x, double* z_y,
                     double* rate_x, double* rate_y);

// Sums over cells that a step of patch_dai needs: per unit of share, with pull = k a + d v,
//   wrench      sum share (sat(Z, pull)), torque about the body's point
//   stiffness   its derivative with respect to the twist: xx, xy, yy, xt, yt, tt
//   energy      sum share H_Z(pull)/d, the potential of the wrench (a Huber function)
//   slipping    sum of the shares of cells that slip
struct dai_sums {
  double f[3], stiffness[6], energy, slipping;
};
struct dai_cells {
  int count;                        // padded
  const double *r_x, *r_y, *share;  // arms from the body's point, in the axes of the surface
  const double *a_x, *a_y, *level;  // deflections [m] and limits of friction per unit of share [N]
  double k, d;                      // [N/m], [N s/m]
};
dai_sums dai(const dai_cells&, const twist<double>&);
// How far the anchors of the cells move in a step of length h to its end at this twist. Those of
// sticking cells stay exactly where they are.
void dai_move_anchors(const dai_cells&, const twist<double>&, double h, double h_plus_beta,
                      double* b_x, double* b_y);

// Arms and deflections of a patch at the place (x, y, theta), whose anchors are b.
void dai_place(int count, const double* x, const double* y, const double* b_x, const double* b_y,
               double place_x, double place_y, double theta, double* r_x, double* r_y, double* a_x,
               double* a_y);
// Friction levels at this twist; with tau > 0 they follow the curve with that lag over a step h,
// from the levels that are there.
void dai_levels(int count, const double* r_x, const double* r_y,
                const stribeck_exponential<double>& g, double load, const twist<double>&,
                double h_over_tau, bool lagging, double* gamma, double* level);

// For tests: without it the baseline loops run everywhere.
void allow_wide(bool allowed);

}  // namespace asperity::kernels
