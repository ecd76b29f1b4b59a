// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/elastoplastic.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/models/planar/disc_coulomb.hpp>
#include <asperity/patch/lane.hpp>
#include <asperity/patch/patch_kernels.hpp>
#include <asperity/patch/patch_lugre.hpp>
#include <asperity/testing.hpp>
#include <cmath>

namespace asperity {
namespace {

patch_lugre::parameters usual(double z_ba = 0) {
  patch_lugre::parameters with;
  with.z_ba = z_ba;
  return with;
}

// In pure sliding all cells do the same: the patch is the law of one direction.
TEST(patch_lugre, IsLuGreInPureSliding) {
  const patch_lugre patch(contact_patch::rectangle(0.03, 0.02), 9, usual());
  const lugre<double> line{};
  const double c = 0.6, s = 0.8, z = 7e-6, v = 2e-3;
  std::vector<double> states(static_cast<std::size_t>(patch.states())), rates(states.size());
  for (int i = 0; i < patch.stride(); ++i) {
    states[static_cast<std::size_t>(i)] = c * z;
    states[static_cast<std::size_t>(patch.stride() + i)] = s * z;
  }
  const auto f = patch.respond(states.data(), {{c * v, s * v, 0}}, 1, rates.data());
  const auto one = line({{z}}, {.v = v});
  EXPECT_NEAR(c * f[0] + s * f[1], one.f, 1e-12);
  EXPECT_NEAR(f[2], 0, 1e-13);
  EXPECT_NEAR(c * rates[0] + s * rates[static_cast<std::size_t>(patch.stride())], one.rate[0],
              1e-14);
}

TEST(patch_lugre, IsElastoplasticInPureSliding) {
  const patch_lugre patch(contact_patch::rectangle(0.03, 0.02), 5, [] {
    auto with = usual(8e-6);
    with.sigma_1 = 1000;
    return with;
  }());
  const elastoplastic<double> line{};
  std::vector<double> states(static_cast<std::size_t>(patch.states())), rates(states.size());
  for (const double z : {-9e-6, 5e-6, 1.1e-5}) {
    for (int i = 0; i < patch.stride(); ++i) states[static_cast<std::size_t>(i)] = z;
    const auto f = patch.respond(states.data(), {{3e-4, 0, 0}}, 1, rates.data());
    EXPECT_NEAR(f[0], line({{z}}, {.v = 3e-4}).f, 1e-10);
  }
}

// Without Stribeck effect steady sliding and spinning is Coulomb's, to the error of the cells.
TEST(patch_lugre, SlidesAndSpinsLikeTheDisc) {
  auto with = usual();
  with.g.F_s = 1;
  with.g.sigma_2 = 0;
  const double R = 0.03;
  const disc_coulomb<double> exact{.F_c = 1, .R = R};
  double coarse = 0, fine = 0;
  for (const int n : {10, 60}) {
    const patch_lugre patch(contact_patch::disc(R), n, with);
    std::vector<double> z(static_cast<std::size_t>(patch.states()));
    double& worst = n == 10 ? coarse : fine;
    for (const twist<double>& t : {twist<double>{{0.02, 0.01, 1}}, twist<double>{{0.01, 0, -2}},
                                   twist<double>{{0, 0.003, 1}}}) {
      wrench<double> f;
      for (int i = 0; i < 300; ++i) f = patch.advance(z.data(), t, 1, 1e-3);
      const auto wanted = exact(t);
      for (int i = 0; i < 3; ++i)
        worst = std::max(worst, std::abs(f[i] - wanted[i]) / (i == 2 ? R : 1));
    }
  }
  EXPECT_LT(coarse, 0.03);
  EXPECT_LT(fine, 0.002);
}

// The step solves z_dot at its end: halving the step must halve its distance from the ODE.
TEST(patch_lugre, StepsConvergeToTheEquations) {
  const patch_lugre patch(contact_patch::disc(0.01), 6, usual());
  const auto n = static_cast<std::size_t>(patch.states());
  const twist<double> t{{1e-3, 2e-3, 0.5}};
  const double duration = 4e-3;
  const auto by_steps = [&](int steps) {
    std::vector<double> z(n);
    for (int i = 0; i < steps; ++i) patch.advance(z.data(), t, 1, duration / steps);
    return z;
  };
  std::vector<double> z(n), rate(n);
  for (int i = 0; i < 400000; ++i) {
    patch.respond(z.data(), t, 1, rate.data());
    for (std::size_t k = 0; k < n; ++k) z[k] += 1e-8 * rate[k];
  }
  const auto error = [&](int steps) {
    const auto other = by_steps(steps);
    double worst = 0;
    for (std::size_t k = 0; k < n; ++k) worst = std::max(worst, std::abs(other[k] - z[k]));
    return worst;
  };
  EXPECT_NEAR(error(200) / error(400), 2, 0.2);
  EXPECT_LT(error(400), 1e-7);
}

// Far beyond v_s the exponential is not computed: nobody can tell.
TEST(patch_lugre, FastCellsHaveTheLevelOfTheCurve) {
  for (const double delta : {2.0, 1.3, 4.0})
    for (const double F_s : {1.0, 1.2, 30.0}) {
      auto with = usual(0);
      with.g.F_s = F_s;
      with.g.delta = delta;
      const patch_lugre patch(contact_patch::rectangle(0.01, 0.01), 1, with);
      std::vector<double> z(static_cast<std::size_t>(patch.states())), rate(z.size());
      z[0] = 1e-5;
      for (double v = 0.5 * with.g.v_s; v < 2000 * with.g.v_s; v *= 1.01) {
        patch.respond(z.data(), {{v, 0, 0}}, 1, rate.data());
        const double level = with.sigma_0 * v * z[0] / (v - rate[0]);
        ASSERT_NEAR(level / with.g.level(v), 1, 1e-13) << v << ' ' << delta << ' ' << F_s;
      }
    }
}

TEST(patch_lugre, EveryProcessorGivesTheSameBits) {
  for (const double z_ba : {0.0, 5e-6})
    for (const double delta : {2.0, 1.3}) {
      auto with = usual(z_ba);
      with.g.delta = delta;
      const patch_lugre patch(contact_patch::disc(0.01), 17, with);
      const auto ends = [&](kernels::instructions most) {
        kernels::allow(most);
        std::vector<double> z(static_cast<std::size_t>(patch.states())), all;
        for (int i = 0; i < 200; ++i) {
          const twist<double> t{
              {(1 + 0.1 * i) * 1e-3 * std::cos(0.1 * i), 2e-3, 0.5 * std::sin(0.05 * i)}};
          const auto f = patch.advance(z.data(), t, 1, 1e-4);
          for (int k = 0; k < 3; ++k) all.push_back(f[k]);
        }
        kernels::allow(kernels::instructions::avx512);
        all.insert(all.end(), z.begin(), z.end());
        return all;
      };
      const auto baseline = ends(kernels::instructions::baseline);
      ASSERT_EQ(ends(kernels::instructions::avx2), baseline);
      ASSERT_EQ(ends(kernels::instructions::avx512), baseline);
    }
}

TEST(patch_lugre, BristlesInTheElasticRangeLoseNothing) {
  const patch_lugre patch(contact_patch::disc(0.01), 8, usual(8e-6));
  std::vector<double> z(static_cast<std::size_t>(patch.states())), rate(z.size());
  const twist<double> t{{1e-3, -2e-3, 0.3}};
  patch.respond(z.data(), t, 1, rate.data());
  for (int i = 0; i < patch.cells(); ++i) {
    EXPECT_EQ(rate[static_cast<std::size_t>(i)], t[0] - t[2] * patch.y()[i]);
    EXPECT_EQ(rate[static_cast<std::size_t>(patch.stride() + i)], t[1] + t[2] * patch.x()[i]);
  }
}

// Power that is not stored: in plain LuGre without damping it is that of the bristles that let go,
// the sum of share (sigma_0 |z|)^2 |v|/(g load), and never below 0.
TEST(patch_lugre, PowerIsStoredOrLostByBristlesThatLetGo) {
  auto with = usual();
  with.sigma_1 = with.g.sigma_2 = 0;
  const patch_lugre patch(contact_patch::rectangle(0.03, 0.02), 4, with);
  const auto n = static_cast<std::size_t>(patch.stride());
  std::vector<double> z(2 * n), rate(2 * n);
  EXPECT_EQ(patch.stored_energy(z.data()), 0);
  for (std::size_t i = 0; i < 2 * n; ++i) z[i] = 1e-5 * std::sin(3.0 * static_cast<double>(i) + 1);
  const twist<double> t{{2e-3, -1e-3, 0.4}};
  const double load = 0.7;
  const auto f = patch.respond(z.data(), t, load, rate.data());
  double lost = 0;
  for (int i = 0; i < patch.cells(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto v = velocity_at<double>(t, patch.x()[i], patch.y()[i]);
    const double speed = std::hypot(v[0], v[1]), pull = with.sigma_0 * std::hypot(z[k], z[n + k]);
    lost += patch.share()[i] * pull * pull * speed / (with.g.level(speed) * load);
  }
  const double h = 1e-9 / 2e-3;
  std::vector<double> after = z, before = z;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    after[i] += h * rate[i];
    before[i] -= h * rate[i];
  }
  const double stored =
      (patch.stored_energy(after.data()) - patch.stored_energy(before.data())) / (2 * h);
  EXPECT_NEAR(dot(f, t), stored + lost, 1e-8 * std::abs(dot(f, t)));
}

}  // namespace
}  // namespace asperity
