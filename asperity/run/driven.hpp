// SPDX-License-Identifier: Apache-2.0
#pragma once

// Something with one input and one output, whose input is ours to choose: what hysteresis maps and
// equilibria are found of. How it was written down is known here and to nobody else.

#include <asperity/run/scenario.hpp>
#include <functional>

namespace asperity {

struct io_system {
  std::string name;
  std::string input;     // what is chosen: motion, force, anchor ...
  std::string u = "x";   // column of the input ...
  std::string y = "f";   // ... and of the output
  double amplitude = 1;  // a fitting one, for those who do not know better
  // The smallest speed that the model of a prescribed motion has among its parameters, where it has
  // one. Loops that never move as slowly do not tell its limit.
  double speed = 0;  // [m/s]; 0: none
  std::string speed_name = {};

  // The system under this input, ready to run. Relative tolerances that nobody chose are 1e-7, and
  // steps of fixed length are as long as a sample, so that they hit the turns of the input.
  // `input` is a constant, a sine or pieces of these. Throws asperity::error.
  std::function<scenario(const signal& input, double duration, double sample)> under;
};

// A model under a prescribed motion x, answering with f.
io_system io_of(const any_model&);
// A scenario, from the table `input` to the column `output`. Throws asperity::error.
io_system io_of(toml_value document, const std::string& name, const std::string& folder,
                const std::string& input, const std::string& output);

}  // namespace asperity
