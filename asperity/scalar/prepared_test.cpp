// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/scalar/prepared.hpp>
#include <limits>
#include <random>

namespace asperity {
namespace {

// Two roundings in place of one.
TEST(prepared, QuotientsAreOffByOneAndAHalfUnitsAtMost) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(-300, 300);
  int inexact = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double a = mantissa(random), b = std::ldexp(mantissa(random), exponent(random));
    const double quotient = (prepared<double>(a) / prepared<double>(b)).value();
    const long double exact = static_cast<long double>(a) / b;
    const double unit = std::ldexp(1.0, std::ilogb(a / b) - 52);
    EXPECT_LE(std::abs(static_cast<double>(quotient - exact)), 1.5 * unit) << a << " " << b;
    inexact += quotient != a / b;
  }
  EXPECT_GT(inexact, 0);  // it does differ, and this test would see it
}

TEST(prepared, ZeroInfinityAndNanBehaveAsInADivision) {
  using number = prepared<double>;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ((number(1.0) / number(0.0)).value(), infinity);
  EXPECT_EQ((number(1.0) / number(infinity)).value(), 0.0);
  EXPECT_TRUE(std::isnan((number(0.0) / number(0.0)).value()));
  EXPECT_TRUE(std::isnan((number(infinity) / number(infinity)).value()));
  EXPECT_TRUE(std::isnan((number(1.0) / number(std::nan(""))).value()));
}

// ---- counts known when the program is compiled --------------------------------------------------

template <int N>
using fixed_elements = dai_multistate<double, stribeck_exponential<double>, N, fixed_count<N>>;

template <class Model>
auto answer(const Model& model, int elements, double a, double v) {
  vec<double, Model::states> state;
  state[0] = 1.7;
  for (int i = 1; i <= elements; ++i) state[i] = a * i;
  return model(state, {0.0, v, 0.9});
}

TEST(fixed_count, GivesTheBitsOfACountAtRunTime) {
  const fixed_elements<10> fixed;
  const dai_multistate<double> open;  // 10 elements of 32
  for (const double a : {-1e-6, 0.0, 3e-8, 2e-6})
    for (const double v : {-1e-3, 0.0, 1e-6, 0.1}) {
      const auto one = answer(fixed, 10, a, v);
      const auto other = answer(open, 10, a, v);
      EXPECT_EQ(one.f, other.f);
      for (int i = 0; i <= 10; ++i) EXPECT_EQ(one.rate[i], other.rate[i]);
    }
}

// Elements with the share 0 carry nothing: three of four elements are three elements.
TEST(fixed_count, ElementsWithoutAShareCarryNothing) {
  fixed_elements<4> four;
  dai_multistate<double> three;
  three.elements = 3;
  for (int i = 0; i < 4; ++i) four.lambda[i] = i < 3 ? 1.0 / 3 : 0.0;
  for (int i = 0; i < 3; ++i) three.lambda[i] = 1.0 / 3;
  for (const double v : {-1e-3, 1e-6, 0.1})
    EXPECT_DOUBLE_EQ(answer(four, 3, 1e-7, v).f, answer(three, 3, 1e-7, v).f);
}

TEST(fixed_count, IsTheFirstOneWithRoom) {
  const auto chosen = [](int elements) {
    int result = 0;
    const bool found = with_fixed_count(elements, [&](auto count) { result = count; });
    EXPECT_EQ(found, result > 0);
    return result;
  };
  EXPECT_EQ(chosen(0), 0);
  EXPECT_EQ(chosen(33), 0);
  for (int n = 1; n <= 32; ++n) EXPECT_GE(chosen(n), n);
  for (const int n : {1, 2, 4, 8, 10, 16, 32}) EXPECT_EQ(chosen(n), n);
  EXPECT_EQ(chosen(11), 16);
}

}  // namespace
}  // namespace asperity
