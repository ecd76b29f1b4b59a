// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/integrate/record_step.hpp>
#include <cmath>
#include <random>

namespace asperity::detail {
namespace {

// y' = z y / h: the stability function of the method, (1 + (1 - 2 g) z) / (1 - g z)^2.
TEST(record_step, HasItsStabilityFunction) {
  const double g = stage_share;
  for (const double z : {-1e-3, -0.5, -2.0, -30.0, -1e4, -1e8}) {
    record_stages<1> stages;
    const auto rates = [&](const double* y, double* rate) { rate[0] = z * y[0]; };
    double y[1] = {1.0};
    ASSERT_TRUE(stages.step(1, 1.0, y, rates, rates)) << z;
    EXPECT_NEAR(y[0], (1 + (1 - 2 * g) * z) / ((1 - g * z) * (1 - g * z)), 1e-13) << z;
  }
}

TEST(record_step, IsOfOrderTwo) {
  // y' = -y^2 from 1: y = 1/(1 + t).
  const auto error_with = [](int steps) {
    record_stages<1> stages;
    const auto rates = [](const double* y, double* rate) { rate[0] = -y[0] * y[0]; };
    double y[1] = {1.0};
    for (int k = 0; k < steps; ++k) EXPECT_TRUE(stages.step(1, 1.0 / steps, y, rates, rates));
    return std::abs(y[0] - 0.5);
  };
  EXPECT_NEAR(error_with(100) / error_with(200), 4, 0.1);
}

// States that stick below a limit and creep back above it, as elements do: wherever the kink lies, and
// whatever was found before, a stage solves its equation.
TEST(record_step, StagesSettleAboutKinks) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> logarithm(-4, 4), place(-1, 1);
  constexpr int n = 3;
  record_stages<n> stages;
  std::fill_n(stages.scale, n, 1.0);
  for (int trial = 0; trial < 20000; ++trial) {
    double limit[n], steep[n], base[n], stage[n];
    const double v = place(random), a = std::exp(logarithm(random));
    for (int i = 0; i < n; ++i) {
      limit[i] = std::exp(logarithm(random) / 4);
      steep[i] = std::exp(logarithm(random));
      base[i] = stage[i] = 2 * place(random);
    }
    const auto rate_of = [&](int i, double y) {
      return v - steep[i] * (std::max(y - limit[i], 0.0) + std::min(y + limit[i], 0.0));
    };
    const auto rates = [&](const double* y, double* rate) {
      for (int i = 0; i < n; ++i) rate[i] = rate_of(i, y[i]);
    };
    ASSERT_TRUE(stages.settle(n, a, base, stage, rates)) << trial;
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(stage[i], base[i] + a * rate_of(i, stage[i]),
                  1e-13 * (1 + a * steep[i]) * (1 + std::abs(stage[i]) + a * std::abs(v)))
          << trial;
  }
}

TEST(record_step, WhatIsNotFiniteDoesNotSettle) {
  record_stages<1> stages;
  const auto rates = [](const double* y, double* rate) { rate[0] = std::sqrt(-1 - y[0] * y[0]); };
  double y[1] = {0.0};
  EXPECT_FALSE(stages.step(1, 1.0, y, rates, rates));
}

}  // namespace
}  // namespace asperity::detail
