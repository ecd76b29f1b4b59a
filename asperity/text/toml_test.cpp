// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/text/reader.hpp>
#include <asperity/text/toml.hpp>
#include <limits>

namespace asperity {
namespace {

std::string problem_of(const std::string& text) {
  try {
    const toml_value document = parse_toml(text, "in.toml");
    reader in(document, "", nullptr);
    static_cast<void>(in.number("mass", units::kilogram, positive));
  } catch (const error& problem) {
    return problem.what();
  }
  return "";
}

// A number beyond the range of doubles is told as any other number that is not allowed: its place,
// key and value, and what the key allows.
TEST(toml, ANumberThatIsTooLargeIsToldWithItsKey) {
  for (const std::string value : {"1e400", "-1e400", "1_0e4_00", "1.5e+999"}) {
    const std::string said = problem_of("# a comment, µ\nmass = " + value + " # kg\n");
    std::string plain = value;
    std::erase(plain, '_');
    EXPECT_TRUE(said.starts_with("in.toml:2:1: mass = " + plain + ": ")) << said;
    EXPECT_NE(said.find("too large"), std::string::npos) << said;
    EXPECT_NE(said.find("it must be a number in kg, above 0"), std::string::npos) << said;
  }
  // Wherever it stands, and however many there are.
  const toml_value document =
      parse_toml("a = [1, 1e999]\nb = {c = 2, d = -1e999}\ne = 3", "in.toml");
  EXPECT_EQ(document.find("a")->items[1].real, std::numeric_limits<double>::infinity());
  EXPECT_EQ(to_inline_toml(document.find("a")->items[1]), "1e999");
  EXPECT_EQ(document.find("b")->find("d")->real, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(document.find("b")->find("d")->value_place, "in.toml:2:17");
  EXPECT_EQ(document.find("e")->integer, 3);
  std::string many;
  for (int i = 0; i < 100; ++i) many += fmt::format("a{} = 1e999\n", i);
  EXPECT_NE(problem_of(many), "");
}

// A whole number of more than 64 bits is a number: the double next to it.
TEST(toml, ALongWholeNumberIsANumber) {
  const toml_value document = parse_toml("mass = 10000000000000000000000\n", "in.toml");
  EXPECT_EQ(reader(document, "", nullptr).number("mass", units::kilogram, positive), 1e22);
}

// What is wrong with a file is told by file, line and column, in words that are not the parser's,
// and with what to write.
TEST(toml, MistakesAreToldWithAPlaceAndARemedy) {
  struct {
    std::string text, place, remedy;
  } const all[] = {
      {"mass = 1\nmass = 2\n", "2:8", "'mass' is defined above already: keep one of the two"},
      {"[t]\na = 1\n[t]\n", "3:1", "'t' is defined above already: keep one"},
      {"mass = 1\nmass.x = 2\n", "2:1", "defined above already"},
      {"file = \"C:\\data\"\n", "1:12", "write \\\\ for a backslash"},
      {"name = \"\\u12\"\n", "1:13", "write \\\\ for a backslash"},
      {"model = \"dai\nmass = 1\n", "1:13", "add the closing quote"},
      {"model = 'dai\nmass = 1\n", "1:13", "add the closing quote"},
      {"model = \"dai", "1:13", "close its quotes"},
      {"model = \"\"\"dai\n", "1:16", "close its quotes"},
      {"model = \"d\x01i\"\n", "1:11", "remove it"},
      {"mass = 2020-01-31\n", "1:8", "write a number or text"},
      {"mass = 2020-13-31\n", "1:15", "write a number or text"},
      {"mass = 07:32:00\n", "1:8", "write a number or text"},
      {"mass =\n", "1:7", "a value must follow '='"},
      {"model = dai\n", "1:9", "text in quotes such as \"dai\""},
      {"model = True\n", "1:9", "true or false"},
      {"mass = 1 kg\n", "1:10", "as \"2 kg\""},
      {"mass = 1,5\n", "1:9", "write decimals with a point, as 1.5"},
      {"mass = 01\n", "1:10", "write it as 2, 0.5 or 1e-3"},
      {"mass = .5\n", "1:8", "write it as 2, 0.5 or 1e-3"},
      {"mass = 5%\n", "1:9", "with a unit in quotes"},
      {"mass = 0xfffffffffffffffffffff\n", "1:31", "write it as 2"},
      {"mass: 1\n", "1:5", "must be followed by '='"},
      {"mass\n", "1:5", "must be followed by '='"},
      {"[system\n", "1:8", "a line such as [system]"},
      {"[]\n", "1:2", "a line such as [system]"},
      {"x = [1 2]\n", "1:8", "needs commas"},
      {"x = [1, 2\ny = 3\n", "2:1", "a ']' at its end"},
      {"x = {a = 1,}\n", "1:12", "none behind the last"},
      {"x = {a = 1}\n[x.c]\nd = 1\n", "3:1", "between the braces"},
      {"= 1\n", "1:1", "a line begins with a key"},
      {"é = 1\n", "1:1", "stands in quotes"},
      {"a. = 1\n", "1:4", "a line begins with a key"},
  };
  for (const auto& [text, place, remedy] : all) {
    const std::string said = problem_of(text);
    EXPECT_TRUE(said.starts_with("in.toml:" + place + ": ")) << text << said;
    EXPECT_NE(said.find(remedy), std::string::npos) << text << said;
    EXPECT_EQ(said.find("Error while"), std::string::npos) << text << said;
  }
}

}  // namespace
}  // namespace asperity
