// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/curve/stribeck_exponential.hpp>

TEST(stribeck_exponential, Compiles) {
  EXPECT_EQ(asperity::stribeck_exponential<double>::states,
            asperity::stribeck_exponential<float>::states);
}
