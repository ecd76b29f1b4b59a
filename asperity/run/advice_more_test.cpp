// SPDX-License-Identifier: Apache-2.0
// More advice that is taken out of messages and followed, as in advice_test.cpp: of memories, sizes,
// models that are stepped, analyses and formulas.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asperity/analysis/butterfly.hpp>
#include <asperity/analysis/equilibria.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/stepped_model.hpp>
#include <cmath>

#include "tests/advice.hpp"

namespace asperity {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace asperity::testing;

any_model model(const std::string& key, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> warnings;
  return make_model(key, "", settings, warnings);
}

// ---- friction that jumps at rest ----------------------------------------------------------------

// A law without a closed form whose force jumps at rest: pulled with less than it holds, a body
// comes to rest and stays.
TEST(advice_followed, SwitchHoldsWhatOtherMethodsLetChatter) {
  const std::string text = R"(
force = 0.1
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "drbm_sawtooth"
[initial]
v = 0.1
[integrator]
method = "rk4"
step = 1e-3
[run]
duration = 2
)";
  const told chatter = run_and_listen(text);
  const std::string method = found_in(chatter.words, "can only chatter: use ([a-z0-9_]+)");
  ASSERT_EQ(method, "switch");
  const told held = run_and_listen(text, {"integrator.method=" + method});
  ASSERT_EQ(held.data.result.how, outcome::completed) << held.words;
  EXPECT_THAT(held.words, Not(HasSubstr("chatter")));
  EXPECT_EQ(held.data["v"].back(), 0);
  // Rows after it came to rest are all at one place.
  const auto& x = held.data["x"];
  EXPECT_EQ(x.back(), x[x.size() / 2]);
}

// Steps that shrink to nothing beside a jump name a method that holds there. A light body that is
// thrown goes m v^2/(2 F) far, and stays under what pulls it less than friction holds.
TEST(advice_followed, AMethodThatFindsStepsIsNamed) {
  struct law {
    const char* friction;
    double limit;  // where the body starts
  };
  for (const auto& [friction, limit] :
       {law{"{ model = 'drbm_sawtooth', F_min = 0.5, F_max = 1, Delta = 0.1 }", 0.5},
        law{"{ model = 'coulomb', F_c = 0.5 }", 0.5}})
    for (const char* blind : {"dopri5", "rosenbrock", "cvode"}) {
      SCOPED_TRACE(fmt::format("{} by {}", friction, blind));
      const std::string text = fmt::format(
          "system = {{ kind = 'mass_under_force', mass = 1e-9 }}\nfriction = {}\nforce = {{ kind = "
          "'sine', amplitude = 0.4, omega = 3 }}\ninitial = {{ v = 1e-3 }}\nrun = {{ duration = 5 "
          "}}\n",
          friction);
      const auto by = [&](const std::string& method) {
        return run_and_listen(text, {"integrator.method=" + method});
      };
      if (const auto why = find_method(blind)->why_absent; why != nullptr && why() != nullptr)
        continue;
      const told stalled = by(blind);
      ASSERT_EQ(stalled.data.result.how, outcome::step_too_small);
      const told named = by(found_in(stalled.data.hint, "try method = \"([a-z0-9_]+)\""));
      ASSERT_EQ(named.data.result.how, outcome::completed) << named.words;
      EXPECT_EQ(named.data["v"].back(), 0);
      EXPECT_NEAR(named.data["x"].back(), 1e-9 * 1e-6 / (2 * limit), 1e-2 * 1e-15);
      // At rest friction is what the force is.
      EXPECT_NEAR(named.data["f"].back(), 0.4 * std::sin(3 * 5.0), 1e-6);
    }
}

