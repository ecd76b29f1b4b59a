// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nonlinear least squares in a box: Ceres where the library was built with it, otherwise a plain
// Levenberg-Marquardt of our own, which is also what tests compare it with.

#include <Eigen/Dense>
#include <functional>

namespace asperity {

using row_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct least_squares_problem {
  Eigen::Index residuals = 0;
  Eigen::VectorXd lower, upper;  // of the unknowns
  // Residuals, and derivatives where `jacobian` is not null. False: it has no value there.
  std::function<bool(const Eigen::VectorXd& u, Eigen::VectorXd& residual, row_matrix* jacobian)>
      evaluate;
  std::function<bool()> stops = {};  // asked after each iteration
  int max_iterations = 100;
  double tolerance = 1e-10;  // relative change of the cost
  // A relative change that is not worth a step, where steps bring less than a quarter of what the
  // slopes promise: residuals with kinks, or slopes that are rough. 0: every change is.
  double negligible = 0;
};

struct least_squares_result {
  Eigen::VectorXd u;
  double cost = 0;  // half of the sum of squares
  int iterations = 0;
  enum class ending { converged, iteration_limit, stopped, failed } how = ending::failed;
};

// R of the QR decomposition of the matrix (J r): square, with zeros below the diagonal. |R x| is
// |J x_1..n + r x_n+1| for every x.
Eigen::MatrixXd triangle_of(const row_matrix& jacobian, const Eigen::VectorXd& r);

bool has_ceres();
least_squares_result solve_least_squares(const least_squares_problem&,
                                         const Eigen::VectorXd& start);
// Without Ceres.
least_squares_result solve_by_levenberg_marquardt(const least_squares_problem&,
                                                  const Eigen::VectorXd& start);
// The same with few derivatives, where they cost much more than residuals: between them slopes follow what the
// steps show (Broyden's update). It ends where new slopes promise no more than the tolerance. `slopes`
// are those at or near the start, none where it has no columns; behind it they are those near the end.
least_squares_result solve_by_secants(const least_squares_problem&, const Eigen::VectorXd& start,
                                      row_matrix& slopes);

}  // namespace asperity
