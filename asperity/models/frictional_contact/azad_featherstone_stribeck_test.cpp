// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/frictional_contact/azad_featherstone_stribeck.hpp>
#include <asperity/touch_testing.hpp>
#include <random>

namespace asperity {
namespace {

using model = azad_featherstone_stribeck<double>;
using state = vec<double, 3>;

double phi(const model& m, double w, double f_n, double root) {
  const double x = w / m.V_s;
  return f_n * (m.mu + (m.mu_s - m.mu) * std::exp(-x * x)) + (m.D_t * root + m.C_v) * w;
}

TEST(azad_featherstone_stribeck, ClutchSpeedsAreTheGreatestAndTheLeastRoot) {
  model contact;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  int without = 0, one = 0, many = 0;
  for (int i = 0; i < 300; ++i) {
    contact.V_s = 0.01 + 0.1 * share(random);
    contact.mu_s = contact.mu + 0.4 * share(random);
    contact.D_t = 3.1e3 * share(random);
    const double f_n = 1 + 200 * share(random), root = 0.03 * share(random);
    const double F = f_n * (contact.mu + 0.6 * share(random));
    const double high = contact.clutch_speed(F, f_n, root, true);
    const double low = contact.clutch_speed(F, f_n, root, false);
    // Looked for on a fine grid: the changes of sign.
    const double most = 1.001 * (F - contact.mu * f_n) / (contact.D_t * root + contact.C_v);
    double greatest = 0, least = 0;
    int roots = 0;
    const int points = 20000;
    for (int k = points; k > 0; --k) {
      const double right = most * k / points, left = most * (k - 1) / points;
      if ((phi(contact, right, f_n, root) < F) == (phi(contact, left, f_n, root) < F)) continue;
      if (roots++ == 0) greatest = 0.5 * (left + right);
      least = 0.5 * (left + right);
    }
    const double near = 1.01 * most / points, rest = phi(contact, 0, f_n, root);
    // A branch without a root stands where phi turns.
    const auto is_turn = [&](double w) {
      const double d = 1e-4 * contact.V_s, here = phi(contact, w, f_n, root);
      const double a = phi(contact, w - d, f_n, root), b = phi(contact, w + d, f_n, root);
      return (a - here) * (b - here) > 0;
    };
    if (F <= rest) {
      EXPECT_EQ(low, 0) << i;
    } else if (roots > 1) {
      EXPECT_NEAR(low, least, near) << i;
    }
    if (roots == 0) {
      ++without;
      EXPECT_TRUE(high <= near || (is_turn(high) && phi(contact, high, f_n, root) > F)) << i;
    } else if (roots == 1) {
      ++one;  // both branches are it, or one of them is
      EXPECT_TRUE(std::abs(high - greatest) <= near || is_turn(high)) << i;
      EXPECT_TRUE(std::abs(low - greatest) <= near || is_turn(low)) << i;
      EXPECT_TRUE(std::abs(low - greatest) <= near || std::abs(high - greatest) <= near) << i;
    } else {
      ++many;
      EXPECT_NEAR(high, greatest, near) << i;
      EXPECT_NEAR(phi(contact, high, f_n, root), F, 1e-11 * F) << i;
    }
  }
  EXPECT_GT(without, 5);
  EXPECT_GT(one, 100);
  EXPECT_GT(many, 10);
}

TEST(azad_featherstone_stribeck, ABranchThatIsLeftIsLeftForOneThatHolds) {
  // Else the clutch would change to and fro without end.
  model contact;
  std::mt19937 random(4);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  int left[2] = {0, 0};
  for (int i = 0; i < 2000; ++i) {
    contact.V_s = 0.01 + 0.1 * share(random);
    contact.mu_s = contact.mu + 0.4 * share(random);
    const touch<double> in{-1e-3 * share(random), 0.2 - share(random), {{share(random), 0}}};
    state s{{1e-4 * (share(random) - 0.5), 0, i % 2 ? 1.0 : 0.0}};
    const double before = s[2];
    contact.remember(s, in);
    if (s[2] != before) ++left[i % 2];
    EXPECT_LE(contact.branch_excess(s, in), 0) << i;
  }
  EXPECT_GT(left[0], 100);
  EXPECT_GT(left[1], 100);
}

TEST(azad_featherstone_stribeck, IsTheLimitOfAClutchWithInertia) {
  // inertia dw/dt = F - phi(w), w >= 0, under a pull that rises and falls slowly. At the third
  // depth the low point of phi lies above mu_s f_n.
  for (const double z : {1.2e-3, 6e-4, 4e-4}) {
    const model contact;
    const double f_n = contact({}, {-z, 0.0, {}}).f_n, root = std::sqrt(z);
    const double spring = contact.K_t * root;
    const int steps = 40000;
    const double h = 20.0 / steps;
    int apart[2] = {0, 0};  // steps in which the two differ: while a jump lasts
    for (int k = 0; k < 2; ++k) {
      const double inertia = k == 0 ? 0.4 : 0.1;
      state s{};
      double w = 0;
      int changes = 0;
      for (int n = 0; n < steps; ++n) {
        const double F = f_n * (0.1 + 0.2 * std::sin(3.14159265358979 * n / steps));
        w = std::max(0.0, w + h / inertia * (F - phi(contact, w, f_n, root)));
        s[0] = F / spring;
        const double before = s[2];
        contact.remember(s, {-z, 0.0, {}});
        changes += s[2] != before ? 1 : 0;
        const double law = contact.clutch_speed(F, f_n, root, s[2] > 0);
        apart[k] += std::abs(w - law) > 0.02 * contact.V_s ? 1 : 0;
      }
      EXPECT_EQ(changes, 2) << z;
    }
    EXPECT_LT(apart[1], steps / 100) << z;
    EXPECT_LT(apart[1], 0.6 * apart[0]) << z;
  }
}

TEST(azad_featherstone_stribeck, WithoutADropItIsTheClutch) {
  model contact;
  contact.mu_s = contact.mu;
  const azad_featherstone_clutch<double> clutch;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (int i = 0; i < 500; ++i) {
    const touch<double> in{
        -5e-4 * (1 + any(random)), 0.3 * any(random), {{0.3 * any(random), 0.3 * any(random)}}};
    state s{{1e-4 * any(random), 1e-4 * any(random), 0}};
    contact.remember(s, in);
    const auto f = contact(s, in);
    const auto g = clutch({{s[0], s[1]}}, in);
    EXPECT_LE(norm(f.f_t - g.f_t), 1e-9 * (1 + g.f_n));
    EXPECT_EQ(f.f_n, g.f_n);
  }
}

TEST(azad_featherstone_stribeck, StuckAndSlippingOverlapAndTheStateDecides) {
  // Pulled between the low point of phi and its peak, the clutch keeps what it did.
  model contact;
  contact.D_t = 310;
  const double z = 4e-4, f_n = contact({}, {-z, 0.0, {}}).f_n, root = std::sqrt(z);
  const double between = 0.23 * f_n;
  ASSERT_GT(contact.clutch_speed(between, f_n, root, true), contact.V_s);
  const double u = between / (contact.K_t * root);
  const touch<double> in{-z, 0.0, {}};
  state stuck{{u, 0, 0}}, slipping{{u, 0, 1}};
  contact.remember(stuck, in);
  contact.remember(slipping, in);
  EXPECT_EQ(stuck[2], 0);
  EXPECT_EQ(slipping[2], 1);
  EXPECT_NEAR(contact(stuck, in).f_t[0], between, 1e-9 * between);
  EXPECT_LT(contact(slipping, in).f_t[0], 0.21 * f_n);

  state pulled{{0.241 * f_n / (contact.K_t * root), 0, 0}};
  contact.remember(pulled, in);
  EXPECT_EQ(pulled[2], 1);
  state released{{0.2 * f_n / (contact.K_t * root), 0, 1}};
  contact.remember(released, in);
  EXPECT_EQ(released[2], 0);
}

TEST(azad_featherstone_stribeck, TheSourcesParametersHaveSeveralRoots) {
  // E-52: just above mu_s f_n there is a speed beyond the falling part of phi, too.
  const model contact;
  const double z = 8e-4, f_n = contact({}, {-z, 0.0, {}}).f_n, F = 1.0001 * contact.mu_s * f_n;
  const double w = contact.clutch_speed(F, f_n, std::sqrt(z), true);
  int roots = 0;
  for (int k = 0; k < 1000; ++k) {
    const double left = phi(contact, 1e-4 * k, f_n, std::sqrt(z)) - F;
    const double right = phi(contact, 1e-4 * (k + 1), f_n, std::sqrt(z)) - F;
    roots += (left < 0) != (right < 0) ? 1 : 0;
  }
  EXPECT_EQ(roots, 3);
  EXPECT_GT(w, contact.V_s / 2);
}

TEST(azad_featherstone_stribeck, BooksCloseThroughStickAndSlip) {
  model contact;
  contact.coupling = 1;
  const auto motion = [](double t) { return testing::press_and_drag(t, 5e-4, 0.01); };
  const auto account = testing::keep_account(contact, state{}, motion, 0.999, 50000);
  EXPECT_GT(account.taken, 1e-3);
  // The clutch changes only between steps here, so that the order is 1.
  EXPECT_LE(std::abs(account.gap), 1e-3 * account.taken);
  EXPECT_GE(account.lowest_loss, -1e-10);
}

TEST(azad_featherstone_stribeck, MarginIsPositiveWhereTheClutchSlips) {
  model contact;
  contact.D_t = 310;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  int slips = 0, sticks = 0, by_memory = 0;
  for (int i = 0; i < 4000; ++i) {
    const touch<double> in{-1e-3 * share(random), 0.0, {{0.1 * (share(random) - 0.5), 0}}};
    state s{{1e-4 * (share(random) - 0.5), 5e-5 * (share(random) - 0.5), i % 2 ? 1.0 : 0.0}};
    if (contact.branch_excess(s, in) > 0) continue;  // it would leave its branch
    const auto rate = contact(s, in).rate;
    const bool is_slipping = rate[0] != in.slip[0] || rate[1] != in.slip[1];
    EXPECT_EQ(contact.slip_margin(s, in) > 0, is_slipping) << i;
    ++(is_slipping ? slips : sticks);
    const double pull = contact(state{{s[0], s[1], 0}}, in).rate[0];
    by_memory += is_slipping && pull == in.slip[0] ? 1 : 0;
  }
  EXPECT_GT(slips, 100);
  EXPECT_GT(sticks, 100);
  EXPECT_GT(by_memory, 5) << "slipping where it would hold if it had held";
}

TEST(azad_featherstone_stribeck, PowerIsStoredOrLostAtEveryInstant) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  model contact;
  contact.coupling = 0.6;
  for (int i = 0; i < 500; ++i) {
    const touch<double> in{
        -5e-4 * (1 + any(random)), 0.3 * any(random), {{0.3 * any(random), 0.3 * any(random)}}};
    state s{{1e-4 * any(random), 1e-4 * any(random), i % 2 ? 1.0 : 0.0}};
    contact.remember(s, in);
    EXPECT_NEAR(testing::missing_power(contact, s, in), 0, 1e-4) << i;
  }
}

// What the clutch loses is its dry friction and its oil, at the speed at which it slips.
TEST(azad_featherstone_stribeck, DryFrictionAndOilHaveTheirOwnAccounts) {
  model contact;
  contact.C_v = 7;
  contact.mu_s = 0.3;
  std::mt19937 random(9);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  int slips = 0;
  for (int i = 0; i < 1000; ++i) {
    const touch<double> in{
        -5e-4 * (1 + any(random)), 0.3 * any(random), {{0.3 * any(random), 0.3 * any(random)}}};
    state s{{1e-4 * any(random), 1e-4 * any(random), i % 2 ? 1.0 : 0.0}};
    contact.remember(s, in);
    const auto out = contact(s, in);
    const auto all = contact.energy(s, in);
    if (!(out.f_n > 0)) continue;
    const double w = norm(in.slip - vec<double, 2>{{out.rate[0], out.rate[1]}}),
                 x = w / contact.V_s;
    const double dry = out.f_n * (0.2 + 0.1 * std::exp(-x * x));
    EXPECT_NEAR(all.viscous, 7 * w * w, 1e-12 * (1 + w));
    EXPECT_NEAR(all.slider, dry * w, 1e-9 * (1 + dry * w));
    slips += w > 0 ? 1 : 0;
  }
  EXPECT_GT(slips, 300);
}

// phi falls somewhere if and only if its slope is below drop/V_s sqrt(2/e), that of its steepest
// fall at V_s/sqrt(2). A little below, a pull of phi there has a root on either side of it, and the
// branches end where phi turns; a little above, there is one root. All of it in any unit of speed.
TEST(azad_featherstone_stribeck, BranchesPartWherePhiBeginsToFall) {
  for (const double unit : {0x1p-12, 1.0, 0x1p12})
    for (const double share : {0.3, 0.98, 1.02}) {
      model contact;
      contact.mu_s = 0.3;
      contact.V_s = 0.03 * unit;
      contact.D_t = 0;
      const double f_n = 50, drop = f_n * (contact.mu_s - contact.mu);
      contact.C_v = share * drop / contact.V_s * std::sqrt(2 / std::exp(1.0));
      const double steepest = contact.V_s / std::sqrt(2.0), F = phi(contact, steepest, f_n, 0);
      const auto speed = [&](double pull, bool greatest) {
        return contact.clutch_speed(pull, f_n, 0, greatest);
      };
      const auto slope = [&](double w) {
        const double x = w / contact.V_s;
        return 1 - 2 * x / contact.V_s * drop * std::exp(-x * x) / contact.C_v;
      };
      if (share > 1) {
        EXPECT_NEAR(speed(F, true), steepest, 1e-9 * steepest);
        EXPECT_NEAR(speed(F, false), steepest, 1e-9 * steepest);
        continue;
      }
      EXPECT_GT(speed(F, true), 1.02 * steepest) << unit << ' ' << share;
      EXPECT_LT(speed(F, false), 0.98 * steepest) << unit << ' ' << share;
      const double low_point = speed(0.5 * F, true), peak = speed(2 * F, false);
      EXPECT_GT(low_point, steepest);
      EXPECT_LT(peak, steepest);
      EXPECT_NEAR(slope(low_point), 0, 1e-9) << unit << ' ' << share;
      EXPECT_NEAR(slope(peak), 0, 1e-9) << unit << ' ' << share;
    }
}

// Where friction rises with the speed there is one root, and it is found with little oil, too.
TEST(azad_featherstone_stribeck, RisingFrictionHasOneRoot) {
  model contact;
  contact.mu_s = 0.05;
  contact.D_t = 0;
  for (const double C_v : {0.1, 5.0})
    for (const double F : {3.0, 8.0, 11.0, 20.0}) {
      contact.C_v = C_v;
      const double w = contact.clutch_speed(F, 50, 0, true);
      EXPECT_NEAR(phi(contact, w, 50, 0), F, 1e-11 * F) << C_v << ' ' << F;
      EXPECT_EQ(contact.clutch_speed(F, 50, 0, false), w);
      EXPECT_GT(w, 0);
    }
}

}  // namespace
}  // namespace asperity
