// SPDX-License-Identifier: Apache-2.0
// Simbody on the conformance cards:
//
//   simbody_conformance > simbody.json && asperity conformance --only-measured --measured simbody.json
//
// It has contacts of two kinds. Compliant ones are Hertz's with the dissipation of Hunt and Crossley
// and friction with a transition velocity; integrators choose their steps, Runge-Kutta-Merson for
// impacts and CPodes' BDF, which its guide names for stiff systems, for a body on friction. Rigid ones
// are constraints with impulses, solved by SemiExplicitEulerTimeStepper with the options that its
// header recommends; the contacts are marked experimental there. Debian's library was built with the
// debugging output of this stepper, many lines for a step, which is kept from being written at all.
// A step still costs 0.2 to 1 ms, so that the hour and the periods are asked in steps of 10 ms, in a
// row of their own. Friction of joints Simbody has none.

#include <Simbody.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

#include "adapters/conformance/peer.hpp"

namespace {

using namespace asperity;
using peers::json;
using signal = std::function<double(double)>;

// The feet of a box lose more than spheres: else the box would swing for long, and its load with it.
constexpr double stiffness = 1e7, dissipation = 0.1, lossy = 10, accuracy = 1e-5, restitution = 0.5;

// A force along x, of the time.
struct pull_force : SimTK::Force::Custom::Implementation {
  pull_force(SimTK::MobilizedBodyIndex of, const signal& size) : of_(of), size_(size) {}
  void calcForce(const SimTK::State& state, SimTK::Vector_<SimTK::SpatialVec>& f,
                 SimTK::Vector_<SimTK::Vec3>&, SimTK::Vector&) const override {
    if (size_) f[of_][1] += SimTK::Vec3(size_(state.getTime()), 0, 0);
  }
  SimTK::Real calcPotentialEnergy(const SimTK::State&) const override { return 0; }

 private:
  SimTK::MobilizedBodyIndex of_;
  const signal& size_;
};

// Bodies made of spheres, and the plane z = 0.
class world {
 public:
  signal pull;
  std::vector<SimTK::MobilizedBody::Free> bodies;

  world() = default;
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  virtual ~world() = default;

  void add_gravity(double g) {
    SimTK::Force::UniformGravity(forces_, matter_, SimTK::Vec3(0, 0, -g));
  }
  virtual void add(double mass, const SimTK::UnitInertia& inertia,
                   const std::vector<SimTK::Vec3>& spheres, double R) = 0;
  void add_pull(std::size_t of) {
    SimTK::Force::Custom(forces_, new pull_force(bodies[of].getMobilizedBodyIndex(), pull));
  }
  void build() { state_ = system_.realizeTopology(); }
  void place(std::size_t i, const double* x, const double* v, const double* omega) {
    bodies[i].setQToFitTranslation(state_, SimTK::Vec3(x[0], x[1], x[2]));
    bodies[i].setUToFitAngularVelocity(state_, SimTK::Vec3(omega[0], omega[1], omega[2]));
    bodies[i].setUToFitLinearVelocity(state_, SimTK::Vec3(v[0], v[1], v[2]));
  }
  virtual void start() = 0;
  // An integrator may be far ahead of what it shows, and would not notice a force that changes.
  void start_again() {
    state_ = now();
    start();
  }
  virtual void step_to(double t) = 0;
  virtual const SimTK::State& now() const = 0;
  virtual double contact_force() { return 0; }

 protected:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_{system_};
  SimTK::GeneralForceSubsystem forces_{system_};
  SimTK::State state_;

  void add_body(double mass, const SimTK::UnitInertia& inertia, SimTK::Body::Rigid body) {
    body.setDefaultRigidBodyMassProperties(
        SimTK::MassProperties(mass, SimTK::Vec3(0), mass * inertia));
    bodies.emplace_back(matter_.Ground(), SimTK::Vec3(0), body, SimTK::Vec3(0));
  }
};

class compliant_world final : public world {
 public:
  compliant_world(double mu, bool has_plane, bool is_stiff)
      : surface_(stiffness, is_stiff ? lossy : dissipation, mu, mu, 0), is_stiff_(is_stiff) {
    // The half-space lies at positive x of its own frame.
    if (has_plane)
      matter_.Ground().updBody().addContactSurface(
          SimTK::Rotation(SimTK::Pi / 2, SimTK::YAxis),
          SimTK::ContactSurface(SimTK::ContactGeometry::HalfSpace(), surface_));
  }
  void add(double mass, const SimTK::UnitInertia& inertia, const std::vector<SimTK::Vec3>& spheres,
           double R) override {
    SimTK::Body::Rigid body;
    for (const auto& at : spheres)
      body.addContactSurface(at,
                             SimTK::ContactSurface(SimTK::ContactGeometry::Sphere(R), surface_));
    add_body(mass, inertia, body);
  }
  void start() override {
    if (is_stiff_)
      integrator_ = std::make_unique<SimTK::CPodesIntegrator>(system_, SimTK::CPodes::BDF);
    else
      integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
    integrator_->setAccuracy(accuracy);
    stepper_ = std::make_unique<SimTK::TimeStepper>(system_, *integrator_);
    stepper_->initialize(state_);
  }
  void step_to(double t) override { stepper_->stepTo(t); }
  const SimTK::State& now() const override { return integrator_->getState(); }
  // Normal to the plane, of all contacts.
  double contact_force() override {
    SimTK::State state = now();
    system_.realize(state, SimTK::Stage::Dynamics);
    double sum = 0;
    for (int i = 0; i < contact_.getNumContactForces(state); ++i)
      sum += std::abs(contact_.getContactForce(state, i).getForceOnSurface2()[1][2]);
    return sum;
  }

