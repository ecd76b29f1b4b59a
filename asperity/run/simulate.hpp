// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a scenario. A numerical failure is an outcome, and what was computed until then is kept.

#include <asperity/integrate/outcome.hpp>
#include <asperity/model.hpp>
#include <asperity/run/audit.hpp>
#include <asperity/run/scenario.hpp>
#include <atomic>
#include <functional>

namespace asperity {

struct column {
  std::string name;
  unit in;
  std::vector<double> values;
};

// stick, slip, reversal, touchdown, liftoff, apex.
struct run_event {
  std::string name;
  double t;
  std::vector<double> state;
};

struct named_scalar {
  std::string name;
  double value;
  unit in;
};

struct run_data {
  std::vector<column> columns;
  std::vector<std::string> event_names;  // that were looked for
  std::vector<run_event> events;         // that happened, in time
  integration_result result;
  struct share {
    std::string method;
    long steps;
  };
  std::vector<share> shares;        // of the methods that an automatic run chose from
  std::string hint;                 // after a failure: what to try
  std::vector<std::string> doubts;  // about a run that completed
  // By how much states may be wrong: of fixed steps (integrate/step_check.hpp), or run/refine.hpp.
  std::vector<named_scalar> step_errors;
  std::optional<audit_report> audit;  // where the scenario asks for it
  std::vector<column> audit_columns;  // its columns, after t; claims find them by name

  // Throws asperity::error with the names there are.
  const std::vector<double>& operator[](std::string_view column_name) const;
  const column* find(std::string_view column_name) const;
  std::vector<double> times_of(std::string_view event_name) const;
  // Of every column its first, last, lowest and highest value: x_first, x_last, x_min, x_max.
  std::vector<named_scalar> scalars() const;
};

struct simulate_options {
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double fraction)> progress = nullptr;  // from 0 to 1, now and then
  std::vector<event> events = {};  // to look for beside those of the system
  // Limits of the caller's. Those of the scenario bind as well, and so does the memory there is.
  double time_limit = unbounded;  // wall-clock time [s]
  double memory_limit = 0;        // [bytes]; 0: as much as is free when the first run begins
  std::function<void(const run_data&)> glimpse = nullptr;  // the rows so far, when progress is told
};

// Why the energy balance of this scenario cannot be checked; empty where it can.
std::string why_no_audit(const scenario&);

// Throws asperity::error where what is to be recorded is known not to fit into memory.
run_data simulate(const scenario&, const simulate_options& = {});

}  // namespace asperity
