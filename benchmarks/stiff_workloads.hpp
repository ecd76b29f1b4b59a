// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two stiff motions with their exact derivatives: what stiff_bench times is what the test of the
// method checks.
//
//   stick_slip   a mass pulled by a spring at 0.1 m/s over LuGre friction
//   shaken_mass  a mass on a spring, forced at 1 Hz over DAI friction
//   ten_elements the same over ten elements of other stiffnesses
//   bouncing_ball  a ball that falls on DAI contact and comes to rest there

#include <asperity/integrate/linear_contact.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/contact_elements.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <cmath>

namespace asperity::stiff_workloads {

template <class S>
struct steady_pull : no_inputs<S> {
  S anchor(const S& t) const { return lit<S>(0.1) * t; }
};
template <class S>
struct shaken : no_inputs<S> {
  S force(const S& t) const { return lit<S>(2.0) * math::sin<S>(lit<S>(2 * M_PI) * t); }
};

using four = dual<double, 4>;
template <class Plain, class Dual>
auto with_duals(const Plain& plain, const Dual& in_dual) {
  return differentiated<Plain, four, Dual>{plain, in_dual};
}

template <class S>
auto stick_slip_in() {
  sliding_mass<S, lugre<S>, steady_pull<S>> mass;
  mass.k = lit<S>(1.0);
  return mass;
}
inline auto stick_slip() { return with_duals(stick_slip_in<double>(), stick_slip_in<four>()); }

template <class S>
auto shaken_mass_in(double K, double beta) {
  sliding_mass<S, dai<S>, shaken<S>> mass;
  mass.k = lit<S>(50.0);
  mass.c = lit<S>(0.5);
  mass.friction = {lit<S>(K), lit<S>(1.0), lit<S>(beta)};
  return mass;
}
inline auto shaken_mass(double K, double beta) {
  return with_duals(shaken_mass_in<double>(K, beta), shaken_mass_in<four>(K, beta));
}

inline auto ten_elements(double K, double beta) {
  sliding_mass<double, dai_multistate<double, stribeck_exponential<double>, 10>, shaken<double>>
      mass;
  mass.k = 50;
  mass.c = 0.5;
  auto& f = mass.friction;
  for (int i = 0; i < 10; ++i) {
    f.kappa[i] = K / (i + 1);
    f.sigma[i] = beta * f.kappa[i];
  }
  f.tau_d = 0;
  f.g.F_c = f.g.F_s = 1;
  return mass;
}

// As the method `exact` takes them: the same force in closed form.
template <class Mass>
linear_mass as_linear_mass(const Mass& mass) {
  linear_mass result{.m = mass.m, .k = mass.k, .c = mass.c, .friction = mass.friction.made_of()};
  result.tones = {{2, 2 * M_PI, 0}};
  result.pieces = {{.tones = 1}};
  return result;
}

template <class S>
struct weight : no_inputs<S> {
  S force(const S&) const { return lit<S>(-9.81); }
};
constexpr double height_of_fall = 0.5;
inline auto bouncing_ball(double K, double beta) {
  return bouncing_mass<double, dai_contact<double>, weight<double>>{
      .contact = {.K = K, .beta = beta, .alpha = 0.3 * beta}};
}
template <class Ball>
linear_contact as_linear_contact(const Ball& ball) {
  linear_contact result;
  result.contact = pressed_as(ball.contact);
  result.body.m = ball.m;
  result.body.pieces = {{.offset = ball.inputs.force(0)}};
  return result;
}

}  // namespace asperity::stiff_workloads
