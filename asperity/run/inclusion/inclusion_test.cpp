// SPDX-License-Identifier: Apache-2.0
// Files that state an inclusion wrongly: each must be answered with its place, what is wrong, and
// what to do about it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <asperity/error.hpp>
#include <asperity/inclusion/inclusion_system.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/run/inclusion/inclusion.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <cstdio>
#include <map>

namespace asperity {
namespace {

// A mass that rubs on a floor and may hit a wall. Lines count from 1.
const std::vector<std::string> right{
    "[system]",                                              // 1
    "kind = \"inclusion\"",                                  // 2
    "[parameters]",                                          // 3
    "M = \"1 kg\"",                                          // 4
    "F = \"0.5 N\"",                                         // 5
    "",                                                      // 6
    "[definitions]",                                         // 7
    "f = \"F*sgn(v)\"",                                      // 8
    "N = \"dio(p)\"",                                        // 9
    "[states]",                                              // 10
    "p = { unit = \"m\", rate = \"v\", initial = 0.1 }",     // 11
    "v = { unit = \"m/s\", rate = \"(N - f - 0.1*F)/M\" }",  // 12
    "[terms]",                                               // 13
    "",                                                      // 14
    "[run]",                                                 // 15
    "duration = 1",                                          // 16
    "",                                                      // 17
};

std::string file_with(const std::map<int, std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto found = lines.find(static_cast<int>(i) + 1);
    text += (found == lines.end() ? right[i] : found->second) + "\n";
  }
  return text;
}

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "wrong.toml"), "wrong", "");
}

std::string f_is(const std::string& formula) { return "f = \"" + formula + "\""; }
std::string v_rate(const std::string& formula) {
  return "v = { unit = \"m/s\", rate = \"" + formula + "\" }";
}

struct wrong_file {
  const char* about;
  std::map<int, std::string> lines;
  std::vector<std::string> message;  // fragments
};

std::string many_states(int count) {
  std::string all = "[states]";
  for (int i = 0; i < count; ++i) all += "\ns" + std::to_string(i) + " = { rate = 0 }";
  return all;
}

