// SPDX-License-Identifier: Apache-2.0
// Joints of MuJoCo with friction of this library: facts of mechanics, no numbers of our own.

#include "adapters/mujoco/joint_friction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <cmath>

#include "adapters/mujoco/scene.hpp"
#include "adapters/mujoco/scenes.hpp"

namespace asperity::mujoco {
namespace {

any_model law(const char* key, std::initializer_list<std::pair<const char*, double>> values = {}) {
  any_model made(find_entry(key));
  for (const auto& [name, value] : values) made.set(name, value);
  return made;
}

// How far the slide joint goes in the second half of the time under a share of the limit.
double creep(const char* key, const char* integrator, double share, double duration) {
  scene s(slide(0, integrator));
  joint_friction friction(s.m());
  const any_model model = law(key);
  const double limit = model.force_bound(0, 0, 1);
  friction.add("slide", model);
  double at_1 = 0;
  const auto steps = static_cast<long>(duration / 0.002);
  for (long i = 0; i < steps; ++i) {
    // Slowly: a sudden force swings beyond the limit, and what falls with speed then slides.
    const double ramp = std::min(1.0, 0.002 * static_cast<double>(i) / 20);
    s.d()->qfrc_applied[0] = share * limit * 0.5 * (1 - std::cos(M_PI * ramp));
    friction.step(s.d());
    if (i == steps / 2) at_1 = s.d()->qpos[0];
  }
  EXPECT_NEAR(s.d()->qfrc_applied[0], share * limit,
              1e-15 * limit);  // the user's own force is as it was
  return std::abs(s.d()->qpos[0] - at_1);
}

TEST(mujoco, OwnFrictionlossCreeps) {
  scene s(slide(1));
  for (int i = 0; i < 50'000; ++i) {
    s.d()->qfrc_applied[0] = 0.96;
    mj_step(s.m(), s.d());
  }
  EXPECT_GT(s.d()->qpos[0], 0.01);
}

TEST(mujoco, EveryLawThatClaimsNotToDriftHolds) {
  for (const char* integrator : {"Euler", "implicit", "RK4"})
    for (const catalogue_entry* each : catalogue()) {
      if (each->family != "friction") continue;
      const any_model model(*each);
      // Without dampers a body swings on.
      if ((model.describe().claims & no_drift) == 0 || !model.has_implicit_step()) continue;
      EXPECT_LT(creep(each->key.c_str(), integrator, 0.96, 100), 1e-12)
          << each->key << " " << integrator;
    }
}

// Beyond the limit it accelerates with what is left.
TEST(mujoco, SlidesBeyondTheLimit) {
  for (const char* key : {"coulomb", "dai", "dahl", "lugre"}) {
    scene s(slide(0));
    joint_friction friction(s.m());
    any_model model = law(key);
    if (std::string(key) == "lugre") {
      model.set("sigma_2", 0);
      model.set("F_s", 1);
    }
    friction.add("slide", model);
    for (int i = 0; i < 500; ++i) {
      s.d()->qfrc_applied[0] = 1.5;
      friction.step(s.d());
    }
    EXPECT_NEAR(s.d()->qvel[0], 0.5, 5e-3) << key;
    EXPECT_NEAR(friction.force(0), 1, 1e-3) << key;
  }
}

// Two joints that share inertia: with M of either joint alone the free velocity would be wrong, and
// one of them would creep. Also where MuJoCo solves with its damping.
TEST(mujoco, ArmHoldsItsLoad) {
  for (const double damping : {0.0, 0.5})
    for (const char* integrator : {"Euler", "implicit", "RK4"}) {
      scene s(arm(0, damping, integrator));
      mj_forward(s.m(), s.d());
      joint_friction friction(s.m());
      friction.add("shoulder", law("dai", {{"F", std::abs(s.d()->qfrc_bias[0]) / 0.96}}));
      friction.add("elbow", law("coulomb", {{"F_c", std::abs(s.d()->qfrc_bias[1]) / 0.96}}));
      double at_1[2] = {0, 0};
      for (int i = 0; i < 50'000; ++i) {
        friction.step(s.d());
        if (i == 499) std::copy_n(s.d()->qpos, 2, at_1);
      }
      for (int i = 0; i < 2; ++i)
        EXPECT_LT(std::abs(s.d()->qpos[i] - at_1[i]), 1e-12)
            << "joint " << i << ", damping " << damping << ", " << integrator;
    }
}

// Six joints of a chain share most of their inertia: solved one after the other, they would not agree in
// hundreds of rounds, and what is left of the weight would turn them.
TEST(mujoco, ChainHoldsItsLoad) {
  constexpr int links = 6;
  scene s(chain(links));
  mj_forward(s.m(), s.d());
  joint_friction friction(s.m());
  for (int i = 0; i < links; ++i) {
    const double limit = std::abs(s.d()->qfrc_bias[i]) / 0.96;
    friction.add(fmt::format("joint_{}", i), law("coulomb", {{"F_c", limit}}));
  }
  for (int i = 0; i < 5000; ++i) friction.step(s.d());
  for (int i = 0; i < links; ++i) {
    EXPECT_LT(std::abs(s.d()->qpos[i]), 1e-12) << "joint " << i;
    EXPECT_NEAR(friction.force(i), -s.d()->qfrc_bias[i], 1e-9 * std::abs(s.d()->qfrc_bias[0]))
        << "joint " << i;
  }
}

// A law without a closed form, taken through the step that MuJoCo made, has the force that was found: as
// it sticks, breaks away, slides and turns.
TEST(mujoco, ForceThatIsSearchedForIsThatOfTheLaw) {
  for (const char* key : {"gms", "maxwell_slip"}) {
    scene s(slide(0));
    joint_friction friction(s.m());
    const any_model model = law(key);
    const double limit = model.force_bound(0, 0, 1), h = s.m()->opt.timestep;
    friction.add("slide", model);
    for (int i = 0; i < 3000; ++i) {
      const double x = s.d()->qpos[0], v = s.d()->qvel[0], pull = 1.2 * limit * std::sin(0.01 * i);
      auto state = friction.state(0);
      s.d()->qfrc_applied[0] = pull;
      friction.step(s.d());
      const double end = s.d()->qvel[0];
      const double f = model.advance(state.data(), {x, v, 1}, {x + h * end, end, 1}, h);
      ASSERT_NEAR(friction.force(0), f, 1e-9 * limit) << key << " " << i;
      ASSERT_NEAR(end, v + h * (pull - friction.force(0)), 1e-14) << key << " " << i;
    }
  }
}

// What is predicted is what MuJoCo does: in free motion friction sees the velocity at the end.
TEST(mujoco, CoulombFrictionStopsAMassAndKeepsItThere) {
  scene s(slide(0, "Euler", 0.001));
  joint_friction friction(s.m());
  friction.add("slide", law("coulomb"));
  s.d()->qvel[0] = 0.5;
  for (int i = 0; i < 2000; ++i) friction.step(s.d());
  EXPECT_NEAR(s.d()->qpos[0], 0.125, 5e-4);  // v^2/(2 a)
  EXPECT_LT(std::abs(s.d()->qvel[0]), 1e-15);
}

// The motor's own torque presses the teeth: it turns once T > F + 0.2 T.
TEST(mujoco, GearFrictionGrowsWithTheLoad) {
  for (const double torque : {0.124, 0.126, 0.5}) {
    scene s(flywheels());
    joint_friction friction(s.m());
    friction.add("motor", law("coulomb", {{"F_c", 0.1}}), {.idle = 1, .per_torque = 2});
    s.d()->ctrl[0] = torque;
    for (int i = 0; i < 1000; ++i) friction.step(s.d());
    mj_forward(s.m(), s.d());
    const double inertia = 0.5 * 0.1 * 0.1;  // of the cylinder
    EXPECT_NEAR(s.d()->qvel[0], std::max(0.0, 0.8 * torque - 0.1) / inertia, 1e-6) << torque;
  }
}

// The load rests until the motor has taken up the backlash, then follows at half the width.
TEST(mujoco, BacklashIsTakenUp) {
  scene s(flywheels());
  joint_friction friction(s.m());
  const int flank =
      friction.add_backlash("motor", "load", 1, 0.02, law("dai_contact", {{"K", 1e5}}));
  friction.add("motor", law("dai", {{"F", 0.01}, {"K", 1e3}}));
  friction.add("load", law("dai", {{"F", 0.01}, {"K", 1e3}}));
  s.d()->ctrl[0] = 0.05;
  double moved = 0;
  for (int i = 0; i < 3000; ++i) {
    friction.step(s.d());
    if (s.d()->qpos[0] < 0.0099) moved = std::max(moved, std::abs(s.d()->qpos[1]));
  }
  EXPECT_EQ(moved, 0);
  EXPECT_NEAR(s.d()->qpos[0] - s.d()->qpos[1], 0.01, 1e-5);
  // Both turn together: half of what is left after both frictions goes through the teeth.
  EXPECT_NEAR(friction.force(flank), 0.01 + 0.5 * (0.05 - 0.02), 1e-3);
  EXPECT_EQ(friction.force(flank + 1), 0);
}

TEST(mujoco, BadInputIsRefused) {
  scene s(slide(0));
  joint_friction friction(s.m());
  EXPECT_THROW(friction.add("elbow", law("dai")), error);
  EXPECT_THROW(friction.add("slide", law("hertz")), error);
  EXPECT_THROW(friction.add("slide", law("stribeck_exponential")), error);
  EXPECT_THROW(friction.add("slide", law("dai"), {.idle = -1}), error);
  EXPECT_THROW(friction.add_backlash("slide", "slide", 0, 1, law("dai_contact")), error);
  EXPECT_THROW(friction.add_backlash("slide", "slide", 1, -1, law("dai_contact")), error);
  EXPECT_THROW(friction.add_backlash("slide", "slide", 1, 1, law("hertz")), error);
  EXPECT_THROW(scene("<mujoco>"), error);
}

}  // namespace
}  // namespace asperity::mujoco
