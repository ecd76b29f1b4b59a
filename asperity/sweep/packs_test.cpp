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
#include <random>

#include "tests/folder.hpp"
#include "tests/sweep_scenarios.hpp"

namespace asperity {
namespace {

using namespace testing::sweep_scenarios;

class packs : public testing::in_folder {
 protected:
  void SetUp() override {
    for (const auto& [name, text] : all) write(name, text);
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
    // Packs do not judge their steps.
    if (alone[i].outcome != "completed" || plan.is_corner(static_cast<long long>(i))) {
      EXPECT_EQ(together[i].detail, alone[i].detail) << i;
    }
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

// However the length of a step divides that of the run: the same rows, none of them twice, and the last
// at the end.
TEST_F(packs, RowsLieAtTheSameTimes) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> even(0, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const double duration = 1e-3 * std::pow(10, even(random));
    const double steps = 3 + std::floor(60 * even(random));
    double h = duration / steps;
    if (trial % 3 == 1) h = std::nextafter(h, 0);
    if (trial % 3 == 2) h *= 1 + (even(random) - 0.5) * std::pow(10, -16 + 12 * even(random));
    // On a contact that jumps, runs turn at times of their own: rows there are samples.
    const bool jumps = trial % 2 == 1;
    const sweep_plan plan(request(
        jumps ? "ball.toml" : "pulled.toml", {"mass=1,2,3"}, {"last(x), last(t)"},
        {fmt::format("run.duration={:.17g}", duration), fmt::format("integrator.step={:.17g}", h),
         fmt::format("run.sample={:.17g}", jumps ? duration / steps : 0.0),
         jumps ? "contact={model=\"kelvin_voigt\"}" : "load=1", "integrator.method=\"rk4\""}));
    ASSERT_TRUE(is_packed(plan));
    std::vector<pack_member> members;
    for (long long i = 0; i < 3; ++i) members.push_back(as_pack_member(plan.at(i)));
    simulate_pack(members, plan.measures(), {}, [&](std::size_t member, const run_data* data) {
      ASSERT_NE(data, nullptr);
      const auto& t = (*data)["t"];
      const auto alone = simulate(plan.at(static_cast<long long>(member)))["t"];
      ASSERT_EQ(t.size(), alone.size()) << trial;
      // Samples beside the end of a step count as there, but to rounding.
      for (std::size_t i = 0; i < t.size(); ++i)
        EXPECT_NEAR(t[i], alone[i], jumps ? 2e-9 * h : 0) << trial;
      EXPECT_EQ(t.back(), duration) << trial;
      for (std::size_t i = 1; i < t.size(); ++i) EXPECT_GT(t[i] - t[i - 1], 0.9e-6 * h) << trial;
    });
  }
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
  // What a rigid contact bears, the next step tells.
  EXPECT_FALSE(is_packed(
      sweep_plan(request("ball.toml", {"mass=1,2"}, {"last(x)"},
                         {"contact={model=\"rigid\"}", "integrator.method=\"backward_euler\""}))));
}

// A force that jumps is turned inside of a step, where each run meets the surface: its steps, from then
// on, lie at times of their own.
TEST_F(packs, BallsOnContactsThatJumpAreTheSame) {
  const std::vector<std::string> seen{
      "peaks(x), maximum(x), minimum(x), mean(f), maximum(f), minimum(f), final_state"};
  for (const char* law : {"kelvin_voigt", "kelvin_voigt_clamped"})
    for (const char* setting :
         {"integrator.step=1e-5", "integrator.method=\"euler\"", "run.duration=0.20003",
          "run.sample=3.3e-4", "integrator.step=2.3e-4",
          "force={kind=\"nodes\", times=[0, 0.1, 0.2], values=[-4, -6, -4]}"}) {
      SCOPED_TRACE(fmt::format("{} {}", law, setting));
      auto wanted =
          request("ball.toml", {}, seen, {fmt::format("contact={{model=\"{}\"}}", law), setting});
      wanted.draws = {"initial.x=uniform(-1e-3, 0.02)", "mass=uniform(0.2, 1)",
                      "contact.K=lognormal(2e4, 1)", "contact.B=uniform(0, 20)"};
      wanted.samples = 40;
      EXPECT_EQ(compare(wanted), 40);
      // They did bounce, more than once.
      const sweep_plan plan(wanted);
      double most = 0;
      for (const auto& each : all_points(plan, true)) most = std::max(most, each.values[0]);
      EXPECT_GT(most, 1);
    }
  // On the surface, from either side, and at rest.
  EXPECT_EQ(compare(request("ball.toml", {"initial.v=-0.1,0,0.1"}, seen,
                            {"contact={model=\"kelvin_voigt\"}", "initial.x=0", "force=0"})),
            3);
  // A step that ends on the surface to the last bit, and a body that is pushed off it.
  for (const auto& start :
       {std::vector<std::string>{"initial={x=1, v=-1}", "force=0"}, {"initial={x=0}", "force=1"}}) {
    std::vector<std::string> settings{"contact={model=\"kelvin_voigt\", K=100, B=1}",
                                      "integrator.step=0.015625", "run.duration=4",
                                      "run.sample=0.25"};
    settings.insert(settings.end(), start.begin(), start.end());
    EXPECT_EQ(compare(request("ball.toml", {"mass=1,2,3,4"}, seen, settings)), 4);
  }
  // The last row is at the end, though 3*0.3 is less than 0.9: a mean of rows would see another.
  EXPECT_EQ(compare(request("ball.toml", {"mass=1,2,3"}, {"last(x, ewma=0.1)"},
                            {"contact={model=\"kelvin_voigt\", K=100, B=1}", "force=0",
                             "initial={x=0.37, v=-1}", "integrator.step=0.01", "run.sample=0.3",
                             "run.duration=0.9"})),
            3);
  const auto packed = [&](const char* law, const char* setting, std::string* why) {
    const sweep_plan plan(request("ball.toml", {"mass=1,2"}, {"last(x)"},
                                  {fmt::format("contact={{model=\"{}\"}}", law), setting}));
    return pack_of(plan.at(0), plan.measures(), {}, why).has_value();
  };
  std::string why;
  EXPECT_FALSE(packed("kelvin_voigt", "run.sample=0", &why));
  EXPECT_NE(why.find("'kelvin_voigt' jumps"), std::string::npos) << why;
  EXPECT_FALSE(packed("kelvin_voigt_clamped", "integrator.method=\"backward_euler\"", &why));
  EXPECT_NE(why.find("'kelvin_voigt_clamped' has no backward Euler"), std::string::npos) << why;
  EXPECT_TRUE(packed("kelvin_voigt", "integrator.method=\"euler\"", &why));
}

// Points that run one by one say what to set to have them side by side: it is set, and they are.
TEST_F(packs, WhatIsAdvisedBringsPointsSideBySide) {
  std::string why;
  const auto packed = [&](const char* file, std::vector<std::string> settings) {
    const sweep_plan plan(request(file, {"mass=1,2"}, {"maximum(x)"}, std::move(settings)));
    why.clear();
    return pack_of(plan.at(0), plan.measures(), {}, &why).has_value();
  };
  const auto advises = [&](const char* words) {
    return why.find(words) != std::string::npos ? ::testing::AssertionSuccess()
                                                : ::testing::AssertionFailure() << why;
  };
  ASSERT_FALSE(packed("shaken.toml", {"integrator={}"}));
  ASSERT_TRUE(
      advises("set integrator.step, and integrator.method to rk4, euler or backward_euler"));
  for (const char* method : {"rk4", "euler", "backward_euler"})
    EXPECT_TRUE(packed("shaken.toml", {"integrator={}", "integrator.step=1e-4",
                                       fmt::format("integrator.method=\"{}\"", method)}))
        << method << ": " << why;
  const std::string clamped = "contact={model=\"kelvin_voigt_clamped\"}";
  ASSERT_FALSE(packed("ball.toml", {clamped, "integrator.method=\"backward_euler\""}));
  ASSERT_TRUE(advises("use rk4 or euler"));
  for (const char* method : {"rk4", "euler"})
    EXPECT_TRUE(packed("ball.toml", {clamped, fmt::format("integrator.method=\"{}\"", method)}))
        << why;
  ASSERT_FALSE(packed("shaken.toml", {"integrator.step=1e-7", "run.sample=0"}));
  ASSERT_TRUE(advises("set run.sample"));
  EXPECT_TRUE(packed("shaken.toml", {"integrator.step=1e-7", "run.sample=1e-3"})) << why;
  const std::string jumping = "contact={model=\"kelvin_voigt\"}";
  ASSERT_FALSE(packed("ball.toml", {jumping, "run.sample=0"}));
  ASSERT_TRUE(advises("set run.sample"));
  EXPECT_TRUE(packed("ball.toml", {jumping, "run.sample=1e-3"})) << why;
}

TEST_F(packs, PlanarBodiesAreTheSame) {
  for (const char* file : {"planar.toml", "moved.toml"}) {
    const bool is_body = std::string(file) == "planar.toml";
    const std::vector<std::string> seen{
        "final_state, maximum(f_x), mean(torque), maximum(speed), span(rim_speed), mean(f_y), "
        "last(eps)"};
    for (const char* law : {"planar_lugre", "planar_elastoplastic"})
      for (const char* coupling : {"ellipsoid", "disc"})
        for (const char* method : {"rk4", "euler"}) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", file, law, coupling, method));
          auto wanted = request(
              file, {}, seen,
              {fmt::format("friction={{model=\"{}\", coupling=\"{}\", R=0.05, sigma_0=1e4}}", law,
                           coupling),
               fmt::format("integrator.method=\"{}\"", method), "integrator.step=2e-5",
               "run.duration=0.1"});
          wanted.draws = {"friction.F_c=uniform(0.5, 1.2)", "friction.sigma_1=uniform(0, 30)",
                          "friction.R=uniform(0.02, 0.1)", "load=uniform(0.3, 3)"};
          wanted.draws.emplace_back(is_body ? "mass=uniform(0.5, 2)" : "spin.phase=uniform(0, 6)");
          wanted.draws.emplace_back(is_body ? "initial.omega=uniform(-9, 9)"
                                            : "velocity_x.amplitude=uniform(0, 0.1)");
          wanted.samples = 40;
          EXPECT_EQ(compare(wanted), 40);
        }
  }
  EXPECT_NE(sweep_plan(request("planar.toml", {"friction.R=0.1,0.2"}, {"last(x)"})).quick(),
            nullptr);
  // Coulomb laws hold a body at rest; a load that may end sets bristles back.
  const auto expect_alone = [&](const char* setting) {
    const sweep_plan plan(request("planar.toml", {"mass=1,2"}, {"last(x)"}, {setting}));
    std::string why;
    EXPECT_FALSE(pack_of(plan.at(0), plan.measures(), {}, &why)) << setting;
    EXPECT_NE(why.find("'planar_body' are stepped side by side only with 'planar_lugre'"),
              std::string::npos)
        << why;
  };
  expect_alone("friction={model=\"disc_coulomb\", R=0.05}");
  expect_alone("friction={model=\"limit_surface_ellipsoid\", R=0.05}");
  expect_alone("load={kind=\"ramp\", offset=1, slope=-0.1}");
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

// Ten elements of dampers of 2e4 N s/m each: rk4 in steps of 0.1 ms is stable for masses above
// 7.2 kg, since its limit of h sigma/m is 2.785.
TEST_F(packs, StepsThatSuitTheFileButNotAPointAreTold) {
  write("light.toml", R"(
[system]
kind = "pulled_mass"
mass = 100
stiffness = 2
speed = 0.1
[friction]
model = "dai_multistate"
[integrator]
method = "rk4"
step = 1e-4
[run]
duration = 1
)");
  const sweep_plan plan(request("light.toml", {"mass=7, 50, 100"}, {"last(x)"}));
  EXPECT_TRUE(plan.base().warnings.empty());
  EXPECT_TRUE(is_packed(plan, 1));
  for (const bool in_packs : {true, false}) {
    const auto found = all_points(plan, in_packs);
    EXPECT_EQ(found[0].outcome, "completed");
    EXPECT_NE(found[0].detail.find("rk4 at step 0.0001 s is unstable"), std::string::npos)
        << found[0].detail;
    EXPECT_EQ(found[1].detail, "");
    EXPECT_EQ(found[2].detail, "");
  }
}

TEST_F(packs, CornersAreTheEndsOfAxesAndExtremeSamples) {
  const auto corners = [](const sweep_plan& plan) {
    std::vector<long long> found;
    for (long long i = 0; i < plan.points(); ++i)
      if (plan.is_corner(i)) found.push_back(i);
    return found;
  };
  const sweep_plan grid(
      request("pulled.toml", {"damping=lin(0, 6, 5)", "speed=lin(0.1, 0.3, 3)"}, {"last(x)"}));
  EXPECT_EQ(corners(grid), (std::vector<long long>{0, 2, 12, 14}));
  sweep_request wanted = request("pulled.toml", {}, {"last(x)"});
  wanted.draws = {"mass=uniform(1, 2)"};
  wanted.samples = 50;
  const sweep_plan drawn(wanted);
  double least = 3, greatest = 0;
  for (long long i = 0; i < 50; ++i) {
    least = std::min(least, drawn.parameters(i)[0]);
    greatest = std::max(greatest, drawn.parameters(i)[0]);
  }
  const auto found = corners(drawn);
  ASSERT_EQ(found.size(), 2U);
  const double one = drawn.parameters(found[0])[0], other = drawn.parameters(found[1])[0];
  EXPECT_EQ(std::min(one, other), least);
  EXPECT_EQ(std::max(one, other), greatest);
}

TEST_F(packs, AnInterruptLeavesNothing) {
  const sweep_plan plan(request("pulled.toml", {"mass=lin(1, 2, 20)"}, {"last(x)"}));
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(evaluate_chunk(plan, 0, {.interrupt = &stop}).has_value());
}

}  // namespace
}  // namespace asperity
