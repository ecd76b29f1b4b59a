// SPDX-License-Identifier: Apache-2.0
// Masses on friction whose memory is not an ODE, in adaptive steps, against closed forms.

#include <gtest/gtest.h>

#include <asperity/integrate/memory_stepper.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/mechanics/memory_motion.hpp>
#include <cmath>

namespace asperity {
namespace {

using mass = mass_motion::mass;

// One spring in series with one slider: elastic up to Delta, then a constant force k Delta.
any_model slider(double k, double Delta) {
  any_model model(find_model("maxwell_slip"));
  model.set("elements", 1);
  model.set("k", k);
  model.set("Delta", Delta);
  return model;
}

struct run_of_mass {
  std::vector<double> t, x, v;
  integration_result result;
};
run_of_mass go(const mass& system, double x, double v, double duration, double sample,
               double relative = 1e-6) {
  std::vector<double> y(static_cast<std::size_t>(system.size()), 0.0);
  system.friction.initial(y.data() + 2);
  y[0] = x;
  y[1] = v;
  tolerances wanted;
  wanted.relative = relative;
  memory_stepper stepper(mass_motion(system), wanted, 1e-6 * duration, duration / 100);
  std::vector<event_record> none;
  run_of_mass found;
  run_options options;
  options.to = duration;
  options.sample_every = sample;
  found.result =
      run(stepper, y.data(), system.size(), options, {}, none, [&](double t, const double* at) {
        found.t.push_back(t);
        found.x.push_back(at[0]);
        found.v.push_back(at[1]);
      });
  EXPECT_EQ(found.result.how, outcome::completed);
  return found;
}

// A mass on a slider that never slides swings for ever; no step damps or delays it.
TEST(memory_motion, ElasticSwingIsExact) {
  const double omega = 10, F = 3;
  const mass system{
      slider(omega * omega, 1), 1, 0, 0, {signal::constant(F), {}, signal::constant(1)}};
  const auto found = go(system, 0, 0, 1e4, 1.7);
  for (std::size_t i = 0; i < found.t.size(); ++i)
    ASSERT_NEAR(found.x[i], F / 100 * (1 - std::cos(omega * found.t[i])), 1e-8) << found.t[i];
  EXPECT_LT(found.result.steps, 12 * 1e4 * omega / 6.28);
}

// Thrown at v it stretches the spring, slides, and turns where its energy is spent.
TEST(memory_motion, ThrownMassTurnsWhereItsEnergyIsSpent) {
  for (const double k : {10.0, 1e4, 1e8}) {
    const double Delta = 1 / k, v = 2;  // it slides at 1 N
    const auto found = go({slider(k, Delta), 1}, 0, v, 4, 1e-3);
    const double furthest = Delta + (v * v - k * Delta * Delta) / 2;
    const double highest = *std::max_element(found.x.begin(), found.x.end());
    EXPECT_NEAR(highest, furthest, 2e-6 * furthest) << k;
    // From there on it swings by 2 Delta.
    for (std::size_t i = 0; i < found.t.size(); ++i)
      if (found.t[i] > v + 0.1) {
        ASSERT_GE(found.x[i], furthest - 2 * Delta - 3e-6 * furthest) << k;
      }
  }
}

// At rest the springs of elements that lean to both sides hold each other to the last bit: what
// rounding leaves of their sum is no force that a step could agree on. They take what energy is left
// above sliding friction: it stops before v^2/2 over the least friction, and behind that of the
// greatest.
TEST(memory_motion, ThrownMassOnElementsThatPullAgainstEachOtherRests) {
  for (const double v : {0.5, 1.0, 2.0}) {
    any_model gms(find_model("gms"));
    const double F_c = gms.get("F_c").front(), F_s = gms.get("F_s").front();
    const auto found = go({gms, 1}, 0, v, 5, 1e-2);
    EXPECT_EQ(found.t.back(), 5);
    EXPECT_NEAR(found.v.back(), 0, 1e-12);
    EXPECT_LT(found.x.back(), v * v / 2 / F_c);
    EXPECT_GT(found.x.back(), v * v / 2 / F_s - 1e-5);
  }
}

// Pulled by a stiff spring, or as light as nothing, it does what its springs say.
TEST(memory_motion, StiffSpringsAndLightMassesAreExact) {
  for (const double m : {1e-9, 1.0})
    for (const double k : {2.0, 1e12}) {
      SCOPED_TRACE(::testing::Message() << m << " kg, " << k << " N/m");
      const double s = 6, speed = 0.1, omega = std::sqrt((k + s) / m), T = 300.3 / omega;
      const mass system{slider(s, 100), m, k, 0, {{}, signal::ramp(speed), signal::constant(1)}};
      const auto found = go(system, 0, 0, T, T / 7);
      const double drift = speed * k / (k + s);
      for (std::size_t i = 0; i < found.t.size(); ++i) {
        const double phase = omega * found.t[i];
        ASSERT_NEAR(found.x[i], drift / omega * (phase - std::sin(phase)), 1e-9 * drift / omega);
        ASSERT_NEAR(found.v[i], drift * (1 - std::cos(phase)), 1e-9 * drift);
      }
    }
}

// Steps are seen from inside as they are: the ends are the ends, and nothing jumps between.
TEST(memory_motion, LookingInsideAStepIsConsistent) {
  any_model friction(find_model("gms"));
  const mass system{friction, 1, 2, 0, {{}, signal::ramp(0.1), signal::constant(1)}};
  std::vector<double> y(static_cast<std::size_t>(system.size()), 0.0), before = y, inside = y;
  memory_stepper stepper(mass_motion(system), tolerances{}, 1e-6, 0.1);
  stepper.start(0, y.data());
  for (int step = 0; step < 400; ++step) {
    before.assign(stepper.y(), stepper.y() + system.size());
    ASSERT_EQ(stepper.step(100, 100), outcome::completed);
    const double a = stepper.before(), b = stepper.t();
    stepper.at(a, inside.data());
    ASSERT_EQ(inside, before);
    stepper.at(b, inside.data());
    ASSERT_TRUE(std::equal(inside.begin(), inside.end(), stepper.y()));
    double last = before[0], last_v = before[1];
    const double fastest = std::max(std::abs(before[1]), std::abs(stepper.y()[1])) + 1e-9;
    for (int i = 1; i <= 100; ++i) {
      stepper.at(a + (b - a) * i / 100, inside.data());
      ASSERT_LE(std::abs(inside[0] - last), 0.05 * (b - a) * fastest + 1e-12);
      last = inside[0];
      last_v = inside[1];
    }
    EXPECT_NEAR(last_v, stepper.y()[1], 1e-6 * fastest);
  }
}

}  // namespace
}  // namespace asperity
