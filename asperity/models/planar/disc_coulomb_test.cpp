// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/planar/detail/coupling.hpp>
#include <asperity/models/planar/disc_coulomb.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/scalar/pack.hpp>
#include <asperity/testing.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/ellint_2.hpp>

namespace asperity {
namespace {

using boost::math::quadrature::gauss_kronrod;
using real = long double;
constexpr real pi_l = 3.14159265358979323846264338327950288L;

// The disc of radius 1 moves with (eps, 0) and spins with 1. Direct integrals over it, in long
// double so that the cancellation of a distant centre of rotation does not count.
struct by_quadrature {
  real F, T;
};

// eps < 1: polar coordinates about the centre of rotation (0, eps), which lies inside. The
// direction there depends on the angle alone, so the radial integrals are r^2/2 and r^3/3 of the
// rim's distance.
by_quadrature inside(real eps) {
  // Written for r measured from the centre of rotation; the rim is at -eps sin + sqrt(1 - eps^2
  // cos^2).
  const auto rim = [eps](real phi) {
    return -eps * std::sin(phi) + std::sqrt(1 - eps * eps * std::cos(phi) * std::cos(phi));
  };
  // direction = (-sin phi, cos phi); force along x, torque about the centre of the disc.
  const auto force = [&](real phi) { return -std::sin(phi) * rim(phi) * rim(phi) / 2; };
  const auto torque = [&](real phi) {
    const real r = rim(phi);
    // (x, y) = (r cos, eps + r sin): x cos + y sin = r + eps sin.
    return r * r * r / 3 + eps * std::sin(phi) * r * r / 2;
  };
  // Far from eps = 1 the integrand is smooth and periodic; near it, it turns sharply at +-pi/2.
  real F = 0, T = 0;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const real a = quarter * pi_l / 2, b = a + pi_l / 2;
    F += gauss_kronrod<real, 61>::integrate(force, a, b, 15, 1e-16L);
    T += gauss_kronrod<real, 61>::integrate(torque, a, b, 15, 1e-16L);
  }
  return {F / pi_l, T / pi_l};
}

// eps > 1: about the centre of the disc; opposite points are added before they can cancel.
by_quadrature outside(real eps) {
  const auto mean = [&](auto&& at) {
    const auto ring = [&](real r) {
      const auto quarter = [&](real phi) { return at(r, phi); };
      return r * (gauss_kronrod<real, 61>::integrate(quarter, 0.0L, pi_l / 2, 6, 1e-14L));
    };
    return 4 / pi_l * gauss_kronrod<real, 61>::integrate(ring, 0.0L, 1.0L, 6, 1e-14L);
  };
  // At (x, y) the velocity is (eps - y, x), at (x, -y) it is (eps + y, x).
  const auto force = [eps](real r, real phi) {
    const real x = r * std::cos(phi), y = r * std::sin(phi);
    return ((eps - y) / std::hypot(eps - y, x) + (eps + y) / std::hypot(eps + y, x)) / 2;
  };
  // x v_y - y v_x = r^2 - eps y and r^2 + eps y, each over its speed; the two terms with eps y are
  // brought on one denominator.
  const auto torque = [eps](real r, real phi) {
    const real x = r * std::cos(phi), y = r * std::sin(phi);
    const real near = std::hypot(eps - y, x), far = std::hypot(eps + y, x);
    const real difference = -4 * eps * y / (near + far);  // near - far
    return (r * r * (1 / near + 1 / far) + eps * y * difference / (near * far)) / 2;
  };
  return {mean(force), mean(torque)};
}

TEST(disc_coulomb, AgreesWithDirectQuadratureFromOneMillionthToOneMillion) {
  std::vector<double> ratios = testing::log_space(1e-6, 1e6, 25);
  for (const double near : {0.9, 0.99, 0.999, 1.0 - 1e-9, 1.0 + 1e-3, 1.01, 1.1, 1.5})
    ratios.push_back(near);
  for (const double eps : ratios) {
    if (eps == 1) continue;
    const auto wanted = eps < 1 ? inside(eps) : outside(eps);
    EXPECT_NEAR(disc_force(eps) / static_cast<double>(wanted.F), 1, 1e-10) << eps;
    EXPECT_NEAR(disc_torque(eps) / static_cast<double>(wanted.T), 1, 1e-10) << eps;
  }
}

// Rogner 2017 (3.11) and (3.13), with the corrections of erratum 43, through another library's
// integrals.
TEST(disc_coulomb, IsTheCorrectedFormulaOfTheSource) {
  const double pi = static_cast<double>(pi_l);
  for (const double eps : testing::log_space(0.05, 20, 60)) {
    const double q = eps * eps, k = eps < 1 ? eps : 1 / eps;
    const double E = boost::math::ellint_2(k), K = boost::math::ellint_1(k);
    const double F = eps < 1 ? 4 / (3 * pi) * ((q + 1) * E + (q - 1) * K) / eps
                             : 4 / (3 * pi) * ((q + 1) * E - (q - 1) * K);
    const double T = eps < 1 ? 4 / (9 * pi) * ((4 - 2 * q) * E + (q - 1) * K)
                             : 4 * eps / (9 * pi) * ((4 - 2 * q) * E + (2 * q - 5 + 3 / q) * K);
    EXPECT_NEAR(disc_force(eps), F, 1e-12) << eps;
    EXPECT_NEAR(disc_torque(eps), T, 1e-10) << eps;
  }
}

TEST(disc_coulomb, HasTheKnownLimits) {
  EXPECT_EQ(disc_force(0.0), 0);
  EXPECT_NEAR(disc_torque(0.0), 2.0 / 3, 1e-15);
  EXPECT_NEAR(disc_force(unbounded), 1, 1e-15);
  EXPECT_EQ(disc_torque(unbounded), 0);
  EXPECT_NEAR(disc_force(1e-200) / 1e-200, 1, 1e-14);     // F = eps
  EXPECT_NEAR(disc_torque(1e200) * 1e200, 0.25, 1e-14);   // T = 1/(4 eps)
  EXPECT_NEAR((1 - disc_force(1e3)) * 1e6, 0.125, 1e-5);  // F = 1 - 1/(8 eps^2)
  const double pi = static_cast<double>(pi_l);
  EXPECT_NEAR(disc_force(1.0), 8 / (3 * pi), 1e-15);
  EXPECT_NEAR(disc_torque(1.0), 8 / (9 * pi), 1e-15);
}

// Value and slope are the same from both sides of eps = 1, where the branches meet; the curvature
// of both functions is logarithmic there. Neighbouring numbers show that nothing is lost on the
// way.
TEST(disc_coulomb, IsSmoothThroughOne) {
  for (const auto f : {disc_force<double>, disc_torque<double>}) {
    for (const double d : {1e-3, 1e-5, 1e-7}) {
      const double left = (f(1.0) - f(1 - d)) / d, right = (f(1 + d) - f(1.0)) / d;
      EXPECT_NEAR(left, right, 3 * d * std::log(1 / d) + 1e-8) << d;
    }
    EXPECT_NEAR(f(std::nextafter(1.0, 0.0)), f(1.0), 4e-15);
    EXPECT_NEAR(f(std::nextafter(1.0, 2.0)), f(1.0), 4e-15);
  }
}

TEST(disc_coulomb, ForceRisesAndTorqueFallsWithTheRatio) {
  double F = -1, T = 1;
  for (const double eps : testing::log_space(1e-4, 1e4, 2000)) {
    EXPECT_GT(disc_force(eps), F);
    EXPECT_LT(disc_torque(eps), T);
    F = disc_force(eps);
    T = disc_torque(eps);
  }
}

// F_c (F v + T R omega) is the friction power, a convex function of the twist, whose gradient is
// the wrench: its derivative across any motion is the wrench's component.
TEST(disc_coulomb, WrenchIsTheGradientOfTheFrictionPower) {
  const disc_coulomb<double> law{.F_c = 3, .R = 0.2};
  const auto power = [&](const twist<double>& t) { return dot(law(t), t); };
  for (const twist<double>& t : {twist<double>{{0.1, 0.05, 2}}, twist<double>{{-0.3, 0.2, 0.4}}}) {
    const auto f = law(t);
    for (int i = 0; i < 3; ++i) {
      auto ahead = t, back = t;
      ahead[i] += 1e-6;
      back[i] -= 1e-6;
      EXPECT_NEAR((power(ahead) - power(back)) / 2e-6, f[i], 1e-8);
    }
  }
}

TEST(disc_coulomb, PureSlidingAndPureSpinningAndRest) {
  const disc_coulomb<double> law{.F_c = 3, .R = 0.2};
  const auto sliding = law({{0.3, -0.4, 0}});
  EXPECT_NEAR(sliding[0], 1.8, 1e-14);
  EXPECT_NEAR(sliding[1], -2.4, 1e-14);
  EXPECT_EQ(sliding[2], 0);
  const auto spinning = law({{0, 0, -5}});
  EXPECT_EQ(spinning[0], 0);
  EXPECT_NEAR(spinning[2], -0.4, 1e-15);
  const auto rest = law({{0, 0, 0}});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rest[i], 0);
}

