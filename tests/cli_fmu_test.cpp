// SPDX-License-Identifier: Apache-2.0
// FMUs that the tool writes, driven by a small importer of our own (tests/fmu.hpp).

#include <gtest/gtest.h>

#include <asperity/text/csv.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "tests/fmu.hpp"
#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using kind = fmu_instance::kind;

const std::string two_bodies = "'" + examples + "/inclusions/two_bodies.toml'";

using run_table = std::map<std::string, std::vector<double>>;

double range_of(const std::vector<double>& column) {
  const auto [low, high] = std::minmax_element(column.begin(), column.end());
  return *high - *low;
}

class cli_fmu : public program_test {
 protected:
  int made_ = 0;

  // The FMU of this command line, unpacked.
  std::unique_ptr<fmu> make(const std::string& arguments) {
    const std::string name = fmt::format("it{}", ++made_);
    const answer told = run("fmu " + arguments + " -o " + name + ".fmu");
    EXPECT_EQ(told, 0);
    return std::make_unique<fmu>(path(name + ".fmu"), folder / name);
  }
  run_table table_of(const std::string& arguments) {
    const std::string name = fmt::format("run{}", ++made_);
    EXPECT_EQ(run("run " + arguments + " --plot none --quiet --out " + name), 0);
    const csv_table read = csv_table::parse(content(name + "/series.csv"), name);
    run_table result;
    for (const auto& each : read.names()) result[each] = read.column(each);
    return result;
  }
};

// All columns of a run, asked for at its samples: the largest difference relative to their ranges.
// What the solver did is left out: a run also counts the steps by which it locates its events.
double difference(fmu_instance& it, const fmu& of, run_table expected) {
  expected.erase("solver_residual");
  expected.erase("solver_sweeps");
  const auto t = expected.at("t");
  expected.erase("t");
  double worst = 0;
  std::map<std::string, double> largest;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (i > 0 && it.step(t[i - 1], t[i] - t[i - 1]) != 0) throw std::runtime_error(it.log.all());
    for (const auto& [name, column] : expected)
      if (of.variables.contains(name))
        largest[name] = std::max(largest[name], std::abs(it.get(name) - column[i]));
  }
  for (const auto& [name, column] : expected)
    worst = std::max(worst, largest[name] / std::max(range_of(column), 1e-300));
  return worst;
}

TEST_F(cli_fmu, CoSimulationIsTheRunToTheLastBit) {
  const std::vector<std::string> scenarios{
      "stick_slip --set run.duration=10 --set run.sample=0.05",  // slips at 7.5 s
      two_bodies + " --set run.duration=0.1 --set run.sample=1e-3",
      "bouncing_ball --set run.duration=0.5 --set run.sample=1e-3",
      "creep --set run.duration=3 --set run.sample=0.02",  // an input that jumps
      "servo --set run.duration=0.2",
      "hysteresis_loop --set run.duration=5 --set run.sample=0.05",
      "gripped_object --set run.duration=0.02 --set run.sample=1e-3",
      "discs --set run.duration=0.01 --set run.sample=1e-3"};
  for (const auto& scenario : scenarios) {
    const run_table expected = table_of(scenario);
    for (const char* version : {"2", "3"}) {
      SCOPED_TRACE(scenario + ", FMI " + version);
      const auto of = make(scenario + " --fmi " + version);
      fmu_instance it(*of, kind::cs);
      ASSERT_NE(it.c, nullptr) << it.log.all();
      ASSERT_EQ(it.start(), 0) << it.log.all();
      for (const auto& [name, ignored] : expected) {
        EXPECT_TRUE(name == "t" || of->variables.contains(name)) << name;
      }
      EXPECT_EQ(difference(it, *of, expected), 0);
      EXPECT_EQ(it.plain("Terminate"), 0);
    }
  }
}

