// SPDX-License-Identifier: Apache-2.0
#pragma once

// Grains dropped into a box: what `discs` and `spheres` share.

#include <asperity/mechanics/grains.hpp>
#include <asperity/mechanics/system_row.hpp>

namespace asperity {

std::shared_ptr<system> build_grains(system_builder&, const char* kind, bool flat);

}  // namespace asperity
