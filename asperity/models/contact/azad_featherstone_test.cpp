// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/contact/azad_featherstone.hpp>
#include <asperity/models/contact/hertz.hpp>
#include <asperity/testing.hpp>
#include <cmath>

namespace asperity {
namespace {

const azad_featherstone<double> cork{};  // a steel ball on cork

// The ground is made of spring-damper pairs, each from Xia (2.2) and (2.9): K_A and D_A fall with
// the root of the local indentation. Summed over the area they give the law, up to the factor of
// each integral: area 2 pi r, integral of (z - s)^(-1/2) ... is done here by quadrature.
TEST(azad_featherstone, IsTheSumOverTheArea) {
  const double z = 1e-3, z_dot = -0.2, r = 0.0165, alpha = 7.0;
  // D_A(s) = alpha s^(-1/2) over rings of equal area 2 pi r ds: 4 pi r alpha z^(1/2).
  double damping = 0;
  const int rings = 200000;
  for (int i = 0; i < rings; ++i) {
    const double u = (i + 0.5) / rings;  // s = z u^2 takes the singularity away
    damping += 2 * std::acos(-1.0) * r * alpha / std::sqrt(z * u * u) * 2 * z * u / rings;
  }
  const azad_featherstone<double> ground{.K_n = 1e6, .D_n = 4 * std::acos(-1.0) * r * alpha};
  const double elastic = ground({}, {-z, 0, 1}).f;
  EXPECT_NEAR(ground({}, {-z, -z_dot, 1}).f - elastic, damping * z_dot, 1e-6 * elastic);
}

// Without damping it is Hertz's ball on a plane.
TEST(azad_featherstone, WithoutDampingItIsHertz) {
  const hertz<double> ball{.r_2 = 1e9};
  const azad_featherstone<double> ground{.K_n = ball.stiffness(), .D_n = 0};
  for (const double x : testing::lin_space(-1e-4, 1e-4, 21))
    EXPECT_NEAR(ground({}, {x, 3, 1}).f, ball({}, {x, 3, 1}).f, 1e-6);
}

// Neither touchdown nor separation jumps, and tearing apart meets no resistance.
TEST(azad_featherstone, NeverPullsAndNeverJumps) {
  EXPECT_LT(cork({}, {-1e-14, -5, 1}).f, 1e-2);
  EXPECT_EQ(cork({}, {1e-14, -5, 1}).f, 0);
  const double z = 1e-4, fast = cork.K_n * z / cork.D_n;
  EXPECT_GT(cork({}, {-z, 0.99 * fast, 1}).f, 0);
  EXPECT_EQ(cork({}, {-z, 1.01 * fast, 1}).f, 0);
}

// Figures 2.5 and 2.6: the ball that falls from 0.1 m (its centre) is stopped by about 240 N, in a
// dent near 0.9 mm, not 0.1 mm (erratum 48).
TEST(azad_featherstone, BallOnCork) {
  const double speed = std::sqrt(2 * 9.81 * (0.1 - 0.0165));
  const auto hit = testing::impact_of(cork, 0.154, speed, 1e-7);
  EXPECT_NEAR(hit.deepest, 0.9e-3, 0.1e-3);
  EXPECT_NEAR(cork({}, {-hit.deepest, 0, 1}).f, 240, 30);
}

// Slow impacts. With lengths in L = (M v^2/K_n)^(2/5) and times in L/v the motion is
//
//   x'' + b x^(1/2) x' + x^(3/2) = 0,   x(0) = 0, x'(0) = 1,   b = (D_n/K_n) (K_n/M)^(2/5) v^(1/5)
//
// and the restitution depends on b alone. Its series begins 1 - c_1 b + (3/5) c_1^2 b^2 + (4/15)
// b^(5/2), derived as follows.
//   b: the work of the damper along the elastic motion, twice the integral of x^(1/2) x' over dx:
//      c_1 = (4/5) (5/4)^(3/5) B(3/5, 3/2).
//   b^2: if contact lasted until the gap returns, time could be turned round: an impact at the
//      speed r v with damping -b would return at v. There b belongs to the speed by its fifth root:
//      r(b) r(-b r(b)^(1/5)) = 1, whose second order says that the coefficient is (3/5) c_1^2.
//   b^(5/2): but contact ends where the force is lost, at x = b (at unit speed, to this order).
//      Until the gap returns the law would pull with b x^(1/2) - x^(3/2), from there on: that work,
//      (2/3 - 2/5) b^(5/2), is not done.
// The first and the second are those of Schwager and Poeschel 1998 and Ramirez et al. 1999; the
// third is the delayed recovery of Schwager and Poeschel 2008.
double c_1() { return 0.8 * std::pow(1.25, 0.6) * std::beta(0.6, 1.5); }
double series(double b) {
  return 1 - c_1() * b + 0.6 * c_1() * c_1() * b * b + 4.0 / 15 * std::pow(b, 2.5);
}

// The same motion in other variables: with x = s^2 and dt = 2 s d tau the equations are
// polynomials, s' = v, v' = -2 s^4 - 2 b s^2 v, and contact ends where s^2 + b v returns to 0.
double restitution_of_polynomials(double b) {
  struct state {
    double s, v;
  };
  const auto rate = [&](const state& y) {
    const double s_2 = y.s * y.s;
    return state{y.v, -2 * s_2 * (s_2 + b * y.v)};
  };
  const auto step = [&](const state& y, double h) {
    const auto at = [&](double share, const state& k) {
      return state{y.s + share * h * k.s, y.v + share * h * k.v};
    };
    const state k1 = rate(y), k2 = rate(at(0.5, k1)), k3 = rate(at(0.5, k2)), k4 = rate(at(1, k3));
    return state{y.s + h / 6 * (k1.s + 2 * (k2.s + k3.s) + k4.s),
                 y.v + h / 6 * (k1.v + 2 * (k2.v + k3.v) + k4.v)};
  };
  const double h = 1e-4;
  const auto is_over = [&](const state& y) { return y.v < 0 && y.s * y.s + b * y.v < 0; };
  state y{0, 1};
  while (!is_over(step(y, h))) y = step(y, h);
  double before = 0, after = h;
  while (after - before > 1e-18) {
    const double middle = 0.5 * (before + after);
    (is_over(step(y, middle)) ? after : before) = middle;
  }
  return -step(y, after).v;
}

TEST(azad_featherstone, SlowImpactsFollowTheSameMotionInOtherVariables) {
  const double mass = 0.154;
  for (const double v : {1e-6, 1e-4, 1e-2, 1.0}) {
    const double b = cork.D_n / cork.K_n * std::pow(cork.K_n / mass, 0.4) * std::pow(v, 0.2);
    const double lasts = 3 * std::pow(1.25 * mass * v * v / cork.K_n, 0.4) / v;
    EXPECT_NEAR(testing::impact_of(cork, mass, v, 1e-5 * lasts).restitution,
                restitution_of_polynomials(b), 1e-7)
        << b;
  }
}

// What the series leaves out is of third order.
TEST(azad_featherstone, SlowImpactsFollowTheSeries) {
  EXPECT_NEAR(c_1(), 1.15344, 1e-5);  // as published
  const auto rest = [](double b) { return std::abs(restitution_of_polynomials(b) - series(b)); };
  for (const double b : {0.04, 0.02, 0.01}) {
    EXPECT_LT(rest(b), b * b * b);
    EXPECT_NEAR(std::log2(rest(b) / rest(b / 2)), 3, 0.1) << b;
  }
}

// The force of a slow indentation is the slope of what is stored, and nothing is stored apart.
TEST(azad_featherstone, ForceIsTheSlopeOfTheEnergy) {
  const auto energy = [](double x) { return cork.stored_energy({}, {x, 0, 1}); };
  for (const double depth : {1e-4, 1e-3, 5e-3}) {
    const double f = cork({}, {-depth, 0, 1}).f, h = 1e-3 * depth;
    EXPECT_NEAR((energy(-depth - h) - energy(-depth + h)) / (2 * h), f, 1e-6 * f) << depth;
  }
  EXPECT_EQ(energy(0), 0);
  EXPECT_EQ(energy(1e-3), 0);
}

}  // namespace
}  // namespace asperity
