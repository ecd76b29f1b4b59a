// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/frictional_contact/dai_frictional_contact.hpp>
#include <asperity/nonsmooth/inclusion.hpp>
#include <asperity/touch_testing.hpp>
#include <random>

namespace asperity {
namespace {

using model = dai_frictional_contact<double>;
using state = vec<double, 3>;

state random_state(std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1e-3, 1e-3);
  return {{std::abs(any(random)), any(random), any(random)}};
}
touch<double> random_touch(std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  return {1e-3 * any(random), any(random), {{any(random), any(random)}}};
}

TEST(dai_frictional_contact, ForceStaysInTheFrictionCone) {
  const model contact{.mu = 0.3};
  std::mt19937 random(1);
  int slipping = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto at = random_state(random);
    const auto in = random_touch(random);
    const auto f = contact(at, in);
    EXPECT_GE(f.f_n, 0);
    if (contact.slip_margin(at, in) > 0) {
      EXPECT_NEAR(contact.cone(f.f_n), norm(f.f_t), 1e-12 * f.f_n);
    }
    EXPECT_LE(norm(f.f_t), 0.3 * f.f_n * (1 + 1e-15));
    slipping += f.f_n > 0 && norm(f.f_t) > 0.299 * f.f_n ? 1 : 0;
  }
  EXPECT_GT(slipping, 100);
}

TEST(dai_frictional_contact, InFlightThereIsNoForce) {
  const auto f = model{}({}, {0.1, -3.0, {{2.0, -1.0}}});
  EXPECT_EQ(f.f_n, 0);
  EXPECT_EQ(norm(f.f_t), 0);
}

TEST(dai_frictional_contact, SolvesTheInclusionOfCoulombFriction) {
  // f_t in mu f_n Sgn(w - a_dot), with f_t = K_2 (a + beta_2 a_dot).
  const model contact{.mu = 0.3};
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const auto s = random_state(random);
    const auto in = random_touch(random);
    const auto f = contact(s, in);
    const vec<double, 2> a{{s[1], s[2]}}, a_dot{{f.rate[1], f.rate[2]}};
    EXPECT_LE(norm(f.f_t - contact.K_2 * (a + contact.beta_2 * a_dot)), 1e-9);
    EXPECT_TRUE(in_sgn(f.f_t, 0.3 * f.f_n, in.slip - a_dot, 1e-9));
  }
}

TEST(dai_frictional_contact, PrefersNoDirection) {
  const model contact;
  std::mt19937 random(3);
  const double c = std::cos(0.7), s = std::sin(0.7);
  const auto turned = [&](double x, double y) {
    return vec<double, 2>{{c * x - s * y, s * x + c * y}};
  };
  for (int i = 0; i < 200; ++i) {
    auto at = random_state(random);
    auto in = random_touch(random);
    const auto f = contact(at, in);
    const auto a = turned(at[1], at[2]);
    in.slip = turned(in.slip[0], in.slip[1]);
    const auto g = contact({{at[0], a[0], a[1]}}, in);
    EXPECT_LE(norm(g.f_t - turned(f.f_t[0], f.f_t[1])), 1e-12 * (1 + f.f_n));
  }
}

TEST(dai_frictional_contact, BooksCloseAndNoLossIsNegative) {
  const model contact{.mu = 0.3};
  const auto motion = [](double t) { return testing::press_and_drag(t, 1e-3, 0.3); };
  const auto coarse = testing::keep_account(contact, state{}, motion, 1.0, 20000);
  const auto fine = testing::keep_account(contact, state{}, motion, 1.0, 80000);
  EXPECT_GT(fine.taken, 1.0);
  EXPECT_LE(std::abs(fine.gap), 1e-8 * fine.taken);
  EXPECT_LE(std::abs(fine.gap), 0.5 * std::abs(coarse.gap) + 1e-13 * fine.taken);
  EXPECT_GE(fine.lowest_loss, -1e-12);
}

TEST(dai_frictional_contact, ImplicitStepEndsOnTheLaw) {
  // With the rates taken as differences over the step, both inclusions hold at its end.
  const model contact{.mu = 0.3};
  std::mt19937 random(4);
  const double h = 1e-3, mass = 1.0;
  for (int i = 0; i < 500; ++i) {
    const auto s = random_state(random);
    const auto in = random_touch(random);
    const touch_mechanics<double> mechanics{in.gap, in.slip, h * h / mass, 3.5 * h / mass};
    const auto f = contact.react(s, mechanics, h);
    const auto next = contact.settle(s, f, h);
    const double e_dot = (next[0] - s[0]) / h;
    const double gap = mechanics.gap_free + mechanics.gap_mobility * f.f_n;
    EXPECT_NEAR(f.f_n, contact.K_1 * (next[0] + contact.beta_1 * e_dot), 1e-8);
    EXPECT_TRUE(in_dio(f.f_n / contact.K_1, gap + next[0] + contact.alpha * e_dot, 1e-12));
    const vec<double, 2> a_dot{{(next[1] - s[1]) / h, (next[2] - s[2]) / h}};
    const auto slip = mechanics.slip_free - mechanics.slip_mobility * f.f_t;
    EXPECT_TRUE(in_sgn(f.f_t, 0.3 * f.f_n, slip - a_dot, 1e-9));
  }
}

TEST(dai_frictional_contact, WarnsOfAFilterThatCreatesEnergy) {
  EXPECT_EQ((model{.beta_1 = 1e-3, .alpha = 2e-3}.valid().verdict), validity::doubtful);
  EXPECT_EQ(model{}.valid().verdict, validity::fine);
}

TEST(dai_frictional_contact, MarginIsPositiveWhereItSlips) {
  // Elsewhere the deflection moves with the body, to the last bit.
  const model contact{.mu = 0.3};
  std::mt19937 random(5);
  int slips = 0, sticks = 0;
  for (int i = 0; i < 4000; ++i) {
    auto s = random_state(random);
    auto in = random_touch(random);
    s[1] *= 0.2;
    s[2] *= 0.2;
    in.slip = 0.05 * in.slip;
    const auto f = contact(s, in);
    const bool is_slipping = f.rate[1] != in.slip[0] || f.rate[2] != in.slip[1];
    EXPECT_EQ(contact.slip_margin(s, in) > 0, is_slipping) << i;
    ++(is_slipping ? slips : sticks);
  }
  EXPECT_GT(slips, 100);
  EXPECT_GT(sticks, 100);
}

TEST(dai_frictional_contact, PowerIsStoredOrLostAtEveryInstant) {
  const model contact{.mu = 0.3};
  std::mt19937 random(6);
  for (int i = 0; i < 500; ++i) {
    const auto s = random_state(random);
    EXPECT_NEAR(testing::missing_power(contact, s, random_touch(random)), 0, 1e-5) << i;
  }
}

}  // namespace
}  // namespace asperity
