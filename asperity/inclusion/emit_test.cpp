// SPDX-License-Identifier: Apache-2.0
// Emitted code is compiled by the compilers of its language, run, and compared with our own
// trajectory. That ties the text of the laws in notation.cpp to the models dai and dai_contact.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/inclusion/choice.hpp>
#include <asperity/inclusion/emit.hpp>
#include <asperity/run/inclusion/inclusion.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/text/csv.hpp>
#include <cmath>
#include <regex>
#include <sstream>

#include "tests/folder.hpp"

namespace asperity {
namespace {

namespace fs = std::filesystem;

// What the examples do not have: planar friction with a factor that is not constant, every kind of
// input, every function, powers, and names that mean something else somewhere.
const char* const everything = R"toml(
title = "Everything at once: 100 % of \"it\" \\"
[system]
kind = "inclusion"
[parameters]
M = "1 kg"
mu = "0.3 1"
g = "9.8 m/s^2"
double = "5 N/m"
end = "2 N s/m"
c3 = "0.1 N/m^3"
L = "1 m"
w = "1 1/s"
n = 1.5
unused = 3
[inputs]
push = { kind = "sine", unit = "N", amplitude = 4, frequency = 0.8, offset = 0.5, phase = 0.3 }
side = { kind = "nodes", unit = "N", times = [0, 0.5, 1, 1.7], values = [0, 3, -3, 1] }
held = { kind = "nodes", unit = "N", times = [0.1, 0.5, 1], values = [0, 0.3, -0.3], join = "hold" }
smooth = { kind = "nodes", unit = "N", times = [0, 0.4, 1.1, 1.5], values = [0, 1, -1, 0], join = "cubic" }
climb = { kind = "ramp", unit = "N", slope = 2, limit = 1, start = 0.2 }
fall = { kind = "ramp", unit = "N", slope = -1, offset = 1, limit = -0.5 }
steady = "0.25 N"
[inputs.waves]
kind = "nodes"
unit = "N"
times = [0, 0.6, 1.2]
values = [0, 0.5, -0.5]
join = "half_cosine"
[inputs.parts]
kind = "piecewise"
unit = "N"
[[inputs.parts.piece]]
value = 1
until = 0.4
[[inputs.parts.piece]]
kind = "ramp"
slope = -3
start = 0.4
offset = 1
until = 1.2
[[inputs.parts.piece]]
kind = "multisine"
tone = [{ amplitude = 1, omega = 5 }, { amplitude = -0.5, omega = 9, phase = -1 }]
[definitions]
N = "dio(z)"
F = "mu*(N + 2*steady)*sgn([vx - 0.1*vz, vy])"
rub = "mu*N/(1 + abs(spin))*sgn(spin)"
spring = "double*x + c3*x^3 - end*vx*abs(vx)/(1 + abs(vx))*vscale"
vscale = "min(1, max(0.2, cos(w*t)))*exp(-sqrt(0.01 + (x/L)^2))^n*tanh(2 + sin(w*t))/cosh(atan(x/L))"
alias = "rub"
beside = "log(2 + (y/L)^-2*0 + (y/L)^0.5*0)"
[states]
x = { unit = "m", rate = "vx" }
y = { unit = "m", rate = "vy", initial = 0.1 }
z = { unit = "m", rate = "vz", initial = 0.01 }
vx = { rate = "(push + parts - spring - F.x)/M", initial = 0.2 }
vy = { rate = "(side + held + waves + smooth - F.y)/M - -0.1*y*w^2" }
vz = { rate = "(N + climb - fall/2)/M - g" }
spin = { rate = "(2 - alias - 0.1*beside)/0.4", initial = 1 }
while = { rate = "-while*0.5 - (1 - (2 - while))", initial = 1 }
[integrator]
method = "rk4"
step = 1e-3
[run]
duration = 2
sample = 0
)toml";

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

class emit_test : public testing::in_folder {
 protected:
  void SetUp() override { write("everything.toml", everything); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found{folder / "everything.toml"};
    for (const auto& each : fs::directory_iterator(ASPERITY_SOURCE_DIR "/examples/inclusions"))
      if (each.path().extension() == ".toml") found.push_back(each.path());
    std::sort(found.begin(), found.end());
    EXPECT_GE(found.size(), 2U);
    return found;
  }

