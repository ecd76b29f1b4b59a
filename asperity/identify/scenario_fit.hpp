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
  double scale = 0;  // where it begins to matter, of one that starts at 0: see find_sizes()
  std::string meaning = {};
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

// One vector of unknowns over all records. Runs are sampled at the times of their record, and up to
// `threads` of them are simulated at once (0: one per core). The result does not depend on that.
fit_problem make_scenario_problem(std::vector<scenario_record> records,
                                  const std::vector<scenario_unknown>& unknowns,
                                  std::vector<scenario_match> matches,
                                  const std::atomic<bool>* interrupt = nullptr, int threads = 0);

// A key that starts at 0 does not say how large it may be. Its scale becomes the power of ten at which the
// residuals, all else as at the start, change by a tenth of their size. Others stay as they are.
void find_sizes(const fit_problem&, std::vector<scenario_unknown>&);

// Rows of a record that are compared: those after the time to settle in which nothing is missing.
std::vector<std::size_t> compared_rows(const scenario_record&, const std::vector<scenario_match>&);
// The record without this share of them at its end.
scenario_record without_end(scenario_record, const std::vector<scenario_match>&, double share);
// Matches of weight 0 get one over the deviation of their channel over all records.
void set_weights(std::vector<scenario_match>&, const std::vector<scenario_record>&);
// The columns of a run at the rows that are compared, one match after the other, in SI. Empty where it
// cannot be run, or was interrupted.
std::vector<double> simulate_along(const scenario_record&, const std::vector<scenario_unknown>&,
                                   const std::vector<scenario_match>&,
                                   std::span<const double> values,
                                   const std::atomic<bool>* interrupt = nullptr);

// Why a system cannot be run along a record at its starting values, in words; empty where it can, or where
// that does not show soon.
std::string why_no_run(const scenario_record&, const std::vector<scenario_unknown>& unknowns,
                       const std::vector<scenario_match>&);

// The document with the values of such a problem.
toml_value with_values(toml_value document, const std::vector<scenario_unknown>& unknowns,
                       std::span<const double> values);

}  // namespace asperity
