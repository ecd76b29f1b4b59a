// SPDX-License-Identifier: Apache-2.0
// Points stepped side by side give the table of points run one by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/batch/lanes.hpp>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/sweep/evaluate.hpp>
#include <asperity/sweep/packs.hpp>
#include <asperity/sweep/store.hpp>
#include <asperity/sweep/work.hpp>
#include <cmath>

#include "tests/folder.hpp"

namespace asperity {
namespace {

const std::string pulled = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 100
damping = 1
speed = 0.05
[friction]
model = "lugre"
sigma_0 = 1e4
sigma_1 = 100
F_c = 1
F_s = 2
v_s = 0.1
[integrator]
method = "rk4"
step = 1e-4
[run]
duration = 2
)";

const std::string shaken = R"(
[system]
kind = "mass_under_force"
mass = 1
[friction]
model = "dai"
[force]
kind = "sine"
amplitude = 2
frequency = 3
[integrator]
method = "rk4"
step = 2e-5
[run]
duration = 0.5
)";

const std::string belt = R"(
[system]
kind = "mass_on_belt"
mass = 1
k_1 = 1
k_2 = 1
speed = 0.5
[friction]
model = "lugre"
curve = "stribeck_lorentzian"
sigma_0 = 1e3
sigma_1 = 20
[integrator]
method = "rk4"
step = 1e-3
[run]
duration = 20
)";

const std::string ball = R"(
[system]
kind = "bouncing_mass"
mass = 0.5
[force]
kind = "sine"
offset = -4.9
amplitude = 1
omega = 20
[contact]
model = "dai_contact"
[initial]
x = 0.01
[integrator]
method = "rk4"
step = 1e-5
[run]
duration = 0.2
sample = 1e-3
)";

const std::string sphere = R"(
[system]
kind = "sphere_on_plane"
mass = 1
radius = 0.1
[contact]
model = "dai_frictional_contact"
[initial]
z = 0.103
v_x = 0.5
v_y = -0.1
omega_y = -20
omega_z = 3
[integrator]
method = "rk4"
step = 1e-4
[run]
duration = 0.2
sample = 1e-3
)";

class packs : public testing::in_folder {
 protected:
  void SetUp() override {
    write("ball.toml", ball);
    write("sphere.toml", sphere);
    write("pulled.toml", pulled);
    write("shaken.toml", shaken);
    write("belt.toml", belt);
  }
  sweep_request request(const std::string& name, std::vector<std::string> axes,
                        std::vector<std::string> measures,
                        std::vector<std::string> settings = {}) const {
    sweep_request wanted;
    wanted.file = path(name);
    wanted.axes = std::move(axes);
    wanted.measures = std::move(measures);
    wanted.settings = std::move(settings);
    return wanted;
  }
};

bool is_packed(const sweep_plan& plan, long long point = 0) {
  return pack_of(plan.at(point), plan.measures(), {}).has_value();
}

