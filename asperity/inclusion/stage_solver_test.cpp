// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/integrate/stepper.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <random>

#include "tests/system_in_use.hpp"

namespace asperity {
namespace {

term_wish constants(double K, double beta, std::optional<double> alpha = {}) {
  term_wish wish;
  wish.K = K;
  wish.beta = beta;
  wish.alpha = alpha;
  return wish;
}

// Two bodies between walls on a floor, with everything coupled: friction limits hang on contact
// forces.
inclusion coupled() {
  inclusion s;
  const auto mu = s.parameter("mu", 0.5), m = s.parameter("m", 0.7);
  const auto x = s.state("x"), y = s.state("y"), p = s.state("p"), q = s.state("q");
  const auto u = s.state("u"), v = s.state("v"), a = s.state("a"), b = s.state("b");
  const auto N_1 = s.define("N_1", dio(x)), N_2 = s.define("N_2", dio(p - x));
  const auto N_3 = s.define("N_3", dio(q));
  const auto F_1 = s.define("F_1", mu * N_1 * sgn(v)), F_2 = s.define("F_2", mu * N_2 * sgn(v - b));
  const auto F_3 = s.define("F_3", mu * N_3 * sgn(a + 1));
  s.rate(x, u);
  s.rate(y, v);
  s.rate(p, a);
  s.rate(q, b);
  s.rate(u, (N_1 - N_2) / m);
  s.rate(v, (-F_1 - F_2 - 100 * y) / m);
  s.rate(a, -F_3 + N_2);
  s.rate(b, F_2 + N_3 - 9.8);
  for (const char* each : {"N_1", "N_2", "N_3"}) s.wish(each, constants(5e5, 2e-3, 1.6e-3));
  for (const char* each : {"F_1", "F_2", "F_3"}) s.wish(each, constants(5e5, 2e-3));
  return s;
}

// A pendulum on a cart with friction in the joint and on the rail: nonlinear, factors of the state.
inclusion nonlinear() {
  inclusion s;
  const auto x = s.state("x"), f = s.state("f"), v = s.state("v"), w = s.state("w");
  const auto rail = s.define("rail", (1 + 0.5 * exp(-abs(v) / 0.1)) * sgn(v));
  const auto joint = s.define("joint", 0.2 * sgn(w));
  const auto stop = s.define("stop", dio(0.3 - x));
  const auto pull = -rail - stop;
  const auto turn = (-9.8 * sin(f) - joint - cos(f) * pull) / (1 + sin(f) * sin(f));
  s.rate(x, v);
  s.rate(f, w);
  s.rate(v, pull - cos(f) * turn + w * w * sin(f));
  s.rate(w, turn);
  s.wish("stop", constants(1e5, 1e-2, 6e-3));
  return s;
}

// An implicit step must satisfy y = start + h rates(t, y), and the rates are those of the explicit
// program, which shares nothing with the solver but the two laws.
void expect_backward_euler(const inclusion& source, double size, double slack) {
  const testing::inclusion_in_use system(source);
  const std::size_t n = system.initial().size(), user = source.states.size();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(-1, 1);
  for (const double h : {1e-4, 1e-3, 1e-2, 0.1}) {
    for (int round = 0; round < 100; ++round) {
      std::vector<double> start(n), y(n), rate(n);
      for (std::size_t i = 0; i < n; ++i) start[i] = size * part(random);
      for (const auto& t : system.equations().terms)
        if (t.is_contact) {
          const auto e = static_cast<std::size_t>(t.first_state);
          start[e] = std::abs(start[e]) * 1e-3;
        } else {
          start[static_cast<std::size_t>(t.first_state)] *= 1e-5;
        }
      system.solve_stage(0.0, h, start.data(), y.data());
      ASSERT_TRUE(std::isfinite(y[0])) << system.complaint();
      system.rates(0.0, y.data(), rate.data());
      for (std::size_t i = 0; i < n; ++i) {
        // Deflections are micrometres and their rates come from differences of stiff springs.
        const double scale = std::abs(start[i]) + h * std::abs(rate[i]) + (i < user ? 1 : 1e-5);
        EXPECT_NEAR(y[i], start[i] + h * rate[i], slack * scale) << "h " << h << ", state " << i;
      }
    }
  }
}

TEST(stage_solver, SolvesTheBackwardEulerEquationOfCoupledContacts) {
  expect_backward_euler(coupled(), 0.1, 1e-8);
}
TEST(stage_solver, SolvesItWhereTheSystemIsNotLinear) {
  expect_backward_euler(nonlinear(), 0.5, 1e-7);
}

// A leaning rod whose friction presses it into the ground (Painleve): above mu = 1/2 a sliding step
// may have no solution or several. What is returned must satisfy the equation all the same; where
// nothing was found, the solver says so.
TEST(stage_solver, WhereFrictionFeedsItsOwnLoadTheAnswerIsRightOrRefused) {
  int solved = 0, refused = 0;
  for (const double mu : {0.3, 0.6, 2.0, 10.0}) {
    inclusion s;
    const auto x = s.state("x"), z = s.state("z"), v = s.state("v"), w = s.state("w");
    const auto N = s.define("N", dio(z));
    const auto F = s.define("F", s.parameter("mu", mu) * N * sgn(v));
    s.rate(x, v);
    s.rate(z, w);
    s.rate(v, -F + 0.5 * N);
    s.rate(w, N - 2 * F - 9.8);
    s.wish("N", constants(1e5, 2e-3, 1.5e-3));
    s.wish("F", constants(1e5, 2e-3));
    const testing::inclusion_in_use system(s);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> part(-1, 1);
    for (const double h : {1e-4, 1e-3, 1e-2})
      for (int round = 0; round < 100; ++round) {
        double start[6] = {0,
                           1e-3 * part(random),
                           2 * part(random),
                           part(random),
                           1e-4 * std::abs(part(random)),
                           1e-5 * part(random)};
        double y[6], rate[6];
        system.solve_stage(0, h, start, y);
        if (!std::isfinite(y[0])) {
          ++refused;
          EXPECT_FALSE(system.complaint().empty());
          continue;
        }
        ++solved;
        system.rates(0, y, rate);
        for (int i = 0; i < 6; ++i) {
          const double scale = std::abs(start[i]) + h * std::abs(rate[i]) + (i < 4 ? 1 : 1e-5);
          EXPECT_NEAR(y[i], start[i] + h * rate[i], 1e-7 * scale) << mu << " " << h << " " << i;
        }
      }
  }
  EXPECT_GT(solved, 600);
  RecordProperty("refused", refused);
}

// One term: the closed form of sliding_mass, which solves the same equation without any iteration.
TEST(stage_solver, OneTermIsTheClosedForm) {
  inclusion s;
  const auto m = s.parameter("m", 2), k = s.parameter("k", 30), c = s.parameter("c", 0.5);
  const auto x = s.state("x"), v = s.state("v");
  s.rate(x, v);
  s.rate(v, (3 - k * x - c * v - s.define("friction", 1.5 * sgn(v))) / m);
  s.wish("friction", constants(1e4, 1e-3));
  const testing::inclusion_in_use system(s);
  struct pushed : no_inputs<double> {
    static double force(double) { return 3; }
  };
  const sliding_mass<double, dai<double>, pushed> mass{{1e4, 1.5, 1e-3}, 2, 30, 0.5, {}};
  double y[3] = {0.02, 0.3, 1e-5}, z[3] = {0.02, 0.3, 1e-5};
  for (int i = 0; i < 2000; ++i) {
    double next[3];
    system.solve_stage(0, 1e-3, y, next);
    std::copy_n(next, 3, y);
    mass.solve_stage(0.0, 1e-3, z, next);
    std::copy_n(next, 3, z);
    ASSERT_NEAR(y[0], z[0], 1e-13);
    ASSERT_NEAR(y[1], z[1], 1e-13);
    ASSERT_NEAR(y[2], z[2], 1e-14);
  }
}

double error_at_end(const testing::inclusion_in_use& of, double h, int method,
                    const std::vector<double>& reference, double end) {
  std::vector<double> y = of.initial();
  const system_view system = of.view();
  const auto steps = std::lround(end / h);
  std::vector<double> rate(y.size());
  for (long i = 0; i < steps; ++i) {
    const double t = static_cast<double>(i) * h;
    if (method == 1) backward_euler_step(system, t, h, y.data(), rate.data());
    if (method == 2) sdirk2_step(system, t, h, y.data(), rate.data());
    if (method == 4) rk4_step(system, t, h, y.data());
  }
  double worst = 0;
  for (std::size_t i = 0; i < 4; ++i) worst = std::max(worst, std::abs(y[i] - reference[i]));
  return worst;
}

// Orders of the implicit steps, while the system slides and turns without hitting its stop,
// against Runge and Kutta's method at a step that resolves everything.
TEST(stage_solver, MethodsKeepTheirOrder) {
  inclusion source = nonlinear();
  source.states[1].initial = 1.0;
  source.states[2].initial = -1.0;
  source.wish("rail", constants(200, 0.05));
  source.wish("joint", constants(50, 0.05));
  const testing::inclusion_in_use used(source);
  std::vector<double> y = used.initial();
  const system_view system = used.view();
  const double end = 0.2;
  for (int i = 0; i < 200'000; ++i) rk4_step(system, i * 1e-6, 1e-6, y.data());
  const double be = error_at_end(used, 1e-3, 1, y, end) / error_at_end(used, 5e-4, 1, y, end);
  const double sd = error_at_end(used, 1e-3, 2, y, end) / error_at_end(used, 5e-4, 2, y, end);
  EXPECT_NEAR(std::log2(be), 1, 0.15);
  EXPECT_NEAR(std::log2(sd), 2, 0.3);
  EXPECT_LT(error_at_end(used, 1e-3, 4, y, end), 1e-6);
}

TEST(stage_solver, AFactorThatTurnsNegativeIsAnOutcome) {
  inclusion s;
  const auto x = s.state("x"), v = s.state("v", {}, 1.0);
  s.rate(x, v);
  s.rate(v, -s.define("friction", (1 - x) * sgn(v)));
  s.states[0].initial = 0.999;
  const testing::inclusion_in_use system(s);
  std::vector<double> y = system.initial(), next(y.size());
  system.solve_stage(0, 0.1, y.data(), next.data());
  EXPECT_TRUE(std::isnan(next[0]));
  EXPECT_NE(system.complaint().find("(1 - x)*sgn(v) became negative"), std::string::npos);
}

// ---- hard constraints ---------------------------------------------------------------------------

// Newton's law with restitution e: each flight is e times as long as the one before.
TEST(moreau_jean, ABouncingBallKeepsNewtonsLaw) {
  inclusion s;
  const auto z = s.state("z", {}, 1.0), w = s.state("w");
  s.rate(z, w);
  s.rate(w, s.define("N", dio(z)) - 9.8);
  term_wish wish;
  wish.restitution = 0.7;
  s.wish("N", wish);
  const testing::inclusion_in_use system(s);
  std::vector<double> y = system.initial();
  const double h = 1e-5;
  std::vector<double> rebounds;
  double before = y[1];
  for (int i = 0; i < 200'000; ++i) {
    before = y[1];
    system.own_step(i * h, h, y.data());
    EXPECT_GE(y[0], -1e-4);
    if (before < 0 && y[1] > 0) rebounds.push_back(y[1]);
  }
  ASSERT_GE(rebounds.size(), 4U);
  double speed = std::sqrt(2 * 9.8);
  for (std::size_t i = 0; i < 4; ++i) {
    speed *= 0.7;
    EXPECT_NEAR(rebounds[i], speed, 2e-3 * speed) << i;
  }
}

// A block thrown on a belt slows down by mu g and then rests on it exactly.
TEST(moreau_jean, ABlockOnABeltSticksExactly) {
  inclusion s;
  const auto x = s.state("x"), z = s.state("z"), v = s.state("v", {}, 2.0), w = s.state("w");
  const auto N = s.define("N", dio(z));
  s.rate(x, v);
  s.rate(z, w);
  s.rate(v, -s.define("friction", 0.25 * N * sgn(v - 0.5)));
  s.rate(w, N - 9.8);
  const testing::inclusion_in_use system(s);
  std::vector<double> y = system.initial();
  const double h = 1e-4, a = 0.25 * 9.8;
  for (int i = 0; i < 20'000; ++i) {
    system.own_step(i * h, h, y.data());
    const double t = (i + 1) * h;
    EXPECT_NEAR(y[2], std::max(0.5, 2.0 - a * t), 2 * a * h);
  }
  EXPECT_EQ(y[2], 0.5);
}

// What the regularisation changes shrinks with its deflection.
TEST(moreau_jean, TheRegularisedSystemTendsToTheHardOne) {
  const auto rest = [](double deflection) {
    inclusion s;
    const auto x = s.state("x"), z = s.state("z"), v = s.state("v", {}, 2.0), w = s.state("w");
    const auto N = s.define("N", dio(z));
    s.rate(x, v);
    s.rate(z, w);
    s.rate(v, -s.define("friction", 0.25 * N * sgn(v)));
    s.rate(w, N - 9.8);
    for (const char* each : {"N", "friction"}) {
      term_wish wish;
      wish.deflection = deflection;
      s.wish(each, wish);
    }
    // Begins in its own equilibrium: a start in the air would bounce.
    s.states[1].initial = -deflection;
    const testing::inclusion_in_use used(s);
    std::vector<double> y = used.initial(), rate(y.size());
    y[4] = deflection;
    const system_view system = used.view();
    for (int i = 0; i < 10'000; ++i)
      backward_euler_step(system, i * 1e-4, 1e-4, y.data(), rate.data());
    return y[0];
  };
  const double exact = 2.0 * 2.0 / (2 * 0.25 * 9.8);
  const double coarse = std::abs(rest(1e-3) - exact), fine = std::abs(rest(1e-5) - exact);
  EXPECT_LT(coarse, 2e-3);
  EXPECT_LT(fine, 2e-4);
}

}  // namespace
}  // namespace asperity
