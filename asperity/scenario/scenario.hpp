// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scenario: one system with one model, its inputs, initial state, integrator and outputs, read
// from a TOML file (docs/scenario-files.md) and checked completely before anything runs.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/stepper.hpp>
#include <asperity/scenario/toml.hpp>
#include <asperity/systems/machine.hpp>
#include <asperity/systems/signal.hpp>
#include <memory>
#include <optional>

namespace asperity {

enum class system_kind {
  mass_under_force,
  pulled_mass,
  wall_spring_mass,
  bouncing_mass,
  prescribed_motion,
  machine  // put together at run time: machine_kinds.hpp
};
enum class method {
  euler,
  rk4,
  dopri5,
  backward_euler,
  sdirk2,
  trbdf2,
  rosenbrock,
  automatic,
  cvode,
  advance,
  switch_model,
  moreau_jean
};

const char* to_string(system_kind);
const char* to_string(method);
bool is_closed_form(method);  // solves each implicit stage exactly; the model must have react()
bool is_fixed_step(method);   // `advance` only where a step is given
struct scenario;
bool has_fixed_step(const scenario&);
// Why a method cannot run a scenario whose system and start are known; empty where it can.
std::string unfit(const scenario&, method);

// What a run records: name and SI unit of a column.
struct column_header {
  std::string name;
  unit in;
};

// One panel of the plot: columns over a column, in units of the author's choice.
struct panel {
  std::string title;
  std::string x = "t";
  std::vector<std::string> y;
  std::string x_unit, y_unit;  // "um"; SI where empty
};

struct scenario {
  std::string name;   // of the file, without its extension
  std::string title;  // for people

  system_kind system = system_kind::mass_under_force;
  double mass = 1, stiffness = 0, damping = 0;  // [kg], [N/m], [N s/m]
  std::optional<any_model> model;               // one of model and assembled is there
  std::shared_ptr<machine> assembled;
  std::string assembled_kind;

  signal force;                       // [N]
  signal anchor;                      // end of the spring [m]
  signal load = signal::constant(1);  // relative normal load
  signal motion;                      // of prescribed_motion: [m], or [m/s]
  bool motion_is_velocity = false;

  std::vector<double> initial;  // x, v (not in prescribed_motion), states of the model

  method integrator = method::dopri5;
  double step = 0;  // [s], methods of fixed step; 0: `advance` adapts its own
  tolerances tolerance;
  double first_step = 0, max_step = 0;          // [s], adaptive methods
  double switch_eta = 1e-8, switch_tau = 1e-2;  // [m/s], [s], of the Switch Model
  long max_steps = 0;

  double duration = 0;            // [s]
  double sample = 0;              // [s]; 0 keeps every step
  double time_limit = unbounded;  // wall-clock time of a run [s]
  double memory_limit = 0;        // for what a run records [bytes]; 0: not given
  bool events = true;
  bool audit = false;          // keep books of the energy
  double audit_tolerance = 0;  // of their gaps, relative to the energy exchanged

  std::vector<panel> panels;

  std::vector<std::string> warnings;  // doubtful but allowed
  toml_value resolved;                // complete, in SI: running it gives the same output
  struct attachment {
    std::string file, text;
  };
  std::vector<attachment> attachments;  // files that `resolved` refers to, to lie beside it

  bool is_mass() const {
    return system != system_kind::prescribed_motion && system != system_kind::machine;
  }
  int mechanical_states() const { return is_mass() ? 2 : 1; }  // before those of the model
};

// Reads a scenario and applies overrides such as "friction.F_s=2". Throws asperity::error.
scenario read_scenario(const std::string& file, const std::vector<std::string>& overrides = {});
// The same from a document: `name` names the run, and relative file names start from `folder`.
scenario read_scenario(const toml_value& document, const std::string& name,
                       const std::string& folder);

// A model by name with settings such as "F_s=2" or "K=5 N/um", checked in the same way. Doubtful
// choices are added to `warnings`.
any_model make_model(const std::string& key, const std::string& curve,
                     const std::vector<std::string>& settings, std::vector<std::string>& warnings);

// Columns that simulate() will return, in their order.
std::vector<column_header> columns_of(const scenario&);
// Names of all states: x, v, states of the model.
std::vector<column_header> states_of(const scenario&);

// Absolute tolerances that suit a model: bristles deflect by micrometres where bodies move by
// metres.
tolerances default_tolerances(const any_model& model, int mechanical_states, double relative);
tolerances default_tolerances(const machine& which, double relative);

}  // namespace asperity
