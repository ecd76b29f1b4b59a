// SPDX-License-Identifier: Apache-2.0
// What Rogner 2017, section 2.5 and chapter 5, says of the model, with its own parameters.

#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_rational.hpp>
#include <asperity/models/friction/elastoplastic.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/models/planar/planar_elastoplastic.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const elastoplastic<double> table_5_1{};

// Share of the motion that is plastic: x = z + w, so w_dot/v = 1 - z_dot/v.
double plastic_share(const elastoplastic<double>& model, double z, double v, double load = 1) {
  return 1 - model({{z}}, {0, v, load}).rate[0] / v;
}

// Below the break-away deflection, and in every motion that unloads, the body moves with the
// bristles, to the last bit.
TEST(elastoplastic, ElasticRangeDoesNotCreep) {
  for (const double load : {0.5, 1.0, 2.0})
    for (const double v : {1e-9, 1e-4, 0.3}) {
      for (const double share : {-3.0, -1.0, -0.5, 0.0, 0.5, 0.999}) {
        const double z = share * table_5_1.z_ba * load;
        EXPECT_EQ(table_5_1({{z}}, {0, v, load}).rate[0], v);
        EXPECT_EQ(table_5_1({{-z}}, {0, -v, load}).rate[0], -v);
      }
    }
}

// The transition (2.17), corrected, for either sign of the deflection, which the printed form gets
// wrong: a share s of the way from z_ba to z_ss alpha is (1 - cos(pi s))/2 = sin^2(pi s/2), which
// the table has in surds.
struct share_and_alpha {
  double share, alpha;
};
const share_and_alpha half_sine[] = {{0, 0},
                                     {1.0 / 6, (2 - std::sqrt(3.0)) / 4},
                                     {1.0 / 4, (2 - std::sqrt(2.0)) / 4},
                                     {1.0 / 3, 1.0 / 4},
                                     {1.0 / 2, 1.0 / 2},
                                     {2.0 / 3, 3.0 / 4},
                                     {3.0 / 4, (2 + std::sqrt(2.0)) / 4},
                                     {5.0 / 6, (2 + std::sqrt(3.0)) / 4},
                                     {1, 1},
                                     {1.2, 1}};

TEST(elastoplastic, BlendIsAHalfSine) {
  for (const double load : {0.4, 1.0, 2.5})
    for (const double v : {1e-4, 1e-3, 2e-3}) {
      const double z_ss = table_5_1.g.level(v) * load / table_5_1.sigma_0;
      const double z_ba = table_5_1.z_ba * load;
      for (const auto& [share, alpha] : half_sine) {
        const double z = z_ba + share * (z_ss - z_ba);
        EXPECT_NEAR(plastic_share(table_5_1, z, v, load) * z_ss / z, alpha, 1e-12) << share;
        EXPECT_NEAR(plastic_share(table_5_1, -z, -v, load) * z_ss / z, alpha, 1e-12) << share;
      }
    }
}

// Where the curve falls below the elastic range, that is 0.9 of the steady deflection.
TEST(elastoplastic, ATenthIsLeftToTheBlend) {
  auto slippery = table_5_1;
  slippery.g.F_c = 0.5;
  for (const double load : {0.4, 1.0, 2.5})
    for (const double v : {0.01, 0.3}) {
      const double z_ss = slippery.g.level(v) * load / slippery.sigma_0;
      ASSERT_LT(z_ss, slippery.z_ba * load);
      for (const auto& [share, alpha] : half_sine) {
        const double z = (0.9 + 0.1 * share) * z_ss;
        EXPECT_NEAR(plastic_share(slippery, z, v, load) * z_ss / z, alpha, 1e-12) << share;
      }
    }
}

// The law of sliding and spinning has the same alpha, over the length of its three deflections; on
// the ellipsoid a deflection along the motion loses alpha |z|/|z_ss| of it.
TEST(elastoplastic, BlendOfThePlanarLawIsTheSame) {
  const planar_elastoplastic<double> law{.coupling = {0.05, 0.6}};
  const vec<double, 3> along{{2.0 / 7, -3.0 / 7, 6.0 / 7}};
  const double v = 2e-3, z_ss = law.g.level(v) / law.sigma_0, z_ba = law.z_ba;
  for (const auto& [share, alpha] : half_sine) {
    const double z = z_ba + share * (z_ss - z_ba);
    const vec<double, 3> w = v * along;
    const auto rate = law(z * along, {{w[0], w[1], w[2] / law.coupling.arm()}}, 1.0).rate;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR((1 - rate[i] / w[i]) * z_ss / z, alpha, 1e-12) << share;
  }
}

