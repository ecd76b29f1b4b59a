// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/inclusion/choice.hpp>
#include <chrono>
#include <complex>
#include <numbers>

#include "tests/system_in_use.hpp"

namespace asperity {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_of(const regularised& system) {
  std::vector<std::string> names;
  for (const auto& t : system.terms) names.push_back(t.name);
  return names;
}

// Friction stated before the contact it hangs on: contacts are replaced first all the same.
TEST(inclusion, ContactsAreReplacedBeforeFriction) {
  inclusion s;
  const auto M = s.parameter("M", 1, units::kilogram), mu = s.parameter("mu", 0.3, units::one);
  const auto x = s.state("x", units::metre), z = s.state("z", units::metre);
  const auto v = s.state("v", units::metre / units::second);
  const auto w = s.state("w", units::metre / units::second);
  s.rate(x, v);
  s.rate(z, w);
  s.rate(v, -mu * dio(z) * sgn(v) / M);
  s.rate(w, dio(z) / M - 9.8);
  const regularised r = replace_terms(s);
  EXPECT_THAT(names_of(r), ElementsAre("dio_1", "sgn_1"));
  EXPECT_EQ(r.terms[1].text(), "mu*dio_1*sgn(v)");
  EXPECT_EQ(r.states, 6);  // one more for each
  EXPECT_EQ(to_text(r.rates[2]), "-sgn_1/M");
  EXPECT_EQ(r.terms[1].force_in, units::newton);
  EXPECT_EQ(r.terms[0].state_name(0), "e_dio_1");
}

TEST(inclusion, AppendsOneStatePerDioAndOnePerComponentOfSgn) {
  inclusion s;
  const auto x = s.state("x"), u = s.state("u"), v = s.state("v");
  const plane_vector F = s.define("F", 2.0 * sgn(plane_vector{u, v}));
  s.rate(x, u);
  s.rate(u, -F.x + dio(x));
  s.rate(v, -F.y);
  const regularised r = replace_terms(s);
  EXPECT_EQ(r.states, 3 + 1 + 2);
  EXPECT_EQ(r.terms[1].dimension(), 2);
  EXPECT_EQ(r.terms[1].state_name(1), "a_F_y");
}

TEST(inclusion, ATermThatOccursTwiceIsOneTerm) {
  inclusion s;
  const auto x = s.state("x"), y = s.state("y"), v = s.state("v"), w = s.state("w");
  s.rate(x, v);
  s.rate(y, w);
  s.rate(v, dio(x - y) - 3 * sgn(v - w));
  s.rate(w, -dio(x - y) + 3 * sgn(v - w));
  EXPECT_EQ(replace_terms(s).terms.size(), 2U);
}

TEST(inclusion, ConstantDivisorsAndSignsStayOutsideTheFactor) {
  inclusion s;
  const auto M = s.parameter("M", 4), F = s.parameter("F", 3);
  const auto x = s.state("x"), v = s.state("v");
  s.rate(x, v);
  s.rate(v, -2 * F * sgn(v) * (1 + x * x) / (M * (2 + x * x)));
  const regularised r = replace_terms(s);
  ASSERT_EQ(r.terms.size(), 1U);
  EXPECT_EQ(to_text(r.terms[0].factor), "2*F*(1 + x*x)/(2 + x*x)");
  EXPECT_EQ(to_text(r.rates[1]), "-sgn_1/M");
}

// Each definition uses the one before twice: 2^60 ways lead down to x. Shared branches are looked
// at once, whether they have names or not.
TEST(inclusion, SharedBranchesCostNothing) {
  for (const bool with_names : {true, false}) {
    inclusion s;
    const auto x = s.state("x", units::metre), v = s.state("v", units::metre / units::second);
    const auto F = s.parameter("F", 2, units::newton), M = s.parameter("M", 1, units::kilogram);
    const auto L = s.parameter("L", 1, units::metre);
    expression gap = x, factor = F * exp(-x / L), speed = v;
    for (int i = 0; i < 60; ++i) {
      const auto twice = [&](const char* name, const expression& e) {
        const expression mean = e / 2 + e / 2;
        return with_names ? s.define(name + std::to_string(i), mean) : mean;
      };
      gap = twice("gap_", gap);
      factor = twice("factor_", factor);
      speed = twice("speed_", speed);
    }
    s.energy("kinetic", M * speed * speed / 2);
    s.rate(x, v);
    s.rate(v, (dio(gap) - factor * sgn(speed)) / M);
    const auto start = std::chrono::steady_clock::now();
    const testing::inclusion_in_use system(s);
    std::vector<double> rate(static_cast<std::size_t>(system.equations().states));
    system.rates(0, system.initial().data(), rate.data());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << with_names;
    EXPECT_EQ(system.equations().terms.size(), 2U);
    EXPECT_NEAR(figures_of(system.equations())[1].load, 2, 1e-12);
  }
}

struct refusal_case {
  const char* what;
  std::function<void(inclusion&, expression x, expression v)> state;
  const char* message;
};

TEST(inclusion, RefusalsNameTheTerm) {
  const std::vector<refusal_case> cases{
      {"negative factor",
       [](inclusion& s, auto, auto v) { s.rate(v, -s.parameter("F", -2) * sgn(v)); },
       "its factor 'F' is -2"},
      {"sgn in a factor", [](inclusion& s, auto x, auto v) { s.rate(v, -(2 + sgn(x)) * sgn(v)); },
       "the factor '2 + sgn(x)' of 'sgn(v)' contains a sgn itself"},
      {"product of two", [](inclusion& s, auto x, auto v) { s.rate(v, -sgn(x) * sgn(v)); },
       "contains another sgn"},
      {"division", [](inclusion& s, auto x, auto v) { s.rate(v, x / sgn(v)); },
       "a division by sgn"},
      {"dio of dio", [](inclusion& s, auto x, auto v) { s.rate(v, dio(x + dio(v))); },
       "may not contain a sgn or dio"},
      {"sgn of dio", [](inclusion& s, auto x, auto v) { s.rate(v, -sgn(v + dio(x))); },
       "may not contain a sgn or dio"},
      {"no gap", [](inclusion& s, auto, auto v) { s.rate(v, dio(1.0)); },
       "does not depend on any state"},
      {"no rate", [](inclusion&, auto, auto) {}, "state 'v' has no rate"},
  };
  for (const auto& each : cases) {
    inclusion s;
    const auto x = s.state("x"), v = s.state("v");
    s.rate(x, v);
    each.state(s, x, v);
    try {
      replace_terms(s);
      FAIL() << each.what << " was not refused";
    } catch (const error& problem) {
      EXPECT_THAT(problem.what(), HasSubstr(each.message)) << each.what;
    }
  }
}

TEST(inclusion, ForwardPushingFrictionIsNamed) {
  inclusion s;
  const auto x = s.state("x"), v = s.state("v");
  s.rate(x, v);
  s.rate(v, s.define("friction", 2 * sgn(v)));  // the minus is missing
  try {
    regularise(s);
    FAIL();
  } catch (const error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("'friction', 2*sgn(v)"));
    EXPECT_THAT(problem.what(), HasSubstr("does not oppose its own velocity"));
  }
}

