// SPDX-License-Identifier: Apache-2.0
// One source text of a model serves every number type, ours and foreign.

#include <gtest/gtest.h>

#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/scalar/pack.hpp>
#include <asperity/scalar/prepared.hpp>
#include <asperity/testing.hpp>
#include <experimental/simd>
#include <xsimd/xsimd.hpp>

namespace asperity {
namespace {

template <class T>
using simd = std::experimental::native_simd<T>;

static_assert(scalar<float> && scalar<double> && scalar<long double>);
static_assert(scalar<pack<float>> && scalar<pack<double>>);
static_assert(scalar<dual<double, 3>> && scalar<dual<float, 1>>);
static_assert(scalar<dual<pack<double>, 2>> && scalar<dual<dual<double, 1>, 1>>);
static_assert(scalar<xsimd::batch<float>> && scalar<xsimd::batch<double>>);
static_assert(scalar<simd<float>> && scalar<simd<double>>);
static_assert(scalar<dual<xsimd::batch<double>, 2>> && scalar<dual<simd<double>, 2>>);
static_assert(scalar<prepared<double>> && scalar<prepared<pack<float>>>);
static_assert(!scalar<const char*> && !scalar<bool*>);

// The first lane of anything, as a double.
double plain(double x) { return x; }
double plain(float x) { return x; }
double plain(long double x) { return static_cast<double>(x); }
template <class T, int W>
double plain(const pack<T, W>& x) {
  return x[0];
}
template <class T>
double plain(const xsimd::batch<T>& x) {
  return x.get(0);
}
template <class T, class Abi>
double plain(const std::experimental::simd<T, Abi>& x) {
  return x[0];
}
template <class S, int N>
double plain(const dual<S, N>& x) {
  return plain(x.value);
}

template <class T>
double plain(const prepared<T>& x) {
  return plain(x.value());
}

template <class S>
constexpr double precision = 1e-13;
template <>
constexpr double precision<float> = 1e-5;
template <>
constexpr double precision<pack<float>> = 1e-5;
template <>
constexpr double precision<xsimd::batch<float>> = 1e-5;
template <>
constexpr double precision<simd<float>> = 1e-5;
template <>
constexpr double precision<dual<float, 1>> = 1e-5;

template <>
constexpr double precision<prepared<float>> = 1e-5;

template <class S>
class number_type : public ::testing::Test {};
using number_types =
    ::testing::Types<float, double, long double, pack<float>, pack<double>, dual<double, 3>,
                     dual<float, 1>, dual<pack<double>, 2>, xsimd::batch<float>,
                     xsimd::batch<double>, simd<float>, simd<double>, dual<xsimd::batch<double>, 2>,
                     dual<simd<double>, 2>, prepared<double>, prepared<float>,
                     prepared<pack<double>>>;
TYPED_TEST_SUITE(number_type, number_types);

// States and velocities from deep inside presliding to fast sliding.
template <class S, template <class...> class Model>
void agrees_with_double() {
  for (const double z : testing::lin_space(-2e-5, 2e-5, 9)) {
    for (const double v : {-10.0, -1e-2, -1e-3, -1e-5, 0.0, 1e-4, 1e-3, 2e-3, 5.0}) {
      const auto expected = Model<double>{}({{z}}, {0.0, v, 0.8});
      const auto actual = Model<S>{}({{lit<S>(z)}}, {lit<S>(0.0), lit<S>(v), lit<S>(0.8)});
      const double scale_f = std::abs(expected.f) + 1, scale_z = std::abs(v) * 10 + 1e-2;
      EXPECT_NEAR(plain(actual.f), expected.f, precision<S> * scale_f * 10) << z << ' ' << v;
      EXPECT_NEAR(plain(actual.rate[0]), expected.rate[0], precision<S> * scale_z * 10)
          << z << ' ' << v;
    }
  }
}

TYPED_TEST(number_type, EvaluatesLugre) { agrees_with_double<TypeParam, lugre>(); }
TYPED_TEST(number_type, EvaluatesDai) { agrees_with_double<TypeParam, dai>(); }

TYPED_TEST(number_type, HasAllFunctions) {
  const auto of = [](double x) { return lit<TypeParam>(x); };
  const double tolerance = 10 * precision<TypeParam>;
  const auto x = of(0.75);
  EXPECT_NEAR(plain(math::abs(of(-0.75))), 0.75, tolerance);
  EXPECT_NEAR(plain(math::exp(x)), std::exp(0.75), tolerance);
  EXPECT_NEAR(plain(math::log(x)), std::log(0.75), tolerance);
  EXPECT_NEAR(plain(math::sqrt(x)), std::sqrt(0.75), tolerance);
  EXPECT_NEAR(plain(math::sin(x)), std::sin(0.75), tolerance);
  EXPECT_NEAR(plain(math::cos(x)), std::cos(0.75), tolerance);
  EXPECT_NEAR(plain(math::atan(x)), std::atan(0.75), tolerance);
  EXPECT_NEAR(plain(math::tanh(x)), std::tanh(0.75), tolerance);
  EXPECT_NEAR(plain(math::cosh(x)), std::cosh(0.75), tolerance);
  EXPECT_EQ(plain(math::floor(of(-0.75))), -1.0);
  EXPECT_NEAR(plain(math::power(x, of(1.3))), std::pow(0.75, 1.3), tolerance);
  EXPECT_NEAR(plain(math::power(x, of(1.5))), std::pow(0.75, 1.5), tolerance);
  EXPECT_NEAR(plain(math::power(of(0.0), of(2.0))), 0.0, tolerance);
  EXPECT_NEAR(plain(math::sat(of(0.5), of(-0.75))), -0.5, tolerance);
  EXPECT_NEAR(plain(math::sgn(of(-0.75))), -1.0, tolerance);
}

}  // namespace
}  // namespace asperity
