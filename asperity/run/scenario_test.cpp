// SPDX-License-Identifier: Apache-2.0
// Scenario files: what they can say, and that every mistake is told with file, line, key, value and
// what is allowed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

const std::string pulled = R"(title = "Base"
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "lugre"
sigma_0 = 1e5
F_c = 1.0
[initial]
x = 0.0
[integrator]
method = "dopri5"
[run]
duration = 2
)";

const std::string driven = R"(title = "Driven"
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "dai_multistate"
elements = 10
[run]
duration = 2
[force]
kind = "constant"
value = 1
)";

scenario parse(const std::string& text, const std::vector<std::string>& settings = {}) {
  toml_value document = parse_toml(text, "base.toml");
  for (const auto& each : settings) apply_override(document, each);
  return read_scenario(document, "base", ".");
}

const signal& force_of(const scenario& s) {
  for (const auto& input : s.system->card().inputs)
    if (input.name == "force") return *input.shape;
  throw error("no force acts on it");
}

std::string message_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    parse(text, settings);
  } catch (const error& problem) {
    return problem.what();
  }
  return "no error";
}

// `text` with the line `from` replaced, and the number of that line.
struct changed {
  std::string text;
  long line;
};
changed change(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const long line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
  return {text.replace(at, from.size(), to), line};
}

struct mistake {
  std::string base, from, to;
  std::vector<std::string> told;  // key, value, what is allowed
  int lines_later = 0;            // where the place is not the line of the change itself
};