// A step in which a patch of bristles finds no answer: halved until the answer stays, the body goes
// m v^2/(2 F) far.
TEST(advice_followed, AStepThatDoesNotConvergeIsMadeShorter) {
  const auto thrown = [](double step) {
    return fmt::format(
        "system = {{ kind = 'planar_body', mass = 0.1, inertia = 0.3 }}\npatch = {{ shape = "
        "'rectangle', width = 3.5, height = 9.8, cells = 3 }}\nfriction = {{ model = 'patch_dai', "
        "F_c = 1, F_s = 1, K = 2.8e10, beta = 0.05 }}\ninitial = {{ v_x = 3, v_y = 6 "
        "}}\nintegrator "
        "= {{ method = 'sdirk2', step = {:.17g} }}\nrun = {{ duration = 68 }}\n",
        step);
  };
  double step = 3.4;
  const told coarse = run_and_listen(thrown(step));
  ASSERT_EQ(coarse.data.result.how, outcome::not_finite);
  EXPECT_EQ(found_in(coarse.data.result.detail, "take a shorter ([a-z.]+)$"), "integrator.step");
  double last = HUGE_VAL, x = -HUGE_VAL, y = 0;
  for (int halved = 0; halved < 12 && !(std::abs(x - last) <= 1e-4); ++halved) {
    step /= 2;
    const run_data data = simulate(parse(thrown(step)));
    last = x;
    const bool ends = data.result.how == outcome::completed;
    x = ends ? data["x"].back() : -HUGE_VAL;
    y = data["y"].back();
  }
  EXPECT_NEAR(x, 0.1 * std::hypot(3, 6) / 2 * 3, 1e-3);
  EXPECT_NEAR(y, 0.1 * std::hypot(3, 6) / 2 * 6, 2e-3);
}

// ---- memories -----------------------------------------------------------------------------------

// Turns inside one another, and out of them again: where all loops are closed the force is that of
// the virgin curve. Too many are refused; with the smallest left out it is right.
TEST(advice_followed, AMemoryThatIsFullHoldsFewerTurns) {
  const double z_0 = 1e-5, kappa = 1e5, outmost = 3e-6;
  const auto wound_up = [&](int turns, int reversals) {
    std::string values = "0";
    for (int i = 0; i < turns; ++i)
      values += fmt::format(", {:.17g}", (i % 2 != 0 ? -outmost : outmost) * std::pow(0.95, i));
    // Turns are far slower than any rate matters: 1 s apart.
    return fmt::format(
        "system = {{ kind = 'prescribed_motion' }}\nfriction = {{ model = 'leuven', reversals = "
        "{}, "
        "kappa = {}, z_0 = {}, n = 50, sigma_1 = 0, sigma_2 = 0 }}\nrun = {{ duration = {} "
        "}}\n[motion]\nof = 'position'\nkind = 'nodes'\ninterval = 1\nvalues = [{}, {:.17g}]\n",
        reversals, kappa, z_0, turns + 1, values, outmost);
  };
  const told full = run_and_listen(wound_up(50, 38));
  ASSERT_EQ(full.data.result.how, outcome::not_finite);
  ASSERT_THAT(full.words, HasSubstr("there were more: leave out reversals that are too small"));
  EXPECT_THAT(full.words, Not(HasSubstr("raise")));
  // q = F/g is so small that its 50th power is nothing: z = x.
  const double virgin = 2 * kappa * outmost / (1 + std::sqrt(1 + outmost / z_0));
  for (const auto& [turns, reversals] : {std::pair{20, 38}, std::pair{20, 3}}) {
    const told fewer = run_and_listen(wound_up(turns, reversals));
    ASSERT_EQ(fewer.data.result.how, outcome::completed) << fewer.words;
    EXPECT_NEAR(fewer.data["f"].back(), virgin, 1e-6 * virgin) << reversals;
  }
}

// ---- sizes --------------------------------------------------------------------------------------

