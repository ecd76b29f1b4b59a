// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/dai.hpp>

TEST(dai, Compiles) { EXPECT_EQ(asperity::dai<double>::states, asperity::dai<float>::states); }
