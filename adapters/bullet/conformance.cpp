// SPDX-License-Identifier: Apache-2.0
// Bullet on the conformance cards:
//
//   bullet_conformance > bullet.json && asperity conformance --only-measured --measured bullet.json
//
// btDiscreteDynamicsWorld with its default (sequential impulse) solver in double precision, 1 ms, no
// sleeping (a sleeping body does not move because it is not computed); restitution 0.5.

#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <memory>

#include "adapters/conformance/peer.hpp"

namespace {

using namespace asperity;
using peers::json;

struct shaped_body {
  std::unique_ptr<btCollisionShape> shape;
  std::unique_ptr<btDefaultMotionState> motion;
  std::unique_ptr<btRigidBody> body;
};

class world {
 public:
  explicit world(double gravity)
      : dispatcher_(&configuration_),
        dynamics_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    dynamics_.setGravity({0, 0, -gravity});
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world() {
    for (auto& each : all_) dynamics_.removeRigidBody(each.body.get());
  }

  btRigidBody& add(std::unique_ptr<btCollisionShape> shape, double mass, const btVector3& at,
                   double mu, double bounce) {
    auto& made = all_.emplace_back();
    made.shape = std::move(shape);
    btVector3 inertia(0, 0, 0);
    if (mass > 0) made.shape->calculateLocalInertia(mass, inertia);
    made.motion =
        std::make_unique<btDefaultMotionState>(btTransform(btQuaternion::getIdentity(), at));
    made.body = std::make_unique<btRigidBody>(btRigidBody::btRigidBodyConstructionInfo(
        mass, made.motion.get(), made.shape.get(), inertia));
    made.body->setFriction(mu);
    made.body->setRestitution(bounce);
    made.body->setActivationState(DISABLE_DEACTIVATION);
    dynamics_.addRigidBody(made.body.get());
    return *made.body;
  }
  void step(double h) { dynamics_.stepSimulation(h, 0); }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld dynamics_;
  std::vector<shaped_body> all_;
};

// Coefficients of two bodies are multiplied: the plane has 1.
class box_slider final : public peers::slider {
 public:
  box_slider() { limit = 0.5 * 9.81 * mass; }
  void restart() override {
    world_ = std::make_unique<world>(9.81);
    world_->add(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0), 0, {0, 0, 0}, 1, 0);
    body_ = &world_->add(std::make_unique<btBoxShape>(btVector3(0.1, 0.1, 0.05)), mass,
                         {0, 0, 0.05}, 0.5, 0);
    start_ = 0;
    for (int i = 0; i < 1000; ++i) step(0);
    start_ = body_->getCenterOfMassPosition().x();
  }
  void step(double pull) override {
    body_->applyCentralForce({pull, 0, 0});
    world_->step(timestep);
  }
  double x() const override { return body_->getCenterOfMassPosition().x() - start_; }
  double v() const override { return body_->getLinearVelocity().x(); }

 private:
  std::unique_ptr<world> world_;
  btRigidBody* body_ = nullptr;
  double start_ = 0;
};

class bullet_spheres final : public peers::spheres {
 public:
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    world_ = std::make_unique<world>(0);
    bodies_.clear();
    const bool has_plane = bodies.size() == 1;
    if (has_plane)
      world_->add(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0), 0, {0, 0, 0}, 1, 1);
    for (const auto& each : bodies) {
      auto& b = world_->add(std::make_unique<btSphereShape>(radius), mass,
                            {each.x[0], each.x[1], each.x[2]}, has_plane ? mu : std::sqrt(mu),
                            has_plane ? 0.5 : std::sqrt(0.5));
      b.setLinearVelocity({each.v[0], each.v[1], each.v[2]});
      b.setAngularVelocity({each.omega[0], each.omega[1], each.omega[2]});
      bodies_.push_back(&b);
    }
  }
  void step() override { world_->step(timestep); }
  body state(int i) const override {
    const btRigidBody& b = *bodies_[static_cast<std::size_t>(i)];
    body of;
    for (int k = 0; k < 3; ++k) {
      of.x[k] = b.getCenterOfMassPosition()[k];
      of.v[k] = b.getLinearVelocity()[k];
      of.omega[k] = b.getAngularVelocity()[k];
    }
    return of;
  }

 private:
  std::unique_ptr<world> world_;
  std::vector<btRigidBody*> bodies_;
};

}  // namespace

int main() {
  try {
    json result{
        {"simulator", "Bullet"},
        {"settings",
         fmt::format("Bullet {}, double precision, 1 ms, sequential impulses with its default "
                     "settings, no sleeping, restitution 0.5",
                     btGetVersion())},
        {"cards", json::object()}};
    json& cards = result["cards"];
    box_slider body;
    cards["hold_for_an_hour"] = peers::hold_for_an_hour(body);
    cards["drift_under_vibration"] = peers::drift_under_vibration(body);
    cards["break_away"] = peers::break_away(body);
    bullet_spheres spheres;
    cards["touchdown"] = peers::touchdown(spheres);
    cards["restitution_against_speed"] = peers::restitution_against_speed(spheres);
    cards["grazing_impact"] = peers::grazing_impact(spheres);
    cards["angular_momentum"] = peers::angular_momentum(spheres);
    cards["slide_and_spin"] = peers::does_not_apply("a disc on a plane touches in points");
    fmt::print("{}\n", result.dump(2));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "bullet_conformance: {}\n", problem.what());
    return 1;
  }
}
