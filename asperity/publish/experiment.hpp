// SPDX-License-Identifier: Apache-2.0
#pragma once

// A published simulation as a file: runs, what the source says of them, and how to judge it.
//
//   title, source, about                text; source names the figure
//   figures = ["xiong_2013/fig_3_4"]    ids of all figures the file serves (its own path if absent)
//   [base]                              what all runs share, a scenario
//   [converged]                         laid over each run for its second, converged execution
//   [[run]]  name, and changes to the base; waits_for = "dahl" skips it while a model is missing
//   [[analysis]]                        a table in place of a run: kind = "impacts", ..., a name, and
//                                       the keys of its kind (publish/analyses/)
//   [impacts]                           what all analyses of that kind share
//   [[claim]]
//     text, source_says                 what is claimed, and the source's own words or number
//     run = "dai" or runs = [...]       whose measure is judged
//     measure, column ...               see measure.hpp
//     relative_to = "lugre"             divides by the same measure of another run
//     relative_to_column = "x"          divides by the same measure of another column, or by
//     relative_to_measure = "span"      that measure of it, over the same time
//     at_least, at_most                 bounds, or
//     equals with tolerance             a number and how far we may be from it, or
//     order = "falling" | "rising"      over `runs`
//     on = "both" | "source" | "converged"
//     erratum = "E-14"                  the source's own parameters cannot give this: the claim
//                                       must fail, and is reported as explained
//   [[unnoticed]]                       mutants (publish/mutants.hpp) that no claim can notice:
//     mutants = ["friction.k +10 %"], reason
//   [[panel]]  title, runs, x, y, x_unit, y_unit, x_log, y_log; x_range = [from, to] in SI;
//              part = [0.8, 1] draws that part of the time of each run, such as its last cycle;
//              x_times, y_times = -1 draw with the signs of the source
//
// A file sources.bib beside the folders says where they were published (bibliography.hpp).

#include <asperity/publish/analysis.hpp>
#include <asperity/publish/bibliography.hpp>
#include <asperity/run/measure.hpp>
#include <map>

namespace asperity {

struct published_claim {
  std::string text, source_says, erratum;
  std::vector<std::string> runs;
  std::string relative_to, relative_to_column;
  measure what;
  std::optional<measure> divided_by;  // of relative_to_column
  std::optional<double> at_least, at_most, equals;
  double tolerance = 0;
  enum class order { none, falling, rising } in_order = order::none;
  bool on_source = true, on_converged = true;
};

struct experiment_run {
  std::string name, label;
  std::string missing_model;  // not empty: skipped until the catalogue has it
  std::optional<scenario> as_in_source, converged;
  // In their place:
  std::shared_ptr<const asperity::analysis> analysis;
  toml_value resolved;  // its keys, complete and in SI

  // What it was read from: base and changes, or all keys of the analysis.
  toml_value document;
  std::optional<toml_value> converged_changes;
  std::string folder;
  bool is_analysis = false;

  bool has(execution) const;
  // The execution that plots and energy balances show.
  execution shown() const {
    return has(execution::converged) ? execution::converged : execution::source;
  }
};

struct experiment_panel {
  panel shown;
  std::vector<std::string> runs;
  bool x_log = false, y_log = false;
  double x_from = 0, x_to = 0;  // the part of x to show, in SI; all of it where they are equal
  double part_from = 0, part_to = 1;  // of the rows of each run
  double x_times = 1, y_times = 1;    // what is drawn of a value
};

// A change of a run that no claim can notice, and why.
struct unnoticed_mutant {
  std::string name, reason, place;
};

struct experiment {
  std::string id, title, source, about;
  source_entry published;  // empty where sources.bib has none
  std::vector<std::string> figures;
  std::vector<experiment_run> runs;
  std::vector<published_claim> claims;
  std::vector<experiment_panel> panels;
  std::vector<unnoticed_mutant> unnoticed;
};

// The folder of the experiments: `wanted` if given, then $ASPERITY_EXPERIMENTS, then where the
// program was installed or built. Throws asperity::error that names the places it looked at.
std::string experiments_folder(const std::string& wanted = {});
// Ids below the folder, sorted: "xiong_2013/fig_3_4".
std::vector<std::string> list_experiments(const std::string& folder);
// Whether somebody published it: our own are in the folder asperity.
bool is_published(std::string_view id);
// Those named, each once, in the order of the names: an experiment or a figure that it serves,
// "xiong_2013" for all of that source, no name for all. Throws asperity::error.
std::vector<std::string> choose_experiments(const std::string& folder,
                                            const std::vector<std::string>& names);
experiment read_experiment(const std::string& folder, const std::string& id);
// Runs and panels for a picture, from text of the same form: it has a title, and judges nothing.
experiment read_picture(const std::string& toml, const std::string& name);
// The same run from another document.
experiment_run read_again(const experiment_run&, toml_value document);

enum class verdict {
  met,
  not_met,
  explained,   // not met, as the erratum says
  unexpected,  // met although the erratum says it cannot be
  skipped      // waits for a model
};
const char* to_string(verdict);
bool is_failure(verdict);

struct judgement {
  std::string experiment;
  published_claim about;
  std::size_t claim = 0;         // which of the experiment's, from 0
  std::string measured, wanted;  // in words
  execution how = execution::source;
  std::vector<double> ours;  // one number, or one per run where the order is judged
  unit in;
  verdict answer = verdict::skipped;
  std::string note;  // why it was skipped or could not be measured
};

struct experiment_result {
  experiment what;
  std::map<std::pair<std::string, execution>, run_data> data;
  std::vector<judgement> judgements;
};

run_data perform(const experiment_run&, execution, const simulate_options& = {});
// `data_of` gives the data of a run by its name.
judgement judge(const experiment&, std::size_t claim, execution,
                const std::function<const run_data&(const std::string&)>& data_of);

// With `audits`, the execution of each run that is shown (the converged one where there is one) is
// made with an audit where its system has an energy balance: that does not change the run.
experiment_result perform(experiment, const simulate_options& = {}, bool audits = false);

}  // namespace asperity
