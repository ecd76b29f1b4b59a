// SPDX-License-Identifier: Apache-2.0
// Bullet on the conformance cards:
//
//   bullet_conformance > bullet.json && asperity conformance --only-measured --measured bullet.json
//
// Settings are Bullet's defaults but for what the name of a row says. Bodies do not fall asleep: one
// that sleeps would not feel the forces that the cards ask about. Friction of a joint is a slider
// constraint whose motor wants velocity 0, with a force of the limit at most.

#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>

#include "adapters/conformance/peer.hpp"

namespace {

using namespace asperity;
using peers::json;

struct setting {
  double timestep = 1.0 / 240;
  int iterations = 10;
  double bounces_above = 0.2;  // [m/s]
};

class world {
 public:
  explicit world(const setting& s, double gravity = 0) : timestep_(s.timestep) {
    all_.setGravity(btVector3(0, 0, -gravity));
    all_.getSolverInfo().m_numIterations = s.iterations;
    all_.getSolverInfo().m_restitutionVelocityThreshold = s.bounces_above;
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world() {
    for (const auto& each : joints_) all_.removeConstraint(each.get());
    for (const auto& each : bodies_) all_.removeRigidBody(each.get());
  }

  // Bullet multiplies the friction of two bodies, and their restitution.
  void add_plane() {
    btRigidBody::btRigidBodyConstructionInfo how(
        0, nullptr, shape(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0)));
    how.m_friction = how.m_restitution = 1;
    bodies_.push_back(std::make_unique<btRigidBody>(how));
    all_.addRigidBody(bodies_.back().get());
  }
  btRigidBody& add(double mass, std::unique_ptr<btCollisionShape> of, const btVector3& at,
                   double friction, double restitution, bool touches = true) {
    btCollisionShape* const its = shape(std::move(of));
    btVector3 inertia;
    its->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo how(mass, nullptr, its, inertia);
    how.m_friction = friction;
    how.m_restitution = restitution;
    how.m_startWorldTransform.setOrigin(at);
    bodies_.push_back(std::make_unique<btRigidBody>(how));
    btRigidBody& body = *bodies_.back();
    body.setActivationState(DISABLE_DEACTIVATION);
    touches ? all_.addRigidBody(&body) : all_.addRigidBody(&body, 0, 0);
    return body;
  }
  // Along x; `of` may be nothing, the ground.
  void add_brake(btRigidBody* of, btRigidBody& body, double limit) {
    btTransform frame;
    frame.setIdentity();
    auto joint = of == nullptr
                     ? std::make_unique<btSliderConstraint>(body, frame, true)
                     : std::make_unique<btSliderConstraint>(*of, body, frame, frame, true);
    joint->setLowerLinLimit(1);  // lower above upper: none
    joint->setUpperLinLimit(-1);
    joint->setPoweredLinMotor(true);
    joint->setTargetLinMotorVelocity(0);
    joint->setMaxLinMotorForce(limit);
    all_.addConstraint(joint.get(), true);
    joints_.push_back(std::move(joint));
  }
  void step() { all_.stepSimulation(timestep_, 0, timestep_); }

 private:
  double timestep_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase pairs_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld all_{&dispatcher_, &pairs_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;

  btCollisionShape* shape(std::unique_ptr<btCollisionShape> of) {
    shapes_.push_back(std::move(of));
    return shapes_.back().get();
  }
};

double x_of(const btRigidBody& body) { return body.getWorldTransform().getOrigin().x(); }

class slider_of_bullet : public peers::slider {
 public:
  explicit slider_of_bullet(const setting& s) : setting_(s) { timestep = s.timestep; }
  void step(double pull) override {
    body_->applyCentralForce(btVector3(pull, 0, 0));
    world_->step();
  }
  double x() const override { return x_of(*body_) - start_; }
  double v() const override { return body_->getLinearVelocity().x(); }

