// SPDX-License-Identifier: Apache-2.0
// The theorems of Xiong 2013, chapter 2, in both directions: the closed form is a member of the
// inclusion, and whatever differs from it is not.

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
constexpr double rounding = 1e-14;

template <int N>
void theorem_1_holds() {
  const double Z = *fraction() < 0.1 ? 0.0 : *magnitude();
  const auto x = any_vector<N>();
  const auto y = sat(Z, x);
  const double tolerance = rounding * (Z + norm(x));
  RC_ASSERT(in_sgn(y, Z, x - y, tolerance));

  // Uniqueness: a point elsewhere in the ball is no solution.
  const auto other = sat(Z, y + any_vector<N>());
  if (norm(other - y) > 1e-6 * (Z + norm(x)))
    RC_ASSERT_FALSE(in_sgn(other, Z, x - other, 1e-8 * (Z + norm(x))));
}

RC_GTEST_PROP(inclusion, SatSolvesTheSignInclusionOnTheLine, ()) { theorem_1_holds<1>(); }
RC_GTEST_PROP(inclusion, SatSolvesTheSignInclusionInThePlane, ()) { theorem_1_holds<2>(); }
RC_GTEST_PROP(inclusion, SatSolvesTheSignInclusionInSpace, ()) { theorem_1_holds<3>(); }

// In one dimension nothing is rounded, so the definition holds to the last bit.
RC_GTEST_PROP(inclusion, OnTheLineTheSignInclusionIsExact, ()) {
  const double Z = *magnitude(), x = *number(), y = math::sat(Z, x);
  RC_ASSERT(in_sgn(y, Z, x - y));
}

// Theorem 2, in both directions.
RC_GTEST_PROP(inclusion, MaxSolvesTheDiodeInclusion, ()) {
  const double x = *number(), y = dio_resolvent(x);
  RC_ASSERT(in_dio(y, x + y));
  const double other = *magnitude();
  if (other != y) RC_ASSERT_FALSE(in_dio(other, x + other));
}

// Theorem 2 is the projection on the half-line, Theorem 1 the one on the ball.
RC_GTEST_PROP(inclusion, DiodeIsTheProjectionOnTheHalfLine, ()) {
  const double x = *number();
  RC_ASSERT(dio_resolvent(x) == half_line<double>{}.prox({{-x}})[0]);
}

// y = sat(Z, w - c y) for c > -1: what the closed-form implicit steps rest on.
template <int N>
void feedback_is_solved() {
  const double Z = *magnitude(3), c = *magnitude(3) - 0.99;
  const auto w = any_vector<N>(3);
  const auto y = prox_with_feedback(ball<double, N>{Z}, w, c);
  RC_ASSERT(norm(y - sat(Z, w - c * y)) <= 1e-12 * (norm(w) + (1 + c) * Z) / std::min(1.0, 1 + c));
}
RC_GTEST_PROP(inclusion, FeedbackOnlyRescalesOnTheLine, ()) { feedback_is_solved<1>(); }
RC_GTEST_PROP(inclusion, FeedbackOnlyRescalesInThePlane, ()) { feedback_is_solved<2>(); }
RC_GTEST_PROP(inclusion, FeedbackOnlyRescalesInSpace, ()) { feedback_is_solved<3>(); }

// The same through the reaction of a model: u = u_free - mobility f, f = sat(F, offset + slope u).
RC_GTEST_PROP(inclusion, ReactionSolvesItsOwnFeedback, ()) {
  const double F = *magnitude(3), slope = *magnitude(3), mobility = *magnitude(3);
  const double offset = *number(3), u_free = *number(3);
  const double f = reaction<double>{-F, F, offset, slope, 1.0}.solve(u_free, mobility);
  const double scale = (std::abs(offset) + slope * (std::abs(u_free) + mobility * F)) + F;
  RC_ASSERT(std::abs(f - math::sat(F, offset + slope * (u_free - mobility * f))) <= 1e-14 * scale);
}

TEST(inclusion, SignAtZeroIsTheWholeBall) {
  EXPECT_TRUE(in_sgn<double>(0.3, 1.0, 0.0));
  EXPECT_TRUE(in_sgn<double>(-1.0, 1.0, 0.0));
  EXPECT_FALSE(in_sgn<double>(1.1, 1.0, 0.0));
  EXPECT_TRUE(in_sgn(vec<double, 2>{{0.6, -0.8}}, 1.0, vec<double, 2>{}));
  EXPECT_FALSE(in_sgn(vec<double, 2>{{0.6, -0.9}}, 1.0, vec<double, 2>{}));
}

