// SPDX-License-Identifier: Apache-2.0
// Impacts against closed forms, derived here on paper and computed without the model.

#include <gtest/gtest.h>

#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <complex>

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr auto by_force = impact_options::end::force, by_gap = impact_options::end::gap;

any_model model_with(const char* key, const std::vector<std::pair<const char*, double>>& values) {
  any_model model(find_model(key));
  for (const auto& [name, value] : values) model.set(name, value);
  return model;
}

// ---- Kelvin and Voigt: d = (v/w) exp(-zeta w_0 t) sin(w t) --------------------------------------

struct oscillator {
  double K, mass, zeta;
  double B() const { return 2 * zeta * std::sqrt(K * mass); }
  double w_0() const { return std::sqrt(K / mass); }
  double w() const { return w_0() * std::sqrt(std::abs(1 - zeta * zeta)); }
  // d_ddot = 0 at w t = 2 acos(zeta), beyond critical damping 2 acosh(zeta); there d_dot is -v
  // exp(-zeta w_0 t) again.
  double end_of_force() const {
    return zeta < 1 ? 2 * std::acos(zeta) / w() : 2 * std::acosh(zeta) / w();
  }
  double indentation(double v, double t) const {
    return v / w() * std::exp(-zeta * w_0() * t) *
           (zeta < 1 ? std::sin(w() * t) : std::sinh(w() * t));
  }
};

TEST(restitution, KelvinVoigtUntilTheForceReturns) {
  for (const char* key : {"kelvin_voigt", "kelvin_voigt_clamped"})
    for (const double zeta : {0.01, 0.3, 0.7, 0.95, 1.05, 3.0, 20.0, 200.0})
      for (const double v : {1e-6, 1e-3, 2.0, 100.0}) {
        const oscillator o{3e4, 0.4, zeta};
        const auto model = model_with(key, {{"K", o.K}, {"B", o.B()}});
        const impact got = find_impact(model, v, {.mass = o.mass});
        const double t = o.end_of_force(), d = o.indentation(v, t);
        SCOPED_TRACE(std::string(key) + " zeta " + std::to_string(zeta));
        EXPECT_EQ(got.how, impact::outcome::separated);
        EXPECT_NEAR(got.restitution, std::exp(-zeta * o.w_0() * t), 1e-9);
        EXPECT_NEAR(got.contact_time, t, 1e-8 * t);
        EXPECT_NEAR(got.residual, d, 1e-8 * d);
        // Deepest where d_dot = 0: tan(w t) = w/(zeta w_0).
        const double when =
            (zeta < 1 ? std::atan2(o.w(), zeta * o.w_0()) : std::atanh(o.w() / (zeta * o.w_0()))) /
            o.w();
        EXPECT_NEAR(got.time_to_deepest, when, 1e-8 * when);
        EXPECT_NEAR(got.deepest, o.indentation(v, when), 1e-9 * o.indentation(v, when));
        // From zeta = 1/2 on the force is highest at touchdown.
        if (zeta > 0.5) {
          EXPECT_EQ(got.time_to_peak, 0);
          EXPECT_NEAR(got.peak_force, o.B() * v, 1e-9 * o.B() * v);
        }
      }
}

// d^(3) = 0, that is w t = 3 acos(zeta) - pi ... found from d^(n)(t) ~ sin(w t - n acos-ish); here
// by the phase: d^(n) = v/w w_0^n exp(-zeta w_0 t) sin(w t + n phi), phi = pi - acos(zeta).
TEST(restitution, KelvinVoigtPeakOfTheForce) {
  for (const double zeta : {0.05, 0.2, 0.45}) {
    const oscillator o{2e5, 1.5, zeta};
    const auto model = model_with("kelvin_voigt", {{"K", o.K}, {"B", o.B()}});
    const impact got = find_impact(model, 0.7, {.mass = o.mass});
    const double phi = pi - std::acos(zeta);
    const double t = (3 * pi - 3 * phi - pi * std::floor((3 * pi - 3 * phi) / pi)) / o.w();
    EXPECT_NEAR(got.time_to_peak, t, 1e-7 * t) << zeta;
    // f = -m d_ddot
    const double f = -o.mass * 0.7 / o.w() * o.w_0() * o.w_0() * std::exp(-zeta * o.w_0() * t) *
                     std::sin(o.w() * t + 2 * phi);
    EXPECT_NEAR(got.peak_force, f, 1e-9 * f) << zeta;
  }
}

