// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/quantity.hpp>

namespace asperity {
namespace {

TEST(quantity, IsInSiUnits) {
  EXPECT_DOUBLE_EQ(parse_quantity("5 N/um").value, 5e6);
  EXPECT_TRUE(parse_quantity("5 N/um").in == units::newton / units::metre);
  EXPECT_DOUBLE_EQ(parse_quantity("2 mm^2").value, 2e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("3 g m/s^2").value, 3e-3);
  EXPECT_TRUE(parse_quantity("3 g m/s^2").in == units::newton);
  EXPECT_FALSE(parse_quantity("7").has_unit);
}

TEST(quantity, WhatIsNoneIsRefused) {
  for (const char* text : {"", "N", "5 furlong", "5 N^", "nan", "inf", "5 N^x", "1 g^inf",
                           "1 g^-inf", "1 g^nan", "1 m^101", "1 m^1e300", "1e300 km^50"})
    EXPECT_THROW(parse_quantity(text), error) << text;
  EXPECT_NO_THROW(parse_quantity("1 m^0.5"));
}

}  // namespace
}  // namespace asperity
