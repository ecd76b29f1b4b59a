// SPDX-License-Identifier: Apache-2.0
// Simbody on the conformance cards:
//
//   simbody_conformance > simbody.json && asperity conformance --only-measured --measured simbody.json
//
// It has contacts of two kinds. Compliant ones are Hertz's with the dissipation of Hunt and Crossley
// and friction with a transition velocity; integrators choose their steps, CPodes' BDF, which its
// guide names for stiff systems, for a body that holds a force over the time, and Runge-Kutta-Merson
// for impacts and for a body whose force is another one in each step. Rigid ones
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

// Of friction, at rest and in motion, and the speed [m/s] between both; 0 is the one by default.
struct coefficients {
  double at_rest = 0.5, moving = at_rest, transition = 0;
};

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
  // From here on, the force is another one in each step.
  virtual void start_pushed() {}
  virtual void push(double force) {
    pull = [force](double) { return force; };
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
  compliant_world(const coefficients& mu, bool has_plane, bool is_stiff)
      : surface_(stiffness, is_stiff ? lossy : dissipation, mu.at_rest, mu.moving, 0),
        is_stiff_(is_stiff) {
    if (mu.transition > 0) contact_.setTransitionVelocity(mu.transition);
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
    // Where it is pushed, its steps end with those of the pushes.
    integrator_->setAllowInterpolation(!is_pushed_);
    integrator_->setAccuracy(accuracy);
    stepper_ = std::make_unique<SimTK::TimeStepper>(system_, *integrator_);
    stepper_->initialize(state_);
  }
  // A method of one step needs nothing of the steps before, in which the force was another.
  void start_pushed() override {
    is_pushed_ = true;
    is_stiff_ = false;
    start_again();
  }
  void push(double force) override {
    world::push(force);
    integrator_->updAdvancedState().invalidateAllCacheAtOrAbove(SimTK::Stage::Dynamics);
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
  bool is_stiff_, is_pushed_ = false;
  std::unique_ptr<SimTK::Integrator> integrator_;
  std::unique_ptr<SimTK::TimeStepper> stepper_;
};

// Spheres touch the plane or, where there is none, each other.
class rigid_world final : public world {
 public:
  rigid_world(const coefficients& mu, bool has_plane, double e)
      : mu_(mu), e_(e), has_plane_(has_plane) {}
  void add(double mass, const SimTK::UnitInertia& inertia, const std::vector<SimTK::Vec3>& spheres,
           double R) override {
    add_body(mass, inertia, SimTK::Body::Rigid());
    if (!has_plane_ && bodies.size() == 2)
      matter_.adoptUnilateralContact(
          new SimTK::SphereSphereContact(bodies[0], SimTK::Vec3(0), R, bodies[1], SimTK::Vec3(0), R,
                                         e_, mu_.at_rest, mu_.moving, 0));
    for (const auto& at : spheres)
      if (has_plane_)
        matter_.adoptUnilateralContact(
            new SimTK::SpherePlaneContact(matter_.updGround(), SimTK::UnitVec3(SimTK::ZAxis), 0,
                                          bodies.back(), at, R, e_, mu_.at_rest, mu_.moving, 0));
  }
  void start() override {
    stepper_.emplace(system_);
    if (mu_.transition > 0) stepper_->setDefaultFrictionTransitionVelocity(mu_.transition);
    stepper_->initialize(state_);
  }
  // A step ends with forces that the next one would take as they are.
  void push(double force) override {
    world::push(force);
    stepper_->getState().invalidateAllCacheAtOrAbove(SimTK::Stage::Dynamics);
  }
  void step_to(double t) override { stepper_->stepTo(t); }
  const SimTK::State& now() const override {
    // Velocities are asked for.
    system_.realize(stepper_->getState(), SimTK::Stage::Velocity);
    return stepper_->getState();
  }

 private:
  coefficients mu_;
  double e_;
  bool has_plane_;
  std::optional<SimTK::SemiExplicitEulerTimeStepper> stepper_;
};

// A box of 1 kg on four spherical feet on a plane, under gravity.
class box_slider final : public peers::slider {
 public:
  explicit box_slider(bool is_rigid, const coefficients& mu = {}) : is_rigid_(is_rigid), mu_(mu) {
    limit = mu.at_rest * 9.81 * mass;
  }
  void restart() override {
    constexpr double R = 0.02;
    if (is_rigid_)
      world_ = std::make_unique<rigid_world>(mu_, true, 0);
    else
      world_ = std::make_unique<compliant_world>(mu_, true, true);
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
    t_ = 0;
    while (t_ < 2) world_->step_to(t_ += timestep);
    begin_ = t_;
    start_ = x_now();
    is_followed_ = is_pushed_ = false;
  }
  // A rigid contact has a force for each step, a compliant one follows its course.
  bool follows(const signal& force) override {
    if (is_rigid_) return false;
    is_followed_ = true;
    world_->pull = [force, from = begin_](double t) { return force(std::max(0.0, t - from)); };
    world_->start_again();
    return true;
  }
  void step(double pull) override {
    if (!is_followed_) {
      if (!is_pushed_) world_->start_pushed();
      is_pushed_ = true;
      world_->push(pull);
    }
    t_ += timestep;
    world_->step_to(t_);
  }
  double x() const override { return x_now() - start_; }
  double v() const override { return world_->bodies[0].getBodyOriginVelocity(world_->now())[0]; }

 private:
  bool is_rigid_, is_followed_ = false, is_pushed_ = false;
  coefficients mu_;
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
      world_ = std::make_unique<rigid_world>(coefficients{mu, mu, 0}, has_plane, restitution);
    else
      world_ = std::make_unique<compliant_world>(coefficients{mu, mu, 0}, has_plane, false);
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

json contacts(bool is_rigid, const peers::wishes& wishes) {
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
                            "1 kg on four feet with mu 0.5 by CPodes (BDF), spheres and a box that "
                            "is moved, by pushes of 1 ms, by Runge-Kutta-Merson",
                            ASPERITY_PEER_VERSION, stiffness, dissipation, lossy, accuracy));
  json& cards = result["cards"];
  simbody_spheres world(is_rigid);
  peers::impact_cards(cards, world, wishes);
  box_slider body(is_rigid);
  // Where a force is followed, steps are those of the integrator, and these only when it is looked at.
  body.timestep = 1e-4;
  wishes.put(cards, "break_away", [&] { return peers::break_away(body); });
  body.timestep = 1e-3 * wishes.steps;
  peers::motion_cards(cards, body, wishes);
  if (is_rigid) {
    for (const char* card : {"drift_under_vibration", "hold_for_an_hour"})
      wishes.put(cards, card, [] {
        return peers::not_run(
            "it would take more than an hour in steps of 1 ms; see the row of 10 ms");
      });
  } else {
    body.timestep = 0.05;
    wishes.put(cards, "drift_under_vibration", [&] { return peers::drift_under_vibration(body); });
    wishes.put(cards, "hold_for_an_hour", [&] { return peers::hold_for_an_hour(body); });
  }
  wishes.put(cards, "slide_and_spin", [] {
    return peers::does_not_apply(
        "feet touch in points of which none carries all, not under even pressure");
  });
  return result;
}

