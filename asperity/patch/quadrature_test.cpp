// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <asperity/patch/quadrature.hpp>
#include <cmath>

namespace asperity::quadrature {
namespace {

TEST(quadrature, FindsAJump) {
  const double at = 1 / std::sqrt(3);
  const auto sum =
      adaptive<1>([&](double x) { return std::array{x < at ? 1.0 : 3.0}; }, 0, 1, 1e-6);
  EXPECT_NEAR(sum.value[0], at + 3 * (1 - at), 1e-6);
  EXPECT_LE(std::abs(sum.value[0] - (3 - 2 * at)), sum.error);
}

// No halving helps against values that differ from place to place: the work ends, and the
// estimate says what is left.
TEST(quadrature, EndsWhereAFunctionIsRough) {
  long calls = 0;
  const auto rough = [&](double x) {
    ++calls;
    const double scrambled = 1e4 * std::sin(1e9 * x);
    return std::array{1 + 1e-3 * (scrambled - std::floor(scrambled) - 0.5)};
  };
  const auto sum = adaptive<1>(rough, 0, 1, 1e-12);
  EXPECT_LT(calls, 1'000'000);
  EXPECT_NEAR(sum.value[0], 1, 1e-3);
  EXPECT_LE(std::abs(sum.value[0] - 1), sum.error);
}

}  // namespace
}  // namespace asperity::quadrature
