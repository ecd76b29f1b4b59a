// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/models/friction/coulomb.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/systems/servo_joint.hpp>
#include <asperity/text/csv.hpp>
#include <cmath>
#include <filesystem>
#include <numbers>

namespace asperity {
namespace {

run_data run(const std::string& text) {
  return simulate(read_scenario(parse_toml(text, "test"), "test", ""));
}
const std::string motor =
    "stall_torque = 1, no_load_speed = 10, mass = 0.5, length = 0.1, rotor_inertia = 2e-3";
const std::string implicit =
    "friction = { model = 'coulomb', F_c = 1 }\n"
    "integrator = { method = 'backward_euler', step = 1e-3 }\n";

// Without friction and load a motor at full duty comes to its speed without load, with the time
// constant I omega_0/tau_0.
TEST(servo_joint, ComesToTheSpeedWithoutLoad) {
  const auto data =
      run("system = { kind = 'servo_joint', stall_torque = 1, no_load_speed = 10, rotor_inertia = "
          "0.01 }\n"
          "friction = { model = 'coulomb', F_c = 1 }\nduty = 1\n"
          "integrator = { method = 'backward_euler', step = 1e-5 }\nrun = { duration = 0.2 }\n");
  EXPECT_NEAR(data["omega"].back(), 10 * (1 - std::exp(-2.0)), 1e-3);
}

// The resistance of the supply takes its share of the stall torque: 1/(1 + r) at full duty.
TEST(servo_joint, SupplyAndWindingShareTheVoltage) {
  servo_joint<coulomb<double>> s{{.F_c = 1}};
  s.tau_0 = 3;
  s.r = 0.5;
  const auto now = s.inputs_at(0);
  EXPECT_NEAR(s.motor(now, 1, 0).tau, 2, 1e-15);
  EXPECT_NEAR(s.motor(now, -0.5, 0).tau, -1.2, 1e-15);
  // Slopes by differences.
  for (const double duty : {-0.7, 0.3}) {
    const double h = 1e-6;
    EXPECT_NEAR(s.motor(now, duty, 2).by_duty,
                (s.motor(now, duty + h, 2).tau - s.motor(now, duty - h, 2).tau) / (2 * h), 1e-7);
    EXPECT_NEAR(s.motor(now, duty, 2).by_speed,
                (s.motor(now, duty, 2 + h).tau - s.motor(now, duty, 2 - h).tau) / (2 * h), 1e-7);
  }
}

// The laws of the source are cases of one: equal factors are M3 and M4, none are M1 and M2.
TEST(servo_joint, LimitsAreThoseOfTheTable) {
  servo_joint<coulomb<double>> s{{.F_c = 1}};
  s.K_c = 0.1;
  EXPECT_EQ(s.limit(3, -2, 0), 0.1);  // M1
  s.K_cs = 0.2;
  s.omega_s = 2;
  s.alpha = 2;
  EXPECT_NEAR(s.limit(3, -2, 0), 0.3, 1e-15);  // M2 at rest ...
  EXPECT_NEAR(s.limit(3, -2, 2), 0.1 + 0.2 * std::exp(-1.0), 1e-15);
  s.K_m = s.K_e = 0.01;
  EXPECT_NEAR(s.limit(3, -2, 1e9), 0.1 + 0.01 * 5, 1e-15);  // M3
  s.K_ms = s.K_es = 0.02;
  EXPECT_NEAR(s.limit(3, -2, 0), 0.3 + 0.03 * 5, 1e-15);  // M4
  EXPECT_NEAR(s.limit(3, 3, 0), 0.3, 1e-15);
  s.K_eq = 1;
  s.K_mq = 10;
  EXPECT_NEAR(s.limit(3, -2, 0), 0.45 + 4, 1e-14);  // M6: the lesser of both, squared
  EXPECT_NEAR(s.limit(2, -3, 0), 0.45 + 40, 1e-13);
}

// A goal that the friction can hold against moves nothing, not by a bit; beyond it the joint moves.
TEST(servo_joint, RestsExactlyBelowTheLimit) {
  const std::string head =
      "system = { kind = 'servo_joint', gain = 1, K_c = 0.05, " + motor + " }\n";
  const auto held = run(head + implicit + "goal = 0.0499\nrun = { duration = 1 }\n");
  EXPECT_TRUE(std::all_of(held["q"].begin(), held["q"].end(), [](double q) { return q == 0; }));
  const auto moved = run(head + implicit + "goal = 0.0501\nrun = { duration = 1 }\n");
  EXPECT_GT(moved["q"].back(), 0);
}

// One-sided friction holds (1 + b) and (1 - b) times the limit.
TEST(servo_joint, HoldsStrongerOneWay) {
  const std::string head =
      "system = { kind = 'servo_joint', gain = 1, K_c = 0.05, one_sided = 0.2, " + motor + " }\n";
  const auto end = [&](double goal) {
    return run(head + implicit + "goal = " + std::to_string(goal) +
               "\nrun = { duration = 0.5 }\n")["q"]
        .back();
  };
  EXPECT_EQ(end(0.0599), 0);
  EXPECT_GT(end(0.0601), 0);
  EXPECT_EQ(end(-0.0399), 0);
  EXPECT_LT(end(-0.0401), 0);
}

// While the motor is off a frictionless pendulum swings with its own frequency, and keeps its energy.
TEST(servo_joint, SwingsFreelyWhileTheMotorIsOff) {
  const auto data =
      run("system = { kind = 'servo_joint', stall_torque = 1, no_load_speed = 10, mass = 0.5, "
          "length = 0.1 }\non = 0\nfriction = { model = 'coulomb', F_c = 1 }\n"
          "initial = { q = 0.01 }\nintegrator = { method = 'dopri5', relative_tolerance = 1e-9 }\n"
          "run = { duration = 5, sample = 1e-3 }\n");
  const double omega = std::sqrt(9.81 / 0.1);
  for (std::size_t k = 0; k < data["t"].size(); ++k)
    ASSERT_NEAR(data["q"][k], 0.01 * std::cos(omega * data["t"][k]), 1e-5);
}

// The step in closed form and an adaptive method with both sides of the jump agree.
TEST(servo_joint, TwoMethodsAgree) {
  const std::string text =
      "system = { kind = 'servo_joint', gain = 1, supply_resistance = 0.5, K_c = 0.02, K_m = 0.1, "
      "K_e = 0.05, K_ms = 0.1, K_es = 0.1, omega_s = 1, K_v = 0.01, one_sided = -0.2, " +
      motor +
      " }\nfriction = { model = 'coulomb', F_c = 1 }\n"
      "goal = { kind = 'sine', amplitude = 1.5, omega = 4 }\nrun = { duration = 3, sample = 0.01 "
      "}\n";
  const auto fine = run(text + "integrator = { method = 'switch', relative_tolerance = 1e-8 }\n");
  const auto stepped = run(text + "integrator = { method = 'backward_euler', step = 2e-5 }\n");
  ASSERT_EQ(fine.result.how, outcome::completed);
  ASSERT_EQ(stepped["q"].size(), fine["q"].size());
  for (std::size_t k = 0; k < fine["q"].size(); ++k)
    ASSERT_NEAR(stepped["q"][k], fine["q"][k], 1e-3) << fine["t"][k];
}

// With play the load is free between the teeth: it swings while the rotor rests. Without friction
// and motor, what both bodies and the teeth hold stays.
TEST(servo_joint, PlayLetsTheLoadSwing) {
  const std::string head =
      "system = { kind = 'servo_joint', play = 0.1, gear_stiffness = 200, K_c = 0.05, " + motor +
      " }\n";
  const auto data = run(head +
                        "on = 0\ninitial = { q = 0.04 }\n"
                        "friction = { model = 'coulomb', F_c = 1 }\n"
                        "integrator = { method = 'backward_euler', step = 1e-5 }\n"
                        "run = { duration = 0.3 }\n");
  const double omega = std::sqrt(9.81 / 0.1);
  for (std::size_t k = 0; k < data["t"].size(); ++k) {
    ASSERT_EQ(data["q_m"][k], 0);
    ASSERT_NEAR(data["q"][k], 0.04 * std::cos(omega * data["t"][k]), 2e-4);
  }
}
TEST(servo_joint, PlayThatIsStiffAndNarrowIsARigidGear) {
  const std::string common = "gain = 1, K_c = 0.02, K_m = 0.1, " + motor + " }\n" + implicit +
                             "goal = { kind = 'sine', amplitude = 1, omega = 3 }\n"
                             "run = { duration = 2 }\n";
  const auto rigid = run("system = { kind = 'servo_joint', " + common);
  const auto geared =
      run("system = { kind = 'servo_joint', play = 1e-6, gear_stiffness = 1e4, " + common);
  for (std::size_t k = 0; k < rigid["q"].size(); ++k)
    ASSERT_NEAR(geared["q"][k], rigid["q"][k], 3e-3) << rigid["t"][k];
}

// Bristles lag below the limit and slide at it, with every model that is an ODE or has a memory.
TEST(servo_joint, RunsWithBristlesAndMemories) {
  for (const char* friction :
       {"{ model = 'dai', F = 1, K = 2000, beta = 1e-4 }", "{ model = 'lugre', F_c = 1, F_s = 1 }",
        "{ model = 'maxwell_slip' }"}) {
    const auto data = run("system = { kind = 'servo_joint', gain = 1, K_c = 0.05, K_m = 0.1, " +
                          motor + " }\nfriction = " + friction +
                          "\ngoal = { kind = 'sine', amplitude = 1, omega = 3 }\n"
                          "run = { duration = 1, sample = 0.01 }\n");
    EXPECT_EQ(data.result.how, outcome::completed) << friction;
    EXPECT_GT(*std::max_element(data["q"].begin(), data["q"].end()), 0.02) << friction;
  }
}

TEST(servo_joint, RefusesWhatContradictsItself) {
  const auto refused = [](const std::string& keys) {
    try {
      run("system = { kind = 'servo_joint', stall_torque = 1, no_load_speed = 10" + keys +
          " }\nfriction = { model = 'coulomb' }\nrun = { duration = 1 }\n");
    } catch (const asperity::error& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("").find("inertia"), std::string::npos);
  EXPECT_NE(refused(", inertia = 1, K_l = 0.1, K_m = 0.1").find("K_l"), std::string::npos);
  EXPECT_NE(refused(", inertia = 1, rotor_inertia = 1, play = 0.1").find("gear_stiffness"),
            std::string::npos);
  EXPECT_NE(refused(", inertia = 1, gear_stiffness = 1, play = 0.1").find("rotor_inertia"),
            std::string::npos);
  EXPECT_NE(refused(", inertia = 1, one_sided = 2").find("one_sided"), std::string::npos);
}

// ---- a real servo ---------------------------------------------------------------------------------

// The scenario of examples/servo.toml, with the goal, the start and the gain of a record.
double mean_error(const toml_value& scenario_of_servo, const std::filesystem::path& file,
                  double gain) {
  const csv_table table = csv_table::read(file.string());
  const auto t = table.column("t_s"), position = table.column("position_rad");
  toml_value document = scenario_of_servo;
  const auto set_input = [&](const char* key, const std::vector<double>& values) {
    toml_value input;
    assign(input, "kind", toml_value::of(std::string("nodes")));
    assign(input, "join", toml_value::of(std::string("hold")));
    assign(input, "times", toml_value::of(t));
    assign(input, "values", toml_value::of(values));
    assign(document, key, std::move(input));
  };
  set_input("goal", table.column("goal_rad"));
  set_input("on", table.column("torque_on"));
  assign(document, "system.gain", toml_value::of(gain));
  assign(document, "initial.q", toml_value::of(position.front()));
  assign(document, "run.duration", toml_value::of(t.back()));
  const auto data = simulate(read_scenario(document, "servo", ""));
  const signal q = signal::nodes(data["t"], data["q"], signal::joint::linear);
  double sum = 0;
  for (std::size_t k = 0; k < t.size(); ++k) sum += std::abs(q.value(t[k]) - position[k]);
  return sum / static_cast<double>(t.size());
}

// One set of parameters for eight records of a real servo at two gains, simulated from the goal
// alone: 10.7 mrad off on average. The source's own parameters miss other records of it by 63 to 75.
TEST(servo_joint, FollowsEightRecordsOfARealServo) {
  const auto root = std::filesystem::path(ASPERITY_SOURCE_DIR);
  const auto folder = root / "../shared/data/servo";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the records are not on this machine";
  const toml_value servo = read_toml((root / "examples/servo.toml").string());
  double sum = 0;
  for (const int kp : {100, 400})
    for (const char* motion : {"lift_and_drop", "sin_sin", "sin_time_square", "up_and_down"}) {
      const double gain = kp * 4096 / (2 * std::numbers::pi * 256 * 885);
      const double off =
          mean_error(servo, folder / fmt::format("xl330_kp{}_{}.csv", kp, motion), gain);
      EXPECT_LT(off, 0.03) << kp << " " << motion;
      sum += off / 8;
    }
  EXPECT_LT(sum, 0.013);
}

}  // namespace
}  // namespace asperity
