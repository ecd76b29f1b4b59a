// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether what a run shows depends on its steps: the same scenario in finer ones, and by how much
// the two differ.

#include <asperity/run/simulate.hpp>

namespace asperity {

// Half the step, or a quarter of the tolerances and half the longest step.
scenario in_finer_steps(scenario);
const char* what_is_finer(const scenario&);  // "half the step", "a quarter of the tolerances"

// One column in both runs: how far apart its ends, its lowest and its highest values are.
struct column_difference {
  std::string name;
  unit in;
  double at_end, lowest, highest;
  double range;  // of the finer run

  double largest() const;
  double part_of_range() const;  // of the largest; 0 where a column is constant in both
};

struct event_difference {
  std::string name;
  std::size_t count, finer;
};

struct refinement {
  std::vector<column_difference> columns;
  std::vector<event_difference> events;  // all that were looked for

  const column_difference* worst() const;  // by its part of the range; none without columns
};

// How a step was solved is no result of it: columns `solver_...` are left out.
refinement differences(const run_data& usual, const run_data& finer);

// In sentences, one for each column that differs by more than a thousandth of its range and one for
// events of other numbers, or one that says how little differs.
std::vector<std::string> in_words(const refinement&, const scenario&);

}  // namespace asperity