TEST(disc_coulomb, IsTheSameInPacksAndFloats) {
  for (const double eps : testing::log_space(1e-4, 1e4, 30)) {
    const auto packed = disc_shares_at<pack<double>>(pack<double>(eps), pack<double>(1.0));
    EXPECT_NEAR(packed.F[0], disc_force(eps), 1e-15);
    EXPECT_NEAR(packed.T[0] / disc_torque(eps), 1, 1e-14);
    EXPECT_NEAR(disc_force(static_cast<float>(eps)), disc_force(eps), 3e-7);
  }
}

// The limit surface of the coupling of the reduced laws, which has no iteration, against Boost's
// elliptic integrals where these do not cancel and against ours everywhere.
TEST(disc_coulomb, TheCouplingIsOnTheSameLimitSurface) {
  const disc_coupling<double> coupling{0.7};
  const auto shares = [&](double eps) {
    // w = (v, 0, rho omega) with R omega = 3/2 rho omega.
    const auto d = coupling.at({{eps, 0, 2.0 / 3.0}}).steady();
    return disc_shares<double>{d[0], d[2] / 1.5};
  };
  for (const double eps : testing::log_space(1e-6, 1e6, 4001)) {
    const auto [F, T] = shares(eps);
    ASSERT_NEAR(F / disc_force(eps), 1, 1.6e-10) << eps;
    ASSERT_NEAR(T / disc_torque(eps), 1, eps < 1 ? 6.2e-10 : 3.5e-10) << eps;
    if (eps > 1e-2 && eps < 1) {
      const double K = boost::math::ellint_1(eps), E = boost::math::ellint_2(eps), m = eps * eps;
      const double pi = static_cast<double>(pi_l);
      ASSERT_NEAR(F, 4 / (3 * pi) * ((m + 1) * E + (m - 1) * K) / eps, 1.6e-10);
      ASSERT_NEAR(T, 4 / (9 * pi) * ((4 - 2 * m) * E + (m - 1) * K), 6.2e-10);
    }
  }
  // Across eps = 1, where both have a singular derivative.
  for (const double gap : testing::log_space(1e-16, 1e-2, 200))
    for (const double eps : {1 - gap, 1 + gap}) {
      const auto [F, T] = shares(eps);
      ASSERT_NEAR(F / disc_force(eps), 1, 1.6e-10) << gap;
      ASSERT_NEAR(T / disc_torque(eps), 1, 6.2e-10) << gap;
    }
  // Nothing is lost of sliding alone, of spinning alone, and where the formulas meet.
  const double pi = static_cast<double>(pi_l);
  EXPECT_NEAR(coupling.at({{2, 0, 0}}).steady()[0], 1, 1e-15);
  EXPECT_NEAR(coupling.at({{0, 0, -3}}).steady()[2], -1, 1e-15);
  EXPECT_NEAR(shares(1).F, 8 / (3 * pi), 1e-15);
  EXPECT_NEAR(shares(1).T, 8 / (9 * pi), 1e-15);
}

