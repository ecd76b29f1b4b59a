// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/coulomb.hpp>

TEST(coulomb, Compiles) {
  EXPECT_EQ(asperity::coulomb<double>::states, asperity::coulomb<float>::states);
}
