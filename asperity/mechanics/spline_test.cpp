// SPDX-License-Identifier: Apache-2.0
// Each kind of end meets the polynomials, and the curves with one knot, that theory says it meets.

#include <gtest/gtest.h>

#include <asperity/mechanics/spline.hpp>
#include <cmath>
#include <functional>

namespace asperity {
namespace {

using function = std::function<double(double)>;

// The largest error of the slopes.
double error_of(const std::vector<double>& t, const function& y, const function& slope,
                spline_end end) {
  std::vector<double> values;
  values.reserve(t.size());
  for (const double each : t) values.push_back(y(each));
  const auto found = spline_slopes(t, values, end);
  EXPECT_EQ(found.size(), t.size());
  double worst = 0;
  for (std::size_t i = 0; i < t.size(); ++i)
    worst = std::max(worst, std::abs(found[i] - slope(t[i])));
  return worst;
}

const std::vector<double> uneven{-1, -0.8, -0.35, 0, 0.1, 0.6, 1};
constexpr double rounding = 1e-13;

const function cube = [](double t) { return 2 - t + 3 * t * t - 5 * t * t * t; };
const function slope_of_cube = [](double t) { return -1 + 6 * t - 15 * t * t; };

// |t|^3 - 3 t^2 bends nowhere at -1 and 1, and its third derivative jumps at 0.
const function bow = [](double t) { return std::abs(t * t * t) - 3 * t * t; };
const function slope_of_bow = [](double t) { return 3 * t * std::abs(t) - 6 * t; };

TEST(spline_slopes, NotAKnotIsEveryCubic) {
  EXPECT_LT(error_of(uneven, cube, slope_of_cube, spline_end::not_a_knot), rounding);
  EXPECT_LT(error_of({-1, 0.2, 0.3, 2}, cube, slope_of_cube, spline_end::not_a_knot),
            10 * rounding);
  // A natural spline does not bend at its ends, which this cubic does.
  EXPECT_GT(error_of(uneven, cube, slope_of_cube, spline_end::natural), 0.1);
}

TEST(spline_slopes, NaturalIsWhatBendsNowhereAtItsEnds) {
  for (const auto& nodes : {uneven, std::vector<double>{-1, 0, 1}, {-1, 0, 0.9, 1}})
    EXPECT_LT(error_of(nodes, bow, slope_of_bow, spline_end::natural), rounding);
}

// A knot is met where it is allowed: not beside an end.
TEST(spline_slopes, NotAKnotHasKnotsInside) {
  EXPECT_LT(error_of(uneven, bow, slope_of_bow, spline_end::not_a_knot), rounding);
  EXPECT_GT(error_of({-1, 0, 0.1, 0.6, 1}, bow, slope_of_bow, spline_end::not_a_knot), 0.1);
  EXPECT_GT(error_of({-1, -0.6, -0.1, 0, 1}, bow, slope_of_bow, spline_end::not_a_knot), 0.1);
}

TEST(spline_slopes, OfFewNodes) {
  const function line = [](double t) { return 3 - 2 * t; }, fall = [](double) { return -2.0; };
  const function square = [](double t) { return t * t; }, twice = [](double t) { return 2 * t; };
  for (const auto end : {spline_end::natural, spline_end::not_a_knot}) {
    EXPECT_TRUE(spline_slopes({}, {}, end).empty());
    EXPECT_EQ(spline_slopes({1}, {5}, end), std::vector<double>{0});
    EXPECT_LT(error_of({1, 3}, line, fall, end), rounding);
    EXPECT_LT(error_of({1, 1.5, 3}, line, fall, end), rounding);
    EXPECT_LT(error_of(uneven, line, fall, end), rounding);
  }
  EXPECT_LT(error_of({1, 1.5, 3}, square, twice, spline_end::not_a_knot), rounding);
}

}  // namespace
}  // namespace asperity
