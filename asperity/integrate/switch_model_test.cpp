// SPDX-License-Identifier: Apache-2.0
// The Switch Model against motions with Coulomb friction that are solved by hand: attractive,
// transversal and repulsive crossings of v = 0, exact rest, and no chatter.

#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/switch_model.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/coulomb.hpp>
#include <asperity/models/friction/drbm.hpp>

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;

struct push : no_inputs<double> {
  double mean = 0, rate = 0, swing = 0, omega = 1;
  double force(double t) const { return mean + rate * t + swing * std::sin(omega * t); }
};
using coulomb_mass = sliding_mass<double, coulomb<double>, push>;

struct record {
  double t, x, v;
  sliding_mode mode;
};
struct journey {
  integration_result result;
  std::vector<record> steps;
  const record& last() const { return steps.back(); }
};

template <class System>
journey travel(const System& system, double x, double v, double duration,
               const switch_parameters& parameters = {}, double relative = 1e-10,
               double longest = 1e9) {
  tolerances wanted;
  wanted.relative = relative;
  wanted.absolute.fill(1e-12);
  switch_stepper<System> stepper(system, wanted, 1e-4, longest, parameters);
  std::vector<event_record> none;
  run_options options;
  options.to = duration;
  const double start[2] = {x, v};
  journey result;
  result.result = run(stepper, start, 2, options, {}, none, [&](double t, const double* y) {
    result.steps.push_back({t, y[0], y[1], stepper.mode()});
  });
  EXPECT_EQ(result.result.how, outcome::completed);
  return result;
}

// A mass on a spring with Coulomb friction: half swings about +-F/K, each shorter by 2 F/K, until
// it rests. 1.05, -0.85, 0.65, -0.45, 0.25, -0.05.
TEST(switch_model, OscillatorStopsWhereItMust) {
  const coulomb_mass system{{1.0}, 1.0, 10.0, 0.0, {}};
  const auto went = travel(system, 1.05, 0.0, 10.0);
  const double half_swing = pi / std::sqrt(10.0);
  std::vector<record> stops;
  for (std::size_t i = 1; i < went.steps.size(); ++i)
    if (went.steps[i].v == 0 && went.steps[i - 1].v != 0) stops.push_back(went.steps[i]);
  ASSERT_EQ(stops.size(), 5U);
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(stops[static_cast<std::size_t>(i)].t, (i + 1) * half_swing, 1e-8);
    EXPECT_NEAR(stops[static_cast<std::size_t>(i)].x, (i % 2 == 0 ? -1 : 1) * (0.85 - 0.2 * i),
                1e-8);
  }
  EXPECT_EQ(went.last().v, 0);
  EXPECT_EQ(went.last().x, stops.back().x) << "and does not move again";
  EXPECT_LT(went.result.steps, 800) << "a hundred per half swing at this tolerance";
}

// Between the stops it follows cosines.
TEST(switch_model, FollowsTheExactMotionBetweenStops) {
  const coulomb_mass system{{1.0}, 1.0, 10.0, 0.0, {}};
  for (const auto& at : travel(system, 1.05, 0.0, 0.99).steps)  // the first half swing, about 0.1
    EXPECT_NEAR(at.x, 0.1 + 0.95 * std::cos(std::sqrt(10.0) * at.t), 1e-8);
}

// Attractive: pushed below the limit, rest is exact and costs almost nothing, for eleven days.
TEST(switch_model, RestIsExact) {
  coulomb_mass system{{1.0}, 1.0, 0.0, 0.0, {}};
  system.inputs.mean = 0.5;
  system.inputs.swing = 0.49;
  system.inputs.omega = 1e-3;
  const auto went = travel(system, 0.3, 0.0, 1e6, {}, 1e-10, 100);
  for (const auto& at : went.steps) {
    EXPECT_EQ(at.v, 0);
    EXPECT_EQ(at.x, 0.3);
  }
  EXPECT_LT(went.result.steps, 10100);
}

// It breaks away when the push reaches the limit, and then follows a cubic.
TEST(switch_model, BreaksAwayAtTheLimit) {
  coulomb_mass system{{1.0}, 2.0, 0.0, 0.0, {}};
  system.inputs.rate = 0.1;
  const auto went = travel(system, 0.0, 0.0, 15.0);
  double away = 0;
  for (const auto& at : went.steps) {
    if (at.v == 0) away = at.t;
    if (at.t > 10.0) {
      EXPECT_NEAR(at.x, 0.1 * std::pow(at.t - 10, 3) / 12, 1e-8);
    }
  }
  EXPECT_NEAR(away, 10.0, 1e-6);
  EXPECT_LT(went.result.steps, 200);
}

