// SPDX-License-Identifier: Apache-2.0
// Projections are tested by what defines them, for random points of the set: the variational
// inequality (x - y).(z - y) <= 0 for every z of the set.

#include <gtest/gtest.h>

#include <asperity/nonsmooth/inclusion.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/scalar/pack.hpp>
#include <limits>

#include "tests/generators.hpp"

namespace asperity {
namespace {

using testing::any_vector;
using testing::fraction;
using testing::magnitude;
using testing::number;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A random point of each set, found without its projection.
template <int N>
vec<double, N> point_of(const ball<double, N>& set) {
  return (set.radius * *fraction()) * sgn(any_vector<N>());
}
template <int N>
vec<double, N> point_of(const quick_ball<double, N>& set) {
  return point_of(ball<double, N>{set.radius});
}
template <int N>
vec<double, N> point_of(const box<double, N>& set) {
  vec<double, N> z;
  for (int i = 0; i < N; ++i) z[i] = set.lower[i] + *fraction() * (set.upper[i] - set.lower[i]);
  return z;
}
vec<double, 1> point_of(const half_line<double>& set) { return {{set.start + *magnitude()}}; }
template <int N>
vec<double, N> point_of(const ellipsoid<double, N>& set) {
  vec<double, N> z = *fraction() * sgn(any_vector<N>());
  for (int i = 0; i < N; ++i) z[i] *= set.semi_axis[i];
  return z;
}
template <int N>
vec<double, N> point_of(const friction_cone<double, N>& set) {
  const double n = *magnitude();
  const auto t = (set.mu * n * *fraction()) * sgn(any_vector<N - 1>());
  vec<double, N> z;
  for (int i = 0; i < N - 1; ++i) z[i] = t[i];
  z[N - 1] = n;
  return z;
}

// Everything that holds of the projection on any closed convex set.
template <int N, class Set>
void projection_laws(const Set& set, int decades = 6) {
  const auto x = any_vector<N>(decades), other = any_vector<N>(decades);
  const auto y = set.prox(x), y_other = set.prox(other);
  const double rounding = 1e-13 * (norm(x) + norm(y));

  RC_ASSERT(set.contains(y, rounding));
  for (int k = 0; k < 8; ++k) {
    const auto z = point_of(set);
    RC_ASSERT(set.contains(z, 1e-13 * norm(z)));
    RC_ASSERT(dot(x - y, z - y) <= 1e-13 * (norm(x) + norm(y)) * (norm(z) + norm(y)));
  }
  RC_ASSERT(norm(set.prox(y) - y) <= rounding);
  RC_ASSERT(norm(y_other - y) <= norm(other - x) + rounding + 1e-13 * norm(other));
  RC_ASSERT(in_normal_cone(set, y, x - y, rounding));

  // A point of the set stays where it is.
  const auto member = point_of(set);
  RC_ASSERT(norm(set.prox(member) - member) <= 1e-13 * norm(member));
}

template <int N>
box<double, N> any_box() {
  box<double, N> set;
  for (int i = 0; i < N; ++i) {
    set.lower[i] = *number();
    set.upper[i] = set.lower[i] + *fraction() * *magnitude();
  }
  return set;
}

template <int N>
ellipsoid<double, N> any_ellipsoid(int decades) {
  ellipsoid<double, N> set;
  for (int i = 0; i < N; ++i) set.semi_axis[i] = *magnitude(decades);
  return set;
}

RC_GTEST_PROP(prox, OnTheInterval, ()) { projection_laws<1>(ball<double, 1>{*magnitude()}); }
RC_GTEST_PROP(prox, OnTheDisc, ()) { projection_laws<2>(ball<double, 2>{*magnitude()}); }
RC_GTEST_PROP(prox, OnTheBall, ()) { projection_laws<3>(ball<double, 3>{*magnitude()}); }
RC_GTEST_PROP(prox, OnTheQuickBall, ()) {
  projection_laws<3>(quick_ball<double, 3>{*magnitude()}, 60);
}
RC_GTEST_PROP(prox, OnThePoint, ()) { projection_laws<3>(ball<double, 3>{0.0}); }
RC_GTEST_PROP(prox, OnTheRectangle, ()) { projection_laws<2>(any_box<2>()); }
RC_GTEST_PROP(prox, OnTheBox, ()) { projection_laws<3>(any_box<3>()); }
RC_GTEST_PROP(prox, OnTheHalfLine, ()) { projection_laws<1>(half_line<double>{*number()}); }
RC_GTEST_PROP(prox, OnTheEllipse, ()) { projection_laws<2>(any_ellipsoid<2>(1)); }
RC_GTEST_PROP(prox, OnTheEllipsoid, ()) { projection_laws<3>(any_ellipsoid<3>(1), 2); }
RC_GTEST_PROP(prox, OnTheThinEllipsoid, ()) { projection_laws<3>(any_ellipsoid<3>(12), 12); }
RC_GTEST_PROP(prox, OnThePlanarCone, ()) {
  projection_laws<2>(friction_cone<double, 2>{*magnitude(2)});
}
RC_GTEST_PROP(prox, OnTheSpatialCone, ()) {
  projection_laws<3>(friction_cone<double, 3>{*magnitude(2)});
}
RC_GTEST_PROP(prox, OnTheFrictionlessCone, ()) {
  projection_laws<3>(friction_cone<double, 3>{0.0});
}

// An ellipsoid of equal semi-axes is a ball, an interval its one-dimensional case.
RC_GTEST_PROP(prox, BallIsAnEllipsoid, ()) {
  const double r = *magnitude();
  const auto x = any_vector<3>();
  const auto round = ball<double, 3>{r}.prox(x), long_way = ellipsoid<double, 3>{{r, r, r}}.prox(x);
  RC_ASSERT(norm(round - long_way) <= 1e-14 * r);
  RC_ASSERT(std::abs(ellipsoid<double, 1>{{r}}.prox({{x[0]}})[0] - math::sat(r, x[0])) <=
            1e-15 * r);
}

// Both roads to the ball end in the same point.
RC_GTEST_PROP(prox, QuickBallIsTheBall, ()) {
  const double r = *rc::gen::element(0.0, *magnitude(60), *magnitude());
  const auto x = any_vector<3>(60);
  const auto careful = ball<double, 3>{r}.prox(x), quick = quick_ball<double, 3>{r}.prox(x);
  RC_ASSERT(norm(careful - quick) <= 1e-15 * norm(careful));
  const quick_ball<double, 3> around{2 * norm(x)};
  for (int i = 0; i < 3; ++i) RC_ASSERT(around.prox(x)[i] == x[i]);
}

// Moreau: x = prox(cone, x) + prox(polar cone, x), and the two are perpendicular. The polar cone of
// {|t| <= mu n} is {mu |t| <= -n}, which is minus the cone of 1/mu.
RC_GTEST_PROP(prox, ConeAndPolarConeShareEveryVector, ()) {
  const double mu = *magnitude(2);
  const auto x = any_vector<3>();
  const friction_cone<double, 3> cone{mu}, mirrored{1 / mu};
  const auto y = cone.prox(x), z = -1.0 * mirrored.prox(-1.0 * x);
  RC_ASSERT(norm(x - (y + z)) <= 1e-13 * norm(x));
  RC_ASSERT(std::abs(dot(y, z)) <= 1e-13 * norm(x) * norm(x));
}

// Points of known projection.
TEST(prox, OfAPointOnAnAxisIsTheEndOfTheSemiAxis) {
  const ellipsoid<double, 3> set{{3.0, 2.0, 1.0}};
  const auto along_long = set.prox({{10.0, 0.0, 0.0}}), along_short = set.prox({{0.0, 0.0, -10.0}});
  EXPECT_DOUBLE_EQ(along_long[0], 3.0);
  EXPECT_DOUBLE_EQ(along_short[2], -1.0);
  EXPECT_EQ(along_short[0], 0.0);
}

TEST(prox, OfFarPointsTendsToTheSupportPoint) {
  // The farthest point of the ellipsoid in direction d is a_i^2 d_i / |a d|.
  const ellipsoid<double, 2> set{{3.0, 0.5}};
  const auto y = set.prox({{1e12, 1e12}});
  const double length = std::hypot(3.0, 0.5);
  EXPECT_NEAR(y[0], 9.0 / length, 1e-10);
  EXPECT_NEAR(y[1], 0.25 / length, 1e-10);
}

// A semi-axis of zero makes a disc, one that is nearly zero makes nearly one.
TEST(prox, FlatEllipsoidIsTheDisc) {
  const vec<double, 3> x{{3.0, 4.0, 7.0}};
  for (const double thickness : {0.0, 1e-310, 1e-200, 1e-12}) {
    const auto y = ellipsoid<double, 3>{{2.0, 2.0, thickness}}.prox(x);
    EXPECT_NEAR(y[0], 1.2, 1e-11);
    EXPECT_NEAR(y[1], 1.6, 1e-11);
    EXPECT_NEAR(y[2], 0.0, 1e-11);
  }
  EXPECT_EQ(norm(ellipsoid<double, 3>{}.prox(x)), 0.0);
}

// However nearly flat, and from wherever: beside the disc, above it, far away, on the disc itself.
TEST(prox, NearlyFlatEllipsoidsAreDiscs) {
  for (int decade = -320; decade <= -30; ++decade) {
    const ellipsoid<double, 3> set{{2.0, 2.0, std::pow(10.0, decade)}};
    for (const double up : {0.0, 1e-3, 7.0, 7e8})
      for (const double size : {0.0, 0.3, 1.5, 3.0, 4e8}) {
        const auto y = set.prox({{0.6 * size, 0.8 * size, up}});
        EXPECT_NEAR(y[0], 0.6 * std::min(2.0, size), 1e-11) << decade << ' ' << up << ' ' << size;
        EXPECT_NEAR(y[1], 0.8 * std::min(2.0, size), 1e-11) << decade << ' ' << up << ' ' << size;
        EXPECT_NEAR(y[2], 0.0, 1e-11) << decade << ' ' << up << ' ' << size;
      }
  }
  const ellipsoid<double, 3> flat{{2.0, 2.0, 0.0}};
  EXPECT_EQ(flat.prox({{0.1, 0.1, 0.0}})[2], 0);
  EXPECT_TRUE(std::isnan(flat.prox({{0.1, 0.1, nan}})[2]));
}

// Another unit changes nothing, though squares would overflow in it, or vanish.
TEST(prox, UnitsOfAnEllipsoidDoNotMatter) {
  const ellipsoid<double, 3> set{{3.0, 2.0, 0.5}};
  for (const double unit : {0x1p-600, 0x1p600})
    for (const vec<double, 3> x :
         {vec<double, 3>{{1.0, 1.0, 0.1}}, vec<double, 3>{{4.0, -5.0, 6.0}}}) {
      const auto y = set.prox(x), same = ellipsoid<double, 3>{unit * set.semi_axis}.prox(unit * x);
      for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(same[i] / unit, y[i]);
    }
}

// Off by less than the tolerance is in the set, by more is not.
TEST(prox, ToleranceWidensTheSet) {
  const box<double, 1> interval{{{1.0}}, {{2.0}}};
  const half_line<double> ray{1.0};
  const ellipsoid<double, 2> ellipse{{3.0, 0.5}};
  const friction_cone<double, 2> cone{0.5};
  for (const auto& [off, is_in] : {std::pair{0.009, true}, {0.011, false}}) {
    EXPECT_EQ(interval.contains({{1 - off}}, 0.01), is_in);
    EXPECT_EQ(interval.contains({{2 + off}}, 0.01), is_in);
    EXPECT_EQ(ray.contains({{1 - off}}, 0.01), is_in);
    EXPECT_EQ(ellipse.contains({{0.0, -0.5 - off}}, 0.01), is_in);
    EXPECT_EQ(ellipse.contains({{3 + off, 0.0}}, 0.01), is_in);
    EXPECT_EQ(cone.contains({{0.5 + off, 1.0}}, 0.01), is_in);
    EXPECT_EQ(cone.contains({{0.0, -off / 2}}, 0.005), is_in);
  }
  EXPECT_FALSE(ellipse.contains({{1.5, 0.48}}));
}

TEST(prox, ConeHasThreeZones) {
  const friction_cone<double, 2> cone{0.5};
  const auto inside = cone.prox({{0.4, 1.0}}), surface = cone.prox({{1.0, 0.0}}),
             tip = cone.prox({{0.4, -1.0}});
  EXPECT_EQ(inside[0], 0.4);
  EXPECT_EQ(inside[1], 1.0);
  EXPECT_DOUBLE_EQ(surface[0], 0.5 * surface[1]);
  EXPECT_DOUBLE_EQ(surface[1], 0.4);
  EXPECT_EQ(norm(tip), 0.0);
}

TEST(prox, NanReachesEveryComponentOfTheQuickBall) {
  for (const double radius : {0.0, 1.0, 1e10})
    for (int i = 0; i < 3; ++i) {
      vec<double, 3> x{{0.1, 0.3, 0.2}};
      x[i] = nan;
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::isnan(quick_ball<double, 3>{radius}.prox(x)[k]));
    }
  EXPECT_EQ(norm(quick_ball<double, 3>{0.0}.prox({})), 0.0);
}

TEST(prox, NanReachesEveryComponentItDecides) {
  const vec<double, 3> x{{0.1, nan, 0.2}};
  const auto on_ball = ball<double, 3>{}.prox(x), on_cone = friction_cone<double, 3>{}.prox(x),
             on_ellipsoid = ellipsoid<double, 3>{{1.0, 2.0, 3.0}}.prox(x),
             on_other_cone = friction_cone<double, 3>{}.prox({{0.1, 0.2, nan}});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(on_ball[i]));
    EXPECT_TRUE(std::isnan(on_cone[i]));
    EXPECT_TRUE(std::isnan(on_other_cone[i]));
    EXPECT_TRUE(std::isnan(on_ellipsoid[i]));
  }
  EXPECT_TRUE(std::isnan(half_line<double>{}.prox({{nan}})[0]));
  // A radius that is none, too, inside and outside.
  for (const double size : {0.0, 0.5}) {
    const auto on_none = ball<double, 2>{nan}.prox({{size, 0.0}});
    EXPECT_TRUE(std::isnan(on_none[0]) && std::isnan(on_none[1]));
    EXPECT_TRUE(std::isnan((ball<double, 1>{nan}.prox({{size}})[0])));
  }
  EXPECT_FALSE((ball<double, 3>{}.contains(x, 1.0)));
}

