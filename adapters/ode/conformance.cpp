// SPDX-License-Identifier: Apache-2.0
// The Open Dynamics Engine on the conformance cards:
//
//   ode_conformance > ode.json && asperity conformance --only-measured --measured ode.json
//
// dWorldStep and dWorldQuickStep, 1 ms; ERP and CFM as ODE sets them; pyramidal friction
// (dContactApprox1) with mu as a coefficient; bounce 0.5 from any speed on.

#include <fmt/format.h>
#include <ode/ode.h>

#include <algorithm>

#include "adapters/conformance/peer.hpp"

namespace {

using namespace asperity;
using peers::json;

class world {
 public:
  world(bool is_quick, double gravity, double mu, double bounce)
      : is_quick_(is_quick), mu_(mu), bounce_(bounce) {
    dWorldSetGravity(id_, 0, 0, -gravity);
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(id_);
  }

  void add_plane() { dCreatePlane(space_, 0, 0, 1, 0); }
  dBodyID add(dGeomID geometry, const dMass& mass) {
    const dBodyID body = dBodyCreate(id_);
    dBodySetMass(body, &mass);
    dGeomSetBody(geometry, body);
    return body;
  }
  dSpaceID space() const { return space_; }
  void step(double h) {
    dSpaceCollide(space_, this,
                  [](void* self, dGeomID a, dGeomID b) { static_cast<world*>(self)->meet(a, b); });
    is_quick_ ? dWorldQuickStep(id_, h) : dWorldStep(id_, h);
    dJointGroupEmpty(contacts_);
  }

 private:
  dWorldID id_ = dWorldCreate();
  dSpaceID space_ = dSimpleSpaceCreate(nullptr);
  dJointGroupID contacts_ = dJointGroupCreate(0);
  bool is_quick_;
  double mu_, bounce_;

  void meet(dGeomID a, dGeomID b) {
    dContact found[8];
    const int count = dCollide(a, b, 8, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      found[i].surface = {};
      found[i].surface.mode = dContactBounce | dContactApprox1;
      found[i].surface.mu = mu_;
      found[i].surface.bounce = bounce_;
      dJointAttach(dJointCreateContact(id_, contacts_, &found[i]), dGeomGetBody(a),
                   dGeomGetBody(b));
    }
  }
};

class box_slider final : public peers::slider {
 public:
  explicit box_slider(bool is_quick) : is_quick_(is_quick) { limit = 0.5 * 9.81 * mass; }
  void restart() override {
    world_ = std::make_unique<world>(is_quick_, 9.81, 0.5, 0);
    world_->add_plane();
    dMass of;
    dMassSetBoxTotal(&of, mass, 0.2, 0.2, 0.1);
    body_ = world_->add(dCreateBox(world_->space(), 0.2, 0.2, 0.1), of);
    dBodySetPosition(body_, 0, 0, 0.05);
    start_ = 0;
    for (int i = 0; i < 1000; ++i) step(0);
    start_ = dBodyGetPosition(body_)[0];
  }
  void step(double pull) override {
    dBodyAddForce(body_, pull, 0, 0);
    world_->step(timestep);
  }
  double x() const override { return dBodyGetPosition(body_)[0] - start_; }
  double v() const override { return dBodyGetLinearVel(body_)[0]; }

 private:
  bool is_quick_;
  std::unique_ptr<world> world_;
  dBodyID body_ = nullptr;
  double start_ = 0;
};

class ode_spheres final : public peers::spheres {
 public:
  explicit ode_spheres(bool is_quick) : is_quick_(is_quick) {}
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    world_ = std::make_unique<world>(is_quick_, 0, mu, 0.5);
    if (bodies.size() == 1) world_->add_plane();
    bodies_.clear();
    for (const auto& each : bodies) {
      dMass of;
      dMassSetSphereTotal(&of, mass, radius);
      const dBodyID b = world_->add(dCreateSphere(world_->space(), radius), of);
      dBodySetPosition(b, each.x[0], each.x[1], each.x[2]);
      dBodySetLinearVel(b, each.v[0], each.v[1], each.v[2]);
      dBodySetAngularVel(b, each.omega[0], each.omega[1], each.omega[2]);
      bodies_.push_back(b);
    }
  }
  void step() override { world_->step(timestep); }
  body state(int i) const override {
    const dBodyID b = bodies_[static_cast<std::size_t>(i)];
    body of;
    std::copy_n(dBodyGetPosition(b), 3, of.x);
    std::copy_n(dBodyGetLinearVel(b), 3, of.v);
    std::copy_n(dBodyGetAngularVel(b), 3, of.omega);
    return of;
  }

 private:
  bool is_quick_;
  std::unique_ptr<world> world_;
  std::vector<dBodyID> bodies_;
};

json row(bool is_quick) {
  json result{
      {"simulator", is_quick ? "ODE, QuickStep" : "ODE, WorldStep"},
      {"settings",
       fmt::format("ODE 0.16, {} bytes a number, 1 ms, {}, contacts with "
                   "dContactApprox1, mu as a coefficient, bounce 0.5, ERP and "
                   "CFM as they are by default",
                   sizeof(dReal), is_quick ? "dWorldQuickStep with 20 iterations" : "dWorldStep")},
      {"cards", json::object()}};
  json& cards = result["cards"];
  box_slider body(is_quick);
  cards["hold_for_an_hour"] = peers::hold_for_an_hour(body);
  cards["drift_under_vibration"] = peers::drift_under_vibration(body);
  cards["break_away"] = peers::break_away(body);
  ode_spheres spheres(is_quick);
  cards["touchdown"] = peers::touchdown(spheres);
  cards["restitution_against_speed"] = peers::restitution_against_speed(spheres);
  cards["grazing_impact"] = peers::grazing_impact(spheres);
  cards["angular_momentum"] = peers::angular_momentum(spheres);
  cards["slide_and_spin"] = peers::does_not_apply("a disc on a plane touches in points");
  return result;
}

}  // namespace

int main() {
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  try {
    json all = json::array();
    for (const bool is_quick : {false, true}) all.push_back(row(is_quick));
    fmt::print("{}\n", all.dump(2));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "ode_conformance: {}\n", problem.what());
    return 1;
  }
  dCloseODE();
}
