// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every front end binds: a system is a const description, and a run owns all that it writes.
// One description serves any number of runs and threads.
//
// A system has states, a start, rates and outputs. What else it can do it offers as parts, which are
// asked for: an implicit stage, the two sides of a jump, an energy balance, a step of its own. A part
// that is absent is a null pointer, and the card says why, so that a refusal can say it too.

#include <asperity/integrate/energy_terms.hpp>
#include <asperity/integrate/run.hpp>
#include <asperity/model.hpp>
#include <asperity/units.hpp>
#include <memory>
#include <string>
#include <vector>

namespace asperity {

class any_model;
class signal;
struct method_row;

struct system_quantity {
  std::string name;  // of the column
  unit in;
  double scale = 0;           // typical size, for tolerances; 0: that of a body's, in SI
  range allowed = any_value;  // of a state, at the start
  std::string given_by = {};  // the input that a state follows, so that nothing else may set it
};
// Of the states of a model that does not say how large they are.
inline constexpr double unknown_scale = -1;

// How a run goes on, known before the system is asked anything.
struct run_setting {
  const method_row* method = nullptr;
  double step = 0;  // [s], methods of fixed step; 0: the method adapts its step
  tolerances tolerance;
  double first_step = 0, max_step = 0;          // [s], adaptive methods
  double switch_eta = 1e-8, switch_tau = 1e-2;  // [m/s], [s], of the Switch Model
  long max_steps = 0;

  double duration = 0;  // [s]
  double sample = 0;    // [s]; 0 keeps every step
  bool events = true;
  bool audit = false;          // check the energy balance along the run
  double audit_tolerance = 0;  // of its gaps, relative to the energy exchanged

  // Far shorter than a step, yet long enough that rounding of v does not show in m v/h.
  double instant() const;
};

// All that a run writes, apart from the state itself. Systems derive from it for registers, warm
// starts and contact lists.
struct workspace {
  run_setting setting;
  std::string complaint;  // what the system itself has to say after a failure
  workspace() = default;
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;
  virtual ~workspace() = default;
};

struct system_card {
  std::string kind;   // the name in [system] kind = "..."
  std::string title;  // one line for people
  std::vector<system_quantity> states, outputs;
  struct input {
    std::string name;  // the key, and the column where it varies
    unit in;
    const signal* shape;
    double shortest_period;  // [s] of its sines: steps must not jump over them
  };
  std::vector<input> inputs;
  // What is shown, in this order, after the time; an input only where it varies.
  struct column {
    enum class kind { state, output, input } of;
    std::size_t index;
  };
  std::vector<column> columns;
  double shortest_period = unbounded;  // [s] of what moves in it by itself
  struct part {
    std::string key;  // of its table in a scenario
    const any_model* model;
  };
  std::vector<part> models;
  // Names of models that have a memory that is not an ODE and that are rigid contacts; empty where
  // there is none.
  std::string memory, rigid;
  // Those that are set-valued or jump at rest, where methods that do not hold can only chatter.
  std::vector<std::string> chatters;
  double stage_work = 1;  // of two implicit stages, in steps of dopri5
  // The default method, where it is not the first that can run it.
  const method_row* preferred = nullptr;
  // How `automatic` goes about it (integrate/automatic.hpp): seldom stiff, it begins with the explicit
  // method; a body of so many states whose fast swings may be damped, if above 0.
  bool begins_explicit = true;
  int damped_body = 0;
  struct picture {
    std::string title, x;
    std::vector<std::string> y;
  };
  std::vector<picture> pictures;  // that one looks at first; none: one for each unit
  struct absences {
    std::string implicit =
        "it has no implicit step in closed form (the same system stated as an inclusion has one: "
        "docs/inclusions.md)";
    std::string sides = "no friction in it jumps at rest";
    std::string energy = "its energy is not stated";
    std::string memory = "all of its memory is an ODE";
    std::string impulses = "it needs a system stated as an inclusion";  // empty: it has them
  };
  absences why_no;  // of parts

