// SPDX-License-Identifier: Apache-2.0
#pragma once

// One FMU that runs, whatever the version of the standard: parameters and start values until it is
// built, then either steps of our own methods (co-simulation) or rates for a solver (model exchange).
// What is wrong is thrown as asperity::error; the entry points (fmu/) make a status of it.

#include <asperity/fmi/description.hpp>
#include <asperity/fmi/paced_run.hpp>
#include <map>
#include <memory>
#include <optional>

namespace asperity::fmi {

using reference = unsigned;  // of a variable: its place in the description

class instance {
 public:
  explicit instance(std::shared_ptr<const description>);

  const description& about() const { return *about_; }

  // ---- before the start ------------------------------------------------------------------------
  void set_experiment(double start, std::optional<double> stop, std::optional<double> tolerance);
  // Reads the scenario with what was set so far. Warnings are for the importer's log.
  std::vector<std::string> build();
  void ensure_built() {
    if (!is_built_) build();
  }
  void reset();
  // An external input of which the system needs the rate, too, which FMI does not give; empty where
  // there is none.
  std::string input_with_slope();

  // ---- variables -------------------------------------------------------------------------------
  enum class phase { before, running };  // only inputs can be set while it runs
  void set(reference, double value, phase);
  double get(reference);

  // ---- co-simulation ---------------------------------------------------------------------------
  double time() const { return t_; }
  // Throws where a step is refused as it is; step() throws where it fails.
  void check_step(double from, double length) const;
  void step(double from, double length);

  // ---- model exchange --------------------------------------------------------------------------
  void start_solver();
  void set_time(double t);
  void set_states(const double* y);
  const std::vector<double>& states() const { return y_; }
  // False where there are none at this state: a solver may try another.
  bool rates(double* out);
  void indicators(double* out);
  void nominals(double* out) const;
  struct event_outcome {
    bool is_changed;  // the state
    std::optional<double> next;
  };
  event_outcome handle_events();
  // Along a direction in states and inputs: of derivatives exact where the system is differentiated
  // by dual numbers, of outputs by central differences.
  void differentiate(const reference* unknown, std::size_t unknowns, const reference* known,
                     std::size_t knowns, const double* seed, double* sensitivity);

  // ---- going back ------------------------------------------------------------------------------
  struct saved {
    std::map<reference, double> settings;
    std::vector<double> y, given;
    std::vector<double> before;  // values of events
    bool is_built;
    double t, start, handled;
    std::optional<double> stop, tolerance;
  };
  saved save() const;
  void restore(const saved&);

 private:
  std::shared_ptr<const description> about_;
  std::map<reference, double> settings_;
  double start_ = 0;
  std::optional<double> stop_, tolerance_;

  bool is_built_ = false;
  scenario s_;
  std::unique_ptr<workspace> work_;
  std::vector<event> events_;   // all of them, for solvers
  std::vector<event> changes_;  // those that our methods need
  std::vector<std::shared_ptr<external_value>> inputs_;
  double t_ = 0, latest_ = 0;
  std::vector<double> y_;
  std::vector<double> outputs_;
  bool are_outputs_known_ = false;

  std::unique_ptr<paced_run> paced_;
  double last_length_ = 0, planned_ = 0;
  double handled_ = 0;  // solvers: jumps of inputs up to here have been seen
  std::optional<double> next_jump_;
  std::vector<double> before_;  // values of the events since the last one was handled

  const variable& at(reference) const;
  void renew_workspace();
  void go_by_pace(double to);
  void go_at_once(double to);
  void march_to(double to);
  double seen() const;
  void plan_jumps();
  void observe();
  [[noreturn]] void fail(const integration_result&);
  double value_now(const variable&);
};

}  // namespace asperity::fmi