const std::vector<wrong_file> wrong_files{
    // ---- text of formulas. A formula of line 8 begins in column 6.
    {"unknown name", {{8, f_is("F*sgn(w)")}}, {"wrong.toml:8:12:", "unknown name 'w'", "allowed:"}},
    {"misspelt name",
     {{8, f_is("F*sgn(v) + 0*Omga")}, {6, "Omega = \"1 N\""}},
     {"wrong.toml:8:19:", "unknown name 'Omga'", "did you mean", "'Omega'"}},
    {"unknown function",
     {{8, f_is("F*sign(v)")}},
     {"wrong.toml:8:8:", "unknown function 'sign'", "sgn"}},
    {"function without its argument",
     {{8, f_is("F*sgn")}},
     {"wrong.toml:8:8:", "'sgn' is a function", "sgn(...)"}},
    {"a number called like a function",
     {{8, f_is("F(1)*sgn(v)")}},
     {"wrong.toml:8:6:", "'F' is not a function", "'*'"}},
    {"empty", {{8, f_is("")}}, {"wrong.toml:8:6:", "the formula is empty"}},
    {"only blanks", {{8, f_is("   ")}}, {"wrong.toml:8:6:", "the formula is empty"}},
    {"no closing parenthesis",
     {{8, f_is("F*(1 + sgn(v)")}},
     {"wrong.toml:8:19:", "')' is missing at the end", "'(' of column 3"}},
    {"no opening parenthesis",
     {{8, f_is("F*sgn(v))")}},
     {"wrong.toml:8:14:", "')' closes nothing", "'('"}},
    {"a unit that bare numbers are not in",
     {{11, "p = { unit = \"mm\", rate = \"v\", initial = 100 }"}},
     {"wrong.toml:11:", "states.p.unit = \"mm\"", "SI units", "declare m", "\"5 mm\""}},
    {"the same of an input",
     {{6, "[inputs]\npush = { unit = \"kN\", kind = \"ramp\", slope = 1 }"}},
     {"wrong.toml:7:", "inputs.push.unit = \"kN\"", "declare N"}},
    {"2x", {{8, f_is("2F*sgn(v)")}}, {"wrong.toml:8:6:", "'F*sgn(v)' follows a number", "2*x"}},
    {"a unit inside a formula",
     {{8, f_is("0.5 N*sgn(v)")}},
     {"wrong.toml:8:10:", "'N*sgn(v)' is not expected here", "operator"}},
    {"**", {{8, f_is("F**2")}}, {"wrong.toml:8:7:", "'**'", "a^b"}},
    {"two operators", {{8, f_is("F*/2")}}, {"wrong.toml:8:8:", "missing before '/'"}},
    {"ends with an operator",
     {{8, f_is("F*sgn(v) +")}},
     {"wrong.toml:8:16:", "missing at the end"}},
    {"decimal comma", {{8, f_is("0,5*sgn(v)")}}, {"wrong.toml:8:7:", "','", "decimals take a '.'"}},
    {"an equation", {{8, f_is("f = F*sgn(v)")}}, {"refers to itself"}},
    {"an equation of something else",
     {{8, f_is("F = sgn(v)")}},
     {"wrong.toml:8:8:", "no '='", "right-hand side"}},
    {"a character of its own",
     {{8, f_is("F·sgn(v)")}},
     {"wrong.toml:8:7:", "'·sgn(v)' is not expected here"}},
    {"a character where a name should be",
     {{8, f_is("µ*sgn(v)")}},
     {"wrong.toml:8:6:", "'µ' is not known in formulas", "letters"}},
    {"too few arguments",
     {{8, f_is("max(F)*sgn(v)")}},
     {"wrong.toml:8:6:", "max takes 2 arguments, but there are 1"}},
    {"too many arguments",
     {{8, f_is("sin(1, 2)")}},
     {"wrong.toml:8:6:", "sin takes 1 argument, but there are 2"}},
    {"no argument", {{8, f_is("F*sgn()")}}, {"wrong.toml:8:12:", "sgn needs an argument"}},
    {"two arguments for sgn",
     {{8, f_is("F*sgn(v, v)")}},
     {"wrong.toml:8:8:", "sgn takes 1 argument", "[a, b]"}},
    {"deep nesting",
     {{8, f_is(std::string(5000, '(') + "v" + std::string(5000, ')'))}},
     {"wrong.toml:8:", "nested more than 200 deep"}},
    {"many signs",
     {{8, f_is(std::string(5000, '-') + "v")}},
     {"wrong.toml:8:", "nested more than 200 deep"}},
    {"very long",
     {{8, f_is("v" + std::string(30000, ' '))}},
     {"wrong.toml:8:", "30001 characters", "at most 20000"}},
    {"number out of range",
     {{8, f_is("1e999*F*sgn(v)")}},
     {"wrong.toml:8:6:", "'1e999'", "too large"}},
    {"not a number", {{8, f_is("F*.*sgn(v)")}}, {"wrong.toml:8:8:", "'.*sgn(v)' is not a number"}},
    {"division by zero", {{8, f_is("F/(1 - 1)*sgn(v)")}}, {"wrong.toml:8:6:", "divides by zero"}},
    {"constant that is not a number",
     {{8, f_is("F*sqrt(1 - 2)*sgn(v)")}},
     {"wrong.toml:8:8:", "'sqrt(1 - 2)'", "not a finite number"}},
    {"not text", {{8, "f = [1, 2]"}}, {"wrong.toml:8:1:", "definitions.f", "a formula as text"}},
    // ---- vectors
    {"three components", {{8, f_is("F*sgn([v, v, v])")}}, {"wrong.toml:8:17:", "two components"}},
    {"one component", {{8, f_is("F*sgn([v])")}}, {"wrong.toml:8:14:", "two components"}},
    {"vector plus number",
     {{8, f_is("F*sgn([v, v]) + F")}},
     {"wrong.toml:8:20:", "dimension mismatch", "a vector and a number"}},
    {"vector times vector",
     {{8, f_is("[F, F]*sgn([v, v])")}},
     {"wrong.toml:8:12:", "dimension mismatch", "two vectors"}},
    {"division by a vector",
     {{8, f_is("F/[v, v]")}},
     {"wrong.toml:8:7:", "dimension mismatch", "the divisor"}},
    {"gap of two components",
     {{9, "N = \"dio([p, p])\""}},
     {"wrong.toml:9:6:", "dimension mismatch", "argument of dio", "'[p, p]'"}},
    {"component of a number",
     {{8, f_is("F*sgn(v.x)")}},
     {"wrong.toml:8:13:", "'v' is a number", ".x"}},
    {"third component", {{8, f_is("F*sgn([v, v]).z")}}, {"wrong.toml:8:19:", "x or y"}},
    {"norm of a number",
     {{8, f_is("F*norm(v)")}},
     {"wrong.toml:8:8:", "norm takes a vector", "abs"}},
    {"rate that is a vector",
     {{8, f_is("F*sgn([v, v])")}, {12, v_rate("f/M")}},
     {"wrong.toml:12:", "states.v.rate", "dimension mismatch", ".x or .y"}},
    // ---- units
    {"rate in a wrong unit",
     {{12, v_rate("N - f")}},
     {"wrong.toml:12:", "the rate of 'v' is in N", "must be in m/s^2", "is a mass missing?"}},
    {"sum of different units",
     {{8, f_is("F*sgn(v) + M")}},
     {"wrong.toml:8:6:", "units do not agree in 'F*sgn(v) + M'", "'M' in kg"}},
    {"unit in an exponent",
     {{8, f_is("F*2^p*sgn(v)")}},
     {"wrong.toml:8:8:", "units do not agree in '2^p'", "the exponent is in m"}},
    {"sine of a length",
     {{8, f_is("F*sin(p)*sgn(v)")}},
     {"wrong.toml:8:8:", "'sin(p)'", "is in m", "without a unit"}},
    {"vector of different units",
     {{8, f_is("F*sgn([v, p])")}, {12, v_rate("(N - f.x)/M")}},
     {"wrong.toml:8:8:", "units do not agree", "'v' is in m/s", "'p' in m"}},
    {"unknown unit of a state",
     {{11, "p = { unit = \"metre\", rate = \"v\" }"}},
     {"wrong.toml:11:", "unknown unit 'metre'", "known: N"}},
    {"unknown unit of a parameter",
     {{4, "M = \"1 kilo\""}},
     {"wrong.toml:4:1:", "parameters.M", "unknown unit 'kilo'"}},
    {"initial value in a wrong unit",
     {{11, "p = { unit = \"m\", rate = \"v\", initial = \"1 kg\" }"}},
     {"wrong.toml:11:", "states.p.initial", "in kg, but m is wanted"}},
    {"parameter that is no number",
     {{4, "M = true"}},
     {"wrong.toml:4:1:", "parameters.M", "a number"}},
    {"parameter that is not finite",
     {{4, "M = inf"}},
     {"wrong.toml:4:1:", "parameters.M", "finite"}},
    // ---- what the procedure cannot treat
    {"negative factor",
     {{5, "F = \"-0.5 N\""}},
     {"wrong.toml:8:8:", "'sgn(v)'", "its factor 'F' is -0.5", "at least 0"}},
    {"sgn in the factor of a sgn",
     {{8, f_is("F*(2 + sgn(p))*sgn(v)")}},
     {"wrong.toml:8:6:", "the factor '2 + sgn(p)' of 'sgn(v)' contains a sgn itself",
      "continuous"}},
    {"sgn in a named factor of a sgn",
     {{6, "[definitions]\ns = \"1 + sgn(p)\""}, {7, ""}, {8, f_is("F*s*sgn(v)")}},
     {"wrong.toml:9:6:", "the factor 's' of 'sgn(v)' contains a sgn itself"}},
    {"sgn times sgn",
     {{8, f_is("F*sgn(p)*sgn(v)")}},
     {"wrong.toml:8:6:", "contains another sgn", "product of two"}},
    {"division by sgn", {{8, f_is("F/sgn(v)")}}, {"wrong.toml:8:6:", "division by sgn"}},
    {"dio inside dio",
     {{9, "N = \"dio(p + 0.001*dio(p))\""}},
     {"wrong.toml:9:6:", "the argument of a dio", "may not contain a sgn or dio"}},
    {"sgn inside dio",
     {{9, "N = \"dio(p + sgn(v))\""}},
     {"wrong.toml:9:6:", "the argument of a dio", "may not contain a sgn or dio"}},
    {"dio inside sgn",
     {{8, f_is("F*sgn(v + dio(p))")}},
     {"wrong.toml:8:8:", "the argument of a sgn", "may not contain a sgn or dio"}},
    {"constant gap",
     {{9, "N = \"dio(M)\""}},
     {"wrong.toml:9:6:", "does not depend on any state", "no gap to close"}},
    {"constant velocity",
     {{8, f_is("F*sgn(M)")}},
     {"wrong.toml:8:8:", "does not depend on any state", "no velocity"}},
    {"friction that pushes",
     {{12, v_rate("(N + f)/M")}},
     {"wrong.toml:8:8:", "term 'f', F*sgn(v)", "does not oppose its own velocity, but drives it",
      "check the sign"}},
    {"contact that pulls",
     {{12, v_rate("(-N - f)/M")}},
     {"wrong.toml:9:6:", "term 'N', dio(p)", "does not open its own gap, but closes it",
      "check the sign"}},
    // ---- tables
    {"no rate",
     {{12, "v = { unit = \"m/s\" }"}},
     {"wrong.toml:12:", "states.v.rate is missing", "a formula"}},
    {"misspelt rate",
     {{12, "v = { unit = \"m/s\", rat = \"-f/M\" }"}},
     {"wrong.toml:12:", "states.v.rate is missing", "did you mean 'rate'?"}},
    {"no states", {{10, ""}, {11, ""}, {12, ""}}, {"states is missing", "[states]"}},
    {"empty states", {{11, ""}, {12, ""}}, {"wrong.toml:10:", "states", "at least one state"}},
    {"state that is no table",
     {{11, "p = \"v\""}},
     {"wrong.toml:11:1:", "states.p", "must be a table"}},
    {"circle of two",
     {{8, f_is("g")}, {9, "g = \"f\""}},
     {"wrong.toml:8:1:", "refers to itself", "f -> g -> f"}},
    {"circle of one", {{8, f_is("f + F")}}, {"wrong.toml:8:1:", "refers to itself", "f -> f"}},
    {"name of a parameter and a state",
     {{6, "p = 1"}},
     {"wrong.toml:11:1:", "'p' is already a parameter", "must differ"}},
    {"name of a state and a definition",
     {{9, "v = \"dio(p)\""}},
     {"wrong.toml:9:1:", "'v' is already a state"}},
    {"name of a function",
     {{6, "sgn = 1"}},
     {"wrong.toml:6:1:", "'sgn' is reserved in formulas", "another name"}},
    {"name of time", {{6, "t = 1"}}, {"wrong.toml:6:1:", "'t' is reserved in formulas"}},
    {"no name at all",
     {{6, "\"M-1\" = 1"}},
     {"wrong.toml:6:1:", "'M-1' is not a valid name", "letters, digits and _"}},
    {"state called like an appended one",
     {{10, "[states]\na_f = { rate = 0 }"}},
     {"'a_f' would be both a state and the state of term 'f', F*sgn(v)", "rename"}},
    {"unknown table",
     {{6, "[parameter]\nG = 1"}},
     {"wrong.toml:6:", "parameter", "unknown key", "did you mean 'parameters'"}},
    {"too many states", {{10, many_states(63)}}, {"65 states", "at most 64"}},
    {"too many states with those of terms",
     {{10, many_states(61)}},
     {"wrong.toml:1:", "65 states", "at most 64"}},
    {"input of unknown kind",
     {{6, "[inputs]\nu = { kind = \"sinus\", unit = \"N\" }"}},
     {"wrong.toml:7:", "inputs.u.kind", "unknown word", "sine"}},
    {"input in a wrong unit",
     {{6, "[inputs]\nu = { kind = \"constant\", unit = \"N\", value = \"1 kg\" }"}},
     {"wrong.toml:7:", "inputs.u.value", "in kg, but N is wanted"}},
    // ---- terms
    {"term that does not exist",
     {{14, "g = { K = 1e5 }"}},
     {"wrong.toml:14:", "no term is called 'g'", "N, f"}},
    {"alpha of friction",
     {{14, "f = { alpha = 1e-3 }"}},
     {"wrong.toml:14:", "'f' is friction, F*sgn(v)", "alpha", "contacts"}},
    {"restitution of friction",
     {{14, "f = { restitution = 0.5 }"}},
     {"wrong.toml:14:", "'f' is friction", "restitution"}},
    {"K in a wrong unit",
     {{14, "f = { K = \"1e5 N\" }"}},
     {"wrong.toml:14:", "terms.f.K", "in N, but N/m is wanted"}},
    {"deflection in a wrong unit",
     {{14, "N = { deflection = \"1 N\" }"}},
     {"wrong.toml:14:", "terms.N.deflection", "in N, but m is wanted"}},
    {"negative K",
     {{14, "f = { K = -1e5 }"}},
     {"wrong.toml:14:", "K of term 'f' is -100000", "above 0"}},
    {"K of zero", {{14, "N = { K = 0 }"}}, {"wrong.toml:14:", "K of term 'N' is 0", "above 0"}},
    {"beta of zero", {{14, "f = { beta = 0 }"}}, {"wrong.toml:14:", "terms.f.beta", "above 0"}},
    {"restitution above 1",
     {{14, "N = { restitution = 1.5 }"}},
     {"wrong.toml:14:", "terms.N.restitution", "0 to 1"}},
    {"K and deflection",
     {{14, "f = { K = 1e5, deflection = 1e-5 }"}},
     {"wrong.toml:14:", "K is given as well", "only one"}},
    {"alpha, beta and restitution",
     {{14, "N = { alpha = 1e-3, beta = 1e-3, restitution = 0.5 }"}},
     {"wrong.toml:14:", "terms.N.restitution", "determine the restitution"}},
    {"unknown key of a term",
     {{14, "f = { k = 1e5 }"}},
     {"wrong.toml:14:", "terms.f.k", "unknown key", "K"}},
    // ---- methods
    {"moreau_jean where the gap is a velocity",
     {{9, "N = \"dio(v)\""},
      {12, v_rate("(N*one - f)/M")},
      {6, "one = \"1 1/s\""},
      {14, "N = { K = 1e5, beta = 1e-3, alpha = 1e-3 }"},
      {17, "[integrator]\nmethod = \"moreau_jean\"\nstep = 1e-3"}},
     {"wrong.toml:18:", "integrator.method", "the rate of the gap of 'N'", "allowed:", "trbdf2"}},
    {"moreau_jean where forces are multiplied",
     {{12, v_rate("(N*N/F - f)/M")},
      {14, "N = { K = 1e5, beta = 1e-3, alpha = 1e-3 }"},
      {17, "[integrator]\nmethod = \"moreau_jean\"\nstep = 1e-3"}},
     {"wrong.toml:18:", "not linear in the set-valued forces"}},
    {"switch model",
     {{17, "[integrator]\nmethod = \"switch\""}},
     {"wrong.toml:18:", "integrator.method", "allowed:", "trbdf2"}},
};

