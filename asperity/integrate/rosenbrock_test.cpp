// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/run/simulate.hpp>
#include <benchmarks/stiff_workloads.hpp>
#include <cmath>
#include <random>

namespace asperity {
namespace {

// y' = lambda (y^2 - cos^2 t) - sin t has the solution cos t where it is stable. Its rates depend
// on time and on the state, not linearly.
template <class S>
struct along_cosine {
  double lambda;
  static constexpr int capacity = 2;
  static int size() { return 2; }
  void rates(const S& t, const S* y, S* rate) const {
    const S c = math::cos<S>(t), s = math::sin<S>(t);
    rate[0] = lit<S>(lambda) * (y[0] * y[0] - c * c) * y[1] - s;
    rate[1] = lit<S>(0.1) * (c - y[0]);  // stays at 1
  }
};
using two_and_time = dual<double, 3>;
using cosine_system =
    differentiated<along_cosine<double>, two_and_time, along_cosine<two_and_time>>;

// Steps of one length: tolerances that every step meets.
double error_at_1(double lambda, int steps, double share_of_last_step = 1) {
  const cosine_system system{{lambda}, {lambda}};
  tolerances loose;
  loose.absolute.fill(1e9);
  const double h = 1.0 / steps;
  rosenbrock_stepper stepper(system, loose, h, h);
  const double start[2] = {1, 1};
  stepper.start(0, start);
  while (stepper.t() < 1 - 0.5 * h) EXPECT_EQ(stepper.step(2, 2), outcome::completed);
  const double t = stepper.before() + share_of_last_step * (stepper.t() - stepper.before());
  double y[2];
  stepper.at(t, y);
  return std::abs(y[0] - std::cos(t)) + std::abs(y[1] - 1);
}

TEST(rosenbrock, IsOfOrderFour) {
  for (const double lambda : {-0.5, -3.0}) {
    const double order = std::log2(error_at_1(lambda, 64) / error_at_1(lambda, 128));
    EXPECT_NEAR(order, 4, 0.4) << lambda;
  }
}

TEST(rosenbrock, DenseOutputIsOfOrderThreeAtLeast) {
  const double order = std::log2(error_at_1(-3, 16, 0.4) / error_at_1(-3, 32, 0.4));
  EXPECT_GT(order, 2.8);
}

TEST(rosenbrock, StiffnessDoesNotHurt) {
  for (const double lambda : {-1e3, -1e6, -1e9}) EXPECT_LT(error_at_1(lambda, 20), 1e-5) << lambda;
}

struct decay {
  static constexpr int capacity = 1;
  static int size() { return 1; }
  static void rates(double, const double* y, double* rate) { rate[0] = -1e12 * y[0]; }
  static void linearise(double t, double, const double* y, double* rate, double* rate_t, double* j,
                        int /*stride*/) {
    rates(t, y, rate);
    rate_t[0] = 0;
    j[0] = -1e12;
  }
};

// What an L-stable method does to a mode much faster than its step: it is gone.
TEST(rosenbrock, FastModesVanish) {
  const decay system;
  tolerances loose;
  loose.absolute.fill(1e9);
  rosenbrock_stepper stepper(system, loose, 1.0, 1.0);
  const double start[1] = {1};
  stepper.start(0, start);
  ASSERT_EQ(stepper.step(10, 10), outcome::completed);
  EXPECT_LT(std::abs(stepper.y()[0]), 1e-9);
}

TEST(rosenbrock, DifferencesFindTheJacobianOfDualNumbers) {
  const auto exact = stiff_workloads::stick_slip();
  const differenced<decltype(exact.plain)> found{exact.plain, {1e-3, 1e-3, 1e-5}};
  std::mt19937 random(4);
  std::uniform_real_distribution<double> part(-1, 1);
  for (int round = 0; round < 100; ++round) {
    const double y[3] = {part(random), 2e-3 * part(random), 1e-5 * part(random)};
    double r1[3], r2[3], t1[3], t2[3], j1[9], j2[9];
    exact.linearise(0.7, 0.7, y, r1, t1, j1, 3);
    found.linearise(0.7, 0.70001, y, r2, t2, j2, 3);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(r1[i], r2[i]);
      EXPECT_NEAR(t1[i], t2[i], 1e-5);
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(j1[3 * i + j], j2[3 * i + j], 1e-4 * (1 + std::abs(j1[3 * i + j]))) << i << j;
    }
  }
}

// Slip begins at 15.026076289 s and then every 10.595926918 s: dopri5, RK4 and CVODE of others
// agree on it to 4e-9 s.
TEST(rosenbrock, StickSlipOscillatorKeepsItsPeriod) {
  const auto system = stiff_workloads::stick_slip();
  tolerances wanted;
  wanted.relative = 1e-6;
  wanted.absolute = {1e-8, 1e-8, 1e-10};
  rosenbrock_stepper stepper(system, wanted, 1e-4, 10.0);
  const double start[3] = {0, 0, 0};
  stepper.start(0, start);
  std::vector<double> onsets;
  double before = 0;
  while (stepper.t() < 120) {
    ASSERT_EQ(stepper.step(120, 120), outcome::completed);
    if (before < 0.05 && stepper.y()[1] >= 0.05) {
      double low = stepper.before(), high = stepper.t(), y[3];
      while (high - low > 1e-10) {
        const double middle = 0.5 * (low + high);
        stepper.at(middle, y);
        (y[1] < 0.05 ? low : high) = middle;
      }
      onsets.push_back(high);
    }
    before = stepper.y()[1];
  }
  ASSERT_EQ(onsets.size(), 10U);
  EXPECT_NEAR(onsets[0], 15.026076289, 1e-5);
  EXPECT_NEAR((onsets[9] - onsets[1]) / 8, 10.595926918, 1e-5);
}

// Against many short RK4 steps, which know nothing of kinks; and where a step crosses the border
// of stick and slip, it ends there.
TEST(rosenbrock, StepsEndAtTheKinksOfDryFriction) {
  for (const auto& [K, beta] : {std::pair(1e5, 1e-3), std::pair(1e8, 1e-4)}) {
    const auto system = stiff_workloads::shaken_mass(K, beta);
    tolerances wanted;
    wanted.relative = 1e-6;
    wanted.absolute = {1e-8, 1e-7, 1e-6 / K};
    rosenbrock_stepper stepper(system, wanted, 1e-4, 0.1);
    double y[3] = {0, 0, 0};
    stepper.start(0, y);
    double margin = system.kink(0, y);
    int crossings = 0, at_the_border = 0;
    while (stepper.t() < 1.5) {
      ASSERT_EQ(stepper.step(1.5, 1.5), outcome::completed);
      const double now = system.kink(stepper.t(), stepper.y());
      if (margin * now < 0) {
        ++crossings;
        at_the_border += std::abs(now) < 0.01 * std::abs(margin) ? 1 : 0;
      }
      margin = now;
    }
    EXPECT_GE(crossings, 4) << K;
    EXPECT_EQ(at_the_border, crossings) << K;
    const long steps = 300'000;
    for (long i = 0; i < steps; ++i)
      rk4_step(system.plain, 1.5 * static_cast<double>(i) / steps, 1.5 / steps, y);
    EXPECT_NEAR(stepper.y()[0], y[0], 1e-6 * 0.07) << K;  // it moves by 0.07 m
  }
}

struct broken {
  static constexpr int capacity = 1;
  static int size() { return 1; }
  static void rates(double t, const double*, double* rate) { rate[0] = std::sqrt(0.5 - t); }
};

TEST(rosenbrock, RatesThatAreNoNumbersAreAnOutcome) {
  const broken system;
  const differenced<broken> whole{system, {1}};
  tolerances wanted;
  rosenbrock_stepper stepper(whole, wanted, 1e-2, 0.1);
  const double start[1] = {0};
  stepper.start(0, start);
  outcome how = outcome::completed;
  for (int i = 0; i < 1000 && how == outcome::completed; ++i) how = stepper.step(1, 1);
  EXPECT_NE(how, outcome::completed);
  EXPECT_LE(stepper.before(), 0.5);
}

// The same motion as the explicit method of order 5, for every model with a continuous law.
TEST(rosenbrock, AgreesWithDopri5ForEveryModel) {
  int compared = 0;
  for (const catalogue_entry* each : catalogue()) {
    const catalogue_entry& entry = *each;
    if (entry.family != "friction") continue;
    const any_model model(entry);
    if (!model.is_ode() || (model.describe().claims & continuous) == 0) continue;
    const auto end = [&](const char* method) {
      const std::string text = fmt::format(
          "[system]\nkind = \"pulled_mass\"\nmass = 1\nstiffness = 400\nspeed = 0.02\n"
          "[friction]\nmodel = \"{}\"\n[run]\nduration = 0.3\nevents = false\n"
          "[integrator]\nmethod = \"{}\"\nrelative_tolerance = 1e-7\n",
          entry.key, method);
      const run_data data = simulate(read_scenario(parse_toml(text, "test"), "test", "."));
      EXPECT_EQ(data.result.how, outcome::completed) << entry.key << " " << method;
      return data["x"].back();
    };
    EXPECT_NEAR(end("rosenbrock"), end("dopri5"), 1e-7) << entry.key;
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

}  // namespace
}  // namespace asperity
