// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inputs of a scenario: a number, or a table with `kind` constant, ramp, sine, cosine, multisine,
// nodes, piecewise or csv.

#include <asperity/run/scenario.hpp>
#include <asperity/text/reader.hpp>

namespace asperity {

struct input {
  signal shape;
  double shortest_period = unbounded;  // [s] of its sines: steps must not jump over them
};

// Where input files lie, and where copies of them go.
struct input_files {
  std::string folder;
  std::vector<scenario::attachment>* attachments;
};

// The input at `key` of `parent`, whose values are in `in`; required.
input read_input(reader& parent, const std::string& key, unit in, const input_files& files);
// The input whose keys are in `table` itself.
input read_input_table(reader& table, unit in, const input_files& files);

}  // namespace asperity