TEST(inclusion, SignAwayFromZeroIsOneVector) {
  EXPECT_TRUE(in_sgn<double>(-2.0, 2.0, -1e-300));
  EXPECT_FALSE(in_sgn<double>(2.0, 2.0, -1e-300));
  EXPECT_FALSE(in_sgn<double>(1.9, 2.0, 5.0));
  EXPECT_TRUE(in_sgn(vec<double, 2>{{3.0, 4.0}}, 5.0, vec<double, 2>{{6.0, 8.0}}));
  EXPECT_FALSE(in_sgn(vec<double, 2>{{4.0, 3.0}}, 5.0, vec<double, 2>{{6.0, 8.0}}, 1e-3));
}

TEST(inclusion, DiodeIsNeitherNegativeNorBothPositive) {
  EXPECT_TRUE(in_dio(0.0, 0.0));
  EXPECT_TRUE(in_dio(7.0, 0.0));
  EXPECT_TRUE(in_dio(0.0, 7.0));
  EXPECT_FALSE(in_dio(1.0, 1.0));
  EXPECT_FALSE(in_dio(-1.0, 0.0));
  EXPECT_FALSE(in_dio(0.0, -1.0));
  EXPECT_TRUE(in_dio(infinity, 0.0));
  EXPECT_FALSE(in_dio(nan, 0.0));
  EXPECT_FALSE(in_dio(0.0, nan));
}

// Within the tolerance, and no further: y may be off, a long x decides, a short one may turn.
TEST(inclusion, ToleranceLetsEitherBeOff) {
  using plane = vec<double, 2>;
  const auto is_member = [](const plane& y, const plane& x) { return in_sgn(y, 5.0, x, 0.01); };
  const auto turned = [](double size, double angle) {  // from the direction of (3, 4)
    const double c = std::cos(angle), s = std::sin(angle);
    return plane{{size * (0.6 * c - 0.8 * s), size * (0.8 * c + 0.6 * s)}};
  };
  EXPECT_TRUE(is_member(turned(5, 0.001), turned(1e6, 0)));
  EXPECT_FALSE(is_member(turned(5, 0.003), turned(1e6, 0)));
  EXPECT_TRUE(is_member(turned(4.995, 0), turned(0.02, 0.3)));
  EXPECT_FALSE(is_member(turned(4.98, 0), turned(0.02, 0.3)));
  EXPECT_FALSE(is_member(turned(4.995, 0), turned(0.02, 0.6)));
  EXPECT_TRUE(is_member(turned(2, 0), turned(0.009, 3)));
  for (const double other : {0.0, 7.0}) {
    EXPECT_TRUE(in_dio(-1e-3, other, 1e-2));
    EXPECT_TRUE(in_dio(other, -1e-3, 1e-2));
    EXPECT_FALSE(in_dio(-0.02, other, 1e-2));
    EXPECT_FALSE(in_dio(other, -0.02, 1e-2));
  }
}

// Of a disc: outwards at its rim, nothing inside, and empty beyond.
TEST(inclusion, NormalConeOfADiscPointsOutwards) {
  const ball<double, 2> disc{2.0};
  const auto is_member = [&](double y, double w_0, double w_1) {
    return in_normal_cone(disc, vec<double, 2>{{y, 0.0}}, vec<double, 2>{{w_0, w_1}}, 0.01);
  };
  EXPECT_TRUE(is_member(2, 3, 0));
  EXPECT_TRUE(is_member(2.005, 3, 0));
  EXPECT_TRUE(is_member(2, 0, 0));
  EXPECT_FALSE(is_member(2, 3, 0.1));
  EXPECT_FALSE(is_member(2, -1, 0));
  EXPECT_TRUE(is_member(1, 0, 0));
  EXPECT_FALSE(is_member(1, 0.1, 0));
  EXPECT_FALSE(is_member(2.02, 0, 0));
}

TEST(inclusion, MembershipOfNanIsFalse) {
  EXPECT_FALSE(in_sgn<double>(nan, 1.0, 0.0, 1.0));
  EXPECT_FALSE(in_sgn<double>(0.0, 1.0, nan, 1.0));
  EXPECT_FALSE(in_sgn<double>(0.0, nan, 0.0, 1.0));
}

