// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/elastoplastic.hpp>
#include <asperity/models/planar/disc_coulomb.hpp>
#include <asperity/models/planar/planar_elastoplastic.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

// Under every load, and also where the curve falls below the elastic range.
void is_elastoplastic_in_every_direction(double F_c, double load) {
  elastoplastic<double> line{};
  line.g.F_c = F_c;
  // The level of spinning is that of its mean square speed, as in planar_lugre.
  elastoplastic<double> turned = line;
  turned.g.v_s = line.g.v_s * (2.0 / 3.0) / std::sqrt(0.6);
  const double c = std::cos(-0.4), s = std::sin(-0.4);
  for (const double share : {-1.2e-5, -5e-6, 2e-6, 4.7e-6, 9e-6, 1.2e-5, 1.6e-5})
    for (const double v : {-0.01, 1e-4, 0.3}) {
      const double z = share * load;
      const drive<double> in{0, v, load};
      const auto check = [&](auto law, const elastoplastic<double>& spun) {
        law.g.F_c = F_c;
        const auto sliding = law({{c * z, s * z, 0}}, {{c * v, s * v, 0}}, load);
        EXPECT_NEAR(c * sliding.f[0] + s * sliding.f[1], line({{z}}, in).f, 1e-10);
        const double rho = law.coupling.arm();
        EXPECT_NEAR(law({{0, 0, z}}, {{0, 0, v / rho}}, load).f[2] / rho, spun({{z}}, in).f, 1e-10);
      };
      check(planar_elastoplastic<double, disc_coupling<double>>{.coupling = {0.05}}, turned);
      check(planar_elastoplastic<double>{.coupling = {0.05, 0.6}}, line);
    }
}
TEST(planar_elastoplastic, IsElastoplasticInEveryDirection) {
  for (const double F_c : {1.0, 0.5})
    for (const double load : {0.4, 1.0, 2.5}) is_elastoplastic_in_every_direction(F_c, load);
}

TEST(planar_elastoplastic, SlidesOnTheLimitSurface) {
  const double R = 0.05;
  planar_elastoplastic<double, disc_coupling<double>> law{.coupling = {R}};
  law.g.sigma_2 = 0;
  const twist<double> t{{0.03, 0.02, -0.9}};
  const auto slope = [&](double, const vec<double, 3>& z) { return law(z, t, 1.0).rate; };
  vec<double, 3> z;
  for (int i = 0; i < 40000; ++i) z = testing::runge_kutta_step<3>(slope, 0, z, 1e-6);
  const auto f = law(z, t, 1.0).f, wanted = disc_coulomb<double>{.F_c = 1, .R = R}(t);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(f[i], wanted[i], 1e-9);
}

// Any closed motion inside the elastic range gives the state back exactly: no drift whatever the
// number of cycles.
TEST(planar_elastoplastic, ForgetsNothingInTheElasticRange) {
  planar_elastoplastic<double> law{.coupling = {0.05, 0.6}};
  const vec<double, 3> z{{3e-6, -2e-6, 4e-6}};
  for (const twist<double>& t : {twist<double>{{1e-3, 2e-3, 0.1}}, twist<double>{{-0.5, 0, 3}}}) {
    const auto rate = law(z, t, 1.0).rate;
    EXPECT_EQ(rate[0], t[0]);
    EXPECT_EQ(rate[1], t[1]);
    EXPECT_EQ(rate[2], law.coupling.arm() * t[2]);
  }
}

// However the direction of motion turns, bristles never hold more than stiction.
TEST(planar_elastoplastic, NeverHoldsMoreThanStiction) {
  planar_elastoplastic<double> law{.coupling = {0.05, 0.6}};
  vec<double, 3> z;
  double longest = 0;
  const auto slope = [&](double time, const vec<double, 3>& at) {
    return law(at,
               {{0.01 * std::cos(300 * time), 0.01 * std::sin(170 * time),
                 0.2 * std::cos(90 * time)}},
               1.0)
        .rate;
  };
  for (int i = 0; i < 50000; ++i) {
    z = testing::runge_kutta_step<3>(slope, i * 1e-6, z, 1e-6);
    longest = std::max(longest, norm(z));
  }
  EXPECT_LE(longest, law.g.F_s / law.sigma_0 * (1 + 1e-9));
  EXPECT_GT(longest, 0.95 * law.g.F_c / law.sigma_0);
}

// A closed motion inside the elastic range takes what it stores, and gives all of it back.
TEST(planar_elastoplastic, GivesBackWhatItStoresInTheElasticRange) {
  planar_elastoplastic<double, disc_coupling<double>> law{.coupling = {0.05}};
  law.sigma_1 = law.g.sigma_2 = 0;
  const twist<double> t{{1e-3, -2e-3, 0.04}};
  const vec<double, 3> w{{t[0], t[1], law.coupling.arm() * t[2]}};
  vec<double, 3> z;
  double work = 0;
  const auto move = [&](double sign, int steps) {
    for (int i = 0; i < steps; ++i) {
      const double h = 1e-5;
      const auto from = law(z, sign * t, 1.0);
      z = z + h * from.rate;
      work += h / 2 * sign * (dot(from.f, t) + dot(law(z, sign * t, 1.0).f, t));
    }
  };
  move(1, 150);
  const double way = 150 * 1e-5;
  EXPECT_LT(norm(z), law.z_ba);
  EXPECT_NEAR(law.stored_energy(z), law.sigma_0 * dot(w, w) * way * way / 2, 1e-12 * work);
  EXPECT_NEAR(law.stored_energy(z), work, 1e-12 * work);
  move(-1, 150);
  EXPECT_NEAR(work, 0, 1e-12);
  EXPECT_NEAR(law.stored_energy(z), 0, 1e-20);
}

}  // namespace
}  // namespace asperity
