// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/scalar/root.hpp>
#include <cmath>

namespace asperity {
namespace {

// Roots are found to rounding, of steep, flat and broken functions.
TEST(root, IsFoundToRounding) {
  const auto same = [](double found, double expected) {
    EXPECT_NEAR(found, expected, 1e-15 * std::abs(expected));
  };
  same(root_between([](double x) { return x * x - 2; }, 0.0, 2.0), std::sqrt(2.0));
  same(root_between([](double x) { return std::pow(x, 50.0) - 1; }, 0.0, 1e6), 1.0);
  same(root_between([](double x) { return x < 0.3 ? -1e-9 : 1e9; }, 0.0, 1.0), 0.3);
  same(root_between([](double x) { return std::exp(-x) - 1e-200; }, 1.0, 1e4), 200 * std::log(10));
}

// The ends may stand either way, and mirrored problems have mirrored roots to the last bit.
TEST(root, IsMirroredWithItsProblem) {
  const auto f = [](double x) { return x * x * x - 0.7; };
  const auto mirrored = [&f](double x) { return f(-x); };
  EXPECT_EQ(root_between(f, 0.1, 3.0), -root_between(mirrored, -0.1, -3.0));
  EXPECT_NEAR(root_between(f, 3.0, 0.1), std::cbrt(0.7), 1e-15);
}

// A root at an end that rounding has moved out of sight is that end.
TEST(root, MayBeAnEnd) {
  EXPECT_EQ(root_between([](double x) { return x - 1; }, 0.0, 1.0), 1);
  EXPECT_EQ(root_between([](double x) { return x - 1 - 1e-12; }, 0.0, 1.0), 1);
}

}  // namespace
}  // namespace asperity