TEST(scenario, EveryMistakeIsToldWithItsPlace) {
  const std::string sine = "kind = \"sine\"\namplitude = 1\n";
  const std::vector<mistake> mistakes = {
      {pulled, "mass = 1", "mass = -1", {"system.mass = -1", "number in kg", "above 0"}},
      {pulled, "mass = 1", "mass = nan", {"system.mass = nan", "number in kg", "above 0"}},
      {pulled, "mass = 1", "mass = inf", {"system.mass = inf", "number in kg"}},
      {pulled, "mass = 1", "mass = true", {"system.mass = true", "number in kg"}},
      {pulled, "mass = 1", "mass = \"1 N\"", {"system.mass = \"1 N\"", "kg"}},
      {pulled, "mass = 1", "mass = \"heavy\"", {"system.mass = \"heavy\"", "number in kg"}},
      {pulled, "mass = 1", "mas = 1", {"system.mass is missing", "kg", "did you mean 'mass'"}, -2},
      {pulled,
       "stiffness = 2",
       "stiffness = 2\ncolour = 3",
       {"system.colour = 3", "allowed: kind"},
       1},
      {pulled, "stiffness = 2", "stiffness = \"2 N/furlong\"", {"furlong", "known: N"}},
      {pulled,
       "kind = \"pulled_mass\"",
       "kind = \"pulled_mas\"",
       {"system.kind = \"pulled_mas\"", "did you mean 'pulled_mass'?"}},
      {pulled, "kind = \"pulled_mass\"", "kind = 5", {"system.kind = 5", "text in quotes"}},
      {pulled, "[system]", "system = 5\n[other]", {"system = 5", "must be a table"}},
      {pulled,
       "model = \"lugre\"",
       "model = \"lugr\"",
       {"friction.model = \"lugr\"", "did you mean 'lugre'?"}},
      {pulled,
       "model = \"lugre\"",
       "model = \"dai_contact\"",
       {"friction.model = \"dai_contact\"", "allowed:"}},
      {pulled,
       "model = \"lugre\"",
       "model = \"lugre\"\ncurve = \"flat\"",
       {"friction.curve = \"flat\"", "stribeck_exponential"},
       1},
      {pulled, "F_c = 1.0", "F_x = 1.0", {"friction.F_x = 1.0", "did you mean 'F_"}},
      {pulled, "F_c = 1.0", "F_c = 9.0", {"friction", "F_s must be at least F_c"}, -3},
      {pulled, "sigma_0 = 1e5", "sigma_0 = 0", {"friction.sigma_0 = 0", "N/m", "above 0"}},
      {pulled, "sigma_0 = 1e5", "sigma_0 = [1, 2]", {"friction.sigma_0 = [1, 2]", "single number"}},
      {pulled,
       "[friction]",
       "[frictoin]",
       {"friction is missing", "'frictoin' at base.toml:7:2: did you mean 'friction'"},
       -99},
      {pulled, "speed = 0.1", "", {"system.speed is missing", "m/s"}, -4},
      {pulled, "duration = 2", "duration = 0", {"run.duration = 0", "in s, above 0"}},
      {pulled, "duration = 2", "", {"run.duration is missing", "in s, above 0"}, -1},
      {pulled, "duration = 2", "duration = 2\nsample = -1", {"run.sample = -1", "at least 0"}, 1},
      {pulled,
       "duration = 2",
       "duration = 2\nsample = 1e-12",
       {"run.sample = 1e-12", "at least 1e-07 s"},
       1},
      {pulled,
       "duration = 2",
       "duration = 2\nevents = \"yes\"",
       {"run.events = \"yes\"", "true or false"},
       1},
      {pulled,
       "method = \"dopri5\"",
       "method = \"rk5\"",
       {"integrator.method = \"rk5\"", "did you mean 'rk4'?", "trbdf2"}},
      {pulled,
       "method = \"dopri5\"",
       "method = \"trbdf2\"",
       {"integrator.method = \"trbdf2\"", "no implicit step in closed form",
        "allowed: advance, automatic"}},
      {pulled,
       "method = \"dopri5\"",
       "method = \"rk4\"",
       {"integrator.step is missing", "in s, above 0", "method rk4"},
       -1},
      {pulled,
       "method = \"dopri5\"",
       "method = \"rk4\"\nstep = 1e-12",
       {"integrator.step = 1e-12", "max_steps"},
       1},
      {pulled,
       "method = \"dopri5\"",
       "relative_tolerance = 2",
       {"integrator.relative_tolerance = 2", "above 1e-14 to 1"}},
      {pulled,
       "method = \"dopri5\"",
       "absolute_tolerance = { y = 1e-3 }",
       {"integrator.absolute_tolerance.y = 0.001", "allowed: x, v, z"}},
      {pulled,
       "method = \"dopri5\"",
       "max_steps = 1.5",
       {"integrator.max_steps = 1.5", "whole number"}},
      {pulled, "x = 0.0", "q = 1", {"initial.q = 1", "allowed: x, v, z"}},
      {pulled, "x = 0.0", "x = \"1 mm/s\"", {"initial.x = \"1 mm/s\"", "m is wanted"}},
      {pulled,
       "title = \"Base\"",
       "titel = \"Base\"",
       {"titel = \"Base\"", "did you mean 'title'"}},
      {pulled,
       "title = \"Base\"",
       "F_s = 2",
       {"F_s = 2", "did you mean 'friction.F_s'?", "allowed: name"}},
      {pulled, "title = \"Base\"", "speed = 2", {"speed = 2", "did you mean 'system.speed'?"}},
      {pulled, "title = \"Base\"", "name = \"a/b\"", {"name = \"a/b\"", "name of a folder"}},
      {pulled, "title = \"Base\"", "title = 2024-01-01", {"dates and times"}},
      {pulled, "title = \"Base\"", "title = \"Base", {"closing quote"}},
      {pulled, "title = \"Base\"", "load = -1", {"load = -1", "at least 0"}},
      {pulled,
       "title = \"Base\"",
       "load = { kind = 'nodes', join = 'hold', times = [0, 0.5, 0.6], values = [1, -0.25, 1] }",
       {"load = ", "at least 0", "-0.25 at t = 0.5 s"}},
      {pulled, "title = \"Base\"", "motion = 1", {"motion = 1", "unknown key", "allowed: name"}},
      {pulled, "mass = 1", "mass = 1\nmass = 2", {"mass"}, 1},
      {pulled,
       "duration = 2",
       "duration = 2\n[[plot]]\ny = \"w\"",
       {"plot.1.y = \"w\"", "unknown column 'w'", "allowed: t, x, v, f, anchor, z"},
       2},
      {pulled,
       "duration = 2",
       "duration = 2\n[[plot]]\ny = [\"x\", \"f\"]",
       {"plot.1.y", "the same unit", "'x' is in m", "'f' in N"},
       2},
      {pulled,
       "duration = 2",
       "duration = 2\n[[plot]]\ny = \"x\"\ny_unit = \"N\"",
       {"plot.1.y_unit = \"N\"", "m is wanted"},
       3},
      {driven, "elements = 10", "elements = 33", {"friction.elements = 33", "1 to 32"}},
      {driven, "elements = 10", "elements = 2.5", {"friction.elements = 2.5", "whole number"}},
      {driven,
       "elements = 10",
       "kappa = [1, 2]",
       {"friction.kappa = [1, 2]", "2 values", "10 elements"}},
      {driven, "elements = 10", "kappa = [1, 2, -3]", {"friction.kappa", "N/m, above 0"}},
      {driven, "value = 1", "valve = 1", {"force.value is missing", "did you mean 'value'"}, -2},
      {driven,
       "value = 1",
       "value = 1\noffset = 1",
       {"force.offset = 1", "allowed: kind, value"},
       1},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       "kind = \"sinus\"",
       {"force.kind = \"sinus\"", "did you mean 'sine'?", "piecewise"}},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       sine + "omega = 1\nfrequency = 1",
       {"force.omega = 1", "either frequency"},
       2},
      {driven, "kind = \"constant\"\nvalue = 1", sine, {"force.omega is missing", "rad/s"}, -1},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       sine + "frequency = 0",
       {"force.frequency = 0", "1/s, above 0"},
       2},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       "kind = \"nodes\"\ntimes = [0, 1]\nvalues = [1]",
       {"force.times = [0, 1]", "2 times, but 1 values"},
       1},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       "kind = \"nodes\"\ntimes = [0, 1, 1]\nvalues = [1, 2, 3]",
       {"force.times = [0, 1, 1]", "must increase"},
       1},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       "kind = \"ramp\"\nslope = -1\nlimit = 5",
       {"force.limit = 5", "never reaches"},
       2},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       "kind = \"piecewise\"\npiece = [{until = 2, value = 1}, {until = 1, value = 1}, {value = "
       "0}]",
       {"force.piece.2.until = 1", "above 2"},
       1},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       "kind = \"piecewise\"\npiece = [{until = 2, value = 1}]",
       {"force.piece.1.until = 2", "last piece"},
       1},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       "kind = \"piecewise\"",
       {"force.piece is missing", "list of tables"},
       -1},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       "kind = \"multisine\"\ntone = 3",
       {"force.tone = 3", "list of tables"},
       1},
      {driven,
       "kind = \"constant\"\nvalue = 1",
       "kind = \"csv\"\ncolumn = \"f\"\nfile = \"no_such.csv\"",
       {"force.file = \"no_such.csv\"", "no such file"},
       2},
      {driven,
       "[run]",
       "[initial]\na = [1, 2]\n[run]",
       {"initial.a = [1, 2]", "2 values, but 10 states"},
       1},
  };
  EXPECT_GE(mistakes.size(), 25U);
  for (const auto& each : mistakes) {
    const auto [text, line] = change(each.base, each.from, each.to);
    const std::string message = message_of(text);
    SCOPED_TRACE(fmt::format("{} -> {}\n{}", each.from, each.to, message));
    if (each.lines_later == -99) {
      EXPECT_EQ(message.rfind("base.toml:1:1: ", 0), 0U);
    } else {
      EXPECT_EQ(message.rfind(fmt::format("base.toml:{}:", line + each.lines_later), 0), 0U);
    }
    for (const auto& words : each.told) EXPECT_NE(message.find(words), std::string::npos) << words;
    EXPECT_EQ(message.find('\n'), std::string::npos) << "one line";
  }
}

