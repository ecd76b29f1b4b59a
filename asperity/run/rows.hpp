// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the rows of a table show.

#include <asperity/run/simulate.hpp>

namespace asperity {

// Times in (0, to) at which inputs jump, increasing.
std::vector<double> jumps_of(const system_card&, double to);
// Where an input ends or jumps at the very end, it is shown as it was just before.
double last_seen(const scenario&);

// Fills rows of the columns that columns_of() lists.
class row_writer {
 public:
  row_writer(const scenario&, workspace&);
  void fill(double t, const double* y, double* row);
  // The state that a column shows, if it shows one.
  std::optional<std::size_t> state_in(std::size_t column) const;

 private:
  const system& system_;
  workspace& work_;
  double latest_;
  std::vector<double> outputs_;
  std::vector<system_card::column> columns_;
};

// A table holds finite numbers only: the first row in which one is not, and all after it, are taken
// off, and the run has failed there. Says whether it did.
bool end_where_not_finite(run_data&);

// What to do after a model could not be followed along a motion that is given.
const char* hint_for_motion(outcome);

// After a failure: what to do where a model counts what it remembers, and may have had to remember
// more. Empty for other models.
std::string blame_memory(const any_model&, const run_data&);

}  // namespace asperity