TEST(prox, InfiniteBoxesDoNotBound) {
  const box<double, 2> set{{{-infinity, 0.0}}, {{1.0, infinity}}};
  const auto y = set.prox({{-1e300, infinity}});
  EXPECT_EQ(y[0], -1e300);
  EXPECT_EQ(y[1], infinity);
}

// At a corner the normal cone is wide, inside it is only zero.
TEST(prox, NormalConeOpensAtTheCorner) {
  const box<double, 2> square{{{0.0, 0.0}}, {{1.0, 1.0}}};
  const vec<double, 2> corner{{1.0, 1.0}}, edge{{1.0, 0.5}}, inside{{0.5, 0.5}},
      outside{{2.0, 0.5}};
  EXPECT_TRUE(in_normal_cone(square, corner, {{3.0, 0.1}}));
  EXPECT_FALSE(in_normal_cone(square, corner, {{3.0, -0.1}}));
  EXPECT_TRUE(in_normal_cone(square, edge, {{3.0, 0.0}}));
  EXPECT_FALSE(in_normal_cone(square, edge, {{3.0, 0.1}}));
  EXPECT_FALSE(in_normal_cone(square, inside, {{1e-3, 0.0}}));
  EXPECT_TRUE(in_normal_cone(square, inside, {}));
  EXPECT_FALSE(in_normal_cone(square, outside, {}));
}

