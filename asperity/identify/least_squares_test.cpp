// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/identify/least_squares.hpp>
#include <cmath>
#include <set>
#include <vector>

namespace asperity {
namespace {

// The triangle of (J r) has the Gram matrix of (J r), whatever the number of rows.
TEST(least_squares, TheTriangleHasTheSameProducts) {
  for (const Eigen::Index rows : {1, 5, 6, 47, 48, 49, 1000})
    for (const Eigen::Index columns : {1, 5, 40}) {
      std::srand(static_cast<unsigned>(rows + columns));
      row_matrix j = row_matrix::Random(rows, columns);
      const Eigen::VectorXd r = Eigen::VectorXd::Random(rows);
      if (columns > 2) j.col(2).setZero();  // a number without influence
      const Eigen::MatrixXd small = triangle_of(j, r);
      ASSERT_EQ(small.rows(), columns + 1);
      ASSERT_EQ(small.cols(), columns + 1);
      Eigen::MatrixXd whole(rows, columns + 1);
      whole << j, r;
      const double off =
          (small.transpose() * small - whole.transpose() * whole).cwiseAbs().maxCoeff();
      EXPECT_LT(off, 1e-12 * static_cast<double>(rows)) << rows << " x " << columns;
      for (Eigen::Index i = 0; i < small.rows(); ++i)
        for (Eigen::Index k = 0; k < i; ++k) EXPECT_EQ(small(i, k), 0);
    }
}

// Columns that are nearly the same stay apart, as they would not in J^T J.
TEST(least_squares, TheTriangleKeepsNearlyParallelColumnsApart) {
  row_matrix j(200, 2);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(200);
  for (Eigen::Index i = 0; i < 200; ++i) {
    j(i, 0) = 1;
    j(i, 1) = 1 + 1e-10 * (i % 2 == 0 ? 1.0 : -1.0);
  }
  const Eigen::MatrixXd small = triangle_of(j, r);
  EXPECT_NEAR(std::abs(small(1, 1)), 1e-10 * std::sqrt(200.0), 1e-14);
}

using solver = least_squares_result (*)(const least_squares_problem&, const Eigen::VectorXd&);

// The banana of Rosenbrock in a box: slopes, which are what costs, are asked for once at a point.
TEST(least_squares, SlopesAreTakenOnceAtAPoint) {
  for (const solver solve : {solver(solve_least_squares), solver(solve_by_levenberg_marquardt)}) {
    least_squares_problem p;
    p.residuals = 2;
    p.lower = Eigen::Vector2d(-3, -3);
    p.upper = Eigen::Vector2d(3, 3);
    std::multiset<std::pair<double, double>> asked;
    p.evaluate = [&](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
      r << 10 * (u[1] - u[0] * u[0]), 1 - u[0];
      if (j == nullptr) return true;
      asked.insert({u[0], u[1]});
      *j << -20 * u[0], 10, -1, 0;
      return true;
    };
    const auto found = solve(p, Eigen::Vector2d(-1.2, 1));
    EXPECT_EQ(found.how, least_squares_result::ending::converged);
    EXPECT_NEAR(found.u[0], 1, 1e-6);
    EXPECT_NEAR(found.u[1], 1, 1e-6);
    for (const auto& point : asked) EXPECT_EQ(asked.count(point), 1U) << point.first;
  }
}

// Residuals that carry a noise of their own: the mean is found, and not looked for below the noise.
TEST(least_squares, RoughResidualsEndTheSearch) {
  for (const solver solve : {solver(solve_least_squares), solver(solve_by_levenberg_marquardt)}) {
    const auto evaluations_with = [&](double negligible) {
      constexpr int n = 1000;
      least_squares_problem p;
      p.residuals = n;
      p.lower = Eigen::VectorXd::Constant(1, -100);
      p.upper = Eigen::VectorXd::Constant(1, 100);
      p.tolerance = 1e-12;
      p.negligible = negligible;
      int evaluations = 0;
      double mean = 0;
      for (int i = 0; i < n; ++i) mean += std::sin(i * 1.7) / n;
      p.evaluate = [&](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
        ++evaluations;
        for (int i = 0; i < n; ++i)
          r[i] = u[0] - std::sin(i * 1.7) + 3e-4 * std::sin(1e9 * u[0] + i * i * 0.37);
        if (j != nullptr) j->setOnes();
        return true;
      };
      const auto found = solve(p, Eigen::VectorXd::Constant(1, 30));
      EXPECT_EQ(found.how, least_squares_result::ending::converged);
      EXPECT_NEAR(found.u[0], mean, 0.2 * std::sqrt(0.5 / n));  // a fifth of its standard error
      return evaluations;
    };
    EXPECT_LT(evaluations_with(0.02 / 1000), 14);
  }
}

}  // namespace
}  // namespace asperity
