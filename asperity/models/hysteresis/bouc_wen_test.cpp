// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/dahl.hpp>
#include <asperity/models/hysteresis/bouc_wen.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

// Without delta and with nu = 1 it is Dahl friction with sigma_0 = alpha and F_c = alpha/beta.
TEST(bouc_wen, DahlIsOne) {
  const bouc_wen<double> model{.alpha = 7.5, .beta = 5, .gamma = 1, .delta = 0};
  const dahl<double> friction{.sigma_0 = 7.5, .F_c = 1.5, .i = 1};
  for (const double z : {-1.4, -0.3, 0.0, 0.2, 1.5})
    for (const double v : {-2.0, 0.5})
      EXPECT_NEAR(model({{z}}, {0, v, 1}).rate[0], friction({{z}}, {0, v, 1}).rate[0], 1e-13);
}

// Loaded on and on, z tends to (alpha/(beta (gamma + delta)))^(1/nu).
TEST(bouc_wen, LevelsOffWhereThePartsBalance) {
  for (const double nu : {1.0, 1.7, 3.0}) {
    const bouc_wen<double> model{.alpha = 2, .beta = 3, .gamma = 0.5, .delta = 0.3, .nu = nu};
    const double f = testing::steady_force(model, {0, 1, 1}, 1e-2, 4000);
    EXPECT_NEAR(f, std::pow(2 / (3 * 0.8), 1 / nu), 1e-9);
    EXPECT_NEAR(testing::steady_force(model, {0, -1, 1}, 1e-2, 4000), -f, 1e-12);
  }
}

// The benchmark's parameters stiffen on loading: there z grows beyond alpha x.
TEST(bouc_wen, TheBenchmarkStiffensOnLoading) {
  const bouc_wen<double> model{.alpha = 5e4, .beta = 1e3, .gamma = 0.8, .delta = -1.1};
  const auto z = testing::follow(
      model, vec<double, 1>{},
      [](double t) {
        return drive<double>{1e-3 * t, 1e-3, 1};
      },
      1, 1e-3);
  // z' = alpha - beta (gamma + delta) z: z = (alpha/300) (exp(300 x) - 1).
  EXPECT_NEAR(z[0], 5e4 / 300 * std::expm1(0.3), 1e-6);
  EXPECT_GT(z[0], 50);
}

// The spring beside it takes no part in the hysteresis: its force comes on top.
TEST(bouc_wen, ASpringBesideItAddsItsForce) {
  const bouc_wen<double> alone{.nu = 1.4}, beside{.k = 2.5, .nu = 1.4};
  for (const double x : {-0.8, 0.3})
    for (const double z : {-0.4, 0.6}) {
      const auto without = alone({{z}}, {x, 0.7, 1}), with = beside({{z}}, {x, 0.7, 1});
      EXPECT_DOUBLE_EQ(without.f, z);
      EXPECT_DOUBLE_EQ(with.f - without.f, 2.5 * x);
      EXPECT_EQ(with.rate[0], without.rate[0]);
    }
}

// In a cycle delta gives back what it takes and gamma does not: for nu = 1, and z kept between 0 and
// its limit, z' is alpha - beta (gamma + delta) z on loading and alpha + beta (gamma - delta) z on
// unloading.
TEST(bouc_wen, SlopesOfLoadingAndUnloadingTellGammaFromDelta) {
  const bouc_wen<double> model{.alpha = 2, .beta = 3, .gamma = 0.5, .delta = 0.3};
  const auto slope = [&](double z, double v) { return model({{z}}, {0, v, 1}).rate[0] / v; };
  for (const double z : {0.2, 0.7})
    for (const double v : {0.1, 4.0}) {
      EXPECT_NEAR(slope(z, v), 2 - 3 * (0.5 + 0.3) * z, 1e-13);
      EXPECT_NEAR(slope(z, -v), 2 - 3 * (0.3 - 0.5) * z, 1e-13);
      EXPECT_NEAR(slope(-z, -v), slope(z, v), 1e-13);
    }
}

}  // namespace
}  // namespace asperity
