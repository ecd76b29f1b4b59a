// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/identify/scenario_report.hpp>
#include <chrono>
#include <cmath>
#include <random>

namespace asperity {
namespace {

const std::vector<std::string> keys{"system.mass", "system.damping", "hysteresis.gamma"};

toml_value mass_with_memory(double relative_tolerance) {
  toml_value document = parse_toml(R"(
[system]
kind = "wall_spring_mass"
mass = 2
stiffness = "50000 N/m"
damping = "10 N s/m"
[hysteresis]
model = "bouc_wen"
alpha = 50000
beta = 1000
gamma = 0.8
delta = -1.1
[force]
kind = "sine"
amplitude = "60 N"
frequency = "31 Hz"
[integrator]
method = "dopri5"
[run]
duration = 1
)",
                                   "mass_with_memory");
  assign(document, "integrator.relative_tolerance", toml_value::of(relative_tolerance));
  return document;
}

// The record is of another motion of about the same size: residuals are not small.
fit_problem problem_at(double relative_tolerance) {
  scenario_record one;
  one.document = mass_with_memory(relative_tolerance);
  one.name = "mass_with_memory";
  record::channel x{.name = "x", .values = {}, .in = units::metre};
  for (int k = 0; k <= 300; ++k) {
    one.measured.t.push_back(k / 750.0);
    x.values.push_back(1e-3 * std::sin(2 * 3.14159 * 31 * k / 750.0));
  }
  one.measured.channels.push_back(x);
  one.measured.pieces.push_back({0, one.measured.t.size()});
  const auto unknowns = unknowns_of(one.document, one.name, "", keys);
  return make_scenario_problem({one}, unknowns, {{.column = "x", .channel = "x", .weight = 1}});
}

const std::vector<double> here{1.9, 11, 0.7};

// Parameters of an inclusion are given with their units, which they keep.
TEST(scenario_fit, ParametersOfAnInclusionKeepTheirUnits) {
  const toml_value document = parse_toml(R"(
[system]
kind = "inclusion"
[parameters]
M = "1200 g"
k = "100 N/m"
[states]
p = { unit = "m", rate = "w", initial = 1 }
w = { unit = "m/s", rate = "-k*p/M" }
[run]
duration = 1
)",
                                         "swing");
  const auto unknowns = unknowns_of(document, "swing", "", {"parameters.M"});
  ASSERT_EQ(unknowns.size(), 1U);
  EXPECT_DOUBLE_EQ(unknowns[0].start, 1.2);
  EXPECT_EQ(to_string(unknowns[0].in), "kg");
  const std::vector<double> values{1.5};
  const toml_value moved = with_values(document, unknowns, values);
  EXPECT_EQ(moved.find("parameters")->find("M")->text, "1.5 kg");
  const auto run = simulate(read_scenario(moved, "swing", ""));
  EXPECT_NEAR(run["p"].back(), std::cos(std::sqrt(100 / 1.5)), 1e-3);
  EXPECT_THROW(static_cast<void>(unknowns_of(document, "swing", "", {"system.kind"})), error);
}

