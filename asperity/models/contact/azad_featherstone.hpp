// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sphere on ground that is full of springs and dampers, z being the indentation (minus the gap):
//
//   f = max(0, K_n z^(3/2) + D_n z^(1/2) z_dot) where z > 0, otherwise 0                [N]
//
// The source prints it without the max, and pulls at a sphere that leaves faster than K_n z/D_n.

#include <asperity/model.hpp>

namespace asperity {

template <scalar S>
struct azad_featherstone {
  S K_n = lit<S>(8.5e6), D_n = lit<S>(3.1e3);

  static constexpr int states = 0;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Azad-Featherstone contact",
               "Azad and Featherstone 2010, ACRA; Xia 2012 (2.11), corrected",
               passive | continuous | never_pulls);
    card.parameter("K_n", K_n, newton / power(metre, 1.5), positive, "stiffness");
    card.parameter("D_n", D_n, newton * second / power(metre, 1.5), non_negative, "damping");
  }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>& in) const {
    const S zero = lit<S>(0.0), z = -in.x, z_dot = -in.v;
    // Apart, the root is taken of something harmless: its slope at 0 is infinite.
    const S root = math::sqrt<S>(math::select(zero < in.x, lit<S>(1.0), z));
    const S f = root * math::max<S>(zero, K_n * z + D_n * z_dot);
    return {math::select(zero < in.x, zero, f), {}};
  }

  ASPERITY_FN S stored_energy(const vec<S, 0>&, const drive<S>& in) const {
    const S z = math::max<S>(lit<S>(0.0), -in.x);
    return K_n * z * math::power<S>(z, lit<S>(1.5)) / lit<S>(2.5);
  }
};

}  // namespace asperity