TEST(scenario, MistakesInOverridesNameTheOverride) {
  const auto told = [](const std::string& setting, const std::string& words) {
    const std::string message = message_of(pulled, {setting});
    EXPECT_EQ(message.rfind("--set " + setting + ": ", 0), 0U) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  told("friction.F_x=2", "did you mean 'F_");
  told("friction.F_s=-2", "N, above 0");
  told("system.mass=2 m", "but kg is wanted");
  told("system.mass.x=2", "'system.mass' is 1, not a table");
  told("system.mass=", "value is missing");
  told("system", "KEY=VALUE");
  told("system.mass=1,5", "a decimal point is wanted, not a comma");
  told("friction.F_s=[.5, 1]", "not a list or table as TOML writes it");
  told("plot.3.y=x", "no item '3'");
}

TEST(scenario, OverridesTakeNumbersUnitsWordsAndTables) {
  const scenario s = parse(
      pulled, {"friction.F_s=2", "system.mass=2 kg", "friction.sigma_0=5 N/um",
               "integrator.method=rk4", "integrator.step=1e-4",
               "force={kind='sine', amplitude=1, omega=3}", "initial.z=\"1 um\"", "title=Heavier"});
  EXPECT_EQ(s.system->card().models.front().model->get("F_s").front(), 2);
  const auto acceleration = [](const scenario& of) {
    const auto work = of.system->new_workspace();
    const double y[] = {0, 0.5, 0};
    double rate[3];
    of.system->rates(0.5, y, rate, *work);
    return rate[1];
  };
  EXPECT_NE(acceleration(s), 0);
  EXPECT_EQ(acceleration(parse(pulled, {"system.mass=1 kg"})),
            2 * acceleration(parse(pulled, {"system.mass=2 kg"})));
  EXPECT_DOUBLE_EQ(s.system->card().models.front().model->get("sigma_0").front(), 5e6);
  EXPECT_STREQ(s.method->name, "rk4");
  EXPECT_EQ(s.step, 1e-4);
  EXPECT_DOUBLE_EQ(force_of(s).value(0.5), std::sin(1.5));
  EXPECT_DOUBLE_EQ(s.initial[2], 1e-6);
  EXPECT_EQ(s.title, "Heavier");
}

TEST(scenario, ListsItemsCountFromOneInOverrides) {
  const std::string text = change(driven, "kind = \"constant\"\nvalue = 1", R"(kind = "piecewise"
[[force.piece]]
until = 1
value = 1
[[force.piece]]
value = 2)")
                               .text;
  EXPECT_EQ(force_of(parse(text, {"force.piece.2.value=7"})).value(1.5), 7);
  EXPECT_EQ(force_of(parse(text, {"force.piece.1.until=0.25"})).value(0.5), 2);
}

TEST(scenario, InputsAreWhatTheySay) {
  const auto force = [](const std::string& input) {
    return signal(force_of(parse(change(driven, "kind = \"constant\"\nvalue = 1", input).text)));
  };
  const double pi = std::acos(-1.0);
  EXPECT_EQ(force("value = \"2 kN\"").value(9), 2000);
  EXPECT_DOUBLE_EQ(force("kind = \"ramp\"\nslope = 0.5\nlimit = 0.55\nstart = 1").value(2), 0.5);
  EXPECT_DOUBLE_EQ(force("kind = \"ramp\"\nslope = 0.5\nlimit = 0.55\nstart = 1").value(9), 0.55);
  EXPECT_NEAR(force("kind = \"cosine\"\namplitude = 0.15\nomega = 100\noffset = 0.35").value(0.7),
              0.35 + 0.15 * std::cos(70), 1e-15);
  EXPECT_NEAR(force("kind = \"sine\"\namplitude = 0.5\nfrequency = 0.1\noffset = 1.5\nstart = 10")
                  .value(12),
              1.5 + 0.5 * std::sin(0.2 * pi * 2), 1e-15);
  EXPECT_NEAR(force("kind = \"sine\"\namplitude = 2\nomega = 3\nphase = \"90 deg\"").value(0), 2,
              1e-15);
  EXPECT_NEAR(force("kind = \"multisine\"\ntone = [{amplitude = 1, omega = 1}, {amplitude = 2, "
                    "omega = 3, phase = 1}]")
                  .value(0.4),
              std::sin(0.4) + 2 * std::sin(2.2), 1e-15);
  const auto nodes =
      force("kind = \"nodes\"\ninterval = 50\nvalues = [0, 4, -4]\njoin = \"half_cosine\"");
  EXPECT_NEAR(nodes.value(25), 2, 1e-15);
  EXPECT_NEAR(nodes.value(100), -4, 1e-15);
  const auto pieces = force(R"(kind = "piecewise"
[[force.piece]]
until = 0.2
value = 0
[[force.piece]]
until = 0.8
kind = "ramp"
slope = 3.75
start = 0.2
[[force.piece]]
value = "-1 N")");
  EXPECT_EQ(pieces.value(0.1), 0);
  EXPECT_DOUBLE_EQ(pieces.value(0.5), 3.75 * 0.3);
  EXPECT_EQ(pieces.value(0.8), -1);
}

TEST(scenario, ABareNumberIsAConstantInput) {
  const auto at = driven.find("[force]");
  const std::string text = "force = \"3 N\"\n" + driven.substr(0, at);
  EXPECT_EQ(force_of(parse(text)).value(5), 3);
}

TEST(scenario, ListsOfParametersAndStates) {
  const scenario s = parse(change(driven, "elements = 10",
                                  "elements = 3\nlambda = [0.5, 0.3, 0.2]\n"
                                  "kappa = [\"5 N/um\", 2.5e6, 1e6]\nsigma = 10")
                               .text +
                           "[initial]\na = 1e-7\na_2 = \"3 um\"\ngamma = 2\n");
  EXPECT_EQ(s.system->card().models.front().model->get("kappa"),
            (std::vector<double>{5e6, 2.5e6, 1e6}));
  EXPECT_EQ(s.system->card().models.front().model->get("sigma"), (std::vector<double>{10, 10, 10}));
  EXPECT_EQ(s.initial.size(), 6U);
  EXPECT_EQ(s.initial[2], 2);
  EXPECT_EQ(s.initial[3], 1e-7);
  EXPECT_DOUBLE_EQ(s.initial[4], 3e-6);
}

TEST(scenario, ModelsStartWhereTheirPaperSays) {
  EXPECT_EQ(parse(driven).initial[2], 2.5) << "gamma starts at F_s";
}

TEST(scenario, AMassChoosesItsMethodAsItRuns) {
  const auto method_for = [](const std::string& model) {
    return parse(change(driven, "model = \"dai_multistate\"\nelements = 10",
                        "model = \"" + model + "\"")
                     .text)
        .method->name;
  };
  for (const char* model : {"dai", "coulomb", "lugre", "dai_multistate", "stribeck_sech"})
    EXPECT_STREQ(method_for(model), "automatic") << model;
}

TEST(scenario, TolerancesByState) {
  const auto s =
      parse(change(pulled, "method = \"dopri5\"",
                   "relative_tolerance = 1e-7\nabsolute_tolerance = {v = 1e-8, z = \"1 nm\"}")
                .text);
  EXPECT_EQ(s.tolerance.relative, 1e-7);
  EXPECT_EQ(s.tolerance.absolute[1], 1e-8);
  EXPECT_DOUBLE_EQ(s.tolerance.absolute[2], 1e-9);
  const auto all = parse(change(pulled, "method = \"dopri5\"", "absolute_tolerance = 1e-5").text);
  EXPECT_EQ(all.tolerance.absolute[0], 1e-5);
  EXPECT_EQ(all.tolerance.absolute[2], 1e-5);
}

// A size that overflows or vanishes must not leave a tolerance that the file's own reader refuses.
TEST(scenario, DefaultTolerancesAreNumbersWhateverTheStiffness) {
  for (const char* stiffness : {"5e-324", "1e-300", "1e308"}) {
    const scenario s = parse(pulled, {std::string("friction.sigma_0=") + stiffness});
    EXPECT_TRUE(std::isnormal(s.tolerance.absolute[2])) << stiffness;
    EXPECT_NO_THROW(read_scenario(parse_toml(to_toml(s.resolved), "resolved.toml"), s.name, "."))
        << stiffness;
  }
}

TEST(scenario, DefaultTolerancesFollowTheScaleOfTheBristle) {
  const scenario s = parse(pulled);
  EXPECT_LT(s.tolerance.absolute[2], 1e-6 * 1.5 / 1e5 * 1.001);
  EXPECT_GT(s.tolerance.absolute[2], 0);
}

TEST(scenario, ResolvedIsCompleteAndReadsBackTheSame) {
  for (const auto& text : {pulled, driven}) {
    const scenario first = parse(text);
    const std::string resolved = to_toml(first.resolved);
    const scenario second =
        read_scenario(parse_toml(resolved, "resolved.toml"), "another name", ".");
    EXPECT_EQ(to_toml(second.resolved), resolved);
    EXPECT_EQ(second.name, "base");
    EXPECT_EQ(simulate(first)["x"], simulate(second)["x"]);
  }
}

// ---- about an axis ------------------------------------------------------------------------------

const std::string turned = R"(force = { kind = "sine", amplitude = "400 mN m", frequency = "3 Hz" }
[system]
kind = "mass_under_force"
axis = "rotary"
mass = "200 kg cm^2"
damping = "0.01 N m s/rad"
[friction]
model = "lugre"
F_c = "0.2 N m"
F_s = "0.3 N m"
v_s = "10 deg/s"
sigma_0 = "400 N m/rad"
sigma_1 = "0.5 N m s/rad"
[initial]
x = "90 deg"
v = "1 rpm"
[integrator]
absolute_tolerance = { x = "1e-6 rad" }
[run]
duration = 1
[[plot]]
y = "x"
y_unit = "deg"
)";

