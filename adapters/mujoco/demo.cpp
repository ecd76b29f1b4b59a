// SPDX-License-Identifier: Apache-2.0
// What MuJoCo's joints do with its own friction, and with that of this library.
//
//   mujoco_demo [hold] [arm] [gear] [backlash] [cost]      (default: all)

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <set>

#include "adapters/mujoco/joint_friction.hpp"
#include "adapters/mujoco/scene.hpp"
#include "adapters/mujoco/scenes.hpp"

namespace {

using namespace asperity;
using mujoco::joint_friction, mujoco::scene;

any_model law(const char* key, std::initializer_list<std::pair<const char*, double>> values) {
  any_model made(find_entry(key));
  for (const auto& [name, value] : values) made.set(name, value);
  return made;
}

void hold() {
  fmt::print("1 kg on a slide joint, pushed with 96 % of a friction limit of 1 N, 2 ms\n");
  for (const char* integrator : {"Euler", "implicit", "RK4"}) {
    scene own(mujoco::slide(1, integrator));
    double at_1 = 0;
    for (int i = 0; i < 50'000; ++i) {
      own.d()->qfrc_applied[0] = 0.96;
      mj_step(own.m(), own.d());
      if (i == 499) at_1 = own.d()->qpos[0];
    }
    fmt::print("  {:8} frictionloss:   creeps {:.3g} m from 1 s to 100 s\n", integrator,
               own.d()->qpos[0] - at_1);
    for (const char* key : {"dai", "coulomb", "dai_stribeck"}) {
      if (std::string(integrator) != "Euler" && std::string(key) != "dai") continue;
      scene s(mujoco::slide(0, integrator));
      joint_friction friction(s.m());
      any_model model(find_entry(key));
      const double limit = model.force_bound(0, 0, 1);
      friction.add("slide", model);
      for (int i = 0; i < 1'800'000; ++i) {
        // Within 20 s: a sudden force would swing beyond the limit.
        s.d()->qfrc_applied[0] =
            0.96 * limit * 0.5 * (1 - std::cos(M_PI * std::min(1.0, s.d()->time / 20)));
        friction.step(s.d());
        if (i == 15'000) at_1 = s.d()->qpos[0];
      }
      fmt::print("  {:8} {:12}:   creeps {:.3g} m from 30 s to 1 h\n", integrator, key,
                 s.d()->qpos[0] - at_1);
    }
  }
}

void arm() {
  fmt::print("An arm of two joints holds a load: its weight is 96 % of what friction holds\n");
  scene s(mujoco::arm(0));
  mj_forward(s.m(), s.d());
  const double shoulder = std::abs(s.d()->qfrc_bias[0]) / 0.96,
               elbow = std::abs(s.d()->qfrc_bias[1]) / 0.96;
  joint_friction friction(s.m());
  friction.add("shoulder", law("dai", {{"F", shoulder}, {"K", 1e5}}));
  friction.add("elbow", law("dai", {{"F", elbow}, {"K", 1e5}}));
  double at_1[2] = {0, 0};
  for (int i = 0; i < 1'800'000; ++i) {
    friction.step(s.d());
    if (i == 499) std::copy_n(s.d()->qpos, 2, at_1);
  }
  fmt::print("  dai: shoulder {:.3g} rad, elbow {:.3g} rad from 1 s to 1 h\n",
             s.d()->qpos[0] - at_1[0], s.d()->qpos[1] - at_1[1]);
  scene own(mujoco::arm(0));
  own.m()->dof_frictionloss[0] = shoulder;
  own.m()->dof_frictionloss[1] = elbow;
  for (int i = 0; i < 50'000; ++i) {
    mj_step(own.m(), own.d());
    if (i == 499) std::copy_n(own.d()->qpos, 2, at_1);
  }
  fmt::print("  frictionloss: shoulder {:.3g} rad, elbow {:.3g} rad from 1 s to 100 s\n",
             own.d()->qpos[0] - at_1[0], own.d()->qpos[1] - at_1[1]);
}

// Friction of 0.1 N m and 20 % of what the motor gives: it turns beyond 0.125 N m.
void gear() {
  fmt::print("A gear with friction (0.1 N m + 20 % of the torque): it turns beyond 0.125 N m\n");
  for (const double torque : {0.05, 0.12, 0.124, 0.126, 0.2, 1.0}) {
    scene s(mujoco::flywheels());
    joint_friction friction(s.m());
    friction.add("motor", law("coulomb", {{"F_c", 0.1}}), {.idle = 1, .per_torque = 2});
    s.d()->ctrl[0] = torque;
    for (int i = 0; i < 1000; ++i) friction.step(s.d());
    fmt::print("  {:5} N m for 1 s: friction {:.4f} N m, {:.6g} rad/s\n", torque, friction.force(0),
               s.d()->qvel[0]);
  }
}

void backlash() {
  fmt::print(
      "Two flywheels behind a gear with a backlash of 0.02 rad: the motor swings with 0.5 Hz\n");
  scene s(mujoco::flywheels());
  joint_friction friction(s.m());
  friction.add_backlash("motor", "load", 1, 0.02, law("dai_contact", {{"K", 1e4}}));
  friction.add("load", law("dai", {{"F", 0.05}, {"K", 1e4}}));
  double widest = 0, touched = 0;
  for (int i = 0; i < 10'000; ++i) {
    s.d()->ctrl[0] = 0.2 * std::sin(M_PI * s.d()->time);
    friction.step(s.d());
    widest = std::max(widest, std::abs(s.d()->qpos[0] - s.d()->qpos[1]));
    touched += friction.force(0) > 0 || friction.force(1) > 0 ? 1 : 0;
  }
  fmt::print("  in 10 s: {:.1f} % of the time in contact, widest difference {:.5f} rad\n",
             touched / 100, widest);
}

// Of this thread: other programs on the machine do not count.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of_step(scene& s, joint_friction* friction, int steps) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const double start = processor_time();
    for (int i = 0; i < steps; ++i) {
      s.d()->qfrc_applied[0] = 0.9 * std::sin(0.01 * i);
      friction != nullptr ? friction->step(s.d()) : mj_step(s.m(), s.d());
    }
    best = std::min(best, (processor_time() - start) / steps);
  }
  return best;
}