  // The file under RK4 at the step that an emitted main takes, cut to so many steps.
  static std::vector<std::string> explicit_run(const fs::path& file, double steps) {
    const stated_inclusion stated = read_stated_inclusion(file.string());
    const double h = emitted_step(stated.system, stated.setting);
    const double duration = std::min(stated.setting.duration, steps * h);
    const auto number = [](double x) {
      std::ostringstream text;
      text.precision(17);
      text << x;
      return text.str();
    };
    return {"integrator.method=rk4", "integrator.step=" + number(h),
            "run.duration=" + number(duration), "run.sample=0", "run.events=false"};
  }

  void do_in_folder(const std::string& command) const {
    const std::string all = "cd '" + folder.string() + "' && (" + command + ") > log 2>&1";
    ASSERT_EQ(std::system(all.c_str()), 0) << command << "\n" << content("log");
  }

  // Rows of the emitted program against our own run.
  void compare(const fs::path& file, const std::vector<std::string>& settings,
               const std::string& csv) const {
    const scenario s = read_scenario(file.string(), settings);
    const run_data ours = simulate(s);
    ASSERT_EQ(ours.result.how, outcome::completed) << file << ours.result.detail;
    const csv_table theirs = csv_table::read(path(csv));
    const auto states = states_of(s);
    ASSERT_GT(ours["t"].size(), 100U);
    ASSERT_EQ(theirs.column("t"), ours["t"]) << file;
    for (const auto& state : states) {
      const auto &a = ours[state.name], b = theirs.column(state.name);
      double largest = 0, worst = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i]));
        worst = std::max(worst, std::abs(a[i] - b[i]));
      }
      // The operations are the same in the same order: nothing but rounding of exp, sin ... in
      // another library could differ.
      EXPECT_LE(worst, 1e-12 * largest) << file << " " << state.name;
    }
  }

  static std::string code(const fs::path& file, const std::vector<std::string>& settings,
                          language in, bool with_main) {
    const stated_inclusion stated = read_stated_inclusion(file.string(), settings);
    return emit(stated.system, stated.setting, in, {with_main, "test"});
  }
};

TEST_F(emit_test, CCompilesWithoutAWarningAndComputesWhatWeCompute) {
  for (const auto& file : files()) {
    const auto settings = explicit_run(file, 4000);
    write("program.c", code(file, settings, language::c, true));
    ASSERT_NO_FATAL_FAILURE(do_in_folder(
        "cc -std=c99 -Wall -Wextra -Werror -pedantic -O1 -o program program.c -lm && ./program > "
        "rows.csv"))
        << file;
    compare(file, settings, "rows.csv");
  }
}

// A title ends no comment, whatever it holds.
TEST_F(emit_test, TitleOfSeveralLinesIsOneLine) {
  const std::vector<std::string> settings{"title=one\nbroken two\r\nbroken three \\"};
  for (const auto& name : emitted_languages()) {
    const language in = find_emitted_language(name);
    const std::string text = code(folder / "everything.toml", settings, in, false);
    EXPECT_NE(text.find("one broken two"), std::string::npos) << name;
    EXPECT_EQ(text.find("\nbroken"), std::string::npos) << name;
    EXPECT_EQ(text.find('\r'), std::string::npos) << name;
  }
}

TEST_F(emit_test, CWithoutMainIsAModuleOfItsOwn) {
  for (const auto& file : files()) {
    write("module.c", code(file, {}, language::c, false));
    ASSERT_NO_FATAL_FAILURE(
        do_in_folder("cc -std=c99 -Wall -Wextra -Werror -pedantic -c module.c && nm module.o"));
    const std::string symbols = content("log");
    const std::string name = file.stem().string();
    EXPECT_NE(symbols.find("T " + name + "_rates"), std::string::npos) << symbols;
    EXPECT_NE(symbols.find("T " + name + "_initial"), std::string::npos) << symbols;
    EXPECT_EQ(symbols.find("T main"), std::string::npos) << symbols;
  }
}

TEST_F(emit_test, CppFromEveryCompilerComputesWhatWeCompute) {
  int compilers = 0;
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!is_installed(compiler)) continue;
    ++compilers;
    for (const auto& file : files()) {
      // Headers take most of the time: the second compiler sees the richest file only.
      if (compilers == 2 && file.stem() != "everything") continue;
      const auto settings = explicit_run(file, 2000);
      write("program.cpp", code(file, settings, language::cpp, true));
      ASSERT_NO_FATAL_FAILURE(
          do_in_folder(compiler + " -std=c++20 -Wall -Wextra -Werror -pedantic -ffp-contract=off "
                                  "-o program program.cpp && ./program > rows.csv"))
          << file;
      compare(file, settings, "rows.csv");
    }
  }
  if (compilers == 0) GTEST_SKIP() << "neither g++ nor clang++ is installed";
}

