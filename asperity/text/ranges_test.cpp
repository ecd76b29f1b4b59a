// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/text/ranges.hpp>
#include <cmath>

namespace asperity {
namespace {

constexpr unit speed = units::metre / units::second;

std::string complaint(std::string_view text, unit in = units::one, range allowed = any_value) {
  try {
    parse_values(text, in, allowed);
  } catch (const error& problem) {
    return problem.what();
  }
  return "";
}

TEST(ranges, OneValueOrAList) {
  EXPECT_EQ(parse_values("3", units::one), (std::vector<double>{3}));
  EXPECT_EQ(parse_values(" 1,2 , 5e-1", units::one), (std::vector<double>{1, 2, 0.5}));
  EXPECT_EQ(parse_values("5 mm/s, 2", speed), (std::vector<double>{5e-3, 2}));
}

TEST(ranges, EqualDistancesOrRatiosWithBothEnds) {
  EXPECT_EQ(parse_values("lin(0, 1, 5)", units::one), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  const auto decades = parse_values("log(1 mm/s, 10 m/s, 5)", speed);
  ASSERT_EQ(decades.size(), 5U);
  EXPECT_EQ(decades.front(), 1e-3);
  EXPECT_EQ(decades.back(), 10);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NEAR(decades[i] / decades[i - 1], 10, 1e-12);
  EXPECT_EQ(parse_values("lin(2, -2, 3)", units::one), (std::vector<double>{2, 0, -2}));
}

// Their difference or ratio is beyond all numbers, the values between them are not.
TEST(ranges, EndsMayLieAsFarApartAsNumbersGo) {
  EXPECT_EQ(parse_values("lin(-1.5e308, 1.5e308, 5)", units::one),
            (std::vector<double>{-1.5e308, -7.5e307, 0, 7.5e307, 1.5e308}));
  const auto wide = parse_values("log(-1e-300, -1e300, 7)", units::one);
  ASSERT_EQ(wide.size(), 7U);
  EXPECT_EQ(wide.back(), -1e300);
  for (int i = 0; i < 7; ++i)
    EXPECT_NEAR(std::log10(-wide[static_cast<std::size_t>(i)]), 100 * i - 300, 1e-10);
  const auto tiny = parse_values("log(1e-200, 1e-198, 3)", units::one);
  EXPECT_NEAR(tiny[1] / 1e-199, 1, 1e-12);
}

TEST(ranges, ComplaintsNameTextValueAndWhatIsAllowed) {
  EXPECT_NE(complaint("1, -2", speed, positive)
                .find("'1, -2': -2 m/s is not allowed: it must be above 0"),
            std::string::npos);
  EXPECT_NE(complaint("5 mm", speed).find("is in m, but m/s is wanted"), std::string::npos);
  EXPECT_NE(complaint("log(0, 1, 5)").find("both ends positive"), std::string::npos);
  EXPECT_NE(complaint("lin(0, 1)").find("three arguments"), std::string::npos);
  EXPECT_NE(complaint("lin(0, 1, 2.5)").find("2.5 must be a whole number"), std::string::npos);
  EXPECT_NE(complaint("geom(0, 1, 5)").find("lin(FROM, TO, COUNT)"), std::string::npos);
  EXPECT_NE(complaint("lin(0, 1, 5").find("three arguments"), std::string::npos);
  EXPECT_NE(complaint("1,,2").find("not a number"), std::string::npos);
  EXPECT_NE(complaint("").find("not a number"), std::string::npos);
}

}  // namespace
}  // namespace asperity