// Also where nothing of it is left to choose.
TEST(inclusion, ForwardPushingFrictionIsRefusedWithAnyConstants) {
  for (const double sign : {1.0, -1.0}) {
    inclusion s;
    const auto x = s.state("x"), v = s.state("v");
    s.rate(x, v);
    s.rate(v, sign * s.define("friction", 2 * sgn(v)));
    s.wishes["friction"].K = 1e4;
    s.wishes["friction"].beta = 1e-3;
    if (sign > 0) {
      EXPECT_THROW(regularise(s), error);
    } else {
      EXPECT_NO_THROW(regularise(s));
    }
  }
}

TEST(inclusion, UnitsOfRatesAreChecked) {
  inclusion s;
  const auto x = s.state("x", units::metre), v = s.state("v", units::metre / units::second);
  s.rate(x, v);
  s.rate(v, dio(x));
  try {
    replace_terms(s);
    FAIL();
  } catch (const error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("is a mass missing?"));
  }
}

TEST(inclusion, NamesAreChecked) {
  inclusion s;
  s.state("x");
  EXPECT_THROW(s.state("x"), error);
  EXPECT_THROW(s.parameter("sgn", 1), error);
  EXPECT_THROW(s.parameter("2m", 1), error);
  EXPECT_THROW(s.define("t", expression(1)), error);
}

