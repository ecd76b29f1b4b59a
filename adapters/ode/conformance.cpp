// SPDX-License-Identifier: Apache-2.0
// The Open Dynamics Engine on the conformance cards:
//
//   ode_conformance > ode.json && asperity conformance --only-measured --measured ode.json
//
// Settings are ODE's defaults but for what the name of a row says. Friction of contacts is the
// pyramid that its manual recommends (dContactApprox1: the limit is mu times the normal force);
// friction of joints is, as the manual says, a motor that wants velocity 0 with a force of its limit
// at most.

#include <fmt/format.h>
#include <ode/ode.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "adapters/conformance/peer.hpp"

namespace {

using namespace asperity;
using peers::json;

constexpr double step_of_all = 1e-3;

struct setting {
  bool is_quick = false;
  int iterations = 20;             // of the quick step; as by default
  std::optional<double> cfm = {};  // constraint force mixing; nothing: as by default

  std::string words() const {
    return (is_quick ? fmt::format("dWorldQuickStep with {} iterations", iterations)
                     : std::string("dWorldStep")) +
           (cfm ? fmt::format(", CFM {:g}", *cfm) : ", ERP and CFM as by default");
  }
};

class world {
 public:
  double mu = 0, bounce = 0;

  explicit world(const setting& how, double gravity = 0) : is_quick_(how.is_quick) {
    dWorldSetGravity(id, 0, 0, -gravity);
    dWorldSetQuickStepNumIterations(id, how.iterations);
    if (how.cfm) dWorldSetCFM(id, *how.cfm);
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space);
    dWorldDestroy(id);
  }

  dWorldID id = dWorldCreate();
  dSpaceID space = dSimpleSpaceCreate(nullptr);

  dBodyID add_box(double mass, double x, double y, double z) {
    dMass m;
    dMassSetBoxTotal(&m, mass, x, y, z);
    return add(m, dCreateBox(space, x, y, z));
  }
  dBodyID add_sphere(double mass, double R) {
    dMass m;
    dMassSetSphereTotal(&m, mass, R);
    return add(m, dCreateSphere(space, R));
  }
  // Without a shape: nothing can touch it.
  dBodyID add_mass(double mass) {
    dMass m;
    dMassSetSphereTotal(&m, mass, 0.1);
    return add(m, nullptr);
  }
  // Friction between two bodies that move along x; nothing stands for the ground.
  void add_brake(dBodyID one, dBodyID other, double limit) {
    const dJointID joint = dJointCreateSlider(id, nullptr);
    dJointAttach(joint, one, other);
    dJointSetSliderAxis(joint, 1, 0, 0);
    dJointSetSliderParam(joint, dParamVel, 0);
    dJointSetSliderParam(joint, dParamFMax, limit);
  }
  void step(double h) {
    dSpaceCollide(space, this, &world::touch);
    is_quick_ ? dWorldQuickStep(id, h) : dWorldStep(id, h);
    dJointGroupEmpty(contacts_);
  }

 private:
  bool is_quick_;
  dJointGroupID contacts_ = dJointGroupCreate(0);

  dBodyID add(const dMass& m, dGeomID shape) {
    const dBodyID body = dBodyCreate(id);
    dBodySetMass(body, &m);
    if (shape != nullptr) dGeomSetBody(shape, body);
    return body;
  }
  static void touch(void* self, dGeomID a, dGeomID b) {
    auto& all = *static_cast<world*>(self);
    dContact found[8] = {};
    const int count = dCollide(a, b, 8, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      found[i].surface.mode = dContactApprox1 | (all.bounce > 0 ? dContactBounce : 0);
      found[i].surface.mu = all.mu;
      found[i].surface.bounce = all.bounce;
      found[i].surface.bounce_vel = 0;
      dJointAttach(dJointCreateContact(all.id, all.contacts_, &found[i]), dGeomGetBody(a),
                   dGeomGetBody(b));
    }
  }
};

class slider_of_ode : public peers::slider {
 public:
  slider_of_ode() { timestep = step_of_all; }
  void step(double pull) override {
    dBodyAddForce(body_, pull, 0, 0);
    world_->step(timestep);
  }
  double x() const override { return dBodyGetPosition(body_)[0] - start_; }
  double v() const override { return dBodyGetLinearVel(body_)[0]; }

 protected:
  std::optional<world> world_;
  dBodyID body_ = nullptr;
  double start_ = 0;
};

// A box of 1 kg on a plane, mu = 0.5, under gravity.
class box_slider final : public slider_of_ode {
 public:
  explicit box_slider(const setting& how) : how_(how) { limit = 0.5 * 9.81 * mass; }
  void restart() override {
    world_.emplace(how_, 9.81);
    world_->mu = 0.5;
    dCreatePlane(world_->space, 0, 0, 1, 0);
    body_ = world_->add_box(mass, 0.2, 0.2, 0.1);
    dBodySetPosition(body_, 0, 0, 0.05);
    start_ = 0;
    for (int i = 0; i < 2000; ++i) step(0);
    start_ = dBodyGetPosition(body_)[0];
  }