TEST(restitution, KelvinVoigtUntilTheGapReturns) {
  for (const double zeta : {0.01, 0.3, 0.7}) {
    const oscillator o{3e4, 0.4, zeta};
    const auto model = model_with("kelvin_voigt", {{"K", o.K}, {"B", o.B()}});
    const impact got = find_impact(model, 0.5, {.mass = o.mass, .ends_with = by_gap});
    EXPECT_NEAR(got.restitution, std::exp(-zeta * o.w_0() * pi / o.w()), 1e-9);
    EXPECT_NEAR(got.contact_time, pi / o.w(), 1e-8 * got.contact_time);
    EXPECT_NEAR(got.residual, o.indentation(0.5, o.end_of_force()), 1e-8 * got.deepest);
  }
}

// Beyond critical damping the gap never returns, and the tool says why; cut where it would pull,
// the same contact lets go and the body flies out of its dent.
TEST(restitution, OverdampedGapNeverReturns) {
  for (const double zeta : {1.05, 3.0}) {
    const oscillator o{3e4, 0.4, zeta};
    const impact pulled = find_impact(model_with("kelvin_voigt", {{"K", o.K}, {"B", o.B()}}), 0.5,
                                      {.mass = o.mass, .ends_with = by_gap});
    EXPECT_EQ(pulled.how, impact::outcome::no_separation);
    EXPECT_EQ(pulled.restitution, 0);
    EXPECT_TRUE(std::isnan(pulled.contact_time));  // contact does not end
    EXPECT_NEAR(pulled.residual, o.indentation(0.5, o.end_of_force()), 1e-8 * pulled.deepest);
    EXPECT_NE(pulled.why.find("overdamped"), std::string::npos);
    const impact let_go =
        find_impact(model_with("kelvin_voigt_clamped", {{"K", o.K}, {"B", o.B()}}), 0.5,
                    {.mass = o.mass, .ends_with = by_gap});
    const double t = o.end_of_force(), out = 0.5 * std::exp(-zeta * o.w_0() * t);
    EXPECT_NEAR(let_go.restitution, out / 0.5, 1e-9);
    EXPECT_NEAR(let_go.contact_time, t + o.indentation(0.5, t) / out, 1e-7 * let_go.contact_time);
  }
}

// ---- Hunt and Crossley: v/(1 + b v) dv = -(K/M) d^lambda dd -------------------------------------

// Integrated over the impact: b v - ln(1 + b v) is the same for v and -v_out. Halving finds v_out.
TEST(restitution, HuntCrossley) {
  for (const double lambda : {1.0, 1.5, 2.2})
    for (const double b : {0.01, 0.35, 4.0})
      for (const double v : {1e-3, 0.5, 5.0}) {
        const auto model = model_with("hunt_crossley", {{"K", 2e5}, {"lambda", lambda}, {"b", b}});
        const double before = b * v - std::log1p(b * v);
        double u = 0, most = 1;  // b v_out
        while (most - u > 1e-15 * u) {
          const double middle = (u + most) / 2;
          (-middle - std::log1p(-middle) < before ? u : most) = middle;
          if (middle == u && most - u <= 2e-16) break;
        }
        SCOPED_TRACE(lambda);
        for (const auto end : {by_force, by_gap}) {
          const impact got = find_impact(model, v, {.mass = 0.3, .ends_with = end});
          EXPECT_NEAR(got.restitution, u / (b * v), 1e-9 + 1e-20 / (b * b * v * v));
          EXPECT_NEAR(got.residual, 0, 1e-9 * got.deepest);
        }
        // Compression alone: the energy at the deepest point is what the same integral gives.
        const impact got = find_impact(model, v, {.mass = 0.3});
        const double integral = before / (b * b);
        EXPECT_NEAR(2e5 * std::pow(got.deepest, lambda + 1) / (lambda + 1), 0.3 * integral,
                    1e-8 * 0.3 * integral + 1e-20 / (b * b));
      }
}

// ---- Hertz --------------------------------------------------------------------------------------

