// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <string>
#include <utility>

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

// What is printed is read again as the same.
TEST(quantity, IsWrittenAsEngineersDo) {
  using namespace units;
  const std::pair<unit, const char*> all[] = {
      {one, "-"},
      {radian, "rad"},
      {radian / second, "rad/s"},
      {one / second, "1/s"},
      {joule, "J"},
      {watt, "W"},
      {newton / metre, "N/m"},
      {newton * second / metre, "N s/m"},
      {kilogram / power(metre, 3), "kg/m^3"},
      {kilogram * power(metre, 2), "kg m^2"},
      {torque, "N m"},
      {moment_of_inertia, "kg m^2"},
      {rotary(newton / metre), "N m/rad"},
      {rotary(newton * second / metre), "N m s/rad"},
      {rotary(newton / power(metre, 1.5)), "N m/rad^1.5"},
      {rotary(metre / (second * second)), "rad/s^2"},
      {rotary(one / newton), "1/N/m"},
      // Energies stay, and so does what is rotary already; a length swallows its angle.
      {rotary(joule), "J"},
      {rotary(watt), "W"},
      {rotary(rotary(newton)), "N m"},
      {torque * radian, "J"},
      {metre * radian, "m"}};
  for (const auto& [in, text] : all) {
    EXPECT_EQ(to_string(in), text);
    if (!(in == one)) {
      EXPECT_TRUE(parse_quantity(std::string("2 ") + text).in == in) << text;
      EXPECT_EQ(to_string(parse_quantity(std::string("2 ") + text).in), text);
    }
  }
}

TEST(quantity, OfRotationIsKnownByItsWords) {
  EXPECT_DOUBLE_EQ(in_si("90 deg", units::radian), 1.5707963267948966);
  EXPECT_DOUBLE_EQ(in_si("3000 rpm", units::radian / units::second), 314.1592653589793);
  EXPECT_DOUBLE_EQ(in_si("2 mN m", units::torque), 2e-3);
  EXPECT_DOUBLE_EQ(in_si("2 kN mm", units::torque), 2);
  EXPECT_DOUBLE_EQ(in_si("5 g cm^2", units::moment_of_inertia), 5e-7);
  EXPECT_DOUBLE_EQ(in_si("0.1 N m/deg", rotary(units::newton / units::metre)),
                   18 / 3.141592653589793);
  EXPECT_THROW(in_si("0.3 N", units::torque), error);
  EXPECT_THROW(in_si("0.3 N m", units::newton), error);
  EXPECT_THROW(in_si("1 mm", units::radian), error);
  // 50 Hz are 314 rad/s: neither is taken for the other.
  EXPECT_THROW(in_si("50 Hz", units::radian / units::second), error);
  EXPECT_THROW(in_si("50 rad/s", units::one / units::second), error);
  EXPECT_THROW(in_si("50 rpm", units::one / units::second), error);
  EXPECT_DOUBLE_EQ(in_si("50 1/s", units::radian / units::second), 50);
}

TEST(quantity, WhatIsNoneIsRefused) {
  for (const char* text : {"", "N", "5 furlong", "5 N^", "nan", "inf", "5 N^x", "1 g^inf",
                           "1 g^-inf", "1 g^nan", "1 m^101", "1 m^1e300", "1e300 km^50"})
    EXPECT_THROW(parse_quantity(text), error) << text;
  EXPECT_NO_THROW(parse_quantity("1 m^0.5"));
}

}  // namespace
}  // namespace asperity
