// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass that may touch a surface by a contact that is linear while they touch, held by a linear spring
// and a damper, under inputs in closed form; x is the gap:
//
//   m x'' + c x' + k x = u(t) + f
//
// Between two events, at which they touch or part, its motion is known in closed form
// (contact_flow.hpp).

#include <asperity/contact_element.hpp>
#include <asperity/integrate/linear_mass.hpp>

namespace asperity {

struct linear_contact {
  linear_mass body;  // without friction; loads are not looked at
  contact_element contact;
};

}  // namespace asperity