// The time there and back is 2 d_max/v times the integral of (1 - s^(5/2))^(-1/2), a beta function.
TEST(restitution, HertzContactTime) {
  const auto model = model_with("hertz", {});
  const double E = 2.1e11 / (1 - 0.09) / 2, K = 4.0 / 3 * E * std::sqrt(0.005);
  const double factor = 2 / 2.5 * boost::math::beta(0.4, 0.5);
  EXPECT_NEAR(factor, 2.943, 5e-4);
  for (const double v : {1e-4, 0.1, 10.0}) {
    const double mass = 0.03, d = std::pow(1.25 * mass * v * v / K, 0.4);
    for (const auto end : {by_force, by_gap}) {
      const impact got = find_impact(model, v, {.mass = mass, .ends_with = end});
      EXPECT_NEAR(got.restitution, 1, 1e-9);
      EXPECT_NEAR(got.deepest, d, 1e-9 * d);
      EXPECT_NEAR(got.contact_time, factor * d / v, 1e-7 * got.contact_time);
      EXPECT_NEAR(got.peak_force, K * std::pow(d, 1.5), 1e-8 * got.peak_force);
      EXPECT_NEAR(got.time_to_peak, got.contact_time / 2, 1e-6 * got.contact_time);
      EXPECT_NEAR(got.time_to_deepest, got.contact_time / 2, 1e-7 * got.contact_time);
    }
  }
}

// ---- the linear DAI contact ---------------------------------------------------------------------

using complex = std::complex<double>;

// In contact d = e + alpha e_dot and f = K (e + beta e_dot), so that e is a sum of exponentials
// whose rates are the roots of M alpha s^3 + M s^2 + K beta s + K.
struct linear_dai {
  double K, beta, alpha, mass, v;
  complex s[3], c[3];

  linear_dai(double K_, double beta_, double alpha_, double mass_, double v_)
      : K(K_), beta(beta_), alpha(alpha_), mass(mass_), v(v_) {
    // Durand and Kerner's iteration on the scaled polynomial.
    const double size = std::cbrt(K / (mass * alpha));
    const auto p = [&](complex z) {
      const complex x = z * size;
      return (((mass * alpha * x + mass) * x + K * beta) * x + K) /
             (mass * alpha * size * size * size);
    };
    for (int i = 0; i < 3; ++i) s[i] = std::pow(complex(0.4, 0.9), i);
    for (int n = 0; n < 500; ++n)
      for (int i = 0; i < 3; ++i)
        s[i] -= p(s[i]) / ((s[i] - s[(i + 1) % 3]) * (s[i] - s[(i + 2) % 3]));
    for (complex& each : s) each *= size;
    // e(0) = 0, e_dot(0) = 0 since d = 0, and alpha e_ddot(0) = d_dot(0) = v.
    for (int i = 0; i < 3; ++i)
      c[i] = v / alpha / ((s[i] - s[(i + 1) % 3]) * (s[i] - s[(i + 2) % 3]));
  }
  double derivative(int n, double t) const {
    complex sum = 0;
    for (int i = 0; i < 3; ++i) sum += c[i] * std::pow(s[i], n) * std::exp(s[i] * t);
    return sum.real();
  }
  double d(double t) const { return derivative(0, t) + alpha * derivative(1, t); }
  double d_dot(double t) const { return derivative(1, t) + alpha * derivative(2, t); }
  double f(double t) const { return K * (derivative(0, t) + beta * derivative(1, t)); }
  // The first zero of g after `from`, looked for in small steps.
  template <class G>
  double zero(const G& g, double from) const {
    const double step = 1e-4 * std::sqrt(mass / K);
    double a = from;
    while (g(a + step) > 0) a += step;
    double b = a + step;
    for (int i = 0; i < 100; ++i) (g((a + b) / 2) > 0 ? a : b) = (a + b) / 2;
    return b;
  }
};

