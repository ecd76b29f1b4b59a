// SPDX-License-Identifier: Apache-2.0
// What the sources say of models they classify, found by running them.

#include <gtest/gtest.h>

#include <asperity/analysis/resting.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/systems/two_bar_linkage.hpp>
#include <cmath>
#include <map>
#include <numbers>

namespace asperity {
namespace {

using memory = classification::memory;

io_system named(const char* key, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> warnings;
  return io_of(make_model(key, "", settings, warnings));
}

// A mass with a spring to the input and a dashpot to the wall, Drincic (1.3).
constexpr const char* linear_mass_text = R"(
system = { kind = "pulled_mass", mass = 1, damping = 2, stiffness = 1 }
hysteresis = { model = "duhem", E_p = 0, E_m = 0 }
anchor = 0.0
run = { duration = 1 }
integrator = { method = "dopri5" }
)";
io_system linear_mass() {
  return io_of(parse_toml(linear_mass_text, "linear"), "linear", "", "anchor", "x");
}

struct expected {
  const char* key;
  std::vector<std::string> settings;
  double amplitude;  // 0: its own
  double omega;
  bool hysteretic, rate_dependent;
  memory kind;
};

// Drincic 2012, Tables 1.1 and 1.2, sections 1.3 and 2.2; operators by construction.
const expected statements[] = {
    {"preisach", {}, 0.9, 10, true, false, memory::nonlocal},
    {"prandtl_ishlinskii", {}, 0, 10, true, false, memory::nonlocal},
    {"generalised_prandtl_ishlinskii", {}, 3, 10, true, false, memory::nonlocal},
    {"play", {}, 0, 10, true, false, memory::nonlocal},
    {"stop", {}, 0, 10, true, false, memory::nonlocal},
    {"maxwell_slip", {}, 1, 2, true, false, memory::nonlocal},
    {"coulomb", {}, 1, 10, true, false, memory::local},
    {"dahl", {"F_c=1.5", "sigma_0=7.5"}, 5, 2, true, false, memory::local},
    {"dahl", {"F_c=1.5", "sigma_0=7.5", "i=0"}, 5, 2, true, false, memory::local},
    {"dahl", {"F_c=1.5", "sigma_0=7.5", "i=0.5"}, 5, 2, true, false, memory::local},
    {"dahl", {"F_c=1.5", "sigma_0=7.5", "i=2"}, 5, 2, true, false, memory::local},
    {"lugre",
     {"sigma_0=1e4", "sigma_1=100", "sigma_2=0.6", "F_c=1", "F_s=1.5", "v_s=0.04"},
     5e-4,
     1e3,
     true,
     true,
     memory::local},
    {"duhem", {}, 1, 10, true, false, memory::local},
    {"bouc_wen", {}, 1, 10, true, false, memory::local},
    {"multiplay", {}, 1, 1, true, true, memory::nonlocal},
    {"nonlinear_feedback", {}, 1, 1, true, true, memory::nonlocal},
    // Backlash: f' = d(x - f), and a sine in the loop.
    {"nonlinear_feedback",
     {"a=0", "d=0", "e_1=-1", "e_0=1", "b_deadzone=1", "Delta=0.5", "b_cubic=0"},
     2,
     1,
     true,
     true,
     memory::nonlocal},
    {"nonlinear_feedback",
     {"a=-0.2", "e_1=2", "b_cubic=0", "b_sine=1"},
     2,
     1,
     true,
     true,
     memory::nonlocal},
};

decision said(bool it_is) { return it_is ? decision::yes : decision::no; }

TEST(classify, AgreesWithTheSources) {
  for (const auto& each : statements) {
    SCOPED_TRACE(each.key);
    const io_system system = named(each.key, each.settings);
    map_options options;
    options.amplitude = each.amplitude > 0 ? each.amplitude : system.amplitude;
    options.omega = each.omega;
    options.samples = 200;
    options.tolerance = 0.03;
    const classification found = classify(system, options);
    EXPECT_EQ(found.doubt, "");
    EXPECT_EQ(found.hysteretic, said(each.hysteretic)) << found.map.limit_width.value;
    EXPECT_EQ(found.rate_dependent, said(each.rate_dependent)) << found.rate_effect;
    EXPECT_STREQ(to_string(found.kind), to_string(each.kind))
        << (found.minors.empty() ? 0 : found.minors[0].apart);
    if (each.rate_dependent || each.kind != memory::nonlocal) continue;
    // Where memory is nonlocal without a rate, minor loops are congruent (but for the envelope).
    for (const auto& pair : found.minors) EXPECT_LT(pair.residual, 1e-9) << pair.amplitude;
  }
}

// The loop of the linear system shrinks with the frequency: it is not hysteretic.
TEST(classify, TheLinearSystemIsNotHysteretic) {
  map_options options;
  options.omega = 1;
  const classification found = classify(linear_mass(), options);
  EXPECT_TRUE(found.map.converged) << found.map.note;
  EXPECT_EQ(found.hysteretic, decision::no);
  EXPECT_EQ(found.rate_dependent, decision::yes);
  EXPECT_EQ(found.kind, memory::none);
  // x = G u, G = 1/(1 - w^2 + 2 i w): the area of the ellipse is pi times minus the imaginary part.
  for (const auto& loop : found.map.loops) {
    const double w = loop.omega, real = 1 - w * w, imaginary = 2 * w;
    const double exact = -std::numbers::pi * imaginary / (real * real + imaginary * imaginary);
    EXPECT_NEAR(loop.area, exact, 1e-3 * std::abs(exact));
  }
}

// What is hysteretic is never said not to be, however little of it an amplitude shows: the verdict is
// yes, or another amplitude is advised, with which it is yes. A Dahl spring that yields by the share s =
// sigma_0 A/F_c of its limit has a loop s/2 of its span wide, a play one of r/(A - r), a stop below r
// none. Whether it is pushed or pulled makes no difference.
TEST(classify, AnAmplitudeThatShowsNoLoopIsNoProof) {
  const auto judge = [](const io_system& system, double amplitude) {
    map_options options;
    options.amplitude = amplitude;
    options.samples = 200;
    return classify(system, options);
  };
  struct weak {
    io_system system;
    double amplitude, width;  // relative to the span
  };
  for (const auto& [system, amplitude, width] :
       {weak{named("dahl", {"sigma_0=1e-3"}), 1, 5e-4},
        weak{named("dahl", {"sigma_0=1e-6"}), 1, 5e-7},
        weak{named("dahl", {"F_c=1e4", "sigma_0=1"}), 1e-3, 5e-8}, weak{named("play"), 1e6, 1e-6},
        weak{named("play"), 0.5, 0}, weak{named("stop"), 1e-3, 0},
        weak{named("prandtl_ishlinskii"), 1e-6, 0}, weak{named("bouc_wen"), 1e-5, -1},
        weak{named("prandtl_ishlinskii", {"q=-0.5", "p=-0.1"}), 1e-6, 0},
        weak{named("duhem"), 1e-5, -1}, weak{named("dai"), 1e-9, 0},
        weak{named("lugre"), 1e-9, -1}}) {
    SCOPED_TRACE(system.name + " with " + std::to_string(amplitude));
    const classification found = judge(system, amplitude);
    EXPECT_NE(found.hysteretic, decision::no);
    if (width >= 0) {
      EXPECT_NEAR(found.map.limit_width.value, width, found.map.limit_width.error);
      EXPECT_GE(found.widest, width);
    }
    if (found.hysteretic == decision::yes) continue;
    EXPECT_EQ(found.kind, memory::undecided);
    const auto at = found.doubt.find("--amplitude ");
    ASSERT_NE(at, std::string::npos) << found.doubt;
    const classification again = judge(system, std::stod(found.doubt.substr(at + 12)));
    EXPECT_EQ(again.hysteretic, decision::yes) << found.doubt;
    EXPECT_EQ(again.doubt, "");
  }
}

// f' = u - f/100 - f^3 rests at one f for every u: however near to linear it is at small amplitudes,
// and however slow, it has no loop.
TEST(classify, ASlowSystemIsNotHystereticAtAnyAmplitude) {
  map_options options;
  options.omega = 1;
  const classification found =
      classify(named("nonlinear_feedback", {"a=-0.01", "b_cubic=-1"}), options);
  EXPECT_EQ(found.doubt, "");
  EXPECT_EQ(found.hysteretic, decision::no);
  EXPECT_EQ(found.rate_dependent, decision::yes);
  EXPECT_EQ(found.kind, memory::none);
}

// An interrupted search has no verdict.
TEST(classify, NothingIsSaidOfWhatWasNotSeen) {
  const std::atomic<bool> at_once{true};
  map_options options;
  options.interrupt = &at_once;
  const classification found = classify(named("play"), options);
  EXPECT_TRUE(found.map.interrupted);
  for (const decision each : {found.hysteretic, found.rate_dependent})
    EXPECT_STREQ(to_string(each), "not decided");
  EXPECT_STREQ(to_string(found.kind), "not decided");
}

// A continuous function of v does nothing if it is slow enough, however sharp it is: far above its
// threshold its loops are rectangles that seem to be a limit.
TEST(classify, AFunctionOfTheSpeedIsNotHysteretic) {
  const io_system moved = io_of(parse_toml(R"(
system = { kind = "prescribed_motion" }
friction = { model = "regularised_coulomb", V = "1 mm/s" }
motion = { kind = "sine", amplitude = 1, omega = 1, of = "position" }
run = { duration = 1 }
)",
                                           "moved"),
                                "moved", "", "motion", "f");
  for (const auto& system : {named("regularised_coulomb"), named("regularised_coulomb", {"V=0.1"}),
                             named("regularised_coulomb", {"V=1e-5"}), named("smoothed_rational"),
                             named("smoothed_rational", {"V=0.01", "epsilon=1e-4"}), moved})
    for (const double omega : {100.0, 10.0, 1e-3}) {
      SCOPED_TRACE(system.name + " from " + std::to_string(omega));
      map_options options;
      options.omega = omega;
      options.samples = 200;
      options.loops = 30;
      const classification found = classify(system, options);
      EXPECT_TRUE(found.map.converged) << found.map.note;
      EXPECT_TRUE(found.map.vanishes);
      EXPECT_EQ(found.hysteretic, decision::no);
      EXPECT_EQ(found.rate_dependent, decision::yes);
      EXPECT_EQ(found.kind, memory::none);
    }
}