TEST(inclusion, TheRightFileIsRight) {
  const scenario s = read(file_with({}));
  EXPECT_TRUE(s.warnings.empty());
  EXPECT_EQ(simulate(s).result.how, outcome::completed);
}

TEST(inclusion, WrongFilesAreAnsweredWithPlaceFaultAndRemedy) {
  EXPECT_GE(wrong_files.size(), 50U);
  for (const auto& each : wrong_files) {
    try {
      read(file_with(each.lines));
      ADD_FAILURE() << each.about << ": was accepted";
    } catch (const error& problem) {
      const std::string message = problem.what();
      for (const auto& fragment : each.message)
        EXPECT_NE(message.find(fragment), std::string::npos)
            << each.about << ": '" << fragment << "' is not in\n  " << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << each.about;
      EXPECT_EQ(message.rfind("wrong.toml:", 0), 0U) << each.about << ": " << message;
    }
  }
}

// A factor that turns negative on the way is an outcome with a name, whatever the method.
TEST(inclusion, FactorThatBecomesNegativeEndsTheRun) {
  std::vector<std::string> integrators{"method = \"rk4\"\nstep = 1e-4",
                                       "method = \"euler\"\nstep = 1e-4",
                                       "method = \"dopri5\"",
                                       "method = \"trbdf2\"",
                                       "method = \"backward_euler\"\nstep = 1e-3",
                                       "method = \"sdirk2\"\nstep = 1e-3",
                                       "method = \"moreau_jean\"\nstep = 1e-3"};
  if (has_cvode()) integrators.emplace_back("method = \"cvode\"");
  for (const auto& integrator : integrators) {
    const scenario s = read(file_with({{6, "rate = \"2 N/s\""},
                                       {8, f_is("(F - rate*t)*sgn(v)")},
                                       {17, "[integrator]\n" + integrator}}));
    const run_data data = simulate(s);
    EXPECT_TRUE(is_failure(data.result.how)) << integrator;
    EXPECT_NEAR(data.result.t, 0.25, 0.01) << integrator;
    for (const char* fragment : {"(F - rate*t)*sgn(v)", "became negative", "max(0, ...)"})
      EXPECT_NE(data.result.detail.find(fragment), std::string::npos)
          << integrator << ": " << data.result.detail;
  }
}