// LuGre is alpha = 1 throughout: beyond z_ss the two are the same.
TEST(elastoplastic, IsLugreBeyondTheSteadyDeflection) {
  lugre<double> bristles{.sigma_0 = table_5_1.sigma_0, .sigma_1 = table_5_1.sigma_1};
  bristles.g = table_5_1.g;
  for (const double v : testing::log_space(1e-5, 1.0, 20)) {
    const double z = 1.1 * table_5_1.g.level(v) / table_5_1.sigma_0;
    const auto ours = table_5_1({{z}}, {0, v, 1}), theirs = bristles({{z}}, {0, v, 1});
    EXPECT_NEAR(ours.f, theirs.f, 1e-14 * (1 + 1e3 * v));
    EXPECT_NEAR(ours.rate[0], theirs.rate[0], 1e-12 * v);
  }
}

// Steady sliding follows the curve, at every load; also a curve that falls below the elastic range.
TEST(elastoplastic, SteadySlidingFollowsTheCurve) {
  const auto check = [](const auto& model, double v, double load) {
    const double level = model.g.level(v) * load, relaxation = level / (model.sigma_0 * v);
    EXPECT_NEAR(testing::steady_force(model, {0, v, load}, 0.02 * relaxation, 5000),
                level + model.g.viscous(v), 1e-6 * level);
  };
  for (const double v : {1e-5, 1e-3, 1e-2, 1.0})
    for (const double load : {0.4, 1.0, 2.5}) {
      check(table_5_1, v, load);
      check(elastoplastic<double, stribeck_rational<double>>{}, v, load);
    }
}

// Figures 5.4 to 5.6 with Table 5.2: under a load that oscillates below F_c, LuGre drifts and the
// elastoplastic model does not. tests/drift_test.cpp has the long run.
TEST(elastoplastic, DoesNotDriftInThePreslidingTest) {
  elastoplastic<double> model{.sigma_0 = 23.66, .sigma_1 = 2.8034, .z_ba = 0.0062};
  model.g = {.F_c = 0.2058, .F_s = 0.3087, .v_s = 1e-3, .sigma_2 = 0};
  lugre<double> bristles{.sigma_0 = 23.66, .sigma_1 = 2.8034};
  bristles.g = model.g;
  const auto push = [](double t) {
    if (t < 20) return 0.21 * t / 20;
    if (t < 30) return 0.21 - 0.12 * (t - 20) / 10;
    return 0.09 + 0.05 * std::sin(2 * 3.14159265358979323846 * (t - 30) / 10);
  };
  const auto drift = [&](const auto& contact) {
    const auto x = testing::pushed_mass(contact, 1.0, push, 100, 5e-3);
    return x[19900] - x[9900];  // five periods apart
  };
  EXPECT_LT(std::abs(drift(model)), 1e-9);
  EXPECT_GT(drift(bristles), 1e-4);
}

// A break-away deflection that stiction cannot reach would never slide.
TEST(elastoplastic, RefusesAnElasticRangeBeyondStiction) {
  EXPECT_EQ(table_5_1.valid().verdict, validity::fine);
  auto rigid = table_5_1;
  rigid.z_ba = 2e-5;
  EXPECT_EQ(rigid.valid().verdict, validity::refused);
  auto rising = table_5_1;
  rising.g.F_s = 0.9;
  EXPECT_EQ(rising.valid().verdict, validity::refused);
}

// Bristles store the work of the force that they hold at rest, which grows as that of a spring.
TEST(elastoplastic, BristlesStoreTheWorkOfHoldingForces) {
  for (const double z : {-1e-5, 4e-6})
    EXPECT_DOUBLE_EQ(table_5_1.stored_energy({{z}}, {}), z * table_5_1({{z / 2}}, {0, 0, 1}).f);
}

// The margin tells where bristles begin to slip: below 0 all motion is elastic, above it is not.
TEST(elastoplastic, MarginIsPositiveWhereBristlesSlip) {
  for (const double load : {0.5, 2.0})
    for (const double v : {-0.3, -1e-4, 1e-4, 0.3})
      for (const double share : {-3.0, -1.1, -0.99, 0.0, 0.99, 1.01, 3.0}) {
        const double z = share * table_5_1.z_ba * load;
        const bool slips = table_5_1({{z}}, {0, v, load}).rate[0] != v;
        EXPECT_EQ(slips, share * v > std::abs(v));
        EXPECT_EQ(table_5_1.slip_margin({{z}}, {0, v, load}) > 0, slips) << share << ' ' << v;
        EXPECT_LT(table_5_1.slip_margin({{z}}, {0, 0, load}), 0) << "nothing slips at rest";
      }
}

}  // namespace
}  // namespace asperity
