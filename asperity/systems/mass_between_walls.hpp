// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass that flies or slides between two walls, pushed by a force:
//
//   m v' = force(t) - f + f_left - f_right,   x' = v
//
// f_left is the contact force at the gap x - left, f_right at the gap right - x, f the friction.
// y = (x, v, states of the left contact, of the right contact, of the friction).

#include <asperity/systems/energy_books.hpp>
#include <asperity/systems/sliding_mass.hpp>

namespace asperity {

// A surface that does not resist.
template <class S>
struct no_friction {
  static constexpr int states = 0;
  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>&) const { return {}; }
};

template <class S, class Contact, class Friction = no_friction<S>, class Inputs = no_inputs<S>>
struct mass_between_walls {
  Contact contact;
  Friction friction = {};
  S m = lit<S>(1.0), left = lit<S>(-1.0), right = lit<S>(1.0);
  Inputs inputs = {};

  static constexpr int capacity = 2 + 2 * state_capacity<Contact> + state_capacity<Friction>;
  ASPERITY_FN int right_states() const { return 2 + state_count(contact); }
  ASPERITY_FN int friction_states() const { return 2 + 2 * state_count(contact); }
  ASPERITY_FN int size() const { return friction_states() + state_count(friction); }

  ASPERITY_FN drive<S> left_gap(const S* y) const { return {y[0] - left, y[1]}; }
  ASPERITY_FN drive<S> right_gap(const S* y) const { return {right - y[0], -y[1]}; }

  struct forces {
    S left, right, friction;
  };
  ASPERITY_FN forces respond_at(const S& t, const S* y, S* rate) const {
    const int r = right_states(), f = friction_states();
    return {respond(contact, y + 2, left_gap(y), rate + 2),
            respond(contact, y + r, right_gap(y), rate + r),
            respond(friction, y + f, {y[0], y[1], inputs.load(t)}, rate + f)};
  }

  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    const forces f = respond_at(t, y, rate);
    rate[0] = y[1];
    rate[1] = (inputs.force(t) - f.friction + f.left - f.right) / m;
  }
};

}  // namespace asperity
