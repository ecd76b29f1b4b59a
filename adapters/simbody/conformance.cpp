// SPDX-License-Identifier: Apache-2.0
// Simbody on the conformance cards:
//
//   simbody_conformance [impacts] > simbody.json && asperity conformance --only-measured --measured simbody.json
//
// Contacts are its compliant ones: Hertz with the dissipation of Hunt and Crossley, and friction with
// a transition velocity, which has its default. The word `impacts` leaves out the body on friction,
// whose hour takes long. Its integrators choose their steps: Runge-Kutta-Merson
// for impacts, CPodes' BDF, which its guide names for stiff systems, for a body on friction.

#include <Simbody.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>

#include "adapters/conformance/peer.hpp"

namespace {

using namespace asperity;
using peers::json;

constexpr double stiffness = 1e7, dissipation = 0.1, accuracy = 1e-5;

// A force along x that is held until it is changed.
struct pull_force : SimTK::Force::Custom::Implementation {
  pull_force(SimTK::MobilizedBodyIndex of, const double* size) : of_(of), size_(size) {}
  void calcForce(const SimTK::State&, SimTK::Vector_<SimTK::SpatialVec>& f,
                 SimTK::Vector_<SimTK::Vec3>&, SimTK::Vector&) const override {
    f[of_][1] += SimTK::Vec3(*size_, 0, 0);
  }
  SimTK::Real calcPotentialEnergy(const SimTK::State&) const override { return 0; }

 private:
  SimTK::MobilizedBodyIndex of_;
  const double* size_;
};

// Bodies made of spheres, and the plane z = 0.
class world {
 public:
  double pull = 0;

  world(double mu, double gravity, bool has_plane) : surface_(stiffness, dissipation, mu, mu, 0) {
    if (gravity > 0) SimTK::Force::UniformGravity(forces_, matter_, SimTK::Vec3(0, 0, -gravity));
    // The half-space lies at positive x of its own frame.
    if (has_plane)
      matter_.Ground().updBody().addContactSurface(
          SimTK::Rotation(SimTK::Pi / 2, SimTK::YAxis),
          SimTK::ContactSurface(SimTK::ContactGeometry::HalfSpace(), surface_));
  }

  void add(double mass, const SimTK::UnitInertia& inertia, const std::vector<SimTK::Vec3>& spheres,
           double R) {
    SimTK::Body::Rigid body(SimTK::MassProperties(mass, SimTK::Vec3(0), mass * inertia));
    for (const auto& at : spheres)
      body.addContactSurface(at,
                             SimTK::ContactSurface(SimTK::ContactGeometry::Sphere(R), surface_));
    bodies.push_back(
        SimTK::MobilizedBody::Free(matter_.Ground(), SimTK::Vec3(0), body, SimTK::Vec3(0)));
  }
  void add_pull(std::size_t of) {
    SimTK::Force::Custom(forces_, new pull_force(bodies[of].getMobilizedBodyIndex(), &pull));
  }
  void start() { state_ = system_.realizeTopology(); }
  void place(std::size_t i, const double* x, const double* v, const double* omega) {
    bodies[i].setQToFitTranslation(state_, SimTK::Vec3(x[0], x[1], x[2]));
    bodies[i].setUToFitAngularVelocity(state_, SimTK::Vec3(omega[0], omega[1], omega[2]));
    bodies[i].setUToFitLinearVelocity(state_, SimTK::Vec3(v[0], v[1], v[2]));
  }
  void integrate(bool is_stiff) {
    if (is_stiff)
      integrator_ = std::make_unique<SimTK::CPodesIntegrator>(system_, SimTK::CPodes::BDF);
    else
      integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
    integrator_->setAccuracy(accuracy);
    stepper_ = std::make_unique<SimTK::TimeStepper>(system_, *integrator_);
    stepper_->initialize(state_);
  }
  void step_to(double t) { stepper_->stepTo(t); }
  const SimTK::State& now() const { return integrator_->getState(); }
  // Normal to the plane, of all contacts.
  double contact_force() {
    SimTK::State state = now();
    system_.realize(state, SimTK::Stage::Dynamics);
    double sum = 0;
    for (int i = 0; i < contact_.getNumContactForces(state); ++i)
      sum += std::abs(contact_.getContactForce(state, i).getForceOnSurface2()[1][2]);
    return sum;
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_{system_};
  SimTK::GeneralForceSubsystem forces_{system_};
  SimTK::ContactTrackerSubsystem tracker_{system_};
  SimTK::CompliantContactSubsystem contact_{system_, tracker_};
  SimTK::ContactMaterial surface_;
  SimTK::State state_;
  std::unique_ptr<SimTK::Integrator> integrator_;
  std::unique_ptr<SimTK::TimeStepper> stepper_;

 public:
  std::vector<SimTK::MobilizedBody::Free> bodies;
};

// A box of 1 kg on four spherical feet on a plane, mu = 0.5, under gravity.
class box_slider final : public peers::slider {
 public:
  box_slider() { limit = 0.5 * 9.81 * mass; }
  void restart() override {
    constexpr double R = 0.02;
    world_ = std::make_unique<world>(0.5, 9.81, true);
    std::vector<SimTK::Vec3> feet;
    for (const double x : {-0.1, 0.1})
      for (const double y : {-0.1, 0.1}) feet.emplace_back(x, y, R - 0.05);
    world_->add(mass, SimTK::UnitInertia::brick(0.1, 0.1, 0.05), feet, R);
    world_->add_pull(0);
    world_->start();
    const double x[3] = {0, 0, 0.05}, rest[3] = {};
    world_->place(0, x, rest, rest);
    world_->integrate(true);
    start_ = t_ = 0;
    while (t_ < 2) step(0);
    start_ = x_now();
  }
  void step(double pull) override {
    world_->pull = pull;
    t_ += timestep;
    world_->step_to(t_);
  }
  double x() const override { return x_now() - start_; }
  double v() const override { return world_->bodies[0].getBodyOriginVelocity(world_->now())[0]; }

