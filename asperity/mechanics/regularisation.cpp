// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/integrate/stability.hpp>
#include <asperity/mechanics/regularisation.hpp>
#include <cmath>

namespace asperity {

namespace regularisation {

namespace {

step_limits limits_of(const std::vector<std::complex<double>>& modes) {
  return {longest_stable_step(modes, amplification_of_euler),
          longest_stable_step(modes, amplification_of_rk4)};
}

}  // namespace

double stiffest_contact(const contact_shape& shape, double mass, double h) {
  const double omega = steps_per_alpha * shape.beta_omega * shape.ratio / h;
  return mass * omega * omega;
}

double stiffest_stick(double mass, double h) {
  return mass * (steps_of_stick / h) * (steps_of_stick / h);
}

step_limits stable_steps_of_contact(double mass, double K, double beta, double alpha) {
  // alpha s^3 + s^2 + omega^2 beta s + omega^2 = 0, as its companion matrix.
  const double square = K / mass;
  const double companion[] = {0,         1, 0, 0, 0, 1, -square / alpha, -square * beta / alpha,
                              -1 / alpha};
  std::vector<std::complex<double>> modes = modes_of(companion);
  modes.emplace_back(-1 / beta, 0);
  return limits_of(modes);
}

step_limits stable_steps_of_stick(double mass, double K, double beta) {
  // s^2 + omega^2 beta s + omega^2 = 0.
  const double half = 0.5 * beta * K / mass;
  const std::complex<double> root = std::sqrt(std::complex<double>(half * half - K / mass, 0));
  return limits_of({-half + root, -half - root, {-1 / beta, 0}});
}

}  // namespace regularisation

double transmission_of_stick(double beta_omega, double w_over_omega) {
  const double c2 = beta_omega * beta_omega;
  // It rises up to this s, and falls beyond.
  const double peak = (std::sqrt(1 + 2 * c2) - 1) / c2;
  const double s = std::min(peak, w_over_omega * w_over_omega);
  return std::sqrt((1 + c2 * s) / ((1 - s) * (1 - s) + c2 * s));
}

}  // namespace asperity