TEST(restitution, LinearDai) {
  for (const double alpha : {0.0099, 0.007, 0.004, 0.001, 0.0001})
    for (const double v : {1e-2, 4.4}) {
      const linear_dai exact(1e5, 0.01, alpha, 1.0, v);
      const auto model = model_with("dai_contact", {{"K", 1e5}, {"beta", 0.01}, {"alpha", alpha}});
      const impact got = find_impact(model, v, {.mass = 1});
      const double t = exact.zero([&](double at) { return exact.f(at); }, 1e-4);
      SCOPED_TRACE(alpha);
      EXPECT_NEAR(got.contact_time, t, 1e-8 * t);
      EXPECT_NEAR(got.restitution, -exact.d_dot(t) / v, 1e-8);
      EXPECT_NEAR(got.residual, exact.d(t), 1e-8 * got.deepest);
      const double deepest = exact.zero([&](double at) { return exact.d_dot(at); }, 0);
      EXPECT_NEAR(got.time_to_deepest, deepest, 1e-8 * t);
      EXPECT_NEAR(got.deepest, exact.d(deepest), 1e-9 * got.deepest);
      EXPECT_NEAR(got.peak_force, exact.f(got.time_to_peak), 1e-8 * got.peak_force);
      EXPECT_LE(exact.f(got.time_to_peak * 1.001), got.peak_force);
      EXPECT_LE(exact.f(got.time_to_peak * 0.999), got.peak_force);
      // By the gap: free flight out of the dent.
      const impact flown = find_impact(model, v, {.mass = 1, .ends_with = by_gap});
      EXPECT_NEAR(flown.restitution, got.restitution, 1e-9);
      EXPECT_NEAR(flown.contact_time, t - exact.d(t) / exact.d_dot(t), 1e-7 * t);
    }
}

// alpha = beta is a spring: half a period, nothing lost, no dent.
TEST(restitution, LinearDaiWithEqualTimesIsASpring) {
  const auto model = model_with("dai_contact", {{"K", 1e5}, {"beta", 0.01}, {"alpha", 0.01}});
  const impact got = find_impact(model, 2.0, {.mass = 1.0});
  EXPECT_NEAR(got.restitution, 1, 1e-9);
  EXPECT_NEAR(got.contact_time, pi / std::sqrt(1e5), 1e-7 * got.contact_time);
  EXPECT_NEAR(got.residual, 0, 1e-7 * got.deepest);
}

// ---- slow impacts: erratum 15 -------------------------------------------------------------------

// Slow against 1/gamma, f = K (P + beta_1 P_dot) to first order, with the elastic motion inserted:
// 1 - r = lambda B(lambda/(lambda + 1), 3/2) beta_1 v/d_max, d_max^(lambda+1) = (lambda+1) M v^2/(2
// K).
double slow_loss(double K, double lambda, double beta_1, double mass, double v) {
  const double d = std::pow((lambda + 1) * mass * v * v / (2 * K), 1 / (lambda + 1));
  return lambda * boost::math::beta(lambda / (lambda + 1), 1.5) * beta_1 * v / d;
}

// Over six decades of speed the loss is this law, which falls like v^((lambda-1)/(lambda+1)): for
// every beta_1 the restitution tends to 1.
TEST(restitution, SlowImpactsOnTheNonlinearDai) {
  for (const double lambda : {1.3, 1.5, 2.0})
    for (const double beta_1 : {1e-3, 3e-3}) {
      const auto model =
          model_with("dai_contact_nonlinear", {{"lambda", lambda}, {"beta_1", beta_1}});
      double last = 1;
      const double fastest = lambda < 2 ? 1e-6 : 1e-3;
      for (double v = fastest; v > 0.5e-6 * fastest; v /= lambda == 1.5 ? 10 : 1000) {
        const impact got = find_impact(model, v);
        ASSERT_EQ(got.how, impact::outcome::separated) << got.why;
        const double loss = 1 - got.restitution, first_order = slow_loss(1e4, lambda, beta_1, 1, v);
        // The next term is of second order in the loss.
        EXPECT_NEAR(loss / first_order, 1, first_order) << lambda << " " << v;
        EXPECT_LT(loss, last);
        last = loss;
      }
    }
}

// The same law for viscoelastic spheres, beta_1 = 2 D_n/(3 K_n).
TEST(restitution, SlowImpactsOnAzadAndFeatherstonesGround) {
  const auto model = model_with("azad_featherstone", {});
  for (double v = 1e-4; v > 1e-10; v /= 100) {
    const double loss = 1 - find_impact(model, v, {.mass = 0.154}).restitution;
    const double first_order = slow_loss(8.5e6, 1.5, 2 * 3.1e3 / (3 * 8.5e6), 0.154, v);
    EXPECT_NEAR(loss / first_order, 1, first_order) << v;
  }
}