TEST_F(cli_fmu, ParametersAndStartValuesActLikeSet) {
  const std::string scenario = "stick_slip --set run.duration=2 --set system.speed=1";
  const auto of = make(scenario);
  EXPECT_EQ(of->variables.at("friction.sigma_0")["unit"], "N/m");
  EXPECT_EQ(of->variables.at("friction.sigma_0")["start"], "100000");
  EXPECT_EQ(of->variables.at("system.mass")["min"], "0");
  EXPECT_EQ(of->variables.at("x")["causality"], "output");
  fmu_instance it(*of, kind::cs);
  ASSERT_EQ(it.set("friction.F_s", 1.8), 0);
  ASSERT_EQ(it.set("system.mass", 2.5), 0);
  ASSERT_EQ(it.set("x", -0.3), 0);
  ASSERT_EQ(it.start(), 0) << it.log.all();
  EXPECT_EQ(it.get("friction.F_s"), 1.8);
  EXPECT_EQ(it.get("friction.F_c"), 1);
  EXPECT_EQ(it.get("x"), -0.3);
  const run_table expected =
      table_of(scenario + " --set friction.F_s=1.8 --set system.mass=2.5 --set initial.x=-0.3");
  EXPECT_EQ(difference(it, *of, expected), 0);
  // And back to what the scenario says.
  EXPECT_EQ(it.plain("Reset"), 0);
  ASSERT_EQ(it.start(), 0) << it.log.all();
  EXPECT_EQ(difference(it, *of, table_of(scenario)), 0);
}

TEST_F(cli_fmu, ParametersOfAnInclusionKeepTheirUnits) {
  const std::string scenario = two_bodies + " --set run.duration=0.2";
  const auto of = make(scenario + " --fmi 3");
  std::string mass;
  for (const auto& [name, v] : of->variables)
    if (name.starts_with("parameters.") && v["unit"] == "kg") mass = name;
  ASSERT_FALSE(mass.empty());
  fmu_instance it(*of, kind::cs);
  ASSERT_EQ(it.set(mass, 1.25), 0);
  ASSERT_EQ(it.start(), 0) << it.log.all();
  EXPECT_EQ(difference(it, *of, table_of(scenario + " --set '" + mass + "=1.25 kg'")), 0);
  EXPECT_TRUE(std::any_of(of->files.begin(), of->files.end(),
                          [](const auto& each) { return each.first.ends_with(".c"); }));
}

// The classical Runge-Kutta method on an FMU: up to jumps of inputs, and up to events, which are
// found by halving the step.
class solver {
 public:
  solver(fmu_instance& it, const fmu& of, std::size_t states)
      : it_(it), y_(states), next_(states), at_(states), before_(of.indicators()), now_(before_) {
    for (auto& each : rate_) each.resize(states);
  }

  void go(double to, double step) {
    check(it_.update(&jump_, &changed_));
    check(it_.plain("EnterContinuousTimeMode"));
    check(it_.get_states(y_));
    check(it_.indicators(before_));
    while (t_ < to - 1e-12) {
      double h = std::min({step, to - t_, jump_ - t_});
      const bool is_event = crosses(h);
      if (is_event) {
        double low = 0;
        for (int i = 0; i < 50; ++i) (crosses(0.5 * (low + h)) ? h : low) = 0.5 * (low + h);
        crosses(h);
      }
      t_ = std::abs(jump_ - t_ - h) < 1e-12 ? jump_ : t_ + h;
      y_ = next_;
      check(it_.set_time(t_));
      if (!is_event && t_ < jump_) continue;
      events += is_event ? 1 : 0;
      check(it_.plain("EnterEventMode"));
      check(it_.update(&jump_, &changed_));
      changes += changed_ ? 1 : 0;
      check(it_.get_states(y_));
      check(it_.plain("EnterContinuousTimeMode"));
      check(it_.indicators(before_));
    }
  }

  int events = 0, changes = 0;

 private:
  fmu_instance& it_;
  std::vector<double> y_, next_, at_, before_, now_, rate_[4];
  double t_ = 0, jump_ = 0;
  bool changed_ = false;

