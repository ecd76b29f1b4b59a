// SPDX-License-Identifier: Apache-2.0
#pragma once

// A magnetostrictive actuator (Drincic 2012, 5.5): current to field, field to magnetisation by a
// generalised Prandtl-Ishlinskii operator, magnetisation to length by a quadratic law that makes a
// butterfly of the loop; and the least-squares fit of that operator.

#include <asperity/models/hysteresis/generalised_prandtl_ishlinskii.hpp>
#include <atomic>
#include <cmath>
#include <vector>

namespace asperity {

struct magnetostrictive_actuator {
  double M_s = 7.87e5;         // saturation of the magnetisation [A/m]
  double L_rod = 5.13e-2;      // length of the rod [m]
  double c_0 = 1.54e4;         // coil factor [1/m]
  double lambda_s = 1.313e-3;  // saturation of the magnetostriction
  double H_bias = 1.23e4;      // bias field [A/m]
  double b_1 = 0;              // magnetostriction at M = 0

  double a_1() const { return lambda_s / (M_s * M_s); }
  double field(double current) const { return c_0 * current + H_bias; }      // (5.20)
  double magnetostriction(double M) const { return a_1() * M * M + b_1; }    // (5.19)
  double elongation(double M) const { return L_rod * magnetostriction(M); }  // (5.18)
  // (5.21), the root of the given sign; 0 below b_1.
  double magnetisation(double elongation_, double sign) const {
    return std::copysign(std::sqrt(std::max(0.0, (elongation_ / L_rod - b_1) / a_1())), sign);
  }
};

struct operator_fit {
  generalised_prandtl_ishlinskii<double> model;
  double rms = 0;  // of what is left
  double first_rms = 0;
  int iterations = 0;
  bool converged = false;
};

// (5.27): c_1, c_2, c_3, rho, tau, q and beta that follow the record best, from those of `start`,
// by Levenberg and Marquardt's method. c_0 is kept: envelope, thresholds and weights can be scaled
// against each other without any change of the output, so only seven of the eight parameters of the
// table can be known. Throws asperity::error for records shorter than 8 rows.
operator_fit fit_operator(const std::vector<double>& x, const std::vector<double>& y,
                          const generalised_prandtl_ishlinskii<double>& start,
                          int most_iterations = 200);

}  // namespace asperity
