// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scenario as an FMU shows it: variables, each with a number of its own (its value reference),
// derived from the scenario alone. The tool that writes an FMU and the run-time inside of it derive
// the same.

#include <asperity/mechanics/external_signal.hpp>
#include <asperity/run/scenario.hpp>
#include <string>
#include <vector>

namespace asperity::fmi {

struct variable {
  enum class kind {
    time,
    parameter,   // a number of the scenario
    input,       // an input of kind "external"
    state,       // may be set before the start
    output,      // of the card of the system
    given,       // an input that the scenario gives, and that varies
    derivative,  // of a state
    indicator    // its sign changes at an event
  };
  kind is;
  std::string name, meaning = {};
  unit in = {};
  range allowed = any_value;
  double start = 0;           // of parameters, inputs and states
  std::size_t index = 0;      // of the parameter, input of the card, state, output, event
  bool is_shown = true;       // a state may be another column already
  std::string given_by = {};  // of a state: the input that it follows
};

// A number of the scenario: the keys that lead to it, indices of lists from 0 among them.
struct parameter {
  std::vector<std::string> path;
  int element = -1;        // of a list of numbers
  bool with_unit = false;  // written as text with its unit, as the parameters of an inclusion are
};

struct description {
  toml_value document, resolved;
  std::string name, folder;  // relative file names of the document start from the folder
  std::string title, kind;
  std::vector<variable> variables;  // by value reference
  std::vector<parameter> parameters;
  std::size_t states = 0;               // with those that have no name
  std::vector<std::size_t> indicators;  // events of the system
  double duration = 0, sample = 0;      // [s]
  double tolerance = 0;                 // 0: steps of fixed length
  std::string no_model_exchange;        // why; empty where there is model exchange
  bool can_save = true;                 // the states are all that a run needs to go on
  std::vector<std::string> warnings;
};

// Throws asperity::error.
description describe(toml_value document, const std::string& name, const std::string& folder);

// The inputs of a scenario that was read while `read` listened, by their place on its card; null
// where an input is not external.
std::vector<std::shared_ptr<external_value>> inputs_of(const scenario&,
                                                       const external_inputs& read);

// The value of a parameter in a document that has it, such as a resolved one.
double value_of(const toml_value& document, const parameter& which);
// Sets a parameter. Of a list that the document writes as one number, the resolved one has the rest.
void set_value(toml_value& document, const toml_value& resolved, const parameter& which, unit in,
               double value);

// Makes an input of the scenario an external one, which starts with its present value at t = 0.
// Throws asperity::error with the inputs there are.
void make_external(toml_value& document, const scenario& read, const std::string& input);

}  // namespace asperity::fmi