TEST(inclusion, SatOfAnEmptyBallIsZero) {
  EXPECT_EQ(math::sat(0.0, 3.0), 0.0);
  EXPECT_EQ(math::sat(0.0, -infinity), 0.0);
  EXPECT_EQ(norm(sat(0.0, vec<double, 3>{{1.0, -2.0, 3.0}})), 0.0);
  EXPECT_EQ(norm(sat(0.0, vec<double, 3>{})), 0.0);
}

TEST(inclusion, SatOfInfinityIsOnTheSphere) {
  EXPECT_EQ(math::sat(2.0, infinity), 2.0);
  EXPECT_EQ(math::sat(2.0, -infinity), -2.0);
  EXPECT_EQ(math::sat(infinity, 3.0), 3.0);
  EXPECT_EQ(math::sat(infinity, -infinity), -infinity);
  const auto y = sat(5.0, vec<double, 3>{{-infinity, 1e300, infinity}});
  EXPECT_DOUBLE_EQ(norm(y), 5.0);
  EXPECT_DOUBLE_EQ(y[0], -y[2]);
  EXPECT_EQ(y[1], 0.0);
}

TEST(inclusion, SatOfNanIsNanInEveryComponent) {
  const auto y = sat(1.0, vec<double, 3>{{0.1, nan, 0.1}});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(y[i]));
  const auto z = sat(1.0, vec<double, 2>{{nan, infinity}});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(std::isnan(z[i]));
}

// Squares of these numbers overflow or vanish.
TEST(inclusion, LengthNeitherOverflowsNorVanishes) {
  EXPECT_DOUBLE_EQ(norm(vec<double, 2>{{3e200, 4e200}}), 5e200);
  EXPECT_DOUBLE_EQ(norm(vec<double, 2>{{3e-200, -4e-200}}), 5e-200);
  EXPECT_DOUBLE_EQ(norm(sat(1.0, vec<double, 3>{{1e300, 1e300, -1e300}})), 1.0);
  EXPECT_DOUBLE_EQ(sgn(vec<double, 2>{{3e-310, 4e-310}})[0], 0.6);
  EXPECT_TRUE(std::isnan(norm(vec<double, 3>{{nan, 0.0, 0.0}})));
}

// Inside the ball sat is the identity, outside it turns but does not stretch.
TEST(inclusion, DerivativeOfSatIsTheProjectionAcrossTheRay) {
  using number_t = dual<double, 2>;
  const vec<number_t, 2> inside{{number_t::variable(0.3, 0), number_t::variable(0.4, 1)}};
  const auto still = sat(number_t(1.0), inside);
  EXPECT_EQ(still[0].derivative[0], 1.0);
  EXPECT_EQ(still[0].derivative[1], 0.0);
  const vec<number_t, 2> outside{{number_t::variable(3.0, 0), number_t::variable(4.0, 1)}};
  const auto held = sat(number_t(1.0), outside);
  EXPECT_NEAR(held[0].derivative[0], 0.8 * 0.8 / 5, 1e-16);
  EXPECT_NEAR(held[0].derivative[1], -0.6 * 0.8 / 5, 1e-16);
  // Equal components, where the scaling inside changes from one to the other.
  const vec<number_t, 2> diagonal{{number_t::variable(1.0, 0), number_t::variable(1.0, 1)}};
  EXPECT_NEAR(norm(diagonal).derivative[0], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(norm(diagonal).derivative[1], std::sqrt(0.5), 1e-15);
  // At zero the length has no derivative; ours is zero rather than NaN.
  const vec<number_t, 2> zero{{number_t::variable(0.0, 0), number_t::variable(0.0, 1)}};
  EXPECT_EQ(norm(zero).derivative[0], 0.0);
}

RC_GTEST_PROP(inclusion, PacksSaturateLaneByLane, ()) {
  using number_t = pack<double>;
  vec<number_t, 3> x;
  for (int lane = 0; lane < number_t::width; ++lane) {
    const auto one = any_vector<3>();
    for (int i = 0; i < 3; ++i) x[i].v[lane] = one[i];
  }
  const double Z = *magnitude();
  const auto y = sat(number_t(Z), x);
  for (int lane = 0; lane < number_t::width; ++lane) {
    const auto expected = sat(Z, vec<double, 3>{{x[0][lane], x[1][lane], x[2][lane]}});
    for (int i = 0; i < 3; ++i) RC_ASSERT(y[i][lane] == expected[i]);
  }
}

}  // namespace
}  // namespace asperity