// ---- what the tool says -------------------------------------------------------------------------

// A weight that presses: fast impacts bounce, slow ones come to rest at the static indentation.
TEST(restitution, SlowBallsStayOnTheGround) {
  const oscillator o{1e4, 1.0, 0.2};
  const auto model = model_with("kelvin_voigt_clamped", {{"K", o.K}, {"B", o.B()}});
  const impact fast = find_impact(model, 5, {.mass = 1, .force = -9.8});
  EXPECT_EQ(fast.how, impact::outcome::separated);
  EXPECT_GT(fast.restitution, 0.5);
  const impact slow = find_impact(model, 1e-3, {.mass = 1, .force = -9.8});
  EXPECT_EQ(slow.how, impact::outcome::no_separation);
  EXPECT_NE(slow.why.find("rest in contact"), std::string::npos);
  EXPECT_EQ(slow.restitution, 0);
}

// ---- under weight -------------------------------------------------------------------------------

// On an elastic surface weight changes nothing of the speed at which the gap returns, however slow:
// the lift-off of the slowest lasts 1e-4 of the contact.
TEST(restitution, WeightDoesNoWorkOverAnElasticImpact) {
  const std::vector<any_model> elastic{
      model_with("hertz", {}), model_with("hunt_crossley", {{"b", 0}, {"K", 1e10}}),
      model_with("kelvin_voigt_clamped", {{"B", 0}, {"K", 1e8}}),
      model_with("dai_contact", {{"K", 1e8}, {"beta", 0.01}, {"alpha", 0.01}})};
  for (const auto& model : elastic)
    for (const auto end : {by_force, by_gap})
      for (const double v : {1e-6, 1e-5, 1e-4, 1e-2, 1.0, 100.0}) {
        const impact got = find_impact(model, v, {.mass = 1, .force = -9.81, .ends_with = end});
        SCOPED_TRACE(model.key() + " at " + std::to_string(v));
        ASSERT_EQ(got.how, impact::outcome::separated) << got.why;
        EXPECT_NEAR(got.restitution, 1, v < 1e-5 ? 5e-7 : 1e-8);
        EXPECT_NEAR(got.time_to_deepest, got.contact_time / 2, 1e-7 * got.contact_time);
        EXPECT_GT(got.peak_force, 2 * 9.81);
      }
}

// A spring: d = g/w^2 (1 - cos(w t)) + v/w sin(w t) returns to 0 at w t = 2 (pi - atan(v w/g)).
TEST(restitution, SpringUnderWeight) {
  const double K = 1e6, mass = 0.5, g = 9.81, w = std::sqrt(K / mass);
  const auto model = model_with("kelvin_voigt", {{"K", K}, {"B", 0}});
  for (const double v : {1e-5, 1e-4, 1e-3, 0.1, 100.0}) {
    const impact got = find_impact(model, v, {.mass = mass, .force = -mass * g});
    const double t = 2 * (pi - std::atan(v * w / g)) / w;
    EXPECT_NEAR(got.contact_time, t, 1e-10 * t) << v;
    EXPECT_NEAR(got.deepest, g / (w * w) + std::hypot(g / (w * w), v / w), 1e-12 * got.deepest)
        << v;
  }
}

// So slow that speed is nothing, a mass on d^(3/2) sinks to d_0 with K d_0^(3/2) = 5/2 m g and is
// back after 4/3 B(1/3, 1/2) sqrt(d_0/(2 g)); earlier by 2 v/g, as if thrown upwards.
TEST(restitution, HertzContactTimeUnderWeight) {
  const double E = 2.1e11 / (1 - 0.09) / 2, K = 4.0 / 3 * E * std::sqrt(0.005), g = 9.81;
  const double d_0 = std::pow(2.5 * g / K, 2.0 / 3);
  const double longest = 4.0 / 3 * boost::math::beta(1.0 / 3, 0.5) * std::sqrt(d_0 / (2 * g));
  for (const double v : {1e-6, 1e-5}) {
    const impact got = find_impact(model_with("hertz", {}), v, {.mass = 1, .force = -g});
    const double share =
        v / std::sqrt(2 * g * d_0);  // of the fastest speed; the next term is its square
    EXPECT_NEAR(got.contact_time, longest - 2 * v / g, share * share * longest) << v;
    EXPECT_NEAR(got.deepest, d_0, share * share * d_0) << v;
  }
}