  void add_state(system_quantity state, bool is_shown = true) {
    if (is_shown) columns.push_back({column::kind::state, states.size()});
    states.push_back(std::move(state));
  }
  void add_output(std::string name, unit in) {
    columns.push_back({column::kind::output, outputs.size()});
    outputs.push_back({std::move(name), in});
  }
  void add_input(std::string name, unit in, const signal& shape, double period,
                 bool is_shown = true) {
    if (is_shown) columns.push_back({column::kind::input, inputs.size()});
    inputs.push_back({std::move(name), in, &shape, period});
  }
};

// ---- parts --------------------------------------------------------------------------------------

// y with y = start + h rates(t, y). Where there is none y is filled with NaN, which the run reports.
struct implicit_stage {
  virtual ~implicit_stage() = default;
  virtual void solve_stage(double t, double h, const double* start, double* y,
                           workspace&) const = 0;
};

// Rates that jump as a slip passes 0, for the Switch Model (switch_model.hpp).
struct jump_sides {
  virtual ~jump_sides() = default;
  virtual void side_rates(double t, const double* y, double direction, double* rate,
                          workspace&) const = 0;
  virtual double slip(const double* y) const = 0;
  virtual double slip_rate(const double* rate) const = 0;
  virtual void add_slip(double* y, double more) const = 0;
  virtual double slip_grip(double t, const double* y) const = 0;
};

// A step of the system's own: around a memory that is not an ODE, or with impulses.
struct own_step {
  virtual ~own_step() = default;
  virtual void step(double t, double h, double* y, workspace&) const = 0;
};

// Adaptive steps around a memory that is not an ODE, whose states are the last ones.
struct memory_steps {
  virtual ~memory_steps() = default;
  virtual int memory_at() const = 0;  // where they begin
  virtual double memory_force(double t, const double* y) const = 0;
  virtual bool is_prescribed() const { return false; }  // what moves the memory does not yield
  // A step to t + h or, where that is wanted and comes before, to where the motion turns. Adds the
  // work done in it where there is room for that. Returns its length, or 0 where there is no such
  // step.
  virtual double move(double t, double h, double* y, bool to_turn, double* work) const = 0;
  // A step of that length which damps a swing instead of following it. Returns whether there is one.
  virtual bool leap(double /*t*/, double /*h*/, double* /*y*/, double* /*work*/) const {
    return false;
  }
};

// energy_terms.hpp says what the numbers are.
struct energy_balance {
  virtual ~energy_balance() = default;
  virtual const energy_terms& terms() const = 0;
  virtual void energies(double t, const double* y, double* out, workspace&) const = 0;
  virtual void powers(double t, const double* y, double* out, workspace&) const = 0;
  // The same in an implicit stage, where only the stage knows the forces of set-valued laws ...
  virtual void stage_powers(double t, double /*h*/, const double* /*start*/, const double* y,
                            double* out, workspace& w) const {
    powers(t, y, out, w);
  }
  // ... where a slip has a direction ...
  virtual void side_powers(double t, const double* y, double /*direction*/, double* out,
                           workspace& w) const {
    powers(t, y, out, w);
  }
  // ... and in a step of the system's own, which adds the work done in it.
  virtual void step_with_work(double /*t*/, double /*h*/, double* /*y*/, double* /*work*/,
                              workspace&) const {}
};

// Exact derivatives (rosenbrock.hpp).
struct derivatives {
  virtual ~derivatives() = default;
  virtual void linearise(double t, const double* y, double* rate, double* rate_t, double* jacobian,
                         int stride) const = 0;
};

// A state that no array of fixed length holds, such as grains and their contacts: it lives in the
// workspace, and steps only go onward. Such a system has no other states.
struct marching {
  virtual ~marching() = default;
  virtual std::vector<const method_row*> methods() const = 0;
  // Onward by `length`, in shorter steps where the method adapts. Before each step, and each new try
  // of one, `watch` is told how far it came, and stops it by another answer than completed.
  struct progress {
    outcome how;
    double done;  // of `length`
  };
  using watch = std::function<outcome(double done)>;
  virtual progress onward(double length, const watch&, workspace&) const = 0;
  struct counts {
    long steps, rejected, evaluations;
  };
  virtual counts count(const workspace&) const = 0;
  virtual void flows(double* out, workspace&) const = 0;  // integrals of the powers
};

// ---- the system ---------------------------------------------------------------------------------

class system {
 public:
  system() = default;
  // A workspace may point into its system: systems are held by pointers and never copied.
  system(const system&) = delete;
  system& operator=(const system&) = delete;
  virtual ~system() = default;

  virtual const system_card& card() const = 0;
  // May be longer than the states of the card: the rest, such as the cells of a patch, is kept but
  // has no name.
  virtual std::vector<double> initial() const = 0;
  virtual void rates(double t, const double* y, double* rate, workspace&) const = 0;
  // One number for each output of the card.
  virtual void observe(double t, const double* y, double* out, workspace&) const = 0;

  virtual std::unique_ptr<workspace> new_workspace() const { return std::make_unique<workspace>(); }
  // Made for one run: what they remember is the run's.
  virtual std::vector<event> events(workspace&) const { return {}; }
  // After the run: takes off what its course shows to be no event.
  virtual void review(const double* /*start*/, std::vector<event_record>& /*found*/,
                      const std::vector<event>& /*events*/, workspace&) const {}
  // The system that this setting asks for, where that is another one.
  virtual std::shared_ptr<const system> planned(const run_setting&) const { return nullptr; }
  // What is doubtful about a run with this setting, in sentences.
  virtual std::vector<std::string> doubts(const run_setting&) const { return {}; }
  // Zero where the rates have a kink, such as between stick and slip (rosenbrock.hpp).
  virtual double kink(double /*t*/, const double* /*y*/) const { return 1; }
  // After each step of fixed length (concepts.hpp).
  virtual void tidy(double* /*y*/) const {}

  // What is wrong with a start: the state, and why.
  struct complaint {
    std::string where = {}, why = {};
  };
  virtual complaint check_initial(const double* /*y*/) const { return {}; }
  // Sets the states without a name for a start whose others are given: anchors of a patch lie where
  // it does.
  virtual void complete_start(double* /*y*/) const {}
  // What is wrong with an input in a run of this length: its key, and why.
  virtual complaint check_inputs(double /*duration*/) const { return {}; }
  // After a failure between two times: an input that explains it, in words.
  virtual std::string explain_failure(double /*from*/, double /*to*/) const { return ""; }

  virtual const implicit_stage* implicit() const { return nullptr; }
  virtual const jump_sides* sides() const { return nullptr; }
  virtual const own_step* own() const { return nullptr; }
  virtual const memory_steps* memory() const { return nullptr; }
  virtual const energy_balance* energy() const { return nullptr; }
  virtual const derivatives* exact() const { return nullptr; }
  virtual const marching* march() const { return nullptr; }
};

}  // namespace asperity