// Equal elements are one element: fewer of them, as stiff together, give the same motion.
TEST(advice_followed, FewerElementsFitIntoAScenario) {
  const auto conveyor = [](int elements) {
    std::string kappa, lambda, sigma;
    for (int i = 0; i < elements; ++i) {
      const char* comma = i > 0 ? ", " : "";
      kappa += fmt::format("{}{:.17g}", comma, 1e4 / elements);
      sigma += fmt::format("{}{:.17g}", comma, 10.0 / elements);
      lambda += fmt::format("{}{:.17g}", comma, 1.0 / elements);
    }
    return fmt::format(
        "system = {{ kind = 'two_bodies_wall_conveyor', mass_1 = 0.5, mass_2 = 1, stiffness = 100, "
        "speed = 0.5 }}\ncontact = {{ model = 'dai_contact' "
        "}}\ninitial = {{ p_1x = 0.01, p_2x = 0.05 }}\nrun = {{ duration = 0.5 }}\nfriction = {{ "
        "model = 'dai_multistate', elements = {}, kappa = [{}], sigma = [{}], lambda = [{}], tau_d "
        "= 0, F_c = 0.3, F_s = 0.3 }}\n",
        elements, kappa, sigma, lambda);
  };
  const std::string said = refusal_of(conveyor(20));
  ASSERT_THAT(said, HasSubstr("take fewer elements"));
  const double states = std::stod(found_in(said, "it has ([0-9]+) states"));
  const double most = std::stod(found_in(said, "more than the ([0-9]+)"));
  // Three frictions have each one state per element.
  const int fits = 20 - static_cast<int>(std::ceil((states - most) / 3));
  ASSERT_GT(fits, 1);
  EXPECT_THAT(refusal_of(conveyor(fits + 1)), HasSubstr("take fewer elements"));
  const run_data many = simulate(parse(conveyor(fits))), one = simulate(parse(conveyor(1)));
  ASSERT_EQ(many.result.how, outcome::completed) << many.hint;
  for (const char* column : {"p_1x", "p_2x"}) {
    const auto &a = many[column], &b = one[column];
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5) << column << i;
  }
}

// Noise of too many lines: over a shorter period it has fewer, and the same mean square.
TEST(advice_followed, NoiseOfAShorterPeriodIsRead) {
  const auto noise = [](double period) {
    return fmt::format(
        "system = {{ kind = 'mass_under_force', mass = 1 }}\nfriction = {{ model = 'dai' }}\nrun = "
        "{{ duration = 1 }}\nforce = {{ kind = 'noise', rms = 3, to = 2000, period = {:.17g} }}\n",
        period);
  };
  const std::string said = refusal_of(noise(1000));
  ASSERT_THAT(said, HasSubstr("take a shorter period"));
  const double lines = std::stod(found_in(said, "it has ([0-9.e+]+) lines"));
  const double most = std::stod(found_in(said, "more than ([0-9]+)"));
  EXPECT_EQ(lines, 2000 * 1000);
  EXPECT_NO_THROW(parse(noise(most / 2000)));
  EXPECT_THAT(refusal_of(noise((most + 1) / 2000)), HasSubstr("take a shorter period"));
  const double period = 1;
  const scenario s = parse(noise(period));
  const auto& force = *s.system->card().inputs.front().shape;
  double square = 0;
  constexpr int samples = 1 << 14;  // more than two for each line: the sum is exact
  for (int i = 0; i < samples; ++i)
    square += std::pow(force.value(period * i / samples), 2) / samples;
  EXPECT_NEAR(std::sqrt(square), 3, 1e-6);
}

// ---- parameters ---------------------------------------------------------------------------------

// A start that overflows: with other parameters the body floats where its bristles carry it.
TEST(advice_followed, ParametersThatAreChangedHaveAStart) {
  const std::string text =
      "force = 0\nsystem = { kind = 'mass_under_force', mass = 1 }\nfriction = { model = "
      "'compressed_bristle', m = 1e308, g = 1e10, k = 1e4, N = 576, h_0 = 0.01, w = 0.01 }\nrun = "
      "{ "
      "duration = 1e-3 }\n";
  const std::string said = refusal_of(text);
  ASSERT_THAT(said, HasSubstr("the parameters make it"));
  EXPECT_EQ(found_in(said, "finite number: ([a-z ]+)$"), "change the parameters");
  const told changed = run_and_listen(text, {"friction.m=1", "friction.g=9.81"});
  ASSERT_EQ(changed.data.result.how, outcome::completed) << changed.words;
  EXPECT_NEAR(changed.data["y"].front(), 0.01 + 0.01 / 2 - 9.81 / (576 * 1e4), 1e-15);
}

