// SPDX-License-Identifier: Apache-2.0
#pragma once

// The end of an implicit step of a body under Coulomb friction with any limit surface K, exact in
// sticking and sliding. Friction is known by what it does in motion: c(t), the point of K (for
// F_c = 1) whose normal is the twist t = G u. The step is
//
//   M (u - u_free)/h + F G' c(G u) = 0,  or u = 0 where M u_free/h lies in F G' K
//
// which is the minimum of a convex function. Both questions are asked of directions y of u alone,
// in coordinates in which M/h is 1: it sticks if free.y <= F c(y).y for all of them; if not, u has
// the direction that makes (free - F c(y)).y/|y| greatest. Each has one maximum, found by Newton's
// method on a sphere.

#include <asperity/planar.hpp>
#include <functional>

namespace asperity {

struct coulomb_stage {
  vec<double, 3> inertia;  // M
  vec<double, 3> map[3];   // rows of G, which has an inverse
  vec<double, 3> u_free;   // velocities without friction
  double h;
  double hold, slide;  // F that is not moved, and F in motion; hold >= slide
};
using support_function = std::function<wrench<double>(const twist<double>&)>;

// False where no balance to a millionth of the friction was found.
bool solve_coulomb_stage(const coulomb_stage&, const support_function&, vec<double, 3>& u);

}  // namespace asperity
