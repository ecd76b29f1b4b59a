// SPDX-License-Identifier: Apache-2.0
#pragma once

// [system] kind = "inclusion": states, parameters, inputs, definitions and terms of a scenario file
// (docs/inclusions.md). It is read from the document itself, since names and units are the user's.

#include <asperity/inclusion/inclusion.hpp>
#include <asperity/inclusion/show.hpp>
#include <asperity/run/input.hpp>

namespace asperity {

// A scenario file whose system is an inclusion, as the ODE that its integrator would get. Throws
// asperity::error, also where the system is another one.
struct stated_inclusion {
  regularised system;
  inclusion_setting setting;
  std::vector<std::string> warnings;
};
stated_inclusion read_stated_inclusion(const std::string& file,
                                       const std::vector<std::string>& overrides = {});

}  // namespace asperity
