// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

run_data run(const std::string& system, const std::string& rest) {
  const std::string text = "system = { kind = 'positioning_loop', mass = 1, K_p = 1000, K_d = 60" +
                           system + " }\n" + rest;
  return simulate(read_scenario(parse_toml(text, "test"), "test", ""));
}
const std::string sine =
    "goal = { kind = 'sine', amplitude = 0.01, omega = 6 }\n"
    "integrator = { step = 1e-3 }\nrun = { duration = 3 }\n";
double rms_error(const run_data& data, double from) {
  double sum = 0, n = 0;
  for (std::size_t k = 0; k < data["t"].size(); ++k)
    if (data["t"][k] >= from) {
      sum += data["error"][k] * data["error"][k];
      ++n;
    }
  return std::sqrt(sum / n);
}

// A PD holds friction only by an error: up to F_c/K_p where it comes to rest.
TEST(positioning_loop, RestsWithinTheFrictionOverTheGain) {
  const auto data = run("",
                        "friction = { model = 'coulomb', F_c = 5 }\n"
                        "goal = 0.02\nintegrator = { step = 1e-3 }\nrun = { duration = 2 }\n");
  EXPECT_EQ(data["v"].back(), 0);
  EXPECT_LE(std::abs(data["error"].back()), 5.0 / 1000);
  EXPECT_GT(std::abs(data["error"].back()), 1e-4);
}

// The model of the plant along the goal leaves only what turns the mass round, m a/K_p.
TEST(positioning_loop, FeedforwardOfTheRightModelTakesFrictionAway) {
  const std::string friction = "friction = { model = 'coulomb_viscous', F_c = 5, sigma_2 = 10 }\n";
  const double plain = rms_error(run("", friction + sine), 1);
  const double ahead = rms_error(run(", compensation = 'feedforward'", friction + sine), 1);
  const double without_friction =
      rms_error(run("", "friction = { model = 'coulomb', F_c = 1e-9 }\n" + sine), 1);
  EXPECT_GT(plain, 0.003);
  EXPECT_LT(ahead, 1.5 * without_friction);
  EXPECT_LT(ahead, plain / 5);
}

// A model that is wrong by a share leaves that share; nothing swings.
TEST(positioning_loop, FeedforwardLeavesWhatItsModelLacks) {
  const std::string friction = "friction = { model = 'coulomb', F_c = 5 }\n";
  const auto off = [&](double F) {
    return rms_error(run(", compensation = 'feedforward'",
                         friction + "compensator = { model = 'coulomb', F_c = " +
                             std::to_string(F) + " }\n" + sine),
                     1);
  };
  EXPECT_LT(off(4.5), off(2.5));
  EXPECT_LT(off(2.5), off(0.5));
}

// An observer needs no right model: what the model leaves it finds.
TEST(positioning_loop, AnObserverFindsWhatTheModelLacks) {
  const std::string friction = "friction = { model = 'dai', F = 5, K = 1e5, beta = 1e-3 }\n";
  const std::string wrong = "compensator = { model = 'dai', F = 2, K = 1e5, beta = 1e-3 }\n";
  const double ahead = rms_error(run(", compensation = 'feedforward'", friction + wrong + sine), 1);
  const double seen =
      rms_error(run(", compensation = 'observer', bandwidth = 100", friction + wrong + sine), 1);
  EXPECT_LT(seen, ahead);
}

// A drive without a limit has no number for it, and what is written down reads back as the same run.
TEST(positioning_loop, ReadsBackWithAndWithoutALimitOfItsForce) {
  for (const std::string limit : {"", ", force_limit = 3"}) {
    const std::string text =
        "system = { kind = 'positioning_loop', mass = 1, K_p = 1000, K_d = 60" + limit +
        " }\nfriction = { model = 'coulomb', F_c = 5 }\n" + sine;
    const scenario first = read_scenario(parse_toml(text, "test"), "test", "");
    const std::string resolved = to_toml(first.resolved);
    EXPECT_EQ(resolved.find("force_limit") == std::string::npos, limit.empty()) << resolved;
    const scenario again = read_scenario(parse_toml(resolved, "resolved.toml"), "test", "");
    EXPECT_EQ(to_toml(again.resolved), resolved);
    EXPECT_EQ(simulate(again)["x"], simulate(first)["x"]);
  }
}

// The force that is shown is that of the plant: with u it moves the mass.
TEST(positioning_loop, ShowsTheForcesThatMoveTheMass) {
  const auto data =
      run(", plant_steps = 1",
          "friction = { model = 'lugre' }\ngoal = { kind = 'sine', amplitude = 0.01, omega = 6 }\n"
          "integrator = { step = 1e-3 }\nrun = { duration = 1, sample = 1e-3 }\n");
  for (std::size_t k = 1; k < data["t"].size(); ++k)
    EXPECT_NEAR(data["v"][k] - data["v"][k - 1], 1e-3 * (data["u"][k] - data["f"][k]), 1e-12);
}

}  // namespace
}  // namespace asperity