// Far above v_s the curve is flat, too, but its limit jumps from -F_s to F_s: 4 A F_s.
TEST(classify, TheLimitOfAStribeckCurveIsItsStaticForce) {
  for (const double omega : {10.0, 1e-3}) {
    map_options options;
    options.omega = omega;
    const classification found =
        classify(named("stribeck_exponential", {"F_c=1", "F_s=1.5", "v_s=1e-3"}), options);
    EXPECT_TRUE(found.map.converged) << found.map.note;
    EXPECT_EQ(found.hysteretic, decision::yes);
    EXPECT_EQ(found.rate_dependent, decision::yes);
    EXPECT_EQ(found.kind, memory::local);  // it has no state
    EXPECT_NEAR(found.map.limit_area.value, 4 * 1.5, found.map.limit_area.error);
    EXPECT_LT(found.map.limit_area.error, 0.02 * 4 * 1.5);
  }
}

io_system linkage(const std::string& more = "") {
  return io_of(parse_toml("system = { kind = 'two_bar_linkage'" + more +
                              " }\nforce = 0\nrun = { duration = 1 }\n"
                              "integrator = { method = 'dopri5', relative_tolerance = 1e-8 }\n",
                          "text"),
               "linkage", "", "force", "y");
}

// The real zero of f^3 - f = u that is farthest from 0 on the side given.
double outer_zero(double u, double side) {
  double f = side * (1.5 + std::abs(u));
  for (int i = 0; i < 100; ++i) f -= (f * f * f - f - u) / (3 * f * f - 1);
  return f;
}