// As the integrators of this library take it, in double and in dual numbers, whose derivatives are
// those of the double system.
TEST_F(emit_test, CppIsASystemOfOursInEveryNumberType) {
  const fs::path file = folder / "everything.toml";
  write("system.hpp", code(file, {}, language::cpp, false));
  write("use.cpp", R"(
#include "system.hpp"
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/scalar/dual.hpp>
#include <cstdio>
using number = asperity::dual<double, 1>;
static_assert(asperity::ode_system<everything<double>>);
static_assert(asperity::ode_system<everything<float>, float>);
static_assert(asperity::ode_system<everything<number>, number>);
int main() {
  constexpr int n = everything<>::capacity;
  const everything<> plain;
  const everything<number> dual;
  double y[n];
  plain.initial(y);
  for (int i = 0; i < 700; ++i) asperity::rk4_step(plain, i*1e-3, 1e-3, y);
  for (int j = 0; j < n; ++j) {
    number z[n], z_rate[n];
    for (int i = 0; i < n; ++i) z[i] = number(y[i]);
    z[j] = number::variable(y[j], 0);
    dual.rates(number(0.7), z, z_rate);
    double above[n], below[n], up[n], down[n];
    const double d = 1e-9*(1 + std::abs(y[j]));
    for (int i = 0; i < n; ++i) above[i] = below[i] = y[i];
    above[j] += d;
    below[j] -= d;
    plain.rates(0.7, above, up);
    plain.rates(0.7, below, down);
    for (int i = 0; i < n; ++i) {
      const double slope = (up[i] - down[i])/(above[j] - below[j]);
      if (!(std::abs(slope - z_rate[i].derivative[0]) <= 1e-4*(1 + std::abs(slope)))) {
        std::printf("d rate %d / d y %d: %g and %g\n", i, j, slope, z_rate[i].derivative[0]);
        return 1;
      }
    }
  }
}
)");
  do_in_folder("g++ -std=c++20 -Wall -Wextra -Werror -I '" ASPERITY_SOURCE_DIR
               "' -o use use.cpp && ./use");
}

