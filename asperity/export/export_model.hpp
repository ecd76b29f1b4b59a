// SPDX-License-Identifier: Apache-2.0
#pragma once

// One model with its parameters as source code, complete in one file that needs nothing of ours:
// for firmware, S-functions and simulators that take no library. The code is written from the
// equations of the model itself (traced.hpp), so it does the same operations in the same order.
//
//   c       C99, functions MODEL_init, MODEL_force, MODEL_step, MODEL_step_with_body
//   cpp     C++11, a namespace with the same
//   rust    a module with the same, without dependencies
//   matlab  a function file for MATLAB and Octave: MODEL('step', ...)

#include <asperity/catalogue/any_model.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace asperity {

enum class exported_language : std::uint8_t { c, cpp, rust, matlab };

// Names for --lang.
const std::vector<std::string>& exported_languages();
// Throws asperity::error that names what is allowed.
exported_language find_exported_language(const std::string& name);
// "lugre.h": what a file of the model is called.
std::string exported_file(const any_model& model, exported_language in);

// Why a model cannot be exported, and what to take instead; empty where it can.
std::string why_not_exported(const any_model& model);

// The text of the file. `version` is that of this program. Throws asperity::error where the model
// cannot be exported or its parameters do not fit together.
std::string export_model(const any_model& model, exported_language in, const std::string& version);

}  // namespace asperity