// Twice the integral of y over F on the upper branch of the linkage, from where it lands to its fold
// at cos^3 = cos theta_0, by Simpson's rule in theta.
double area_of_linkage(double k, double l, double theta_0) {
  two_bar_linkage known;
  known.k = k;
  known.l = l;
  known.theta_0 = theta_0;
  const double fold = std::acos(std::cbrt(std::cos(theta_0)));
  const double jump = known.holding_force(fold);  // below 0: the sign of the force is downwards
  double low = theta_0, high = 1.57;
  for (int i = 0; i < 200; ++i) {
    const double half = (low + high) / 2;
    (std::abs(known.holding_force(half)) < std::abs(jump) ? low : high) = half;
  }
  const int n = 20000;
  const double h = (low - fold) / n;
  double sum = 0;
  for (int i = 0; i <= n; ++i) {
    const double theta = fold + i * h, e = 1e-6;
    const double slope =
        (known.holding_force(theta + e) - known.holding_force(theta - e)) / (2 * e);
    sum += (i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2) * l * std::sin(theta) * slope;
  }
  return 2 * std::abs(sum * h / 3);
}

// Every limit lies within the error that is stated with it, whatever amplitude, offset and frequency
// it was found with; and the error is small. Across jumps, too: of the cubic a f + d x - b f^3 they
// enclose 1.5 a^2/(b d).
TEST(limiting_map, EveryLimitLiesWithinItsError) {
  struct known_map {
    io_system system;
    double amplitude, offset, omega, area, width;  // below 0: not known
  };
  const double A = 2, s = 7.5, F = 1.5, top = F * std::tanh(s * A / F);
  const double dahl = 2 * (2 * A * F - (F + top) * F / s * (1 - std::exp(-2 * s * A / F)));
  const auto cubic = named("nonlinear_feedback");
  const auto span = [](double low, double high) {
    return outer_zero(high, 1) - outer_zero(low, -1);
  };
  const known_map all[] = {
      {cubic, 1, 0, 1, -1.5, 2 / span(-1, 1)},
      {cubic, 0.7, 0.1, 1, -1.5, 2 / span(-0.6, 0.8)},
      {cubic, 3, -1, 0.3, -1.5, 2 / span(-4, 2)},
      {cubic, 0.45, 0, 2, -1.5, 2 / span(-0.45, 0.45)},
      {named("nonlinear_feedback", {"a=2", "d=0.5", "b_cubic=-3"}), 4, 0.5, 1, -1.5 * 4 / (3 * 0.5),
       -1},
      {linkage(), 1, 0, 1, area_of_linkage(1, 1, std::numbers::pi / 4), -1},
      {linkage(), 0.6, 0.1, 0.05, area_of_linkage(1, 1, std::numbers::pi / 4), -1},
      {linkage(", stiffness = 3, angle = 1"), 6, 0, 1, area_of_linkage(3, 1, 1), -1},
      {named("coulomb", {"F_c=1.5"}), 2, 0.3, 10, 4 * 2 * 1.5, 1},
      {named("play", {"r=0.7"}), 2, 0.3, 10, -4 * 0.7 * 1.3, 1.4 / 2.6},
      {named("stop", {"r=0.7"}), 2, 0.3, 10, 4 * 0.7 * 1.3, 1},
      {named("dahl", {"F_c=1.5", "sigma_0=7.5"}), A, 0.1, 2, dahl, -1},
      {linear_mass(), 1, 0, 1, 0, 0},
  };
  for (const auto& each : all) {
    SCOPED_TRACE(each.system.name + " with " + std::to_string(each.amplitude) + " about " +
                 std::to_string(each.offset));
    map_options options;
    options.amplitude = each.amplitude;
    options.offset = each.offset;
    options.omega = each.omega;
    const hysteresis_map map = limiting_map(each.system, options);
    EXPECT_TRUE(map.converged) << map.note;
    EXPECT_NEAR(map.limit_area.value, each.area, map.limit_area.error);
    const auto [low, high] =
        std::minmax_element(map.loops.back().y.begin(), map.loops.back().y.end());
    EXPECT_LT(map.limit_area.error, 0.011 * 2 * each.amplitude * (*high - *low));
    if (each.width >= 0) {
      EXPECT_NEAR(map.limit_width.value, each.width, map.limit_width.error);
      EXPECT_LT(map.limit_width.error, 0.02);
    }
  }
}