// Periods that repeat show the noise of their mean, whatever its colour: a model that leaves no more than
// that is told, and one that leaves more is a misfit.
TEST(scenario_fit, PeriodsShowTheNoise) {
  const int rows = 200, periods = 6;
  const double step = 1e-3;
  record measured;
  measured.name = "periods";
  record::channel force{.name = "force", .values = {}, .in = units::newton};
  record::channel x{.name = "x", .values = {}, .in = units::metre};
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  // Of m x'' + c x' + k x = F cos(w t) in its steady state, the closed form.
  const double m = 2, c = 20, k = 5e4, amplitude = 60,
               w = 2 * 3.141592653589793 * 5 / (rows * step);
  const double real = k - m * w * w, imaginary = c * w, size = real * real + imaginary * imaginary;
  double noise = 0;
  for (int i = 0; i < rows * periods; ++i) {
    const double t = i * step;
    noise = 0.7 * noise + std::sqrt(1 - 0.49) * 2e-5 * normal(random);
    measured.t.push_back(t);
    force.values.push_back(amplitude * std::cos(w * t));
    x.values.push_back(amplitude / size * (real * std::cos(w * t) + imaginary * std::sin(w * t)) +
                       noise);
  }
  measured.channels = {force, x};
  measured.pieces = {{0, measured.t.size()}};
  const record mean = average_periods(measured, rows * step, 20);
  EXPECT_TRUE(mean.warnings.empty());
  EXPECT_LT(mean.channels[0].noise, 1e-12);
  EXPECT_NEAR(mean.channels[1].noise, 2e-5 / std::sqrt(6.0), 0.15 * 2e-5 / std::sqrt(6.0));
  EXPECT_EQ(mean.channels[1].noise_samples, rows * (periods - 1));

  // A row that is missing shifts none of those after it.
  record lacking = measured;
  lacking.t.erase(lacking.t.begin() + 700);
  for (auto& each : lacking.channels) each.values.erase(each.values.begin() + 700);
  lacking.pieces = {{0, lacking.t.size()}};
  const record again = average_periods(lacking, rows * step, 20);
  ASSERT_EQ(again.t.size(), mean.t.size());
  for (std::size_t k = 0; k < again.t.size(); ++k) {
    ASSERT_NEAR(again.t[k], mean.t[k], 1e-12);
    ASSERT_NEAR(again.channels[0].values[k], mean.channels[0].values[k], 1e-9) << k;
    ASSERT_NEAR(again.channels[1].values[k], mean.channels[1].values[k], 2e-5) << k;
  }
  // Rows in all places cannot be averaged, and those of another period are no noise.
  record uneven = measured;
  for (std::size_t k = 0; k < uneven.t.size(); ++k)
    uneven.t[k] += 0.03 * std::sin(0.01 * static_cast<double>(k));
  EXPECT_THROW(static_cast<void>(average_periods(uneven, rows * step, 1)), error);
  const record wrong_period = average_periods(measured, (rows - 10) * step, 1);
  ASSERT_EQ(wrong_period.warnings.size(), 2U);
  EXPECT_NE(wrong_period.warnings[0].find("check --period"), std::string::npos);
  EXPECT_EQ(wrong_period.channels[1].noise_samples, 0);

  const auto report_with = [&](double damping) {
    scenario_setup setup;
    scenario_record one;
    one.document = parse_toml(R"(
[system]
kind = "wall_spring_mass"
mass = 1.9
stiffness = "50000 N/m"
[friction]
model = "coulomb"
F_c = 1e-6
[integrator]
method = "dopri5"
relative_tolerance = 1e-8
[run]
duration = 1
)",
                              "periods");
    assign(one.document, "system.damping", toml_value::of(damping));
    one.name = "periods";
    one.measured = mean;
    one.settle = 20 * rows * step;
    set_input(one.document, "force", mean, "force", "band_limited", rows * step);
    setup.records = {one};
    setup.matches = {{.column = "x", .channel = "x", .weight = 1}};
    fit_options options;
    options.starts = 0;
    return fit_scenario(setup, {.keys = {"system.mass"}}, options);
  };
  const scenario_report right = report_with(20), wrong = report_with(25);
  ASSERT_EQ(right.result.how, fit_result::ending::converged) << right.result.detail;
  EXPECT_EQ(right.result.estimates[0].is, estimate::verdict::determined) << report_text(right);
  EXPECT_NEAR(right.result.values[0], m, 4 * right.result.estimates[0].standard_error);
  EXPECT_NE(report_text(right).find("explains all that repeats"), std::string::npos)
      << report_text(right);
  EXPECT_EQ(report_text(right).find("structure that the model lacks"), std::string::npos)
      << report_text(right);
  EXPECT_EQ(report_text(right).find("The residuals are not noise"), std::string::npos)
      << report_text(right);
  EXPECT_EQ(wrong.result.estimates[0].is, estimate::verdict::misfit) << report_text(wrong);
  EXPECT_NE(report_text(wrong).find("larger than the noise that repeated periods show"),
            std::string::npos)
      << report_text(wrong);
}

// Adaptive steps leave a noise, above which differences must stay: slopes at a rough tolerance are
// those of central differences at a sharp one.
TEST(scenario_fit, SlopesStandAboveTheNoiseOfIntegration) {
  const fit_problem rough = problem_at(1e-7), sharp = problem_at(1e-11);
  const std::size_t rows = rough.residuals();
  std::vector<double> r(rows), up(rows), down(rows), slopes(rows * keys.size());
  for (int call = 0; call < 3; ++call)
    ASSERT_TRUE(rough.derivative(here, r, {slopes.data(), rows, keys.size()}));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const double h = 1e-4 * here[i];
    std::vector<double> moved = here;
    moved[i] += h;
    ASSERT_TRUE(sharp.residual(moved, up));
    moved[i] -= 2 * h;
    ASSERT_TRUE(sharp.residual(moved, down));
    double off = 0, all = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double slope = (up[row] - down[row]) / (2 * h);
      off += std::pow(slopes[row * keys.size() + i] - slope, 2);
      all += slope * slope;
    }
    EXPECT_LT(std::sqrt(off / all), 0.03) << keys[i];
  }
}