// What the message advises: cut off, v' = -max(0, F - r t)/M takes 1/16 m/s away until t = 1/4.
TEST(inclusion, AFactorIsCutAsAdvised) {
  const run_data data =
      simulate(read(file_with({{6, "rate = \"2 N/s\""},
                               {8, f_is("max(0, F - rate*t)*sgn(v)")},
                               {9, ""},
                               {12, "v = { unit = \"m/s\", rate = \"-f/M\", initial = 1 }"}})));
  EXPECT_EQ(data.result.how, outcome::completed) << data.result.detail;
  EXPECT_NEAR(data["v"].back(), 1 - 1.0 / 16, 1e-5);
}

// Friction whose coefficient in a rate turns its sign on the way drives from then on, whatever the
// method: with v' = -(1 - 2 t) F/M, v = 1 - (t - t^2)/2 until t = 1/2.
TEST(inclusion, FrictionThatTurnsDrivingEndsTheRun) {
  std::vector<std::string> integrators{"method = \"rk4\"\nstep = 1e-4",
                                       "method = \"euler\"\nstep = 1e-4",
                                       "method = \"dopri5\"",
                                       "method = \"trbdf2\"",
                                       "method = \"backward_euler\"\nstep = 1e-3",
                                       "method = \"moreau_jean\"\nstep = 1e-3"};
  if (has_cvode()) integrators.emplace_back("method = \"cvode\"");
  for (const auto& integrator : integrators)
    for (const char* events : {"true", "false"}) {
      const scenario s =
          read(file_with({{9, ""},
                          {12, "v = { unit = \"m/s\", rate = \"-(1 - 2*t)*f/M\", initial = 1 }"},
                          {17, fmt::format("events = {}\n[integrator]\n{}", events, integrator)}}));
      const run_data data = simulate(s);
      EXPECT_TRUE(is_failure(data.result.how)) << integrator;
      EXPECT_NEAR(data.result.t, 0.5, 2e-3) << integrator;
      EXPECT_NEAR(data["v"].back(), 1 - 0.125, 2e-3) << integrator;
      for (const char* fragment : {"term 'f', F*sgn(v)", "at t = 0.5", "drives it by", "1/kg"})
        EXPECT_NE(data.result.detail.find(fragment), std::string::npos)
            << integrator << ": " << data.result.detail;
    }
}