// The derivative of a projection is symmetric, and between 0 and 1.
RC_GTEST_PROP(prox, EllipsoidHasASymmetricDerivative, ()) {
  using number_t = dual<double, 2>;
  const double a = *magnitude(1), b = *magnitude(1);
  const auto x = any_vector<2>(1);
  const auto y = ellipsoid<number_t, 2>{{number_t(a), number_t(b)}}.prox(
      {{number_t::variable(x[0], 0), number_t::variable(x[1], 1)}});
  RC_ASSERT(std::abs(y[0].derivative[1] - y[1].derivative[0]) <= 1e-9);
  for (int i = 0; i < 2; ++i) {
    RC_ASSERT(y[i].derivative[i] >= -1e-9);
    RC_ASSERT(y[i].derivative[i] <= 1 + 1e-9);
  }
}

// The same projections in every lane of a pack, though lanes converge after different counts.
RC_GTEST_PROP(prox, PacksProjectLaneByLane, ()) {
  using number_t = pack<double>;
  const double a = *magnitude(2), b = *magnitude(2), mu = *magnitude(1);
  vec<number_t, 2> x;
  for (int lane = 0; lane < number_t::width; ++lane) {
    const auto one = any_vector<2>(3);
    for (int i = 0; i < 2; ++i) x[i].v[lane] = one[i];
  }
  const auto y = ellipsoid<number_t, 2>{{number_t(a), number_t(b)}}.prox(x);
  const auto z = friction_cone<number_t, 2>{number_t(mu)}.prox(x);
  for (int lane = 0; lane < number_t::width; ++lane) {
    const vec<double, 2> one{{x[0][lane], x[1][lane]}};
    const auto on_ellipse = ellipsoid<double, 2>{{a, b}}.prox(one);
    const auto on_cone = friction_cone<double, 2>{mu}.prox(one);
    for (int i = 0; i < 2; ++i) {
      RC_ASSERT(std::abs(y[i][lane] - on_ellipse[i]) <= 1e-14 * (a + b));
      RC_ASSERT(z[i][lane] == on_cone[i]);
    }
  }
}

// Single precision needs no other code.
TEST(prox, FloatsProjectToSinglePrecision) {
  const auto y = ellipsoid<float, 3>{{3.0F, 0.5F, 1e-3F}}.prox({{4.0F, -5.0F, 6.0F}});
  const auto reference = ellipsoid<double, 3>{{3.0, 0.5, 1e-3}}.prox({{4.0, -5.0, 6.0}});
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(y[i], reference[i], 1e-6);
}

}  // namespace
}  // namespace asperity