TEST_F(emit_test, OctaveComputesWhatWeCompute) {
  if (!is_installed("octave-cli")) GTEST_SKIP() << "octave is not installed (package octave)";
  for (const auto& file : files()) {
    // Interpreted: some hundred steps.
    const auto settings = explicit_run(file, file.stem() == "everything" ? 500 : 150);
    write("script.m", code(file, settings, language::octave, true));
    ASSERT_NO_FATAL_FAILURE(do_in_folder("octave-cli -q --no-history script.m > rows.csv")) << file;
    compare(file, settings, "rows.csv");
  }
  const fs::path file = folder / "everything.toml";
  write("everything_rates.m", code(file, {}, language::octave, false));
  do_in_folder(
      "octave-cli -q --no-history --eval 'd = everything_rates(0, 0.1*ones(12, 1)); "
      "assert(isequal(size(d), [12 1])); assert(all(isfinite(d)))'");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST_F(emit_test, ModelicaHasOneEquationForEveryUnknown) {
  for (const auto& file : files()) {
    const std::string text = code(file, {}, language::modelica, false);
    std::string model;  // without comments and texts
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.rfind("//", 0) != 0)
        model += std::regex_replace(line, std::regex(R"("(\\.|[^"\\])*")"), "") + "\n";
    EXPECT_EQ(count(model, "("), count(model, ")")) << file;
    EXPECT_EQ(count(model, "["), count(model, "]")) << file;
    EXPECT_EQ(count(model, "{"), count(model, "}")) << file;
    EXPECT_EQ(count(model, "if "), count(model, " then")) << file;
    EXPECT_EQ(count(model, "\nequation\n"), 1U);
    const std::string name = file.stem().string();
    EXPECT_EQ(count(model, "model " + name + " "), 1U) << model.substr(0, 200);
    EXPECT_EQ(count(model, "\nend " + name + ";"), 1U);
    EXPECT_EQ(count(model, "\n  function "), count(model, "\n  end nodes_"));

    // After the functions: declarations, then equations.
    const auto split = model.find("\nequation\n");
    std::string declared = model.substr(0, split), equations = model.substr(split);
    const auto last_function = declared.rfind("\n  end nodes_");
    if (last_function != std::string::npos) declared = declared.substr(last_function + 1);
    std::vector<std::string> unknowns, left;
    const std::regex unknown(R"(\n  Real (\w+))"), equation(R"(\n  (der\()?(\w+)\)? = )");
    for (std::sregex_iterator each(declared.begin(), declared.end(), unknown), end; each != end;
         ++each)
      unknowns.push_back((*each)[1]);
    for (std::sregex_iterator each(equations.begin(), equations.end(), equation), end; each != end;
         ++each)
      left.push_back((*each)[2]);
    std::sort(unknowns.begin(), unknowns.end());
    std::sort(left.begin(), left.end());
    EXPECT_EQ(unknowns, left) << file;

    const stated_inclusion stated = read_stated_inclusion(file.string());
    EXPECT_EQ(count(equations, "der("), static_cast<std::size_t>(stated.system.states)) << file;
    EXPECT_EQ(count(declared, "fixed=true"), static_cast<std::size_t>(stated.system.states))
        << file;
    if (is_installed("omc")) {
      write("model.mo", text);
      write("check.mos", "loadFile(\"model.mo\"); checkModel(" + name + "); getErrorString();\n");
      do_in_folder("omc check.mos | tee /dev/stderr | grep -q 'completed successfully'");
    }
  }
}

TEST_F(emit_test, LatexIsBalancedAndCompiles) {
  for (const auto& file : files()) {
    const std::string text = code(file, {}, language::latex, false);
    EXPECT_EQ(count(text, "\\left"), count(text, "\\right")) << file;
    std::vector<std::string> open;
    const std::regex mark(R"(\\(begin|end)\{([a-z]+\*?)\})");
    for (std::sregex_iterator each(text.begin(), text.end(), mark), end; each != end; ++each) {
      if ((*each)[1] == "begin") {
        open.push_back((*each)[2]);
        continue;
      }
      ASSERT_FALSE(open.empty()) << file;
      EXPECT_EQ(open.back(), (*each)[2]) << file;
      open.pop_back();
    }
    EXPECT_TRUE(open.empty()) << file;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '{') {
        ++depth;
      } else if (text[i] == '}') {
        ASSERT_GE(--depth, 0) << file;
      }
    }
    EXPECT_EQ(depth, 0) << file;
    if (is_installed("pdflatex")) {
      write("system.tex", text);
      ASSERT_NO_FATAL_FAILURE(
          do_in_folder("pdflatex -interaction=nonstopmode -halt-on-error system.tex"))
          << file;
    }
  }
}

TEST_F(emit_test, NamesWithAnotherMeaningAreChangedAndNoted) {
  const fs::path file = folder / "everything.toml";
  EXPECT_NE(code(file, {}, language::c, false).find("parameter 'double' is written as double_"),
            std::string::npos);
  EXPECT_NE(code(file, {}, language::c, false).find("state 'y' is written as y_"),
            std::string::npos);
  EXPECT_NE(code(file, {}, language::octave, false).find("parameter 'end' is written as end_"),
            std::string::npos);
  EXPECT_NE(code(file, {}, language::modelica, false).find("state 'while' is written as while_"),
            std::string::npos);
  EXPECT_EQ(code(file, {}, language::modelica, false).find("'double' is written"),
            std::string::npos);
}

TEST_F(emit_test, StepIsTheFilesOwnOrAStableOne) {
  const fs::path file = folder / "everything.toml";
  const stated_inclusion own = read_stated_inclusion(file.string());
  EXPECT_EQ(emitted_step(own.system, own.setting), 1e-3);
  const stated_inclusion stiff = read_stated_inclusion(
      file.string(), {"integrator.method=trbdf2", "terms.N={deflection=1e-9}"});
  const double h = emitted_step(stiff.system, stiff.setting);
  EXPECT_LE(h, 0.5 * stable_steps(stiff.system).rk4);
  EXPECT_GE(h, 0.1 * stable_steps(stiff.system).rk4);
}

TEST_F(emit_test, UnknownLanguageIsAnsweredWithThoseThereAre) {
  try {
    find_emitted_language("fortran");
    FAIL();
  } catch (const error& problem) {
    for (const auto& each : emitted_languages())
      EXPECT_NE(std::string(problem.what()).find(each), std::string::npos);
  }
  for (const auto& each : emitted_languages()) EXPECT_NO_THROW(find_emitted_language(each));
}

}  // namespace
}  // namespace asperity