// [initial] may begin elsewhere than the states say: with c = -1 friction drives from there.
TEST(inclusion, FrictionThatDrivesAtAnotherStartIsRefused) {
  const auto from = [](double c) {
    return read(file_with({{9, ""},
                           {11, "c = { rate = \"0*t\", initial = 1 }"},
                           {12, "v = { unit = \"m/s\", rate = \"-c*f/M\", initial = 1 }"},
                           {17, fmt::format("[initial]\nc = {}", c)}}));
  };
  EXPECT_NEAR(simulate(from(0.5))["v"].back(), 0.75, 1e-5);
  try {
    from(-1);
    FAIL();
  } catch (const error& problem) {
    for (const char* fragment : {"term 'f', F*sgn(v)", "at the initial state", "but drives it"})
      EXPECT_NE(std::string(problem.what()).find(fragment), std::string::npos) << problem.what();
  }
}

// The sign is turned for 0.2 thousandths of the run only, off every even division of it. Until then the
// body slides as if nothing were: v = 1 - F t/M.
TEST(inclusion, FrictionThatDrivesForAMomentEndsTheRun) {
  for (const char* integrator :
       {"max_step = 5e-5", "method = 'sdirk2'\nstep = 5e-5", "method = 'rk4'\nstep = 1e-5",
        "method = 'dopri5'\nmax_step = 1e-5"}) {
    const run_data data = simulate(read(
        file_with({{9, ""},
                   {11, ""},
                   {12,
                    "v = { unit = \"m/s\", rate = \"-(1 - 3*exp(-((t - 0.50047)/1e-4)^2))*f/M\", "
                    "initial = 1 }"},
                   {17, fmt::format("[integrator]\n{}", integrator)}})));
    EXPECT_TRUE(is_failure(data.result.how)) << integrator;
    EXPECT_NEAR(data.result.t, 0.50047, 1.1e-4) << integrator;
    EXPECT_NE(data.result.detail.find("drives it by"), std::string::npos) << data.result.detail;
    EXPECT_NEAR(data["v"].back(), 1 - 0.5 * data["t"].back(), 1e-3) << integrator;
  }
}

// Friction of limit F that acts as c F on a mass M has the effective mass M/c, so K = F/10 um and beta
// = 2 sqrt(M/(c K)): with c of the place where the run starts. Where c = 0 nothing can be chosen, but
// no run starts there.
TEST(inclusion, ConstantsAreChosenWhereTheRunStarts) {
  for (const double c : {1.0, 0.0})
    for (const char* integrator : {"", "[integrator]\nmethod = 'rk4'\nstep = 1e-5"})
      for (const char* start : {"c_1 = 0.5", "c = [0.5, 7]", "c = 7\nc_1 = 0.5"}) {
        const auto s =
            read(file_with({{9, ""},
                            {11, fmt::format("c_1 = {{ rate = \"0*t\", initial = {} }}\n"
                                             "c_2 = {{ rate = \"0*t\", initial = 3 }}",
                                             c)},
                            {12, "v = { unit = \"m/s\", rate = \"-c_1*f/M\", initial = 1 }"},
                            {17, fmt::format("{}\n[initial]\n{}", integrator, start)}}));
        const auto& equations = dynamic_cast<const inclusion_system&>(*s.system).equations();
        EXPECT_DOUBLE_EQ(figures_of(equations)[0].mass, 1 / 0.5);
        const auto& term = equations.terms[0];
        EXPECT_DOUBLE_EQ(term.K, 0.5 / 1e-5);
        EXPECT_DOUBLE_EQ(term.beta, 2 * std::sqrt(1 / 0.5 / term.K));
        EXPECT_EQ(s.initial, (std::vector<double>{0.5, start[2] == '1' ? 3.0 : 7.0, 1, 0}));
      }
}

// Whether friction of a plane drives cannot depend on the axes: [[1, s], [s, 1]] is diag(1 + s, 1 - s)
// turned by 45 degrees.
TEST(inclusion, FrictionOfAPlaneDrivesWhicheverItsAxesAre) {
  const auto rates = [](const std::string& u, const std::string& v) {
    return read(fmt::format(R"(
system = {{ kind = 'inclusion' }}
parameters = {{ M = '1 kg', F = '0.5 N' }}
definitions = {{ f = 'F*sgn([u, v])' }}
[states]
u = {{ unit = 'm/s', rate = '{}', initial = 1 }}
v = {{ unit = 'm/s', rate = '{}', initial = -1.1 }}
[run]
duration = 1
)",
                            u, v));
  };
  EXPECT_THROW(rates("-4*f.x/M", "2*f.y/M"), error);
  EXPECT_THROW(rates("-(f.x + 3*f.y)/M", "-(3*f.x + f.y)/M"), error);
  EXPECT_NO_THROW(rates("-(f.x + 0.9*f.y)/M", "-(0.9*f.x + f.y)/M"));
  // Turned by up to 90 degrees it does not drive, beyond it does.
  EXPECT_NO_THROW(rates("-(f.x + 9*f.y)/M", "-(-9*f.x + f.y)/M"));
  EXPECT_THROW(rates("-(-f.x + 9*f.y)/M", "-(-9*f.x - f.y)/M"), error);
  // On the way, too: s = 2 t passes 1.
  const run_data data = simulate(rates("-(f.x + 2*t*f.y)/M", "-(2*t*f.x + f.y)/M"));
  EXPECT_TRUE(is_failure(data.result.how));
  EXPECT_NEAR(data.result.t, 0.5, 2e-3);
  EXPECT_NE(data.result.detail.find("drives it by"), std::string::npos) << data.result.detail;
}