// Attractive: a sliding mass stops after v^2/(2 F/m) and v/(F/m); in either direction.
TEST(switch_model, SlidesToAStop) {
  const coulomb_mass system{{3.0}, 2.0, 0.0, 0.0, {}};
  for (const double s : {1.0, -1.0}) {
    const auto went = travel(system, 0.0, s * 6.0, 10.0);
    EXPECT_NEAR(went.last().x, s * 12.0, 1e-10);
    EXPECT_EQ(went.last().v, 0);
    EXPECT_EQ(went.last().mode, sliding_mode::stuck);
    EXPECT_LT(went.result.steps, 60);
  }
}

// Transversal: thrown against a push above the limit it turns at once. Before the turn it slows
// down with push + F, after it it speeds up with push - F.
TEST(switch_model, TurnsWhereFrictionCannotHold) {
  coulomb_mass system{{1.0}, 1.0, 0.0, 0.0, {}};
  for (const double s : {1.0, -1.0}) {
    system.inputs.mean = -3.0 * s;
    const auto went = travel(system, 0.0, s * 2.0, 2.0);
    // Turns at t = 0.5 and x = 0.5; then -2 t^2/2 for 1.5 s.
    EXPECT_NEAR(went.last().x, s * (0.5 - 2.25), 1e-10);
    EXPECT_NEAR(went.last().v, s * -3.0, 1e-10);
    for (const auto& at : std::span(went.steps).subspan(1)) EXPECT_NE(at.mode, sliding_mode::stuck);
  }
}

// A law that jumps the wrong way: it drives.
struct driving {
  static constexpr int states = 0;
  double F = 1.0;
  response<double, 0> operator()(const vec<double, 0>& state, const drive<double>& in) const {
    return side(state, in, in.v);
  }
  response<double, 0> side(const vec<double, 0>&, const drive<double>&, double direction) const {
    return {-F * math::sgn(direction), {}};
  }
};

// Repulsive: rest has no reason to last; the source leaves it forwards (3.36). A velocity outside
// the band decides by itself, one inside does not.
TEST(switch_model, LeavesRepulsiveRestForwards) {
  const sliding_mass<double, driving, push> system{{1.0}, 1.0, 0.0, 0.0, {}};
  EXPECT_NEAR(travel(system, 0.0, 0.0, 2.0).last().x, 2.0, 1e-10);
  EXPECT_NEAR(travel(system, 0.0, -1e-3, 2.0).last().x, -2.0 - 2e-3, 1e-10);
  EXPECT_NEAR(travel(system, 0.0, -0.5e-8, 2.0).last().x, 2.0, 1e-7);
}

// Within the band and attracted, a velocity decays with tau, over the distance v tau, to exactly 0.
TEST(switch_model, VelocityDecaysWithinTheBand) {
  const coulomb_mass system{{1.0}, 1.0, 0.0, 0.0, {}};
  const auto went = travel(system, 0.0, 0.5e-3, 1.0, {.eta = 1e-3, .tau = 0.02});
  for (const auto& at : went.steps) {
    if (at.t < 0.1) {
      EXPECT_NEAR(at.v, 0.5e-3 * std::exp(-at.t / 0.02), 1e-7);
    }
  }
  EXPECT_NEAR(went.last().x, 0.5e-3 * 0.02, 3e-3 * 0.5e-3 * 0.02);  // the last thousandth is cut
  EXPECT_EQ(went.last().v, 0);
}

// E-27: however narrow the band, nothing chatters across it.
TEST(switch_model, StepsDoNotDependOnTheBand) {
  coulomb_mass system{{1.0}, 1.0, 10.0, 0.2, {}};
  system.inputs.swing = 1.8;
  system.inputs.omega = 1.0;
  const long wide = travel(system, 0.0, 0.0, 100.0, {.eta = 1e-6}, 1e-8, 0.5).result.steps;
  const long narrow = travel(system, 0.0, 0.0, 100.0, {.eta = 1e-14}, 1e-8, 0.5).result.steps;
  EXPECT_LT(narrow, 4000);
  EXPECT_NEAR(static_cast<double>(narrow), static_cast<double>(wide),
              0.1 * static_cast<double>(wide));
}

