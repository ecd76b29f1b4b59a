// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/maxwell_slip.hpp>
#include <asperity/models/hysteresis/prandtl_ishlinskii.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const prandtl_ishlinskii<double> usual{};  // q = 0.5, r = 0.1 ... 1, p = 0.1

template <class Model>
double after(const Model& model, const std::vector<double>& nodes) {
  testing::companion body{model};
  for (const double x : nodes) body.go({x, 0, 1}, 1);
  return body.f;
}

// The initial loading curve: slope q until r_1, q + p_1 until r_2 ...
TEST(prandtl_ishlinskii, SlopesOfTheLoadingCurveAreRunningSums) {
  for (int i = 0; i < 10; ++i) {
    const double x = 0.1 * i + 0.03, y = x + 0.05;
    EXPECT_NEAR((after(usual, {y}) - after(usual, {x})) / 0.05, 0.5 + 0.1 * i, 1e-12);
  }
}

// Masing: every branch is the loading curve doubled.
TEST(prandtl_ishlinskii, BranchesAreTheLoadingCurveDoubled) {
  for (const double turn : {0.4, 0.77, 1.3})
    for (const double way : testing::lin_space(0, 2 * turn, 23))
      EXPECT_NEAR(after(usual, {turn, turn - way}),
                  after(usual, {turn}) - 2 * after(usual, {way / 2}), 1e-13);
}

// The same plays, the other side of the coin: sum k (x - w) of Maxwell slip is q x - sum p w.
TEST(prandtl_ishlinskii, MaxwellSlipIsOneWithNegativeWeights) {
  maxwell_slip<double> slip{};
  prandtl_ishlinskii<double> same{.elements = slip.elements, .q = 0};
  for (int i = 0; i < slip.elements; ++i) {
    same.q += slip.k[i];
    same.p[i] = -slip.k[i];
    same.r[i] = slip.Delta[i];
  }
  testing::companion a{slip};
  testing::companion b{same};
  for (int i = 0; i < 2000; ++i) {
    const double x = std::sin(0.05 * i) + 0.7 * std::sin(0.131 * i);
    EXPECT_NEAR(a.go({x, 0, 1}, 1), b.go({x, 0, 1}, 1), 1e-12);
  }
}

}  // namespace
}  // namespace asperity