// Nor can the mass that its K is chosen for, which is that of the lightest direction.
TEST(inclusion, MassOfFrictionOfAPlaneDoesNotDependOnItsAxes) {
  for (const double angle : {0.0, 0.3, 0.785, 1.2}) {
    const double c = std::cos(angle), s = std::sin(angle);
    inclusion plane;
    const auto u = plane.state("u", {}, 1), v = plane.state("v", {}, 1);
    const auto f = plane.define("f", 0.5 * sgn(plane_vector{u, v}));
    const double uu = 3 * c * c + s * s, uv = 2 * c * s, vv = 3 * s * s + c * c;
    plane.rate(u, -(uu * f.x + uv * f.y));
    plane.rate(v, -(uv * f.x + vv * f.y));
    EXPECT_NEAR(regularise(plane).mass[0], 1.0 / 3, 1e-12) << angle;
  }
}

// An implicit step needs slopes of the rates, which sqrt has none of at 0. The advice leads to
// y = 2/3 T^(3/2).
TEST(inclusion, ARateWithoutASlopeIsNamed) {
  const auto from = [](const char* method, double start) {
    return simulate(read(fmt::format(
        "system = {{ kind = 'inclusion' }}\n[states]\nT = {{ rate = 1, initial = {} }}\n"
        "y = {{ rate = 'sqrt(T)' }}\n[integrator]\nmethod = '{}'\n[run]\nduration = 2\n",
        start, method)));
  };
  const run_data failed = from("trbdf2", 0);
  EXPECT_TRUE(is_failure(failed.result.how));
  for (const char* fragment : {"rate of 'y' has no finite slope by 'T' at t = ", "take dopri5"})
    EXPECT_NE(failed.result.detail.find(fragment), std::string::npos) << failed.result.detail;
  const double end = std::pow(2.0, 1.5) / 1.5;
  EXPECT_NEAR(from("dopri5", 0)["y"].back(), end, 1e-4);
  EXPECT_NEAR(from("trbdf2", 1e-6)["y"].back(), end, 1e-4);
}

// A lever that turns at 1 rad/s: the force of the stop opens the gap by cos(angle), until pi/2.
std::string lever(const std::string& gap, const std::string& more) {
  return fmt::format(
      "system = {{ kind = 'inclusion' }}\nparameters = {{ M = '1 kg', W = '1 N' }}\ndefinitions = "
      "{{ "
      "N = 'dio({})' }}\nterms = {{ N = {{ K = 1e5, beta = 1e-3, alpha = 1e-3 }} }}\n[states]\n"
      "angle = {{ rate = '1 + 0*t' }}\np = {{ unit = 'm', rate = 'v' }}\n"
      "v = {{ unit = 'm/s', rate = '(N*cos(angle) - W{})/M' }}\n[run]\nduration = 3\n",
      gap, more);
}

TEST(inclusion, AContactThatTurnsPullingEndsTheRun) {
  const run_data data = simulate(read(lever("p", "*cos(angle)")));
  EXPECT_TRUE(is_failure(data.result.how));
  EXPECT_NEAR(data.result.t, std::acos(0.0), 2e-3);
  EXPECT_NE(data.result.detail.find("does not open its own gap, but closes it"), std::string::npos)
      << data.result.detail;
}

// One that is open may point anywhere: the body falls freely by W t^2/2M above the stop.
TEST(inclusion, AContactThatDoesNotActMayTurn) {
  const run_data data = simulate(
      read(lever("p + 100*one", "")
               .replace(lever("p + 100*one", "").find("W = '1 N'"), 9, "W = '1 N', one = '1 m'")));
  EXPECT_EQ(data.result.how, outcome::completed) << data.result.detail;
  EXPECT_NEAR(data["p"].back(), -4.5, 1e-6);
}

// ---- contacts -----------------------------------------------------------------------------------

std::string dropped_from(double height, const std::string& wishes) {
  return fmt::format(
      "system = {{ kind = 'inclusion' }}\ndefinitions = {{ N = 'dio(z)' }}\nparameters = {{ m = '2 "
      "kg', g = '9.8 m/s^2' }}\nterms = {{ N = {{ {} }} }}\n[states]\nz = {{ unit = 'm', rate = "
      "'w', "
      "initial = {:.17g} }}\nw = {{ unit = 'm/s', rate = 'N/m - g' }}\n[run]\nduration = {:.17g}\n",
      wishes, height, 1.3 * std::sqrt(2 * height / 9.8));
}

// By the height that the energy behind the first impact reaches.
double rebound(const run_data& data, double height) {
  for (const auto& each : data.events)
    if (each.name == "liftoff N")
      return std::sqrt((each.state[0] + each.state[1] * each.state[1] / (2 * 9.8)) / height);
  return 0;
}

