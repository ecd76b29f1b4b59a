// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a law of friction is made of, where it is linear between stick and slip: elements side by side,
// each a spring and a damper in series with a slider, and a slider and a damper without a spring.
//
//   element i sticks:  a_i_dot = v,  f_i = kappa_i a_i + sigma_i v,  while |f_i| < limit_i load
//   element i slips:   f_i = s limit_i load, s = +-1;  sigma_i a_i_dot = f_i - kappa_i a_i
//   slider:            f in slider load Sgn(v); at rest it holds up to (slider + grip) load
//   f = f_1 + ... + f_N + slider + viscous v                                             [N]
//
// A model states them next to its equations, by a member that the library finds by itself:
//
//   element_list made_of() const requires std::floating_point<S>

namespace asperity {

struct element_list {
  static constexpr int most = 32;
  struct element {
    double kappa = 0, sigma = 0, limit = 0;  // [N/m], [N s/m], [N] under the load 1
  };
  int count = 0;
  element of[most] = {};
  bool has_slider = false;
  double slider = 0, grip = 0;  // [N] under the load 1
  double viscous = 0;           // [N s/m], whatever the load
  // Where the states of the elements begin, and whether they are the positions x - a_i of the
  // sliders instead of the deflections a_i.
  int first_state = 0;
  bool are_positions = false;
  // What is not linear about the law as its parameters are; empty where all is.
  const char* not_linear = "";
};

}  // namespace asperity
