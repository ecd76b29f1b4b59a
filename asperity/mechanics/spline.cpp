// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/spline.hpp>

namespace asperity {

namespace {

// One row of a tridiagonal system.
struct row {
  double below, middle, above, right;
};

// No jump of the third derivative at the node beside an end: a sum of its slope and that of the
// neighbour. Widths and secants of the interval at the end and of the one behind it.
row no_knot_beside(double near, double far, double secant_near, double secant_far) {
  const double both = near + far;
  return {both, far, both,
          ((near + 2 * both) * far * secant_near + near * near * secant_far) / both};
}

}  // namespace

std::vector<double> spline_slopes(const std::vector<double>& t, const std::vector<double>& y,
                                  spline_end end) {
  const std::size_t n = t.size();
  std::vector<double> slopes(n, 0.0), above(n, 0.0);
  if (n < 2) return slopes;
  const auto width = [&](std::size_t i) { return t[i + 1] - t[i]; };
  const auto secant = [&](std::size_t i) { return (y[i + 1] - y[i]) / width(i); };
  const bool has_knots = end == spline_end::natural || n > 3;
  if (!has_knots && n == 2) return {secant(0), secant(0)};
  if (!has_knots) {
    const double bend = (secant(1) - secant(0)) / (width(0) + width(1));
    return {secant(0) - bend * width(0), secant(0) + bend * width(0), secant(1) + bend * width(1)};
  }
  // Elimination in a tridiagonal system, whose rows are weighted sums of the secants beside a node.
  double w = 0, s = 0;  // 1/width and secant/width of the interval before
  for (std::size_t i = 0; i < n; ++i) {
    const double w_after = i + 1 < n ? 1 / width(i) : 0;
    const double s_after = i + 1 < n ? secant(i) * w_after : 0;
    row at{w, 2 * (w + w_after), w_after, 3 * (s + s_after)};
    if (end == spline_end::not_a_knot && i == 0)
      at = no_knot_beside(width(0), width(1), secant(0), secant(1));
    if (end == spline_end::not_a_knot && i + 1 == n)
      at = no_knot_beside(width(n - 2), width(n - 3), secant(n - 2), secant(n - 3));
    const double before = i > 0 ? above[i - 1] : 0, pivot = at.middle - at.below * before;
    above[i] = at.above / pivot;
    slopes[i] = (at.right - (i > 0 ? at.below * slopes[i - 1] : 0)) / pivot;
    w = w_after;
    s = s_after;
  }
  for (std::size_t i = n - 1; i-- > 0;) slopes[i] -= above[i] * slopes[i + 1];
  return slopes;
}

}  // namespace asperity