// ---- choice of constants ------------------------------------------------------------------------

// A mass on the ground: load 9.8 N, mass 1 kg.
inclusion dropped(double restitution) {
  inclusion s;
  const auto z = s.state("z", units::metre, 1.0), w = s.state("w", units::metre / units::second);
  const auto m = s.parameter("m", 2, units::kilogram);
  s.rate(z, w);
  s.rate(w, s.define("N", dio(z)) / m -
                s.parameter("g", 9.8, units::metre / units::second / units::second));
  term_wish wish;
  wish.restitution = restitution;
  s.wish("N", wish);
  return s;
}

TEST(choice, RestitutionIsTheOneWished) {
  for (const double wanted : {0.05, 0.2, 0.5, 0.8, 0.95, 1.0}) {
    const contact_shape shape = shape_for_restitution(wanted);
    EXPECT_NEAR(restitution_of(shape.beta_omega, shape.ratio), wanted, 2e-3) << wanted;
    // And in the field: speeds before and after the first impact, gravity acting.
    const testing::inclusion_in_use system(dropped(wanted));
    std::vector<double> y = system.initial();
    const system_view view = system.view();
    double before = 0;
    const double h = 1e-6;
    for (int i = 0; i < 2'000'000 && y[1] <= 0; ++i) {
      before = std::min(before, y[1]);
      rk4_step(view, 0.0, h, y.data());
    }
    double after = 0;
    for (int i = 0; i < 50'000; ++i) {
      after = std::max(after, y[1]);
      rk4_step(view, 0.0, h, y.data());
    }
    EXPECT_NEAR(-after / before, wanted, 0.01) << wanted;
  }
}

TEST(choice, PenetrationUnderStaticLoadIsTheOneWished) {
  inclusion s = dropped(0.5);
  s.wishes["N"].deflection = 1e-4;
  const regularised r = regularise(s);
  EXPECT_DOUBLE_EQ(r.terms[0].K, 2 * 9.8 / 1e-4);
  EXPECT_DOUBLE_EQ(figures_of(r)[0].mass, 2);
  EXPECT_DOUBLE_EQ(figures_of(r)[0].deflection, 1e-4);
}

TEST(choice, AnExplicitStepLimitsTheStiffness) {
  const double h = 1e-3;
  const regularised r = regularise(dropped(0.5), h);
  EXPECT_LE(std::sqrt(r.terms[0].K / 2) * h, 0.5 * (1 + 1e-12));
  EXPECT_GT(stable_steps(r).rk4, 1.5 * h);
}

// The closed form beside the response at each frequency, by complex numbers: m v' = F - f,
// f = K (1 + beta s)/s v.
TEST(choice, TransmissionOfAStuckMassIsTheWorstUpToTheFrequency) {
  for (const double c : {0.3, 2.0, 10.0}) {
    double worst = 1;
    for (double w = 1e-3; w < 3; w *= 1.001) {
      const std::complex<double> s(0, w), spring = (1.0 + c * s) / s;
      worst = std::max(worst, std::abs(spring / (s + spring)));
      ASSERT_NEAR(transmission_of_stick(c, w), worst, 1e-5 * worst) << c << ", " << w;
    }
    EXPECT_GT(worst, 1) << c;  // no damping avoids it
  }
  EXPECT_NEAR(transmission_of_stick(2, 10), 2 / std::sqrt(3.0), 1e-12);
}

