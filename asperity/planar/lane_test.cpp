// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/planar/lane.hpp>
#include <cmath>
#include <limits>

namespace asperity {
namespace {

constexpr double ulp = std::numeric_limits<double>::epsilon();

// Against long double, which has eleven binary digits more.
TEST(lane, ExpIsExactToTwoUnitsInTheLastPlace) {
  for (double x = -689; x < 709; x += 0.0371) {
    const long double exact = std::exp(static_cast<long double>(x));
    ASSERT_LE(std::abs(exp(lane(x)).x / exact - 1), 2 * ulp) << x;
  }
  EXPECT_EQ(exp(lane(0.0)).x, 1);
  EXPECT_LT(exp(lane(-1e6)).x, 1e-299);
  EXPECT_GT(exp(lane(1e6)).x, 1e307);
}

TEST(lane, SinIsExactToTwoUnitsInTheLastPlace) {
  for (double x = -1.5707963; x < 1.5707964; x += 1.7e-4) {
    const long double exact = std::sin(static_cast<long double>(x));
    ASSERT_LE(std::abs(sin(lane(x)).x - exact), 2 * ulp * std::abs(exact)) << x;
  }
}

TEST(lane, LogIsExactToRounding) {
  for (double x = 1e-299; x < 1e300; x *= 1.37) {
    const long double exact = std::log(static_cast<long double>(x));
    ASSERT_LE(std::abs(log(lane(x)).x - exact), 2 * ulp * (1 + std::abs(exact))) << x;
  }
}

}  // namespace
}  // namespace asperity
