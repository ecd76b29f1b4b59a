// SPDX-License-Identifier: Apache-2.0
// The inclusion, the models it contains, the claims of chapter 5, and the theorem of its page:
// where energy is created and where it cannot be.

#include <gtest/gtest.h>

#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/contact/dai_contact_nonlinear.hpp>
#include <asperity/models/contact/hunt_crossley.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

using contact = dai_contact_nonlinear<double>;
const contact paper{};  // the parameters of figure 5.2

double restitution(const contact& c, double speed) {
  return testing::impact_of(c, 1.0, speed, std::min(2e-5, 0.05 / c.gamma)).restitution;
}

// f/K = a + (1/gamma + beta) a_dot >= 0, a + a_dot/gamma - P >= 0, and one of them is 0.
TEST(dai_contact_nonlinear, ForceSolvesTheInclusion) {
  for (const double a : testing::lin_space(0, 0.02, 11))
    for (const double gap : testing::lin_space(-0.08, 0.08, 33)) {
      const auto [f, rate] = paper({{a}}, {gap, 0, 1});
      const double P = std::copysign(std::pow(std::abs(gap), paper.lambda), -gap);
      const double beta = paper.beta_1 + paper.beta_2 * a, size = a + std::abs(P);
      const double distance = a + rate[0] / paper.gamma - P;
      EXPECT_NEAR(f / paper.K, a + (1 / paper.gamma + beta) * rate[0], 1e-12 * size);
      EXPECT_GE(f, 0);
      EXPECT_GE(distance, -1e-14);
      EXPECT_NEAR(std::min(f / paper.K, distance), 0, 1e-12 * size);
    }
}

// lambda = 1 and beta_2 = 0 is the linear model of chapter 3.
TEST(dai_contact_nonlinear, ContainsTheLinearModel) {
  const contact c{.K = 1e5, .lambda = 1, .gamma = 250, .beta_1 = 6e-3, .beta_2 = 0};
  const dai_contact<double> linear{.K = c.K, .beta = 1 / c.gamma + c.beta_1, .alpha = 1 / c.gamma};
  for (const double e : {0.0, 2e-3, 5e-3})
    for (const double gap : testing::lin_space(-0.01, 0.01, 21)) {
      const auto expected = linear({{e}}, {gap, 0, 1}), got = c({{e}}, {gap, 0, 1});
      EXPECT_NEAR(got.f, expected.f, 1e-9);
      EXPECT_NEAR(got.rate[0], expected.rate[0], 1e-12);
      EXPECT_NEAR(c.stored_energy({{e}}, {gap, 0, 1}), linear.stored_energy({{e}}, {gap, 0, 1}),
                  1e-12);
    }
}

// Without damping it is Hertz's spring, whatever the state.
TEST(dai_contact_nonlinear, WithoutDampingItIsHertz) {
  const contact c{.beta_1 = 0, .beta_2 = 0};
  const hunt_crossley<double> hertz{.K = c.K, .lambda = c.lambda, .b = 0};
  for (const double gap : testing::lin_space(-0.01, 0.01, 21))
    EXPECT_NEAR(c({{1e-3}}, {gap, 0, 1}).f, hertz({}, {gap, 0, 1}).f, 1e-12);
}

// Figure 5.4: the residual indentation grows with beta_1.
TEST(dai_contact_nonlinear, ResidualGrowsWithBeta1) {
  double last = -1;
  for (const double beta_1 : {0.0, 1e-3, 2e-3, 3e-3}) {
    const auto hit = testing::impact_of(contact{.beta_1 = beta_1}, 1.0, 2.0, 2e-5);
    EXPECT_GT(hit.residual, last + 1e-4);
    last = hit.residual;
  }
}

// Figure 5.7: the rebound falls with the speed of impact, and hardly so without beta_2.
TEST(dai_contact_nonlinear, ReboundFallsWithSpeed) {
  const contact flat{.beta_2 = 0};
  EXPECT_LT(restitution(paper, 5.0), restitution(paper, 1.0) - 0.05);
  EXPECT_LT(restitution(flat, 1.0) - restitution(flat, 5.0),
            0.7 * (restitution(paper, 1.0) - restitution(paper, 5.0)));
}

// Erratum 15: for every beta_1 the loss vanishes with the speed, like v^((lambda-1)/(lambda+1)),
// here v^0.2: 32 times slower means half the loss.
TEST(dai_contact_nonlinear, LossVanishesWithSpeed) {
  const auto loss = [](double v) {
    return 1 - testing::impact_of(paper, 1.0, v, 2e-5).restitution;
  };
  EXPECT_NEAR(loss(1e-7) / loss(32e-7), 0.5, 0.03);
}

