// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model under a motion given row by row. Between rows a velocity is joined by lines and a
// position by the monotone cubic, which keeps reversals; the model's states are integrated in steps
// of their own. So the result does not depend on how finely the motion was sampled, beyond the
// error of interpolation. Models that advance by themselves do so in steps of their own, too.

#include <asperity/run/simulate.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/record.hpp>

namespace asperity {

struct evaluate_options {
  // "x" or "v": which column drives. Where both are there, contact and hysteresis
  // models take x and others v.
  std::string drive;
  double relative_tolerance = 1e-9;
  long max_steps = 20'000'000;
  const std::atomic<bool>* interrupt = nullptr;
};

// Columns t, x, v, load (where given), the model's states, f; one row per row of the input. Rows
// stop where the integration did, or before the first number that is not finite. The input needs t,
// and v or x; load is optional, other columns are ignored. Throws asperity::error for bad input.
//
// Models of other ports (asperity/port.hpp) take the inputs of their port by name, each rate or its
// place, and answer with all inputs, states (but those of cells), outputs and the energy stored.
//
// Of a record with gaps each piece begins anew, in the model's initial state: what happened in the
// gap is not known.
run_data evaluate(const any_model&, const record& input, const evaluate_options& = {});
run_data evaluate(const any_model&, const csv_table& input, const evaluate_options& = {});
// The part for ports that are no line, of a record without gaps.
run_data evaluate_at_port(const any_model&, const record& input, const evaluate_options&);

}  // namespace asperity
