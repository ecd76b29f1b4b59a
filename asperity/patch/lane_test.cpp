// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/planar/detail/elastoplastic_alpha.hpp>
#include <asperity/patch/lane.hpp>
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

TEST(lane, ElastoplasticAlphaIsHalfASine) {
  for (double held = 2; held <= 3; held += 1.3e-4) {
    const double exact = 0.5 + 0.5 * std::sin(3.14159265358979323846 * (held - 2.5));
    ASSERT_NEAR(elastoplastic_alpha<double>(held, 3, 2), exact, 2 * ulp) << held;
    ASSERT_EQ(elastoplastic_alpha<lane>(held, 3, 2).x, elastoplastic_alpha<double>(held, 3, 2));
  }
  EXPECT_NEAR(elastoplastic_alpha<double>(1, 3, 2), 0, ulp);
  EXPECT_NEAR(elastoplastic_alpha<double>(5, 3, 2), 1, ulp);
}

TEST(lane, LogIsExactToRounding) {
  for (double x = 1e-299; x < 1e300; x *= 1.37) {
    const long double exact = std::log(static_cast<long double>(x));
    ASSERT_LE(std::abs(log(lane(x)).x - exact), 2 * ulp * (1 + std::abs(exact))) << x;
  }
}

TEST(lane, PowersOfAPositiveBase) {
  EXPECT_NEAR(pow(lane(3.0), lane(0.7)).x, std::pow(3.0, 0.7), 1e-14);
  EXPECT_EQ(pow(lane(3.0), lane(2.0)).x, 9);
  EXPECT_EQ(pow(lane(3.0), lane(1.0)).x, 3);
}

}  // namespace
}  // namespace asperity
