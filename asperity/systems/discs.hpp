// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many discs dropped into a box: `grains` in the plane y = 0.

#include <asperity/mechanics/grains_system.hpp>