 private:
  std::unique_ptr<world> world_;
  double t_ = 0, start_ = 0;
  double x_now() const { return world_->bodies[0].getBodyOriginLocation(world_->now())[0]; }
};

class simbody_spheres final : public peers::spheres {
 public:
  simbody_spheres() { has_force = true; }
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    world_ = std::make_unique<world>(mu, 0, bodies.size() == 1);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      world_->add(mass, SimTK::UnitInertia::sphere(radius), {SimTK::Vec3(0)}, radius);
    world_->start();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      world_->place(i, bodies[i].x, bodies[i].v, bodies[i].omega);
    world_->integrate(false);
    t_ = 0;
  }
  void step() override {
    t_ += timestep;
    world_->step_to(t_);
  }
  body state(int i) const override {
    const auto& of = world_->bodies[static_cast<std::size_t>(i)];
    const SimTK::Vec3 x = of.getBodyOriginLocation(world_->now()),
                      v = of.getBodyOriginVelocity(world_->now()),
                      omega = of.getBodyAngularVelocity(world_->now());
    body b;
    for (int k = 0; k < 3; ++k) {
      b.x[k] = x[k];
      b.v[k] = v[k];
      b.omega[k] = omega[k];
    }
    return b;
  }
  double contact_force() const override { return world_->contact_force(); }

 private:
  std::unique_ptr<world> world_;
  double t_ = 0;
};

void slide(json& cards) {
  box_slider body;
  body.timestep = 1e-4;
  cards["break_away"] = peers::break_away(body);
  // The force changes slowly; the integrator takes the steps that it needs.
  body.timestep = 0.01;
  cards["drift_under_vibration"] = peers::drift_under_vibration(body);
  cards["hold_for_an_hour"] = peers::hold_for_an_hour(body);
}

}  // namespace

int main(int count, char** words) {
  try {
    json result = peers::row(
        "Simbody contact",
        fmt::format(
            "Simbody {}, compliant contact with stiffness {:g} Pa and dissipation {:g} s/m, "
            "transition velocity 0.01 m/s (default), accuracy {:g}; box of 1 kg on four feet "
            "with mu 0.5 by CPodes (BDF), spheres by Runge-Kutta-Merson",
            ASPERITY_PEER_VERSION, stiffness, dissipation, accuracy));
    json& cards = result["cards"];
    simbody_spheres world;
    peers::impact_cards(cards, world);
    if (count < 2 || std::string(words[1]) != "impacts") slide(cards);
    cards["slide_and_spin"] = peers::does_not_apply(
        "feet touch in points of which none carries all, not under even pressure");
    fmt::print("{}\n", json::array({result}).dump(2));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "simbody_conformance: {}\n", problem.what());
    return 1;
  }
}
