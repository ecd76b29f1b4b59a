// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/run/evaluate.hpp>
#include <cmath>

namespace asperity {
namespace {

constexpr double omega = 2 * 3.14159265358979323846, amplitude = 2e-4;

// The same motion, x = amplitude (1 - cos omega t), sampled at `rows` rows over 2.2 s.
csv_table motion(int rows, bool by_velocity) {
  std::vector<double> t, values;
  for (int i = 0; i <= rows; ++i) {
    t.push_back(2.2 * i / rows);
    values.push_back(by_velocity ? amplitude * omega * std::sin(omega * t.back())
                                 : amplitude * (1 - std::cos(omega * t.back())));
  }
  return csv_table::parse(to_csv({{"t", &t}, {by_velocity ? "v" : "x", &values}}), "motion.csv");
}

any_model model(const std::string& key, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> warnings;
  return make_model(key, "", settings, warnings);
}

// Greatest difference of the force at the rows that all samplings share.
double difference(const run_data& coarse, const run_data& fine, std::size_t shared) {
  double worst = 0;
  const std::size_t a = (coarse["t"].size() - 1) / shared, b = (fine["t"].size() - 1) / shared;
  for (std::size_t i = 0; i <= shared; ++i)
    worst = std::max(worst, std::abs(coarse["f"][i * a] - fine["f"][i * b]));
  return worst;
}

TEST(evaluate, DoesNotDependOnTheSampling) {
  for (const auto* key : {"lugre", "dai", "dai_multistate"}) {
    for (const bool by_velocity : {true, false}) {
      SCOPED_TRACE(fmt::format("{} by {}", key, by_velocity ? "velocity" : "position"));
      const any_model m = model(key);
      const auto coarse = evaluate(m, motion(110, by_velocity));
      const auto middle = evaluate(m, motion(440, by_velocity));
      const auto fine = evaluate(m, motion(1760, by_velocity));
      const auto finest = evaluate(m, motion(7040, true));
      ASSERT_EQ(finest.result.how, outcome::completed);
      const double e1 = difference(coarse, finest, 22), e2 = difference(middle, finest, 22),
                   e3 = difference(fine, finest, 22);
      EXPECT_LT(e1, 0.2);
      EXPECT_LT(e2, e1 / 2 + 1e-6);
      EXPECT_LT(e3, e2 / 2 + 1e-6);
    }
  }
}

TEST(evaluate, InterpolationIsTheOnlyDifference) {
  // A velocity of straight lines is the same motion however many rows describe it.
  const auto corner = csv_table::parse("t,v\n0,0\n1,1e-3\n2,-1e-3\n3,0\n", "corner.csv");
  std::vector<double> t, v;
  for (int i = 0; i <= 3000; ++i) {
    const double now = i / 1000.0;
    t.push_back(now);
    v.push_back(1e-3 * (i <= 1000 ? now : i <= 2000 ? 3 - 2 * now : now - 3));
  }
  const auto dense = csv_table::parse(to_csv({{"t", &t}, {"v", &v}}), "dense.csv");
  for (const auto* key : {"lugre", "dai", "dai_multistate"}) {
    const auto few = evaluate(model(key), corner), many = evaluate(model(key), dense);
    for (std::size_t i = 0; i <= 3; ++i)
      EXPECT_NEAR(few["f"][i], many["f"][i * 1000], 2e-6) << key << " at " << i;
  }
}

// The velocity is the same lines through five corners, however many rows lie on them. Models that
// advance by themselves are told of the slow instants about each turn, too.
TEST(evaluate, ModelsThatAreNoDifferentialEquationsTakeTheirOwnSteps) {
  const auto corners = [](int rows_between) {
    const double v[] = {0, 1e-3, -2e-3, 5e-4, 0};
    std::vector<double> t, values;
    for (int i = 0; i <= 4 * rows_between; ++i) {
      const int k = std::min(3, i / rows_between);
      const double share = static_cast<double>(i) / rows_between - k;
      t.push_back(k + share);
      values.push_back(v[k] + share * (v[k + 1] - v[k]));
    }
    return csv_table::parse(to_csv({{"t", &t}, {"v", &values}}), "corners.csv");
  };
  for (const auto* key : {"gms", "leuven", "leuven_modified", "mpabm", "scbm", "maxwell_slip"}) {
    const auto few = evaluate(model(key), corners(1));
    for (const int rows : {2, 7, 30, 300}) {
      const auto many = evaluate(model(key), corners(rows));
      for (std::size_t i = 0; i <= 4; ++i)
        EXPECT_NEAR(few["f"][i], many["f"][i * static_cast<std::size_t>(rows)], 1e-6)
            << key << " at " << i << " s, " << rows << " rows a second";
    }
  }
}

// A slider that lies 0.7 m behind is let go to 0.5 m by half the load, and stays there when the load
// is whole again: f = k (z - w) is 0.7, 0.5 and 0.5 N. z is x, since |q|^n is below 1e-7.
TEST(evaluate, SlidersFollowALoadThatFalls) {
  const auto rest = csv_table::parse(
      "t,v,load\n0,0.7,1\n1,0.7,1\n1.000001,0,1\n2,0,1\n3,0,0.5\n4,0,0.5\n5,0,1\n", "rest.csv");
  const any_model sliders = model("leuven_modified", {"elements=1", "k=1", "Delta=1", "n=50",
                                                      "sigma_1=0", "sigma_2=0", "F_c=1", "F_s=1"});
  const auto data = evaluate(sliders, rest);
  const double f[] = {0, 0.7, 0.7, 0.7, 0.5, 0.5, 0.5};
  for (std::size_t i = 0; i < std::size(f); ++i) EXPECT_NEAR(data["f"][i], f[i], 1e-6) << i;
}

// Rows that are added on the lines of the velocity move nothing: 1e-9 is stated.
TEST(evaluate, KeepsTheAccuracyItStates) {
  const auto lines = [](int rows_between) {
    const double v[] = {0, 1e-4, -3e-5, 2e-5, 2e-3, -1e-6, 1e-6, -1e-2, 1e-4, 0};
    std::vector<double> t, values;
    for (int i = 0; i <= 9 * rows_between; ++i) {
      const int k = std::min(8, i / rows_between);
      const double share = static_cast<double>(i) / rows_between - k;
      t.push_back(0.1 * (k + share));
      values.push_back(v[k] + share * (v[k + 1] - v[k]));
    }
    return csv_table::parse(to_csv({{"t", &t}, {"v", &values}}), "lines.csv");
  };
  for (const auto* key : {"dai_multistate", "dai", "dai_stribeck", "lugre", "dahl", "elastoplastic",
                          "duhem", "bouc_wen", "multiplay", "nonlinear_feedback", "gms", "leuven",
                          "leuven_modified", "mpabm", "scbm"}) {
    const auto few = evaluate(model(key), lines(1)), many = evaluate(model(key), lines(10));
    ASSERT_EQ(few.result.how, outcome::completed) << key;
    EXPECT_TRUE(few.doubts.empty() && many.doubts.empty()) << key;
    double largest = 0;
    for (const double f : many["f"]) largest = std::max(largest, std::abs(f));
    EXPECT_LT(difference(few, many, 9), 2e-9 * largest) << key;
  }
}

// y' = rate(t, y) from t = 0 to 1 by the classical Runge-Kutta method.
template <class Rate>
double integrated(const Rate& rate, double y, double from, double to) {
  constexpr int steps = 200'000;
  const double h = (to - from) / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = from + i * h, k1 = rate(t, y), k2 = rate(t + h / 2, y + h / 2 * k1),
                 k3 = rate(t + h / 2, y + h / 2 * k2), k4 = rate(t + h, y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return y;
}

// Along v = v_1 t their equations are plain ones between switches, here written anew from the
// sources and integrated by another method.
TEST(evaluate, GmsAndLeuvenAreWhatTheirEquationsSay) {
  const double v_1 = 1e-4, F_c = 1, F_s = 1.5, v_s = 2e-5;
  const auto ramp = csv_table::parse("t,v\n0,0\n1,1e-4\n", "ramp.csv");
  const auto level = [&](double v) { return F_c + (F_s - F_c) * std::exp(-(v / v_s) * (v / v_s)); };
  const std::vector<std::string> curve{"F_c=1", "F_s=1.5", "v_s=2e-5", "sigma_2=0"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), curve.begin(), curve.end());
    return more;
  };
  {  // one element: it sticks until kappa v_1 t^2/2 = g(v), then follows g
    const double kappa = 1e5, C = 20, sigma = 50;
    double low = 0, high = 1;
    for (int i = 0; i < 200; ++i) {
      const double t = (low + high) / 2;
      (kappa * v_1 * t * t / 2 < level(v_1 * t) ? low : high) = t;
    }
    const auto slip = [&](double t, double a) {
      return C / kappa * (1 - kappa * a / level(v_1 * t));
    };
    const double a = integrated(slip, v_1 * low * low / 2, low, 1);
    const auto data = evaluate(
        model("gms", with({"elements=1", "kappa=1e5", "sigma=50", "lambda=1", "C=20"})), ramp);
    EXPECT_NEAR(data["f"].back(), kappa * a + sigma * slip(1, a), 2e-9);
  }
  {  // on the virgin curve q = F_v/g
    const double kappa = 1e5, z_0 = 1e-5, sigma_1 = 300;
    const auto virgin = [&](double z) { return 2 * kappa * z / (1 + std::sqrt(1 + z / z_0)); };
    const auto rate = [&](double t, double z) {
      return v_1 * t * (1 - std::pow(virgin(z) / level(v_1 * t), 4));
    };
    const double z = integrated(rate, 0, 0, 1);
    const auto data =
        evaluate(model("leuven", with({"kappa=1e5", "z_0=1e-5", "n=4", "sigma_1=300"})), ramp);
    EXPECT_NEAR(data["f"].back(), virgin(z) + sigma_1 * rate(1, z), 2e-9);
  }
}

TEST(evaluate, AFullMemoryIsAnErrorThatSaysWhatToDo) {
  for (const std::string key : {"preisach", "leuven"}) {
    std::vector<double> t, x;
    for (int i = 0; i <= 60; ++i) {
      t.push_back(i);
      x.push_back((key == "preisach" ? 0.9 : 1e-5) * (i % 2 == 0 ? 1 : -1) * std::pow(0.97, i));
    }
    const auto data =
        evaluate(model(key), csv_table::parse(to_csv({{"t", &t}, {"x", &x}}), "x"), {.drive = "x"});
    EXPECT_EQ(data.result.how, outcome::not_finite) << key;
    const std::string most = key == "preisach" ? "at most 39 nested" : "at most 38 nested";
    EXPECT_NE(data.hint.find(key + " remembers " + most), std::string::npos) << data.hint;
    EXPECT_GT(data["f"].size(), 14U) << key;
  }
}

TEST(evaluate, WhatIsNotFiniteEndsItWithRowAndCause) {
  struct bad {
    const char *key, *rows;
    std::size_t kept;
    std::vector<std::string> words;
  };
  for (const auto& each :
       {bad{"gms",
            "t,v,load\n0,1,1\n1,1,0\n2,1,1\n",
            1,
            {"in row 2", "gms needs a load above 0", "0 at t = 1 s"}},
        bad{"gms",
            "t,v,load\n0,1,0\n1,1,0\n2,1,1\n",
            0,
            {"in row 1", "gms needs a load above 0", "0 at t = 0 s"}},
        bad{"leuven", "t,v,load\n0,1,0\n1,1,0\n2,1,1\n", 0, {"in row 1", "leuven needs a load"}},
        bad{"rigid", "t,x\n0,1\n1,0.5\n2,-1\n", 2, {"f = inf in row 3", "is not finite there"}}}) {
    const auto data = evaluate(model(each.key), csv_table::parse(each.rows, "in.csv"));
    EXPECT_EQ(data.result.how, outcome::not_finite) << each.key;
    EXPECT_EQ(data["f"].size(), each.kept) << each.key;
    const std::string said = data.result.detail + ": " + data.hint;
    for (const auto& words : each.words)
      EXPECT_NE(said.find(words), std::string::npos) << each.key << ": " << said;
  }
}

TEST(evaluate, NoColumnIsThereTwice) {
  for (const auto* key : {"dahl", "duhem", "nonlinear_feedback", "lugre"}) {
    const auto data = evaluate(model(key), motion(20, false));
    for (std::size_t i = 0; i < data.columns.size(); ++i) {
      EXPECT_EQ(data.columns[i].values.size(), 21U) << key;
      for (std::size_t k = 0; k < i; ++k)
        EXPECT_NE(data.columns[i].name, data.columns[k].name) << key;
    }
  }
}

TEST(evaluate, ContactTakesTheGap) {
  const auto data = evaluate(model("hunt_crossley", {"K=1e4", "b=0"}),
                             csv_table::parse("t,x\n0,0.1\n1,0\n2,-0.01\n3,0.2\n", "gap.csv"));
  EXPECT_EQ(data["f"][0], 0);
  EXPECT_NEAR(data["f"][2], 1e4 * std::pow(0.01, 1.5), 1e-12);
  EXPECT_EQ(data["f"][3], 0);
}

TEST(evaluate, ReadsBackTheSeriesOfARun) {
  const auto table = csv_table::parse("t,x,v,f,a\n0,5,1,9,9\n1,6,1,9,9\n2,7,1,9,9\n", "series.csv");
  const auto by_velocity = evaluate(model("dai"), table);
  EXPECT_NEAR(by_velocity["x"][2], 7, 1e-12);
  EXPECT_NEAR(by_velocity["f"][2], 1, 1e-9);
  evaluate_options options;
  options.drive = "x";
  EXPECT_NEAR(evaluate(model("dai"), table, options)["v"][2], 1, 1e-12);
}

TEST(evaluate, LoadScalesFriction) {
  const auto data = evaluate(model("dai", {"F=2"}),
                             csv_table::parse("t,v,load\n0,1,1\n1,1,3\n2,1,0.5\n", "load.csv"));
  EXPECT_NEAR(data["f"][1], 6, 1e-6);
  EXPECT_NEAR(data["f"][2], 1, 1e-6);
}

// Where the load is the weight of the law's own mass: m = 1 kg, whose weight of -10 N lifts it clear of
// its bristles, then gains 10 m/s in every second.
TEST(evaluate, ALoadBelowZeroLiftsTheMassOfALaw) {
  const auto data = evaluate(model("compressed_bristle", {"g=10"}),
                             csv_table::parse("t,v,load\n0,0,-1\n2,0,-1\n3,0,-1\n", "lift.csv"));
  EXPECT_NEAR(data["y_dot"][2] - data["y_dot"][1], 10, 1e-6);
}

TEST(evaluate, AStiffModelIsFollowedAllTheSame) {
  const auto data = evaluate(model("dai", {"K=1e15", "beta=1e-12"}), motion(220, true));
  EXPECT_EQ(data.result.how, outcome::completed);
  EXPECT_EQ(data["f"].size(), 221U);
}

TEST(evaluate, GivesUpRatherThanRunForEver) {
  evaluate_options options;
  options.max_steps = 1000;
  const auto data = evaluate(model("lugre", {"sigma_0=1e9"}), motion(220, true), options);
  EXPECT_EQ(data.result.how, outcome::step_limit);
  EXPECT_FALSE(data.hint.empty());
  EXPECT_LT(data["f"].size(), 221U);
}

std::string told(const std::string& text) {
  try {
    evaluate(model("dai"), csv_table::parse(text, "in.csv"));
  } catch (const error& problem) {
    return problem.what();
  }
  return "no error";
}

TEST(evaluate, BadTablesAreToldWithTheirPlace) {
  struct bad {
    std::string text;
    std::vector<std::string> words;
  };
  const std::vector<bad> cases = {
      {"", {"in.csv:1", "empty"}},
      {"t,v\n", {"in.csv:1", "no rows"}},
      {"time,v\n0,1\n", {"in.csv:1", "no column 't'", "time"}},
      {"t,w\n0,1\n", {"in.csv:1", "'v' or 'x'", "t, w"}},
      {"t,v\n0,1\n1,abc\n", {"in.csv:3", "'v'", "'abc'", "finite number"}},
      {"t,v\n0,1\n\n# note\n1,nan\n", {"in.csv:5", "'v'", "'nan'", "finite number"}},
      {"t,v\n0,1\n1,\n", {"in.csv:3", "'v'", "''", "finite number"}},
      {"t,v\n0,1\n1,1e999\n", {"in.csv:3", "'1e999'", "finite number"}},
      {"t,v\n0,1\n1,2 3\n", {"in.csv:3", "'2 3'", "finite number"}},
      {"t,v\n0,1\n0,2\n", {"in.csv:3", "'t'", "'0'", "above 0"}},
      {"t,v\n0,1\n-1,2\n", {"in.csv:3", "'t'", "'-1'", "above 0"}},
      {"t,v\n0,1\n1\n", {"in.csv:3", "1 values", "2 columns"}},
      {"t,v\n0,1,2\n", {"in.csv:2", "3 values", "2 columns"}},
      {"t,v,v\n0,1,2\n", {"in.csv:1", "'v'", "twice"}},
      {"t,,v\n0,1,2\n", {"in.csv:1", "column 2", "no name"}},
      {"t,v,load\n0,1,-2\n", {"in.csv:2", "'load'", "'-2'", "at least 0"}},
  };
  for (const auto& each : cases) {
    const std::string message = told(each.text);
    for (const auto& words : each.words)
      EXPECT_NE(message.find(words), std::string::npos) << words << "\n" << message;
  }
}

// ---- other ports --------------------------------------------------------------------------------

any_model model_of_any_port(const std::string& key, const std::vector<std::string>& settings = {}) {
  std::vector<std::string> warnings;
  return make_any_model(key, "", settings, warnings);
}

struct point_of_patch {
  double x, y;
};

// Coulomb friction of F_c = 1 by a plain sum over points of equal load.
vec<double, 3> sum_over(const std::vector<point_of_patch>& points, double v_x, double v_y,
                        double omega) {
  vec<double, 3> sum{};
  for (const auto& p : points) {
    const double u = v_x - omega * p.y, v = v_y + omega * p.x, speed = std::hypot(u, v);
    sum[0] += u / speed;
    sum[1] += v / speed;
    sum[2] += (p.x * v - p.y * u) / speed;
  }
  for (int i = 0; i < 3; ++i) sum[i] /= static_cast<double>(points.size());
  return sum;
}

TEST(evaluate, ADiscGivesTheSumOverItsPoints) {
  std::vector<point_of_patch> points;
  for (int i = 0; i < 400; ++i)
    for (int j = 0; j < 720; ++j) {
      const double r = 0.05 * std::sqrt((i + 0.5) / 400), a = (j + 0.5) * omega / 720;
      points.push_back({r * std::cos(a), r * std::sin(a)});
    }
  const auto motion = csv_table::parse(
      "t,v_x,v_y,omega,load\n0,0.01,0,0.3,1\n0.06,0.02,0.006,0.4,2\n0.1,0,0,1,2\n", "twist.csv");
  const auto data = evaluate(model_of_any_port("disc_coulomb", {"R=5 cm"}), motion);
  ASSERT_EQ(data.result.how, outcome::completed);
  for (std::size_t row = 0; row < 3; ++row) {
    const auto f = sum_over(points, data["v_x"][row], data["v_y"][row], data["omega"][row]);
    const double load = data["load"][row];
    EXPECT_NEAR(data["f_x"][row], load * f[0], 2e-6 * load) << row;
    EXPECT_NEAR(data["f_y"][row], load * f[1], 2e-6 * load) << row;
    // Of rings of equal area the arms are off by 1e-5.
    EXPECT_NEAR(data["torque"][row], load * f[2], 2e-5 * load * 0.05) << row;
  }
  // The place is the integral of straight lines.
  EXPECT_NEAR(data["x"][1], 0.06 * 0.015, 1e-15);
  EXPECT_NEAR(data["theta"][2], 0.06 * 0.35 + 0.04 * 0.7, 1e-15);
}

// Forces are in the axes of the surface: a rectangle that lies across slides otherwise.
TEST(evaluate, APatchThatHasTurnedGivesTheSumOverItsPoints) {
  for (const double theta : {0.0, 1.5707963267948966, 0.4}) {
    std::vector<point_of_patch> points;
    for (int i = 0; i < 500; ++i)
      for (int j = 0; j < 100; ++j) {
        const double x = 0.1 * ((i + 0.5) / 500 - 0.5), y = 0.02 * ((j + 0.5) / 100 - 0.5);
        points.push_back(
            {std::cos(theta) * x - std::sin(theta) * y, std::sin(theta) * x + std::cos(theta) * y});
      }
    const auto f = sum_over(points, 0.01, 0, 0.3);
    const auto motion = csv_table::parse(
        fmt::format("t,theta,v_x,v_y,omega\n0,{},0.01,0,0.3\n", theta), "twist.csv");
    const auto data = evaluate(
        model_of_any_port("patch_coulomb", {"shape=rectangle", "width=0.1", "height=0.02"}),
        motion);
    ASSERT_EQ(data["f_x"].size(), 1U);
    EXPECT_NEAR(data["f_x"][0], f[0], 1e-4) << theta;
    EXPECT_NEAR(data["f_y"][0], f[1], 1e-4) << theta;
    EXPECT_NEAR(data["torque"][0], f[2], 1e-6) << theta;
  }
}

// Cells that slide are Coulomb friction, to the error of the cells: each law by its own way.
TEST(evaluate, LawsOverCellsSlideLikeCoulombFriction) {
  const auto motion =
      csv_table::parse("t,v_x,v_y,omega\n0,0.05,0.01,1\n0.1,0.05,0.01,1\n", "twist.csv");
  const auto exact =
      evaluate(model_of_any_port("patch_coulomb", {"shape=ellipse", "pressure=hertz"}), motion);
  for (const std::string key : {"patch_dai", "patch_lugre"}) {
    std::vector<std::string> settings{"shape=ellipse", "pressure=hertz", "F_c=1", "F_s=1",
                                      "sigma_2=0"};
    const auto data = evaluate(model_of_any_port(key, settings), motion);
    ASSERT_EQ(data.result.how, outcome::completed) << data.hint;
    for (const char* name : {"f_x", "f_y"})
      EXPECT_NEAR(data[name].back(), exact[name].back(), 0.01) << key << " " << name;
    EXPECT_NEAR(data["torque"].back(), exact["torque"].back(), 0.01 * 0.05) << key;
    EXPECT_GT(data["stored"].back(), 0);
  }
}

// Pressed in at rest, the deflection is the depth, and friction mu times the force, along the slip.
TEST(evaluate, AContactWithFrictionComesToItsSteadyForces) {
  const auto motion = csv_table::parse(
      "t,gap,slip_x,slip_y\n0,-1e-4,0.03,0.04\n1,-1e-4,0.03,0.04\n2,-1e-4,0.03,0.04\n",
      "touch.csv");
  const auto data =
      evaluate(model_of_any_port("dai_frictional_contact", {"K_1=2e4", "mu=0.3"}), motion);
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_NEAR(data["f_n"].back(), 2, 1e-9);
  EXPECT_NEAR(data["f_x"].back(), 0.3 * 2 * 0.6, 1e-9);
  EXPECT_NEAR(data["f_y"].back(), 0.3 * 2 * 0.8, 1e-9);
  EXPECT_EQ(data["gap_rate"].back(), 0);
}

// Steady sliding without spin is the curve of the model.
TEST(evaluate, ReducedLawsSlideAlongTheirCurve) {
  const auto motion =
      csv_table::parse("t,v_x,v_y,omega\n0,0.03,0.04,0\n1,0.03,0.04,0\n", "twist.csv");
  for (const char* key : {"planar_lugre", "planar_elastoplastic"}) {
    const auto data = evaluate(model_of_any_port(key, {"F_c=2", "F_s=2", "sigma_2=0.5"}), motion);
    ASSERT_EQ(data.result.how, outcome::completed);
    EXPECT_NEAR(data["f_x"].back(), 0.6 * (2 + 0.5 * 0.05), 1e-6) << key;
    EXPECT_NEAR(data["f_y"].back(), 0.8 * (2 + 0.5 * 0.05), 1e-6) << key;
    EXPECT_NEAR(data["torque"].back(), 0, 1e-6) << key;
  }
}

// Keys are set together and built once: no order is the wrong one.
TEST(evaluate, KeysOfAShapeMayComeInAnyOrder) {
  for (const auto& settings : std::vector<std::vector<std::string>>{
           {"shape=ring", "inner_radius=0.08", "radius=0.1"},
           {"radius=0.1", "inner_radius=0.08", "shape=ring"},
           {"inner_radius=0.08", "radius=0.1", "cells=9", "shape=ring"}})
    EXPECT_GT(model_of_any_port("patch_dai", settings).states(), 0);
  EXPECT_THROW(model_of_any_port("patch_dai", {"shape=ring", "inner_radius=0.06"}), error);
  EXPECT_THROW(model_of_any_port("patch_dai", {"inner_radius=0.01"}), error);  // of a disc
}

TEST(csv, ReadsWhatSpreadsheetsWrite) {
  const auto table = csv_table::parse("\xef\xbb\xbf\"t\", v \r\n0, +1.5 \r\n1,2\r\n", "in.csv");
  EXPECT_EQ(table.names(), (std::vector<std::string>{"t", "v"}));
  EXPECT_EQ(table.column("v"), (std::vector<double>{1.5, 2}));
}

TEST(csv, NumbersSurviveExactly) {
  const std::vector<double> values{0.1, 1.0 / 3, 1e-300, -2.5e300, 5e-324, 0.0};
  const auto table = csv_table::parse(to_csv({{"a", &values}}), "a.csv");
  EXPECT_EQ(table.column("a"), values);
}

}  // namespace
}  // namespace asperity
