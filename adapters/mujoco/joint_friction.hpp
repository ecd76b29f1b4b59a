// SPDX-License-Identifier: Apache-2.0
#pragma once

// Friction, gear load and backlash of MuJoCo's joints by the models of this library: any model of the
// port `drive` on any hinge or slide joint. Forces are found implicitly, at the end of the step, so
// that what is below the limit is held without creep:
//
//   v_end = v + h M^-1 (F - J^T f),    f = law(J v_end)
//
// where F are the bias, passive, applied and actuator forces, J has a row for each element, and M has
// what MuJoCo's own integrator adds for joint damping. Laws with a closed form answer at once; others
// are solved for. Elements share their bodies: they are solved in turn and together, through J M^-1 J^T,
// until all agree.
//
//   joint_friction friction(model);
//   friction.add("elbow", any_model(find_entry("dai")));
//   friction.step(data);            // in place of mj_step
//
// Forces of contacts, limits, equalities and tendons are computed by MuJoCo afterwards and are not in
// F; `with_last_constraints` takes those of the step before.

#include <mujoco/mujoco.h>

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/run/port_steps.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace asperity::mujoco {

// The relative load of a law: what its parameters are multiplied with. A gear that is pressed
// together by what it transmits has idle + per_torque |torque of the actuators on the joint|.
struct gear_load {
  double idle = 1;
  double per_torque = 0;  // [1/(N m)], or [1/N] on a slide joint
};

class joint_friction {
 public:
  // The model must outlive it, and keep its joints.
  explicit joint_friction(const mjModel* model);

  bool with_last_constraints = false;

  // Friction on a hinge or slide joint. Returns the number of the element. Throws asperity::error
  // for an unknown joint, one that has more than one degree of freedom, and a model that is not of
  // the port `drive`.
  int add(const std::string& joint, any_model law, gear_load load = {});

  // Backlash between two joints: driving - ratio x driven may be up to half the width to either side
  // before teeth touch, by a contact law that has an implicit step. The number of the first flank;
  // the second is the next.
  int add_backlash(const std::string& driving, const std::string& driven, double ratio,
                   double width, const any_model& contact);

  // One step of the simulation with its friction: in place of mj_step. A controller goes into
  // mjcb_control or is called before.
  void step(mjData*);

  // The same in two parts, for those who call mj_step1 and mj_step2 themselves: `apply` between them
  // adds to qfrc_applied, and `commit` takes over the states and what was applied back.
  void apply(mjData*);
  void commit(mjData*);

  // At rest and unloaded where the joints are now.
  void reset(const mjData*);

  int size() const { return static_cast<int>(elements_.size()); }
  double force(int i) const { return at(i).f; }  // of the last step, [N] or [N m]
  double load(int i) const { return at(i).load; }
  const std::vector<double>& state(int i) const { return at(i).state; }

 private:
  struct element {
    any_model law;
    struct part {
      int dof, place;
      double factor;
    };
    std::vector<part> parts = {};
    bool is_contact = false;
    double offset = 0;  // of a contact: its gap where all joints are at 0
    gear_load press = {};
    std::optional<port_steps> steps = {};  // where the law has no closed form
    std::vector<double> state = {}, end = {};
    double f = 0, before = 0, load = 1;  // in the last step, and in the one before
    double fall = -1;  // of what it answers beyond its force, with that force; where searched for
    double place = 0, rate = 0, free_rate = 0;  // at the start of the step, and without friction
    // What it answered last, to what the others left it; how that changed, and how steeply.
    double answered = 0, left = 0, change = 0, steepness = 0;

    // What a newton of it does to its rate: friction takes, contact gives.
    double sense() const { return is_contact ? 1.0 : -1.0; }

    double along(const double* v) const {
      double sum = 0;
      for (const part& each : parts) sum += each.factor * v[each.dof];
      return sum;
    }
  };

  const mjModel* m_;
  std::vector<element> elements_;
  std::vector<double> force_, free_, solved_, mobility_, dense_, applied_, together_;
  std::vector<double> actuation_;  // on each degree of freedom
  std::vector<int> touched_;       // degrees of freedom that get forces of ours

  const element& at(int i) const { return elements_.at(static_cast<std::size_t>(i)); }
  int push(element);
  void look(const mjData*);
  void gather_forces(const mjData*);
  void add_actuators(const mjData*);
  void factorise(const mjData*);
  void solve(mjData*, double* x) const;
  void settle(double h);
  void solve_together();
  double answer(element&, double free_rate, double mobility, double h) const;
  double advanced(element&, double u, double h) const;
};

}  // namespace asperity::mujoco