// ---- models that are stepped --------------------------------------------------------------------

outcome step(stepped_model& of, double v, double h, double load = 1) {
  const double in[] = {of.inputs()[0] + h * v, v, load};
  return of.step(in, h);
}
std::string advice_on(const stepped_model& of, outcome how, double load = 1) {
  const double in[] = {0, 0, load};
  return advice(how, of.model(), in);
}

TEST(advice_followed, AStepThatIsTooStiffIsTakenInPieces) {
  const double speed = 1;
  const std::vector<std::string> law{"F_c=1", "F_s=1.5", "sigma_2=0.4"};
  const double sliding = 1 + 0.4 * speed;  // far above the Stribeck velocity
  stepped_model stiff(model("lugre", with(law, {"sigma_0=1e9"})));
  const outcome how = step(stiff, speed, 1);
  ASSERT_EQ(how, outcome::step_limit);
  const std::string words = advice_on(stiff, how);
  ASSERT_THAT(words, HasSubstr("take shorter steps"));
  ASSERT_THAT(words, HasSubstr("a less stiff parameter, or a law with a closed form"));
  stepped_model often(model("lugre", with(law, {"sigma_0=1e9"})));
  for (int i = 0; i < 5; ++i) ASSERT_EQ(step(often, speed, 1e-6), outcome::completed) << i;
  EXPECT_NEAR(often.outputs()[0], sliding, 1e-5);
  stepped_model softer(model("lugre", with(law, {"sigma_0=1e4"})));
  ASSERT_EQ(step(softer, speed, 1), outcome::completed);
  EXPECT_NEAR(softer.outputs()[0], sliding, 1e-3);
  stepped_model closed(model("dai_stribeck", with(law, {"kappa=1e9"})));
  ASSERT_EQ(step(closed, speed, 1), outcome::completed);
  EXPECT_NEAR(closed.outputs()[0], sliding, 1e-5);
}

// z' = v (1 - sigma_0 z/F) from rest: f = F (1 - exp(-sigma_0 x/F)). Where no short step is accurate,
// shorter samples come first to one of too many short steps, and then to the answer.
TEST(advice_followed, AStepThatFindsNoShortOneIsTakenInPieces) {
  const std::vector<std::string> law{"F_c=1", "F_s=1", "sigma_0=1e12", "sigma_1=0", "sigma_2=0"};
  const double speed = 1e7;
  double h = 1;
  bool was_too_small = false;
  for (int times = 0; times < 30; ++times, h /= 10) {
    stepped_model of(model("lugre", law));
    of.reset(std::vector<double>{0, speed, 1});
    const outcome how = step(of, speed, h);
    if (how == outcome::completed) {
      EXPECT_NEAR(of.outputs()[0], 1 - std::exp(-1e12 * speed * h), 1e-5);
      break;
    }
    was_too_small = was_too_small || how == outcome::step_too_small;
    ASSERT_THAT(advice_on(of, how), HasSubstr("take shorter steps"));
  }
  EXPECT_TRUE(was_too_small);
  EXPECT_GT(h, 1e-17);
  // Other parameters: a softer bristle has long slid after a second.
  stepped_model other(model("lugre", {"F_c=1", "F_s=1", "sigma_0=1e-2", "sigma_1=0", "sigma_2=0"}));
  ASSERT_EQ(step(other, speed, 1), outcome::completed);
  EXPECT_NEAR(other.outputs()[0], 1, 1e-5);
}

TEST(advice_followed, ALawThatDividesByItsLoadIsGivenOne) {
  stepped_model of(model("gms"));
  const outcome how = step(of, 1e-3, 1e-2, 0);
  ASSERT_EQ(how, outcome::not_finite);
  ASSERT_THAT(advice_on(of, how, 0), HasSubstr("give a load above 0"));
  EXPECT_EQ(step(of, 1e-3, 1e-2, 1e-3), outcome::completed);
  // A bristle that is bent yields ever faster as its load goes to 0.
  stepped_model bent(model("lugre"));
  ASSERT_EQ(step(bent, 1, 1e-3), outcome::completed);
  const outcome end = step(bent, 1, 1e-3, 0);
  ASSERT_NE(end, outcome::completed);
  ASSERT_NE(end, outcome::not_finite);
  ASSERT_THAT(advice_on(bent, end, 0), HasSubstr("give a load above 0"));
  EXPECT_EQ(step(bent, 1, 1e-3, 1e-3), outcome::completed);
}