// The same numbers along a line and about an axis give the same motion.
TEST(rotary_axis, ReadsAndShowsRotaryUnitsOfTheSameMotion) {
  const scenario s = parse(turned);
  const scenario straight = parse(
      "force = { kind = 'sine', amplitude = 0.4, frequency = 3 }\n"
      "system = { kind = 'mass_under_force', mass = 0.02, damping = 0.01 }\n"
      "friction = { model = 'lugre', F_c = 0.2, F_s = 0.3, v_s = 0.17453292519943295, sigma_0 = "
      "400, "
      "sigma_1 = 0.5 }\n"
      "initial = { x = 1.5707963267948966, v = 0.10471975511965977 }\n"
      "integrator = { absolute_tolerance = { x = 1e-6 } }\nrun = { duration = 1 }\n");
  EXPECT_EQ(s.initial, straight.initial);
  EXPECT_EQ(simulate(s)["x"], simulate(straight)["x"]);
  EXPECT_EQ(simulate(s)["f"], simulate(straight)["f"]);
  const std::pair<const char*, const char*> shown[] = {
      {"t", "s"}, {"x", "rad"}, {"v", "rad/s"}, {"f", "N m"}, {"force", "N m"}, {"z", "rad"}};
  const auto columns = columns_of(s);
  for (const auto& [name, in] : shown) {
    const auto found =
        std::find_if(columns.begin(), columns.end(),
                     [&, &wanted = name](const auto& each) { return each.name == wanted; });
    ASSERT_NE(found, columns.end()) << name;
    EXPECT_EQ(to_string(found->in), in) << name;
  }
  EXPECT_EQ(to_string(columns_of(straight)[1].in), "m");
}