// Hunt and Crossley's damper, weak, takes 8/9 b m g d_0 sqrt(2 g d_0) from that motion: the
// integral of b K d^(3/2) d_dot^2. The mass leaves if it brought more than that, with what is left.
TEST(restitution, WeakDampingDecidesWhetherAMassLeavesUnderItsWeight) {
  const double K = 1e4, g = 9.81, d_0 = std::pow(2.5 * g / K, 2.0 / 3);
  for (const double v : {1e-4, 1e-3})
    for (const double share : {0.02, 0.5, 0.99, 1.01, 2.0, 1e3, 1e5}) {
      const double b = share * v * v / 2 / (8.0 / 9 * g * d_0 * std::sqrt(2 * g * d_0));
      const auto model = model_with("hunt_crossley", {{"K", K}, {"b", b}});
      for (const auto end : {by_force, by_gap}) {
        const impact got = find_impact(model, v, {.mass = 1, .force = -g, .ends_with = end});
        SCOPED_TRACE(std::to_string(v) + ", " + std::to_string(share));
        EXPECT_EQ(got.how, share < 1 ? impact::outcome::separated : impact::outcome::no_separation)
            << got.why;
        if (share < 1) {
          EXPECT_NEAR(got.restitution * got.restitution, 1 - share, 1e-4 * share);
        }
      }
    }
}

// z = d - F/K swings as exp(-zeta w_0 t), from z = -F/K and z_dot = v: d_dot = 0 first where
// tan(w t) = -v w/(w_0^2 F/K - zeta w_0 v).
TEST(restitution, SlowBallsComeToRestAndTheFirstSwingIsTheDeepest) {
  const double K = 1e5, F = 9.81, mass = 1;
  for (const char* key : {"kelvin_voigt", "kelvin_voigt_clamped"})
    for (const auto end : {by_force, by_gap})
      for (const double zeta : {0.05, 0.158, 0.7})
        for (const double v : {1e-9, 1e-6, 1e-4}) {
          const oscillator o{K, mass, zeta};
          const impact got = find_impact(model_with(key, {{"K", K}, {"B", o.B()}}), v,
                                         {.mass = mass, .force = -F, .ends_with = end});
          SCOPED_TRACE(std::string(key) + " zeta " + std::to_string(zeta));
          ASSERT_EQ(got.how, impact::outcome::no_separation) << got.why;
          EXPECT_EQ(got.restitution, 0);
          EXPECT_TRUE(std::isnan(got.contact_time));
          EXPECT_TRUE(std::isnan(got.residual));
          const double s = F / K, w = o.w();
          const double t =
              (pi - std::atan(v * w / (o.w_0() * o.w_0() * s - zeta * o.w_0() * v))) / w;
          const double z = std::exp(-zeta * o.w_0() * t) *
                           (-s * std::cos(w * t) + (v - zeta * o.w_0() * s) / w * std::sin(w * t));
          EXPECT_NEAR(got.time_to_deepest, t, 1e-9 * t);
          EXPECT_NEAR(got.deepest, s + z, 1e-11 * s);
        }
}

// Far beyond critical damping a mass sinks to its static indentation and never reaches it.
TEST(restitution, OverdampedBallsSinkForEver) {
  for (const double zeta : {2.0, 20.0, 100.0}) {
    const oscillator o{1e5, 1.0, zeta};
    const impact got = find_impact(model_with("kelvin_voigt", {{"K", o.K}, {"B", o.B()}}), 1e-6,
                                   {.mass = o.mass, .force = -9.81});
    ASSERT_EQ(got.how, impact::outcome::no_separation) << got.why;
    EXPECT_NEAR(got.deepest, 9.81 / o.K, 2e-9 * got.deepest) << zeta;
    EXPECT_TRUE(std::isnan(got.time_to_deepest)) << zeta;
  }
}

