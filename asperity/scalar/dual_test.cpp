// SPDX-License-Identifier: Apache-2.0
// Derivatives against central differences, and against closed forms where there are kinks.

#include <gtest/gtest.h>

#include <asperity/scalar/dual.hpp>
#include <asperity/scalar/pack.hpp>
#include <limits>

#include "tests/generators.hpp"

namespace asperity {
namespace {

using testing::fraction;
using testing::magnitude;
using testing::number;
using number_t = dual<double, 2>;

// f, written once for every number type, has the derivative that differences show.
template <class F>
void differences_agree(F f, double x, double y, double scale_x = 1, double scale_y = 1) {
  const auto value = f(number_t::variable(x, 0), number_t::variable(y, 1));
  const double hx = 1e-5 * scale_x, hy = 1e-5 * scale_y;
  const double by_x = (f(x + hx, y) - f(x - hx, y)) / (2 * hx);
  const double by_y = (f(x, y + hy) - f(x, y - hy)) / (2 * hy);
  RC_ASSERT(value.value == f(x, y));
  const double size_x = std::abs(by_x) + std::abs(value.value) / scale_x;
  const double size_y = std::abs(by_y) + std::abs(value.value) / scale_y;
  RC_ASSERT(std::abs(value.derivative[0] - by_x) <= 1e-7 * size_x);
  RC_ASSERT(std::abs(value.derivative[1] - by_y) <= 1e-7 * size_y);
}

double between(double first, double last) { return first + (last - first) * *fraction(); }

RC_GTEST_PROP(dual, SumsProductsAndQuotients, ()) {
  const double x = *magnitude(3), y = *magnitude(3);
  differences_agree([](auto a, auto b) { return a + b; }, x, y, x, y);
  differences_agree([](auto a, auto b) { return a - b + (-a) * b; }, x, y, x, y);
  differences_agree([](auto a, auto b) { return a * b; }, x, y, x, y);
  differences_agree([](auto a, auto b) { return a / b; }, x, y, x, y);
  differences_agree([](auto a, auto b) { return a * a / (a + b); }, x, y, x, y);
}

RC_GTEST_PROP(dual, CompoundAssignments, ()) {
  differences_agree(
      [](auto a, auto b) {
        auto c = a;
        c += b;
        c *= a;
        c -= b;
        c /= b;
        return +c;
      },
      between(0.5, 3), between(0.5, 3));
}

RC_GTEST_PROP(dual, ExponentialAndLogarithm, ()) {
  differences_agree([](auto a, auto b) { return math::exp(a * b); }, between(-3, 3),
                    between(-3, 3));
  const double x = *magnitude(3), y = *magnitude(3);
  const auto value = math::log(number_t::variable(x, 0) * number_t::variable(y, 1));
  RC_ASSERT(std::abs(value.derivative[0] * x - 1) <= 1e-15);
  RC_ASSERT(std::abs(value.derivative[1] * y - 1) <= 1e-15);
}

RC_GTEST_PROP(dual, RootsAndPowers, ()) {
  const double x = *magnitude(3), y = *magnitude(3);
  differences_agree([](auto a, auto b) { return math::sqrt(a + b); }, x, y, x, y);
  differences_agree([](auto a, auto b) { return math::power(a, b); }, between(0.1, 3),
                    between(0.2, 4));
  differences_agree([](auto a, auto b) { return math::square(a) * b; }, x, y, x, y);
}

RC_GTEST_PROP(dual, TrigonometricAndHyperbolic, ()) {
  const double x = between(-4, 4), y = between(-4, 4);
  differences_agree([](auto a, auto b) { return 2.0 + math::sin(a) * math::cos(b); }, x, y);
  differences_agree([](auto a, auto b) { return 2.0 + math::tanh(a) * math::tanh(b); }, x, y);
  differences_agree([](auto a, auto b) { return math::cosh(a) + math::cosh(b); }, x, y);
  differences_agree([](auto a, auto b) { return 3.0 + math::atan(a) * math::atan(b); }, x, y);
}

// Away from their kinks.
RC_GTEST_PROP(dual, PiecewiseFunctions, ()) {
  const double x = between(0.1, 0.9), y = between(1.1, 2);
  differences_agree([](auto a, auto b) { return math::abs(a - b) * math::abs(b); }, x, y);
  differences_agree([](auto a, auto b) { return math::min(a, b) + math::max(a, b) * b; }, x, y);
  differences_agree([](auto a, auto b) { return math::sat(a, b) * b; }, x, y);
  differences_agree([](auto a, auto b) { return math::sat(b, a) * b; }, x, y);
  differences_agree([](auto a, auto b) { return math::sgn(a - b) * a * b; }, x, y);
  differences_agree([](auto a, auto b) { return math::clamp(a, b, a * b) + math::floor(a); }, x, y);
}

// At a kink the derivative is the one of the branch taken, and it is a number.
TEST(dual, KinksHaveTheDerivativeOfTheBranchTaken) {
  const auto zero = number_t::variable(0.0, 0);
  EXPECT_EQ(math::abs(zero).derivative[0], 1.0);
  EXPECT_EQ(math::sgn(number_t::variable(2.0, 0)).derivative[0], 0.0);
  EXPECT_EQ(math::sat(number_t(1.0), number_t::variable(1.0, 0)).derivative[0], 1.0);
  EXPECT_EQ(math::max(number_t(0.0), zero).derivative[0], 1.0);
  EXPECT_EQ(math::floor(number_t::variable(1.5, 0)).derivative[0], 0.0);
}

// Contact laws take powers of max(0, depth): out of contact nothing depends on the depth.
TEST(dual, RootsOfNothingDoNotBecomeNan) {
  const auto depth = math::max(number_t(0.0), number_t::variable(-1.0, 0));
  for (const auto& value :
       {math::sqrt(depth), math::power(depth, number_t(0.5)), math::power(depth, number_t(1.5)),
        math::power(depth, number_t(1.0)), math::power(depth, number_t::variable(0.7, 1))}) {
    EXPECT_EQ(value.value, 0.0);
    EXPECT_EQ(value.derivative[0], 0.0);
    EXPECT_EQ(value.derivative[1], 0.0);
  }
  // The variable itself has the infinite slope.
  EXPECT_EQ(math::sqrt(number_t::variable(0.0, 0)).derivative[0],
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(math::sqrt(number_t::variable(0.0, 0)).derivative[1], 0.0);
}

TEST(dual, PowersAtZeroFollowTheirExponent) {
  const auto zero = number_t::variable(0.0, 0);
  EXPECT_EQ(math::power(zero, number_t(2.0)).derivative[0], 0.0);
  EXPECT_EQ(math::power(zero, number_t(1.5)).derivative[0], 0.0);
  EXPECT_EQ(math::power(zero, number_t(1.0)).derivative[0], 1.0);
  EXPECT_EQ(math::power(zero, number_t::variable(2.0, 1)).derivative[1], 0.0);
}

// The side not taken is infinite here, and must not leak.
TEST(dual, DeadBranchIsDroppedWithItsDerivative) {
  const auto x = number_t::variable(0.0, 0);
  const auto y = math::select(x < number_t(1.0), x, number_t(1.0) / x);
  EXPECT_EQ(y.value, 0.0);
  EXPECT_EQ(y.derivative[0], 1.0);
}

TEST(dual, ComparisonsLookAtTheValueOnly) {
  EXPECT_FALSE(number_t::variable(1.0, 0) < number_t(1.0));
  EXPECT_TRUE(number_t(0.5) < number_t::variable(1.0, 0));
}

TEST(dual, NanInNanOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto x = number_t::variable(nan, 0);
  EXPECT_TRUE(std::isnan(math::exp(x).value));
  EXPECT_TRUE(std::isnan(math::exp(x).derivative[0]));
  EXPECT_TRUE(std::isnan(math::sqrt(x).derivative[0]));
  EXPECT_TRUE(std::isnan(math::power(x, number_t(1.7)).derivative[0]));
  EXPECT_TRUE(std::isnan(math::sat(number_t(1.0), x).value));
}

// A dual of duals carries second derivatives.
TEST(dual, NestsToSecondDerivatives) {
  using first = dual<double, 1>;
  using second = dual<first, 1>;
  second x(first::variable(0.7, 0));
  x.derivative[0] = first(1.0);
  const auto y = math::exp(x) * math::power(x, lit<second>(3.0));
  const double e = std::exp(0.7), t = 0.7;
  EXPECT_NEAR(y.value.derivative[0], e * (t * t * t + 3 * t * t), 1e-14);
  EXPECT_NEAR(y.derivative[0].derivative[0], e * (t * t * t + 6 * t * t + 6 * t), 1e-14);
}

// Over packs, each lane has its own derivative and its own branch.
RC_GTEST_PROP(dual, PacksOfDerivativesAgreeLaneByLane, ()) {
  using lanes = pack<double>;
  lanes x, y;
  for (int i = 0; i < lanes::width; ++i) {
    x.v[i] = *number(2);
    y.v[i] = *magnitude(2);
  }
  const auto f = [](const auto& a, const auto& b) {
    using T = std::decay_t<decltype(a)>;
    return math::sat(b, a) * math::exp(-math::square(a / b)) +
           math::sqrt(math::max(lit<T>(0.0), a)) + math::power(math::abs(a), lit<T>(1.3)) +
           math::tanh(a) * math::abs(b - a) + math::cosh(a / b * lit<T>(1e-3)) + math::log(b) +
           math::sin(a) * math::cos(b);
  };
  using of_packs = dual<lanes, 2>;
  const auto together = f(of_packs::variable(x, 0), of_packs::variable(y, 1));
  for (int i = 0; i < lanes::width; ++i) {
    const auto alone = f(number_t::variable(x[i], 0), number_t::variable(y[i], 1));
    const double size = 1 + std::abs(alone.value);
    RC_ASSERT(std::abs(together.value[i] - alone.value) <= 1e-14 * size);
    for (int k = 0; k < 2; ++k) {
      const double expected = alone.derivative[k], actual = together.derivative[k][i];
      // Infinite at the foot of the root.
      RC_ASSERT(actual == expected ||
                std::abs(actual - expected) <= 1e-13 * (size + std::abs(expected)));
    }
  }
}

// In single precision, and with constants that arrive as double.
TEST(dual, OfFloats) {
  using small = dual<float, 1>;
  const auto y = math::power(small::variable(2.0F, 0), lit<small>(3.0));
  EXPECT_FLOAT_EQ(y.value, 8.0F);
  EXPECT_FLOAT_EQ(y.derivative[0], 12.0F);
}

}  // namespace
}  // namespace asperity
