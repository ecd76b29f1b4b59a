// SPDX-License-Identifier: Apache-2.0
#include "cli/new_files.hpp"

#include <algorithm>
#include <asperity/error.hpp>

namespace asperity::cli {

namespace {

// NAME stands for the name in all of these texts.
std::string named(std::string_view text, const std::string& name) {
  constexpr std::string_view mark = "NAME";
  std::string result;
  for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark)) {
    result += text.substr(0, at);
    result += name;
    text.remove_prefix(at + mark.size());
  }
  return result += text;
}

// ---- models --------------------------------------------------------------------------------------

// What differs between families: the head of the header with the equations, the struct, the
// equations on the page, what it does, and a fact.
struct family_texts {
  const char* family;
  const char* about;
  const char* includes;
  const char* body;
  const char* equations;
  const char* does;
  const char* fact;
};

constexpr family_texts families[] = {
    {"friction",
     R"(// A spring that slips more and more as it nears the friction force (Dahl 1968).
//
//   z_dot = v - |v| K z/(F load)                deflection                               [m/s]
//   f     = K z                                                                          [N])",
     "#include <asperity/model.hpp>",
     R"(template <scalar S>
struct NAME {
  S K = lit<S>(1e5), F = lit<S>(1.0);

  static constexpr int states = 1;

  // Title, source, claims; then every field with its unit, allowed range and meaning.
  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("NAME", "your source", odd | passive | bounded | rate_independent | continuous);
    card.parameter("K", K, newton / metre, positive, "stiffness");
    card.parameter("F", F, newton, positive, "friction force at load 1");
    card.state("z", metre, "deflection");
  }

  // Force and rates of the states together. No branch on an S: math::select, sat, min, max.
  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S z = state[0], f = K * z;
    return {f, {{in.v - math::abs<S>(in.v) * (f / (F * in.load))}}};
  }

  // Optional members; asperity/model.hpp lists all. This is what `passive` is measured by ...
  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return lit<S>(0.5) * K * math::square<S>(state[0]);
  }
  // ... and this what `bounded` means.
  ASPERITY_FN S force_bound(const drive<S>& in) const { return F * in.load; }
};)",
     "z_dot = v - |v| K z/(F load)        f = K z",
     "The force bends over from a spring of the stiffness `K` to the friction force `F`.",
     R"(// Twice the deflection, twice the force, and at the friction force it deflects no further.
TEST(NAME, SlidesAtTheFrictionForce) {
  const NAME<double> law{.K = 1000, .F = 2};
  EXPECT_EQ(law({{2e-3}}, {0, 1, 1}).f, 2 * law({{1e-3}}, {0, 1, 1}).f);
  EXPECT_EQ(law({{2e-3}}, {0, 1, 1}).rate[0], 0);
})"},
    {"contact",
     R"(// A spring with a damper that bodies meet (Hunt and Crossley 1975).
//
//   d = max(0, -x)                              indentation, x the gap                   [m]
//   f = max(0, K d (1 - c v))                   v the rate of the gap                    [N])",
     "#include <asperity/model.hpp>",
     R"(template <scalar S>
struct NAME {
  S K = lit<S>(1e4), c = lit<S>(0.1);

  static constexpr int states = 0;

  // Title, source, claims; then every field with its unit, allowed range and meaning.
  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("NAME", "your source", passive | continuous | never_pulls);
    card.parameter("K", K, newton / metre, positive, "stiffness");
    card.parameter("c", c, second / metre, non_negative, "damping over stiffness and indentation");
  }

  // Force and rates of the states together. No branch on an S: math::select, sat, min, max.
  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>& in) const {
    const S zero = lit<S>(0.0), d = math::max<S>(zero, -in.x);
    return {math::max<S>(zero, K * d * (lit<S>(1.0) - c * in.v)), {}};
  }

  // Optional members; asperity/model.hpp lists all. This is what `passive` is measured by.
  ASPERITY_FN S stored_energy(const vec<S, 0>&, const drive<S>& in) const {
    return lit<S>(0.5) * K * math::square<S>(math::max<S>(lit<S>(0.0), -in.x));
  }
};)",
     "d = max(0, -x)        f = max(0, K d (1 - c v))",
     "It pushes as deep as it is pressed, more on the way in than on the way out.",
     R"(// Open, it does not push; at rest it is a spring.
