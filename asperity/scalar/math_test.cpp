// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/scalar/math.hpp>
#include <limits>

#include "tests/generators.hpp"

namespace asperity {
namespace {

using testing::magnitude;
using testing::number;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Usable at compile time.
static_assert(math::sat(2.0, 3.0) == 2.0);
static_assert(math::sat(2.0, -3.0) == -2.0);
static_assert(math::clamp(-1.0, 2.0, 0.5) == 0.5);
static_assert(math::sgn(-4.0F) == -1.0F);
static_assert(math::select(true, 1.0, 2.0) == 1.0);
static_assert(lit<float>(0.5) == 0.5F);

// sat is odd, stays in bounds, does not stretch, and does nothing inside.
RC_GTEST_PROP(math, SatProjectsOnTheInterval, ()) {
  const double Z = *magnitude(), x = *number(), y = *number();
  RC_ASSERT(math::sat(Z, -x) == -math::sat(Z, x));
  RC_ASSERT(std::abs(math::sat(Z, x)) <= Z);
  RC_ASSERT(std::abs(math::sat(Z, x) - math::sat(Z, y)) <= std::abs(x - y));
  RC_ASSERT(std::abs(x) > Z || math::sat(Z, x) == x);
}

TEST(math, SatOfBoundsIsExact) {
  EXPECT_EQ(math::sat(0.0, 5.0), 0.0);
  EXPECT_EQ(math::sat(3.0, 3.0), 3.0);
  EXPECT_EQ(math::sat(3.0, infinity), 3.0);
  EXPECT_EQ(math::sat(infinity, -infinity), -infinity);
  EXPECT_EQ(math::clamp(-infinity, infinity, 7.0), 7.0);
}

TEST(math, SignIsZeroAtZeroOnly) {
  EXPECT_EQ(math::sgn(0.0), 0.0);
  EXPECT_EQ(math::sgn(-0.0), 0.0);
  EXPECT_EQ(math::sgn(5e-324), 1.0);
  EXPECT_EQ(math::sgn(-5e-324), -1.0);
  EXPECT_EQ(math::sgn(infinity), 1.0);
}

// The number that is bounded carries NaN through. So does the limit of sat; elsewhere a NaN bound
// does not bind.
TEST(math, NanComesOut) {
  EXPECT_TRUE(std::isnan(math::min(1.0, nan)));
  EXPECT_TRUE(std::isnan(math::max(1.0, nan)));
  EXPECT_TRUE(std::isnan(math::clamp(-1.0, 1.0, nan)));
  EXPECT_TRUE(std::isnan(math::sat(1.0, nan)));
  EXPECT_TRUE(std::isnan(math::sgn(nan)));
  EXPECT_TRUE(std::isnan(math::power(nan, 1.5)));
  EXPECT_TRUE(std::isnan(math::power(nan, 2.0)));
  EXPECT_TRUE(std::isnan(math::power(nan, 0.3)));
  EXPECT_TRUE(std::isnan(math::sat(nan, 7.0)));
  EXPECT_TRUE(std::isnan(math::sat(nan, -infinity)));
  EXPECT_TRUE(std::isnan(math::sat(nan, nan)));
  EXPECT_TRUE(std::isnan(math::sat(0.0, nan)));
  EXPECT_EQ(math::min(nan, 7.0), 7.0);
  EXPECT_EQ(math::max(nan, 7.0), 7.0);
}

TEST(math, SelectDropsTheDeadSide) {
  EXPECT_EQ(math::select(true, 1.0, nan), 1.0);
  EXPECT_EQ(math::select(false, nan, 2.0), 2.0);
}

// The short cuts for frequent exponents differ from std::pow by rounding only.
RC_GTEST_PROP(math, PowerIsPow, ()) {
  const double base = *magnitude();
  for (const double exponent : {0.0, 0.3, 0.5, 1.0, 1.5, 2.0, 2.5, 4.0, -1.0}) {
    const double expected = std::pow(base, exponent);
    RC_ASSERT(std::abs(math::power(base, exponent) - expected) <= 1e-15 * expected);
  }
}

TEST(math, PowersOfZeroAndInfinity) {
  for (const double exponent : {0.5, 1.0, 1.5, 2.0, 3.0, 4.0}) {
    EXPECT_EQ(math::power(0.0, exponent), 0.0);
    EXPECT_EQ(math::power(infinity, exponent), infinity);
  }
  EXPECT_EQ(math::power(0.0, 0.0), 1.0);
}

}  // namespace
}  // namespace asperity
