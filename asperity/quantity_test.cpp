// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <numbers>
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

// What engineers type, with its value in SI from the definitions of the units.
TEST(quantity, IsReadAsEngineersTypeIt) {
  using namespace units;
  constexpr double pi = 3.141592653589793;
  struct typed {
    const char* text;
    double value;
    unit in;
  };
  const unit speed = metre / second, turn = radian / second;
  const unit pascal = newton / (metre * metre), stiffness = rotary(newton / metre);
  const typed all[] = {{"5 mrad", 5e-3, radian},
                       {"5 urad", 5e-6, radian},
                       {"5 µrad", 5e-6, radian},
                       {"5 μrad", 5e-6, radian},
                       {"5 nrad", 5e-9, radian},
                       {"2 mrad/s", 2e-3, turn},
                       {"2 krad/s", 2e3, turn},
                       {"2 mrad/s^2", 2e-3, turn / second},
                       {"180 deg/s", pi, turn},
                       {"180 °/s", pi, turn},
                       {"90°", pi / 2, radian},
                       {"180 mdeg", pi / 1000, radian},
                       {"60 arcmin", pi / 180, radian},
                       {"3600 arcsec", pi / 180, radian},
                       {"30 rpm", pi, turn},
                       {"30 rev/min", pi, turn},
                       {"2 kN m", 2e3, torque},
                       {"2 N mm", 2e-3, torque},
                       {"2 mN m", 2e-3, torque},
                       {"2 uN m", 2e-6, torque},
                       {"2 N*m", 2, torque},
                       {"2 N·m", 2, torque},
                       {"2 Nm", 2, torque},
                       {"2 mNm", 2e-3, torque},
                       {"2 kNm", 2e3, torque},
                       {"2 Nmm", 2e-3, torque},
                       {"2 Ncm", 2e-2, torque},
                       {"2 Nm/mrad", 2e3, stiffness},
                       {"2 N m/deg", 360 / pi, stiffness},
                       {"2 Nm s/rad", 2, rotary(newton * second / metre)},
                       {"7 g cm^2", 7e-7, moment_of_inertia},
                       {"7 g cm²", 7e-7, moment_of_inertia},
                       {"7 kg m²", 7, moment_of_inertia},
                       {"7 kg·m²", 7, moment_of_inertia},
                       {"7 mg", 7e-6, kilogram},
                       {"7 t", 7e3, kilogram},
                       {"3 MN", 3e6, newton},
                       {"3 uN", 3e-6, newton},
                       {"3 nN", 3e-9, newton},
                       {"3 cN", 3e-2, newton},
                       {"3 pm", 3e-12, metre},
                       {"3 dm", 0.3, metre},
                       {"3 ns", 3e-9, second},
                       {"3 m/s²", 3, speed / second},
                       {"3 m/s/s", 3, speed / second},
                       {"3 m s^-1", 3, speed},
                       {"36 km/h", 10, speed},
                       {"3 mm/min", 5e-5, speed},
                       {"3 N/(m/s)", 3, newton * second / metre},
                       {"3 N/(mm/s)", 3e3, newton * second / metre},
                       {"3 N/(m s)", 3, newton / (metre * second)},
                       {"3 1/(m s)", 3, one / (metre * second)},
                       {"3 N s/mm", 3e3, newton * second / metre},
                       {"3 kN/mm", 3e6, newton / metre},
                       {"3 mN/um", 3e3, newton / metre},
                       {"3 N/mm^2", 3e6, pascal},
                       {"3 N/mm²", 3e6, pascal},
                       {"3 bar", 3e5, pascal},
                       {"3 mbar", 300, pascal},
                       {"3 hPa", 300, pascal},
                       {"3 mJ", 3e-3, joule},
                       {"3 kJ", 3e3, joule},
                       {"3 kW", 3e3, watt},
                       {"3 mW", 3e-3, watt},
                       {"3 MHz", 3e6, one / second},
                       {"3 mHz", 3e-3, one / second},
                       {"3 kg/m³", 3, kilogram / power(metre, 3)},
                       {"3 g/cm^3", 3e3, kilogram / power(metre, 3)},
                       {"3 %", 0.03, one},
                       {"3 ‰", 0.003, one}};
  for (const auto& [text, value, in] : all) {
    const quantity read = parse_quantity(text);
    EXPECT_NEAR(read.value, value, 1e-14 * value) << text;
    EXPECT_TRUE(same_text(read.in, in)) << text << " is in " << to_string(read.in);
    EXPECT_NO_THROW(in_si(text, in)) << text;
  }
  // A prefix stands before what takes one, and once.
  for (const char* text : {"1 krpm", "1 mmin", "1 kkg", "1 mum", "1 k", "1 N/()", "1 N/(m",
                           "1 N m)", "1 N/", "1 ((m))", "1 kh"})
    EXPECT_THROW(parse_quantity(text), error) << text;
  // 1/min says turns, as rpm does; as radians it would be 2 pi off.
  EXPECT_THROW(in_si("3000 1/min", turn), error);
  EXPECT_DOUBLE_EQ(in_si("3000 1/min", one / second), 50);
  EXPECT_THROW(in_si("60 1/min/s", turn / second), error);
  EXPECT_THROW(in_si("1 Hz/s", turn / second), error);
  EXPECT_DOUBLE_EQ(in_si("60 rpm/s", turn / second), 2 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(in_si("60 rad/min", turn), 1);
}

TEST(quantity, WhatIsNoneIsRefused) {
  for (const char* text : {"", "N", "5 furlong", "5 N^", "nan", "inf", "5 N^x", "1 g^inf",
                           "1 g^-inf", "1 g^nan", "1 m^101", "1 m^1e300", "1e300 km^50"})
    EXPECT_THROW(parse_quantity(text), error) << text;
  EXPECT_NO_THROW(parse_quantity("1 m^0.5"));
}

// The ends of the numbers of IEEE 754: 2^1024 and half of 2^-1074 are none any more.
TEST(quantity, WhatIsTooLargeOrTooSmallIsNotCalledNoNumber) {
  const std::string many(400, '9');
  for (const std::string text :
       {"1e400", "-1e400 kg", "1.8e308", "2e-324 N", "1e300 Tm", many.c_str()})
    try {
      parse_quantity(text);
      ADD_FAILURE() << text;
    } catch (const error& problem) {
      EXPECT_NE(std::string(problem.what()).find("between 4.9e-324 and 1.8e+308 in size"),
                std::string::npos)
          << problem.what();
    }
  for (const std::string text : {"1.79e308", "5e-324 N", "0e999", "-1.79e308 kg"})
    EXPECT_NO_THROW(parse_quantity(text)) << text;
}

}  // namespace
}  // namespace asperity
