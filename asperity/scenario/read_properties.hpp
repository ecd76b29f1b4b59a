// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asperity/scenario/system_kinds.hpp>

namespace asperity {

// The properties of a friction model as columns of a run, 1 for yes and 0 for no, so that claims
// can be made about them.
std::shared_ptr<system> read_model_properties(const system_context&);

}  // namespace asperity