// The last loop of the cubic is no farther from the map that jumps at 2/(3 sqrt(3)) than is said.
TEST(limiting_map, TheLastLoopIsAsNearToTheLimitAsItSays) {
  map_options options;
  options.omega = 1;
  const hysteresis_map map = limiting_map(named("nonlinear_feedback"), options);
  ASSERT_TRUE(map.converged) << map.note;
  periodic_loop exact;
  const double jump = 2 / (3 * std::sqrt(3.0));
  for (const double side : {-1.0, 1.0})  // up along the lower branch, then down along the upper one
    for (int i = 0; i <= 40000; ++i) {
      const double u = -side * (i / 20000.0 - 1);
      exact.line_u.push_back(u);
      exact.line_y.push_back(outer_zero(u, -side * u > jump ? -side : side));
    }
  EXPECT_LE(distance_between(map.loops.back(), exact), map.error);
  EXPECT_LE(map.error, 0.01);
}

TEST(limit_of, TheErrorHoldsForSequencesOfTwoRatios) {
  for (const double first : {0.3, 0.46, 0.68})
    for (const double second : {0.1, 0.2, 0.3, -0.2})
      for (const double weight : {-1.0, 0.2, 3.0}) {
        std::vector<double> terms;
        for (int k = 0; k < 9; ++k) {
          terms.push_back(2 + std::pow(first, k) + weight * std::pow(second, k));
          const limit_value found = limit_of(terms, std::vector<double>(terms.size(), 0));
          if (k > 4) {
            EXPECT_LE(std::abs(found.value - 2), found.error + 1e-12) << first << " " << second;
          }
        }
      }
  EXPECT_EQ(limit_of({1, 2, 4, 8}, {0, 0, 0, 0}).error, unbounded);
  EXPECT_EQ(limit_of({1, 2}, {0, 0}).error, unbounded);
  EXPECT_GE(limit_of({3, 3, 3}, {0.1, 0.1, 0.1}).error, 0.1);
}