TEST(inclusion, RestitutionIsMetUnderWeightFromLowAndHighDrops) {
  for (const double wanted : {0.3, 0.5, 0.8})
    for (const double height : {5e-3, 0.05, 0.8, 10.0}) {
      const scenario s = read(dropped_from(height, fmt::format("restitution = {}", wanted)));
      EXPECT_TRUE(s.warnings.empty()) << s.warnings[0];
      const run_data data = simulate(s);
      ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
      EXPECT_NEAR(rebound(data, height), wanted, 0.01 * wanted) << height;
    }
}

// Where the contact is to be soft the warning says what comes, and it does.
TEST(inclusion, AWarningSaysWhatRestitutionASoftContactHas) {
  const char* const wishes = "restitution = 0.3, deflection = '10 um'";
  const scenario s = read(dropped_from(5e-3, wishes));
  ASSERT_EQ(s.warnings.size(), 1U);
  double low = 0, middle = 0, high = 0;
  const std::string text = s.warnings[0].substr(s.warnings[0].find("it is "));
  ASSERT_EQ(std::sscanf(text.c_str(),
                        "it is %lf after a drop from 0.005 m, %lf from 0.1 m and %lf from 10 m",
                        &low, &middle, &high),
            3)
      << text;
  EXPECT_LT(low, 0.27);
  for (const auto& [height, told] : {std::pair{5e-3, low}, {0.1, middle}, {10.0, high}})
    EXPECT_NEAR(rebound(simulate(read(dropped_from(height, wishes))), height), told, 2e-3)
        << height;
}

// Two wheels with backlash, one driven by a torque that comes later: K is for that torque, and the
// run says how deep the teeth went.
const char* const joint = R"(
[system]
kind = 'inclusion'
[parameters]
J_m = '1e-3 kg m^2'
J_l = '5e-2 kg m^2'
gap = '0.005 1'
T = '1.5 N m'
[definitions]
tooth_r = 'dio(gap - (q_m - q_l))'
tooth_l = 'dio(gap + (q_m - q_l))'
[states]
q_m = { unit = '1', rate = 'w_m' }
q_l = { unit = '1', rate = 'w_l' }
w_m = { unit = '1/s', rate = '(T*sin(2*pi*t) - tooth_r + tooth_l)/J_m' }
w_l = { unit = '1/s', rate = '(tooth_r - tooth_l)/J_l' }
[run]
duration = 2
)";