// ---- evaluation ---------------------------------------------------------------------------------

// The rows up to where a stiff model gave up are there; the input that ends there is followed whole.
TEST(advice_followed, AShortenedInputIsFollowed) {
  std::vector<double> t, v;
  for (int i = 0; i <= 1000; ++i) {
    t.push_back(0.01 * i);
    v.push_back(1e-3 * std::sin(0.1 * i));
  }
  const auto rows = [&](std::size_t n) {
    const std::vector<double> first(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(n)),
        second(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n));
    return csv_table::parse(to_csv({{"t", &first}, {"v", &second}}), "motion.csv");
  };
  evaluate_options options;
  options.max_steps = 3000;
  const any_model stiff = model("lugre", {"sigma_0=1e8"});
  const run_data whole = evaluate(stiff, rows(t.size()), options);
  ASSERT_EQ(whole.result.how, outcome::step_limit);
  ASSERT_THAT(whole.hint, HasSubstr("shorten the input"));
  const std::size_t kept = whole["f"].size();
  ASSERT_GT(kept, 10U);
  const run_data shorter = evaluate(stiff, rows(kept / 2), options);
  ASSERT_EQ(shorter.result.how, outcome::completed) << shorter.hint;
  const run_data fine = evaluate(stiff, rows(kept / 2));
  for (std::size_t i = 0; i < kept / 2; ++i) EXPECT_NEAR(shorter["f"][i], fine["f"][i], 1e-6);
}

// No step is short enough where z = tan(c x)/c, with c^2 = -(gamma + delta), runs off at c x = pi/2. An
// input that is slower, or parameters that hold z down, are followed to the end.
TEST(advice_followed, AnInputThatIsSlowerIsFollowed) {
  const auto at = [](double speed, const char* gamma) {
    return evaluate(model("bouc_wen", {"nu=2", "delta=-0.5", gamma}),
                    csv_table::parse(fmt::format("t,v\n0,{0}\n2,{0}\n", speed), "motion.csv"));
  };
  const run_data fast = at(1, "gamma=-1");
  ASSERT_EQ(fast.result.how, outcome::step_too_small);
  const double c = std::sqrt(1.5);
  EXPECT_NEAR(fast.result.t, std::acos(0.0) / c, 1e-6);
  EXPECT_THAT(fast.hint, HasSubstr("check the parameters of the model and the speed of the input"));
  const run_data slow = at(0.5, "gamma=-1"), held = at(1, "gamma=2");
  ASSERT_EQ(slow.result.how, outcome::completed) << slow.hint;
  EXPECT_NEAR(slow["f"].back(), std::tan(c) / c, 1e-6);
  ASSERT_EQ(held.result.how, outcome::completed) << held.hint;
  EXPECT_NEAR(held["f"].back(), std::tanh(2 * c) / c, 1e-6);
}

// ---- analyses -----------------------------------------------------------------------------------

// A mass on a spring of stiffness k rests wherever dai friction of limit F holds u - k x.
TEST(advice_followed, AGreaterStiffnessHasItsPlacesOfRest) {
  equilibria_options options;
  options.from = -2;
  options.to = 3;
  options.points = 6;
  options.stiffness = 1e-308;
  const any_model law = model("dai", {"F=0.5"});
  const std::string said = refusal_by([&] { find_equilibria(law, options); });
  ASSERT_THAT(said, HasSubstr("take a greater stiffness, or smaller forces"));
  const auto check = [&] {
    const auto map = find_equilibria(law, options);
    ASSERT_EQ(map.failure, "");
    ASSERT_EQ(map.intervals.size(), 6U);
    for (const auto& each : map.intervals) {
      EXPECT_NEAR(each.x_low * options.stiffness, each.u - 0.5, 1e-6);
      EXPECT_NEAR(each.x_high * options.stiffness, each.u + 0.5, 1e-6);
    }
  };
  options.stiffness = 2;
  check();
}

