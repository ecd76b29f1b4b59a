// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/hysteresis/generalised_prandtl_ishlinskii.hpp>
#include <asperity/models/hysteresis/prandtl_ishlinskii.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

using model_type = generalised_prandtl_ishlinskii<double>;

std::vector<double> outputs(const model_type& model, double scale) {
  testing::companion body{model};
  std::vector<double> all;
  // The inputs that stand for the lost data of figure 5.19: 0, 3, -3, 3, .5, 2, -1, 1.
  double from = 0;
  for (const double to : {3., -3., 3., .5, 2., -1., 1.}) {
    for (int i = 1; i <= 100; ++i)
      all.push_back(body.go({scale * (from + (to - from) * i / 100), 0, 1}, 1));
    from = to;
  }
  return all;
}

// Thresholds at and above half the range of the envelope, 4.09, never move: with beta = 1.1386 that
// is every operator after the third (erratum 36).
TEST(generalised_prandtl_ishlinskii, OperatorsAfterTheThirdDoNotMatterWithTheTable) {
  const auto three = outputs({.elements = 3}, 1);
  for (const int n : {4, 10, 32}) {
    const auto more = outputs({.elements = n}, 1);
    for (std::size_t i = 0; i < three.size(); ++i) EXPECT_NEAR(more[i], three[i], 1e-12);
  }
  const auto two = outputs({.elements = 2}, 1);
  double apart = 0;
  for (std::size_t i = 0; i < three.size(); ++i)
    apart = std::max(apart, std::abs(two[i] - three[i]));
  EXPECT_GT(apart, 0.5);
}

// Where the envelope is straight it is the plain operator.
TEST(generalised_prandtl_ishlinskii, WithAStraightEnvelopeItIsThePlainOperator) {
  model_type general{.elements = 5};
  general.c_0 = 1e4;
  general.c_1 = 1e-4;
  general.c_2 = general.c_3 = 0;
  general.beta = 0.2;
  prandtl_ishlinskii<double> plain{.elements = 5, .q = general.q};
  for (int i = 0; i < 5; ++i) {
    plain.r[i] = 0.2 * (i + 1);
    plain.p[i] = 4.6403 * std::exp(0.1909 * 0.2 * (i + 1));
  }
  testing::companion a{general};
  testing::companion b{plain};
  for (int i = 0; i < 1000; ++i) {
    const double x = std::sin(0.05 * i) + 0.7 * std::sin(0.131 * i);
    EXPECT_NEAR(a.go({x, 0, 1}, 1), b.go({x, 0, 1}, 1), 1e-6);
  }
}

// It saturates: the output stays between q gamma + sum p (gamma -+ r) at the ends of the envelope.
TEST(generalised_prandtl_ishlinskii, SaturatesAtBothEnds) {
  const model_type model{.elements = 3};
  testing::companion body{model};
  const double top = body.go({100, 0, 1}, 1), further = body.go({1e6, 0, 1}, 1);
  EXPECT_NEAR(further, top, 1e-9 * top);
  double expected = 11.9609 * (4.0904 - 0.2686);
  for (int i = 1; i <= 3; ++i)
    expected += 4.6403 * std::exp(0.1909 * 1.1386 * i) * (4.0904 - 0.2686 - 1.1386 * i);
  EXPECT_NEAR(top, expected, 1e-9);
}

// The envelope is a hyperbolic tangent, odd about its centre x = -c_2/c_1, where it is c_3.
TEST(generalised_prandtl_ishlinskii, TheEnvelopeIsOddAboutItsCentre) {
  const model_type model{};
  const double centre = -model.c_2 / model.c_1;
  EXPECT_NEAR(model.envelope(centre), model.c_3, 1e-14);
  for (const double way : {0.2, 1.0, 3.0}) {
    EXPECT_NEAR(model.envelope(centre + way) + model.envelope(centre - way), 2 * model.c_3, 1e-14);
    const double share = (model.envelope(centre + way) - model.c_3) / model.c_0;
    EXPECT_NEAR(std::atanh(share), model.c_1 * way, 1e-12);
  }
}

// Never moved, the input is at 0 and came there from w = 0: to go to 0 changes nothing, and w is
// what is left of the envelope beyond each threshold.
TEST(generalised_prandtl_ishlinskii, BeginsAtRestAtNought) {
  for (const double shift : {-0.0666, 0.9, -2.0}) {
    const model_type model{.c_2 = shift, .c_3 = 0.4};
    const auto start = model.initial();
    auto state = start;
    model.advance(state, {0, 0, 1}, {0, 0, 1}, 1);
    const double gamma = model.envelope(0);
    for (int i = 0; i < model.elements; ++i) {
      EXPECT_EQ(state[i], start[i]);
      const double beyond = std::max(0.0, std::abs(gamma) - 1.1386 * (i + 1));
      EXPECT_NEAR(start[i], std::copysign(beyond, gamma), 1e-14);
    }
  }
}

}  // namespace
}  // namespace asperity