 private:
  SimTK::ContactTrackerSubsystem tracker_{system_};
  SimTK::CompliantContactSubsystem contact_{system_, tracker_};
  SimTK::ContactMaterial surface_;
  bool is_stiff_;
  std::unique_ptr<SimTK::Integrator> integrator_;
  std::unique_ptr<SimTK::TimeStepper> stepper_;
};

// Spheres touch the plane or, where there is none, each other.
class rigid_world final : public world {
 public:
  rigid_world(double mu, bool has_plane, double e) : mu_(mu), e_(e), has_plane_(has_plane) {}
  void add(double mass, const SimTK::UnitInertia& inertia, const std::vector<SimTK::Vec3>& spheres,
           double R) override {
    add_body(mass, inertia, SimTK::Body::Rigid());
    if (!has_plane_ && bodies.size() == 2)
      matter_.adoptUnilateralContact(new SimTK::SphereSphereContact(
          bodies[0], SimTK::Vec3(0), R, bodies[1], SimTK::Vec3(0), R, e_, mu_, mu_, 0));
    for (const auto& at : spheres)
      if (has_plane_)
        matter_.adoptUnilateralContact(
            new SimTK::SpherePlaneContact(matter_.updGround(), SimTK::UnitVec3(SimTK::ZAxis), 0,
                                          bodies.back(), at, R, e_, mu_, mu_, 0));
  }
  void start() override {
    stepper_.emplace(system_);
    stepper_->initialize(state_);
  }
  void step_to(double t) override { stepper_->stepTo(t); }
  const SimTK::State& now() const override {
    // Velocities are asked for.
    system_.realize(stepper_->getState(), SimTK::Stage::Velocity);
    return stepper_->getState();
  }

 private:
  double mu_, e_;
  bool has_plane_;
  std::optional<SimTK::SemiExplicitEulerTimeStepper> stepper_;
};

// A box of 1 kg on four spherical feet on a plane, mu = 0.5, under gravity.
class box_slider final : public peers::slider {
 public:
  explicit box_slider(bool is_rigid) : is_rigid_(is_rigid) { limit = 0.5 * 9.81 * mass; }
  void restart() override {
    constexpr double R = 0.02;
    if (is_rigid_)
      world_ = std::make_unique<rigid_world>(0.5, true, 0);
    else
      world_ = std::make_unique<compliant_world>(0.5, true, true);
    world_->add_gravity(9.81);
    std::vector<SimTK::Vec3> feet;
    for (const double x : {-0.1, 0.1})
      for (const double y : {-0.1, 0.1}) feet.emplace_back(x, y, R - 0.05);
    world_->add(mass, SimTK::UnitInertia::brick(0.1, 0.1, 0.05), feet, R);
    world_->add_pull(0);
    world_->build();
    const double x[3] = {0, 0, 0.05}, rest[3] = {};
    world_->place(0, x, rest, rest);
    world_->start();
    start_ = t_ = 0;
    while (t_ < 2) step(0);
    begin_ = t_;
    start_ = x_now();
  }
  // A rigid contact has a force for each step, a compliant one follows its course.
  bool follows(const signal& force) override {
    if (is_rigid_) return false;
    world_->pull = [force, from = begin_](double t) { return force(std::max(0.0, t - from)); };
    world_->start_again();
    return true;
  }
  void step(double pull) override {
    if (is_rigid_) world_->pull = [pull](double) { return pull; };
    t_ += timestep;
    world_->step_to(t_);
  }
  double x() const override { return x_now() - start_; }
  double v() const override { return world_->bodies[0].getBodyOriginVelocity(world_->now())[0]; }