// What one fit has learnt of its steps does not move the next.
TEST(scenario_fit, TheSameFitAgainGivesTheSameBits) {
  const fit_problem p = problem_at(1e-7);
  const fit_options options{.starts = 0, .max_iterations = 3, .intervals = false};
  const fit_result first = fit(p, options), second = fit(p, options);
  EXPECT_EQ(first.values, second.values);
  EXPECT_EQ(first.rms, second.rms);
}

// F_c is just below F_s: a step upwards breaks the rule of the model and cannot be run. The slope is that of
// steps downwards. Far above v_s the force is F_c, so that it is 1.
TEST(scenario_fit, SlopesAreFoundBesideARule) {
  scenario_record one;
  one.document = parse_toml(R"(
[system]
kind = "prescribed_motion"
[motion]
of = "position"
kind = "ramp"
slope = 0.1
[friction]
model = "dai_stribeck"
F_c = 0.99999
F_s = 1
v_s = 1e-4
sigma_2 = 0
[run]
duration = 1
)",
                            "rubbing");
  one.name = "rubbing";
  record::channel f{.name = "f", .values = {}, .in = units::newton};
  for (int k = 0; k <= 50; ++k) {
    one.measured.t.push_back(0.02 * k);
    f.values.push_back(0.5);
  }
  one.measured.channels.push_back(f);
  one.measured.pieces.push_back({0, one.measured.t.size()});
  const auto unknowns = unknowns_of(one.document, one.name, "", {"friction.F_c"});
  const fit_problem p =
      make_scenario_problem({one}, unknowns, {{.column = "f", .channel = "f", .weight = 1}});
  std::vector<double> r(p.residuals()), slopes(r.size());
  ASSERT_FALSE(p.residual(std::vector<double>{1.0001}, r));
  ASSERT_TRUE(p.derivative(std::vector<double>{0.99999}, r, {slopes.data(), r.size(), 1}));
  EXPECT_NEAR(slopes.back(), 1, 1e-3);
}

// Values that need many times the steps of the start are refused soon, not waited for.
TEST(scenario_fit, ValuesThatMakeItStiffAreRefused) {
  const fit_problem p = problem_at(1e-8);
  std::vector<double> r(p.residuals());
  const std::vector<double> stiff{1e-8, 11, 0.7};
  ASSERT_TRUE(p.residual(here, r));
  EXPECT_FALSE(p.residual(stiff, r));
  EXPECT_TRUE(p.residual(here, r));
}

// ---- candidates, and records that were not fitted -------------------------------------------------

constexpr double step = 1.0 / 750;

// m x'' + c x' + k x = F sin(w t) from rest, in closed form.
struct oscillator {
  double m = 2, k = 5e4, c = 120;

  double at(double t, double amplitude, double frequency) const {
    const double w = 2 * std::acos(-1.0) * frequency;
    const double stiff = k - m * w * w, lag = c * w, size = stiff * stiff + lag * lag;
    const double a = amplitude * stiff / size, b = -amplitude * lag / size;  // of sin, of cos
    const double decay = c / (2 * m), own = std::sqrt(k / m - decay * decay);
    const double p = -b, q = (decay * p - a * w) / own;
    return a * std::sin(w * t) + b * std::cos(w * t) +
           std::exp(-decay * t) * (p * std::cos(own * t) + q * std::sin(own * t));
  }
};

toml_value at_a_wall() {
  return parse_toml(R"(
[system]
kind = "wall_spring_mass"
mass = 2.2
stiffness = 45000
[hysteresis]
model = "bouc_wen"
alpha = 1e-9
beta = 1e-9
[integrator]
method = "dopri5"
relative_tolerance = 1e-8
[run]
duration = 1
)",
                    "at_a_wall");
}

