// SPDX-License-Identifier: Apache-2.0
// MuJoCo on the conformance cards, with its own friction and with that of this library:
//
//   mujoco_conformance > mujoco.json && asperity conformance --only-measured --measured mujoco.json
//
// Settings are MuJoCo's defaults but for what the name of a row says.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "adapters/conformance/peer.hpp"
#include "adapters/mujoco/joint_friction.hpp"
#include "adapters/mujoco/scene.hpp"
#include "adapters/mujoco/scenes.hpp"

namespace {

using namespace asperity;
using mujoco::joint_friction, mujoco::scene;
using peers::json;

// 1 kg on a slide joint: frictionloss, or a law of this library.
class joint_slider final : public peers::slider {
 public:
  explicit joint_slider(bool is_ours, std::string solver = "")
      : is_ours_(is_ours), solver_(std::move(solver)) {
    timestep = 0.002;
    if (is_ours) presliding = 0.5 * limit / any_model(find_entry("dai")).get("K")[0];
  }
  void restart() override {
    scene_.emplace(mujoco::slide(is_ours_ ? 0 : limit, "Euler", timestep, solver_));
    friction_.reset();
    if (!is_ours_) return;
    friction_.emplace(scene_->m());
    friction_->add("slide", any_model(find_entry("dai")));
  }
  void step(double pull) override {
    scene_->d()->qfrc_applied[0] = pull;
    is_ours_ ? friction_->step(scene_->d()) : mj_step(scene_->m(), scene_->d());
  }
  double x() const override { return scene_->d()->qpos[0]; }
  double v() const override { return scene_->d()->qvel[0]; }

 private:
  bool is_ours_;
  std::string solver_;
  std::optional<scene> scene_;
  std::optional<joint_friction> friction_;
};

class joint_brakes final : public peers::two_sliders {
 public:
  explicit joint_brakes(bool is_ours, std::string solver = "")
      : is_ours_(is_ours), solver_(std::move(solver)) {
    timestep = 0.002;
  }
  void restart(double mass, double weaker) override {
    scene_.emplace(fmt::format(
        "<mujoco><option gravity='0 0 0' timestep='{}'/><default><joint type='slide' axis='1 0 0' "
        "{}/>"
        "<geom type='box' size='.1 .1 .1' mass='{}' contype='0' conaffinity='0'/></default>"
        "<worldbody><body><joint name='a' frictionloss='{}'/><geom/><body><joint name='b' "
        "frictionloss='{}'/><geom/></body></body></worldbody></mujoco>",
        timestep, solver_, mass, is_ours_ ? 0 : limit, is_ours_ ? 0 : weaker * limit));
    friction_.reset();
    if (!is_ours_) return;
    friction_.emplace(scene_->m());
    friction_->add("a", any_model(find_entry("dai")));
    friction_->add("b", any_model(find_entry("dai")), {.idle = weaker});
  }
  void step(double pull) override {
    scene_->d()->xfrc_applied[6 * 2] = pull;  // on the body; MuJoCo passes it on to both joints
    is_ours_ ? friction_->step(scene_->d()) : mj_step(scene_->m(), scene_->d());
  }
  double slip(int brake) const override { return scene_->d()->qpos[brake]; }

 private:
  bool is_ours_;
  std::string solver_;
  std::optional<scene> scene_;
  std::optional<joint_friction> friction_;
};

// A box of 1 kg on a plane, mu = 0.5, under gravity.
class box_slider final : public peers::slider {
 public:
  explicit box_slider(std::string options) : options_(std::move(options)) {
    timestep = 0.002;
    limit = 0.5 * 9.81 * mass;
  }
  void restart() override {
    scene_.emplace(fmt::format(
        "<mujoco><option gravity='0 0 -9.81' timestep='{}' {}/><default><geom friction='0.5 0.005 "
        "0.0001'/></default><worldbody><geom type='plane' size='50 50 1'/><body pos='0 0 0.05'>"
        "<freejoint/><geom type='box' size='0.1 0.1 0.05' mass='1'/></body></worldbody></mujoco>",
        timestep, options_));
    for (int i = 0; i < 1000; ++i) step(0);
    start_ = scene_->d()->qpos[0];
  }
  void step(double pull) override {
    scene_->d()->xfrc_applied[6] = pull;
    mj_step(scene_->m(), scene_->d());
  }
  double x() const override { return scene_->d()->qpos[0] - start_; }
  double v() const override { return scene_->d()->qvel[0]; }