 private:
  bool is_rigid_;
  std::unique_ptr<world> world_;
  double t_ = 0, begin_ = 0, start_ = 0;
  double x_now() const { return world_->bodies[0].getBodyOriginLocation(world_->now())[0]; }
};

class simbody_spheres final : public peers::spheres {
 public:
  explicit simbody_spheres(bool is_rigid) : is_rigid_(is_rigid) { has_force = !is_rigid; }
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    const bool has_plane = bodies.size() == 1;
    if (is_rigid_)
      world_ = std::make_unique<rigid_world>(mu, has_plane, restitution);
    else
      world_ = std::make_unique<compliant_world>(mu, has_plane, false);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      world_->add(mass, SimTK::UnitInertia::sphere(radius), {SimTK::Vec3(0)}, radius);
    world_->build();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      world_->place(i, bodies[i].x, bodies[i].v, bodies[i].omega);
    world_->start();
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
  bool is_rigid_;
  std::unique_ptr<world> world_;
  double t_ = 0;
};

json contacts(bool is_rigid) {
  json result =
      is_rigid
          ? peers::row(
                "Simbody rigid contact",
                fmt::format(
                    "Simbody {}, constraints with impulses (experimental) by "
                    "SemiExplicitEulerTimeStepper as it is by default, 1 ms (break_away 0.1 ms), "
                    "box of 1 kg on four feet with mu 0.5, spheres with minCOR {:g}",
                    ASPERITY_PEER_VERSION, restitution))
          : peers::row(
                "Simbody compliant contact",
                fmt::format("Simbody {}, compliant contact with stiffness {:g} Pa and dissipation "
                            "{:g} s/m (box: {:g} s/m), transition velocity 0.01 m/s (default), "
                            "accuracy {:g}; box of "
                            "1 kg on four feet with mu 0.5 by CPodes (BDF), spheres by "
                            "Runge-Kutta-Merson",
                            ASPERITY_PEER_VERSION, stiffness, dissipation, lossy, accuracy));
  json& cards = result["cards"];
  simbody_spheres world(is_rigid);
  peers::impact_cards(cards, world);
  box_slider body(is_rigid);
  // Where a force is followed, steps are those of the integrator, and these only when it is looked at.
  body.timestep = 1e-4;
  cards["break_away"] = peers::break_away(body);
  if (is_rigid) {
    for (const char* card : {"drift_under_vibration", "hold_for_an_hour"})
      cards[card] =
          peers::not_run("it would take more than an hour in steps of 1 ms; see the row of 10 ms");
  } else {
    body.timestep = 0.05;
    cards["drift_under_vibration"] = peers::drift_under_vibration(body);
    cards["hold_for_an_hour"] = peers::hold_for_an_hour(body);
  }
  cards["slide_and_spin"] = peers::does_not_apply(
      "feet touch in points of which none carries all, not under even pressure");
  return result;
}

// Steps as long as the hour can be run in; the stepper leaves their length to the user.
json held_by_rigid_contact() {
  json result = peers::row(
      "Simbody rigid contact, 10 ms",
      fmt::format("Simbody {}, constraints with impulses (experimental) by "
                  "SemiExplicitEulerTimeStepper as it is by default, 10 ms, box of 1 kg on four "
                  "feet with mu 0.5",
                  ASPERITY_PEER_VERSION));
  box_slider body(true);
  body.timestep = 0.01;
  result["cards"]["drift_under_vibration"] = peers::drift_under_vibration(body);
  result["cards"]["hold_for_an_hour"] = peers::hold_for_an_hour(body);
  return result;
}

}  // namespace

int main() {
  const int result = dup(STDOUT_FILENO);
  // A stream that is open for reading refuses to write before anything is formatted, as one does
  // whose state is bad. Both are faster than writing to nowhere.
  std::cout.setstate(std::ios::badbit);
  if (result < 0 || std::freopen("/dev/null", "r", stdout) == nullptr) {
    fmt::print(stderr, "simbody_conformance: no standard output\n");
    return 1;
  }
  try {
    json all = json::array();
    all.push_back(contacts(false));
    all.push_back(contacts(true));
    all.push_back(held_by_rigid_contact());
    std::FILE* const out = fdopen(result, "w");
    if (out == nullptr) throw std::runtime_error("no standard output");
    fmt::print(out, "{}\n", all.dump(2));
    if (std::fclose(out) != 0) throw std::runtime_error("standard output cannot be written");
  } catch (const std::exception& problem) {
    fmt::print(stderr, "simbody_conformance: {}\n", problem.what());
    return 1;
  }
}