// An honest answer where the frequencies given do not suffice.
TEST(limiting_map, SaysWhenItDidNotConverge) {
  map_options options;
  options.omega = 1;
  options.loops = 3;
  options.tolerance = 1e-3;
  const hysteresis_map map = limiting_map(named("nonlinear_feedback"), options);
  EXPECT_FALSE(map.converged);
  EXPECT_NE(map.note.find("still changed"), std::string::npos) << map.note;
}

// Nor where loops are equal, but all faster than the model's own speed.
TEST(limiting_map, EqualLoopsAboveTheModelsSpeedAreNoLimit) {
  map_options options;
  options.loops = 3;
  const hysteresis_map map = limiting_map(named("regularised_coulomb"), options);
  EXPECT_FALSE(map.converged);
  EXPECT_NE(map.note.find("down to 0.0001 rad/s, a tenth of V = 0.001 m/s"), std::string::npos)
      << map.note;
}

// Steady state is detected: a system that needs many periods gets them.
TEST(loop_at, WaitsForTheSteadyState) {
  map_options options;
  options.amplitude = 0.05;
  const auto system = named("duhem", {"E_p=1.3", "E_m=0.7"});
  const periodic_loop loop = loop_at(system, 1, options);
  EXPECT_TRUE(loop.steady);
  EXPECT_GT(loop.periods, 12);  // exp(-0.2) a period
  // On the way from -a to a the loop obeys f' = E_p - f, and back f' = f + E_m: the top is where
  // both branches meet.
  const double a = 0.05, e = std::exp(-2 * a);
  const double low = (1.3 * e * (1 - e) - 0.7 * (1 - e)) / (1 - e * e),
               high = 1.3 + (low - 1.3) * e;
  const auto [least, most] = std::minmax_element(loop.y.begin(), loop.y.end());
  EXPECT_NEAR(*least, low, 1e-4);
  EXPECT_NEAR(*most, high, 1e-4);
  options.most_periods = 4;
  EXPECT_FALSE(loop_at(system, 1, options).steady);
}

