// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/identify/least_squares.hpp>

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

}  // namespace
}  // namespace asperity
