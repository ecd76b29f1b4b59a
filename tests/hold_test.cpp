// SPDX-License-Identifier: Apache-2.0
// Stiction that holds: what claims no_drift holds a body at 96 % of its limit for one simulated hour
// at default settings: every friction law under a constant pull and under one that oscillates,
// contacts with friction on a slope, patches under forces and torques.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/models/frictional_contact/dai_frictional_contact.hpp>
#include <asperity/patch/contact_patch.hpp>
#include <asperity/run/simulate.hpp>
#include <chrono>
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

bool warns_of_vibration(const run_data& data) {
  return std::any_of(data.doubts.begin(), data.doubts.end(), [](const std::string& each) {
    return each.find("% of the static friction") != std::string::npos;
  });
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

// Every system in which friction can hold a body, at 96 % of the limit, with the place of the body.
// The belt pulls a spring, and reaches that at the end of the hour: the body stays where it is on it.
struct holder {
  const char* place;
  double drift;  // of that place, with what it rests on [1/s]
  std::string text;
};
std::vector<holder> holders(const std::string& law, double limit) {
  const double pull = share * limit, drift = pull / hour;
  const auto held = [&](const char* place, double speed, const std::string& text) {
    return holder{
        place, speed,
        fmt::format("{}\nfriction = {{ model = '{}' }}\nrun = {{ duration = {}, sample = 1 "
                    "}}\n",
                    text, law, hour)};
  };
  return {
      held("x", 0,
           fmt::format("system = {{ kind = 'pulled_mass', mass = 1, stiffness = 1 }}\nanchor = {}",
                       pulled(pull))),
      held("x", 0,
           fmt::format("system = {{ kind = 'wall_spring_mass', mass = 1, stiffness = 1 "
                       "}}\nforce = {}",
                       pulled(pull))),
      held("x", 0,
           fmt::format("system = {{ kind = 'mass_between_walls', mass = 1 }}\ncontact = {{ model "
                       "= 'dai_contact' }}\nforce = {}",
                       pulled(pull))),
      held("p", drift,
           fmt::format("system = {{ kind = 'mass_on_belt', mass = 1, k_1 = -1, k_2 = 0, speed = "
                       "{0} }}\ninitial = {{ v = {0} }}",
                       drift)),
      held("q", 0,
           fmt::format("system = {{ kind = 'servo_joint', stall_torque = 1, no_load_speed = 1, "
                       "inertia = 1, K_c = 1 }}\non = 0\ntorque = {}",
                       pulled(pull)))};
}

// Few steps, so that the hour takes a second: bristles may be of any stiffness, and what rests needs
// no short ones.
TEST_P(hold_for_an_hour, InEverySystemThatCanHoldABody) {
  const any_model law(*GetParam());
  const double limit = limit_of(law);
  const run_data alone = hold(*GetParam(), pulled(share * limit));
  const double deflection = std::abs(alone["x"].back());
  for (const holder& in : holders(GetParam()->key, limit)) {
    SCOPED_TRACE(in.text);
    const auto begin = std::chrono::steady_clock::now();
    const run_data data = run_text(in.text);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
    EXPECT_LT(data.result.steps, 200'000) << taken.count() << " s";
    const auto& x = data[in.place];
    const std::size_t half = x.size() / 2;
    double furthest = 0;
    for (std::size_t i = half; i < x.size(); ++i) {
      const double moved = x[i] - x[half] - in.drift * static_cast<double>(i - half);
      furthest = std::max(furthest, std::abs(moved));
    }
    // What swings on springs alone goes on; on the belt they are still being stretched.
    const double swing = law.is_ode() ? 0 : 0.05 * deflection;
    EXPECT_LE(furthest, in.drift > 0 ? 1.1 * deflection + 1e-9 * share * limit
                                     : swing + 1e-9 * deflection + 1e-15 * share * limit);
  }
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
    double low = 0, high = 10 * F_s;  // far above the own frequency friction carries less
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
    if (each.find("% of the static friction") != std::string::npos) ++warnings;
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
    EXPECT_TRUE(stays || warns_of_vibration(data)) << "walks by " << walk << " m at " << multiple;
  }
}

// What is thrown is not held: no warning, whether nothing pushes it or a force below the limit does
// while it is faster than any swing on its bristles.
TEST_P(hold_for_an_hour, OrIsThrownWhichIsNoSurprise) {
  const double limit = limit_of(any_model(*GetParam()));
  struct thrown {
    double push, speed;
  };
  for (const auto [push, speed] : {thrown{0, 1e-6}, thrown{0, 2e-3}, thrown{0, 4e-3},
                                   thrown{0, 0.1}, thrown{0.3, 0.1}, thrown{-0.3, 1}}) {
    const run_data data = run_text(fmt::format(
        "system = {{ kind = 'mass_under_force', mass = 1 }}\nfriction = {{ model = '{}' }}\nforce "
        "= "
        "{:.17g}\ninitial = {{ v = {:.17g} }}\nrun = {{ duration = {:.17g} }}\n",
        GetParam()->key, push * limit, speed, std::max(0.1, 2 * speed / (0.7 * limit))));
    ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
    EXPECT_FALSE(warns_of_vibration(data)) << "thrown at " << speed << " m/s";
  }
}

// ---- vibration of patches -----------------------------------------------------------------------

// A body on patch_dai cells that all stick is m x'' + K beta x' + K x = A sin(w t) along the surface,
// and I theta'' + K r^2 (beta theta' + theta) = T sin(w t) about its centre, r^2 the mean square of
// the distances of its cells: in units of the mass (or inertia) one `vibration`. It starts in the
// middle of the swing that it would have stuck, without a mean: its cells lean nowhere then.
constexpr double turned = 0.7;  // direction of the force [rad]: an odd one
const char* const shaken_patch =
    "patch = { shape = 'rectangle', width = 0.1, height = 0.04, cells = 4 }\nfriction = { model = "
    "'patch_dai', K = 1e5, beta = 1e-3, F_c = 1, v_s = 1e-3, F_s = ";

struct shaken {
  std::string text;
  double size;  // of the swing that it has stuck [m or rad]
};
// `push` names an axis and its share of the amplitude.
shaken shake_patch(const vibration& given, double inertia, double amplitude,
                   const std::vector<std::pair<std::string, double>>& push,
                   const std::vector<std::pair<std::string, double>>& speeds,
                   const std::string& more, double F_s = 1) {
  const auto swing = given.reach(amplitude) / inertia;
  std::string text = fmt::format(
      "system = {{ kind = 'planar_body', mass = 1, inertia = 1e-3 }}\n{}{} }}\n{}\nrun = {{ "
      "duration "
      "= {:.17g}, sample = {:.17g} }}\n",
      shaken_patch, F_s, more, 100 * 2 * M_PI / given.w, M_PI / given.w / 8);
  for (const auto& [name, share] : push)
    text += fmt::format(
        "{} = {{ kind = 'sine', amplitude = {:.17g}, omega = {:.17g}, phase = {:.17g} }}\n", name,
        share * amplitude, given.w, -std::arg(swing));
  text += "[initial]\n";
  for (const auto& [name, share] : speeds)
    text += fmt::format("{} = {:.17g}\n", name, share * given.w * std::abs(swing));
  return {text, std::abs(swing)};
}
const std::vector<std::pair<std::string, double>> along{{"force_x", std::cos(turned)},
                                                        {"force_y", std::sin(turned)}},
    along_speeds{{"v_x", std::cos(turned)}, {"v_y", std::sin(turned)}};

double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

// Below what the closed form says no cell slips, and the body is where the closed form has it; above
// it slips, and where the push itself is below the limit the run says why.
TEST(hold_under_vibration, OfAPatchAlongAnOddDirection) {
  const double own = std::sqrt(1e5);
  for (const double multiple : {0.5, 0.9, 1.0, 1.1, 2.0})
    for (const double F_s : {1.0, 1.5}) {
      SCOPED_TRACE(fmt::format("at {} times its own frequency, F_s = {}", multiple, F_s));
      const vibration given{1e5, 100, multiple * own, 0, 1, F_s, 1e-3};
      const double held = given.held();
      const shaken below = shake_patch(given, 1, 0.97 * held, along, along_speeds, "", F_s);
      const run_data data = run_text(below.text);
      ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
      EXPECT_TRUE(data.times_of("slip").empty());
      EXPECT_EQ(largest(data["slipping"]), 0);
      EXPECT_FALSE(warns_of_vibration(data));
      for (std::size_t i = 0; i < data["t"].size(); ++i) {
        const double x = below.size * std::sin(given.w * data["t"][i]);
        ASSERT_NEAR(data["x"][i], std::cos(turned) * x, 1e-3 * below.size) << i;
        ASSERT_NEAR(data["y"][i], std::sin(turned) * x, 1e-3 * below.size) << i;
      }
      const run_data beyond =
          run_text(shake_patch(given, 1, 1.03 * held, along, along_speeds, "", F_s).text);
      EXPECT_GT(beyond.times_of("slip").size(), 50U);
      EXPECT_EQ(warns_of_vibration(beyond), 1.03 * held < F_s);
    }
}

// Half the steps change nothing but their own error, which falls fourfold: no cell slips by numbers.
TEST(hold_under_vibration, OfAPatchDoesNotDependOnItsSteps) {
  const double own = std::sqrt(1e5);
  for (const double multiple : {0.5, 0.9, 1.0, 1.1, 2.0}) {
    const vibration given{1e5, 100, multiple * own, 0, 1, 1, 1e-3};
    double error[2] = {};
    for (const int half : {0, 1}) {
      const double h = M_PI / given.w / (half != 0 ? 128 : 64);
      const shaken below =
          shake_patch(given, 1, 0.97 * given.held(), along, along_speeds,
                      fmt::format("integrator = {{ method = 'sdirk2', step = {:.17g} }}", h));
      const run_data data = run_text(below.text);
      ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
      EXPECT_TRUE(data.times_of("slip").empty()) << multiple;
      error[half] = 0;
      for (std::size_t i = 0; i < data["t"].size(); ++i) {
        const double x = below.size * std::sin(given.w * data["t"][i]);
        error[half] = std::max(error[half], std::abs(data["x"][i] - std::cos(turned) * x));
      }
    }
    EXPECT_LT(error[0], 2e-3 * given.F_c / given.kappa) << multiple;
    EXPECT_NEAR(error[0] / error[1], 4, 0.5) << multiple;
  }
}

// The farthest cell slips first, at r K |theta + beta theta'|.
TEST(hold_under_vibration, OfAPatchAboutItsCentre) {
  const patch_cells cells = contact_patch::rectangle(0.1, 0.04).cells(4);
  double square = 0, reach = 0;
  for (std::size_t i = 0; i < cells.share.size(); ++i) {
    const double r = std::hypot(cells.x[i], cells.y[i]);
    square += cells.share[i] * r * r;
    reach = std::max(reach, r);
  }
  const double I = 1e-3, kappa = 1e5 * square / I, own = std::sqrt(kappa);
  for (const double multiple : {0.5, 0.9, 1.0, 1.1, 2.0}) {
    // As a torque over the inertia; what all cells carry stands to what the farthest one does as
    // square to reach.
    const double limit = square / reach / I;
    const vibration given{kappa, 1e-3 * kappa, multiple * own, 0, limit, limit, 1};
    const auto at = [&](double share) {
      const double torque = share * given.held() * I;
      return shake_patch(given, I, torque, {{"torque", 1}}, {{"omega", 1}}, "");
    };
    const shaken below = at(0.97);
    const run_data data = run_text(below.text);
    ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
    EXPECT_TRUE(data.times_of("slip").empty()) << multiple;
    for (std::size_t i = 0; i < data["t"].size(); ++i)
      ASSERT_NEAR(data["theta"][i], below.size * std::sin(given.w * data["t"][i]),
                  1e-3 * below.size)
          << i << " at " << multiple;
    EXPECT_FALSE(run_text(at(1.03).text).times_of("slip").empty()) << multiple;
  }
}

// A load that vibrates, too: in the same rhythm, where it is made least when the force is largest,
// and in one that has nothing to do with it. What is held is what the least load holds.
TEST(hold_under_vibration, OfAPatchWhoseLoadVibrates) {
  const double own = std::sqrt(1e5);
  for (const double multiple : {0.5, 0.9, 1.0, 1.1, 2.0})
    for (const double ratio : {1.0, 0.618}) {
      SCOPED_TRACE(fmt::format("at {} times its own frequency, the load at {}", multiple, ratio));
      const vibration given{1e5, 100, multiple * own, 0, 0.7, 0.7, 1};
      const std::string load = fmt::format(
          "load = {{ kind = 'sine', offset = 1, amplitude = 0.3, omega = {:.17g}, phase = {:.17g} "
          "}}",
          ratio * given.w, std::atan2(given.sigma * given.w, given.kappa) - M_PI);
      const double held = given.held();
      const run_data data =
          run_text(shake_patch(given, 1, 0.97 * held, along, along_speeds, load).text);
      ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
      EXPECT_TRUE(data.times_of("slip").empty());
      EXPECT_FALSE(warns_of_vibration(data));
      const run_data beyond =
          run_text(shake_patch(given, 1, 1.03 * held, along, along_speeds, load).text);
      EXPECT_FALSE(beyond.times_of("slip").empty());
      if (1.03 * held < 0.7) {
        EXPECT_TRUE(warns_of_vibration(beyond));
      }
    }
}

// With a mean of 0.6 of the limit, pulled slowly before: it stays where it is as long as the closed
// form leaves room for how the swing begins, and walks, with a warning, above it.
TEST(hold_under_vibration, OfAPatchUnderAMeanForce) {
  const double own = std::sqrt(1e5);
  for (const double multiple : {0.5, 0.9, 1.0, 1.1, 2.0}) {
    const vibration given{1e5, 100, multiple * own, 0.6, 1, 1, 1};
    const double period = 2 * M_PI / given.w, begin = 1;
    const auto run_at = [&](double amplitude) {
      std::string text = fmt::format(
          "system = {{ kind = 'planar_body', mass = 1, inertia = 1e-3 }}\n{}1 }}\nrun = {{ "
          "duration "
          "= {:.17g}, sample = {:.17g} }}\n",
          shaken_patch, begin + 100 * period, period / 16);
      for (const auto& [name, share] : along)
        text += fmt::format(
            "{0} = {{ kind = 'piecewise', piece = [{{ until = {1}, kind = 'ramp', slope = {2:.17g} "
            "}}, {{ kind = 'sine', start = {1}, offset = {2:.17g}, amplitude = {3:.17g}, omega = "
            "{4:.17g} }}] }}\n",
            name, begin, 0.6 * share, amplitude * share, given.w);
      return run_text(text);
    };
    // Over whole periods, late and early.
    const auto walk = [&](const run_data& data) {
      const auto& x = data["x"];
      const auto first = static_cast<std::ptrdiff_t>(x.size()) - 16 * 80;
      const auto mean = [&](std::ptrdiff_t from) {
        return std::accumulate(x.begin() + from, x.begin() + from + 16 * 20, 0.0) / (16 * 20);
      };
      return std::abs(mean(static_cast<std::ptrdiff_t>(x.size()) - 16 * 20) - mean(first));
    };
    const run_data below = run_at(0.6 * given.held());
    ASSERT_EQ(below.result.how, outcome::completed) << below.hint;
    EXPECT_LT(walk(below), 1e-3 * 1e-5) << multiple;
    EXPECT_FALSE(warns_of_vibration(below)) << multiple;
    const double beyond = 1.2 * given.held();
    const run_data walking = run_at(beyond);
    EXPECT_GT(walk(walking), 0.1 * 1e-5) << multiple;
    EXPECT_EQ(warns_of_vibration(walking), 0.6 + beyond < 1) << multiple;
  }
}

// What is thrown is not held: no warning.
TEST(hold_under_vibration, OfAPatchThatIsThrownIsNoSurprise) {
  const run_data data = run_text(fmt::format(
      "system = {{ kind = 'planar_body', mass = 1, inertia = 1e-3 }}\n{}1 }}\ninitial = {{ v_x = "
      "0.1, omega = 3 }}\nrun = {{ duration = 0.3 }}\n",
      shaken_patch));
  ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
  EXPECT_FALSE(warns_of_vibration(data));
}

// An object between pads under its weight: once its first swing is gone it is shaken along the pads,
// upwards and downwards. 0.7 of what the closed form holds leaves room for how the swing begins; at
// 1.3 the object sinks, though its weight and the shaking together are below the limit.
TEST(hold_under_vibration, OfAnObjectBetweenPads) {
  const double own = std::sqrt(1e5), weight = 0.4, begin = 0.5;
  for (const double multiple : {0.9, 1.0}) {
    SCOPED_TRACE(fmt::format("at {} times its own frequency", multiple));
    const vibration given{1e5, 100, multiple * own, weight, 1, 1, 1};
    const double period = 2 * M_PI / given.w;
    const auto shaken_by = [&](double amplitude) {
      return run_text(fmt::format(
          "system = {{ kind = 'gripped_object', mass = 1, inertia = 1e-3, gravity = {} }}\n{}1 }}\n"
          "force_y = {{ kind = 'piecewise', piece = [{{ until = {}, kind = 'constant', value = 0 "
          "}}, "
          "{{ kind = 'sine', start = {}, amplitude = {:.17g}, omega = {:.17g} }}] }}\nrun = {{ "
          "duration = {:.17g}, sample = {:.17g} }}\n",
          weight, shaken_patch, begin, begin, amplitude, given.w, begin + 100 * period,
          period / 16));
    };
    const run_data below = shaken_by(0.7 * given.held());
    ASSERT_EQ(below.result.how, outcome::completed) << below.hint;
    EXPECT_TRUE(below.times_of("slip").empty());
    EXPECT_FALSE(warns_of_vibration(below));
    const double beyond = 1.3 * given.held();
    ASSERT_LT(weight + beyond, 1);
    const run_data sinking = shaken_by(beyond);
    ASSERT_EQ(sinking.result.how, outcome::completed) << sinking.hint;
    EXPECT_FALSE(sinking.times_of("slip").empty());
    EXPECT_LT(sinking["y"].back(), -2 * 1 / 1e5);  // farther than its cells lean to either side
    EXPECT_TRUE(warns_of_vibration(sinking));
    // It names the frequency along the pads.
    const auto named = fmt::format("{:.3g} Hz along the surface", own / (2 * M_PI));
    EXPECT_TRUE(std::any_of(sinking.doubts.begin(), sinking.doubts.end(), [&](const auto& each) {
      return each.find(named) != std::string::npos;
    }));
  }
}

// ---- vibration of contacts with friction --------------------------------------------------------

// A block that lies on dai_frictional_contact, pushed along the surface and pressed on it by forces
// that vibrate. y = (x y p, v, e a_x a_y).
struct shaken_block {
  dai_frictional_contact<double> law;
  double m = 1, weight = 10;
  double amplitude = 0, w = 1, phase = 0;          // of the push, along `turned`
  double press = 0, w_press = 1, phase_press = 0;  // of what presses, beside the weight

  static constexpr int capacity = 9;
  static int size() { return capacity; }
  static touch<double> touch_at(const double* y) { return {y[2], y[5], {{y[3], y[4]}}}; }
  static vec<double, 3> state_at(const double* y) { return {{y[6], y[7], y[8]}}; }
  void rates(double t, const double* y, double* rate) const {
    const auto f = law(state_at(y), touch_at(y));
    const double push = amplitude * std::sin(w * t + phase);
    for (int i = 0; i < 3; ++i) rate[i] = y[3 + i];
    rate[3] = (push * std::cos(turned) - f.f_t[0]) / m;
    rate[4] = (push * std::sin(turned) - f.f_t[1]) / m;
    rate[5] = (f.f_n - weight - press * std::sin(w_press * t + phase_press)) / m;
    for (int i = 0; i < 3; ++i) rate[6 + i] = f.rate[i];
  }

  // While the contact is closed, e = -p/(1 + alpha s) and f_n = -K_1 (1 + beta_1 s)/(1 + alpha s) p.
  std::complex<double> normal_stiffness(double omega) const {
    const std::complex<double> s{0, omega};
    return law.K_1 * (1.0 + law.beta_1 * s) / (1.0 + law.alpha * s);
  }
  std::complex<double> gap_swing() const {
    return press / (m * w_press * w_press - normal_stiffness(w_press));
  }
  std::complex<double> slip_swing() const {
    return amplitude / std::complex<double>{law.K_2 - m * w * w, law.K_2 * law.beta_2 * w};
  }
  // Largest friction and least normal force of the swing that it has stuck.
  double friction() const {
    return std::abs(slip_swing() * std::complex<double>{law.K_2, law.K_2 * law.beta_2 * w});
  }
  double least_press() const { return weight - std::abs(gap_swing() * normal_stiffness(w_press)); }
  // The push that it just holds, whenever the two meet.
  double held() const { return law.mu * least_press() * amplitude / friction(); }

  std::array<double, capacity> place_at(double t) const {
    const auto slip = slip_swing() * std::polar(1.0, w * t + phase);
    const auto gap = gap_swing() * std::polar(1.0, w_press * t + phase_press);
    const auto e = -gap / (1.0 + std::complex<double>{0, law.alpha * w_press});
    const double x = slip.imag(), v = (std::complex<double>{0, w} * slip).imag();
    const double rest = weight / law.K_1;
    return {
        std::cos(turned) * x, std::sin(turned) * x, gap.imag() - rest,
        std::cos(turned) * v, std::sin(turned) * v, (std::complex<double>{0, w_press} * gap).imag(),
        e.imag() + rest,      std::cos(turned) * x, std::sin(turned) * x};
  }

  struct shaken_for {
    double error = 0;         // of x and y against the closed form [m]
    double most = -HUGE_VAL;  // slip margin [N]
  };
  shaken_for shake(double periods, int steps_of_a_period) const {
    auto y = place_at(0);
    shaken_for found;
    const double h = 2 * M_PI / std::max(w, w_press) / steps_of_a_period;
    const auto steps = static_cast<long>(periods * 2 * M_PI / w / h);
    for (long i = 0; i < steps; ++i) {
      rk4_step(*this, static_cast<double>(i) * h, h, y.data());
      const auto there = place_at(static_cast<double>(i + 1) * h);
      found.error = std::max(found.error, std::hypot(y[0] - there[0], y[1] - there[1]));
      found.most = std::max(found.most, law.slip_margin(state_at(y.data()), touch_at(y.data())));
    }
    return found;
  }
};

// At and around the frequencies of the bristles along and across the surface: stuck below what the
// closed form says, in its place after hundreds of periods, whatever the step; slipping above it.
TEST(hold_under_vibration, OfAContactWithFriction) {
  shaken_block block;
  block.law = {.K_1 = 1e5, .beta_1 = 4e-3, .alpha = 2.8e-3, .K_2 = 1e5, .beta_2 = 1e-3, .mu = 0.3};
  const double own = std::sqrt(block.law.K_2 / block.m);
  for (const double multiple : {0.5, 0.9, 1.0, 1.1, 2.0})
    for (const double press : {0.0, 1.0})
      for (const double of_press : {multiple, 0.618 * multiple}) {
        SCOPED_TRACE(fmt::format("push at {}, press of {} N at {}", multiple, press, of_press));
        block.w = multiple * own;
        block.press = press;
        block.w_press = of_press * own;
        block.amplitude = 1;
        ASSERT_GT(block.least_press(), 0);
        const double held = block.held();
        // In one rhythm the largest friction is made to meet the least press.
        const auto carried =
            block.slip_swing() *
            std::complex<double>{block.law.K_2, block.law.K_2 * block.law.beta_2 * block.w};
        const auto pressing = -block.gap_swing() * block.normal_stiffness(block.w_press);
        block.phase = M_PI / 2 - std::arg(carried);
        block.phase_press = press > 0 ? -M_PI / 2 - std::arg(pressing) : 0;

        block.amplitude = 0.97 * held;
        const auto below = block.shake(300, 400), finer = block.shake(300, 800);
        const double deflection = block.law.mu * block.weight / block.law.K_2;
        EXPECT_LT(below.most, 0);
        EXPECT_LT(below.error, 1e-6 * deflection);
        EXPECT_LT(finer.error, below.error / 8 + 1e-12 * deflection);
        block.amplitude = 1.03 * held;
        EXPECT_GT(block.shake(100, 400).most, 0);
      }
}

// The push is below the limit, but what the bristles carry is not: with a mean it walks. That is the
// law, which the page of the model says; no system takes a force on such a contact.
TEST(hold_under_vibration, OfAContactWithFrictionIsBoundByWhatItCarries) {
  shaken_block block;
  block.law = {.K_1 = 1e5, .beta_1 = 4e-3, .alpha = 2.8e-3, .K_2 = 1e5, .beta_2 = 1e-3, .mu = 0.3};
  block.w = std::sqrt(block.law.K_2 / block.m);
  block.amplitude = 1;
  block.amplitude = 1.1 * block.held();
  EXPECT_LT(block.amplitude, 0.5 * block.law.mu * block.weight);
  EXPECT_GT(block.shake(10, 400).error, 1e-2 * block.law.mu * block.weight / block.law.K_2);
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