// Steps as long as the hour can be run in; the stepper leaves their length to the user.
json held_by_rigid_contact(const peers::wishes& wishes) {
  json result = peers::row(
      "Simbody rigid contact, 10 ms",
      fmt::format("Simbody {}, constraints with impulses (experimental) by "
                  "SemiExplicitEulerTimeStepper as it is by default, 10 ms, box of 1 kg on four "
                  "feet with mu 0.5",
                  ASPERITY_PEER_VERSION));
  box_slider body(true);
  body.timestep = 0.01;
  json& cards = result["cards"];
  wishes.put(cards, "drift_under_vibration", [&] { return peers::drift_under_vibration(body); });
  wishes.put(cards, "hold_for_an_hour", [&] { return peers::hold_for_an_hour(body); });
  return result;
}

// Two coefficients, of which that at rest is the greater. Compliant friction falls between once and
// three times the transition velocity, rigid friction jumps there. The default of compliant contacts
// is as fast as the fastest speed of the card, above which nothing would be seen.
json falling_friction(bool is_rigid, const peers::wishes& wishes) {
  const coefficients mu = {0.75, 0.5, is_rigid ? 0 : 1e-3};
  box_slider body(is_rigid, mu);
  // Where friction falls a body is unstable within half a millisecond: pushes must be much shorter.
  body.timestep = (is_rigid ? 1e-3 : 5e-5) * wishes.steps;
  json result = peers::row(
      is_rigid ? "Simbody rigid contact, two coefficients"
               : "Simbody compliant contact, two coefficients",
      fmt::format(
          "as the row of one coefficient, with mu_s {:g} and mu_d {:g}, transition velocity "
          "{}, moved by pushes of {:g} ms",
          mu.at_rest, mu.moving,
          is_rigid ? "2 mm/s (default: twice the tolerance of constraints)" : "1 mm/s",
          1e3 * body.timestep));
  peers::motion_cards(result["cards"], body, wishes);
  return result;
}

}  // namespace

int main(int count, char** words) {
  const int result = dup(STDOUT_FILENO);
  // A stream that is open for reading refuses to write before anything is formatted, as one does
  // whose state is bad. Both are faster than writing to nowhere.
  std::cout.setstate(std::ios::badbit);
  if (result < 0 || std::freopen("/dev/null", "r", stdout) == nullptr) {
    fmt::print(stderr, "simbody_conformance: no standard output\n");
    return 1;
  }
  try {
    const auto wishes = peers::read_wishes(count, words);
    json all = json::array();
    for (const bool is_rigid : {false, true}) {
      all.push_back(contacts(is_rigid, wishes));
      all.push_back(falling_friction(is_rigid, wishes));
    }
    all.push_back(held_by_rigid_contact(wishes));
    std::FILE* const out = fdopen(result, "w");
    if (out == nullptr) throw std::runtime_error("no standard output");
    fmt::print(out, "{}\n", all.dump(2));
    if (std::fclose(out) != 0) throw std::runtime_error("standard output cannot be written");
  } catch (const std::exception& problem) {
    fmt::print(stderr, "simbody_conformance: {}\n", problem.what());
    return 1;
  }
}