scenario_record along(const oscillator& truth, double frequency, double noise, unsigned seed,
                      int rows = 300) {
  scenario_record one{at_a_wall(), "at_a_wall", "", {}, 0};
  std::mt19937_64 random(seed);
  std::normal_distribution<double> white;
  record::channel x{.name = "x_m", .values = {}, .in = units::metre};
  for (int i = 0; i < rows; ++i) {
    one.measured.t.push_back(i * step);
    x.values.push_back(truth.at(i * step, 50, frequency) + noise * white(random));
  }
  one.measured.name = "folder/" + std::to_string(static_cast<int>(frequency)) + "_Hz.csv";
  one.measured.channels.push_back(x);
  one.measured.pieces.push_back({0, one.measured.t.size()});
  assign(one.document, "force.kind", toml_value::of(std::string("sine")));
  assign(one.document, "force.amplitude", toml_value::of(50.0));
  assign(one.document, "force.frequency", toml_value::of(frequency));
  return one;
}

const std::vector<std::string> of_mass{"system.mass"}, of_spring{"system.mass", "system.stiffness"},
    of_all{"system.mass", "system.stiffness", "system.damping"};
const fit_options plain{.starts = 0, .nearby = 0, .searches_on = 0, .intervals = false};

scenario_setup setup_of(const oscillator& truth, double noise) {
  return {.records = {along(truth, 20, noise, 1), along(truth, 33, noise, 2)},
          .validation = {along(truth, 27, 0, 3)},
          .matches = {{.column = "x", .channel = "x_m", .weight = 1}}};
}

const scenario_report& candidate(const scenario_comparison& of, const std::string& name) {
  for (const auto& each : of.ranking)
    if (each.candidate.name == name) return each;
  throw error("no candidate " + name);
}

std::vector<std::string> names_of(const scenario_comparison& of) {
  std::vector<std::string> names;
  for (const auto& each : of.ranking) names.push_back(each.candidate.name);
  return names;
}

// The damping starts at 0, on the end of its range, and has to leave it.
TEST(scenario_fit, NestedCandidatesAreRankedByTheTruth) {
  const oscillator truth;
  const auto c = compare_scenarios(
      setup_of(truth, 1e-5), {{"mass", of_mass}, {"spring", of_spring}, {"damper", of_all}}, plain);
  EXPECT_EQ(names_of(c), (std::vector<std::string>{"damper", "spring", "mass"}));
  const auto& best = c.ranking.front();
  EXPECT_NEAR(best.result.values[0], truth.m, 2e-3 * truth.m);
  EXPECT_NEAR(best.result.values[1], truth.k, 2e-3 * truth.k);
  EXPECT_NEAR(best.result.values[2], truth.c, 0.02 * truth.c);
  EXPECT_NEAR(best.result.rms, 1e-5, 1e-6);
  EXPECT_NE(c.verdict.find("The best candidate is damper"), std::string::npos) << c.verdict;
}

// What is not needed costs log n for each parameter and gains nothing: without damping there is one too
// many. Both fits have white residuals of the same size, so that BIC can be told in advance.
TEST(scenario_fit, AKeyThatIsNotNeededRanksBelow) {
  const oscillator truth{.c = 0};
  const auto c =
      compare_scenarios(setup_of(truth, 1e-5), {{"damper", of_all}, {"spring", of_spring}}, plain);
  EXPECT_EQ(names_of(c), (std::vector<std::string>{"spring", "damper"}));
  EXPECT_LE(candidate(c, "damper").result.rms, candidate(c, "spring").result.rms * (1 + 1e-6));
  const double gap = candidate(c, "damper").result.bic - candidate(c, "spring").result.bic;
  EXPECT_GT(gap, 0);
  EXPECT_LT(gap, std::log(600) + 0.1);
}

// From its own start, at a hundredth of the stiffness, the richer one stays beside the resonances. The
// other is put at the truth, and the richer one goes on from its end.
TEST(scenario_fit, ARicherCandidateIsNotStuck) {
  const oscillator truth;
  scenario_setup setup = setup_of(truth, 1e-6);
  for (auto* list : {&setup.records, &setup.validation})
    for (auto& each : *list) apply_override(each.document, "system.stiffness=500");
  const scenario_candidate richer{"richer", of_all};
  const scenario_candidate put{"put", of_mass, {"system.stiffness=50000", "system.damping=0"}};
  const double alone = fit_scenario(setup, richer, plain).result.rms;
  ASSERT_GT(alone, 1e-4);
  for (const bool is_first : {true, false}) {
    const auto c = compare_scenarios(
        setup, is_first ? std::vector{richer, put} : std::vector{put, richer}, plain);
    EXPECT_EQ(names_of(c), (std::vector<std::string>{"richer", "put"}));
    EXPECT_NEAR(candidate(c, "richer").result.rms, 1e-6, 1e-7);
  }
}