// Drincic 2012, Fig. 1.3: three equilibria of the cubic inside the jumps, one outside; the middle
// one is unstable.
TEST(find_resting, TheCubicHasThreeBetweenItsJumps) {
  const auto cubic = named("nonlinear_feedback");
  map_options slow;
  slow.amplitude = 1;
  const resting_map found =
      find_resting(cubic, loop_at(cubic, 0.01, slow), {.low = -1, .high = 1, .points = 201});
  EXPECT_EQ(found.failure, "");
  int inside = 0, outside = 0, unstable = 0;
  for (const auto& p : found.places) {
    EXPECT_EQ(p.y_low, p.y_high);
    EXPECT_NEAR(-std::pow(p.y_low, 3) + p.y_low + p.u, 0, 1e-9);
    EXPECT_EQ(p.stable, std::abs(p.y_low) > 1 / std::sqrt(3.0)) << p.u;
    const double jump = 2 / (3 * std::sqrt(3.0));
    (std::abs(p.u) < jump ? inside : outside) += 1;
    unstable += p.stable ? 0 : 1;
  }
  EXPECT_EQ(inside, 3 * 77);  // |u| <= 0.38 in steps of 0.01
  EXPECT_EQ(outside, 201 - 77);
  EXPECT_EQ(unstable, 77);
}

// Where they lie does not depend on the loop that the search starts from: Cardano's three.
TEST(find_resting, FindsWhatIsFarFromTheLoop) {
  const auto cubic = named("nonlinear_feedback");
  for (const auto& [amplitude, offset] :
       std::vector<std::pair<double, double>>{{0.2, 0.2}, {1e-3, 0.3}, {0.05, -0.3}, {1e-6, 0}}) {
    map_options slow;
    slow.amplitude = amplitude;
    slow.offset = offset;
    const double low = offset - amplitude, high = offset + amplitude;
    const resting_map found =
        find_resting(cubic, loop_at(cubic, 0.1, slow), {.low = low, .high = high, .points = 5});
    std::map<double, std::vector<resting_place>> at;
    for (const auto& p : found.places) at[p.u].push_back(p);
    ASSERT_EQ(at.size(), 5U);
    for (const auto& [u, places] : at) {
      std::vector<double> exact;
      const double r = 1 / std::sqrt(3.0), share = u / (2 * r * r * r);
      if (std::abs(share) < 1) {
        for (const int k : {1, 2, 0})
          exact.push_back(2 * r * std::cos(std::acos(share) / 3 - 2 * std::numbers::pi * k / 3));
        std::sort(exact.begin(), exact.end());
      } else {
        exact.push_back(outer_zero(u, u));
      }
      ASSERT_EQ(places.size(), exact.size()) << u;
      for (std::size_t i = 0; i < exact.size(); ++i) {
        EXPECT_NEAR(places[i].y_low, exact[i], 1e-9) << u;
        EXPECT_EQ(places[i].stable, std::abs(exact[i]) > r) << u;
      }
    }
    EXPECT_NE(found.how.find("f from -"), std::string::npos) << found.how;
  }
  // As many as the sine in the loop changes the sign of its rate.
  const auto wavy = named("nonlinear_feedback", {"a=-0.05", "e_1=2", "b_cubic=0", "b_sine=1"});
  map_options slow;
  slow.amplitude = 0.1;
  for (const auto& u : {-0.1, 0.1}) {
    std::size_t expected = 0, stable = 0, shown = 0;
    const auto rate = [&](double f) { return -0.05 * f + u + std::sin(2 * f); };
    for (int i = -100000; i < 100000; ++i) {
      const double before = rate(3e-4 * i), after = rate(3e-4 * (i + 1));
      expected += (before < 0) != (after < 0) ? 1U : 0U;
      stable += before > 0 && after <= 0 ? 1U : 0U;
    }
    const resting_map found =
        find_resting(wavy, loop_at(wavy, 0.1, slow), {.low = -0.1, .high = 0.1, .points = 2});
    for (const auto& p : found.places) {
      expected -= p.u == u ? 1U : 0U;
      shown += p.u == u && p.stable ? 1U : 0U;
    }
    EXPECT_EQ(expected, 0U) << u;
    EXPECT_EQ(shown, stable) << u;
  }
  // Snapped or not, the linkage has three.
  const auto bars = linkage();
  slow.amplitude = 0.2;
  const resting_map held =
      find_resting(bars, loop_at(bars, 0.01, slow), {.low = -0.2, .high = 0.2, .points = 5});
  EXPECT_EQ(held.places.size(), 15U);
}