TEST(rotary_axis, ResolvedReadsBackTheSame) {
  const scenario first = parse(turned);
  const std::string resolved = to_toml(first.resolved);
  const scenario second = read_scenario(parse_toml(resolved, "resolved.toml"), "base", ".");
  EXPECT_EQ(to_toml(second.resolved), resolved);
  EXPECT_TRUE(second.is_rotary);
  const toml_value* friction = first.resolved.find("friction");
  ASSERT_NE(friction, nullptr);
  EXPECT_EQ(to_string(*friction->find("F_s")->in), "N m");
  EXPECT_EQ(to_string(*friction->find("sigma_2")->in), "N m s/rad");  // a default
  EXPECT_EQ(to_string(*first.resolved.find("initial")->find("z")->in), "rad");
}

TEST(rotary_axis, UnitsAlongALineAreRefused) {
  for (const auto& [setting, wanted] : std::initializer_list<std::pair<const char*, const char*>>{
           {"friction.F_c='0.2 N'", "is in N, but N m is wanted"},
           {"friction.F_c=-1", "a number in N m, above 0"},
           {"friction.v_s='1 mm/s'", "but rad/s is wanted"},
           {"friction.v_s='3 Hz'", "is in Hz, but rad/s is wanted"},
           {"friction.F_s='0.1 N m'", "F_c = 0.2 N m"},
           {"system.mass='2 kg'", "is in kg, but kg m^2 is wanted"},
           {"force='3 N'", "but N m is wanted"},
           {"initial.x='1 mm'", "but rad is wanted"},
           {"integrator.absolute_tolerance={z='1 um'}", "but rad is wanted"},
           {"system.axis='round'", "unknown word"}})
    EXPECT_NE(message_of(turned, {setting}).find(wanted), std::string::npos)
        << setting << ": " << message_of(turned, {setting});
  // And rotary ones along a line.
  EXPECT_NE(message_of(pulled, {"friction.F_c='0.2 N m'"}).find("is in N m, but N is wanted"),
            std::string::npos);
}

