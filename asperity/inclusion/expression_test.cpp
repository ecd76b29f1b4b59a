// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/inclusion/formula.hpp>
#include <asperity/inclusion/inclusion.hpp>
#include <asperity/quantity.hpp>

namespace asperity {
namespace {

using ::testing::HasSubstr;

struct scope {
  inclusion system;
  std::map<std::string, formula> names;

  scope() {
    add(system.parameter("m", 2, units::kilogram));
    add(system.parameter("k", 3, units::newton / units::metre));
    add(system.parameter("mu", 0.5, units::one));
    add(system.parameter("bare", 7));
    add(system.state("x", units::metre));
    add(system.state("v", units::metre / units::second));
    add(system.state("w", units::metre / units::second));
  }
  void add(const expression& e) { names[e->name] = {e, {}}; }

  formula parse(const std::string& text) const {
    const formula_names known{
        [this](const std::string& name) -> std::optional<formula> {
          const auto found = names.find(name);
          if (found == names.end()) return {};
          return found->second;
        },
        [] { return std::vector<std::string>{"m", "k", "mu", "bare", "x", "v", "w"}; }};
    return parse_formula(text, known, "f.toml:3:10");
  }

  double value(const std::string& text, double x = 0, double v = 0, double w = 0) const {
    program_layout layout;
    layout.states = 3;
    layout.parameters = {2, 3, 0.5, 7};
    const program p = compile({parse(text).x}, {}, layout);
    std::vector<double> r(static_cast<std::size_t>(p.registers) + 4);
    p.prepare(r.data());
    r[1] = x;
    r[2] = v;
    r[3] = w;
    p.run(r.data());
    return r[p.outputs[0]];
  }