TEST(NAME, PushesOnlyWhereItIsPressed) {
  const NAME<double> law{.K = 100, .c = 1};
  EXPECT_EQ(law({}, {0.01, -5}).f, 0);
  EXPECT_EQ(law({}, {-0.01, 0}).f, 1);
})"},
    {"hysteresis",
     R"(// A first-order lag.
//
//   z_dot = (x - z)/T                                                                    [1/s]
//   f     = z                                                                            [1])",
     "#include <asperity/model.hpp>",
     R"(template <scalar S>
struct NAME {
  S T = lit<S>(1.0);

  static constexpr int states = 1;

  // Title, source, claims; then every field with its unit, allowed range and meaning.
  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("NAME", "your source", odd | continuous);
    card.parameter("T", T, second, positive, "time constant");
    card.state("z", one, "output");
  }

  // Output and rates of the states together. No branch on an S: math::select, sat, min, max.
  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    return {state[0], {{(in.x - state[0]) / T}}};
  }
};)",
     "z_dot = (x - z)/T        f = z",
     "The output follows the input late; its loops vanish for slow inputs.",
     R"(// It goes to the input, the faster the shorter T.
TEST(NAME, RatesAreTheDistanceOverTheTime) {
  const NAME<double> law{.T = 0.5};
  EXPECT_EQ(law({{1}}, {1, 0, 1}).rate[0], 0);
  EXPECT_EQ(law({{0}}, {1, 0, 1}).rate[0], 2);
})"},
    {"curve",
     R"(// A Stribeck curve: steady friction falls from F_s to F_c with the speed.
//
//   g(v) = F_c + (F_s - F_c)/(1 + |v/v_s|)                                               [N]
//   f    = sgn(v) g(v) load                                                              [N])",
     "#include <asperity/curve.hpp>",
     R"(template <scalar S>
struct NAME {
  S F_c = lit<S>(1.0), F_s = lit<S>(1.5), v_s = lit<S>(1e-3);

  static constexpr int states = 0;

  // Title, source, claims; then every field with its unit, allowed range and meaning.
  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("NAME", "your source", odd | passive | bounded);
    card.parameter("F_c", F_c, newton, positive, "Coulomb friction force");
    card.parameter("F_s", F_s, newton, positive, "stiction force, at least F_c");
    card.parameter("v_s", v_s, metre / second, positive, "Stribeck velocity");
  }

  ASPERITY_FN S level(const S& v) const {
    return F_c + (F_s - F_c) / (lit<S>(1.0) + math::abs<S>(v / v_s));
  }
  ASPERITY_FN S viscous(const S& v) const { return lit<S>(0.0) * v; }
  ASPERITY_FN S highest() const { return F_s; }

  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>& state, const drive<S>& in) const {
    return side(state, in, in.v);
  }
  // The limits of the jump at v = 0, from either side.
  ASPERITY_FN response<S, 0> side(const vec<S, 0>&, const drive<S>& in, const S& direction) const {
    return {steady_friction(*this, in, direction), {}};
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return highest() * in.load; }

  // A rule between parameters.
  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return F_s < F_c ? validity{validity::refused, "F_s must be at least F_c"} : validity{};
  }
};)",
     "g(v) = F_c + (F_s - F_c)/(1 + |v/v_s|)        f = sgn(v) g(v) load",
     "Friction in steady sliding falls from `F_s` to `F_c`, half of the way at `v_s`.",
     R"(// Half of what it loses is lost at v_s.
TEST(NAME, FallsHalfOfTheWayAtTheStribeckVelocity) {
  const NAME<double> law{.F_c = 1, .F_s = 3, .v_s = 0.5};
  EXPECT_EQ(law.level(0.5), 2);
  EXPECT_EQ(law.level(-0.5), 2);
})"},
    {"planar",
     R"(// A disc on a film of oil.
//
//   f      = c v                                                                         [N]
//   torque = c R^2/2 omega                                                               [N m])",
     "#include <asperity/planar.hpp>",
     R"(template <scalar S>
struct NAME {
  S c = lit<S>(1.0), R = lit<S>(0.1);

  // Title, source, claims; then every field with its unit, allowed range and meaning.
  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("NAME", "your source", odd | passive | continuous);
    card.parameter("c", c, newton * second / metre, positive, "drag");
    card.parameter("R", R, metre, positive, "radius of the disc");
  }

  // t is v_x, v_y, omega; the answer f_x, f_y, torque.
  ASPERITY_FN wrench<S> operator()(const twist<S>& t) const {
    return {{c * t[0], c * t[1], lit<S>(0.5) * c * R * R * t[2]}};
  }
};)",
     "f = c v        torque = c R^2/2 omega",
     "A disc that slides and spins on oil: even drag over its area.",
     R"(// Power is c v^2, and c R^2/2 omega^2.
TEST(NAME, TakesPowerFromSlidingAndSpinning) {
  const NAME<double> law{.c = 2, .R = 1};
  EXPECT_EQ(dot(law({{3, 0, 0}}), twist<double>{{3, 0, 0}}), 18);
  EXPECT_EQ(dot(law({{0, 0, 3}}), twist<double>{{0, 0, 3}}), 9);
})"}};

