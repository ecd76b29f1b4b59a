// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mean-pivot-angle-based bristle model: one bristle that leans by the average angle of a row of
// pivoting bristles, which is smaller the faster they are passed.
//
//   theta(v) = theta_min + (theta_max - theta_min) exp(-(v/v_s)^2)                       [rad]
//   z_dot    = v - sigma |v| z/(theta(v) load)                                           [m/s]
//   f        = sigma_0 z                                                                 [N]
//
// The load must be above 0.

#include <asperity/bristle.hpp>

namespace asperity {

template <scalar S>
struct mpabm {
  S sigma = lit<S>(1e5), sigma_0 = lit<S>(1e5);
  S theta_min = lit<S>(0.5), theta_max = lit<S>(0.75), v_s = lit<S>(1e-3);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Mean-pivot-angle-based bristle model", "Drincic 2012 (3.84), (3.85)",
               odd | passive | bounded | continuous);
    card.parameter("sigma", sigma, one / metre, positive, "pivot angle per deflection");
    card.parameter("sigma_0", sigma_0, newton / metre, positive, "bristle stiffness");
    card.parameter("theta_min", theta_min, radian, positive, "mean pivot angle in fast sliding");
    card.parameter("theta_max", theta_max, radian, positive, "mean pivot angle in slow sliding");
    card.parameter("v_s", v_s, metre / second, positive, "velocity scale of the drop");
    card.state("z", metre, "mean bristle deflection");
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S z_ss = mean_angle(in.v) * in.load / sigma;
    return {sigma_0 * state[0], {{bristle_rate(state[0], in.v, z_ss)}}};
  }

  // Exponential step, exact at constant velocity and load.
  ASPERITY_FN S advance(vec<S, 1>& state, const drive<S>& from, const drive<S>& to,
                        const S&) const {
    const S load = lit<S>(0.5) * (from.load + to.load);
    const S z_ss = mean_angle(lit<S>(0.5) * (from.v + to.v)) * load / sigma;
    state[0] = bristle_step<S>(state[0], to.x - from.x, z_ss);
    return sigma_0 * state[0];
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{theta_max / sigma}}; }

  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return sigma_0 * math::square(state[0]) * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const {
    return sigma_0 * theta_max * in.load / sigma;
  }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return theta_max < theta_min
               ? validity{validity::refused, "theta_max must be at least theta_min"}
               : validity{};
  }

 private:
  ASPERITY_FN S mean_angle(const S& v) const {
    return theta_min + (theta_max - theta_min) * math::exp<S>(-math::square<S>(v / v_s));
  }
};

}  // namespace asperity