// Two cycles are refused; one of them is a loop whose branches are those of the circle.
TEST(advice_followed, OneCycleOfALoopIsTaken) {
  const auto circle = [](int cycles) {
    std::pair<std::vector<double>, std::vector<double>> loop;
    for (int i = 0; i < 400 * cycles; ++i) {
      loop.first.push_back(std::cos(2 * M_PI * i / 400));
      loop.second.push_back(std::sin(2 * M_PI * i / 400));
    }
    return loop;
  };
  const auto twice = circle(2), once = circle(1);
  ASSERT_THAT(refusal_by([&] { lens_of(twice.first, twice.second); }), HasSubstr("give one cycle"));
  const lens found = lens_of(once.first, once.second);
  for (std::size_t i = 0; i < found.x.size(); ++i) {
    const double half = std::sqrt(std::max(0.0, 1 - found.x[i] * found.x[i]));
    EXPECT_NEAR(found.upper[i], half, 1e-2) << i;
    EXPECT_NEAR(found.lower[i], -half, 1e-2) << i;
  }
}

// ---- formulas -----------------------------------------------------------------------------------

// A mass on a spring without friction, of which one formula is wrong: mended as the message says, it
// swings as a cosine.
std::string swing(const std::string& rate, const std::string& more = "") {
  return fmt::format(
      "system = {{ kind = 'inclusion' }}\nparameters = {{ k = '4 1/s^2' }}\n{}\nrun = {{ duration "
      "= 3 }}\nintegrator = {{ relative_tolerance = 1e-9 }}\n[states]\nx = {{ unit = 'm', rate = "
      "'v', initial = 1 }}\nv = {{ unit = 'm/s', rate = '{}' }}\n",
      more, rate);
}

TEST(advice_followed, FormulasAreWrittenAsTheirMessagesSay) {
  struct wrong {
    std::string rate, pattern, advised, mended;
  };
  for (const auto& [rate, pattern, advised, mended] :
       {wrong{"-4x*k/4", "write ([^,]+), not 2x", "2*x", "-4*x*k/4"},
        wrong{"-k*x**1", "write a power as ([^ ]+)$", "a^b", "-k*x^1"},
        wrong{"-k*x + sin", "'sin' is a function: write ([^ ]+)$", "sin(...)", "-k*x + sin(0)*k*x"},
        wrong{"-k*x + abs*0", "write ([^ ]+)$", "abs(...)", "-k*x + abs(0)*k*x"},
        wrong{"-k(x)", "is a '([*])' missing before", "*", "-k*(x)"},
        wrong{"-k*x + norm(x, x)*0*k", "norm takes 1 argument, but there are 2: (vectors)",
              "vectors", "-k*x + norm([x, x])*0*k"},
        wrong{"-k*x + norm(x)*0*k", "of a number use ([a-z]+)", "abs", "-k*x + abs(x)*0*k"},
        wrong{"-k*$x", "use letters, digits, _ and ([^ ]+) - ", "+", "-k*x"},
        wrong{"[-k*x, 0*k*x]", "take a component with ([.]x) or [.]y", ".x", "[-k*x, 0*k*x].x"},
        wrong{"([-k, 0*k]*[x, x]).x", "use their (components)", "components", "-k*x"},
        wrong{"", "the formula is empty: write one, or ([0-9])", "0", "0*k*x"}}) {
    SCOPED_TRACE(rate);
    EXPECT_EQ(found_in(refusal_of(swing(rate)), pattern.c_str()), advised);
    const run_data data = simulate(parse(swing(mended)));
    ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
    const bool is_free = mended == "0*k*x";
    for (std::size_t i = 0; i < data["t"].size(); ++i)
      ASSERT_NEAR(data["x"][i], is_free ? 1 : std::cos(2 * data["t"][i]), 1e-6) << i;
  }
}