// The closed form with the values that were found, against the record.
TEST(scenario_fit, RecordsThatWereNotFittedAreJudged) {
  const oscillator truth;
  const scenario_setup setup = setup_of(truth, 0);
  const auto r = fit_scenario(setup, {"", of_spring}, plain);  // without damping: it must be off
  ASSERT_EQ(r.traces.size(), 3U);
  const oscillator found{r.result.values[0], r.result.values[1], 0};
  const double frequencies[] = {20, 33, 27};
  double of_fitted = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& trace = r.traces[k];
    EXPECT_EQ(trace.is_fitted, k < 2);
    EXPECT_EQ(trace.record, std::to_string(static_cast<int>(frequencies[k])) + "_Hz.csv");
    double squares = 0, sizes = 0;
    for (int i = 0; i < 300; ++i) {
      const double off =
          found.at(i * step, 50, frequencies[k]) - truth.at(i * step, 50, frequencies[k]);
      squares += off * off / 300;
      sizes += std::abs(off) / 300;
    }
    ASSERT_GT(sizes, 1e-5);
    EXPECT_NEAR(trace.rms, std::sqrt(squares), 1e-3 * std::sqrt(squares)) << k;
    EXPECT_NEAR(trace.mean_absolute, sizes, 1e-3 * sizes) << k;
    if (k < 2) of_fitted += sizes / 2;
    if (k == 2) {
      EXPECT_NEAR(r.validated_mean_absolute, sizes, 1e-3 * sizes);
      EXPECT_NEAR(r.validated_rms, std::sqrt(squares), 1e-3 * std::sqrt(squares));
    }
  }
  EXPECT_NEAR(r.mean_absolute, of_fitted, 1e-3 * of_fitted);
}

// The last quarter of the record is 1 mm off. A fit to the rest does not know, and misses it by that.
TEST(scenario_fit, TheEndThatIsHeldOutIsJudgedByAFitToTheRest) {
  scenario_setup setup = setup_of({}, 1e-6);
  for (auto& each : setup.records)
    for (std::size_t i = 225; i < 300; ++i) each.measured.channels[0].values[i] += 1e-3;
  setup.hold_out = 0.25;
  const auto r = fit_scenario(setup, {"", of_all}, plain);
  EXPECT_NEAR(r.held_out_rms, 1e-3, 2e-5);
  EXPECT_EQ(r.samples, 600U);
  EXPECT_LT(r.result.rms, 0.6e-3);
  EXPECT_GT(r.result.rms, 0.3e-3);
  setup.hold_out = 0;
  EXPECT_EQ(fit_scenario(setup, {"", of_all}, plain).held_out_rms, 0);
}

// The sizes at which residuals change by a tenth, from the closed form.
TEST(scenario_fit, AKeyThatStartsAtZeroGetsItsSizeFromTheRecord) {
  const scenario_record one = along({}, 20, 0, 1);
  auto unknowns = unknowns_of(one.document, one.name, "", of_all);
  EXPECT_EQ(unknowns[2].start, 0);
  EXPECT_EQ(unknowns[2].allowed.lower, 0);
  EXPECT_EQ(unknowns[2].meaning, "damping of the damper parallel to the spring");
  const fit_problem p =
      make_scenario_problem({one}, unknowns, {{.column = "x", .channel = "x_m", .weight = 1}});
  find_sizes(p, unknowns);
  EXPECT_EQ(unknowns[0].scale, 0);
  const auto change_at = [&](double damping) {
    double change = 0, all = 0;
    for (int i = 0; i < 300; ++i) {
      const double t = i * step, measured = oscillator().at(t, 50, 20);
      const double here = oscillator{2.2, 45000, 0}.at(t, 50, 20);
      change += std::pow(oscillator{2.2, 45000, damping}.at(t, 50, 20) - here, 2);
      all += std::pow(here - measured, 2);
    }
    return std::sqrt(change / all);
  };
  EXPECT_GE(change_at(unknowns[2].scale), 0.1);
  EXPECT_LT(change_at(unknowns[2].scale / 10), 0.1);
}