// In a dead zone every state rests: backlash within Delta of its input, a multiplay within the sum of
// k Delta of 0.
TEST(find_resting, DeadZonesAreStretches) {
  const auto backlash = named("nonlinear_feedback", {"a=0", "d=0", "e_1=-1", "e_0=1",
                                                     "b_deadzone=1", "Delta=0.5", "b_cubic=0"});
  const auto plays = named("multiplay", {"k=[1, 2]", "m=[1, 2]", "c=[1, 2]", "Delta=[0.3, 0.5]"});
  for (const auto* system : {&backlash, &plays}) {
    map_options slow;
    slow.amplitude = 2;
    const resting_map found =
        find_resting(*system, loop_at(*system, 0.1, slow), {.low = -2, .high = 2, .points = 3});
    ASSERT_EQ(found.places.size(), 3U) << system->name;
    for (const auto& p : found.places) {
      const double half = system == &backlash ? 0.5 : 1.3, middle = system == &backlash ? p.u : 0;
      EXPECT_NEAR(p.y_low, middle - half, 1e-5) << system->name;
      EXPECT_NEAR(p.y_high, middle + half, 1e-5) << system->name;
      EXPECT_TRUE(p.stable) << system->name;
    }
  }
}

// Fig. 5.14: the linkage has three where |F| < 0.3748, on (5.12), and one beyond.
TEST(find_resting, TheLinkageHasThreeBetweenItsFolds) {
  map_options slow;
  slow.amplitude = 1;
  const resting_map found =
      find_resting(linkage(), loop_at(linkage(), 0.01, slow), {.low = -1, .high = 1, .points = 41});
  const two_bar_linkage known;
  std::map<double, int> count;
  for (const auto& p : found.places) {
    EXPECT_NEAR(known.holding_force(std::asin(p.y_low)), p.u, 1e-6);
    ++count[p.u];
  }
  ASSERT_EQ(count.size(), 41U);
  for (const auto& [u, n] : count) EXPECT_EQ(n, std::abs(u) < 0.3748 ? 3 : 1) << u;
}

// An operator rests anywhere between its branches: play within r of its input. A mass rests where
// friction holds it.
TEST(find_resting, OperatorsAndFrictionHaveBands) {
  const auto play = named("play");
  map_options slow;
  slow.amplitude = 3;
  for (const auto& p :
       find_resting(play, loop_at(play, 0.1, slow), {.low = -3, .high = 3, .points = 13}).places) {
    // Rows are up to 3 x 2 pi/400 apart; a corner between two of them is cut by a quarter of that.
    EXPECT_NEAR(p.y_high, std::min(p.u + 1, 2.0), 0.012) << p.u;
    EXPECT_NEAR(p.y_low, std::max(p.u - 1, -2.0), 0.012) << p.u;
  }
  const auto mass = io_of(
      parse_toml("force = 0\nsystem = { kind = 'wall_spring_mass', mass = 1, stiffness = 4 }\n"
                 "friction = { model = 'coulomb', F_c = 2 }\nrun = { duration = 1 }\n",
                 "text"),
      "mass", "", "force", "x");
  for (const auto& p :
       find_resting(mass, periodic_loop{}, {.low = -3, .high = 3, .points = 7}).places) {
    EXPECT_NEAR(p.y_low, (p.u - 2) / 4, 1e-9);
    EXPECT_NEAR(p.y_high, (p.u + 2) / 4, 1e-9);
  }
  const auto free = io_of(parse_toml("force = 0\nsystem = { kind = 'mass_under_force', mass = 1 }\n"
                                     "friction = { model = 'coulomb', F_c = 2 }\n"
                                     "run = { duration = 1 }\n",
                                     "text"),
                          "free", "", "force", "x");
  EXPECT_THROW(find_resting(free, periodic_loop{}, {}), error);
}