// At first the linear DAI is stiffer by beta/alpha; while the mass swings on that, it sinks to F/K.
TEST(restitution, ABallSinksOnAfterItsFirstSwingsOnAContactWithMemory) {
  const auto model = model_with("dai_contact", {{"K", 1e5}, {"beta", 0.5}, {"alpha", 0.05}});
  for (const auto end : {by_force, by_gap}) {
    const impact got = find_impact(model, 1e-6, {.mass = 1, .force = -9.81, .ends_with = end});
    ASSERT_EQ(got.how, impact::outcome::no_separation) << got.why;
    EXPECT_LT(got.time_to_deepest, 0.01);
    EXPECT_NEAR(got.deepest, 9.81 / 1e5, 1e-6 * got.deepest);
  }
}

// Every contact with losses keeps what falls on it slowly enough.
TEST(restitution, EveryDampedContactKeepsASlowBall) {
  for (const char* key : {"kelvin_voigt", "kelvin_voigt_clamped", "hunt_crossley", "dai_contact",
                          "dai_contact_nonlinear", "azad_featherstone"})
    for (const auto end : {by_force, by_gap})
      for (const double v : {1e-9, 1e-6, 1e-5, 1e-4, 1e-3}) {
        const impact got =
            find_impact(model_with(key, {}), v, {.mass = 1, .force = -9.81, .ends_with = end});
        EXPECT_EQ(got.how, impact::outcome::no_separation) << key << " " << v << " " << got.why;
        EXPECT_GT(got.deepest, 0) << key;
      }
}

// Where the speed is rounding beside that of the weight's work nobody can tell, and none is told.
TEST(restitution, SaysWhereTheSpeedIsLostBesideTheWeight) {
  for (const auto end : {by_force, by_gap})
    for (const double v : {1e-9, 1e-12}) {
      const impact got =
          find_impact(model_with("hertz", {}), v, {.mass = 1, .force = -9.81, .ends_with = end});
      EXPECT_EQ(got.how, impact::outcome::failed);
      EXPECT_NE(got.why.find("too small compared with"), std::string::npos) << got.why;
    }
}

// ---- invariances --------------------------------------------------------------------------------

// Under weight a linear contact knows zeta and v sqrt(K m)/F only, whatever the units are.
TEST(restitution, KelvinVoigtKnowsTwoNumbers) {
  for (const auto end : {by_force, by_gap})
    for (const double ratio : {1e-5, 0.3, 3.0, 100.0, 1e6}) {
      double first = -1;
      for (const double K : {1e-3, 1e5, 1e12})
        for (const double mass : {1e-6, 1.0, 1e4})
          for (const double F : {1e-6, 9.81}) {
            const oscillator o{K, mass, 0.2};
            const impact got = find_impact(model_with("kelvin_voigt", {{"K", K}, {"B", o.B()}}),
                                           ratio * F / std::sqrt(K * mass),
                                           {.mass = mass, .force = -F, .ends_with = end});
            ASSERT_NE(got.how, impact::outcome::failed) << got.why;
            if (first < 0) first = got.restitution;
            EXPECT_NEAR(got.restitution, first, 1e-9)
                << ratio << " " << K << " " << mass << " " << F;
          }
      EXPECT_EQ(first > 0, ratio > 1) << ratio;
    }
}

// Without weight Azad and Featherstone's ground knows D_n v/(K_n L) only, L^(5/2) = m v^2/K_n.
TEST(restitution, AzadAndFeatherstonesGroundKnowsOneNumber) {
  for (const double number : {0.01, 1.0, 30.0}) {
    impact first;
    for (const double v : {1e-6, 1e-3, 1.0, 100.0})
      for (const double mass : {1e-3, 10.0}) {
        const double K = 8.5e6, L = std::pow(mass * v * v / K, 0.4);
        const impact got =
            find_impact(model_with("azad_featherstone", {{"K_n", K}, {"D_n", number * K * L / v}}),
                        v, {.mass = mass});
        if (v == 1e-6 && mass == 1e-3) {
          first = got;
          first.contact_time *= v / L;
        }
        EXPECT_NEAR(got.restitution, first.restitution, 1e-10) << number << " " << v;
        EXPECT_NEAR(got.contact_time * v / L, first.contact_time, 1e-8 * first.contact_time)
            << number << " " << v;
      }
  }
}