// Ranges are those of the system: an angle may become negative, whatever it starts at.
TEST(scenario_fit, RangesAreThoseOfTheSystem) {
  const toml_value servo = parse_toml(R"(
[system]
kind = "servo_joint"
stall_torque = 1
no_load_speed = 10
mass = 0.5
length = 0.1
[friction]
model = "coulomb"
F_c = 1
[run]
duration = 1
)",
                                      "servo");
  const auto unknowns = unknowns_of(
      servo, "servo", "", {"system.zero_angle", "system.one_sided", "system.K_c", "friction.F_c"});
  EXPECT_EQ(unknowns[0].allowed.lower, -unbounded);
  EXPECT_EQ(unknowns[1].allowed.lower, -1);
  EXPECT_EQ(unknowns[1].allowed.upper, 1);
  EXPECT_EQ(unknowns[2].allowed.lower, 0);
  EXPECT_FALSE(unknowns[3].meaning.empty());
}

TEST(scenario_fit, ThreadsDoNotMoveTheResult) {
  scenario_setup setup = setup_of({}, 1e-5);
  setup.threads = 1;
  const auto one = fit_scenario(setup, {"", of_all}, plain);
  setup.threads = 3;
  const auto three = fit_scenario(setup, {"", of_all}, plain);
  EXPECT_EQ(one.result.values, three.result.values);
}

// Residuals are in standard deviations of each channel then, and errors in the channel's own unit.
TEST(scenario_fit, SeveralMatchesAreWeighed) {
  scenario_setup setup = setup_of({}, 0);
  setup.validation.clear();
  setup.matches = {{"x", "x_m", 0}, {"v", "v_m_s", 0}};
  for (auto& each : setup.records) {
    record::channel v{.name = "v_m_s", .values = {}, .in = units::metre / units::second};
    const double h = 1e-6, frequency = each.measured.name == "folder/20_Hz.csv" ? 20 : 33;
    for (const double t : each.measured.t)
      v.values.push_back(
          (oscillator().at(t + h, 50, frequency) - oscillator().at(t - h, 50, frequency)) /
          (2 * h));
    each.measured.channels.push_back(v);
  }
  const auto r = fit_scenario(setup, {"", of_all}, plain);
  EXPECT_NEAR(r.result.values[1], 5e4, 50);
  ASSERT_EQ(r.traces.size(), 4U);
  EXPECT_EQ(r.traces[1].in, units::metre / units::second);
  EXPECT_EQ(r.samples, 1200U);
  const auto off = fit_scenario(setup, {"", of_mass, {"system.damping=120"}}, plain);
  std::vector<double> squares;
  for (const char* channel : {"x_m", "v_m_s"}) {
    double sum = 0, n = 0, left = 0;
    for (const auto& trace : off.traces) {
      if (trace.channel != channel) continue;
      for (std::size_t k = 0; k < trace.t.size(); ++k, ++n) {
        sum += trace.measured[k] * trace.measured[k];
        left += std::pow(trace.simulated[k] - trace.measured[k], 2);
      }
    }
    squares.push_back(left / sum);
  }
  EXPECT_NEAR(off.result.rms, std::sqrt((squares[0] + squares[1]) / 2), 0.01 * off.result.rms);
}