// A long sum is cut into parts with names.
TEST(advice_followed, PartsOfALongFormulaAreNamed) {
  std::string sum = "-k*x/2000", whole;
  for (int i = 0; i < 2000; ++i) whole += sum;
  const std::string said = refusal_of(swing(whole));
  const std::string table = found_in(said, "name parts of it in \\[([a-z]+)\\]");
  std::string part, parts = table + " = { ", rate;
  for (int i = 0; i < 20; ++i) {
    part.clear();
    for (int j = 0; j < 100; ++j) part += sum;
    parts += fmt::format("{}part_{} = '{}'", i > 0 ? ", " : "", i, part);
    rate += fmt::format("{}part_{}", i > 0 ? " + " : "", i);
  }
  const run_data data = simulate(parse(swing(rate, parts + " }")));
  ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
  EXPECT_NEAR(data["x"].back(), std::cos(2 * 3.0), 1e-6);
}

// Formulas of too many values, sums of sines of 0: with shorter definitions they are read.
TEST(advice_followed, ShorterDefinitionsFit) {
  const auto stated = [](int terms) {
    std::string parts, rate = "1 - x";
    for (int i = 0; i < 300; ++i) {
      std::string sum;
      for (int j = 0; j < terms; ++j)
        sum += fmt::format("{}sin({}*(x - x))", j > 0 ? " + " : "", 1 + i + j / 1000.0);
      parts += fmt::format("{}part_{} = '{}'", i > 0 ? ", " : "", i, sum);
      rate += fmt::format(" + part_{}", i);
    }
    return fmt::format(
        "system = {{ kind = 'inclusion' }}\ndefinitions = {{ {} }}\nrun = {{ duration = 1 "
        "}}\n[states]\nx = {{ rate = '{}' }}\n",
        parts, rate);
  };
  EXPECT_THAT(refusal_of(stated(200)), HasSubstr("use fewer or shorter definitions"));
  EXPECT_NEAR(simulate(parse(stated(2)))["x"].back(), 1 - std::exp(-1), 1e-5);
}

TEST(advice_followed, NamesAndStatesOfAnInclusionAreGiven) {
  const std::string reserved =
      "system = { kind = 'inclusion' }\nparameters = { sin = 4 }\nrun = { duration = 1 "
      "}\n[states]\nx = { rate = '-x' }\n";
  EXPECT_THAT(refusal_of(reserved), HasSubstr("choose another name"));
  std::string renamed = reserved;
  renamed.replace(renamed.find("sin ="), 3, "sin_of_it");
  EXPECT_NEAR(simulate(parse(renamed))["x"].back(), 0, 1e-12);
  std::string no_name = reserved;
  no_name.replace(no_name.find("sin ="), 3, "'2nd'");
  EXPECT_THAT(refusal_of(no_name), HasSubstr("use a letter, then letters, digits and _"));
  no_name.replace(no_name.find("'2nd'"), 5, "n_2");
  EXPECT_NO_THROW(parse(no_name));
  const std::string none = "system = { kind = 'inclusion' }\nrun = { duration = 1 }\n[states]\n";
  const std::string said = refusal_of(none);
  const std::string table = found_in(said, "such as \\[([a-z.]+)\\]");
  const run_data data =
      simulate(parse(fmt::format("{}[{}]\nrate = '-{}'\ninitial = 1\n", none, table, "x")));
  EXPECT_NEAR(data["x"].back(), std::exp(-1), 1e-5);
}

// ---- terms --------------------------------------------------------------------------------------

