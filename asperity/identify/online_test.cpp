// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/identify/online.hpp>
#include <asperity/models/friction/coulomb_viscous.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <cmath>
#include <random>

namespace asperity {
namespace {

template <class S>
using plain_dai = dai<S>;
template <class S>
using plain_lugre = lugre<S>;

// Without forgetting, and with a wide first guess, it is the least-squares solution of all samples.
TEST(online, IsLeastSquaresOfAllSamples) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  recursive_least_squares<2> filter(1e8);
  double a = 0, b = 0, c = 0, d = 0, e = 0;  // normal equations
  for (int k = 0; k < 500; ++k) {
    const double r[2] = {normal(random), normal(random)};
    const double y = 2 * r[0] - 3 * r[1] + 0.1 * normal(random);
    filter.update(r, y - filter.theta[0] * r[0] - filter.theta[1] * r[1]);
    a += r[0] * r[0];
    b += r[0] * r[1];
    c += r[1] * r[1];
    d += r[0] * y;
    e += r[1] * y;
  }
  const double det = a * c - b * b;
  EXPECT_NEAR(filter.theta[0], (c * d - b * e) / det, 1e-6);
  EXPECT_NEAR(filter.theta[1], (a * e - b * d) / det, 1e-6);
}

// What is not excited keeps its value and its variance, for however long.
TEST(online, DoesNotWindUp) {
  recursive_least_squares<2> filter(1.0, 0.9, 1e-4);
  filter.theta[1] = 7;
  for (int k = 0; k < 100000; ++k) {
    const double r[2] = {1, 0};
    filter.update(r, 2 - filter.theta[0]);
  }
  EXPECT_NEAR(filter.theta[0], 2, 1e-6);
  EXPECT_EQ(filter.theta[1], 7);
  EXPECT_LE(filter.variance(1), 1.0);
}

// A joint whose friction changes is followed, at control rate.
TEST(online, FollowsStiffnessAndFrictionOfDai) {
  online_fit<plain_dai, 2> found(1.0, 0.999, 0.01);
  found.model.beta = dual<double, 2>(1e-3);
  found.choose(0, found.model.K, 3e5);
  found.choose(1, found.model.F, 0.5);
  dai<double> truth{};
  truth.K = 1e5;
  truth.beta = 1e-3;
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.01);
  vec<double, 1> state{};
  const double h = 1e-3;
  for (int k = 0; k < 20000; ++k) {
    truth.F = k < 10000 ? 1.0 : 1.5;
    const double t = k * h, v = 1e-4 * std::cos(5 * t) + 5e-4 * std::cos(0.7 * t);
    const double f = truth.react(state, 1.0, h).solve(v, 0.0);
    state = truth.settle(state, f, h);
    found.update({0, v, 1}, h, f + noise(random));
    if (k == 9999) {
      EXPECT_NEAR(found.value(1), 1.0, 5 * found.relative_error(1));
      EXPECT_NEAR(found.value(0), 1e5, 5e5 * found.relative_error(0));
      EXPECT_LT(found.relative_error(0), 0.01);
    }
  }
  EXPECT_NEAR(found.value(1), 1.5, 0.005);
  EXPECT_NEAR(found.value(0), 1e5, 1e3);
  const drive<double> rest{};
  static_assert(noexcept(found.update(rest, h, 0.0)));
  EXPECT_TRUE(std::isfinite(found.update(rest, h, 0.0)));
}

// A sample that is no number, or a load of 0 under bristles, does not spoil those that follow.
TEST(online, PassesOverWhatIsNoNumber) {
  online_fit<plain_lugre, 1> found(0.5, 1, 0.01);
  found.choose(0, found.model.g.F_c, 0.7);
  lugre<double> truth{};
  double z = 0;
  const double h = 1e-4;
  for (int k = 0; k < 20000; ++k) {
    const double v = 0.02 * std::sin(20 * k * h);
    z = (z + h * v) / (1 + h * truth.sigma_0 * std::abs(v) / truth.g.level(v));
    const double f = truth({{z}}, {0, v, 1}).f;
    const bool is_spoilt = k % 1000 == 500;
    found.update({0, is_spoilt ? std::nan("") : v, k % 700 == 300 ? 0.0 : 1.0}, h, f);
  }
  EXPECT_NEAR(found.value(0), 1, 0.02);
}

}  // namespace
}  // namespace asperity
