// SPDX-License-Identifier: Apache-2.0
#pragma once

// A rigid body on a plane with friction, pushed by a force and a torque:
//
//   M u' = push(t) - G' f(G u),   q' = u,   q = (x, y, theta) of its centre of mass
//
// It is planar_body of planar_rates.hpp; G and the frictions are in planar_friction.hpp.
// y = (q, u, states of the friction).

#include <asperity/mechanics/planar_keys.hpp>