std::vector<point_result> all_points(const sweep_plan& plan, bool in_packs) {
  std::vector<point_result> all;
  for (long long chunk = 0; chunk < plan.chunks(); ++chunk) {
    const auto some = evaluate_chunk(plan, chunk, {}, in_packs);
    EXPECT_TRUE(some.has_value());
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

// To 1e-12 of `scale`, which is the largest value of its kind: a body at rest has velocities of the size
// of rounding.
void expect_near(double a, double b, double scale, const std::string& what) {
  if (std::isnan(b)) {
    EXPECT_TRUE(std::isnan(a)) << what << ": " << a;
  } else {
    EXPECT_NEAR(a, b, 1e-12 * scale) << what;
  }
}

// How many points completed.
int expect_same_tables(const std::vector<point_result>& together,
                       const std::vector<point_result>& alone, const sweep_plan& plan) {
  int completed = 0;
  EXPECT_EQ(together.size(), alone.size());
  std::vector<double> scale(plan.measures().size(), 0);
  for (const auto& each : alone)
    for (std::size_t k = 0; k < scale.size(); ++k)
      if (!std::isnan(each.values[k])) scale[k] = std::max(scale[k], std::abs(each.values[k]));
  for (std::size_t i = 0; i < std::min(together.size(), alone.size()); ++i) {
    EXPECT_EQ(together[i].outcome, alone[i].outcome) << i;
    EXPECT_EQ(together[i].detail, alone[i].detail) << i;
    completed += together[i].outcome == "completed" ? 1 : 0;
    for (std::size_t k = 0; k < plan.measures().size(); ++k)
      expect_near(together[i].values[k], alone[i].values[k], scale[k],
                  fmt::format("point {} {}", i, plan.measures()[k].name));
    EXPECT_EQ(together[i].lists.size(), alone[i].lists.size());
    for (std::size_t k = 0; k < alone[i].lists.size(); ++k) {
      EXPECT_EQ(together[i].lists[k].size(), alone[i].lists[k].size()) << i;
      if (together[i].lists[k].size() != alone[i].lists[k].size()) continue;
      for (std::size_t n = 0; n < alone[i].lists[k].size(); ++n)
        expect_near(
            together[i].lists[k][n], alone[i].lists[k][n],
            std::max(std::abs(alone[i].lists[k].front()), std::abs(alone[i].lists[k].back())),
            fmt::format("list of {}", i));
    }
  }
  return completed;
}

// Both ways over all points; says how many completed.
int compare(const sweep_request& wanted, bool packed = true) {
  const sweep_plan plan(wanted);
  EXPECT_EQ(is_packed(plan), packed);
  return expect_same_tables(all_points(plan, true), all_points(plan, false), plan);
}

TEST_F(packs, GridsAreTheSame) {
  EXPECT_EQ(compare(request("pulled.toml", {"damping=lin(0, 6, 5)", "speed=log(0.02, 0.3, 9)"},
                            {"stick_slip_period, stick_fraction, amplitude(v), period(v), "
                             "maximum(f), mean(x), extrema(v), final_state"})),
            45);
}

TEST_F(packs, SamplesAreTheSame) {
  auto wanted = request("shaken.toml", {},
                        {"maximum(v), minimum(x), span(a), loop_area(f, over=x), "
                         "peaks(v), mean(force)"});
  wanted.draws = {"mass=lognormal(1, 0.2)", "force.amplitude=uniform(0.5, 4)",
                  "force.frequency=uniform(1, 9)"};
  wanted.samples = 40;
  EXPECT_EQ(compare(wanted), 40);
}

TEST_F(packs, InitialStatesAreTheSame) {
  EXPECT_EQ(compare(request("belt.toml", {"initial.p=lin(-1.5, 1.5, 5)", "initial.v=lin(-1, 1, 7)"},
                            {"attractor(v)", "stick_fraction", "final_state"})),
            35);
}

TEST_F(packs, LawsWithoutLibraryFunctionsAreTheSameToTheLastBit) {
  const sweep_plan plan(
      request("shaken.toml", {"force.amplitude=lin(0.5, 4, 40)"}, {"final_state", "mean(f)"}));
  ASSERT_TRUE(is_packed(plan));
  const auto together = all_points(plan, true), alone = all_points(plan, false);
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(together[i].values, alone[i].values);
}

// Rows of runs that fail, and of points that are refused, are those of simulate().
TEST_F(packs, FailingPointsAreTheSame) {
  // Unstable, then beyond every number.
  const int completed = compare(request("pulled.toml", {"sigma_0=log(1e3, 1e13, 11)"},
                                        {"amplitude(v)", "last(x)"}, {"run.duration=0.2"}));
  EXPECT_GT(completed, 0);
  EXPECT_LT(completed, 11);
  EXPECT_LT(compare(request("pulled.toml", {"F_s=2,1.5,0.5,0.2"}, {"amplitude(v)"},
                            {"run.duration=0.05"})),
            4);
}

TEST_F(packs, GridsOfTimeAreTheSame) {
  const std::vector<std::string> over{"speed=lin(0.02, 0.3, 5)"}, what{"mean(v), last(x), last(t)"};
  for (const char* setting :
       {"run.sample=0", "run.sample=3.3e-4", "run.duration=0.05003", "integrator.method=\"euler\"",
        "run.sample=1.7e-2", "load=2", "anchor={kind=\"sine\",amplitude=0.1,omega=9}"}) {
    SCOPED_TRACE(setting);
    const bool has_anchor = std::string(setting).starts_with("anchor");
    auto wanted = request("pulled.toml", has_anchor ? std::vector<std::string>{"mass=1,2,3"} : over,
                          what, {"run.duration=0.05", setting});
    if (has_anchor) {
      std::string text = pulled;
      text.replace(text.find("speed = 0.05\n"), 13, "");
      write("anchored.toml", text);
      wanted.file = path("anchored.toml");
    }
    EXPECT_GT(compare(wanted), 2);
  }
  // Each length has packs of its own.
  EXPECT_EQ(compare(request("pulled.toml", {"run.duration=0.05,0.06", "mass=lin(1, 2, 20)"}, what)),
            40);
  EXPECT_EQ(compare(request("pulled.toml", {"integrator.step=1e-4,3e-5", "mass=lin(1, 2, 20)"},
                            what, {"run.duration=0.05"})),
            40);
}

// Points that were not read have the numbers of points that were.
TEST_F(packs, QuickPointsAreThoseThatAreRead) {
  const auto expect_same = [](const sweep_request& wanted) {
    const sweep_plan plan(wanted);
    ASSERT_NE(plan.quick(), nullptr);
    int compared = 0;
    for (long long i = 0; i < plan.points(); ++i) {
      const auto quick = plan.quick()->at(plan, i);
      if (!quick) continue;
      const scenario read = plan.at(i);
      EXPECT_EQ(pack_of(read, plan.measures(), {}), plan.quick()->key());
      EXPECT_EQ(quick->numbers, lane_numbers(*read.system)) << i;
      EXPECT_EQ(quick->initial, read.initial) << i;
      ++compared;
    }
    EXPECT_GT(compared, 5);
  };
  expect_same(
      request("pulled.toml", {"speed=lin(0.1, 0.3, 3)", "friction.v_s=0.1,0.2"}, {"amplitude(v)"}));
  expect_same(request("belt.toml", {"system.speed=lin(0.1, 0.3, 3)", "initial.v=0,1,2"},
                      {"stick_fraction", "maximum(f)"}));
  auto drawn = request("shaken.toml", {}, {"maximum(f)"});
  drawn.draws = {"force.amplitude=uniform(1, 4)", "mass=lognormal(1, 0.1)"};
  drawn.samples = 20;
  expect_same(drawn);
  // Values that do anything else than stand in one place must be read: what follows from a value, what
  // the refusal of a point would hide, and what each system alone can show.
  for (const char* over :
       {"force.frequency=1,2", "run.duration=0.1,0.2", "integrator.step=1e-5,2e-5"})
    EXPECT_EQ(sweep_plan(request("shaken.toml", {over}, {"maximum(v)"})).quick(), nullptr) << over;
  EXPECT_EQ(sweep_plan(request("pulled.toml", {"F_s=2,0.5"}, {"maximum(v)"})).quick(), nullptr);
  EXPECT_EQ(sweep_plan(request("shaken.toml", {"force.amplitude=1,2"}, {"maximum(force)"})).quick(),
            nullptr);
}

// What cannot be stepped side by side runs as before.
TEST_F(packs, OthersStayAlone) {
  const std::vector<std::string> over{"mass=1,2,3"};
  const auto alone = [&](std::vector<std::string> measures, std::vector<std::string> settings) {
    settings.emplace_back("run.duration=0.05");
    return compare(request("pulled.toml", over, std::move(measures), std::move(settings)), false);
  };
  EXPECT_EQ(alone({"amplitude(v)"}, {"integrator.method=\"automatic\""}), 3);
  EXPECT_EQ(alone({"amplitude(v)"}, {"run.time_limit=100"}), 3);
  EXPECT_EQ(alone({"amplitude(v)"}, {"run.audit=true"}), 3);
  EXPECT_EQ(alone({"events(reversal)"}, {}), 3);
  EXPECT_EQ(alone({"amplitude(v)"},
                  {"friction={model=\"maxwell_slip\"}", "integrator.method=\"advance\""}),
            3);
}

// Contacts: the ball bounces while a sine shakes it.
TEST_F(packs, BallsAreTheSame) {
  const std::vector<std::string> seen{"maximum(x), minimum(x), mean(f), maximum(f), final_state"};
  EXPECT_EQ(
      compare(request("ball.toml", {"initial.x=lin(-0.001, 0.02, 7)", "mass=0.2,0.5,1"}, seen)),
      21);
  EXPECT_EQ(
      compare(request("ball.toml", {"contact.alpha=lin(2e-3, 9e-3, 5)", "force.amplitude=1,2,3"},
                      seen, {"integrator.method=\"backward_euler\"", "integrator.step=1e-4"})),
      15);
  // No library function in this law, hence the same bits.
  const sweep_plan plan(
      request("ball.toml", {"contact.K=log(1e4, 1e6, 40)"}, {"final_state", "mean(f)"}));
  ASSERT_TRUE(is_packed(plan));
  EXPECT_NE(plan.quick(), nullptr);
  const auto together = all_points(plan, true), alone = all_points(plan, false);
  double deepest = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(together[i].values, alone[i].values);
    deepest = std::max(deepest, alone[i].values.back());
  }
  EXPECT_GT(deepest, 0.1);  // it did touch
  // A force that jumps is turned by an event inside of a step; what a rigid contact bears, the next
  // step tells.
  for (const auto& [law, method] : {std::pair{"kelvin_voigt", "rk4"},
                                    {"kelvin_voigt_clamped", "backward_euler"},
                                    {"rigid", "backward_euler"}})
    EXPECT_FALSE(is_packed(sweep_plan(request("ball.toml", {"mass=1,2"}, {"last(x)"},
                                              {fmt::format("contact={{model=\"{}\"}}", law),
                                               fmt::format("integrator.method=\"{}\"", method)}))))
        << law;
}

TEST_F(packs, SpheresAreTheSame) {
  const std::vector<std::string> seen{
      "final_state",
      "maximum(f_n), mean(f_x), span(slip_y), last(elevation), maximum(coefficient), "
      "minimum(gap), last(q_size)"};
  for (const char* inertia : {"inertia=4e-3", "inertia=[3e-3, 4e-3, 5e-3]"}) {
    SCOPED_TRACE(inertia);
    EXPECT_EQ(compare(request("sphere.toml", {"contact.mu=lin(0, 0.5, 6)", "initial.v_x=0.1,0.5,2"},
                              seen, {std::string("system.") + inertia})),
              18);
  }
  EXPECT_EQ(compare(request(
                "sphere.toml", {"radius=0.1,0.101", "slope=0,0.1,0.2"}, seen,
                {"integrator.method=\"euler\"", "integrator.step=1e-5", "run.duration=0.05"})),
            6);
  // Where samples lie inside of steps, the quaternion is made unit there, too.
  EXPECT_EQ(compare(request("sphere.toml", {"initial.omega_z=1,20"}, seen, {"run.sample=3.3e-4"})),
            2);
  EXPECT_NE(sweep_plan(request("sphere.toml", {"contact.mu=0,0.1"}, seen)).quick(), nullptr);
  // A law that keeps a choice between branches, and a normal contact beside friction, run alone.
  for (const char* law : {"azad_featherstone_stribeck", "dai_contact"})
    EXPECT_FALSE(is_packed(sweep_plan(request("sphere.toml", {"mass=1,2"}, {"last(x)"},
                                              {fmt::format("contact={{model=\"{}\"}}", law)}))))
        << law;
}

// Every law that exists in wide numbers answers as it does alone.
TEST_F(packs, EveryLawIsTheSame) {
  EXPECT_GT(generated::lane_models().size(), 50U);
  int contacts = 0;
  for (const lane_model& law : generated::lane_models()) {
    const std::string& family = find_entry(law.key).family;
    if (family != "friction") {
      SCOPED_TRACE(law.key);
      const bool is_ball = family == "contact";
      const any_model alone(find_entry(law.key));
      if (is_ball && (alone.has_side() || law.key == "rigid")) continue;
      ++contacts;
      EXPECT_EQ(compare(request(is_ball ? "ball.toml" : "sphere.toml",
                                {is_ball ? "initial.x=lin(-1e-4, 1e-4, 5)"
                                         : "initial.z=lin(0.0999, 0.1001, 5)"},
                                {"final_state", is_ball ? "mean(f)" : "mean(f_n), mean(f_x)"},
                                {fmt::format("contact={{model=\"{}\"}}", law.key),
                                 "run.duration=4e-3", "integrator.step=1e-6", "run.sample=0"})),
                5);
      continue;
    }
    SCOPED_TRACE(law.key + " " + law.curve);
    const std::string words =
        fmt::format("friction={{model=\"{}\"{}}}", law.key,
                    law.curve.empty() ? "" : fmt::format(",curve=\"{}\"", law.curve));
    EXPECT_GT(
        compare(request("shaken.toml", {"initial.v=lin(-0.2, 0.3, 6)"}, {"final_state", "mean(f)"},
                        {words, "run.duration=3e-4", "integrator.step=1e-6"})),
        2);
  }
  EXPECT_GE(contacts, 7);
}

// Implicit steps of laws that answer with one reaction, also of those that hold a body at rest.
TEST_F(packs, ImplicitStepsAreTheSame) {
  EXPECT_EQ(compare(request("shaken.toml", {"force.amplitude=lin(0.5, 4, 12)"},
                            {"maximum(f), final_state, stick_fraction"},
                            {"integrator.method=\"backward_euler\"", "integrator.step=1e-4"})),
            12);
  EXPECT_EQ(compare(request("pulled.toml", {"speed=lin(0.02, 0.3, 12)"},
                            {"maximum(f), final_state, stick_fraction"},
                            {"friction={model=\"coulomb\"}", "run.duration=0.5",
                             "integrator.method=\"backward_euler\""})),
            12);
}

// The bits depend on no chunk and on no neighbour, hence on no width.
TEST_F(packs, ChunksDoNotMatter) {
  const auto table = [&](long long chunk) {
    auto wanted =
        request("pulled.toml", {"speed=lin(0.02, 0.3, 45)"}, {"final_state"}, {"run.duration=0.1"});
    wanted.chunk = chunk;
    const sweep_plan plan(wanted);
    EXPECT_TRUE(is_packed(plan));
    std::vector<std::vector<double>> values;
    for (const auto& each : all_points(plan, true)) values.push_back(each.values);
    return values;
  };
  const auto whole = table(45);
  for (const long long chunk : {1, 7, 16, 33}) EXPECT_EQ(table(chunk), whole) << chunk;
}

TEST_F(packs, AResumedSweepIsTheSame) {
  auto wanted = request("pulled.toml", {"damping=lin(0, 6, 6)", "speed=log(0.02, 0.3, 20)"},
                        {"amplitude(v)", "extrema(v)"}, {"run.duration=0.5"});
  wanted.chunk = 10;
  std::atomic<bool> stop{false};
  {
    sweep_plan plan(wanted);
    sweep_store store(path("half.sqlite"), plan);
    EXPECT_FALSE(
        run_sweep(plan, store, {.threads = 2, .interrupt = &stop, .progress = [&](long long n) {
                                  if (n >= 40) stop = true;
                                }}));
    EXPECT_LT(store.finished_points(), 120);
  }
  const auto finish = [&](const char* file, bool in_packs) {
    sweep_plan plan(wanted);
    sweep_store store(path(file), plan);
    EXPECT_TRUE(run_sweep(
        plan, store, {.threads = 2, .interrupt = nullptr, .progress = {}, .in_packs = in_packs}));
    return read_sweep(path(file));
  };
  const auto resumed = finish("half.sqlite", true), whole = finish("whole.sqlite", true),
             alone = finish("alone.sqlite", false);
  ASSERT_TRUE(resumed.complete());
  ASSERT_TRUE(alone.complete());
  EXPECT_EQ(resumed.outcome, alone.outcome);
  EXPECT_EQ(resumed.values, whole.values);
  ASSERT_EQ(resumed.lists.size(), alone.lists.size());
  for (std::size_t i = 0; i < alone.point.size(); ++i)
    expect_near(resumed.values[0][i], alone.values[0][i], alone.values[0][i],
                fmt::format("row {}", i));
  for (std::size_t i = 0; i < alone.lists.size(); ++i)
    expect_near(resumed.lists[i].value, alone.lists[i].value, 1, "extrema");
}

TEST_F(packs, AnInterruptLeavesNothing) {
  const sweep_plan plan(request("pulled.toml", {"mass=lin(1, 2, 20)"}, {"last(x)"}));
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(evaluate_chunk(plan, 0, {.interrupt = &stop}).has_value());
}

}  // namespace
}  // namespace asperity