  void check(int status) {
    if (status != 0) throw std::runtime_error(it_.log.all());
  }
  // A step from here to next_, and whether the sign of an indicator changes in it.
  bool crosses(double h) {
    const double share[] = {0, 0.5, 0.5, 1};
    for (int stage = 0; stage < 4; ++stage) {
      for (std::size_t i = 0; i < y_.size(); ++i)
        at_[i] = y_[i] + (stage > 0 ? h * share[stage] * rate_[stage - 1][i] : 0);
      check(it_.set_time(t_ + share[stage] * h));
      check(it_.set_states(at_));
      check(it_.rates(rate_[stage]));
    }
    for (std::size_t i = 0; i < y_.size(); ++i)
      next_[i] = y_[i] + h / 6 * (rate_[0][i] + 2 * rate_[1][i] + 2 * rate_[2][i] + rate_[3][i]);
    check(it_.set_time(t_ + h));
    check(it_.set_states(next_));
    check(it_.indicators(now_));
    for (std::size_t i = 0; i < now_.size(); ++i)
      if ((before_[i] > 0) != (now_[i] > 0)) return true;
    return false;
  }
};

TEST_F(cli_fmu, ModelExchangeIntegratedByAnotherMethodIsTheRun) {
  struct example {
    std::string scenario;
    std::size_t states;
    double to, step;
  };
  const std::vector<example> all{
      {"stick_slip --set run.duration=1 --set system.speed=1 --set "
       "integrator.relative_tolerance=1e-11",
       3, 1, 2e-5},
      {"creep --set run.duration=2.1 --set integrator.relative_tolerance=1e-11", 3, 2.1, 1e-4},
      {two_bodies +
           " --set run.duration=0.1 --set integrator.method=rk4 --set integrator.step=1e-5",
       14, 0.1, 1e-5}};
  for (const auto& [scenario, states, to, step] : all) {
    const run_table expected = table_of(scenario);
    for (const char* version : {"2", "3"}) {
      SCOPED_TRACE(scenario + ", FMI " + version);
      const auto of = make(scenario + " --kind me --fmi " + version);
      fmu_instance it(*of, kind::me);
      ASSERT_NE(it.c, nullptr) << it.log.all();
      ASSERT_EQ(it.start(), 0) << it.log.all();
      solver(it, *of, states).go(to, step);
      for (const auto& [name, column] : expected) {
        if (name == "t" || name.starts_with("solver")) continue;
        EXPECT_NEAR(it.get(name), column.back(), 1e-6 * range_of(column) + 1e-12) << name;
      }
    }
  }
}

// A ball that is dropped from h meets the ground at sqrt(2 h/g), and after each impact flies for
// 2 e v/g: closed forms, and impacts that the FMU itself does.
TEST_F(cli_fmu, ImpactsAreEventsOfModelExchange) {
  write("ball.toml",
        "system = { kind = 'rigid_bounce', gravity = 10, restitution = 0.5 }\n"
        "initial = { x = 0.45 }\nrun = { duration = 0.75 }\n");
  for (const char* version : {"2", "3"}) {
    const auto of = make(std::string("ball.toml --kind me --fmi ") + version);
    fmu_instance it(*of, kind::me);
    ASSERT_EQ(it.start(), 0) << it.log.all();
    solver ball(it, *of, 3);
    ball.go(0.75, 1e-2);  // lands at 0.3 s with 3 m/s, again at 0.6 s with 1.5 m/s
    EXPECT_EQ(ball.changes, 2);
    EXPECT_NEAR(it.get("v"), 0.75 - 10 * 0.15, 1e-9);
    EXPECT_NEAR(it.get("x"), 0.75 * 0.15 - 5 * 0.15 * 0.15, 1e-9);
  }
}

// Of LuGre friction by hand: at rest with z = 0, f = sigma_1 v + sigma_2 v to first order.
TEST_F(cli_fmu, DirectionalDerivativesAreThoseOfTheLaw) {
  for (const char* version : {"2", "3"}) {
    const auto of = make(std::string("creep --input force --fmi ") + version);
    fmu_instance it(*of, kind::me);
    ASSERT_EQ(it.start(), 0) << it.log.all();
    double next = 0, value = 0;
    bool changed = false;
    ASSERT_EQ(it.update(&next, &changed), 0);
    const auto d = [&](const char* unknown, const char* known) {
      EXPECT_EQ(it.derivative(unknown, known, &value), 0) << it.log.all();
      return value;
    };
    EXPECT_EQ(d("der(x)", "v"), 1);
    EXPECT_EQ(d("der(x)", "force"), 0);
    EXPECT_NEAR(d("der(v)", "force"), 1, 1e-12);  // 1/mass
    EXPECT_NEAR(d("der(v)", "z"), -5e3, 1e-8);    // -sigma_0/mass
    EXPECT_NEAR(d("der(v)", "v"), -10, 1e-8);     // -(sigma_1 + sigma_2)/mass
    EXPECT_NEAR(d("f", "z"), 5e3, 1e-4);
    EXPECT_EQ(d("x", "x"), 1);
    EXPECT_NE(it.derivative("der(v)", "system.mass", &value), 0);
  }
}