// What bristles lose is the motion itself where they are on the limit surface.
TEST(disc_coulomb, TheCouplingLosesTheMotionInSteadySliding) {
  const disc_coupling<double> coupling{0.7};
  for (const vec<double, 3>& w : {vec<double, 3>{{0.3, -0.4, 0.2}},
                                  {{0.01, 0, -3}},
                                  {{2, 1, 0}},
                                  {{0, 0, 1.5}},
                                  {{1e-9, 0, 1}},
                                  {{1, 0, 1e-9}},
                                  {{0, 0, 0}}}) {
    const auto at = coupling.at(w);
    const auto d = at.steady();
    EXPECT_NEAR(at.size, norm(d), 1e-15);
    EXPECT_NEAR(at.power, at.length * dot(w, d), 1e-15 * at.power);
    const auto slip = bristle_slip<double>(at, w, d, dot(w, d), 1);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(slip[i], w[i], 1e-15 * norm(w));
  }
}

// still = sqrt(v^2 - r^2), where the disc slides faster than its rim turns, and moving = max(r - still, 0),
// with the rim's speed r = 3/2 |w_theta|: in whole numbers.
TEST(disc_coupling, CellsThatStandStillAndThoseThatMove) {
  const disc_coupling<double> coupling;
  const auto at = [&](double v, double r) {
    return coupling.at({{0.6 * v, -0.8 * v, -2 * r / 3}});
  };
  EXPECT_NEAR(at(5, 4).still, 3, 1e-14);
  EXPECT_NEAR(at(5, 4).moving, 1, 1e-14);
  EXPECT_NEAR(at(5, 3).still, 4, 1e-14);
  EXPECT_EQ(at(5, 3).moving, 0);
  EXPECT_EQ(at(3, 5).still, 0);
  EXPECT_NEAR(at(3, 5).moving, 5, 1e-14);
}

// The steady direction of the ellipsoid is of length 1, as its size says.
TEST(ellipsoid_coupling, SizeIsThatOfTheSteadyDirection) {
  const auto c = ellipsoid_coupling<double>{}.at({{0.3, -0.4, 1.2}});
  const auto d = c.steady();
  EXPECT_NEAR(dot(d, d), 1, 1e-14);
  EXPECT_NEAR(c.size, 1, 1e-14);
}

}  // namespace
}  // namespace asperity