// Friction that drives: the sign is turned, and the mass loses F/m of its speed every second.
TEST(advice_followed, ASignThatIsTurnedBrakes) {
  const auto sliding = [](const char* rate, const std::string& more = "") {
    return fmt::format(
        "system = {{ kind = 'inclusion' }}\nparameters = {{ m = '2 kg', F = '4 N', u = '1 1/s' "
        "}}\n{}[states]\nx = {{ unit = 'm', rate = 'v' }}\nv = {{ unit = 'm/s', rate = '{}', "
        "initial = 1 }}\n[run]\nduration = 0.4\n",
        more, rate);
  };
  EXPECT_THAT(refusal_of(sliding("F*sgn(v)/m")), HasSubstr("check the sign of the term"));
  const run_data braked = simulate(parse(sliding("-F*sgn(v)/m")));
  ASSERT_EQ(braked.result.how, outcome::completed) << braked.hint;
  EXPECT_NEAR(braked["v"].back(), 1 - 2 * 0.4, 1e-5);

  // Signs that are multiplied: without the second, which is 1 here, it is the same force.
  EXPECT_THAT(refusal_of(sliding("-F*sgn(v)*sgn(v + u*x)/m")),
              HasSubstr("a product of two cannot be handled: write the force without it"));

  // A factor that falls below 0: cut, the friction ends there.
  const char* const falling = "-F*(1 - 4*u*t)*sgn(v)/m";
  const told below = run_and_listen(sliding(falling));
  ASSERT_NE(below.data.result.how, outcome::completed);
  const std::string said = below.words + below.data.result.detail;
  EXPECT_EQ(found_in(said, "cut it with ([a-z(0,]+) "), "max(0,");
  const run_data cut = simulate(parse(sliding("-F*max(0, 1 - 4*u*t)*sgn(v)/m")));
  ASSERT_EQ(cut.result.how, outcome::completed) << cut.hint;
  // It brakes by F/m times the area of a triangle of 0.25 s and 1.
  EXPECT_NEAR(cut["v"].back(), 1 - 2 * 0.125, 1e-4);
}

// Friction on what it does not move has no mass of its own: with the constants that are asked for it
// is what was stated.
TEST(advice_followed, ConstantsThatCannotBeChosenAreGiven) {
  // The friction of x works on v alone, whose velocity is y': nothing of it opposes x.
  const auto stated = [](const std::string& more) {
    return fmt::format(
        "system = {{ kind = 'inclusion' }}\nparameters = {{ F = '1 1/s' }}\ndefinitions = {{ rub = "
        "'F*sgn(w)' }}\n{}[states]\nx = {{ unit = '1', rate = '-rub' }}\nw = {{ unit = '1', rate = "
        "'0*F', initial = 1 }}\n[run]\nduration = 1\n",
        more);
  };
  const std::string said = refusal_of(stated(""));
  const std::string wanted = found_in(said, "or give ([A-Za-z ,]+) under");
  const std::string table = found_in(said, "under \\[([a-z.]+)\\]");
  EXPECT_EQ(wanted, "K and beta");
  const run_data given =
      simulate(parse(stated(fmt::format("[{}]\nK = 1e4\nbeta = 1e-4\n", table))));
  ASSERT_EQ(given.result.how, outcome::completed) << given.hint;
  // w stays 1, and x falls by F every second once the bristle of F/K is drawn.
  EXPECT_NEAR(given["x"].back(), -1, 2e-4);
}

TEST(advice_followed, KOrDeflectionIsEnough) {
  const auto lying = [](const std::string& wishes) {
    return fmt::format(
        "system = {{ kind = 'inclusion' }}\ndefinitions = {{ N = 'dio(z)' }}\nparameters = {{ m = "
        "'2 kg', g = '9.8 m/s^2' }}\nterms = {{ N = {{ {} }} }}\n[states]\nz = {{ unit = 'm', rate "
        "= 'w' }}\nw = {{ unit = 'm/s', rate = 'N/m - g' }}\n[run]\nduration = 1\n",
        wishes);
  };
  EXPECT_THAT(refusal_of(lying("K = 1e4, deflection = 1e-3")), HasSubstr("give only one"));
  EXPECT_NEAR(simulate(parse(lying("K = 1e4")))["z"].back(), -2 * 9.8 / 1e4, 1e-6);
  EXPECT_NEAR(simulate(parse(lying("deflection = 1e-3")))["z"].back(), -1e-3, 1e-6);
}

}  // namespace
}  // namespace asperity
