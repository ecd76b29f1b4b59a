// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass pulled by a spring whose end moves, m v' = force(t) - k (x - anchor(t)) - c v - f: all of
// sliding_mass.

#include <asperity/mechanics/sliding_system.hpp>
