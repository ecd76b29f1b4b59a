// SPDX-License-Identifier: Apache-2.0
// Stiction that holds: what claims no_drift holds a body at 96 % of its limit for one simulated hour
// at default settings: every friction law under a constant pull and under one that oscillates,
// contacts with friction on a slope, patches under forces and torques.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/patch/contact_patch.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <complex>
#include <numeric>

namespace asperity {
namespace {

constexpr double hour = 3600, share = 0.96;

std::vector<const catalogue_entry*> laws_without_drift() {
  std::vector<const catalogue_entry*> found;
  for (const catalogue_entry* each : catalogue())
    if (each->family == "friction" && (any_model(*each).describe().claims & no_drift) != 0)
      found.push_back(each);
  return found;
}

// The force that the law holds at most, at rest and under its own load.
double limit_of(const any_model& law) { return law.force_bound(0, 0, 1); }

run_data run_text(const std::string& text) {
  return simulate(read_scenario(parse_toml(text, "test.toml"), "test", "."));
}

run_data hold(const catalogue_entry& which, const std::string& force, double sample = 1) {
  return run_text(fmt::format(
      "system = {{ kind = 'mass_under_force', mass = 1 }}\nforce = {}\nfriction = {{ model = '{}' "
      "}}\nrun = {{ duration = {}, sample = {} }}\n",
      force, which.key, hour, sample));
}

// Pulled in ten seconds, slowly beside every bristle, then held.
std::string pulled(double pull) {
  return fmt::format("{{ kind = 'ramp', slope = {}, limit = {} }}", pull / 10, pull);
}

class hold_for_an_hour : public ::testing::TestWithParam<const catalogue_entry*> {};

TEST_P(hold_for_an_hour, UnderAConstantPull) {
  const any_model law(*GetParam());
  ASSERT_TRUE(law.has_bound());
  const double pull = share * limit_of(law);
  const run_data data = hold(*GetParam(), pulled(pull));
  ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
  EXPECT_LT(data.result.steps, 100'000);
  const auto& x = data["x"];
  const auto& v = data["v"];
  const std::size_t half = x.size() / 2;
  const double deflection = std::abs(x[half]);
  // A law with dampers comes to rest: what is left is rounding. One of springs alone goes on
  // swinging as the end of the ramp left it: at most with the speed at which the ramp stretched its
  // springs, at their own frequency.
  const double speed = law.is_ode() ? 0 : deflection / 10;
  const double swing = deflection > 0 ? speed / std::sqrt(pull / deflection) : 0;
  for (std::size_t i = half; i < x.size(); ++i) {
    EXPECT_LE(std::abs(x[i] - x[half]), 2 * swing + 1e-12 * deflection) << "at row " << i;
    EXPECT_LE(std::abs(v[i]), 2 * speed + 1e-12 * deflection) << "at row " << i;
  }
  // No way is lost: a creep of a nanometre in an hour would show.
  EXPECT_LE(std::abs(x.back() - x[half]), 2 * swing + 1e-12 * deflection);
}

// The pull goes to and fro between 40 % and 96 %: in ten seconds, and not faster than a fiftieth of
// the contact's own frequency. Nearer to that the mass takes part, and the contact feels more than
// the pull: dai_stribeck walks at 35.6 Hz, which is its law. And faster the bristles of
// dai_multistate and gms would reach the velocity v_s = 5 um/s at which their limit falls.
TEST_P(hold_for_an_hour, UnderAPullThatOscillates) {
  const any_model law(*GetParam());
  const double limit = limit_of(law);
  const run_data small = hold(*GetParam(), pulled(0.01 * limit));
  const double softness = std::abs(small["x"].back()) / (0.01 * limit);  // m/N, of 1 kg
  const double period = std::max(10.0, std::ceil(50 * 2 * M_PI * std::sqrt(softness)));
  constexpr int samples = 8;  // a period
  const run_data data = hold(*GetParam(),
                             fmt::format("{{ kind = 'piecewise', piece = [{{ until = {0}, kind = "
                                         "'ramp', slope = {1} }}, {{ kind = 'sine', start = {0}, "
                                         "offset = {2}, amplitude = {3}, omega = {4} }}] }}",
                                         2 * period, 0.68 * limit / (2 * period), 0.68 * limit,
                                         0.28 * limit, 2 * M_PI / period),
                             period / samples);
  ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
  EXPECT_LT(data.result.steps, 1'000'000);
  const auto& x = data["x"];
  // Means over whole periods, in the second and in the last quarter of the hour.
  const auto quarter = static_cast<std::size_t>(hour / period / 4);
  const auto mean = [&](std::size_t first_period) {
    const auto from = x.begin() + static_cast<std::ptrdiff_t>(samples * first_period);
    const auto count = static_cast<std::ptrdiff_t>(samples * quarter);
    return std::accumulate(from, from + count, 0.0) / static_cast<double>(count);
  };
  const double early = mean(quarter), late = mean(3 * quarter);
  // Rows of adaptive steps are as exact as the tolerance; what swings without dampers stays within
  // a hundredth.
  const double allowed = law.is_ode() ? 1e-4 : 1e-2;
  EXPECT_LE(std::abs(late - early), allowed * std::abs(early))
      << "from " << early << " to " << late << " m in steps: " << data.result.steps;
  RecordProperty("walk", fmt::format("{:g}", late - early));
  RecordProperty("steps", fmt::format("{}", data.result.steps));
}

INSTANTIATE_TEST_SUITE_P(laws, hold_for_an_hour, ::testing::ValuesIn(laws_without_drift()),
                         [](const auto& info) { return info.param->key; });

// ---- vibration ----------------------------------------------------------------------------------

// A stuck body of 1 kg is m x'' + sigma x' + kappa x = A sin(w t): what friction carries and how
// fast the body moves follow from X = A/(kappa - m w^2 + i sigma w).
struct vibration {
  double kappa, sigma, w, mean;
  double F_c, F_s, v_s;  // the limit is F_c + (F_s - F_c) exp(-(v/v_s)^2)

  std::complex<double> reach(double amplitude) const {
    return amplitude / std::complex<double>{kappa - w * w, sigma * w};
  }
  // By how much friction stays below its limit, at worst.
  double margin(double amplitude) const {
    double worst = HUGE_VAL;
    for (int i = 0; i < 3600; ++i) {
      const auto now = reach(amplitude) * std::polar(1.0, 2 * M_PI * i / 3600);
      const double f = mean + (std::complex<double>{kappa, sigma * w} * now).imag();
      const double v = (std::complex<double>{0, w} * now).imag();
      worst = std::min(worst, F_c + (F_s - F_c) * std::exp(-v * v / (v_s * v_s)) - std::abs(f));
    }
    return worst;
  }
  // The largest that it holds.
  double held() const {
    double low = 0, high = F_s;
    for (int i = 0; i < 50; ++i) (margin(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
    return low;
  }
};

struct vibrated {
  double walk;
  std::size_t slips, warnings;
};
// From the middle of the swing that it would have stuck.
vibrated vibrate(const std::string& law, const vibration& given, double amplitude) {
  const double period = 2 * M_PI / given.w;
  const auto start = given.reach(amplitude);
  const double x = given.mean / given.kappa + start.imag();
  const double v = (std::complex<double>{0, given.w} * start).imag();
  const run_data data = run_text(fmt::format(
      "system = {{ kind = 'mass_under_force', mass = 1 }}\nfriction = {{ model = '{}' }}\nforce = "
      "{{ "
      "kind = 'sine', offset = {:.17g}, amplitude = {:.17g}, omega = {:.17g} }}\ninitial = {{ x = "
      "{:.17g}, v = {:.17g}, a = {:.17g} }}\nrun = {{ duration = {:.17g}, sample = {:.17g} }}\n",
      law, given.mean, amplitude, given.w, x, v, x, 100 * period, period));
  EXPECT_EQ(data.result.how, outcome::completed) << data.hint;
  std::size_t warnings = 0;
  for (const auto& each : data.doubts)
    if (each.find("% of what the friction holds at rest") != std::string::npos) ++warnings;
  return {std::abs(data["x"].back() - data["x"].front()), data.times_of("slip").size(), warnings};
}

// What no_drift means under vibration: the limit binds what the friction carries, not the force. At
// its own frequency a body on dai bristles carries three times what shakes it.
TEST(hold_under_vibration, UpToWhatTheBristlesCarryAndWarnedBeyond) {
  const double own = std::sqrt(1e5);
  for (const double multiple : {0.5, 0.9, 1.0, 1.1, 2.0})
    for (const bool stribeck : {false, true}) {
      const vibration given{1e5, 100, multiple * own, 0.6, 1, stribeck ? 1.5 : 1, 1e-3};
      const char* law = stribeck ? "dai_stribeck" : "dai";
      const double held = given.held();
      const vibrated below = vibrate(law, given, 0.97 * held);
      EXPECT_EQ(below.slips, 0U) << law << " at " << multiple;
      // A thousandth of the deflection: it begins as it swings under linear bristles.
      EXPECT_LT(below.walk, 1e-8) << law << " at " << multiple;
      EXPECT_EQ(below.warnings, 0U);
      const vibrated beyond = vibrate(law, given, 1.05 * held);
      EXPECT_GT(beyond.slips, 50U) << law << " at " << multiple;
      EXPECT_GT(beyond.walk, 1e-7) << law << " at " << multiple;
      const bool is_below = 0.6 + 1.05 * held < given.F_s;  // the force itself
      EXPECT_EQ(beyond.warnings, is_below ? 1U : 0U) << law << " at " << multiple;
    }
}

// Every law, shaken between 32 % and 88 % of its limit: it stays, or the run says why not.
TEST_P(hold_for_an_hour, OrARunSaysWhyNotAtItsOwnFrequency) {
  const any_model law(*GetParam());
  const double limit = limit_of(law);
  const run_data small = hold(*GetParam(), pulled(0.01 * limit));
  const double softness = std::abs(small["x"].back()) / (0.01 * limit);
  const double own = softness > 1e-12 ? 1 / std::sqrt(softness) : 1000;
  for (const double multiple : {0.5, 1.0, 2.0}) {
    const double period = 2 * M_PI / (multiple * own);
    const run_data data = run_text(fmt::format(
        "system = {{ kind = 'mass_under_force', mass = 1 }}\nfriction = {{ model = '{}' }}\nforce "
        "= "
        "{{ kind = 'piecewise', piece = [{{ until = {:.17g}, kind = 'ramp', slope = {:.17g} }}, {{ "
        "kind = 'sine', start = {:.17g}, offset = {:.17g}, amplitude = {:.17g}, omega = {:.17g} "
        "}}] "
        "}}\nrun = {{ duration = {:.17g}, sample = {:.17g} }}\n",
        GetParam()->key, 20 * period, 0.6 * limit / (20 * period), 20 * period, 0.6 * limit,
        0.28 * limit, multiple * own, 220 * period, period / 8));
    ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
    const auto& x = data["x"];
    const auto mean = [&](std::ptrdiff_t from) {
      return std::accumulate(x.begin() + 8 * from, x.begin() + 8 * (from + 40), 0.0) / 320;
    };
    const double walk = std::abs(mean(175) - mean(60));
    // What swings without dampers beats.
    const bool stays = walk <= 0.1 * softness * limit;
    const bool is_said =
        std::any_of(data.doubts.begin(), data.doubts.end(), [](const std::string& each) {
          return each.find("% of what the friction holds at rest") != std::string::npos;
        });
    EXPECT_TRUE(stays || is_said) << "walks by " << walk << " m at " << multiple;
  }
}

// ---- contacts with friction ---------------------------------------------------------------------

// In the second half of the hour, each column keeps to its value at half time.
void expect_rest(const run_data& data, const std::vector<std::string>& columns, double within,
                 long most_steps = 100'000) {
  ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
  EXPECT_LT(data.result.steps, most_steps);
  for (const auto& name : columns) {
    const auto& values = data[name];
    const std::size_t half = values.size() / 2;
    double furthest = 0;
    for (std::size_t i = half; i < values.size(); ++i)
      furthest = std::max(furthest, std::abs(values[i] - values[half]));
    EXPECT_LE(furthest, within) << name << ", " << data.result.steps << " steps";
  }
}

// A ball and a disc that are too heavy to turn, on a slope of 96 % of what friction holds. Its steps
// are 36 s long, in which gravity alone would give 346 m/s: the rounding of that, 1e-14 m/s, is all
// that the contact may move, a thousandth of a nanometre a minute.
const char* const steep = "slope = 0.0957117, mass = 1, radius = 0.5, inertia = 1e30 }";  // 0.96 mu
constexpr double rounding = 1e-14 * hour / 2;

run_data sphere(const std::string& contact) {
  return run_text(fmt::format(
      "system = {{ kind = 'sphere_on_plane', {}\n{}\ninitial = {{ z = 0.5 }}\nrun = {{ duration = "
      "3600, sample = 1 }}",
      steep, contact));
}

TEST(hold_contacts, SphereOnASlope) {
  expect_rest(sphere("contact = { model = 'dai_frictional_contact', mu = 0.1 }"), {"x", "y", "z"},
              rounding);
}

// Without an implicit step the explicit one takes as many as are stable, and rests to its tolerance:
// a millionth of the 0.1 mm by which the ball is pressed in.
TEST(hold_contacts, SphereWithFrictionOfItsOwn) {
  const run_data data =
      sphere("contact = { model = 'dai_contact' }\nfriction = { K = 1e5, beta = 1e-3, mu = 0.1 }");
  expect_rest(data, {"x", "y", "z"}, 1e-10, 1'000'000);
}

// They touch down and slip at first: what friction has then must stop them, too.
TEST(hold_contacts, DiscOnASlope) {
  for (const char* friction :
       {"model = 'dai', F = 0.1", "model = 'dai_stribeck', F_s = 0.1, F_c = 0.098"}) {
    SCOPED_TRACE(friction);
    const run_data data = run_text(
        fmt::format("system = {{ kind = 'rolling_disc', {}\ncontact = {{ model = 'dai_contact' "
                    "}}\nfriction = {{ "
                    "{} }}\ninitial = {{ z = 0.5 }}\nrun = {{ duration = 3600, sample = 1 }}",
                    steep, friction));
    expect_rest(data, {"x", "z"}, rounding);
  }
}

// ---- patches ------------------------------------------------------------------------------------

constexpr double F_s = 1.8, elastic = 1e-6;  // m per newton

// The wrench that cells hold at most while they turn about (x, y): on their limit surface.
std::array<double, 3> limit_wrench(const patch_cells& cells, double x, double y) {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < cells.share.size(); ++i) {
    const double dx = cells.x[i] - x, dy = cells.y[i] - y, r = std::hypot(dx, dy);
    const double f_x = -F_s * cells.share[i] * dy / r, f_y = F_s * cells.share[i] * dx / r;
    sum[0] += f_x;
    sum[1] += f_y;
    sum[2] += cells.x[i] * f_y - cells.y[i] * f_x;
  }
  return sum;
}

run_data hold_patch(int cells, const std::string& integrator, double x, double y) {
  const auto pull = limit_wrench(contact_patch::rectangle(0.1, 0.04).cells(cells), x, y);
  const auto ramp = [&](std::size_t i) { return pulled(share * pull[i]); };
  const auto limited = [&](std::size_t i) { return pull[i] == 0 ? std::string("0") : ramp(i); };
  return run_text(
      fmt::format("system = {{ kind = 'planar_body', mass = 0.5 }}\npatch = {{ shape = "
                  "'rectangle', width = 0.1, "
                  "height = 0.04, cells = {} }}\nfriction = {{ model = 'patch_dai', K = {}, F_c = "
                  "1.5, F_s = {}, "
                  "v_s = 5e-3 }}\nforce_x = {}\nforce_y = {}\ntorque = {}\n{}run = {{ duration = "
                  "3600, sample = "
                  "1 }}",
                  cells, 1 / elastic, F_s, limited(0), limited(1), limited(2), integrator));
}

// A force alone, a torque alone, and both; adaptive steps, and many cells in steps of 50 ms.
TEST(hold_patches, UnderForceAndTorque) {
  for (const auto& [cells, integrator] :
       std::vector<std::pair<int, std::string>>{{4, ""}, {12, "integrator = { step = 0.05 }\n"}})
    for (const auto& [x, y] : {std::pair{1e6, 0.0}, {0.0, 0.0}, {0.03, 0.012}}) {
      SCOPED_TRACE(fmt::format("{} cells, about ({}, {})", cells, x, y));
      const run_data data = hold_patch(cells, integrator, x, y);
      // A ten-thousand-millionth of the elastic deflection, along and (per metre) about.
      expect_rest(data, {"x", "y"}, 1e-10 * elastic);
      expect_rest(data, {"theta"}, 1e-10 * elastic / 0.01);
    }
}

TEST(hold_patches, InAGripper) {
  const double weight = 0.1 * 9.81;
  const run_data data = run_text(fmt::format(
      "system = {{ kind = 'gripped_object', mass = 0.1, inertia = 3.3e-4 }}\npatch = {{ shape = "
      "'disc', radius = 0.01, pressure = 'hertz', cells = 4 }}\nfriction = {{ model = 'patch_dai', "
      "K "
      "= 5e5, beta = 2e-3, F_c = {0}, F_s = {0} }}\nrun = {{ duration = 3600, sample = 1 }}",
      weight / share));
  expect_rest(data, {"x", "y"}, 1e-10 * elastic);
  expect_rest(data, {"theta"}, 1e-10 * elastic / 0.01);
}

}  // namespace
}  // namespace asperity
