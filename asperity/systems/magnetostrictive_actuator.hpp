// SPDX-License-Identifier: Apache-2.0
#pragma once

// A magnetostrictive actuator (Drincic 2012, 5.5): current to field, field to magnetisation by a
// generalised Prandtl-Ishlinskii operator, magnetisation to length by a quadratic law that makes a
// butterfly of the loop; and the least-squares fit of that operator.

#include <asperity/models/hysteresis/generalised_prandtl_ishlinskii.hpp>
#include <cmath>
#include <vector>

namespace asperity {

struct magnetostrictive_actuator {
  double M_s = 7.87e5;         // saturation of the magnetisation [A/m]
  double L_rod = 5.13e-2;      // length of the rod [m]
  double c_0 = 1.54e4;         // coil factor [1/m]
  double lambda_s = 1.313e-3;  // saturation of the magnetostriction
  double H_bias = 1.23e4;      // bias field [A/m]
  double b_1 = 0;              // magnetostriction at M = 0 ...
  double b_2 = 0;              // ... while the field falls, where that is another one
  double M_closed = 7.87e5;    // where both laws meet [A/m]

  double a_1() const { return lambda_s / (M_s * M_s); }
  double a_2() const { return a_1() + (b_1 - b_2) / (M_closed * M_closed); }
  double field(double current) const { return c_0 * current + H_bias; }  // (5.20)
  // (5.19), and (5.22) while the field falls.
  double magnetostriction(double M, bool falling = false) const {
    return falling ? a_2() * M * M + b_2 : a_1() * M * M + b_1;
  }
  double elongation(double M, bool falling = false) const {  // (5.18)
    return L_rod * magnetostriction(M, falling);
  }
  // (5.21), the root of the given sign; 0 below b_1 (b_2).
  double magnetisation(double elongation_, double sign, bool falling = false) const {
    const double lambda = elongation_ / L_rod;
    return std::copysign(
        std::sqrt(std::max(0.0, falling ? (lambda - b_2) / a_2() : (lambda - b_1) / a_1())), sign);
  }
};

// The magnetisation behind a whole record of field and elongation: of the two roots the one with
// which M rises and falls with H. At a row beside the least elongation, where either may be meant,
// the one that makes the steps before and after it most alike.
std::vector<double> unfold_record(const magnetostrictive_actuator&, const std::vector<double>& H,
                                  const std::vector<double>& elongation);

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