constexpr const char* page = R"(---
title: NAME
source: your source
---

## Equations

```
EQUATIONS
```

## What it does

DOES

## What it does not

Say what to expect of other models.

## Choosing parameters

Say how the parameters follow from a measurement.

## When to take another

Say when, and which.
)";

constexpr const char* build_file = R"(# SPDX-License-Identifier: Apache-2.0
# Builds NAME.so, which asperity loads:
#
#   cmake -S . -B build && cmake --build build
#   asperity check build/NAME.so
#   asperity --plugin build/NAME.so show NAME
#
# Where asperity is not installed in a usual place: cmake ... -DCMAKE_PREFIX_PATH=<its prefix>, or, from its
# build tree, -Dasperity_DIR=<its folder>/build/release.
cmake_minimum_required(VERSION 3.25)
project(NAME LANGUAGES CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_package(asperity COMPONENTS models REQUIRED)
asperity_add_plugin(NAME FAMILYNAME.hpp)

# Facts about it, where GoogleTest is installed: ctest --test-dir build
find_package(GTest CONFIG QUIET)
if(GTest_FOUND)
  enable_testing()
  add_executable(NAME_test NAME_test.cpp)
  target_link_libraries(NAME_test PRIVATE asperity::models GTest::gtest_main)
  include(GoogleTest)
  gtest_discover_tests(NAME_test)
endif()
)";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

// ---- scenarios -----------------------------------------------------------------------------------

constexpr const char* scenario_text =
    R"(# A mass that is pulled by a spring over a surface: it sticks and slips.
#
#   asperity run NAME.toml                      # writes NAME.run with series, events and a plot
#   asperity run NAME.toml --set friction.F_s=2 --out stronger
#
# Numbers are SI; a text may have a unit: "2 N/mm".
title = "NAME"

[system]
kind = "pulled_mass"      # asperity systems lists what there is, asperity show pulled_mass its keys
mass = 1.0                # kg
stiffness = "2 N/m"       # of the spring
speed = "0.1 m/s"         # of its free end

[friction]
model = "lugre"           # asperity models lists them, asperity show lugre its parameters
sigma_0 = "0.1 N/um"
sigma_1 = 316
F_c = 1.0
F_s = 1.5
v_s = "1 mm/s"
sigma_2 = 0.4

# [initial]               # states at the start; 0 by default
# x = "1 mm"

# [integrator]            # asperity methods lists them; chosen as the run goes by default
# method = "trbdf2"

[run]
duration = "30 s"
sample = "10 ms"
)";

constexpr const char* inclusion_text =
    R"toml(# A system of your own with set-valued terms, stated as formulas: sgn is the set-valued sign (Coulomb friction),
# dio(x) a force that keeps x from falling below 0 (rigid contact).
#
#   asperity run NAME.toml                      # as any other scenario
#   asperity inclusion NAME.toml --show         # the ODE that it becomes
#   asperity inclusion NAME.toml --emit c --out NAME.c
title = "NAME"

[system]
kind = "inclusion"

[parameters]              # names of your choice, with units
m = "1 kg"
k = "100 N/m"
mu = "0.3 1"
g = "9.81 m/s^2"

[inputs]                  # functions of time, with their unit; asperity signals lists the kinds
push = { unit = "N", kind = "sine", amplitude = "6 N", frequency = "1 Hz" }

[definitions]             # the set-valued terms, and whatever is used twice
friction = "mu*m*g*sgn(v)"

[states]
x = { unit = "m", rate = "v", initial = 0.05 }
v = { unit = "m/s", rate = "(push - k*x - friction)/m" }

[terms]                   # each set-valued term is an elastic one with this stiffness and damping
friction = { K = "1e5 N/m", beta = 1e-2 }

[energy]                  # for asperity run --audit
kinetic = "m*v^2/2"
spring = "k*x^2/2"

[run]
duration = "5 s"
)toml";

// ---- systems -------------------------------------------------------------------------------------

constexpr const char* system_mechanics = R"(// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass on a damper: m v' = force(t) - c v, x' = v. y = (x, v).

#include <asperity/mechanics/signal.hpp>

namespace asperity {

struct NAME {
  double m = 1, c = 1;
  signal force;

  static constexpr int capacity = 2;
  int size() const { return 2; }
  void rates(double t, const double* y, double* rate) const {
    rate[0] = y[1];
    rate[1] = (force.value(t) - c * y[1]) / m;
  }
};

}  // namespace asperity
)";

