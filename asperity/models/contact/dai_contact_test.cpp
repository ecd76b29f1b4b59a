// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/contact/dai_contact.hpp>

TEST(dai_contact, Compiles) {
  EXPECT_EQ(asperity::dai_contact<double>::states, asperity::dai_contact<float>::states);
}
