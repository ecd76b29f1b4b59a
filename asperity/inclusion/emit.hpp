// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ODE of a user's inclusion as source code, complete in one file that needs nothing of ours:
//
//   c         C99: NAME_rates(t, y, dydt), NAME_initial(y), parameters
//   cpp       C++20: a template with capacity, size(), rates(t, y, rate), as our integrators take
//   it octave    a function file; with main a script modelica  a model with equations, parameters
//   and units latex     a document with the inclusion, the DAI and the ODE

#include <asperity/inclusion/notation.hpp>
#include <asperity/inclusion/show.hpp>

namespace asperity {

struct emit_options {
  bool with_main = false;  // integrates by RK4 and prints CSV: c, cpp and octave
  std::string version;     // of this program, for the first comment
};

// Names for --emit.
const std::vector<std::string>& emitted_languages();
// Throws asperity::error that names what is allowed.
language find_emitted_language(const std::string& name);

std::string emit(const regularised& system, const inclusion_setting& setting, language in,
                 const emit_options& options = {});

// The step of an emitted main: the file's own where it is of an explicit method, otherwise one that
// is stable with RK4. Rows are printed every so many steps.
double emitted_step(const regularised& system, const inclusion_setting& setting);
long emitted_stride(const inclusion_setting& setting, double step);

}  // namespace asperity