TEST(limiting_map, RefusesOptionsOutOfRange) {
  const auto system = named("play");
  for (const auto spoil :
       {+[](map_options& o) { o.amplitude = 0; }, +[](map_options& o) { o.omega = -1; },
        +[](map_options& o) { o.samples = 10; }, +[](map_options& o) { o.slower = 1; }}) {
    map_options options;
    spoil(options);
    EXPECT_THROW(limiting_map(system, options), error);
  }
}

TEST(io_of, NamesMustBeThere) {
  const auto linear = [](const char* input, const char* output) {
    return io_of(parse_toml(linear_mass_text, "linear"), "linear", "", input, output);
  };
  EXPECT_THROW(linear("force", "x"), error);
  EXPECT_THROW(linear("anchor", "y"), error);
  EXPECT_EQ(linear("anchor", "x").u, "anchor");
}

TEST(io_of, TheInputIsTheOneChosen) {
  const signal sine = signal::sines({{0.3, 2, 0}}, 0.1);
  const signal wanted = signal::pieces({{1, sine}, {2, signal::constant(-0.2)}, {0, sine}});
  const run_data data = simulate(linear_mass().under(wanted, 3, 0.25));
  const auto &t = data["t"], &u = data["anchor"];
  ASSERT_EQ(t.size(), 13U);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_EQ(u[i], wanted.value(t[i])) << t[i];
  EXPECT_THROW((void)linear_mass().under(signal::ramp(1), 3, 0.25), error);
}

// u = y^3 - y: three equilibria while |u| < 0.38, of which the middle one is unstable.
TEST(resting_branches, AnSHasTwoStableLinesAndOneBetween) {
  resting_map map;
  for (int i = 0; i <= 40; ++i) {
    const double u = -1 + 0.05 * i;
    std::vector<double> found;
    double before = -2 * (4 - 1) - u;
    for (int k = 1; k <= 4000; ++k) {
      const double y = -2 + 0.001 * k, now = y * y * y - y - u;
      if ((before < 0) != (now < 0)) found.push_back(y);
      before = now;
    }
    for (std::size_t k = 0; k < found.size(); ++k)
      map.places.push_back({u, found[k], found[k], found.size() == 1 || k != 1});
  }
  const auto stable = branches_of(map, true);
  ASSERT_EQ(stable.size(), 2U);
  for (const auto& each : stable) {
    EXPECT_TRUE(std::is_sorted(each.u.begin(), each.u.end()));
    EXPECT_TRUE(std::is_sorted(each.y.begin(), each.y.end()));
    EXPECT_TRUE(each.y.front() > 0 || each.y.back() < 0);  // neither goes over to the other side
  }
  const auto unstable = branches_of(map, false);
  ASSERT_EQ(unstable.size(), 1U);
  EXPECT_TRUE(std::is_sorted(unstable[0].y.rbegin(), unstable[0].y.rend()));
}

TEST(resting_branches, AStretchHasALineAtEachEnd) {
  resting_map map;
  for (const double u : {0.0, 0.25, 0.5, 0.75}) map.places.push_back({u, u - 1, u + 1, true});
  const auto found = branches_of(map, true);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].y, (std::vector<double>{-1, -0.75, -0.5, -0.25}));
  EXPECT_EQ(found[1].y, (std::vector<double>{1, 1.25, 1.5, 1.75}));
  EXPECT_TRUE(branches_of(map, false).empty());
}

}  // namespace
}  // namespace asperity
