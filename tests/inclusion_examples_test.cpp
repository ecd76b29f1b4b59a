// SPDX-License-Identifier: Apache-2.0
// The inclusion files in examples/: against right-hand sides written by hand, stiction for an hour,
// and contact forces that never pull.

#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/inclusion/inclusion_system.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/run/simulate.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>

namespace asperity {
namespace {

std::string example(const std::string& name) {
  return std::string(ASPERITY_SOURCE_DIR) + "/examples/inclusions/" + name + ".toml";
}

scenario read(const std::string& name, std::vector<std::string> settings = {}) {
  return read_scenario(example(name), settings);
}

double sat(double limit, double x) { return std::max(-limit, std::min(limit, x)); }

// A system written by hand, as a user would without this library.
struct by_hand {
  std::function<void(double, const double*, double*)> f;
  int count;
  static constexpr int capacity = system_view::capacity;
  int size() const { return count; }
  void rates(double t, const double* y, double* rate) const { f(t, y, rate); }
};

void expect_same_trajectory(const std::string& name, const by_hand& hand, double h, double end,
                            double slack) {
  const scenario s = read(name, {"integrator.method=rk4", "integrator.step=1e-4"});
  const auto work = s.system->new_workspace();
  work->setting = s;
  const system_view ours(*s.system, *work, static_cast<int>(s.initial.size()), false);
  ASSERT_EQ(ours.size(), hand.size());
  std::vector<double> y(s.initial), z(s.initial);
  y.resize(system_view::capacity);
  z.resize(system_view::capacity);
  const auto steps = std::lround(end / h);
  for (long i = 0; i < steps; ++i) {
    const double t = static_cast<double>(i) * h;
    rk4_step(ours, t, h, y.data());
    rk4_step(hand, t, h, z.data());
    for (int k = 0; k < ours.size(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      ASSERT_NEAR(y[at], z[at], slack * (1 + std::abs(z[at]))) << "state " << k << ", t " << t;
    }
  }
}

// Xiong 2013 (3.27), states in the order of the file.
TEST(inclusion_examples, SphereIsTheHandWrittenOne) {
  const double M = 1, R = 0.5, mu = 0.1, g = 9.8, K = 1e5, beta = 4e-3, alpha = 2.8e-3;
  const auto f = [=](double, const double* y, double* r) {
    const double vx = y[3], vy = y[4], vz = y[5], wx = y[6], wy = y[7], wz = y[8], e = y[13];
    const double* q = y + 9;
    const double* a = y + 14;
    const double psi = K * std::max(0.0, e - beta * (e + y[2] - R) / alpha);
    const double v[2] = {vx - R * wy, vy + R * wx};
    double theta[2] = {K * (a[0] + beta * v[0]), K * (a[1] + beta * v[1])};
    const double pull = std::hypot(theta[0], theta[1]), limit = mu * psi;
    if (pull > limit)
      for (double& each : theta) each *= limit / pull;
    r[0] = vx;
    r[1] = vy;
    r[2] = vz;
    r[3] = -theta[0] / M;
    r[4] = -theta[1] / M;
    r[5] = psi / M - g;
    // 5/(2 M R^2) d x f with d = (0, 0, -R), f = (-theta, psi)
    r[6] = 5 / (2 * M * R * R) * (R * -theta[1]);
    r[7] = 5 / (2 * M * R * R) * (-R * -theta[0]);
    r[8] = 0;
    r[9] = -0.5 * (q[1] * wx + q[2] * wy + q[3] * wz);
    r[10] = 0.5 * (q[0] * wx + q[3] * wy - q[2] * wz);
    r[11] = 0.5 * (q[0] * wy + q[1] * wz - q[3] * wx);
    r[12] = 0.5 * (q[0] * wz + q[2] * wx - q[1] * wy);
    r[13] = std::max(-e / beta, -(e + y[2] - R) / alpha);
    r[14] = (theta[0] / K - a[0]) / beta;
    r[15] = (theta[1] / K - a[1]) / beta;
  };
  expect_same_trajectory("rolling_sphere", {f, 16}, 1e-4, 4, 1e-9);
}

// Xiong 2013 (3.35).
TEST(inclusion_examples, TwoBodiesAreTheHandWrittenOnes) {
  const double mu = 0.5, M1 = 0.5, M2 = 1, Ks = 100, u = 1, g = 9.8;
  const double K = 5e5, beta = 2e-3, alpha = 1.6e-3;
  const auto f = [=](double, const double* y, double* r) {
    const double *p = y, *v = y + 4, *e = y + 8, *a = y + 11;
    const double gap[3] = {p[0], p[2] - p[0], p[3]};
    const double slip[3] = {v[1], v[1] - v[3], v[2] + u};
    double psi[3], theta[3];
    for (int i = 0; i < 3; ++i) {
      psi[i] = K * std::max(0.0, e[i] - beta * (gap[i] + e[i]) / alpha);
      theta[i] = K * sat(mu * psi[i] / K, a[i] + beta * slip[i]);
      r[8 + i] = std::max(-e[i] / beta, -(gap[i] + e[i]) / alpha);
      r[11 + i] = (theta[i] / K - a[i]) / beta;
    }
    for (int i = 0; i < 4; ++i) r[i] = v[i];
    r[4] = (psi[0] - psi[1]) / M1;
    r[5] = (-Ks * p[1] - theta[0] - theta[1]) / M1;
    r[6] = (-theta[2] + psi[1]) / M2;
    r[7] = (theta[1] + psi[2]) / M2 - g;
  };
  expect_same_trajectory("two_bodies", {f, 14}, 1e-4, 1, 1e-8);
}

// Xiong 2013 (3.40), with F V in place of F (E-6).
TEST(inclusion_examples, BeltOscillatorIsTheHandWrittenOne) {
  const double M = 1, k1 = 1, k2 = 1, F = 0.5, V = 1, u = 1, K = 1e5, beta = 0.5;
  const auto f = [=](double, const double* y, double* r) {
    const double p = y[0], w = y[1], a = y[2], limit = F * V / (V + std::abs(w));
    r[0] = u - w;
    r[1] = (k2 * p * p * p - k1 * p - sat(limit, K * a + K * beta * w)) / M;
    r[2] = (sat(limit / K, a + beta * w) - a) / beta;
  };
  // K beta/M = 5e4/s: the stuck phase needs a step below 2.8/5e4 s.
  expect_same_trajectory("belt_oscillator", {f, 3}, 2e-5, 10, 1e-8);
}

// What docs/inclusions.md prints is examples/inclusion.cpp, which install.inclusions builds and
// runs.
TEST(inclusion_examples, ProgramInTheDocumentationIsTheOneThatRuns) {
  const auto text = [](const std::string& file) {
    std::ifstream in(std::string(ASPERITY_SOURCE_DIR) + "/" + file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  std::string program = text("examples/inclusion.cpp");
  program.erase(0, program.find('\n') + 1);  // the licence
  ASSERT_NE(program.find("int main"), std::string::npos);
  EXPECT_NE(text("docs/inclusions.md").find("```cpp\n" + program + "```"), std::string::npos);
}

// ---- stiction -----------------------------------------------------------------------------------

struct held {
  const char* name;
  std::vector<std::string> settings;       // loads at 96 % of the friction limit, all at rest
  std::vector<std::string> must_not_move;  // columns
  double slack = 2e-13;
};

class stiction : public ::testing::TestWithParam<held> {};

TEST_P(stiction, HoldsForAnHour) {
  for (const char* method : {"backward_euler", "sdirk2"}) {
    std::vector<std::string> settings = GetParam().settings;
    settings.insert(settings.end(),
                    {"run.duration=3600", "run.sample=100", "run.events=false",
                     std::string("integrator.method=") + method, "integrator.step=0.02"});
    const run_data data = simulate(read(GetParam().name, settings));
    ASSERT_EQ(data.result.how, outcome::completed) << data.result.detail;
    for (const auto& name : GetParam().must_not_move) {
      const auto& x = data[name];
      // The first row after the start is settled, and everything stays there.
      for (std::size_t i = 2; i < x.size(); ++i)
        ASSERT_NEAR(x[i], x[1], GetParam().slack) << name << ", " << method << ", row " << i;
      ASSERT_NE(x[1], x[0]) << name << ": the load does not reach it";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    inclusion_examples, stiction,
    ::testing::Values(
        held{"belt_oscillator",
             {"parameters.u=0 m/s", "initial.p=0", "inputs.push=0.48 N"},
             {"p", "a_friction"}},
        held{"drill_string",
             {"parameters.wanted=0 1/s", "initial.w_1=0", "inputs.torque=3360 N m"},
             {"a_friction"}},
        // Top block, limit 0.2 * 9.81 N.
        held{"shaken_stack",
             {"inputs.table=0 m/s", "inputs.push=1.88352 N"},
             {"x_1", "x_2", "x_3", "a_F_1", "a_F_2", "a_F_3"}},
        // Pushed at the contact the sphere neither slides nor turns; rolling itself
        // is free, so only the deflection of the contact can tell creep.
        held{"rolling_sphere",
             {"initial.v_x=0", "initial.z=0.5", "inputs.push=0.9408 N"},
             {"a_F_x"}},
        // Both frictions P/2 <= mu N_2, N_2 = mu N_3, N_3 = M_2 g - P/2: P <= 3.92 N.
        held{"two_bodies",
             {"initial.p1y=0", "initial.p2x=0", "inputs.push=3.7632 N"},
             {"p1y", "a_Omega_1", "a_Omega_2"}},
        // The block settles by 10 um, far faster than its pendulum of 0.3 m swings, which goes on swinging
        // by 10 um/0.3 m and rocks the block on its friction of K = 1.8 N/um: by 2 0.5 kg g 3.4e-5/K.
        // Down the slope with gravity: 0.96 * 0.8 * 2.5 * 9.81 cos(20 deg) - 2.5
        // * 9.81 sin(20 deg).
        held{"conveyor_pendulum",
             {"parameters.u=0 m/s", "initial.phi=0", "inputs.push=-9.311 N"},
             {"s", "a_friction"},
             2e-10}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- contact ------------------------------------------------------------------------------------

class contact : public ::testing::TestWithParam<const char*> {};

TEST_P(contact, NeverPulls) {
  for (const auto& settings : std::vector<std::vector<std::string>>{
           {"integrator.method=trbdf2"},
           {"integrator.method=sdirk2", "integrator.step=2e-3"},
           {"integrator.method=rk4", "integrator.step=1e-4"},
           {"integrator.method=moreau_jean", "integrator.step=1e-3"}}) {
    std::vector<std::string> all = settings;
    all.insert(all.end(), {"run.duration=2", "run.sample=0"});
    const run_data data = simulate(read(GetParam(), all));
    ASSERT_EQ(data.result.how, outcome::completed) << settings[0] << data.result.detail;
    int contacts = 0;
    for (const auto& each : data.columns) {
      if (each.name[0] != 'N' && each.name.rfind("wall", 0) != 0) continue;
      ++contacts;
      const auto& f = each.values;
      EXPECT_GE(*std::min_element(f.begin(), f.end()), 0) << each.name << ", " << settings[0];
    }
    EXPECT_GT(contacts, 0);
  }
}
INSTANTIATE_TEST_SUITE_P(inclusion_examples, contact,
                         ::testing::Values("rolling_sphere", "two_bodies", "conveyor_pendulum",
                                           "shaken_stack"),
                         [](const auto& info) { return std::string(info.param); });

// ---- long steps ---------------------------------------------------------------------------------

// E-8: at rest the limit of Runge and Kutta's method is near 7e-4 s.
TEST(inclusion_examples, TwoBodiesNeedImplicitStepsAtRest) {
  const auto last_speeds = [](const std::vector<std::string>& settings) {
    const scenario s = read("two_bodies", settings);
    const run_data data = simulate(s);
    double fastest = 0;
    for (const char* v : {"v1x", "v1y", "v2x", "v2y"})
      fastest = std::max(fastest, std::abs(data[v].back()));
    return std::pair(fastest, s.warnings);
  };
  for (const char* method : {"backward_euler", "sdirk2"}) {
    const auto [speed, warnings] =
        last_speeds({std::string("integrator.method=") + method, "integrator.step=1e-2"});
    EXPECT_LT(speed, 1e-9) << method;
    EXPECT_TRUE(warnings.empty());
  }
  const auto [speed, warnings] = last_speeds({"integrator.method=rk4", "integrator.step=1e-3"});
  EXPECT_GT(speed, 1e-5);  // it chatters
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("unstable"), std::string::npos);

  const scenario s = read("two_bodies");
  const auto& ours = dynamic_cast<const inclusion_system&>(*s.system);
  EXPECT_NEAR(stable_steps(ours.equations()).rk4, 7e-4, 0.2e-4);
}

// From slipping to rolling: final speed 5/7 of the launch, whatever happened in between.
TEST(inclusion_examples, SphereEndsInPureRolling) {
  for (const char* method : {"trbdf2", "moreau_jean"}) {
    const run_data data = simulate(read(
        "rolling_sphere", {std::string("integrator.method=") + method, "integrator.step=1e-3"}));
    EXPECT_NEAR(data["v_x"].back(), 5.5 * 5 / 7, 1e-6) << method;
  }
}

// Systems of formulas: all elements of the examples close, and nothing is supplied through a
// contact whose other side stands still.
TEST(inclusion_examples, KeepBooksThatClose) {
  struct inclusion_case {
    std::string name, duration;
    std::vector<std::string> moved;  // terms with a belt or a table on their other side
  };
  for (const auto& [name, duration, moved] :
       std::vector<inclusion_case>{{"belt_oscillator", "3", {"friction"}},
                                   {"rolling_sphere", "0.6", {}},
                                   {"two_bodies", "0.3", {"Omega_3"}},
                                   {"shaken_stack", "0.3", {"F_1"}},
                                   {"conveyor_pendulum", "0.5", {"friction"}},
                                   {"drill_string", "2", {}}}) {
    const auto data = simulate(
        read(name, {"run.audit=true", "run.audit_tolerance=1e-9", "run.duration=" + duration,
                    "integrator.method=dopri5", "integrator.relative_tolerance=1e-12"}));
    ASSERT_TRUE(data.audit.has_value()) << name;
    EXPECT_GT(data.audit->exchanged, 1e-3) << name;
    EXPECT_LE(data.audit->relative_residual(), 1e-9) << name << ", " << data.audit->residual_in;
    EXPECT_TRUE(data.audit->findings.empty()) << name;
    for (const auto& column : data.audit->columns) {
      const std::string start = "supplied_motion_of_";
      if (column.name.rfind(start, 0) != 0) continue;
      const bool moves =
          std::find(moved.begin(), moved.end(), column.name.substr(start.size())) != moved.end();
      double most = 0;
      for (const double each : column.values) most = std::max(most, std::abs(each));
      if (moves) {
        EXPECT_GT(most, 1e-4 * data.audit->exchanged) << name << ", " << column.name;
      } else {
        EXPECT_LE(most, 1e-9 * data.audit->exchanged) << name << ", " << column.name;
      }
    }
  }
}

}  // namespace
}  // namespace asperity