 private:
  setting how_;
};

class joint_slider final : public slider_of_ode {
 public:
  explicit joint_slider(const setting& how) : how_(how) {}
  void restart() override {
    world_.emplace(how_);
    body_ = world_->add_mass(mass);
    world_->add_brake(body_, nullptr, limit);
  }

 private:
  setting how_;
};

class joint_brakes final : public peers::two_sliders {
 public:
  explicit joint_brakes(const setting& how) : how_(how) { timestep = step_of_all; }
  void restart(double mass, double weaker) override {
    world_.emplace(how_);
    carriage_ = world_->add_mass(mass);
    body_ = world_->add_mass(mass);
    world_->add_brake(carriage_, nullptr, limit);
    world_->add_brake(body_, carriage_, weaker * limit);
  }
  void step(double pull) override {
    dBodyAddForce(body_, pull, 0, 0);
    world_->step(timestep);
  }
  double slip(int brake) const override {
    const double carriage = dBodyGetPosition(carriage_)[0];
    return brake == 0 ? carriage : dBodyGetPosition(body_)[0] - carriage;
  }

 private:
  setting how_;
  std::optional<world> world_;
  dBodyID carriage_ = nullptr, body_ = nullptr;
};

class ode_spheres final : public peers::spheres {
 public:
  explicit ode_spheres(const setting& how) : how_(how) { timestep = step_of_all; }
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    world_.emplace(how_);
    world_->mu = mu;
    world_->bounce = 0.5;
    if (bodies.size() == 1) dCreatePlane(world_->space, 0, 0, 1, 0);
    all_.clear();
    for (const body& each : bodies) {
      const dBodyID one = world_->add_sphere(mass, radius);
      dBodySetPosition(one, each.x[0], each.x[1], each.x[2]);
      dBodySetLinearVel(one, each.v[0], each.v[1], each.v[2]);
      dBodySetAngularVel(one, each.omega[0], each.omega[1], each.omega[2]);
      all_.push_back(one);
    }
  }
  void step() override { world_->step(timestep); }
  body state(int i) const override {
    const dBodyID of = all_[static_cast<std::size_t>(i)];
    body b;
    std::copy_n(dBodyGetPosition(of), 3, b.x);
    std::copy_n(dBodyGetLinearVel(of), 3, b.v);
    std::copy_n(dBodyGetAngularVel(of), 3, b.omega);
    return b;
  }

 private:
  setting how_;
  std::optional<world> world_;
  std::vector<dBodyID> all_;
};

json contacts(const std::string& name, const setting& how) {
  json result = peers::row(
      name, fmt::format("ODE {}, double precision, 1 ms, {}, friction pyramid (dContactApprox1), "
                        "box of 1 kg with mu 0.5, spheres with bounce 0.5",
                        ASPERITY_PEER_VERSION, how.words()));
  box_slider body(how);
  peers::slide_cards(result["cards"], body);
  ode_spheres world(how);
  peers::impact_cards(result["cards"], world);
  result["cards"]["slide_and_spin"] = peers::does_not_apply(
      "a disc on a plane touches in points of its rim, not under even pressure");
  return result;
}

json joints(const std::string& name, const setting& how) {
  json result = peers::row(
      name, fmt::format("ODE {}, double precision, 1 ms, {}, 1 kg on a slider joint whose motor "
                        "wants velocity 0 (dParamFMax is the limit)",
                        ASPERITY_PEER_VERSION, how.words()));
  joint_slider body(how);
  peers::slide_cards(result["cards"], body);
  joint_brakes pair(how);
  result["cards"]["two_brakes"] = peers::two_brakes(pair);
  return result;
}

}  // namespace

int main() {
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  int code = 0;
  try {
    json all = json::array();
    all.push_back(joints("ODE joint", {}));
    all.push_back(joints("ODE joint, CFM 0", {.cfm = 0}));
    all.push_back(contacts("ODE contact", {}));
    // A box on four corners has more constraints than it needs: dWorldStep wants more CFM for that
    // than by default.
    all.push_back(contacts("ODE contact, CFM 1e-8", {.cfm = 1e-8}));
    all.push_back(contacts("ODE contact, quick step", {.is_quick = true}));
    all.push_back(contacts("ODE contact, quick step, 100", {.is_quick = true, .iterations = 100}));
    fmt::print("{}\n", all.dump(2));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "ode_conformance: {}\n", problem.what());
    code = 1;
  }
  dCloseODE();
  return code;
}
