// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simple loops and butterflies (Drincic 2012, chapter 5): a unimodal map applied to a closed curve,
// what comes out of it, what theory says must come out, and the way back.

#include <functional>
#include <string>
#include <vector>

namespace asperity {

// A closed curve that every vertical line between its ends meets twice: rising x on a grid, with
// the lower and the upper y.
struct lens {
  std::vector<double> x, lower, upper;
};
// From a loop in samples: cut into its two branches at the ends of x. Throws asperity::error where
// the input turns more than once, or there are fewer than 8 samples.
lens lens_of(const std::vector<double>& x, const std::vector<double>& y, int points = 401);

// Falls to y_c and rises from there (valley, the source's V), or the other way round (hill).
struct unimodal {
  std::function<double(double)> f;
  std::function<double(double)> left, right;  // inverses of f on either side of y_c
  double y_c = 0;
  bool is_valley = true;

  static unimodal quadratic(double a, double b);  // a y^2 + b
  // Lines of these slopes, of different sign, through (y_c, q_c).
  static unimodal lines(double y_c, double q_c, double left_slope, double right_slope);
};

enum class loop_kind {
  degenerate,        // both branches fall together: no area at all
  simple,            // one loop
  same_orientation,  // several loops that touch but run the same way round
  butterfly,         // two loops of opposite orientation
  multibutterfly     // three or more, alternating
};
const char* to_string(loop_kind);

struct mapped_loop {
  loop_kind kind = loop_kind::simple;
  std::vector<double> crossings;     // x between the loops: the ends of the intervals I_1, I_2 ...
  std::vector<double> q_min, q_max;  // images of the lower and the upper branch
};

// Facts 5.2.1 and 5.2.2: by the sign of f(y_min) - f(y_max). Differences below `tolerance` of the
// span of q count as 0.
mapped_loop apply(const unimodal&, const lens&, double tolerance = 1e-9);

// ---- what theory says of a curve and a map ------------------------------------------------------

// Relative to the height of the curve; 0 is symmetric.
double left_right_asymmetry(const lens&);
double up_down_asymmetry(const lens&);
// One y at either end of x.
bool has_unique_ends(const lens&, double tolerance = 1e-6);
// +1 where both branches rise, -1 where both fall, 0 otherwise (Definition 5.3.1).
int monotone_direction(const lens&);

// Propositions 5.3.1 and 5.3.2: why no unimodal map makes a butterfly of it; empty where one may.
std::string why_no_butterfly(const lens&, double tolerance = 1e-6);
// Theorem 5.3.1: a piecewise monotonic curve, and a map whose y_c lies inside it, give a butterfly.
bool must_be_butterfly(const unimodal&, const lens&);
// Theorem 5.3.2: the places x at which the butterfly has its two equal minima (valley) or maxima.
std::vector<double> equal_extrema(const unimodal&, const lens&);

// ---- the way back -------------------------------------------------------------------------------

// Branches of a butterfly over one grid: q while x rises, and while it falls.
struct butterfly {
  std::vector<double> x, rising, falling;
};

struct unfolded {
  std::vector<double> rising, falling;  // y over the same grid
  double jump = 0;  // how far the two minima (maxima) are from equal, in q: a jump in y is left
};

// Theorem 5.3.3, (5.4) to (5.7) and (5.8) to (5.11): the piecewise rising (or falling) simple curve
// that the map takes to this butterfly. The two branches may have maps of their own, as in (5.22).
// Where minima are not equal, q below that of the map is taken as its extremum. Throws
// asperity::error for maps of different kind.
unfolded unfold(const butterfly&, const unimodal& on_rising, const unimodal& on_falling,
                bool rises = true);
inline unfolded unfold(const butterfly& b, const unimodal& map, bool rises = true) {
  return unfold(b, map, map, rises);
}

}  // namespace asperity
