// SPDX-License-Identifier: Apache-2.0
// Planar systems whose contact is unloaded during a run, and loads that no contact has.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>

#include "tests/system_in_use.hpp"

namespace asperity {
namespace {

struct law {
  std::string friction, patch, integrator;
};
// F_c = F_s = 1 N and nothing viscous, so that all of them slide with the same force.
std::vector<law> all_laws() {
  const std::string bristles =
      "F_c = 1, F_s = 1, sigma_0 = 1e4, sigma_1 = 10, sigma_2 = 0, R = 0.05";
  const std::string disc = "patch = { shape = 'disc', radius = 0.05, cells = 4 }\n";
  const std::string step = "method = 'sdirk2', step = 1e-3", stiff = "method = 'rosenbrock'";
  return {{"model = 'disc_coulomb', F_c = 1, R = 0.05", "", step},
          {"model = 'limit_surface_ellipsoid', F_c = 1, R = 0.05", "", step},
          {"model = 'patch_coulomb', F_c = 1", disc, step},
          {"model = 'patch_dai', F_c = 1, F_s = 1, K = 1e4, beta = 1e-2", disc, step},
          {"model = 'planar_lugre', " + bristles, "", stiff},
          {"model = 'planar_elastoplastic', " + bristles, "", stiff},
          {"model = 'patch_lugre', F_c = 1, F_s = 1, sigma_0 = 1e3, sigma_1 = 10, sigma_2 = 0",
           disc, stiff}};
}

std::string body(const law& of, const std::string& load, const std::string& more = "") {
  return fmt::format(
      "system = {{ kind = 'planar_body', mass = 2, inertia = 1e-3 }}\nfriction = {{ {} }}\n{}"
      "load = {}\nintegrator = {{ {} }}\nrun = {{ duration = 1, audit = true }}\n{}",
      of.friction, of.patch, load, of.integrator, more);
}
scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "box.toml"), "box", "");
}
std::string complaint(const std::string& text) {
  try {
    read(text);
  } catch (const error& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(planar_load, BelowZeroAnywhereInTheRunIsRefusedWithTimeAndValue) {
  const std::pair<std::string, std::string> cases[] = {
      {"-0.5", "-0.5 at t = 0 s"},
      {"{ kind = 'nodes', join = 'hold', times = [0, 0.1], values = [1, -1] }", "-1 at t = 0.1 s"},
      {"{ kind = 'nodes', join = 'hold', times = [0, 0.1, 0.2], values = [1, -1, 1] }",
       "-1 at t = 0.1 s"},
      {"{ kind = 'nodes', times = [0, 0.5, 2], values = [1, -0.25, 1] }", "-0.25 at t = 0.5 s"},
      {"{ kind = 'sine', amplitude = 1, frequency = 1, offset = 0.5 }", "-0.5 at t = 0.75 s"},
      {"{ kind = 'ramp', slope = -2, offset = 1 }", "-1 at t = 1 s"}};
  for (const auto& of : all_laws())
    for (const auto& [load, words] : cases) {
      const std::string said = complaint(body(of, load));
      EXPECT_EQ(said.rfind("box.toml:", 0), 0U) << said;
      EXPECT_NE(said.find("load"), std::string::npos) << said;
      EXPECT_NE(said.find("at least 0"), std::string::npos) << said;
      EXPECT_NE(said.find(words), std::string::npos) << said;
    }
}

TEST(planar_load, BelowZeroAfterTheRunIsNobodysBusiness) {
  const auto of = all_laws().front();
  for (const std::string load :
       {"{ kind = 'nodes', join = 'hold', times = [0, 1], values = [1, -1] }",
        "{ kind = 'ramp', slope = -1, offset = 1 }",
        "{ kind = 'sine', amplitude = 0.3, frequency = 3, offset = 0.3 }"})
    EXPECT_EQ(complaint(body(of, load)), "accepted") << load;
}

// Sums of sines can dip below 0 where nobody looked before the run.
TEST(planar_load, BelowZeroInTheRunEndsItWithTimeAndValue) {
  planar_setup s;
  s.friction = make_friction(disc_friction{{1, 0.05}, 1});
  s.load = signal::nodes({0, 0.25}, {1, -0.5}, signal::joint::hold);
  const testing::system_in_use body(make_planar_system(s));
  const double start[6] = {0, 0, 0, 1, 0, 0};
  double y[6] = {}, rate[6] = {};
  body.rates(0.2, start, rate);
  EXPECT_TRUE(std::isfinite(rate[3]));
  EXPECT_EQ(body.complaint(), "");
  body.rates(0.5, start, rate);
  EXPECT_TRUE(std::isnan(rate[3]));
  body.solve_stage(0.25, 0.1, start, y);
  EXPECT_TRUE(std::isnan(y[3]));
  for (const char* words : {"load", "at least 0", "-0.5 at t = 0.25 s"})
    EXPECT_NE(body.complaint().find(words), std::string::npos) << body.complaint();
}

// m v_x' = force while the contact is open; before and after friction takes 1 N of it.
TEST(planar_load, AnOpenContactHasNoFrictionAndItsBristlesSpringBack) {
  for (const auto& of : all_laws()) {
    const auto data = simulate(read(
        body(of, "{ kind = 'nodes', join = 'hold', times = [0, 0.25, 0.75], values = [1, 0, 1] }",
             "force_x = 0.5\ninitial = { v_x = 0.3, omega = 2 }\n")));
    ASSERT_FALSE(is_failure(data.result.how)) << of.friction << data.result.detail;
    const auto &t = data["t"], &v = data["v_x"], &f = data["f_x"], &tau = data["torque"];
    for (std::size_t i = 0; i < t.size(); ++i) {
      ASSERT_TRUE(std::isfinite(v[i])) << of.friction << t[i];
      if (!(t[i] > 0.2501 && t[i] < 0.7499)) continue;
      EXPECT_EQ(f[i], 0) << of.friction << t[i];
      EXPECT_EQ(tau[i], 0) << of.friction << t[i];
      EXPECT_NEAR((v[i] - v[i - 1]) / (t[i] - t[i - 1]), 0.25, 2e-2) << of.friction << t[i];
      const auto* z = data.find("z_x");
      // To the error of the method, against 1e-4 m in sliding.
      EXPECT_NEAR(z != nullptr ? z->values[i] : 0.0, 0, 1e-10) << of.friction << t[i];
    }
    EXPECT_GT(f.back(), 0.4) << of.friction;  // closed again
    ASSERT_TRUE(data.audit);
    for (const auto& each : data.audit->findings)
      ADD_FAILURE() << of.friction << ' ' << each.where << ' ' << each.what << ' ' << each.t << ' '
                    << each.size / data.audit->exchanged;
  }
}

// Sliding straight on under the load 1 - t: m (v - v_0) = -F_c (t - t^2/2).
TEST(planar_load, FrictionFallsWithTheLoadToNothing) {
  for (const auto& of : all_laws()) {
    const auto data = simulate(
        read(body(of, "{ kind = 'ramp', slope = -1, offset = 1 }", "initial = { v_x = 0.5 }\n")));
    ASSERT_FALSE(is_failure(data.result.how)) << of.friction << data.result.detail;
    EXPECT_NEAR(data["v_x"].back(), 0.5 - 0.25, 3e-3) << of.friction;
    EXPECT_NEAR(data["f_x"].back(), 0, 1e-9) << of.friction;
  }
}

TEST(planar_load, AnObjectFallsFreelyOutOfAGripperThatOpens) {
  for (const auto& of : all_laws()) {
    const auto data = simulate(read(
        fmt::format("system = {{ kind = 'gripped_object', mass = 0.05, inertia = 1e-4, gravity = "
                    "10 }}\nfriction = {{ {} }}\n{}integrator = {{ {} }}\nrun = {{ duration = "
                    "0.3 }}\nload = {{ kind = 'nodes', join = 'hold', times = [0, 0.1], values "
                    "= [1, 0] }}\n",
                    of.friction, of.patch, of.integrator)));
    ASSERT_FALSE(is_failure(data.result.how)) << of.friction << data.result.detail;
    EXPECT_NEAR(data["v_y"].back(), -2, 0.011) << of.friction;  // steps of 1 ms see it late
    EXPECT_NEAR(data["omega"].back(), 0, 1e-6) << of.friction;
  }
}

}  // namespace
}  // namespace asperity
