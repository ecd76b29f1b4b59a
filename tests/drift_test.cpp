// SPDX-License-Identifier: Apache-2.0
// A body under a load that oscillates below the friction limit, for 1000 s: bristle models creep
// away, models with stiction stay. Load and parameters are those of the presliding test of Rogner
// 2017, figures 5.4 to 5.6, carried on.

#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/models/friction/dahl.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/models/friction/dai_stribeck.hpp>
#include <asperity/models/friction/elastoplastic.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double F_c = 0.2058, F_s = 0.3087, sigma_0 = 23.66, sigma_1 = 2.8034;
const stribeck_exponential<double> curve{.F_c = F_c, .F_s = F_s, .v_s = 1e-3};

// A peak just above F_c, then 100 swings between 0.04 and 0.14 N.
double push(double t) {
  if (t < 20) return 0.21 * t / 20;
  if (t < 30) return 0.21 - 0.12 * (t - 20) / 10;
  return 0.09 + 0.05 * std::sin(2 * pi * (t - 30) / 10);
}

// By how much the furthest point of a swing moves from the second one to the last.
template <class Model>
double drift(const Model& model) {
  const double h = 5e-3;
  const auto x = testing::pushed_mass(model, 1.0, push, 1000, h);
  const auto furthest = [&](double from, double to) {
    return *std::max_element(x.begin() + static_cast<long>(from / h),
                             x.begin() + static_cast<long>(to / h));
  };
  return furthest(990, 1000) - furthest(40, 50);
}

TEST(drift, LugreCreeps) {
  lugre<double> model{.sigma_0 = sigma_0, .sigma_1 = sigma_1};
  model.g = curve;
  EXPECT_GT(drift(model), 10 * F_c / sigma_0);
}

// ... and Dahl friction more.
TEST(drift, DahlCreepsMore) {
  lugre<double> bristles{.sigma_0 = sigma_0, .sigma_1 = sigma_1};
  bristles.g = curve;
  const dahl<double> model{.sigma_0 = sigma_0, .F_c = F_c, .i = 1};
  EXPECT_GT(drift(model), drift(bristles));
}

constexpr double nothing = 1e-6 * F_c / sigma_0;

TEST(drift, ElastoplasticStays) {
  elastoplastic<double> model{.sigma_0 = sigma_0, .sigma_1 = sigma_1, .z_ba = 0.0062};
  model.g = curve;
  EXPECT_LT(std::abs(drift(model)), nothing);
}

TEST(drift, DaiStays) {
  // The peak is above F_c, so that the body slides at first, as in the source.
  const dai<double> model{.K = sigma_0, .F = F_c, .beta = sigma_1 / sigma_0};
  EXPECT_LT(std::abs(drift(model)), nothing);
}

TEST(drift, DaiStribeckStays) {
  dai_stribeck<double> model{.kappa = sigma_0, .sigma = sigma_1};
  model.g = curve;
  EXPECT_LT(std::abs(drift(model)), nothing);
}

TEST(drift, DaiMultistateStays) {
  dai_multistate<double> model{};
  model.elements = 5;
  model.tau_d = 0.02;
  model.g = curve;
  for (int i = 0; i < 5; ++i) {
    model.kappa[i] = sigma_0 * 2 / (5 * (i + 0.5));
    model.sigma[i] = sigma_1 / 5;
    model.lambda[i] = 0.2;
  }
  EXPECT_LT(std::abs(drift(model)), nothing);
}

}  // namespace
}  // namespace asperity