void cost() {
  fmt::print("Processor time of a step, best of 5\n");
  scene bare(mujoco::slide(0)), own(mujoco::slide(1));
  const double without = seconds_of_step(bare, nullptr, 20'000);
  fmt::print("  slide joint: {:.2f} us without friction, {:.2f} us with frictionloss\n",
             1e6 * without, 1e6 * seconds_of_step(own, nullptr, 20'000));
  for (const char* key : {"coulomb", "dai", "dai_stribeck", "dai_multistate", "gms", "lugre"}) {
    scene s(mujoco::slide(0));
    joint_friction friction(s.m());
    friction.add("slide", any_model(find_entry(key)));
    fmt::print("  {:15} adds {:.2f} us\n", key,
               1e6 * (seconds_of_step(s, &friction, 20'000) - without));
  }
  scene two(mujoco::arm(0)), two_with(mujoco::arm(0));
  joint_friction friction(two_with.m());
  for (const char* joint : {"shoulder", "elbow"}) friction.add(joint, law("dai", {{"F", 25}}));
  const double arm_without = seconds_of_step(two, nullptr, 20'000);
  fmt::print("  arm of two joints: {:.2f} us without, dai on both adds {:.2f} us\n",
             1e6 * arm_without, 1e6 * (seconds_of_step(two_with, &friction, 20'000) - arm_without));
}

}  // namespace

int main(int count, char** arguments) {
  const std::set<std::string> wanted(arguments + 1, arguments + count);
  const std::pair<const char*, void (*)()> demos[] = {
      {"hold", hold}, {"arm", arm}, {"gear", gear}, {"backlash", backlash}, {"cost", cost}};
  for (const auto& each : wanted) {
    bool is_known = false;
    for (const auto& [name, run] : demos) is_known = is_known || each == name;
    if (is_known) continue;
    fmt::print(stderr, "mujoco_demo: no demo '{}': hold, arm, gear, backlash, cost\n", each);
    return 2;
  }
  try {
    for (const auto& [name, run] : demos)
      if (wanted.empty() || wanted.contains(name)) run();
  } catch (const error& problem) {
    fmt::print(stderr, "mujoco_demo: {}\n", problem.what());
    return 1;
  }
}
