// SPDX-License-Identifier: Apache-2.0
#pragma once

// The keys of planar_body, gripped_object and planar_motion (docs/planar.md): [friction], [patch],
// inputs, and the body.

#include <asperity/mechanics/planar_system.hpp>
#include <asperity/mechanics/system_row.hpp>

namespace asperity {

// `is_moved`: a contact whose motion is an input, without a body.
std::shared_ptr<system> build_planar(system_builder&, const char* kind, planar_mount,
                                     bool is_moved = false);

// The contact in a table [patch].
contact_patch read_patch(key_builder& table);

}  // namespace asperity