// 99 % of the limit at the crest of each swing, 100 rad/s: rigid friction never slips.
inclusion swinging() {
  inclusion s;
  const auto x = s.state("x", units::metre), v = s.state("v", units::metre / units::second);
  const auto M = s.parameter("M", 1, units::kilogram), F = s.parameter("F", 1, units::newton);
  constexpr double omega = 100;
  const auto push =
      s.input("push", signal::sines({{0.99 * 0.2, omega, 0.0}}, 0.99 * 0.8), units::newton);
  s.inputs[0].shortest_period = 2 * std::numbers::pi / omega;
  s.rate(x, v);
  s.rate(v, (push - s.define("friction", F * sgn(v))) / M);
  return s;
}

double largest_force_when_settled(const inclusion& source) {
  const testing::inclusion_in_use system(source);
  std::vector<double> y = system.initial(), next = y;
  const auto columns = system.outputs();
  std::vector<double> out(columns.size());
  std::size_t friction = 0;
  while (columns[friction].name != "friction") ++friction;
  const double h = 1e-5;
  double most = 0;
  for (int i = 1; i < 30'000; ++i) {
    system.solve_stage(i * h, h, y.data(), next.data());
    y = next;
    system.observe(i * h, y.data(), out.data());
    if (i > 10'000) most = std::max(most, std::abs(out[friction]));
  }
  return most;
}

TEST(choice, SwingingLoadsArePassedOnAsTheyAre) {
  const inclusion source = swinging();
  EXPECT_NEAR(largest_force_when_settled(source), 0.99, 0.99 * 0.2 * 1.5e-3);
  EXPECT_TRUE(warnings_of_transmission(regularise(source)).empty());
}

TEST(choice, SofterSpringsThatAmplifyALoadAreNamed) {
  inclusion source = swinging();
  term_wish wish;
  wish.K = 1e5;
  source.wish("friction", wish);
  EXPECT_GT(largest_force_when_settled(source), 0.999);  // of a limit of 1: it slips
  const auto warnings = warnings_of_transmission(regularise(source));
  ASSERT_EQ(warnings.size(), 1U);
  for (const char* part : {"'friction'", "100 rad/s", "1.076", "447 rad/s", "1e+07"})
    EXPECT_THAT(warnings[0], HasSubstr(part));
  // Also where an explicit step keeps K low, and not where nothing swings.
  EXPECT_EQ(warnings_of_transmission(regularise(swinging(), 2e-3)).size(), 1U);
  EXPECT_TRUE(warnings_of_transmission(regularise(dropped(0.5))).empty());
  const inclusion_system stated(source);
  run_setting setting;
  setting.method = find_method("trbdf2");
  EXPECT_EQ(stated.planned(setting)->doubts(setting).size(), 1U);
  setting.method = find_method("moreau_jean");
  setting.step = 1e-3;
  EXPECT_TRUE(stated.planned(setting)->doubts(setting).empty());
}

// A stuck mass is m v' = -K a - K beta v, a' = v. With beta = 2/omega its modes are both -omega:
// Runge-Kutta's limit is 2.7853/omega, Euler's 2/omega.
TEST(choice, StepLimitsOfAStuckMassAreTheClosedForms) {
  inclusion s;
  const auto x = s.state("x"), v = s.state("v");
  s.rate(x, v);
  s.rate(v, -s.define("friction", 3 * sgn(v)) / s.parameter("m", 0.5));
  const regularised r = regularise(s);
  const double omega = std::sqrt(r.terms[0].K / 0.5);
  EXPECT_NEAR(stable_steps(r).rk4 * omega, 2.785293563405282, 1e-5);
  EXPECT_NEAR(stable_steps(r).euler * omega, 2.0, 1e-5);
}

}  // namespace
}  // namespace asperity
