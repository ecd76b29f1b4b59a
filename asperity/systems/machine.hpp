// SPDX-License-Identifier: Apache-2.0
#pragma once

// A system put together at run time: chosen by name in a scenario file, or stated by a user as an
// inclusion. It tells what its states and outputs are called, so that scenarios, output, plots,
// claims and audits treat it like the systems that are known at compile time. One virtual call per
// evaluation of the whole system.

#include <asperity/integrate/run.hpp>
#include <asperity/model.hpp>
#include <asperity/systems/energy_books.hpp>
#include <asperity/units.hpp>
#include <memory>
#include <string>
#include <vector>

namespace asperity {

struct machine_quantity {
  std::string name;  // of the column
  unit in;
  double scale = 0;           // typical size, for tolerances; 0 where it is not known
  range allowed = any_value;  // of a state, at the start
};

class machine {
 public:
  virtual ~machine() = default;

  virtual std::vector<machine_quantity> states() const = 0;
  // May be longer than states(): the rest, such as the cells of a patch, is kept but not shown.
  virtual std::vector<double> initial() const = 0;
  // What is wrong with a start: the state, and why.
  struct initial_complaint {
    std::string state = {}, why = {};
  };
  virtual initial_complaint check_initial(const double* /*y*/) const { return {}; }
  // What is wrong with an input in a run of this length: its key, and why.
  struct input_complaint {
    std::string key = {}, why = {};
  };
  virtual input_complaint check_inputs(double /*duration*/) const { return {}; }
  virtual void rates(double t, const double* y, double* rate) const = 0;

  // Backward Euler stage: y with y = start + h rates(t, y). A failed solve fills y with NaN, which
  // the driver reports as an outcome.
  virtual bool has_stage() const { return false; }
  virtual void solve_stage(double /*t*/, double /*h*/, const double* /*start*/,
                           double* /*y*/) const {}

  // After each step of fixed length (system.hpp).
  virtual void tidy(double* /*y*/) const {}

  // Velocities jump in impacts on a rigid contact: methods of higher order would answer with
  // rebounds of their own, and only backward Euler steps are taken.
  virtual bool has_rigid_contact() const { return false; }

  // One step of a method of the machine's own: moreau_jean, with hard constraints (the first says
  // why there is none), or, around a model whose memory is not an ODE, advance (the second names
  // that model, and only `advance` will do).
  virtual std::string no_impulse_step() const { return "it has no hard constraints"; }
  virtual std::string memory() const { return ""; }
  virtual void own_step(double /*t*/, double /*h*/, double* /*y*/) const {}
  virtual void own_step_with_work(double /*t*/, double /*h*/, double* /*y*/,
                                  double* /*work*/) const {}

  // The same around a memory in adaptive steps: where its states begin, which are the last ones,
  // its force, and a step that is implicit in it (friction_step.hpp), with the work done in it
  // where there is room for that. False where the step has no solution.
  virtual int memory_at() const { return 0; }
  virtual double memory_force(double /*t*/, const double* /*y*/) const { return 0; }
  virtual bool implicit_step(double /*t*/, double /*h*/, double* /*y*/, double* /*work*/) const {
    return false;
  }

  // Names friction at whose rest every method that the machine has can only chatter, so that
  // adaptive steps would shrink without end.
  virtual std::string chattering() const { return ""; }

  // For the Switch Model, where friction jumps as a slip passes 0 (switch_model.hpp).
  virtual bool has_sides() const { return false; }
  virtual void side_rates(double t, const double* y, double /*direction*/, double* rate) const {
    rates(t, y, rate);
  }
  virtual double slip(const double* /*y*/) const { return 0; }
  virtual double slip_rate(const double* /*rate*/) const { return 0; }
  virtual void add_slip(double* /*y*/, double /*more*/) const {}
  virtual double slip_grip(double /*t*/, const double* /*y*/) const { return 0; }

  // What is recorded beside the states: forces, energies ... `out` has one place for each.
  virtual std::vector<machine_quantity> outputs() const { return {}; }
  virtual void observe(double /*t*/, const double* /*y*/, double* /*out*/) const {}

