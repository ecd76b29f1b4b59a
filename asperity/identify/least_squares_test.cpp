// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/identify/least_squares.hpp>
#include <cmath>
#include <limits>
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

// Models that run off have values and slopes that overflow. The solver takes no such step, ignores such a
// slope, and prints nothing of its own.
TEST(least_squares, WhatOverflowsIsPassedOverInSilence) {
  least_squares_problem p;
  p.residuals = 3;
  p.lower = Eigen::VectorXd::Constant(1, -50);
  p.upper = Eigen::VectorXd::Constant(1, 50);
  p.evaluate = [](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
    r << std::exp(u[0]) - std::exp(1.0), u[0] > 8 ? 1e200 : 0.1, 0.1;
    if (j != nullptr) *j << std::exp(u[0]), std::numeric_limits<double>::infinity(), -1e300;
    return true;
  };
  ::testing::internal::CaptureStderr();
  const auto found = solve_least_squares(p, Eigen::VectorXd::Constant(1, -2));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(found.how, least_squares_result::ending::converged);
  EXPECT_NEAR(found.u[0], 1, 1e-6);
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

// Between slopes that are asked for it follows what its steps show. Slopes that are wrong at the start cost
// steps, not the result: it ends where new ones promise nothing.
TEST(least_squares, FewSlopesLeadToTheSamePlace) {
  constexpr int n = 60;
  least_squares_problem p;
  p.residuals = n;
  p.lower = Eigen::Vector3d(-20, -20, -20);
  p.upper = Eigen::Vector3d(20, 20, 20);
  p.tolerance = 1e-12;
  int slopes_asked = 0;
  p.evaluate = [&](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
    for (int i = 0; i < n; ++i) {
      const double t = i / 20.0, fall = std::exp(-u[1] * t);
      r[i] = u[0] * fall + u[2] - (3 * std::exp(-0.8 * t) + 0.5 + 0.01 * std::sin(i * 1.7));
      if (j != nullptr) j->row(i) << fall, -t * u[0] * fall, 1;
    }
    slopes_asked += j != nullptr ? 1 : 0;
    return true;
  };
  const Eigen::Vector3d start(1, 2, 0);
  const auto expected = solve_by_levenberg_marquardt(p, start);
  const int asked_before = slopes_asked;
  for (const double wrong : {1.0, 3.0, 0.0}) {
    row_matrix slopes;
    if (wrong != 1) {
      slopes.resize(n, 3);
      Eigen::VectorXd r(n);
      p.evaluate(start, r, &slopes);
      slopes.col(0) *= wrong;
      slopes.col(1) *= -wrong;
      slopes.col(2) *= wrong;
    }
    slopes_asked = 0;
    const auto found = solve_by_secants(p, start, slopes);
    EXPECT_EQ(found.how, least_squares_result::ending::converged);
    EXPECT_LT((found.u - expected.u).norm(), 1e-4);
    EXPECT_LT(slopes_asked, asked_before);
  }
}

// The best step leads out of the box, and what the box leaves of it leads upwards. Along the bound
// the best place is 0.03.
TEST(least_squares, AStepThatTheBoxCutsIsNoEnd) {
  least_squares_problem p;
  p.residuals = 2;
  p.lower = Eigen::Vector2d(-20, 0);
  p.upper = Eigen::Vector2d(20, 20);
  p.evaluate = [](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
    const double c = 0.99, s = std::sqrt(1 - c * c);
    r << (u[0] - 3) + c * (u[1] + 3), s * (u[1] + 3);
    if (j != nullptr) *j << 1, c, 0, s;
    return true;
  };
  row_matrix slopes;
  const auto found = solve_by_secants(p, Eigen::Vector2d(0, 0.1), slopes);
  EXPECT_EQ(found.how, least_squares_result::ending::converged);
  EXPECT_NEAR(found.u[0], 0.03, 1e-4);
  EXPECT_NEAR(found.u[1], 0, 1e-12);
}

// Slopes whose squares overflow promise nothing that can be told: that is no end of a search.
TEST(least_squares, SlopesThatOverflowAreNoEnd) {
  least_squares_problem p;
  p.residuals = 1;
  p.lower = Eigen::VectorXd::Constant(1, -50);
  p.upper = Eigen::VectorXd::Constant(1, 50);
  p.evaluate = [](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
    r << u[0] - 1;
    if (j != nullptr) *j << 1e200;
    return true;
  };
  row_matrix slopes;
  EXPECT_NE(solve_by_secants(p, Eigen::VectorXd::Constant(1, 3), slopes).how,
            least_squares_result::ending::converged);
}

// From a cost of 1e36 to one of 1e-6 in a step: the difference of the two knows nothing of the latter.
TEST(least_squares, TheCostIsThatOfThePlaceFarBelowTheStart) {
  least_squares_problem p;
  p.residuals = 2;
  p.lower = Eigen::VectorXd::Constant(1, -1e7);
  p.upper = Eigen::VectorXd::Constant(1, 1e7);
  p.evaluate = [](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
    r << 1e12 * (u[0] - 1), 1e-3;
    if (j != nullptr) *j << 1e12, 0;
    return true;
  };
  row_matrix slopes;
  const auto found = solve_by_secants(p, Eigen::VectorXd::Constant(1, 1e6), slopes);
  EXPECT_NEAR(found.u[0], 1, 1e-9);
  Eigen::VectorXd r(2);
  ASSERT_TRUE(p.evaluate(found.u, r, nullptr));
  EXPECT_DOUBLE_EQ(found.cost, r.squaredNorm() / 2);
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
