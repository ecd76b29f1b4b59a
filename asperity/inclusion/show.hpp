// SPDX-License-Identifier: Apache-2.0
#pragma once

// A user's inclusion made visible: as it was stated, as differential-algebraic inclusion, as ODE,
// and what its constants mean in numbers.

#include <asperity/inclusion/inclusion.hpp>
#include <asperity/integrate/method.hpp>

namespace asperity {

// How the file that states an inclusion wants it to be run.
struct inclusion_setting {
  std::string name, title, origin;  // origin: the file
  std::vector<double> initial;      // of all states
  const method_row* method = nullptr;
  double step = 0;  // [s]; 0 where the method chooses it
  double duration = 1, sample = 0;
  double shortest_period = __builtin_huge_val();
};

// Rows of columns to be lined up, under a title.
struct shown_section {
  std::string title;
  std::vector<std::vector<std::string>> rows;
};

// The inclusion, the DAI and the ODE.
std::vector<shown_section> show_equations(const regularised& system);
// These, and terms, step limits, parameters, inputs and the initial state.
std::vector<shown_section> show(const regularised& system, const inclusion_setting& setting);
// The same for programs, in SI.
std::string show_json(const regularised& system, const inclusion_setting& setting);

}  // namespace asperity
