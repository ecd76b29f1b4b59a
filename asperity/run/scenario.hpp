// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scenario: a system, its initial state, how it is run, and what is shown of it, read from a TOML
// file (docs/scenario-files.md) and checked completely before anything runs.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/text/toml.hpp>
#include <memory>

namespace asperity {

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

struct scenario : run_setting {
  std::string name;   // of the file, without its extension
  std::string title;  // for people

  std::shared_ptr<const asperity::system> system;
  bool is_rotary =
      false;  // about an axis: the units of its card become rotary where they are shown
  std::vector<double> initial;

  double time_limit = unbounded;  // wall-clock time of a run [s]
  double memory_limit = 0;        // for what a run records [bytes]; 0: not given

  std::vector<panel> panels;

  std::vector<std::string> warnings;  // doubtful but allowed
  toml_value resolved;                // complete, in SI: running it gives the same output
  struct attachment {
    std::string file, text;
  };
  std::vector<attachment> attachments;  // files that `resolved` refers to, to lie beside it
};

// Reads a scenario and applies overrides such as "friction.F_s=2". Throws asperity::error.
scenario read_scenario(const std::string& file, const std::vector<std::string>& overrides = {});
// The same from a document: `name` names the run, and relative file names start from `folder`.
// What only files and pictures of a run need, `resolved` and `panels`, is left out of `numbers`.
enum class wanted_of_scenario { all, numbers };
scenario read_scenario(const toml_value& document, const std::string& name,
                       const std::string& folder,
                       wanted_of_scenario wanted = wanted_of_scenario::all);

// Parameters of models that a document leaves to their defaults, in words: "friction: 4 of 7
// parameters of lugre are defaults (F_c = 1 N, ...)". `resolved` is that of the scenario read from it.
std::vector<std::string> defaults_taken(const toml_value& document, const toml_value& resolved);

// A model by name with settings such as "F_s=2" or "K=5 N/um", checked in the same way. Doubtful
// choices are added to `warnings`.
any_model make_any_model(const std::string& key, const std::string& curve,
                         const std::vector<std::string>& settings,
                         std::vector<std::string>& warnings);
// The same for models that move a body along a line; others are refused.
any_model make_model(const std::string& key, const std::string& curve,
                     const std::vector<std::string>& settings, std::vector<std::string>& warnings);

// Columns that simulate() will return, in their order.
std::vector<column_header> columns_of(const scenario&);
// Names of all states that have one.
std::vector<column_header> states_of(const scenario&);

// Absolute tolerances that suit a system: bristles deflect by micrometres where bodies move by
// metres.
tolerances default_tolerances(const system_card&, double relative);

}  // namespace asperity
