// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/frictional_contact/azad_featherstone_clutch.hpp>
#include <asperity/touch_testing.hpp>
#include <random>

namespace asperity {
namespace {

using model = azad_featherstone_clutch<double>;
using state = vec<double, 2>;

struct sample {
  state u;
  touch<double> in;
};
sample random_sample(std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  return {{{1e-4 * any(random), 1e-4 * any(random)}},
          {-5e-4 * (1 + any(random)), 0.3 * any(random), {{0.3 * any(random), 0.3 * any(random)}}}};
}

TEST(azad_featherstone_clutch, SlipSatisfiesBothItsEquations) {
  const model contact;
  std::mt19937 random(1);
  int slips = 0, sticks = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto [u, in] = random_sample(random);
    const auto f = contact(u, in);
    if (!(f.f_n > 0)) continue;
    const double root = std::sqrt(-in.gap);
    const auto ground = (contact.K_t * root) * u + (contact.D_t * root) * f.rate;
    EXPECT_LE(norm(f.f_t - ground), 1e-10 * (1 + norm(ground)));
    const auto clutch = in.slip - f.rate;
    if (contact.slip_margin(u, in) > 0) {
      ++slips;
      // mu f_n along the slip, and the viscous part.
      const double w = norm(clutch);
      EXPECT_LE(norm(f.f_t - (contact.mu * f.f_n / w + contact.C_v) * clutch), 1e-9 * f.f_n);
    } else {
      ++sticks;
      EXPECT_LE(norm(clutch), 0);
      EXPECT_LE(norm(f.f_t), contact.mu * f.f_n);
    }
  }
  EXPECT_GT(slips, 100);
  EXPECT_GT(sticks, 10);
}

TEST(azad_featherstone_clutch, NeverPulls) {
  const model contact;
  EXPECT_EQ(contact({}, {-1e-4, 1.0, {}}).f_n, 0);
  EXPECT_GT(contact({}, {-1e-4, 0.0, {}}).f_n, 0);
  EXPECT_EQ(contact({}, {1e-4, -1.0, {}}).f_n, 0);
}

TEST(azad_featherstone_clutch, RecoveringGroundKeepsTheRatioOfDisplacementToDepth) {
  const model contact;
  const state u{{2e-5, -1e-5}};
  const touch<double> in{-1e-4, 1.0, {{0.1, 0.0}}};
  const auto f = contact(u, in);
  ASSERT_EQ(f.f_n, 0);
  EXPECT_NEAR(f.rate[0] / u[0], -in.gap_rate / -in.gap, 1e-9 / -in.gap);
  EXPECT_NEAR(f.rate[1] / u[1], -in.gap_rate / -in.gap, 1e-9 / -in.gap);
}

TEST(azad_featherstone_clutch, WithCouplingTheBooksCloseByThemselves) {
  model contact;
  contact.coupling = 1;
  const auto motion = [](double t) { return testing::press_and_drag(t, 5e-4, 0.01); };
  const auto account = testing::keep_account(contact, state{}, motion, 0.999, 100000);
  EXPECT_GT(account.taken, 1e-3);
  EXPECT_EQ(account.unbalanced, 0);
  EXPECT_LE(std::abs(account.gap), 2e-7 * account.taken);
  EXPECT_GE(account.lowest_loss, -1e-10);
}

TEST(azad_featherstone_clutch, ThePrintedLawLeavesWorkUnbalanced) {
  // E-51. All of it is what the tangential spring gains by stiffening.
  const model contact;
  const auto motion = [](double t) {
    auto in = testing::press_and_drag(t, 5e-4, 0.01);
    in.slip = {{t < 0.5 ? 0.01 : 0.0, 0.0}};  // dragged while pressed in, held while let go
    return in;
  };
  const auto account = testing::keep_account(contact, state{}, motion, 0.999, 100000);
  EXPECT_GT(std::abs(account.unbalanced), 1e-6 * account.taken);
  EXPECT_LE(std::abs(account.gap), 2e-7 * account.taken);
  EXPECT_GE(account.lowest_loss, -1e-10);
}

TEST(azad_featherstone_clutch, CouplingIsTheDerivativeOfTheStoredEnergy) {
  model printed, consistent;
  consistent.coupling = 1;
  const state u{{3e-5, 1e-5}};
  const auto stored = [&](double z) { return printed.energy(u, {-z, 0.0, {}}).stored_tangential; };
  const double z = 4e-4, h = 1e-8;
  const double extra = consistent(u, {-z, 0.0, {}}).f_n - printed(u, {-z, 0.0, {}}).f_n;
  EXPECT_NEAR(extra, (stored(z + h) - stored(z - h)) / (2 * h), 1e-6 * extra);
}

TEST(azad_featherstone_clutch, PowerIsStoredOrLostAtEveryInstant) {
  // A motion that returns to its place would not tell what is stored. Near the surface differences
  // tell it to 1e-6.
  for (const double coupling : {0.0, 0.6, 1.0}) {
    model contact;
    contact.coupling = coupling;
    std::mt19937 random(7);
    for (int i = 0; i < 500; ++i) {
      const auto [u, in] = random_sample(random);
      EXPECT_NEAR(testing::missing_power(contact, u, in), 0, 1e-4) << coupling << ' ' << i;
    }
  }
}

// Springs store what their forces take, dampers lose their force times their rate, the clutch what
// dry friction and oil resist; and what the printed law does not pay for is the stiffening.
TEST(azad_featherstone_clutch, EveryElementHasItsOwnAccount) {
  for (const double coupling : {0.0, 0.6, 1.0}) {
    model contact;
    contact.mu = 0.3;
    contact.C_v = 7;
    contact.coupling = coupling;
    std::mt19937 random(8);
    int pressed = 0, free = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto [u, in] = random_sample(random);
      const auto out = contact(u, in);
      const auto all = contact.energy(u, in);
      const double z = -in.gap, root = std::sqrt(z), V = norm(in.slip - out.rate);
      const double stiffening = contact.K_t * dot(u, u) / (4 * root) * -in.gap_rate;
      EXPECT_NEAR(all.stored_normal, 0.4 * contact.K_n * std::pow(z, 2.5), 1e-12);
      EXPECT_NEAR(all.stored_tangential, contact.K_t * root * dot(u, u) / 2, 1e-12);
      if (out.f_n > 0) {
        ++pressed;
        const double damped = contact.D_n * root * in.gap_rate * in.gap_rate;
        EXPECT_NEAR(all.normal_damper, damped, 1e-12 * damped);
        EXPECT_NEAR(all.tangential_damper, contact.D_t * root * dot(out.rate, out.rate), 1e-12);
        EXPECT_NEAR(all.slider, contact.mu * out.f_n * V, 1e-9 * (1 + all.slider));
        EXPECT_NEAR(all.viscous, 7 * V * V, 1e-12);
        EXPECT_NEAR(all.unbalanced, -(1 - coupling) * stiffening,
                    1e-12 * (1 + std::abs(stiffening)));
      } else {
        ++free;
        EXPECT_EQ(all.slider, 0);
        EXPECT_EQ(all.viscous, 0);
        EXPECT_EQ(all.unbalanced, 0);
      }
    }
    EXPECT_GT(pressed, 100);
    EXPECT_GT(free, 3);
  }
}

// Off the ground, and where it is just met, there is neither force nor energy, and nothing moves.
TEST(azad_featherstone_clutch, AboveTheGroundThereIsNothing) {
  model contact;
  contact.coupling = 1;
  for (const double gap : {0.0, 1e-4, 2.0})
    for (const double rate : {-0.3, 0.0, 0.4}) {
      const state u{{2e-5, -1e-5}};
      const touch<double> in{gap, rate, {{0.1, -0.2}}};
      const auto out = contact(u, in);
      const auto all = contact.energy(u, in);
      EXPECT_EQ(out.f_n, 0);
      EXPECT_EQ(norm(out.f_t), 0);
      EXPECT_EQ(norm(out.rate), 0);
      EXPECT_EQ(all.stored_normal, 0);
      EXPECT_EQ(all.stored_tangential, 0);
      for (const double lost :
           {all.normal_damper, all.tangential_damper, all.slider, all.viscous, all.unbalanced})
        EXPECT_EQ(lost, 0);
    }
}

}  // namespace
}  // namespace asperity