// At a fixed state the stored energy is a potential of the force, also where contact is lost; it is
// never negative, and nothing is stored in an untouched surface.
TEST(dai_contact_nonlinear, StoredEnergyIsAPotentialOfTheForce) {
  for (const auto& c : {paper, contact{.lambda = 1.2, .gamma = 20, .beta_1 = 1e-3, .beta_2 = 3}})
    for (const double a : {0.0, 1e-3, 1e-2})
      for (const double gap : testing::lin_space(-0.081, 0.02, 40)) {
        const auto energy = [&](double x) { return c.stored_energy({{a}}, {x, 0, 1}); };
        const double f = c({{a}}, {gap, 0, 1}).f, dx = 1e-7;
        EXPECT_NEAR((energy(gap - dx) - energy(gap + dx)) / (2 * dx), f, 1e-4 + 1e-5 * f);
        EXPECT_GE(energy(gap), -1e-15);
      }
  EXPECT_EQ(paper.stored_energy({{0.0}}, {0.1, 0, 1}), 0);
}

// Power taken less the rate of the stored energy, at a state.
double lost_power(const contact& c, double a, double gap) {
  const double a_dot = c({{a}}, {gap, 0, 1}).rate[0], da = 1e-6 * a;
  // At a fixed indentation no power is taken, and what moves is a.
  return -(c.stored_energy({{a + da}}, {gap, 0, 1}) - c.stored_energy({{a - da}}, {gap, 0, 1})) /
         (2 * da) * a_dot;
}

// Without beta_2 every state loses energy; with it, every state that unloads, and every state
// shallower than p^lambda = 2 beta_1/beta_2.
TEST(dai_contact_nonlinear, LosesEnergyWhereThePageSaysSo) {
  for (const double gamma : {1.0, 1e2, 1e4})
    for (const double beta_2 : {0.0, 0.1, 10.0}) {
      const contact c{.gamma = gamma, .beta_2 = beta_2};
      for (const double a : testing::log_space(1e-8, 1e-1, 30))
        for (const double p : testing::log_space(1e-5, 1.0, 30)) {
          const double P = std::pow(p, c.lambda);
          if (beta_2 > 0 && P > a && P > 2 * c.beta_1 / beta_2) continue;
          EXPECT_GE(lost_power(c, a, -p), -1e-6 * c.K * gamma * gamma * P * a)
              << "gamma " << gamma << " beta_2 " << beta_2 << " a " << a << " p " << p;
        }
    }
}

// Up to its passive speed an approach never creates energy, however deep it goes; somewhat above,
// it does.
TEST(dai_contact_nonlinear, SlowApproachCreatesNoEnergy) {
  for (const double lambda : {1.0, 1.5, 2.0})
    for (const double beta_2 : {0.1, 10.0}) {
      const contact c{.lambda = lambda, .gamma = 50, .beta_2 = beta_2};
      const auto worst = [&](double speed) {
        double least = 0;
        const auto approach = [&](double t) { return drive<double>{-speed * t, -speed, 1}; };
        vec<double, 1> a{};
        const double h = 1e-3 / c.gamma;
        for (int n = 1; n < 5000; ++n) {
          a = testing::runge_kutta_step(
              [&](double t, const auto& y) { return c(y, approach(t)).rate; }, (n - 1) * h, a, h);
          const double scale = c.stored_energy(a, approach(n * h)) * c.gamma;
          if (n > 20) least = std::min(least, lost_power(c, a[0], -speed * n * h) / scale);
        }
        return least;
      };
      EXPECT_GE(worst(c.passive_speed()), -1e-7);
      EXPECT_LT(worst(3 * c.passive_speed()), -1e-4);
    }
}

// Erratum 17: fast impacts on a surface that follows slowly come back faster than they came. The
// model says so itself.
TEST(dai_contact_nonlinear, SaysWhereItCreatesEnergy) {
  const contact active{.gamma = 10, .beta_1 = 1e-3, .beta_2 = 1};
  EXPECT_GT(restitution(active, 5.0), 1.001);
  EXPECT_EQ(active.valid().verdict, validity::doubtful);
  EXPECT_LT(restitution(active, active.passive_speed()), 1.0);
  EXPECT_EQ((contact{.beta_1 = 0}).valid().verdict, validity::doubtful);
  EXPECT_EQ((contact{.beta_1 = 0, .beta_2 = 0}).valid().verdict, validity::fine);
  EXPECT_EQ(paper.valid().verdict, validity::fine);
}

}  // namespace
}  // namespace asperity
