// SPDX-License-Identifier: Apache-2.0
#pragma once

// The keys of the planar systems, as read_planar.cpp reads them.

#include <asperity/mechanics/system_row.hpp>

namespace asperity {

enum class planar_kind { body, gripped, moved };
void list_planar_keys(system_builder&, planar_kind);

}  // namespace asperity