  // For the audit of its energy (energy_books.hpp); without books there is none.
  virtual energy_books books() const { return {}; }
  virtual void energies(double /*t*/, const double* /*y*/, double* /*out*/) const {}
  virtual void powers(double /*t*/, const double* /*y*/, double* /*out*/) const {}
  // The same in an implicit stage, where only the stage knows the forces of set-valued laws.
  virtual void stage_powers(double t, double /*h*/, const double* /*start*/, const double* y,
                            double* out) const {
    powers(t, y, out);
  }

  // The same where a slip has a direction.
  virtual void side_powers(double t, const double* y, double /*direction*/, double* out) const {
    powers(t, y, out);
  }

  virtual std::vector<event> events() const { return {}; }
  // Times in (from, to) at which inputs jump, increasing.
  virtual std::vector<double> jumps(double /*from*/, double /*to*/) const { return {}; }
  // Longest step that still sees the fastest input [s].
  virtual double shortest_period() const { return __builtin_huge_val(); }
  // Told before a run which method will take which step (0: an adaptive one); answers with what is
  // doubtful about that.
  virtual std::vector<std::string> plan(const std::string& /*method*/, double /*h*/) { return {}; }
  // Whether its steps leave a record (residuals, complaints), so that none may be tried beside a
  // run.
  virtual bool records_steps() const { return false; }
  // After a failure: what the machine itself has to say about it.
  virtual std::string complaint() const { return ""; }
  // A machine with more states than a scenario can hold shows none of them and takes steps of its
  // own from its start to the end, by one of these methods.
  virtual std::vector<std::string> own_methods() const { return {}; }
  bool runs_itself() const { return !own_methods().empty(); }
  class own_run {
   public:
    virtual ~own_run() = default;
    // Onward by `length`, in shorter steps where the method adapts. Before each step, and each new
    // try of one, `watch` is told how far it came, and stops it by another answer than completed.
    struct progress {
      outcome how;
      double done;  // of `length`
    };
    using watch = std::function<outcome(double done)>;
    virtual progress advance(double length, const watch&) = 0;
    virtual long steps() const = 0;
    virtual long rejected() const { return 0; }
    virtual long evaluations() const = 0;
    virtual void observe(double* out) const = 0;     // the outputs
    virtual void energies(double* /*out*/) const {}  // as above ...
    virtual void flows(double* /*out*/) const {}     // ... and integrals of the powers
  };
  virtual std::unique_ptr<own_run> start(const std::string& /*method*/,
                                         double /*relative_tolerance*/) const {
    return nullptr;
  }
};

// States of a machine that a scenario runs: as many as there are tolerances.
inline constexpr int machine_capacity = 64;
// Methods of fixed step need no tolerances, and have room for more.
inline constexpr int middle_machine_capacity = 1024, largest_machine_capacity = 16384;

// What the steppers take; they keep their states in arrays of this length.
template <int Capacity>
struct machine_view {
  const machine* which;
  int count;

  static constexpr int capacity = Capacity;
  int size() const { return count; }
  void rates(double t, const double* y, double* rate) const { which->rates(t, y, rate); }
  void solve_stage(double t, double h, const double* start, double* y) const {
    which->solve_stage(t, h, start, y);
  }
  void tidy(double* y) const { which->tidy(y); }
  void advance(double t, double h, double* y) const { which->own_step(t, h, y); }
  void side_rates(double t, const double* y, double direction, double* rate) const {
    which->side_rates(t, y, direction, rate);
  }
  double slip(const double* y) const { return which->slip(y); }
  double slip_rate(const double* rate) const { return which->slip_rate(rate); }
  void add_slip(double* y, double more) const { which->add_slip(y, more); }
  double slip_grip(double t, const double* y) const { return which->slip_grip(t, y); }
  energy_books books() const { return which->books(); }
  void energies(double t, const double* y, double* out) const { which->energies(t, y, out); }
  void powers(double t, const double* y, double* out) const { which->powers(t, y, out); }
  void stage_powers(double t, double h, const double* start, const double* y, double* out) const {
    which->stage_powers(t, h, start, y, out);
  }
  void side_powers(double t, const double* y, double direction, double* out) const {
    which->side_powers(t, y, direction, out);
  }
  void advance_with_work(double t, double h, double* y, double* work) const {
    which->own_step_with_work(t, h, y, work);
  }
};

}  // namespace asperity