 protected:
  setting setting_;
  std::unique_ptr<world> world_;
  btRigidBody* body_ = nullptr;
  double start_ = 0;
};

// A box of 1 kg on a plane, mu = 0.5, under gravity.
class box_slider final : public slider_of_bullet {
 public:
  explicit box_slider(const setting& s) : slider_of_bullet(s) { limit = 0.5 * 9.81 * mass; }
  void restart() override {
    world_ = std::make_unique<world>(setting_, 9.81);
    world_->add_plane();
    body_ = &world_->add(mass, std::make_unique<btBoxShape>(btVector3(0.1, 0.1, 0.05)),
                         btVector3(0, 0, 0.05), 0.5, 0);
    for (int i = 0; i < 2000; ++i) step(0);
    start_ = x_of(*body_);
  }
};

class joint_slider final : public slider_of_bullet {
 public:
  using slider_of_bullet::slider_of_bullet;
  void restart() override {
    world_ = std::make_unique<world>(setting_);
    body_ =
        &world_->add(mass, std::make_unique<btSphereShape>(0.1), btVector3(0, 0, 0), 0, 0, false);
    world_->add_brake(nullptr, *body_, limit);
  }
};

class joint_brakes final : public peers::two_sliders {
 public:
  explicit joint_brakes(const setting& s) : setting_(s) { timestep = s.timestep; }
  void restart(double mass, double weaker) override {
    world_ = std::make_unique<world>(setting_);
    const auto add = [&] {
      return &world_->add(mass, std::make_unique<btSphereShape>(0.1), btVector3(0, 0, 0), 0, 0,
                          false);
    };
    carriage_ = add();
    body_ = add();
    world_->add_brake(nullptr, *carriage_, limit);
    world_->add_brake(carriage_, *body_, weaker * limit);
  }
  void step(double pull) override {
    body_->applyCentralForce(btVector3(pull, 0, 0));
    world_->step();
  }
  double slip(int brake) const override {
    return brake == 0 ? x_of(*carriage_) : x_of(*body_) - x_of(*carriage_);
  }

 private:
  setting setting_;
  std::unique_ptr<world> world_;
  btRigidBody *carriage_ = nullptr, *body_ = nullptr;
};

class bullet_spheres final : public peers::spheres {
 public:
  explicit bullet_spheres(const setting& s) : setting_(s) { timestep = s.timestep; }
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    setting now = setting_;
    now.timestep = timestep;
    world_ = std::make_unique<world>(now);
    const bool on_plane = bodies.size() == 1;
    if (on_plane) world_->add_plane();
    all_.clear();
    // Both spheres have the square root, so that the product is mu; one above the plane has all.
    const double friction = on_plane ? mu : std::sqrt(mu), bounce = on_plane ? 0.5 : std::sqrt(0.5);
    for (const body& each : bodies) {
      btRigidBody& one = world_->add(mass, std::make_unique<btSphereShape>(radius),
                                     btVector3(each.x[0], each.x[1], each.x[2]), friction, bounce);
      one.setLinearVelocity(btVector3(each.v[0], each.v[1], each.v[2]));
      one.setAngularVelocity(btVector3(each.omega[0], each.omega[1], each.omega[2]));
      all_.push_back(&one);
    }
  }
  void step() override { world_->step(); }
  body state(int i) const override {
    const btRigidBody& of = *all_[static_cast<std::size_t>(i)];
    body b;
    for (int k = 0; k < 3; ++k) {
      b.x[k] = of.getWorldTransform().getOrigin()[k];
      b.v[k] = of.getLinearVelocity()[k];
      b.omega[k] = of.getAngularVelocity()[k];
    }
    return b;
  }

 private:
  setting setting_;
  std::unique_ptr<world> world_;
  std::vector<btRigidBody*> all_;
};

std::string words(const setting& s, const char* what) {
  return fmt::format(
      "Bullet {}.{}, double precision, {:.3g} ms, sequential impulses with {} "
      "iterations, no sleeping, restitution above {:g} m/s, {}",
      btGetVersion() / 100, btGetVersion() % 100, 1e3 * s.timestep, s.iterations, s.bounces_above,
      what);
}

json contacts(const std::string& name, const setting& s) {
  json result = peers::row(name, words(s, "box of 1 kg with mu 0.5, spheres with restitution 0.5"));
  box_slider body(s);
  peers::slide_cards(result["cards"], body);
  bullet_spheres world(s);
  peers::impact_cards(result["cards"], world);
  result["cards"]["slide_and_spin"] = peers::does_not_apply(
      "a disc on a plane touches in points of its rim, not under even pressure");
  return result;
}

json joints(const std::string& name, const setting& s) {
  json result =
      peers::row(name, words(s, "1 kg on a slider constraint whose motor wants velocity 0"));
  joint_slider body(s);
  peers::slide_cards(result["cards"], body);
  joint_brakes pair(s);
  result["cards"]["two_brakes"] = peers::two_brakes(pair);
  return result;
}

}  // namespace

int main() {
  try {
    const setting usual, sharp{1e-3, 50, 0};
    json all = json::array();
    all.push_back(joints("Bullet joint", usual));
    all.push_back(joints("Bullet joint, sharp", sharp));
    all.push_back(contacts("Bullet contact", usual));
    all.push_back(contacts("Bullet contact, sharp", sharp));
    fmt::print("{}\n", all.dump(2));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "bullet_conformance: {}\n", problem.what());
    return 1;
  }
}
