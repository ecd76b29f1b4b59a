// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/lugre.hpp>

TEST(lugre, Compiles) {
  EXPECT_EQ(asperity::lugre<double>::states, asperity::lugre<float>::states);
}