// Steps of fixed length, so that the run with a staircase is the same computation.
TEST_F(cli_fmu, InputsAreHeldBetweenCommunicationPoints) {
  const std::string rest =
      " --set 'friction={model=\"dai\", K=5e3, beta=2e-3, F=0.5}' --set run.duration=0.4 --set "
      "run.sample=0.1 --set integrator.method=backward_euler --set integrator.step=1e-3";
  const run_table expected = table_of(
      "creep" + rest +
      " --set 'force={kind=\"nodes\", times=[0, 0.1, 0.2, 0.3], values=[0.3, 1.5, -0.2, 0.7], "
      "join=\"hold\"}'");
  const auto of = make("creep --input force" + rest);
  EXPECT_EQ(of->variables.at("force")["causality"], "input");
  fmu_instance it(*of, kind::cs);
  ASSERT_EQ(it.start(), 0) << it.log.all();
  const double force[] = {0.3, 1.5, -0.2, 0.7};
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(it.set("force", force[i]), 0);
    ASSERT_EQ(it.step(0.1 * i, 0.1), 0) << it.log.all();
    // A jump on the grid is seen at the end of a step of this method, a step of 1 ms early or late.
    EXPECT_NEAR(it.get("x"), expected.at("x")[static_cast<std::size_t>(i) + 1], 2e-4);
  }
  // Beyond the first 0.1 mm, where its bristles bend, 1 kg slides under 2 N against 0.5 N.
  ASSERT_EQ(it.plain("Reset"), 0);
  ASSERT_EQ(it.set("force", 2), 0);
  ASSERT_EQ(it.start(), 0);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(it.step(0.1 * i, 0.1), 0);
  }
  EXPECT_NEAR(it.get("v"), 1.5, 5e-3);
  EXPECT_NEAR(it.get("x"), 0.75, 5e-3);
}

TEST_F(cli_fmu, InstancesInThreadsDoNotDisturbEachOther) {
  const auto of = make("stick_slip --set run.duration=1 --set system.speed=1");
  const auto end_of = [&](double limit) {
    fmu_instance it(*of, kind::cs);
    EXPECT_EQ(it.set("friction.F_s", limit), 0);
    EXPECT_EQ(it.start(), 0);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(it.step(0.01 * i, 0.01), 0);
    return it.get("x");
  };
  const double alone[] = {end_of(1.2), end_of(1.5)};
  EXPECT_NE(alone[0], alone[1]);
  double together[2];
  std::thread other([&] { together[0] = end_of(1.2); });
  together[1] = end_of(1.5);
  other.join();
  EXPECT_EQ(together[0], alone[0]);
  EXPECT_EQ(together[1], alone[1]);
}