TEST(scenario, DoubtfulChoicesAreWarnings) {
  const std::string bouncing =
      "force = -9.8\n[system]\nkind = \"bouncing_mass\"\nmass = 1\n[contact]\nmodel = "
      "\"dai_contact\"\nalpha = 0.02\n[run]\nduration = 1\n";
  const scenario s = parse(bouncing);
  ASSERT_EQ(s.warnings.size(), 1U);
  EXPECT_NE(s.warnings[0].find("alpha above beta creates energy"), std::string::npos);
}

TEST(toml, KeepsOrderAndRoundTrips) {
  const std::string text =
      "b = 1\na = [1.5, \"x\"]\nnegative_zero = -0.0\n\n[z]\nk = \"q\\\"uote\\\\\"\n\n[z.y]\nc = "
      "true\n\n[[m]]\ni = 1\n\n[[m]]\ni = 2\n";
  EXPECT_EQ(to_toml(parse_toml(text, "t")), text);
}

TEST(toml, NumbersAreWrittenExactly) {
  for (const double value : {0.1, 1e-300, 1.0 / 3, 123456789012345.0, 1e22, -2.5e-9, 5e-324}) {
    toml_value table;
    assign(table, "n", toml_value::of(value));
    EXPECT_EQ(parse_toml(to_toml(table), "t").find("n")->real, value);
  }
}

TEST(toml, MergeLaysTablesOverEachOther) {
  toml_value base = parse_toml("[a]\nx = 1\ny = 2\n[b]\nz = 3\n", "base");
  merge(base, parse_toml("[a]\ny = 5\n[c]\nw = 1\n", "change"));
  EXPECT_EQ(to_inline_toml(base), "{a = {x = 1, y = 5}, b = {z = 3}, c = {w = 1}}");
}

}  // namespace
}  // namespace asperity