TEST(scenario_fit, WhatIsWrongWithACandidateIsSaidBeforeTheFirstFit) {
  const scenario_setup setup = setup_of({}, 0);
  const auto message = [&](const scenario_candidate& wrong) {
    try {
      static_cast<void>(compare_scenarios(setup, {{"good", of_mass}, wrong}, plain));
    } catch (const error& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  EXPECT_NE(message({"colour", {"system.colour"}}).find("--compare colour: "), std::string::npos);
  EXPECT_NE(message({"model", of_mass, {"hysteresis.model=none_such"}}).find("none_such"),
            std::string::npos);
}

// One of two records to judge by cannot be simulated: errors on the other alone are no measure,
// beside those of candidates that can be run along both.
TEST(scenario_fit, ARecordThatCannotBeSimulatedLeavesNoMeasureOfTheOthers) {
  const oscillator truth;
  scenario_setup setup = setup_of(truth, 1e-5);
  setup.validation.push_back(along(truth, 24, 0, 4));
  const auto whole = fit_scenario(setup, {"", of_spring}, plain);
  EXPECT_GT(whole.validated_rms, 0);
  EXPECT_GT(whole.validated_mean_absolute, 0);
  apply_override(setup.validation[1].document, "hysteresis.model=none_such");
  const auto r = fit_scenario(setup, {"", of_spring}, plain);
  EXPECT_EQ(r.traces.size(), 3U);
  EXPECT_EQ(r.validated_rms, 0);
  EXPECT_EQ(r.validated_mean_absolute, 0);
  EXPECT_GT(r.mean_absolute, 0);
  ASSERT_EQ(r.notes.size(), 1U);
  EXPECT_NE(r.notes[0].find("24_Hz.csv: it could not be simulated"), std::string::npos);
}

// A record to judge by that nothing can be compared with is refused at once, not behind the fit.
TEST(scenario_fit, WhatIsWrongWithARecordToJudgeByIsSaidBeforeTheFit) {
  scenario_setup setup = setup_of({}, 0);
  setup.validation[0].settle = 10;  // longer than it is
  fit_options options = plain;
  int fits = 0;
  options.progress = [&](double) { ++fits; };
  EXPECT_THROW(static_cast<void>(fit_scenario(setup, {"", of_mass}, options)), error);
  EXPECT_THROW(static_cast<void>(compare_scenarios(setup, {{"mass", of_mass}}, options)), error);
  EXPECT_EQ(fits, 0);
}

// The damping starts at 0, so that its size is looked for first, along runs of a billion steps.
TEST(scenario_fit, TheTimeLimitHoldsWhereSizesAreLookedFor) {
  const scenario_setup setup = setup_of({}, 0);
  fit_options options = plain;
  options.time_limit = 0.3;
  const auto began = std::chrono::steady_clock::now();
  const auto r =
      fit_scenario(setup, {"", of_all, {"integrator.method=rk4", "integrator.step=1e-9"}}, options);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  EXPECT_EQ(r.result.how, fit_result::ending::time_limit);
  EXPECT_TRUE(r.result.residual.empty());
  EXPECT_EQ(r.unknowns[2].scale, 0);
}

// Where the time is over before the fit to all rows there is nothing that others can be compared
// with, whenever that is.
TEST(scenario_fit, AFitToAPartOfTheRowsIsNotRanked) {
  scenario_setup setup = setup_of({}, 1e-5);
  setup.hold_out = 0.5;
  for (const double limit : {0.01, 0.03, 0.1}) {
    fit_options options = plain;
    options.time_limit = limit;
    const auto c = compare_scenarios(setup, {{"mass", of_mass}, {"damper", of_all}}, options);
    EXPECT_EQ(c.ranking.size() + c.failures.size(), 2U);
    for (const auto& each : c.ranking) EXPECT_EQ(each.samples, 600U) << limit;
  }
}

TEST(scenario_fit, AKeyIsNamedOnce) {
  EXPECT_THROW(
      static_cast<void>(unknowns_of(at_a_wall(), "wall", "", {"system.mass", "system.mass"})),
      error);
}

TEST(scenario_fit, TheTableSaysWhichConfidenceItsIntervalsHave) {
  fit_options options = plain;
  const auto text = [&] {
    return report_text(fit_scenario(setup_of({}, 1e-5), {"", of_mass}, options));
  };
  EXPECT_NE(text().find("95 % interval"), std::string::npos);
  options.confidence = 0.8;
  EXPECT_NE(text().find("80 % interval"), std::string::npos);
  EXPECT_EQ(text().find("95 % interval"), std::string::npos);
}

// Of 60 white residuals the means in 24 bins explain 40 % on average, 9 % more or less, whatever
// they are against.
TEST(scenario_fit, MeansOfFewRowsAreNoFinding) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> white(0, 1);
  std::vector<double> t, noise, bent;
  for (int i = 0; i < 60; ++i) {
    t.push_back(i);
    noise.push_back(white(random));
    bent.push_back(0.1 * noise.back() + std::sin(0.1 * i));
  }
  const auto findings = [&](const std::vector<double>& residual) {
    fit_report r;
    r.result.rms = r.deviation = 1;
    r.samples = residual.size();
    r.bins = {bins_against("time", units::second, t, residual)};
    say_of_residuals(r, "");
    return r.findings.size();
  };
  EXPECT_NEAR(bins_against("time", units::second, t, noise).by_chance, 0.624, 1e-3);
  EXPECT_EQ(findings(noise), 0U);
  EXPECT_EQ(findings(bent), 1U);
}

}  // namespace
}  // namespace asperity
