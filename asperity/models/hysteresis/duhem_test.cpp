// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/dahl.hpp>
#include <asperity/models/hysteresis/duhem.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

// Dahl friction with exponent 1 is one of them (Drincic 2012, 1.2).
TEST(duhem, DahlIsOne) {
  const dahl<double> friction{.sigma_0 = 7.5, .F_c = 1.5, .i = 1};
  const duhem<double> same{.A_p = -5, .E_p = 7.5, .A_m = 5, .E_m = 7.5};
  testing::companion a{friction};
  testing::companion b{same};
  for (int i = 0; i < 2000; ++i) {
    const double x = std::sin(0.05 * i) + 0.7 * std::sin(0.131 * i);
    EXPECT_NEAR(a.go({x, 0, 1}, 1), b.go({x, 0, 1}, 1), 1e-12);
  }
}

// The closed form agrees with the differential equation, for long and for tiny ways.
TEST(duhem, ClosedFormSolvesTheEquation) {
  const duhem<double> model{.A_p = -2, .B_p = 0.7, .E_p = 1, .A_m = 1.3, .B_m = -0.4, .E_m = 0.5};
  for (const double way : {1e-4, 0.01, 0.4, -1e-4, -0.03, -1.5}) {
    const double x = 0.3, v = way;
    const auto motion = [&](double t) { return drive<double>{x + v * t, v, 1}; };
    const auto end = testing::follow(model, vec<double, 1>{{0.25}}, motion, 1, 1e-3);
    vec<double, 1> state{{0.25}};
    EXPECT_NEAR(model.advance(state, {x, v, 1}, {x + way, v, 1}, 1), end[0], 1e-12);
  }
}

// Local memory: two histories come together by exp(A_p d - A_m d) in every cycle of way d.
TEST(duhem, HistoriesComeTogetherAtTheRateOfTheCycle) {
  const duhem<double> model{.A_p = -0.5, .A_m = 0.8};
  testing::companion a{model}, b{model};
  b.state[0] = 0.9;
  for (const double x : {0.6, 0.0}) {
    a.go({x, 0, 1}, 1);
    b.go({x, 0, 1}, 1);
  }
  EXPECT_NEAR(b.f - a.f, 0.9 * std::exp(-(0.5 + 0.8) * 0.6), 1e-13);
}

// Without feedback of f the branches are parabolas, and a way of no length changes nothing.
TEST(duhem, WithoutFeedbackItIsAParabola) {
  const duhem<double> model{.A_p = 0, .B_p = 0.7, .E_p = 1, .A_m = 0, .B_m = -0.4, .E_m = 0.5};
  for (const double way : {0.0, 1e-5, 0.6, -0.3, -2.0}) {
    const double x = 0.3, B = way < 0 ? -0.4 : 0.7, E = way < 0 ? 0.5 : 1;
    vec<double, 1> state{{0.25}};
    EXPECT_NEAR(model.advance(state, {x, 0, 1}, {x + way, 0, 1}, 1),
                0.25 + way * (E + B * x + B * way / 2), 1e-15);
  }
  vec<double, 1> state{{0.25}};
  EXPECT_EQ(duhem<double>{}.advance(state, {0.3, 0, 1}, {0.3, 0, 1}, 1), 0.25);
}

}  // namespace
}  // namespace asperity
