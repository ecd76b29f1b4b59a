// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass above a surface that it may touch: m v' = force(t) + f, x' = v, where x is the gap.
// y = (x, v, states of the contact model).

#include <asperity/mechanics/sliding_mass.hpp>

namespace asperity {

template <class S, class Model, class Inputs = no_inputs<S>>
struct bouncing_mass {
  Model contact;
  S m = lit<S>(1.0);
  Inputs inputs = {};

  static constexpr int capacity = 2 + state_capacity<Model>;
  ASPERITY_FN int size() const { return 2 + state_count(contact); }

  ASPERITY_FN drive<S> drive_at(const S& t, const S* y) const {
    return {y[0], y[1], inputs.load(t)};
  }

  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    const S f = respond(contact, y + 2, drive_at(t, y), rate + 2);
    rate[0] = y[1];
    rate[1] = (inputs.force(t) + f) / m;
  }

  // Each newton of contact force opens the gap by h^2/m at the end of the step.
  ASPERITY_FN void solve_stage(const S& t, const S& h, const S* start, S* y) const
      requires(may_react<Model, S>) {
    const S v_free = start[1] + h * inputs.force(t) / m;
    const S gap_free = start[0] + h * v_free;
    const free_step<S> body{start[0], gap_free, -(h * h / m)};
    const S f = implicit_step(contact, start + 2, inputs.load(t), h, body, y + 2, start[0]).f;
    y[1] = v_free + h * f / m;
    y[0] = start[0] + h * y[1];
  }
};

// The mechanics inside a system, for those who know them; null where it is another one.
class system;
struct signal_inputs;  // asperity/mechanics/signal.hpp
using named_bouncing_mass = bouncing_mass<double, any_model, signal_inputs>;
const named_bouncing_mass* bouncing_mass_in(const system&);

}  // namespace asperity
