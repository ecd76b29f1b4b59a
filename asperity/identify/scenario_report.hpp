// SPDX-License-Identifier: Apache-2.0
#pragma once

// A system fitted to records, what can be said about it, and the best of several candidates: sets of keys
// that are found and settings that are made. Errors are stated for each record, also for those that were
// not fitted.

#include <asperity/identify/fit_report.hpp>
#include <asperity/identify/scenario_fit.hpp>

namespace asperity {

struct scenario_bound {
  std::string key, lower, upper;  // with or without a unit
};

struct scenario_setup {
  std::vector<scenario_record> records;          // that are fitted
  std::vector<scenario_record> validation = {};  // that the result is judged on
  std::vector<scenario_match> matches;
  std::vector<scenario_bound> bounds = {};
  double hold_out = 0;  // share at the end of each record that a first fit does not see
  int threads = 0;      // that simulate; 0: one per core
};

struct scenario_candidate {
  std::string name = {};
  std::vector<std::string> keys;           // that are found
  std::vector<std::string> settings = {};  // "friction.model=lugre"
};

// What was measured and what the result says, at the rows of a record that are compared.
struct scenario_trace {
  std::string record, column, channel;
  unit in = units::one;
  bool is_fitted = true;
  std::vector<double> t = {}, measured = {}, simulated = {};
  double rms = 0, mean_absolute = 0;  // of the difference
};

struct scenario_report : fit_report {
  std::string scenario;
  scenario_candidate candidate;
  std::vector<scenario_unknown> unknowns = {};
  std::size_t matches = 1;  // of several, residuals are in deviations of each channel
  std::vector<scenario_trace> traces = {};
  // Means over records and matches, in the unit of the residuals; 0: there is none.
  double mean_absolute = 0, validated_mean_absolute = 0;
  double validated_rms = 0, validated_deviation = 0;  // of all rows that were not fitted

  double validated() const {
    return validated_deviation > 0 ? validated_rms / validated_deviation : 0;
  }
};

// Fits from the values of the scenario; where the end of each record is held out first, the result is that
// of a second fit to all rows. Of a fit that was stopped the best so far is the result; before the first
// comparison with the records there are no residuals.
scenario_report fit_scenario(const scenario_setup&, const scenario_candidate&, const fit_options&);

// Each candidate is fitted from the scenario's own values. One that contains another (all its keys, and no
// other settings) is also fitted from the end of the best of those, and the other way round, until nothing
// changes: one that contains another is never worse for having been stuck. The best gets the intervals.
struct scenario_comparison {
  std::vector<scenario_report> ranking;
  struct failure {
    std::string candidate, why;
  };
  std::vector<failure> failures;
  std::string verdict;  // in words
};
scenario_comparison compare_scenarios(const scenario_setup&, const std::vector<scenario_candidate>&,
                                      const fit_options&);

// The scenario as a candidate found it: its settings, and the values.
toml_value fitted_document(toml_value, const scenario_report&);

std::string report_text(const scenario_report&);
nlohmann::ordered_json report_json(const scenario_report&);
// Heads and rows of the ranking, and of the errors on each record: for text and for pages.
std::vector<std::vector<std::string>> ranking_table(const scenario_comparison&);
std::vector<std::vector<std::string>> error_table(const scenario_report&);
std::string comparison_text(const scenario_comparison&);
nlohmann::ordered_json comparison_json(const scenario_comparison&);

}  // namespace asperity
