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

}  // namespace
}  // namespace asperity