TEST(inclusion, StiffnessOfARotaryContactFollowsTheTorqueOfTheRun) {
  const scenario s = read(joint);
  EXPECT_TRUE(s.warnings.empty());
  const auto& terms = dynamic_cast<const inclusion_system&>(*s.system).equations().terms;
  const double inertia = 1 / (1 / 1e-3 + 1 / 5e-2), load = 1.5 / 1e-3 * inertia;  // of the gap
  for (const auto& each : terms) EXPECT_NEAR(each.K, load / 1e-5, 1e-3 * load / 1e-5) << each.name;
  const run_data data = simulate(s);
  ASSERT_EQ(data.result.how, outcome::completed);
  double deepest = 0;
  for (std::size_t i = 0; i < data["t"].size(); ++i)
    deepest = std::max(deepest, std::abs(data["q_m"][i] - data["q_l"][i]) - 0.005);
  EXPECT_LT(deepest, 1e-3);
  std::string said = data.result.detail;
  for (const auto& each : data.doubts) said += each;
  for (const char* part : {"contact 'tooth_r' was", "contact 'tooth_l' was", "against 1e-05"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
}

// Thrown at 10 rad/s a tooth goes 10/sqrt(K/m) deep, far more than under the torque. It is named, and
// with the K that is advised it stays within what the warning says.
TEST(inclusion, AContactThatGoesFarTooDeepIsNamedWithAStiffnessThatDoesNot) {
  const auto thrown = [](const std::string& terms) {
    return simulate(read(fmt::format("{}initial = {{ w_m = 10 }}\n{}", terms, joint)));
  };
  const run_data data = thrown("");
  std::string terms;
  for (const auto& text : data.doubts) {
    const auto name = text.find("'tooth_"), at = text.find("with K = ");
    ASSERT_TRUE(name != std::string::npos && at != std::string::npos) << text;
    EXPECT_NE(text.find("against 1e-05"), std::string::npos) << text;
    terms +=
        fmt::format("terms.{}.K = {}\n", text.substr(name + 1, 7), std::stod(text.substr(at + 9)));
  }
  ASSERT_NE(terms.find("tooth_r"), std::string::npos);
  for (const auto& text : thrown(terms).doubts) ADD_FAILURE() << text;
}

// ---- Painleve's rod -----------------------------------------------------------------------------

// A rod of length 1 m slides on its lower tip. Pulled, it follows the rigid rod, whose normal force
// follows from a tip that stays on the ground. Pushed with a large friction it jams: no rigid rod has
// a force that would do. Here it is thrown off within what the warning says.
std::string rod(double speed, double friction, const std::string& terms = "") {
  return fmt::format(R"({}
initial = {{ y = {}, th = 1.2, vx = {} }}
system = {{ kind = 'inclusion' }}
parameters = {{ m = '1 kg', l = '0.5 m', I = '{} kg m^2', mu = '{} 1', g = '9.81 m/s^2' }}
definitions = {{ N = 'dio(y - l*sin(th))', F = 'mu*N*sgn(vx + l*w*sin(th))' }}
[states]
x = {{ unit = 'm', rate = 'vx' }}
y = {{ unit = 'm', rate = 'vy' }}
th = {{ unit = 'rad', rate = 'w' }}
vx = {{ unit = 'm/s', rate = '-F/m' }}
vy = {{ unit = 'm/s', rate = 'N/m - g' }}
w = {{ unit = 'rad/s', rate = '(-N*l*cos(th) - F*l*sin(th))/I' }}
[run]
duration = 0.1
)",
                     terms, 0.5 * std::sin(1.2), speed, 1.0 / 12, friction);
}

TEST(inclusion, ARodPulledOverTheGroundFollowsTheRigidOne) {
  constexpr double l = 0.5, I = 1.0 / 12, mu = 0.4, g = 9.81, h = 1e-4;
  const auto rates = [&](const std::array<double, 4>& s) {  // th, vx, w, x
    const double c = std::cos(s[0]), n = std::sin(s[0]);
    const double N = (g - l * n * s[2] * s[2]) / (1 + l * l * (c * c + mu * n * c) / I);
    return std::array{s[2], -mu * N, -N * l * (c + mu * n) / I, s[1]};
  };
  std::array<double, 4> s{1.2, 2, 0, 0};
  for (int step = 0; step < 1000; ++step) {
    auto middle = s;
    const auto at_start = rates(s);
    for (std::size_t i = 0; i < s.size(); ++i) middle[i] += h / 2 * at_start[i];
    const auto at_middle = rates(middle);
    for (std::size_t i = 0; i < s.size(); ++i) s[i] += h * at_middle[i];
  }
  const run_data data = simulate(read(rod(2, mu)));
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_TRUE(data.doubts.empty());
  EXPECT_NEAR(data["th"].back(), s[0], 4e-5);  // 1e-5 m deep, over l cos(th)
  EXPECT_NEAR(data["x"].back(), s[3], 2e-5);
  EXPECT_NEAR(data["vx"].back(), s[1], 2e-4);
  EXPECT_NEAR(data["w"].back(), s[2], 2e-3);
}

TEST(inclusion, ARodThatJamsIsNamedWithAStiffnessThatSatisfies) {
  for (const double friction : {1.2, 3.0}) {
    const run_data data = simulate(read(rod(-2, friction)));
    ASSERT_EQ(data.result.how, outcome::completed);
    ASSERT_EQ(data.doubts.size(), 1U);
    const auto at = data.doubts.front().find("with K = ");
    ASSERT_NE(at, std::string::npos) << data.doubts.front();
    const double K = std::stod(data.doubts.front().substr(at + 9));
    const run_data stiffer = simulate(read(rod(-2, friction, fmt::format("terms.N.K = {}", K))));
    ASSERT_EQ(stiffer.result.how, outcome::completed);
    for (const auto& text : stiffer.doubts) ADD_FAILURE() << text;
  }
}

// ---- reactions ----------------------------------------------------------------------------------

TEST(inclusion, AMissingReactionIsNamed) {
  const auto warnings = [](const std::string& rate_of_second) {
    return read(fmt::format(R"(
system = {{ kind = 'inclusion' }}
parameters = {{ m = '1 kg', M = '3 kg', mu = '0.5 1', g = '9.8 m/s^2' }}
definitions = {{ N = 'dio(z - Z)', rub = 'mu*N*sgn(v - V)', ground = 'dio(Z)' }}
energy = {{ E = 'm*(v^2 + w^2)/2 + M*(V^2 + W^2)/2' }}
[states]
z = {{ unit = 'm', rate = 'w' }}
Z = {{ unit = 'm', rate = 'W' }}
v = {{ unit = 'm/s', rate = '-rub/m', initial = 1 }}
w = {{ unit = 'm/s', rate = 'N/m - g' }}
{}
[run]
duration = 0.1
)",
                            rate_of_second))
        .warnings;
  };
  const std::string V = "V = { unit = 'm/s', rate = 'rub/M' }\n";
  const std::string W = "W = { unit = 'm/s', rate = '(ground - N)/M - g' }\n";
  EXPECT_TRUE(warnings(V + W).empty()) << warnings(V + W)[0];
  struct fault {
    std::string rates;
    const char *term, *state;
  };
  for (const auto& [rates, term, state] :
       {fault{V + "W = { unit = 'm/s', rate = 'ground/M - g' }\n", "'N'", "rate of W"},
        fault{V + "W = { unit = 'm/s', rate = '(ground - 2*N)/M - g' }\n", "'N'", "rate of W"},
        fault{"V = { unit = 'm/s', rate = 'rub/M/2' }\n" + W, "'rub'", "rate of V"}}) {
    const auto found = warnings(rates);
    ASSERT_EQ(found.size(), 1U) << rates;
    EXPECT_NE(found[0].find(term), std::string::npos) << found[0];
    EXPECT_NE(found[0].find(state), std::string::npos) << found[0];
  }
}

// Powers that cancel leave rounding, which is no reaction.
TEST(inclusion, NothingIsMissingWhereBodiesAreCoupledByTheirMasses) {
  const std::string file = ASPERITY_SOURCE_DIR "/examples/inclusions/conveyor_pendulum.toml";
  for (const auto& each : read_scenario(file).warnings) ADD_FAILURE() << each;
}

TEST(inclusion, AnotherSystemIsNoInclusion) {
  try {
    read_stated_inclusion(ASPERITY_SOURCE_DIR "/examples/stick_slip.toml");
    FAIL();
  } catch (const error& problem) {
    for (const char* fragment : {"stick_slip.toml", "pulled_mass", "kind = \"inclusion\""})
      EXPECT_NE(std::string(problem.what()).find(fragment), std::string::npos) << problem.what();
  }
}

// Friction as sgn stops a body of 2 kg after m v/F seconds, and holds it there.
TEST(inclusion, SgnStopsABodyAndHoldsIt) {
  const auto data = simulate(read(R"toml(
[system]
kind = "inclusion"
[states]
x = { rate = "v", unit = "m" }
v = { rate = "-F/m*sgn(v)", unit = "m/s", initial = 1 }
[parameters]
F = "4 N"
m = "2 kg"
[run]
duration = 1
)toml"));
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_NEAR(data["v"].back(), 0, 1e-6);
  EXPECT_NEAR(data["x"].back(), 2.0 / (2 * 4), 1e-3);
}

}  // namespace
}  // namespace asperity