constexpr const char* system_card = R"(// SPDX-License-Identifier: Apache-2.0
#include <asperity/mechanics/system_parts.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/systems/NAME.hpp>

namespace asperity {

namespace {

// States, outputs and inputs, and what is observed and told beside them.
class NAME_system final : public system_of<NAME> {
 public:
  explicit NAME_system(NAME mass) : system_of("NAME", std::move(mass)) {
    add_state("x", units::metre);
    add_state("v", units::speed);
    add_output("drag", units::newton);
    add_input("force", units::newton, m_.force);
  }
  void observe(double, const double* y, double* out, workspace&) const override {
    out[0] = m_.c * y[1];
  }
  std::vector<event> events(workspace& w) const override { return {reversal_of(1, w)}; }
};

// Every key once, with its unit, range and meaning.
std::shared_ptr<system> build(system_builder& b) {
  NAME mass;
  b.required("mass", mass.m, units::kilogram, positive, "mass of the body");
  b.required("damping", mass.c, units::newton * units::second / units::metre, positive,
             "damping of the damper");
  b.root.optional("force", mass.force, units::newton, "force on the mass");
  return std::make_shared<NAME_system>(std::move(mass));
}

}  // namespace

namespace detail {

extern const system_row NAME{.name = "NAME", .what = "a mass on a damper", .build = build};

}  // namespace detail

}  // namespace asperity
)";

constexpr const char* system_page = R"(---
title: NAME
source: your source
---

## What it is

A mass on a damper.

```text
   c    +---+
|--[]---| m | -> x
        +---+
```

## Equations

```
m v' = force(t) - c v        x' = v
```

## Events

`reversal`, where v comes to zero or changes its sign.

## Energy

Not stated.

## Scenario

```toml
[system]
kind = "NAME"
mass = 1
damping = 2

[initial]
v = 1

[run]
duration = 1
```
)";

constexpr const char* system_test = R"(// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

// Left alone it slows down like exp(-c t/m).
TEST(NAME, SlowsDownExponentially) {
  const auto data = simulate(read_scenario(
      parse_toml("system = { kind = 'NAME', mass = 1, damping = 2 }\ninitial = { v = 1 }\n"
                 "integrator = { relative_tolerance = 1e-9 }\nrun = { duration = 1 }\n",
                 "test"),
      "test", ""));
  for (std::size_t i = 0; i < data["t"].size(); ++i)
    EXPECT_NEAR(data["v"][i], std::exp(-2 * data["t"][i]), 1e-7);
}

}  // namespace
}  // namespace asperity
)";

}  // namespace

const std::vector<std::string>& new_kinds() {
  static const std::vector<std::string> names{"model", "scenario", "inclusion", "system"};
  return names;
}

const std::vector<std::string>& new_families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const family_texts& each : families) all.emplace_back(each.family);
    return all;
  }();
  return names;
}

std::vector<new_file> new_model(const std::string& name, const std::string& family) {
  const auto* of = std::find_if(std::begin(families), std::end(families),
                                [&](const family_texts& each) { return each.family == family; });
  if (of == std::end(families)) throw error("there is no family '" + family + "'");
  const std::string licence = "// SPDX-License-Identifier: Apache-2.0\n";
  const std::string header = licence + "#pragma once\n\n" + of->about + "\n\n" + of->includes +
                             "\n\nnamespace asperity {\n\n" + of->body +
                             "\n\n}  // namespace asperity\n";
  const std::string test = licence + "#include <gtest/gtest.h>\n\n#include \"NAME.hpp\"\n\n" +
                           "namespace asperity {\nnamespace {\n\n" + of->fact +
                           "\n\n}  // namespace\n}  // namespace asperity\n";
  const std::string word = family == new_families().front() ? "" : "FAMILY " + family + " ";
  return {{name + ".hpp", named(header, name)},
          {name + ".md",
           named(replaced(replaced(page, "EQUATIONS", of->equations), "DOES", of->does), name)},
          {name + "_test.cpp", named(test, name)},
          {"CMakeLists.txt", named(replaced(build_file, "FAMILYNAME", word + "NAME"), name)}};
}

std::vector<new_file> new_scenario(const std::string& name) {
  return {{name + ".toml", named(scenario_text, name)}};
}

std::vector<new_file> new_inclusion(const std::string& name) {
  return {{name + ".toml", named(inclusion_text, name)}};
}

std::vector<new_file> new_system(const std::string& name) {
  return {{name + ".hpp", named(system_mechanics, name)},
          {name + ".cpp", named(system_card, name)},
          {name + ".md", named(system_page, name)},
          {name + "_test.cpp", named(system_test, name)}};
}

}  // namespace asperity::cli
