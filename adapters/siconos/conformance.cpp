// SPDX-License-Identifier: Apache-2.0
// Siconos on the conformance cards:
//
//   siconos_conformance > siconos.json && asperity conformance --only-measured --measured siconos.json
//
// Time stepping is Moreau and Jean's with theta = 1/2. Friction of a joint is its relay law, whose
// multiplier is an impulse; contacts have its law of Newton impact with Coulomb friction, and its
// Gauss-Seidel solver with the settings that it has by default, or a sharper tolerance where a row
// says so. OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 make it several times faster: the systems are
// small.

// clang-format off: bodies of `mechanics` come first, so that visitors know them.
#include <SphereNEDS.hpp>
#include <SphereNEDSPlanR.hpp>
#include <SphereNEDSSphereNEDSR.hpp>
// clang-format on

#include <SolverOptions.h>
#include <fmt/format.h>

#include <FrictionContact.hpp>
#include <NewtonImpactFrictionNSL.hpp>
#include <Relay.hpp>
#include <RelayNSL.hpp>
#include <SiconosKernel.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <optional>

#include "adapters/conformance/peer.hpp"

namespace {

using namespace asperity;
using peers::json;

constexpr double step_of_all = 1e-3, theta = 0.5, restitution = 0.5;

SP::SiconosVector zeros(unsigned size) {
  auto v = std::make_shared<SiconosVector>(size);
  v->zero();
  return v;
}
SP::SimpleMatrix zeros(unsigned rows, unsigned columns) {
  auto m = std::make_shared<SimpleMatrix>(rows, columns);
  m->zero();
  return m;
}

// Dynamical systems, their interactions, and the time stepping of both.
class world {
 public:
  void add(const SP::DynamicalSystem& body) { all_->insertDynamicalSystem(body); }
  void link(const SP::NonSmoothLaw& law, const SP::Relation& relation,
            const SP::DynamicalSystem& first, const SP::DynamicalSystem& second = {}) {
    const auto between = std::make_shared<Interaction>(law, relation);
    second ? all_->link(between, first, second) : all_->link(between, first);
  }
  void start(double h, const SP::OneStepNSProblem& problem, double active_below = 0) {
    const auto method = std::make_shared<MoreauJeanOSI>(theta);
    method->setConstraintActivationThreshold(active_below);
    stepping_ = std::make_shared<TimeStepping>(all_, std::make_shared<TimeDiscretisation>(0, h),
                                               method, problem);
  }
  void step() {
    stepping_->computeOneStep();
    stepping_->nextStep();
  }

 private:
  // It has no end.
  SP::NonSmoothDynamicalSystem all_ = std::make_shared<NonSmoothDynamicalSystem>(0, 1e9);
  SP::TimeStepping stepping_;
};

// By its constructors its own settings; a tolerance of 0 leaves them.
SP::FrictionContact gauss_seidel(int dimension, double tolerance) {
  auto problem = std::make_shared<FrictionContact>(
      dimension, dimension == 2 ? SICONOS_FRICTION_2D_NSGS : SICONOS_FRICTION_3D_NSGS);
  problem->setKeepLambdaAndYState(true);
  if (tolerance > 0) problem->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = tolerance;
  return problem;
}

// Bodies on a line, with a relay between each and the one before it.
class line {
 public:
  line(double mass, const std::vector<double>& limits, double h)
      : pull_(zeros(static_cast<unsigned>(limits.size()))) {
    const auto n = static_cast<unsigned>(limits.size());
    const auto M = zeros(n, n);
    for (unsigned i = 0; i < n; ++i) (*M)(i, i) = mass;
    bodies_ = std::make_shared<LagrangianLinearTIDS>(zeros(n), zeros(n), M);
    bodies_->setFExtPtr(pull_);
    all_.add(bodies_);
    for (unsigned i = 0; i < n; ++i) {
      const auto H = zeros(1, n);
      (*H)(0, i) = 1;
      if (i > 0) (*H)(0, i - 1) = -1;
      all_.link(std::make_shared<RelayNSL>(1, -h * limits[i], h * limits[i]),
                std::make_shared<LagrangianLinearTIR>(H), bodies_);
    }
    // Friction of a joint acts wherever the body is.
    all_.start(h, std::make_shared<Relay>(), std::numeric_limits<double>::infinity());
  }
  // On the last of them.
  void step(double pull) {
    (*pull_)(pull_->size() - 1) = pull;
    all_.step();
  }
  double x(unsigned i) const { return (*bodies_->q())(i); }
  double v(unsigned i) const { return (*bodies_->velocity())(i); }

 private:
  world all_;
  SP::SiconosVector pull_;
  SP::LagrangianLinearTIDS bodies_;
};

class joint_slider final : public peers::slider {
 public:
  joint_slider() { timestep = step_of_all; }
  void restart() override { line_.emplace(mass, std::vector{limit}, timestep); }
  void step(double pull) override { line_->step(pull); }
  double x() const override { return line_->x(0); }
  double v() const override { return line_->v(0); }

 private:
  std::optional<line> line_;
};

class joint_brakes final : public peers::two_sliders {
 public:
  joint_brakes() { timestep = step_of_all; }
  void restart(double mass, double weaker) override {
    line_.emplace(mass, std::vector{limit, weaker * limit}, timestep);
  }
  void step(double pull) override { line_->step(pull); }
  double slip(int brake) const override {
    return brake == 0 ? line_->x(0) : line_->x(1) - line_->x(0);
  }

