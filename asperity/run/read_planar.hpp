// SPDX-License-Identifier: Apache-2.0
#pragma once

// [system] kind = "planar_body", "gripped_object" and "planar_motion", with [friction] and [patch]
// (docs/planar.md).

#include <asperity/patch/contact_patch.hpp>
#include <asperity/run/system_context.hpp>

namespace asperity {

std::shared_ptr<system> read_planar_body(const system_context&);
std::shared_ptr<system> read_gripped_object(const system_context&);
std::shared_ptr<system> read_planar_motion(const system_context&);

// The contact in a table [patch].
contact_patch read_patch(reader& table, const input_files& files);

}  // namespace asperity
