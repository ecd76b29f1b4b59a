// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass that slides on friction whose elements are linear between stick and slip (elements.hpp),
// held by a linear spring and a damper, under inputs in closed form:
//
//   m x'' + c x' + k x + f = u(t)
//
// Between two events, at which an element begins to slip or to stick, its motion is known in closed
// form (exact_flow.hpp).

#include <asperity/elements.hpp>
#include <vector>

namespace asperity {

struct linear_mass {
  double m = 1, k = 0, c = 0;  // [kg], [N/m], [N s/m]; none is below 0, nor is the friction's
  double belt = 0;             // [m/s]: x is counted from a ground that moves with this speed
  element_list friction = {};

  // u(t) = offset + slope (t - from) + the sum of amplitude sin(omega t + phase), from `from` until
  // the next piece begins; limits of the friction are relative to the load.
  struct tone {
    double amplitude = 0, omega = 0, phase = 0;  // [N], [rad/s], [rad]
  };
  struct piece {
    double from = 0;               // [s]
    double offset = 0, slope = 0;  // [N], [N/s]
    double load = 1;
    int first_tone = 0, tones = 0;
  };
  std::vector<piece> pieces = {};  // in the order of time; before the first, the first holds
  std::vector<tone> tones = {};
};

}  // namespace asperity