 private:
  std::optional<line> line_;
};

// A box of 1 kg and 0.2 m x 0.1 m in a vertical plane on its two lower corners, mu = 0.5, under
// gravity: x, z and a small angle.
class box_slider final : public peers::slider {
 public:
  explicit box_slider(double tolerance) : tolerance_(tolerance) {
    limit = 0.5 * gravity * mass;
    timestep = step_of_all;
  }
  void restart() override {
    world_.emplace();
    const auto M = zeros(3, 3);
    (*M)(0, 0) = (*M)(1, 1) = mass;
    (*M)(2, 2) = mass * (0.2 * 0.2 + 0.1 * 0.1) / 12;
    const auto q = zeros(3);
    (*q)(1) = half_height;
    body_ = std::make_shared<LagrangianLinearTIDS>(q, zeros(3), M);
    force_ = zeros(3);
    (*force_)(1) = -gravity * mass;
    body_->setFExtPtr(force_);
    world_->add(body_);
    for (const double corner : {-0.1, 0.1}) {
      // Rates of the gap and of the slip of a corner.
      const auto H = zeros(2, 3);
      (*H)(0, 1) = (*H)(1, 0) = 1;
      (*H)(0, 2) = corner;
      (*H)(1, 2) = half_height;
      const auto b = zeros(2);
      (*b)(0) = -half_height;
      world_->link(std::make_shared<NewtonImpactFrictionNSL>(0, 0, 0.5, 2),
                   std::make_shared<LagrangianLinearTIR>(H, b), body_);
    }
    world_->start(timestep, gauss_seidel(2, tolerance_));
    start_ = 0;
    for (int i = 0; i < 2000; ++i) step(0);
    start_ = (*body_->q())(0);
  }
  void step(double pull) override {
    (*force_)(0) = pull;
    world_->step();
  }
  double x() const override { return (*body_->q())(0) - start_; }
  double v() const override { return (*body_->velocity())(0); }

 private:
  static constexpr double half_height = 0.05, gravity = 9.81;
  double tolerance_, start_ = 0;
  std::optional<world> world_;
  SP::SiconosVector force_;
  SP::LagrangianLinearTIDS body_;
};

class siconos_spheres final : public peers::spheres {
 public:
  explicit siconos_spheres(double tolerance) : tolerance_(tolerance) { timestep = step_of_all; }
  void restart(double mass, double radius, double mu, const std::vector<body>& bodies) override {
    world_.emplace();
    all_.clear();
    const auto I = zeros(3, 3);
    for (unsigned k = 0; k < 3; ++k) (*I)(k, k) = 0.4 * mass * radius * radius;
    for (const body& each : bodies) {
      const auto q = zeros(7), twist = zeros(6);
      for (unsigned k = 0; k < 3; ++k) {
        (*q)(k) = each.x[k];
        (*twist)(k) = each.v[k];
        (*twist)(3 + k) = each.omega[k];  // in the frame of the body, which is not yet turned
      }
      (*q)(3) = 1;
      all_.push_back(std::make_shared<SphereNEDS>(radius, mass, I, q, twist));
      world_->add(all_.back());
    }
    const auto law = std::make_shared<NewtonImpactFrictionNSL>(restitution, 0, mu, 3);
    if (all_.size() == 1)
      world_->link(law, std::make_shared<SphereNEDSPlanR>(radius, 0, 0, 1, 0), all_[0]);
    else
      world_->link(law, std::make_shared<SphereNEDSSphereNEDSR>(radius, radius), all_[0], all_[1]);
    world_->start(timestep, gauss_seidel(3, tolerance_));
  }
  void step() override { world_->step(); }
  body state(int i) const override {
    const auto& of = *all_[static_cast<std::size_t>(i)];
    const auto omega = of.angularVelocity(true);
    body b;
    for (unsigned k = 0; k < 3; ++k) {
      b.x[k] = (*of.q())(k);
      b.v[k] = (*of.twist())(k);
      b.omega[k] = (*omega)(k);
    }
    return b;
  }

 private:
  double tolerance_;
  std::optional<world> world_;
  std::vector<SP::SphereNEDS> all_;
};

std::string words(const std::string& what) {
  return fmt::format("Siconos {} by its CMake files, 1 ms, Moreau-Jean with theta = 0.5, {}",
                     ASPERITY_PEER_VERSION, what);
}

json joints() {
  json result = peers::row("Siconos joint", words("1 kg on a line with the relay law"));
  joint_slider body;
  peers::slide_cards(result["cards"], body);
  joint_brakes pair;
  result["cards"]["two_brakes"] = peers::two_brakes(pair);
  return result;
}

json contacts(const std::string& name, double tolerance) {
  json result = peers::row(
      name, words(fmt::format(
                "nonsmooth Gauss-Seidel with tolerance {}, box of 1 kg in a plane with mu 0.5 on "
                "two corners, spheres with restitution 0.5",
                tolerance > 0 ? fmt::format("{:g}", tolerance) : "as by default")));
  box_slider body(tolerance);
  peers::slide_cards(result["cards"], body);
  siconos_spheres world(tolerance);
  peers::impact_cards(result["cards"], world);
  result["cards"]["slide_and_spin"] =
      peers::does_not_apply("bodies touch in points, not under even pressure");
  return result;
}

}  // namespace

int main() {
  try {
    json all = json::array();
    all.push_back(joints());
    all.push_back(contacts("Siconos contact", 0));
    all.push_back(contacts("Siconos contact, sharp", 1e-12));
    fmt::print("{}\n", all.dump(2));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "siconos_conformance: {}\n", problem.what());
    return 1;
  }
}
