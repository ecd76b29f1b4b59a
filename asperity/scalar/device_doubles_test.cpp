// SPDX-License-Identifier: Apache-2.0
// What GPUs take for doubles, on the processor: the same text.

#include <gtest/gtest.h>

#include <asperity/scalar/device_doubles.hpp>
#include <asperity/scalar/math.hpp>
#include <limits>
#include <random>

namespace asperity {
namespace {

const double infinity = unbounded, none = std::numeric_limits<double>::quiet_NaN();

// To the bit, where all NaN are one.
void expect_same_bits(double x, double expected, const std::string& what) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(x)) << what;
  else
    EXPECT_EQ(detail::bits_of(x), detail::bits_of(expected)) << what;
}

TEST(device_doubles, SatIsThatOfEveryOtherNumberToTheBit) {
  const auto compare = [](double Z, double x) {
    expect_same_bits(detail::sat_on_device(Z, x), math::sat<double>(Z, x),
                     "sat(" + std::to_string(Z) + ", " + std::to_string(x) + ")");
  };
  for (const double Z : {0.0, 5e-324, 1e-310, 0.5, 1.0, 2.0, 1e300, infinity, none})
    for (const double x : {0.0, 5e-324, 1e-310, 0.5, 1.0, 2.0, 1e300, infinity, none}) {
      compare(Z, x);
      compare(Z, -x);
    }
  std::mt19937_64 random(1);
  std::normal_distribution<double> number;
  for (int i = 0; i < 10'000; ++i) {
    const double Z = std::abs(number(random));
    compare(Z, number(random));
    for (const double x : {Z, std::nextafter(Z, 0.0), std::nextafter(Z, infinity)}) {
      compare(Z, x);
      compare(Z, -x);
    }
  }
  // Rounding may leave a limit a little below 0.
  compare(-1e-17, 1);
  compare(-1e-17, -1);
}

TEST(device_doubles, TheExponentialIsThatOfLongDoubleToLittleMoreThanOneUnit) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> all(-708, 709.78), near(-2, 2), power(-40, 6.5);
  double worst = 0;
  for (int i = 0; i < 100'000; ++i)
    for (const double x : {all(random), near(random), -std::exp(power(random))}) {
      const long double exact = std::exp(static_cast<long double>(x));
      const auto rounded = static_cast<double>(exact);
      const double unit = rounded - std::nextafter(rounded, 0.0);
      worst =
          std::max(worst, std::abs(static_cast<double>(detail::exp_on_device(x) - exact)) / unit);
    }
  EXPECT_LT(worst, 1.3);
}

TEST(device_doubles, BeyondItsRangeTheExponentialIsNothingOrInfiniteOrNan) {
  for (const double x : {-708.5, -745.0, -1e3, -1e300, -infinity})
    expect_same_bits(detail::exp_on_device(x), 0.0, std::to_string(x));
  for (const double x : {709.79, 710.0, 1e3, 1e300, infinity})
    expect_same_bits(detail::exp_on_device(x), infinity, std::to_string(x));
  for (const double x : {none, -none})
    expect_same_bits(detail::exp_on_device(x), none, std::to_string(x));
  expect_same_bits(detail::exp_on_device(0.0), 1.0, "0");
  expect_same_bits(detail::exp_on_device(-0.0), 1.0, "-0");
}

}  // namespace
}  // namespace asperity
