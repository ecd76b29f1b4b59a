// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loops over the cells of a patch, compiled for the baseline processor, for AVX2 and for AVX-512;
// which one runs is found out once. All give the same bits: no fused operations, and sums in eight
// fixed lanes. Arrays are padded to a multiple of eight cells with shares of 0.

#include <asperity/models/curve/stribeck_exponential.hpp>
#include <asperity/planar.hpp>
#include <new>
#include <vector>

namespace asperity::kernels {

inline constexpr int lanes = 8;
constexpr int padded(int cells) { return (cells + lanes - 1) / lanes * lanes; }

// Numbers per cell where no eight of them lie across two lines of the cache.
template <class T>
struct in_lines {
  using value_type = T;
  static constexpr std::align_val_t line{lanes * sizeof(double)};

  in_lines() = default;
  template <class U>
  in_lines(const in_lines<U>&) {}  // NOLINT(google-explicit-constructor): allocators are
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, line); }
  friend bool operator==(const in_lines&, const in_lines&) { return true; }
};
using cell_numbers = std::vector<double, in_lines<double>>;

struct lugre_cells {
  int count;  // padded
  const double *x, *y, *share;
  double sigma_0, sigma_1, z_ba, load;
  stribeck_exponential<double> g;
};
// h > 0: takes z_x and z_y one step further. h = 0: leaves them, and writes their rates.
wrench<double> lugre(const lugre_cells&, const twist<double>&, double h, double* z_x, double* z_y,
                     double* rate_x, double* rate_y);

// Where a patch lies on the surface.
struct dai_place {
  double x, y, cosine, sine;
};
// A cell of a patch that lies there: arms from the body's point in the axes of the surface, and
// deflection from its anchor.
struct placed_cell {
  double r_x, r_y, a_x, a_y;
};
[[gnu::always_inline]] inline placed_cell place_cell(const dai_place& at, double x, double y,
                                                     double b_x, double b_y) {
  const double r_x = at.cosine * x - at.sine * y, r_y = at.sine * x + at.cosine * y;
  return {r_x, r_y, (at.x + r_x) - b_x, (at.y + r_y) - b_y};
}

struct dai_cells {
  int count;  // padded
  const double *x, *y, *share;
  const double *b_x, *b_y;  // anchors
  dai_place at;
  double k, d;   // pull of a cell per unit of share = k a + d v                     [N/m], [N s/m]
  double reach;  // no cell is farther from the body's point                                   [m]
};
// Sums over cells that a step of patch_dai needs, per unit of share:
//   f           sum share sat(Z, pull), torque about the body's point
//   stiffness   its derivative with respect to the twist: xx, xy, yy, xt, yt, tt
//   slipping    sum of the shares of cells that slip
//   room        the least Z - |pull| of all cells; known with the stiffness alone
struct dai_sums {
  double f[3], stiffness[6], slipping, room;
};
// Friction levels at the speeds of a twist; with a lag they follow the curve over a step, from the
// gamma that are there.
struct dai_curve {
  stribeck_exponential<double> g;
  double load;
  double h_over_tau;  // below 0: no lag
};
void dai_levels(const dai_cells&, const dai_curve&, const twist<double>&, const double* gamma,
                double* gamma_end, double* level);
// Sums with levels that are there.
dai_sums dai(const dai_cells&, const twist<double>&, const double* level);
// Without the stiffness, where the balance is probably reached. Anchors move by `step_share` of
// (pull - sat(Z, pull))/k to where they are at the end of the step; those of sticking cells stay
// exactly where they are.
dai_sums dai_balance(const dai_cells&, const twist<double>&, const double* level, double step_share,
                     double* end_x, double* end_y);
// How fast anchors move: (pull - sat(Z, pull))/d. Sums without the stiffness.
dai_sums dai_rates(const dai_cells&, const twist<double>&, const double* level, double* rate_x,
                   double* rate_y);
// For tests: the most that loops may ask of the processor, where it has it.
enum class instructions { baseline, avx2, avx512 };
void allow(instructions most);

}  // namespace asperity::kernels
