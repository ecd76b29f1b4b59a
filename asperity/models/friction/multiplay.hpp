// SPDX-License-Identifier: Apache-2.0
#pragma once

// Multiplay: masses that the input drags along through springs with dead zones. Rate dependent; as
// the motion slows down its loops become those of maxwell_slip with the same k_i and Delta_i.
//
//   m_i x_i_ddot + c_i x_i_dot + k_i d_i(x_i - x) = 0       mass i = 1 ... N                [N]
//   d_i(e) = e - sat(Delta_i load, e)                       dead zone of width 2 Delta_i load
//   f = sum k_i (x - x_i)                                   output                          [N]
//   energy sum (k_i (x - x_i)^2 + m_i x_i_dot^2)/2          of which f is the slope by x    [J]
//
// k_i may be negative where m_i and c_i are, too. The state is x_1 ... x_N, x_1_dot ... x_N_dot.

#include <asperity/lists.hpp>

namespace asperity {

template <scalar S, int Capacity = 20>
struct multiplay {
  int elements = 2;
  vec<S, Capacity> m = lists::all<S, Capacity>(1.0), c = m, k = m;
  vec<S, Capacity> Delta = wide_and_narrow();

  static constexpr int states = 2 * Capacity;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Multiplay", "Drincic 2012 (2.3), (2.4)", odd | continuous);
    card.elements("elements", elements, Capacity, "number of masses");
    card.list("m", m, kilogram, any_value, "mass, of the sign of k");
    card.list("c", c, newton * second / metre, any_value, "damping, of the sign of k");
    card.list("k", k, newton / metre, any_value, "stiffness, not 0");
    card.list("Delta", Delta, metre, positive, "half width of the dead zone");
    card.state_list("x", metre, "position of the mass");
    card.state_list("v", metre / second, "velocity of the mass");
  }

  ASPERITY_FN int active_states() const { return 2 * elements; }

  ASPERITY_FN response<S, states> operator()(const vec<S, states>& state,
                                             const drive<S>& in) const {
    response<S, states> out;
    vec<S, Capacity> f;
    for (int i = 0; i < elements; ++i) {
      const S behind = in.x - state[i], x_i_dot = state[elements + i];
      const S pull = behind - math::sat<S>(Delta[i] * in.load, behind);
      out.rate[i] = x_i_dot;
      out.rate[elements + i] = (k[i] * pull - c[i] * x_i_dot) / m[i];
      f[i] = k[i] * behind;
    }
    out.f = lists::sum(f, elements);
    return out;
  }

  // Below 0 where k_i is.
  ASPERITY_FN S stored_energy(const vec<S, states>& state, const drive<S>& in) const {
    vec<S, Capacity> twice;
    for (int i = 0; i < elements; ++i)
      twice[i] =
          k[i] * math::square<S>(in.x - state[i]) + m[i] * math::square<S>(state[elements + i]);
    return lists::sum(twice, elements) * lit<S>(0.5);
  }

  ASPERITY_FN vec<S, states> state_scale() const {
    vec<S, states> scale;
    for (int i = 0; i < elements; ++i) {
      scale[i] = Delta[i];
      scale[elements + i] = Delta[i] * k[i] / c[i];
    }
    return scale;
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    for (int i = 0; i < elements; ++i)
      if (!(S(0) < m[i] * k[i] && S(0) < c[i] * k[i]))
        return {validity::refused, "m, c and k of an element must have the same sign"};
    return {};
  }

 private:
  static ASPERITY_FN vec<S, Capacity> wide_and_narrow() {
    vec<S, Capacity> result = lists::ladder<S, Capacity>(0.8, 0.6);
    result[1] = lit<S>(0.2);
    return result;
  }
};

}  // namespace asperity
