// SPDX-License-Identifier: Apache-2.0
// Facts about the integrators: orders of convergence, stiction that holds, events, outcomes.

#include <gtest/gtest.h>

#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/friction/coulomb.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <limits>
#include <numeric>

namespace asperity {
namespace {

struct push : no_inputs<double> {
  double mean = 0, swing = 0, omega = 1;
  double force(double t) const { return mean + swing * std::cos(omega * t); }
};

using dai_mass = sliding_mass<double, dai<double>, push>;
using coulomb_mass = sliding_mass<double, coulomb<double>, push>;

struct no_observer {
  void operator()(double, const double*) const {}
};

// The state at the end of a run without events.
template <class Stepper>
std::vector<double> final_state(Stepper stepper, std::vector<double> y, double duration) {
  std::vector<event_record> found;
  run_options options;
  options.to = duration;
  std::vector<double> last = y;
  const auto result = run(stepper, y.data(), static_cast<int>(y.size()), options, {}, found,
                          [&](double, const double* now) { last.assign(now, now + y.size()); });
  EXPECT_EQ(result.how, outcome::completed);
  EXPECT_DOUBLE_EQ(result.t, duration);
  return last;
}

// A damped oscillator that never slips has a smooth solution: cos and sin give it exactly.
struct oscillator {
  static constexpr int capacity = 2;
  static int size() { return 2; }
  static void rates(double, const double* y, double* rate) {
    rate[0] = y[1];
    rate[1] = -4 * y[0];
  }
};

template <class Error>
double observed_order(Error error, double h) {
  return std::log2(error(h) / error(h / 2));
}

TEST(integrate, EulerIsOfFirstOrder) {
  const oscillator system;
  const auto error = [&](double h) {
    return std::abs(final_state(euler_stepper<oscillator>(system, h), {1, 0}, 1.0)[0] -
                    std::cos(2.0));
  };
  EXPECT_NEAR(observed_order(error, 1e-3), 1.0, 0.02);
}

TEST(integrate, RungeKuttaIsOfFourthOrder) {
  const oscillator system;
  const auto error = [&](double h) {
    return std::abs(final_state(rk4_stepper<oscillator>(system, h), {1, 0}, 1.0)[0] -
                    std::cos(2.0));
  };
  EXPECT_NEAR(observed_order(error, 0.02), 4.0, 0.05);
}

TEST(integrate, DormandPrinceMeetsItsTolerance) {
  const oscillator system;
  for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
    tolerances wanted;
    wanted.relative = tolerance;
    wanted.absolute.fill(tolerance);
    const auto y = final_state(dopri5_stepper<oscillator>(system, wanted, 1e-3, 1.0), {1, 0}, 10.0);
    EXPECT_NEAR(y[0], std::cos(20.0), 50 * tolerance);
  }
}

// Sliding in one direction at full friction is smooth, so the closed-form steps show their order
// against the exact parabola of a mass that is pushed harder than friction can hold.
TEST(integrate, ClosedFormStepsAreExactInUniformSliding) {
  dai_mass system{.friction = {.K = 1e6, .F = 1.0, .beta = 1e-3}, .m = 2.0};
  system.inputs.mean = 3.0;
  const double t = 1.0, v0 = 0.5, a = (3.0 - 1.0) / 2.0;
  const std::vector<double> start{0.0, v0, 1e-6};
  const auto y = final_state(sdirk2_stepper<dai_mass>(system, 1e-2), start, t);
  EXPECT_NEAR(y[0], v0 * t + a * t * t / 2, 1e-12);
  EXPECT_NEAR(y[1], v0 + a * t, 1e-12);
}

// Stuck, the mass swings on a linear spring and damper: a smooth problem with a known reference.
template <class Make>
double closed_form_order(Make make, double h) {
  dai_mass system{.friction = {.K = 100.0, .F = 1e6, .beta = 0.01}, .m = 1.0};
  system.inputs.mean = 1.0;
  tolerances tight;
  tight.relative = 1e-13;
  tight.absolute.fill(1e-15);
  const std::vector<double> start{0, 0, 0};
  const auto exact = final_state(dopri5_stepper<dai_mass>(system, tight, 1e-4, 0.1), start, 0.5);
  const auto error = [&](double step) {
    return std::abs(final_state(make(system, step), start, 0.5)[0] - exact[0]);
  };
  return observed_order(error, h);
}

TEST(integrate, BackwardEulerIsOfFirstOrder) {
  const auto make = [](const dai_mass& s, double h) {
    return backward_euler_stepper<dai_mass>(s, h);
  };
  EXPECT_NEAR(closed_form_order(make, 1e-4), 1.0, 0.05);
}

TEST(integrate, SdirkIsOfSecondOrder) {
  const auto make = [](const dai_mass& s, double h) { return sdirk2_stepper<dai_mass>(s, h); };
  EXPECT_NEAR(closed_form_order(make, 1e-3), 2.0, 0.05);
}

// A step is the solution of its own implicit equation: y - start = h rates(t, y).
TEST(integrate, StageSolvesTheImplicitEquation) {
  dai_mass system{.friction = {.K = 2e4, .F = 1.0, .beta = 1e-3}, .m = 1.5, .k = 30, .c = 2};
  system.inputs.mean = 0.7;
  for (const double v : {-3.0, -1e-6, 0.0, 1e-5, 0.2}) {
    for (const double h : {1e-6, 1e-3, 0.1, 10.0}) {
      const double start[3] = {0.01, v, 2e-5};
      double y[3], rate[3];
      system.solve_stage(0.3, h, start, y);
      system.rates(0.3, y, rate);
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(y[i] - start[i], h * rate[i],
                    1e-9 * (std::abs(start[i]) + std::abs(y[i]) + 1e-6))
            << "state " << i << ", v = " << v << ", h = " << h;
    }
  }
}

TEST(integrate, ContactStageSolvesTheImplicitEquation) {
  bouncing_mass<double, dai_contact<double>, push> system{.contact = {}, .m = 2.0};
  system.inputs.mean = -9.8;
  for (const double gap : {-1e-2, -1e-5, 0.0, 1e-4, 1.0}) {
    for (const double h : {1e-6, 1e-3, 0.1}) {
      const double start[3] = {gap, -1.0, 1e-4};
      double y[3], rate[3];
      system.solve_stage(0.0, h, start, y);
      system.rates(0.0, y, rate);
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(y[i] - start[i], h * rate[i], 1e-9 * (1 + std::abs(h * rate[i])))
            << "state " << i << ", gap = " << gap << ", h = " << h;
    }
  }
}

// One simulated hour at 96 % of the limit, h = 1 ms: after settling not a bit of x changes.
template <class Step>
void hold_for_an_hour(Step step) {
  dai_mass system{.friction = {.K = 5e3, .F = 0.5, .beta = 2e-3}, .m = 1.0};
  system.inputs.mean = 0.96 * 0.5;
  double y[3] = {0, 0, 0}, rate[3];
  const double h = 1e-3;
  long n = 0;
  for (; n < 60'000; ++n) step(system, static_cast<double>(n) * h, h, y, rate);
  const double x = y[0];
  long changed = 0;
  for (; n < 3'600'000; ++n) {
    step(system, static_cast<double>(n) * h, h, y, rate);
    if (y[0] != x) ++changed;
  }
  EXPECT_EQ(changed, 0);
  EXPECT_GT(x, 0.0);
}

TEST(integrate, StictionHoldsForAnHourToTheLastBit) {
  hold_for_an_hour([](auto&&... all) { backward_euler_step(all...); });
  hold_for_an_hour([](auto&&... all) { sdirk2_step(all...); });
}

// The same under 0.672 + 0.288 cos(100 t) of the limit. Steps of 0.1 rad visit every phase, so the
// extremes over 40 s are those of the periodic motion; they must not move within the hour.
TEST(integrate, OscillatingLoadBelowTheLimitDoesNotDrift) {
  for (const double K : {5e3, 1e6}) {
    dai_mass system{.friction = {.K = K, .F = 0.5, .beta = 2e-3}, .m = 1.0};
    system.inputs.mean = 0.672 * 0.5;
    system.inputs.swing = 0.288 * 0.5;
    system.inputs.omega = 100;
    double y[3] = {0, 0, 0}, rate[3];
    const auto extremes = [&](long from, long to) {
      double low = y[0], high = y[0];
      for (long n = from; n < to; ++n) {
        sdirk2_step(system, static_cast<double>(n) * 1e-3, 1e-3, y, rate);
        low = std::min(low, y[0]);
        high = std::max(high, y[0]);
      }
      return std::pair(low, high);
    };
    (void)extremes(0, 40'000);
    const auto [early_low, early_high] = extremes(40'000, 80'000);
    (void)extremes(80'000, 3'560'000);
    const auto [late_low, late_high] = extremes(3'560'000, 3'600'000);
    EXPECT_LT(std::abs(late_low - early_low), 1e-12) << "K = " << K;
    EXPECT_LT(std::abs(late_high - early_high), 1e-12) << "K = " << K;
  }
}

// Coulomb's own law, no regularisation: at rest the force is what holds the body.
TEST(integrate, RigidFrictionHoldsExactly) {
  coulomb_mass system{.friction = {.F_c = 2.0}};
  system.inputs.mean = 1.9;
  const auto y = final_state(backward_euler_stepper<coulomb_mass>(system, 1e-3), {0.25, 0.0}, 10.0);
  EXPECT_EQ(y[0], 0.25);
  EXPECT_EQ(y[1], 0.0);
}

// A sliding body under Coulomb friction stops after v^2/(2 a) and stays.
TEST(integrate, RigidFrictionStopsABodyWhereItShould) {
  coulomb_mass system{.friction = {.F_c = 2.0}};
  tolerances tight;
  tight.relative = 1e-9;
  tight.absolute.fill(1e-10);
  const auto y =
      final_state(trbdf2_stepper<coulomb_mass>(system, tight, 1e-4, 0.1), {0.0, 1.0}, 3.0);
  EXPECT_NEAR(y[0], 0.25, 1e-7);
  EXPECT_NEAR(y[1], 0.0, 1e-12);
}

// Free fall from 1 m reaches the ground at sqrt(2/g): every method locates it.
template <class Stepper>
double touchdown(Stepper stepper) {
  std::vector<event_record> found;
  const event ground{"touchdown", [](double, const double* y) { return y[0]; },
                     event::direction::falling, true};
  run_options options;
  options.to = 2.0;
  const double start[3] = {1.0, 0.0, 0.0};
  const auto result = run(stepper, start, 3, options, {&ground, 1}, found, no_observer{});
  EXPECT_EQ(result.how, outcome::stopped_by_event);
  return found.empty() ? 0.0 : found.front().t;
}

TEST(integrate, EventsAreLocatedByEveryMethod) {
  using system_type = bouncing_mass<double, dai_contact<double>, push>;
  system_type system;
  system.inputs.mean = -9.8;
  const double exact = std::sqrt(2 / 9.8);
  tolerances tight;
  tight.relative = 1e-10;
  tight.absolute.fill(1e-12);
  EXPECT_NEAR(touchdown(rk4_stepper<system_type>(system, 1e-3)), exact, 1e-12);
  EXPECT_NEAR(touchdown(euler_stepper<system_type>(system, 1e-5)), exact, 1e-5);
  EXPECT_NEAR(touchdown(backward_euler_stepper<system_type>(system, 1e-5)), exact, 1e-5);
  EXPECT_NEAR(touchdown(sdirk2_stepper<system_type>(system, 1e-3)), exact, 1e-6);
  EXPECT_NEAR(touchdown(trbdf2_stepper<system_type>(system, tight, 1e-4, 0.01)), exact, 1e-7);
  EXPECT_NEAR(touchdown(dopri5_stepper<system_type>(system, tight, 1e-4, 0.1)), exact, 1e-11);
}

// Blowing up is reported, with everything before it kept.
struct explosion {
  static constexpr int capacity = 1;
  static int size() { return 1; }
  static void rates(double, const double* y, double* rate) { rate[0] = y[0] * y[0]; }
};

// A rate that jumps at an instant nobody was told of.
struct late_start {
  static constexpr int capacity = 1;
  static constexpr double begins = 0.3;
  int size() const { return 1; }
  void rates(double t, const double*, double* rate) const { rate[0] = t < begins ? 0 : 2; }
  void solve_stage(double t, double h, const double* start, double* y) const {
    double rate[1];
    rates(t, start, rate);
    y[0] = start[0] + h * rate[0];
  }
};

TEST(integrate, AJumpThatNoToleranceAllowsIsPassed) {
  tolerances tight;
  tight.relative = 1e-13;
  tight.absolute.fill(1e-20);
  const late_start system;
  EXPECT_NEAR(final_state(dopri5_stepper(system, tight, 1e-3, 0.1), {0}, 1.0)[0], 1.4, 1e-12);
  EXPECT_NEAR(final_state(trbdf2_stepper(system, tight, 1e-3, 0.1), {0}, 1.0)[0], 1.4, 1e-12);
}

// y lags behind max(0, sin t): its rate has a kink where the sine falls below 0, in most steps.
struct lagging {
  static constexpr int capacity = 1;
  int size() const { return 1; }
  void rates(double t, const double* y, double* rate) const {
    rate[0] = 300 * (std::max(0.0, std::sin(t) - 0.5) - y[0]);
  }
};

TEST(integrate, AnEventSeesNothingOfWhatComesAfterIt) {
  // y stays 0 to the last bit until the sine is 1/2, and so long it has no sign.
  const lagging system;
  const std::vector<event> events{
      {"begins", [](double, const double* y) { return y[0] != 0 ? 1.0 : -1.0; }}};
  for (const double first : {1e-3, 1e-2, 3e-2}) {
    dopri5_stepper stepper(system, tolerances{}, first, 0.2);
    run_options options;
    options.to = 2;
    std::vector<event_record> found;
    const double y[1] = {0};
    const auto result = run(stepper, y, 1, options, events, found, no_observer{});
    EXPECT_EQ(result.how, outcome::completed);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].t, std::asin(0.5), 1e-12);
  }
}

TEST(integrate, AnEventThatComesWithAChangeIsReported) {
  // Both at the same instant, each found by a search of its own.
  const lagging system;
  for (int k = 1; k < 50; ++k) {
    const double when = 0.037 * k;
    const auto beyond = [when](double t, const double*) { return t < when ? -1.0 : 1.0; };
    const std::vector<event> events{
        {"named", beyond, event::direction::rising},
        {"", [when](double t, const double*) { return std::expm1(t - when); },
         event::direction::rising, false, [](double, double*) {}}};
    dopri5_stepper stepper(system, tolerances{}, 1e-3, 0.2);
    run_options options;
    options.to = 2;
    std::vector<event_record> found;
    const double y[1] = {0};
    const auto result = run(stepper, y, 1, options, events, found, no_observer{});
    EXPECT_EQ(result.how, outcome::completed);
    ASSERT_EQ(found.size(), 1U) << k;
    EXPECT_NEAR(found[0].t, when, 1e-12) << k;
  }
}

TEST(integrate, ABlowUpIsAnOutcome) {
  const explosion system;
  std::vector<event_record> found;
  run_options options;
  options.to = 2.0;
  const double start[1] = {1.0};
  double last = 0;
  const auto watch = [&](double, const double* y) { last = y[0]; };
  dopri5_stepper<explosion> adaptive(system, {}, 1e-3, 1.0);
  const auto result = run(adaptive, start, 1, options, {}, found, watch);
  EXPECT_TRUE(is_failure(result.how));
  EXPECT_NEAR(result.t, 1.0, 1e-6);
  EXPECT_TRUE(std::isfinite(last));
  rk4_stepper<explosion> fixed(system, 1e-3);
  EXPECT_EQ(run(fixed, start, 1, options, {}, found, watch).how, outcome::not_finite);
  EXPECT_TRUE(std::isfinite(last));
}

TEST(integrate, StepLimitEndsARun) {
  const oscillator system;
  std::vector<event_record> found;
  run_options options;
  options.to = 1.0;
  options.max_steps = 10;
  const double start[2] = {1, 0};
  rk4_stepper<oscillator> stepper(system, 1e-6);
  EXPECT_EQ(run(stepper, start, 2, options, {}, found, no_observer{}).how, outcome::step_limit);
}

// Samples lie on the asked grid, whatever the steps, and match the solution there.
TEST(integrate, SamplesLieOnTheGrid) {
  const oscillator system;
  tolerances tight;
  tight.relative = 1e-10;
  tight.absolute.fill(1e-12);
  dopri5_stepper<oscillator> stepper(system, tight, 1e-3, 1.0);
  std::vector<event_record> found;
  run_options options;
  options.to = 1.0;
  options.sample_every = 0.1;
  const double start[2] = {1, 0};
  int count = 0;
  const auto result = run(stepper, start, 2, options, {}, found, [&](double t, const double* y) {
    EXPECT_NEAR(t, 0.1 * count, 1e-12);
    EXPECT_NEAR(y[0], std::cos(2 * t), 1e-7);
    ++count;
  });
  EXPECT_EQ(result.how, outcome::completed);
  EXPECT_EQ(count, 11);
}

}  // namespace
}  // namespace asperity