// The closed-form implicit steps solve the same inclusion: their distance from the Switch Model
// goes to 0 with their step.
TEST(switch_model, AgreesWithTheImplicitSteps) {
  coulomb_mass system{{1.0}, 1.0, 10.0, 0.2, {}};
  system.inputs.swing = 1.8;
  system.inputs.omega = 1.0;
  constexpr double duration = 20;
  const auto exact = travel(system, 0.0, 0.0, duration, {}, 1e-10, 0.5).last();
  const auto implicit = [&](double h) {
    sdirk2_stepper<coulomb_mass> stepper(system, h);
    std::vector<event_record> none;
    run_options options;
    options.to = duration;
    const double start[2] = {0, 0};
    double x = 0;
    EXPECT_EQ(
        run(stepper, start, 2, options, {}, none, [&](double, const double* y) { x = y[0]; }).how,
        outcome::completed);
    return x;
  };
  EXPECT_NEAR(implicit(1e-3), exact.x, 1e-4);
  EXPECT_NEAR(implicit(1e-5), exact.x, 1e-6);
}

// A model chosen by name goes the same way, bit by bit.
TEST(switch_model, ModelsByNameAreTheSame) {
  sliding_mass<double, drbm<double>, push> typed{{}, 1.0, 1.0, 0.0, {}};
  typed.inputs.swing = 1.0;
  typed.inputs.omega = 0.05;
  const any_model named(find_model("drbm"));
  ASSERT_TRUE(named.has_side());
  const sliding_mass<double, any_model, push> by_name{named, 1.0, 1.0, 0.0, typed.inputs};
  const auto a = travel(typed, 0.0, 0.0, 50.0, {}, 1e-8),
             b = travel(by_name, 0.0, 0.0, 50.0, {}, 1e-8);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  EXPECT_EQ(a.last().x, b.last().x);
  EXPECT_NE(a.last().x, 0.0);
  for (const char* key : {"coulomb", "coulomb_viscous", "drbm", "drbm_sawtooth",
                          "compressed_bristle", "stribeck_linear", "stiction"})
    EXPECT_TRUE(any_model(find_model(key)).has_side()) << key;
  for (const char* key : {"dai", "lugre"})
    EXPECT_FALSE(any_model(find_model(key)).has_side()) << key;
}

// Inside a step the state is interpolated; a jump of the input is stepped up to and not across.
TEST(switch_model, SamplesEventsAndJumps) {
  sliding_mass<double, coulomb<double>, signal_inputs> system{{1.0}, 1.0, 0.0, 0.0, {}};
  system.inputs.push = signal::nodes({0.0, 1.0, 2.0}, {0.0, 3.0, 0.0}, signal::joint::hold);
  tolerances wanted;
  switch_stepper<decltype(system)> stepper(system, wanted, 1e-4, 1e9);
  std::vector<event_record> found;
  const event passes{"passes", [](double, const double* y) { return y[0] - 0.25; }};
  run_options options;
  options.to = 6;
  options.sample_every = 0.125;
  options.jumps = {1.0, 2.0};
  options.stop_at_jumps = true;
  const double start[2] = {0, 0};
  int samples = 0;
  const auto result =
      run(stepper, start, 2, options, std::span(&passes, 1), found, [&](double t, const double* y) {
        ++samples;
        const double a = std::clamp(t - 1, 0.0, 1.0), b = std::clamp(t - 2, 0.0, 2.0);
        EXPECT_NEAR(y[0], a * a + 2 * b - b * b / 2, 1e-9) << t;
        if (t <= 1 || t >= 4) {
          EXPECT_EQ(y[1], 0) << t;
        }
      });
  EXPECT_EQ(result.how, outcome::completed);
  EXPECT_EQ(samples, 49);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].t, 1.5, 1e-9);
}

// Failure is an outcome.
TEST(switch_model, ReportsWhatIsNotFinite) {
  coulomb_mass system{{1.0}, 1.0, 0.0, 0.0, {}};
  system.inputs.mean = std::nan("");
  switch_stepper<coulomb_mass> stepper(system, {}, 1e-3, 1.0);
  const double start[2] = {0, 1.0};
  stepper.start(0, start);
  EXPECT_TRUE(is_failure(stepper.step(1.0, 1.0)));
}

}  // namespace
}  // namespace asperity