 private:
  std::string options_;
  std::optional<scene> scene_;
  double start_ = 0;
};

class mujoco_spheres final : public peers::spheres {
 public:
  explicit mujoco_spheres(std::string options) : options_(std::move(options)) {
    timestep = 0.002;
    has_force = true;
  }
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    std::string all;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      all += fmt::format("<body><freejoint/><geom type='sphere' size='{}' mass='{}'/></body>",
                         radius, mass);
    scene_.emplace(fmt::format(
        "<mujoco><option gravity='0 0 0' timestep='{}' {}/><default><geom friction='{} 0 0' "
        "condim='3'/></default><worldbody>{}{}</worldbody></mujoco>",
        timestep, options_, mu, bodies.size() == 1 ? "<geom type='plane' size='50 50 1'/>" : "",
        all));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      std::copy_n(bodies[i].x, 3, scene_->d()->qpos + 7 * i);
      std::copy_n(bodies[i].v, 3, scene_->d()->qvel + 6 * i);
      std::copy_n(bodies[i].omega, 3, scene_->d()->qvel + 6 * i + 3);
    }
  }
  void step() override { mj_step(scene_->m(), scene_->d()); }
  // Spins are in the axes of the body, which turn about one axis only in what the cards ask.
  body state(int i) const override {
    body b;
    std::copy_n(scene_->d()->qpos + 7 * i, 3, b.x);
    std::copy_n(scene_->d()->qvel + 6 * i, 3, b.v);
    mju_rotVecQuat(b.omega, scene_->d()->qvel + 6 * i + 3, scene_->d()->qpos + 7 * i + 3);
    return b;
  }
  double contact_force() const override {
    double sum = 0;
    for (int i = 0; i < scene_->d()->ncon; ++i) {
      mjtNum f[6];
      mj_contactForce(scene_->m(), scene_->d(), i, f);
      sum += f[0];
    }
    return sum;
  }

 private:
  std::string options_;
  std::optional<scene> scene_;
};

json joints(const std::string& name, bool is_ours, const std::string& solver = "") {
  json result = peers::row(
      name, fmt::format("MuJoCo {}, 2 ms, Euler, 1 kg on a slide joint, {}", mj_versionString(),
                        is_ours          ? "friction by adapters/mujoco with the model dai"
                        : solver.empty() ? "frictionloss, default solver settings"
                                         : "frictionloss, " + solver));
  joint_slider body(is_ours, solver);
  peers::slide_cards(result["cards"], body);
  joint_brakes pair(is_ours, solver);
  result["cards"]["two_brakes"] = peers::two_brakes(pair);
  return result;
}

json contacts(const std::string& name, const std::string& options) {
  json result = peers::row(
      name, fmt::format("MuJoCo {}, 2 ms (impacts: 1/2000 to 1/5000 of the contact), box "
                        "of 1 kg with mu 0.5 and spheres, {}",
                        mj_versionString(), options.empty() ? "all defaults" : options));
  box_slider body(options);
  peers::slide_cards(result["cards"], body);
  mujoco_spheres world(options);
  peers::impact_cards(result["cards"], world);
  result["cards"]["slide_and_spin"] = peers::does_not_apply(
      "a disc on a plane touches in points of its rim, not under even pressure");
  return result;
}

}  // namespace

int main() {
  try {
    json all = json::array();
    all.push_back(joints("MuJoCo joint", false));
    // As hard as MuJoCo allows: the impedance that it cuts off at, and two steps as time constant.
    all.push_back(joints("MuJoCo joint, hard", false,
                         "solimpfriction='0.9999 0.9999 0.001' solreffriction='0.004 1'"));
    all.push_back(joints("MuJoCo joint, asperity dai", true));
    all.push_back(contacts("MuJoCo contact", ""));
    all.push_back(
        contacts("MuJoCo contact, noslip", "cone='elliptic' impratio='10' noslip_iterations='10'"));
    all.push_back(contacts("MuJoCo contact, noslip to the end",
                           "cone='elliptic' impratio='10' noslip_iterations='100' "
                           "noslip_tolerance='1e-12'"));
    fmt::print("{}\n", all.dump(2));
  } catch (const error& problem) {
    fmt::print(stderr, "mujoco_conformance: {}\n", problem.what());
    return 1;
  }
}