// The same law by the classical Runge-Kutta method over s = sqrt(t), in which its root at touchdown
// is smooth. Contact ends at a speed of 1e-4 and less of that of impact, where K_n z = D_n u.
TEST(restitution, AzadAndFeatherstonesContactTimeWithStrongDamping) {
  const double K = 8.5e6, D = 3e5, mass = 0.01, v = 100;
  struct point {
    double z, u;  // indentation and its rate
  };
  const auto rate = [&](double s, point y) -> point {
    return {2 * s * y.u, -2 * s * std::sqrt(y.z) * (K * y.z + D * y.u) / mass};
  };
  const auto plus = [](point y, double h, point by) -> point {
    return {y.z + h * by.z, y.u + h * by.u};
  };
  const auto step = [&](double s, point y, double h) -> point {
    const point a = rate(s, y), b = rate(s + h / 2, plus(y, h / 2, a)),
                c = rate(s + h / 2, plus(y, h / 2, b)), d = rate(s + h, plus(y, h, c));
    return plus(y, h / 6, {a.z + 2 * (b.z + c.z) + d.z, a.u + 2 * (b.u + c.u) + d.u});
  };
  const double h = 1e-6;
  double s = 0;
  point y{0, v};
  for (point next = step(s, y, h); K * next.z + D * next.u > 0; next = step(s, y, h)) {
    y = next;
    s += h;
  }
  double before = 0, after = h;
  while (after - before > 1e-12 * h) {
    const double middle = (before + after) / 2;
    const point there = step(s, y, middle);
    (K * there.z + D * there.u > 0 ? before : after) = middle;
  }
  const double t = (s + after) * (s + after);
  const impact got =
      find_impact(model_with("azad_featherstone", {{"K_n", K}, {"D_n", D}}), v, {.mass = mass});
  EXPECT_LT(got.restitution, 1e-4);
  EXPECT_NEAR(got.contact_time, t, 1e-8 * t);
  EXPECT_NEAR(got.restitution, -step(s, y, after).u / v, 1e-12);
}

TEST(restitution, ARigidLawDoesNotSay) {
  const impact got = find_impact(model_with("rigid", {}), 1);
  EXPECT_EQ(got.how, impact::outcome::undetermined);
  EXPECT_TRUE(std::isnan(got.restitution));
  EXPECT_NE(got.why.find("does not say"), std::string::npos);
}

// Fixed steps converge to the same numbers with the order of the method.
TEST(restitution, FixedStepsConverge) {
  const auto model = model_with("dai_contact_nonlinear", {});
  const double exact = find_impact(model, 2).restitution;
  const auto error = [&](double h) {
    return std::abs(find_impact(model, 2, {.step = h}).restitution - exact);
  };
  EXPECT_LT(error(1e-3), 1e-2);
  EXPECT_LT(error(1e-5), 1e-7);
}

TEST(restitution, SweepsGoOverSpeedsAndParameters) {
  impact_sweep sweep{any_model(find_model("kelvin_voigt")), {0.5, 1, 2}, "B", {0, 10, 100}, {}};
  double last_share = 0;
  const auto rows = find_impacts(sweep, nullptr, [&](double share) { last_share = share; });
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(last_share, 1);
  EXPECT_EQ(rows[3].value, 10);
  EXPECT_EQ(rows[3].speed, 0.5);
  EXPECT_NEAR(rows[3].what.restitution, rows[5].what.restitution,
              1e-9);  // linear: speed is nothing
  EXPECT_GT(rows[0].what.restitution, rows[3].what.restitution);
  sweep.parameter = "mass";
  sweep.values = {1, 4};
  EXPECT_GT(find_impacts(sweep)[3].what.contact_time, find_impacts(sweep)[0].what.contact_time);
  std::atomic<bool> stop{true};
  EXPECT_TRUE(find_impacts(sweep, &stop).empty());
}

TEST(restitution, RefusesWhatMakesNoSense) {
  EXPECT_THROW(static_cast<void>(find_impact(any_model(find_model("dahl")), 1)), error);
  EXPECT_THROW(static_cast<void>(find_impact(model_with("hertz", {}), 0)), error);
  EXPECT_THROW(static_cast<void>(find_impact(model_with("hertz", {}), 1, {.mass = 0})), error);
  EXPECT_THROW(static_cast<void>(unit_of_parameter(model_with("hertz", {}), "K")), error);
}

}  // namespace
}  // namespace asperity
