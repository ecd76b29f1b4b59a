// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a law of contact is made of, where it is linear while the bodies touch. p is the gap:
//
//   filtered   f = K G, G = e + beta e_dot;  pressed: e_dot = -(p + e)/alpha while G > 0
//              in flight: e_dot = -e/beta while p + e (1 - alpha/beta) > 0
//   jumping    f = -K p - B p_dot where p <= 0, which may pull
//   clamped    the same, cut at 0 where it would pull
//
// asperity/models/contact_elements.hpp says which models are one.

namespace asperity {

struct contact_element {
  enum class law { filtered, jumping, clamped } kind = law::filtered;
  double K = 0, B = 0;         // [N/m], [N s/m]
  double alpha = 0, beta = 0;  // [s], of a filtered one
  // What keeps its flow from a closed form as its parameters are; empty where nothing does.
  const char* not_linear = "";
};

}  // namespace asperity
