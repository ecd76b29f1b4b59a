// SPDX-License-Identifier: Apache-2.0
#pragma once

// Any system of ours, simulated with some of its keys unknown, against measured columns: a mass under
// a measured force whose friction is not known, a servo with its joint. The scenario says the inputs;
// derivatives are finite differences.

#include <asperity/identify/fit.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/text/record.hpp>

namespace asperity {

struct scenario_unknown {
  std::string key;   // "friction.F_c", "system.mass"; a list's element is "friction.kappa.2"
  double start = 0;  // in SI
  range allowed = any_value;
  unit in = units::one;
  double scale = 0;
};

struct scenario_match {
  std::string column;   // of the run: "x", "v", "f"
  std::string channel;  // of the record
  double weight = 1;    // residuals are multiplied by it; 0: one over the deviation of the channel
};

struct scenario_record {
  toml_value document;  // the scenario, with the inputs of this record
  std::string name, folder;
  record measured;
  double settle = 0;  // [s] simulated, but not compared
};

// The unknowns with ranges, units and starts from the scenario itself: its keys must be there, or have
// a default. Throws asperity::error where one is not a number of the scenario.
std::vector<scenario_unknown> unknowns_of(const toml_value& document, const std::string& name,
                                          const std::string& folder,
                                          const std::vector<std::string>& keys);

// The mean of all whole periods of a record, repeated: `warm_up` periods to settle in and one to compare.
// Throws asperity::error where the rows of the record do not repeat with the period.
record average_periods(const record&, double period, int warm_up);
// Makes the channel of the record the input `key` of the scenario. `period` is that of a
// band-limited join; 0: none.
void set_input(toml_value& document, const std::string& key, const record&,
               const std::string& channel, const std::string& join, double period);

// One vector of unknowns over all records. Runs are sampled at the times of their record; those of
// different records are simulated in parallel.
fit_problem make_scenario_problem(std::vector<scenario_record> records,
                                  const std::vector<scenario_unknown>& unknowns,
                                  std::vector<scenario_match> matches,
                                  const std::atomic<bool>* interrupt = nullptr);

// The document with the values of such a problem.
toml_value with_values(toml_value document, const std::vector<scenario_unknown>& unknowns,
                       std::span<const double> values);

}  // namespace asperity
