// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass on a spring that is fixed to a wall, m v' = force(t) - k x - c v - f: sliding_mass with an
// anchor that rests.

#include <asperity/mechanics/sliding_system.hpp>
