// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/portable.hpp>
#include <clocale>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

namespace asperity::detail {
namespace {

std::uint64_t bits(double value) { return bit_cast<std::uint64_t>(value); }

#if defined(__cpp_lib_to_chars)

void expect_as_the_standard(const std::string& text) {
  double ours = 17, theirs = 17;
  const char* end = text.data() + text.size();
  const auto us = from_chars_by_strtod(text.data(), end, ours);
  const auto them = std::from_chars(text.data(), end, theirs);
  ASSERT_EQ(us.ec, them.ec) << text;
  ASSERT_EQ(us.ptr - text.data(), them.ptr - text.data()) << text;
  ASSERT_EQ(bits(ours), bits(theirs)) << text;
}

TEST(portable, NumbersAreReadAsByTheStandard) {
  for (const char* each : {"",
                           "-",
                           "+1",
                           " 1",
                           "1 ",
                           ".",
                           "-.",
                           ".5",
                           "5.",
                           "-.5e1",
                           "5.e1",
                           ".e1",
                           "1e",
                           "1e+",
                           "1e-x",
                           "1E5",
                           "1e+5",
                           "1e05",
                           "1e5.5",
                           "0x10",
                           "1x",
                           "1,5",
                           "1.5.5",
                           "--1",
                           "0",
                           "-0",
                           "-0.0e-999",
                           "0e999999999999999999999",
                           "1e999999999999999999999",
                           "1e-999999999999999999999",
                           "1e308",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "1e309",
                           "-1e309",
                           "2.2250738585072014e-308",
                           "2.2250738585072011e-308",
                           "4.9406564584124654e-324",
                           "2.4703282292062328e-324",
                           "2.4703282292062327e-324",
                           "1e-324",
                           "-1e-400",
                           "inf",
                           "INF",
                           "-Infinity",
                           "infinit",
                           "in",
                           "nan",
                           "-NaN",
                           "nan(",
                           "nan()",
                           "nan(0x_1a)",
                           "nan(a b)",
                           "na",
                           "9007199254740993",
                           "9007199254740992.99999999999999999999999999",
                           "0.1e1",
                           "00012.500",
                           "123456789012345678901234567890e-20"})
    expect_as_the_standard(each);
  expect_as_the_standard("0." + std::string(400, '0') + "1e401");
  expect_as_the_standard(std::string(400, '9') + "e-390");
  expect_as_the_standard("9007199254740993" + std::string(800, '0') + "1e-801");
}

TEST(portable, RandomNumbersHaveTheBitsOfTheStandard) {
  std::mt19937_64 engine(1);
  char text[64];
  for (int i = 0; i < 200'000; ++i) {
    const double value = bit_cast<double>(engine());  // any bits at all
    std::snprintf(text, sizeof text, "%.*g", 1 + static_cast<int>(engine() % 25), value);
    expect_as_the_standard(text);
    if (HasFatalFailure()) return;
  }
  // Any order of the characters that numbers are made of.
  constexpr std::string_view letters = "0123456789..ee+-90infax(";
  for (int i = 0; i < 200'000; ++i) {
    std::string word(1 + engine() % 12, ' ');
    for (char& each : word) each = letters[engine() % letters.size()];
    expect_as_the_standard(word);
    if (HasFatalFailure()) return;
  }
}

#endif

TEST(portable, NumbersDoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  bool any = false;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"})
    any = any || std::setlocale(LC_ALL, name) != nullptr;
  if (!any) GTEST_SKIP() << "no locale is installed that writes a comma";
  double value = 0;
  const std::string text = "-1.25e-3";
  from_chars_by_strtod(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(value, -0.00125);
  std::setlocale(LC_ALL, before.c_str());
}

TEST(portable, BitsAreThoseOfTheNumber) {
  static_assert(bit_cast<std::uint64_t>(1.0) == 0x3ff0000000000000U);
  static_assert(bit_cast<double>(std::uint64_t{0x4000000000000000U}) == 2.0);
}

}  // namespace
}  // namespace asperity::detail
