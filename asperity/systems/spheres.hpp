// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many spheres dropped into a box: `grains`.

#include <asperity/mechanics/grains_system.hpp>