  std::string refusal(const std::string& text) const {
    try {
      infer_unit(parse(text).x);
    } catch (const error& problem) {
      return problem.what();
    }
    return "no refusal";
  }
};

TEST(formula, BindsAsInMathematics) {
  const scope s;
  EXPECT_EQ(s.value("1 + 2*3"), 7);
  EXPECT_EQ(s.value("-2^2"), -4);
  EXPECT_EQ(s.value("2^3^2"), 512);
  EXPECT_EQ(s.value("2^-1"), 0.5);
  EXPECT_EQ(s.value("8/4/2"), 1);
  EXPECT_EQ(s.value("8 - 4 - 2"), 2);
  EXPECT_EQ(s.value("2*-3"), -6);
  EXPECT_EQ(s.value("(1 + 2)*3"), 9);
  EXPECT_EQ(s.value("1.5e2 + .5"), 150.5);
}

TEST(formula, FunctionsAreThoseOfTheLibrary) {
  const scope s;
  const double x = 0.7;
  EXPECT_DOUBLE_EQ(s.value("sin(x)", x), std::sin(x));
  EXPECT_DOUBLE_EQ(s.value("cos(x)", x), std::cos(x));
  EXPECT_DOUBLE_EQ(s.value("tan(x)", x), std::tan(x));
  EXPECT_DOUBLE_EQ(s.value("exp(-x)", x), std::exp(-x));
  EXPECT_DOUBLE_EQ(s.value("log(x)", x), std::log(x));
  EXPECT_EQ(s.value("sqrt(x)", x), std::sqrt(x));
  EXPECT_DOUBLE_EQ(s.value("atan(x)", x), std::atan(x));
  EXPECT_DOUBLE_EQ(s.value("tanh(x)", x), std::tanh(x));
  EXPECT_DOUBLE_EQ(s.value("cosh(x)", x), std::cosh(x));
  EXPECT_EQ(s.value("abs(-x)", x), x);
  EXPECT_EQ(s.value("min(x, 0.5)", x), 0.5);
  EXPECT_EQ(s.value("max(x, 0.5)", x), x);
  EXPECT_EQ(s.value("x^3", -2), -8);  // whole powers hold below zero too
  EXPECT_EQ(s.value("x^-2", -2), 0.25);
  EXPECT_DOUBLE_EQ(s.value("x^1.7", x), std::pow(x, 1.7));
  EXPECT_DOUBLE_EQ(s.value("norm([3, x])", 4), 5);
  EXPECT_EQ(s.value("[1, x].y", 4), 4);
  EXPECT_EQ(s.value("2*pi"), 2 * 3.14159265358979323846);
}

// What is printed is read back as the same formula.
TEST(formula, TextAndTreeAreOne) {
  const scope s;
  for (const char* text : {"x - (v - w)", "x/(v*w)", "x/v/w", "-(x + v)^2", "(-x)^2", "-x^2",
                           "2^(-x)", "mu*dio(x)*sgn([v, w]).x/m", "min(x, max(v, -w))",
                           "(x + 1)*(v - 2)", "x - -2", "x/(-0.0)^2"}) {
    const formula once = s.parse(text);
    const std::string printed = to_text(once.x);
    EXPECT_EQ(to_text(s.parse(printed).x), printed) << text;
  }
  for (const char* text : {"x - (v - w)", "x/(v*w)", "x/v/w", "-(x + v)^2", "2^(-x)", "(-2)^2"}) {
    const std::string printed = to_text(s.parse(text).x);
    EXPECT_EQ(s.value(printed, 0.3, 0.7, 1.9), s.value(text, 0.3, 0.7, 1.9)) << text;
  }
  EXPECT_EQ(to_text(s.parse("x/(-0.0)^2").x), "x/(-0)^2");  // -0^2 is another number
}

TEST(formula, MessagesNamePlaceAndRemedy) {
  const scope s;
  EXPECT_THAT(s.refusal("x + speed"), HasSubstr("f.toml:3:14"));
  EXPECT_THAT(s.refusal("x + speed"), HasSubstr("unknown name 'speed'"));
  EXPECT_THAT(s.refusal("2x"), HasSubstr("write 2*x"));
  EXPECT_THAT(s.refusal("(x + v"), HasSubstr("close the '(' of column 1"));
  EXPECT_THAT(s.refusal("[x, v] + 1"), HasSubstr("dimension mismatch"));
  EXPECT_THAT(s.refusal("x**2"), HasSubstr("a^b"));
}

TEST(expression, UnitsMustAgree) {
  const scope s;
  EXPECT_THAT(s.refusal("x + v"), HasSubstr("'x' is in m, 'v' in m/s"));
  EXPECT_THAT(s.refusal("sin(x)"), HasSubstr("must be a number without a unit"));
  EXPECT_THAT(s.refusal("x^v"), HasSubstr("exponent"));
  EXPECT_EQ(s.refusal("k*x/m"), "no refusal");
  EXPECT_EQ(infer_unit(s.parse("k*x/m").x).in, units::metre / units::second / units::second);
  EXPECT_EQ(infer_unit(s.parse("sqrt(k/m)").x).in, units::one / units::second);
  // Force times gap is energy.
  EXPECT_EQ(infer_unit(s.parse("dio(x)").x).in, units::newton);
}

// A bare number may carry any unit, and so may a symbol without one.
TEST(expression, WhatHasNoUnitFitsEverywhere) {
  const scope s;
  for (const char* text :
       {"x + 0", "x + 3", "-3*x + v", "1*x + v", "x/1 + v", "bare*x + v", "bare + x", "sin(3*x)",
        "sin(bare*x)", "x - 0.5*sgn(v)", "x - sgn(v)", "x + sin(mu)", "2^(3*x) + v", "(2*x)^mu + v",
        "min(2*x, v)", "max(0, x) + 2*v", "sqrt(2*x) + v", "dio(2*x) + v"})
    EXPECT_EQ(s.refusal(text), "no refusal") << text;
}

TEST(expression, TwoDeclaredUnitsThatDisagreeAreRefusedThroughBareNumbers) {
  const scope s;
  for (const char* text :
       {"(x + 3) + v", "(bare + x) + v", "x*sgn(v) + v", "max(0, x) - v", "x*sin(3*v) + v",
        "sin(x + 3)", "mu*sgn(v) + x", "dio(x)*mu + x", "x^(3 + v)", "2*(x + v)"})
    EXPECT_NE(s.refusal(text), "no refusal") << text;
}

TEST(expression, BareNumbersAreShownAsPlainOnes) {
  const scope s;
  EXPECT_EQ(infer_unit(s.parse("m*v^2/2").x).shown(), units::joule);
  EXPECT_EQ(infer_unit(s.parse("sgn(v)").x).shown(), units::one);
  EXPECT_FALSE(infer_unit(s.parse("0.5*sgn(v)").x).shown().has_value());
  EXPECT_FALSE(infer_unit(s.parse("bare*x").x).shown().has_value());
}

TEST(expression, DegreeFindsWhatIsLinear) {
  const scope s;
  EXPECT_EQ(degree(s.parse("k*x/m + 3").x), 1);
  EXPECT_EQ(degree(s.parse("k/m").x), 0);
  EXPECT_EQ(degree(s.parse("x*v").x), 2);
  EXPECT_EQ(degree(s.parse("k/x").x), 2);
  EXPECT_EQ(degree(s.parse("abs(x)").x), 2);
  EXPECT_EQ(degree(s.parse("x^1").x), 1);
}

TEST(expression, DegreeWithTimeSeesEveryArgumentOfAFunction) {
  const auto t = inclusion::time(), x = inclusion().state("x");
  EXPECT_EQ(degree_with_time(sin(t) + 2 * x), 1);
  EXPECT_EQ(degree_with_time(min(t, x)), 2);
  EXPECT_EQ(degree_with_time(t * x), 2);
}

TEST(expression, FormulasThatSayTheSameHaveOneNumber) {
  const scope s;
  formula_numbers number;
  const auto of = [&](const char* text) { return number(s.parse(text).x); };
  EXPECT_EQ(of("x - v"), of("-v + x"));
  EXPECT_EQ(of("x + (v + w)"), of("(w + x) + v"));
  EXPECT_EQ(of("k*(x - 2)"), of("k*(-2 + x)"));
  EXPECT_EQ(number(expression::named("gap", s.parse("x - v").x) + 3), of("3 + x - v"));
  EXPECT_NE(of("x - v"), of("v - x"));
  EXPECT_NE(of("x + x"), of("x"));
  EXPECT_NE(of("sin(x)"), of("cos(x)"));
  EXPECT_NE(of("x - 2"), of("x + 2"));
}

}  // namespace
}  // namespace asperity