TEST_F(cli_fmu, WhatIsWrongIsAnErrorWithASentence) {
  for (const char* version : {"2", "3"}) {
    SCOPED_TRACE(version);
    const auto of = make(std::string("creep --input force --fmi ") + version);
    fmu_instance it(*of, kind::cs);
    std::string all_said;
    const auto refused = [&](int status, const std::string& words) {
      EXPECT_EQ(status, 3);
      EXPECT_NE(it.log.all().find(words), std::string::npos) << words << "\n" << it.log.all();
      all_said += it.log.all();
      it.log.clear();
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    refused(it.set("friction.F_s", nan), "friction.F_s = nan");
    refused(it.set("system.mass", -1), "system.mass = -1 kg: it must be above 0");
    refused(it.set("system.mass", 0), "above 0");
    refused(it.set("force", std::numeric_limits<double>::infinity()), "finite");
    refused(it.set("f", 1), "cannot be set");
    refused(it.set(99999, 1), "no variable with the value reference 99999");
    double value = 0;
    refused(it.get(99999, &value), "99999");
    refused(it.step(0, 0.1), "while the FMU is instantiated");
    refused(it.plain("ExitInitializationMode"), "instantiated");
    refused(it.plain("EnterContinuousTimeMode"), "instantiated");
    // What only the whole scenario can judge is refused when it is read.
    ASSERT_EQ(it.set("friction.F_s", 0.2), 0);
    refused(it.start(), "F_s must be at least F_c");
    EXPECT_EQ(it.plain("Reset"), 0);
    ASSERT_EQ(it.start(0, 1), 0) << it.log.all();
    refused(it.enter(), "while the FMU is in step mode");
    refused(it.set("friction.F_s", 1), "only before the simulation starts");
    refused(it.set("force", nan), "finite");
    refused(it.step(0.5, 0.1), "the FMU is at t = 0");
    refused(it.step(0, 0), "above 0");
    refused(it.step(0, -1), "above 0");
    refused(it.step(0, nan), "above 0");
    refused(it.step(0, std::numeric_limits<double>::infinity()), "finite");
    refused(it.step(nan, 0.1), "nan");
    refused(it.step(0, 1.5), "after stopTime");
    EXPECT_EQ(it.step(0, 0.1), 0) << "refusals leave it as it was";
    EXPECT_EQ(it.plain("Terminate"), 0);
    refused(it.step(0.1, 0.1), "terminated");
    it.release();
    // The sentences that docs/fmi.md shows.
    if (version[0] == '2') {
      for (const char* begin :
           {"fmi2SetReal: system.mass", "fmi2DoStep: ", "fmi2ExitInitializationMode: "})
        EXPECT_TRUE(prints(all_said, "docs/fmi.md", begin)) << begin << "\n" << all_said;
    }

    fmu_instance stranger(*of, kind::cs, "{another}");
    EXPECT_EQ(stranger.c, nullptr);
    EXPECT_NE(stranger.log.all().find("does not belong"), std::string::npos);
    fmu_instance lost(*of, kind::cs, "", "/nowhere");
    EXPECT_EQ(lost.c, nullptr);
    EXPECT_NE(lost.log.all().find("/nowhere"), std::string::npos);
    // Importers format what they are told, or show it as it is; neither may lose the sentence.
    fmu_instance odd(*of, kind::cs, "", "/%s%n/nowhere");
    EXPECT_EQ(odd.c, nullptr);
    EXPECT_NE(odd.log.all().find("/%s%n/nowhere"), std::string::npos) << odd.log.all();
    for (const auto& each : odd.log.formats)
      EXPECT_NE(each.find("nowhere"), std::string::npos) << each;
    EXPECT_EQ(odd.log.formats.empty(), of->is_3);
  }
}

// A run that fails says so and can be begun again.
TEST_F(cli_fmu, ANumericalFailureIsAnError) {
  const auto of = make(
      "stick_slip --set integrator.method=rk4 --set integrator.step=0.01 --set run.duration=5");
  fmu_instance it(*of, kind::cs);
  ASSERT_EQ(it.start(), 0);
  int status = 0;
  for (int i = 0; i < 500 && status == 0; ++i) status = it.step(0.01 * i, 0.01);
  EXPECT_EQ(status, 3);
  EXPECT_NE(it.log.all().find(" at t = "), std::string::npos) << it.log.all();
  EXPECT_EQ(it.step(4, 0.01), 3);
  EXPECT_EQ(it.plain("Reset"), 0);
  EXPECT_EQ(it.start(), 0);
}

TEST_F(cli_fmu, AStateThatWasKeptIsThereAgain) {
  for (const char* version : {"2", "3"}) {
    const auto of = make(std::string("stick_slip --fmi ") + version +
                         " --set run.duration=2 --set system.speed=1 --set "
                         "integrator.relative_tolerance=1e-10");
    fmu_instance it(*of, kind::cs);
    ASSERT_EQ(it.start(), 0);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(it.step(0.01 * i, 0.01), 0);
    void* state = nullptr;
    ASSERT_EQ(it.save(&state), 0) << it.log.all();
    const double there = it.get("x"), force = it.get("f");
    const auto onward = [&] {
      for (int i = 100; i < 150; ++i) EXPECT_EQ(it.step(0.01 * i, 0.01), 0) << it.log.all();
      return it.get("x");
    };
    const double end = onward();
    ASSERT_EQ(it.restore(state), 0) << it.log.all();
    EXPECT_EQ(it.get("x"), there);
    EXPECT_EQ(it.get("f"), force);
    EXPECT_NEAR(onward(), end, 1e-9);  // the method begins afresh
    // Also after a reset, and into the middle of a run.
    EXPECT_EQ(it.plain("Reset"), 0);
    ASSERT_EQ(it.restore(state), 0) << it.log.all();
    EXPECT_NEAR(onward(), end, 1e-9);
    EXPECT_EQ(it.forget(&state), 0);
    EXPECT_EQ(state, nullptr);
    EXPECT_EQ(it.forget(&state), 0);
  }
}

// Steps of any length: to the tolerance, not to the bit.
TEST_F(cli_fmu, CommunicationPointsMayComeAsTheyLike) {
  const std::string scenario =
      "stick_slip --set run.duration=1 --set system.speed=1 --set "
      "integrator.relative_tolerance=1e-10";
  const double expected = table_of(scenario).at("x").back();
  const auto of = make(scenario);
  fmu_instance it(*of, kind::cs);
  ASSERT_EQ(it.start(), 0);
  double t = 0;
  for (int i = 1; t < 1; ++i) {
    const double h = std::min(1 - t, 0.003 * (i % 7 + 1));
    ASSERT_EQ(it.step(t, h), 0) << it.log.all();
    t += h;
  }
  EXPECT_NEAR(it.get("x"), expected, 1e-8);
  // Beyond the end of the scenario it goes on.
  for (int i = 0; i < 20; ++i) ASSERT_EQ(it.step(t + 0.1 * i, 0.1), 0) << it.log.all();
}

TEST_F(cli_fmu, InstancesCanBeFreedAtAnyTime) {
  const auto of = make("stick_slip");
  for (int life = 0; life < 5; ++life) {
    fmu_instance it(*of, kind::cs);
    EXPECT_TRUE(life < 1 || it.enter() == 0);
    EXPECT_TRUE(life < 2 || it.exit() == 0);
    EXPECT_TRUE(life < 3 || it.step(0, 0.01) == 0);
    EXPECT_TRUE(life < 4 || it.plain("Terminate") == 0);
  }
}

TEST_F(cli_fmu, HostileNamesAreEscaped) {
  write("it.toml",
        "title = \"<&\\\"'> M\u00fcller \\u001b[2J\"\nname = \"a <b> & 'c' \u00e9\"\n"
        "[system]\nkind = 'inclusion'\n[parameters]\nM = '1 kg'\n"
        "[inputs]\npush = { unit = 'N', kind = 'ramp', slope = 1 }\n"
        "[states]\nv = { unit = 'm/s', rate = '(push - 0.5*sgn(v))/M' }\n[run]\nduration = 1\n");
  for (const char* version : {"2", "3"}) {
    const auto of = make(std::string("it.toml --fmi ") + version);
    EXPECT_NE(of->xml.find("modelName=\"a &lt;b&gt; &amp; 'c' \u00e9\""), std::string::npos);
    EXPECT_NE(of->xml.find("&lt;&amp;&quot;'&gt; M\u00fcller"), std::string::npos);
    EXPECT_EQ(of->xml.find('\x1b'), std::string::npos);
    fmu_instance it(*of, kind::cs);
    ASSERT_EQ(it.start(), 0) << it.log.all();
    EXPECT_EQ(it.step(0, 0.1), 0);
  }
}

TEST_F(cli_fmu, FilesThatTheScenarioReadsTravelWithIt) {
  write("push.csv", "t,F\n0,0\n1,1\n2,0\n");
  write("it.toml",
        "force = { kind = 'csv', file = 'push.csv', column = 'F' }\n"
        "system = { kind = 'mass_under_force', mass = 1 }\nfriction = { model = 'dai' }\n"
        "run = { duration = 2 }\n");
  const run_table expected = table_of("it.toml");
  const auto of = make("it.toml");
  fs::remove(path("push.csv"));
  fmu_instance it(*of, kind::cs);
  ASSERT_NE(it.c, nullptr) << it.log.all();
  ASSERT_EQ(it.start(), 0) << it.log.all();
  EXPECT_EQ(difference(it, *of, expected), 0);
}

TEST_F(cli_fmu, TheToolSaysWhatItCannotPack) {
  refuses("fmu stick_slip --fmi 4 -o it.fmu", {"--fmi 4", "2", "3"});
  refuses("fmu stick_slip --kind both,me -o it.fmu", {"--kind", "cs"});
  refuses("fmu creep --input forse -o it.fmu", {"--input forse", "force"});
  refuses("fmu hysteresis_loop --input motion -o it.fmu", {"motion", "rate"});
  refuses("fmu stick_slip --set integrator.method=cvode -o it.fmu", {"cvode"});
  // A program beside it, which another machine need not have.
  refuses("fmu discs --set 'system.engine=\"lammps\"' -o it.fmu",
          {"system.engine = \"lammps\"", "engine = \"own\""});
  refuses("fmu stick_slip --set 'friction={model=\"coulomb\"}' --kind me -o it.fmu",
          {"model exchange", "coulomb"});
  // An object that hangs in a gripper at rest: Euler's method on its rates would shake it.
  write("held.toml",
        "system = { kind = 'gripped_object', mass = 0.1, inertia = 3e-4 }\n"
        "friction = { model = 'disc_coulomb', F_c = 4, R = 0.01 }\nrun = { duration = 0.1 }\n");
  refuses("fmu held.toml --kind me -o it.fmu", {"model exchange", "set-valued at rest"});
  refuses("fmu missing.toml -o it.fmu", {"missing.toml"});
  EXPECT_FALSE(fs::exists(path("it.fmu")));
  const answer told = run("fmu discs -o discs.fmu");
  EXPECT_EQ(told, 0);
  EXPECT_NE(told.err.find("does not offer model exchange"), std::string::npos) << told.err;
}

// Another reader of archives and of XML finds nothing wrong.
TEST_F(cli_fmu, TheArchiveIsWhole) {
  if (!fs::exists("/usr/bin/python3")) GTEST_SKIP() << "there is no /usr/bin/python3";
  write("check.py",
        "import sys, zipfile, xml.etree.ElementTree\n"
        "with zipfile.ZipFile(sys.argv[1]) as z:\n"
        "    assert z.testzip() is None\n"
        "    root = xml.etree.ElementTree.fromstring(z.read('modelDescription.xml'))\n"
        "    assert root.tag == 'fmiModelDescription'\n"
        "    print(root.find('ModelVariables')[0].get('name'))\n");
  for (const char* version : {"2", "3"}) {
    EXPECT_EQ(run(std::string("fmu launched_sphere --force -o it.fmu --fmi ") + version), 0);
    EXPECT_EQ(finish(launch({"/usr/bin/python3", "check.py", "it.fmu"})), 0) << content("err");
    EXPECT_EQ(content("out"), "time\n");
  }
}

TEST_F(cli_fmu, TheSameScenarioGivesTheSameBytes) {
  EXPECT_EQ(run("fmu stick_slip -o a.fmu"), 0);
  EXPECT_EQ(run("fmu stick_slip -o b.fmu"), 0);
  EXPECT_EQ(content("a.fmu"), content("b.fmu"));
  EXPECT_GT(content("a.fmu").size(), 100000U);
}

// Whoever compiles them finds every file that they name, and both standards list those to compile.
TEST_F(cli_fmu, SourcesAreWhole) {
  for (const char* version : {"2", "3"}) {
    SCOPED_TRACE(version);
    const auto of = make(std::string("stick_slip --fmi ") + version);
    const bool is_3 = of->is_3;
    const std::string& listed_in =
        is_3 ? of->files.at("sources/buildDescription.xml") : of->files.at("modelDescription.xml");
    const std::regex file(is_3 ? "<SourceFile name=\"([^\"]*)\"" : "<File name=\"([^\"]*)\"");
    std::set<std::string> listed, there;
    for (std::sregex_iterator at(listed_in.begin(), listed_in.end(), file), end; at != end; ++at)
      listed.insert((*at)[1]);
    const std::regex included("#include [<\"]((asperity|fmu)/[^>\"]*)[>\"]");
    int looked_at = 0;
    for (const auto& [name, text] : of->files) {
      if (!name.starts_with("sources/")) continue;
      if (name.ends_with(".cpp")) there.insert(name.substr(8));
      for (std::sregex_iterator at(text.begin(), text.end(), included), end; at != end; ++at) {
        const std::string wanted = (*at)[1];
        EXPECT_TRUE(of->files.contains("sources/" + wanted) ||
                    of->files.contains("sources/generated/" + wanted))
            << name << " includes " << wanted;
        ++looked_at;
      }
    }
    EXPECT_EQ(listed, there);
    EXPECT_GT(there.size(), 100U);
    EXPECT_GT(looked_at, 1000);
    EXPECT_TRUE(of->files.contains("sources/CMakeLists.txt"));
    EXPECT_TRUE(of->files.contains("sources/apache-2.0.txt"));
    for (const auto& [name, text] : of->files)  // nothing of the machine that made it
      EXPECT_TRUE(!name.starts_with("sources/") ||
                  text.find(ASPERITY_BINARY_DIR) == std::string::npos)
          << name;
  }
  const auto bare = make("stick_slip --no-sources");
  for (const auto& [name, ignored] : bare->files) EXPECT_FALSE(name.starts_with("sources")) << name;
  EXPECT_EQ(bare->xml.find("SourceFiles"), std::string::npos);
}

// The binary that the sources give, in place of the one that the FMU came with. It takes as long as the
// library takes to compile, so it is asked for: ASPERITY_COMPILE_FMU=1.
TEST_F(cli_fmu, SourcesGiveTheBinary) {
  if (std::getenv("ASPERITY_COMPILE_FMU") == nullptr)
    GTEST_SKIP() << "it takes minutes: ask for it with ASPERITY_COMPILE_FMU=1";
  const std::string scenario = "stick_slip --set run.duration=10 --set run.sample=0.05";
  const run_table expected = table_of(scenario);
  ASSERT_EQ(run("fmu " + scenario + " -o it.fmu"), 0);
  { const fmu unpacked(path("it.fmu"), folder / "it"); }
  ASSERT_EQ(finish(launch({"/bin/sh", "-c",
                           "cmake -S it/sources -B build && cmake --build build --parallel 2"})),
            0)
      << content("out") << content("err");
  // The sources alone must do: the archive's own binary is gone.
  const fs::path binary = folder / "it/binaries/linux64/stick_slip.so";
  fs::remove(binary);
  fs::copy_file(folder / "build/libasperity_fmu.so", binary);
  const fmu of(folder / "it");
  fmu_instance it(of, kind::cs);
  ASSERT_NE(it.c, nullptr) << it.log.all();
  ASSERT_EQ(it.start(), 0) << it.log.all();
  EXPECT_EQ(difference(it, of, expected), 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(cli_fmu, TheBinaryNeedsTheCLibraryAlone) {
  const auto of = make("stick_slip");
  std::string binary;
  for (const auto& [name, ignored] : of->files)
    if (name.ends_with(".so")) binary = (of->folder / name).string();
  if (finish(launch({"/bin/sh", "-c",
                     "readelf -d '" + binary + "' && nm -D --defined-only '" + binary + "'"})) != 0)
    GTEST_SKIP() << "there is no readelf or nm";
  std::istringstream lines(content("out"));
  int entries = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") != std::string::npos) {
      EXPECT_TRUE(std::regex_search(line, std::regex(R"(\[(libc|libm|ld-linux-x86-64)\.so)")))
          << line;
    }
    if (line.find(" T ") != std::string::npos) {
      EXPECT_NE(line.find(" fmi"), std::string::npos) << line;
      ++entries;
    }
  }
  EXPECT_GE(entries, 75 + 40);
}
#endif

}  // namespace
}  // namespace asperity::testing
