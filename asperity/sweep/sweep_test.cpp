// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/analysis/restitution.hpp>
#include <asperity/error.hpp>
#include <asperity/sweep/random.hpp>
#include <asperity/sweep/table.hpp>
#include <asperity/sweep/work.hpp>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <numbers>
#include <thread>

#include "tests/folder.hpp"

namespace asperity {
namespace {

const std::string stiction = R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "stiction"
F_c = 1
F_s = 1.5
[run]
duration = 60
sample = 0.01
)";

const std::string pushed = R"(
[system]
kind = "wall_spring_mass"
mass = 1
stiffness = 4
damping = 0.3
[friction]
model = "coulomb"
F_c = 0.1
[initial]
x = 1
[run]
duration = 2
)";

class sweep : public testing::in_folder {
 protected:
  void SetUp() override {
    write("stiction.toml", stiction);
    write("pushed.toml", pushed);
  }

  sweep_request request(const std::string& name, std::vector<std::string> axes,
                        std::vector<std::string> measures) const {
    sweep_request wanted;
    wanted.file = path(name);
    wanted.axes = std::move(axes);
    wanted.measures = std::move(measures);
    return wanted;
  }

  sweep_table run(const sweep_request& wanted, const std::string& file, int threads = 2) const {
    sweep_plan plan(wanted);
    sweep_store store(path(file), plan);
    EXPECT_TRUE(run_sweep(plan, store, {threads, nullptr, {}}));
    return read_sweep(path(file));
  }

  // The message with which it is refused.
  static std::string refusal(const sweep_request& wanted) {
    try {
      const sweep_plan plan(wanted);
    } catch (const error& problem) {
      return problem.what();
    }
    return "not refused";
  }
};

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

// ---- random numbers -----------------------------------------------------------------------------

// The known answers of Random123, the authors' own implementation.
TEST(random_by_counting, IsPhilox) {
  using words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(random_by_counting, IsUniformAndStreamsAreUnrelated) {
  constexpr int n = 100000;
  double mean = 0, square = 0, product = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double a = uniform_at(7, stream_of("system.mass"), i) - 0.5;
    const double b = uniform_at(7, stream_of("friction.F_s"), i) - 0.5;
    ASSERT_LT(std::abs(a), 0.5);
    mean += a / n;
    square += a * a / n;
    product += a * b / n;
  }
  // Five standard deviations of each mean.
  EXPECT_NEAR(mean, 0, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(square, 1.0 / 12, 5 * std::sqrt((1.0 / 80 - 1.0 / 144) / n));
  EXPECT_NEAR(product, 0, 5 / 12.0 / std::sqrt(n));
}

TEST(distribution, HasItsQuantiles) {
  const auto normal = parse_distribution("normal(2 kg, 500 g)", units::kilogram);
  EXPECT_NEAR(normal.quantile(0.5), 2, 1e-14);
  EXPECT_NEAR(normal.quantile(0.975), 2 + 0.5 * 1.959963984540054, 1e-12);
  const auto uniform = parse_distribution(" uniform( 1, 3 )", units::one);
  EXPECT_DOUBLE_EQ(uniform.quantile(0.25), 1.5);
  const auto lognormal = parse_distribution("lognormal(3 mm, 0.1)", units::metre);
  EXPECT_NEAR(lognormal.quantile(0.5), 3e-3, 1e-15);
  EXPECT_NEAR(std::log(lognormal.quantile(0.025) / 3e-3), -0.1959963984540054, 1e-12);
}

TEST(distribution, RefusesWhatItDoesNotMean) {
  const auto refusal = [](const char* text) -> std::string {
    try {
      parse_distribution(text, units::kilogram);
    } catch (const error& problem) {
      return problem.what();
    }
    return "not refused";
  };
  EXPECT_TRUE(has(refusal("gauss(1, 2)"), "write normal("));
  EXPECT_TRUE(has(refusal("normal(1)"), "two arguments"));
  EXPECT_TRUE(has(refusal("normal(1, 2, 3)"), "two arguments"));
  EXPECT_TRUE(has(refusal("normal(1, 0)"), "above 0"));
  EXPECT_TRUE(has(refusal("normal(1 m, 1)"), "m"));
  EXPECT_TRUE(has(refusal("uniform(2, 1)"), "below"));
  EXPECT_TRUE(has(refusal("lognormal(-1, 1)"), "median"));
}

// ---- measures -----------------------------------------------------------------------------------

// A mass pulled at speed V over Coulomb friction with stiction sticks for 2 dF/(k V) and slips for
// 2 (pi - atan(dF w/(k V)))/w, with dF = F_s - F_c and w = sqrt(k/m): the slip is a piece of a
// harmonic oscillation around the force F_c that begins and ends at speed 0 in the frame of the
// ground, and its ends lie dF/k on either side of the middle.
TEST_F(sweep, StickSlipPeriodIsTheClosedForm) {
  const auto table = run(request("stiction.toml", {"speed=0.1,0.15,0.2"},
                                 {"stick_slip_period, stick_fraction", "amplitude(v)"}),
                         "a.sqlite");
  ASSERT_TRUE(table.complete());
  for (std::size_t i = 0; i < 3; ++i) {
    const double speed = table.parameters[0][i], w = std::sqrt(2.0), k = 2, dF = 0.5;
    const double stick = 2 * dF / (k * speed);
    const double slip = 2 * (std::numbers::pi - std::atan(dF * w / (k * speed))) / w;
    EXPECT_NEAR(table.values[0][i], stick + slip, 2e-4 * (stick + slip));
    // Slow ends of a slip count as sticking: 1 % of the highest speed takes some of its time.
    EXPECT_NEAR(table.values[1][i], stick / (stick + slip), 0.015);
    const double fastest = speed + std::hypot(dF * w / k, speed);
    EXPECT_NEAR(table.values[2][i], fastest / 2, 1e-3 * fastest);
  }
}

// Workload W1 of the comparison with other solvers: 10.595926918 s by three of them.
TEST_F(sweep, StickSlipPeriodOfLuGreIsThatOfOtherSolvers) {
  write("w1.toml", R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 1
speed = 0.1
[friction]
model = "lugre"
sigma_0 = 1e5
sigma_1 = 316.22776601683796
sigma_2 = 0.4
F_c = 1
F_s = 1.5
v_s = 1e-3
[run]
duration = 120
sample = 0.01
)");
  const auto table = run(request("w1.toml", {"mass=1"}, {"stick_slip_period"}), "a.sqlite");
  EXPECT_NEAR(table.values[0][0], 10.595926918, 1e-3);
}

// Steady sliding on a falling friction curve g loses its stability where the damping is less than
// -g'(V): the linearisation of m v' = k (V t - x) - c v - g(v) around v = V.
TEST_F(sweep, OscillationBeginsWhereSlidingLosesItsStability) {
  write("falling.toml", R"(
[system]
kind = "pulled_mass"
mass = 1
stiffness = 100
damping = 2
speed = 0.05
[friction]
model = "dai_stribeck"
curve = "stribeck_exponential"
kappa = 1e5
sigma = 100
F_c = 1
F_s = 2
v_s = 0.1
[run]
duration = 40
sample = 0.01
)");
  const auto table =
      run(request("falling.toml", {"speed=0.03,0.06,0.08", "damping=lin(4, 9.5, 12)"},
                  {"amplitude(v, from=30)"}),
          "a.sqlite");
  for (std::size_t i = 0; i < table.point.size(); ++i) {
    const double speed = table.parameters[0][i], damping = table.parameters[1][i];
    const double slope = 2 * speed / (0.1 * 0.1) * std::exp(-(speed * speed) / (0.1 * 0.1));
    if (std::abs(damping - slope) < 0.5) continue;  // too slow to tell in 40 s
    EXPECT_EQ(table.values[0][i] > 0.05 * speed, damping < slope)
        << "speed " << speed << ", damping " << damping << ", slope " << slope << ", amplitude "
        << table.values[0][i];
  }
}

TEST_F(sweep, NoStickSlipNoPeriod) {
  // Coulomb friction without stiction slides on at the speed of its spring.
  write("smooth.toml",
        "[system]\nkind = 'pulled_mass'\nmass = 1\nstiffness = 2\nspeed = 0.1\ndamping = 1\n"
        "[friction]\nmodel = 'coulomb'\n[run]\nduration = 60\nsample = 0.01\n");
  const auto table =
      run(request("smooth.toml", {"mass=1,2"}, {"stick_slip_period, stick_fraction, period(v)"}),
          "a.sqlite");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(std::isnan(table.values[0][i]));
    EXPECT_EQ(table.values[1][i], 0);
    EXPECT_TRUE(std::isnan(table.values[2][i]));
  }
}

// Impacts in a run, and impacts alone.
TEST_F(sweep, RestitutionIsThatOfAnImpact) {
  write("ball.toml", R"(
force = -9.8
[system]
kind = "bouncing_mass"
mass = 1
[contact]
model = "hunt_crossley"
K = 1e6
[initial]
x = 1
[integrator]
relative_tolerance = 1e-9
[run]
duration = 0.6
)");
  const auto table =
      run(request("ball.toml", {"contact.b=lin(0.01, 0.2, 4)"}, {"restitution"}), "a.sqlite");
  ASSERT_EQ(table.values[0].size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<std::string> doubts;
    const any_model contact = make_model(
        "hunt_crossley", "", {"K=1e6", fmt::format("b={}", table.parameters[0][i])}, doubts);
    impact_options options;
    options.force = -9.8;
    const auto alone = find_impact(contact, std::sqrt(2 * 9.8), options);
    EXPECT_NEAR(table.values[0][i], alone.restitution, 1e-5);
  }
}

TEST(extrema, OfASineAreItsTops) {
  run_data data;
  data.columns = {{"t", units::second, {}}, {"x", units::metre, {}}};
  for (int i = 0; i <= 2000; ++i) {
    data.columns[0].values.push_back(0.01 * i);
    data.columns[1].values.push_back(3 * std::sin(0.01 * i * 2 * std::numbers::pi));
  }
  const auto found = find_extrema(parse_measure("amplitude(x)"), data);
  ASSERT_EQ(found.size(), 20U);  // ten periods in the second half
  for (const double value : found) EXPECT_NEAR(std::abs(value), 3, 1e-5);
  EXPECT_NEAR(evaluate(parse_measure("period(x)"), data), 1, 1e-5);
  EXPECT_NEAR(evaluate(parse_measure("amplitude(x)"), data), 3, 1e-3);
}

TEST(measures, AreReadAsClaimsWriteThem) {
  EXPECT_EQ(to_string(parse_measure("peak(x, n=2, prominence=0.1)")), "peak 2 of x");
  EXPECT_EQ(to_string(parse_measure("loop_area(f, over=x, cycle=last)")),
            "loop area of f over x in the last cycle");
  EXPECT_EQ(to_string(parse_measure("maximum(f, from=1, to=2 s)")), "maximum of f from 1 s to 2 s");
  EXPECT_EQ(to_string(parse_measure("value_at(x, over=f, level=0.4)")), "value of x at f = 0.4");
  const auto refusal = [](const char* text) -> std::string {
    try {
      parse_measure(text);
    } catch (const error& problem) {
      return problem.what();
    }
    return "not refused";
  };
  EXPECT_TRUE(has(refusal("maxmum(f)"), "maximum"));
  EXPECT_TRUE(has(refusal("maximum(f"), "bracket"));
  EXPECT_TRUE(has(refusal("maximum(f, x)"), "KEY=VALUE"));
  EXPECT_TRUE(has(refusal("maximum(f, form=1)"), "from"));
  EXPECT_TRUE(has(refusal("maximum"), "column is missing"));
}

// ---- plans --------------------------------------------------------------------------------------

TEST_F(sweep, LastAxisRunsFastest) {
  const sweep_plan plan(
      request("stiction.toml", {"mass=1,2", "friction.F_s=lin(1.5, 2.5, 3)"}, {"last(x)"}));
  ASSERT_EQ(plan.points(), 6);
  EXPECT_EQ(plan.axes()[0].name, "system.mass");
  EXPECT_EQ(to_string(plan.axes()[1].in), "N");
  EXPECT_EQ(plan.parameters(0), (std::vector<double>{1, 1.5}));
  EXPECT_EQ(plan.parameters(1), (std::vector<double>{1, 2}));
  EXPECT_EQ(plan.parameters(3), (std::vector<double>{2, 1.5}));
  EXPECT_EQ(plan.parameters(4), (std::vector<double>{2, 2}));
  EXPECT_EQ(plan.at(4).system->card().models.front().model->get("F_s").front(), 2);
}

TEST_F(sweep, UnitsOfAxesAreConverted) {
  const sweep_plan plan(request("stiction.toml", {"mass=500 g, 2 kg"}, {"last(x)"}));
  EXPECT_EQ(plan.parameters(0), (std::vector<double>{0.5}));
}

TEST_F(sweep, SampleIsTheSameWhateverElseIsDrawn) {
  auto one = request("stiction.toml", {}, {"last(x)"});
  one.draws = {"mass=normal(1, 0.1)"};
  one.samples = 10;
  auto two = request("stiction.toml", {"speed=0.1,0.2"}, {"last(x)"});
  two.draws = {"F_s=uniform(1.5, 2)", "mass=normal(1, 0.1)"};
  two.samples = 5;
  const sweep_plan a(one), b(two);
  EXPECT_EQ(b.points(), 10);
  for (long long i = 0; i < 5; ++i) {
    EXPECT_EQ(a.parameters(i)[0], b.parameters(i)[2]);
    EXPECT_EQ(b.parameters(i)[2], b.parameters(5 + i)[2]);  // at every point of the grid
  }
}

TEST_F(sweep, WrongRequestsAreRefusedWithTheirReason) {
  const auto over = [&](const char* axis) {
    return refusal(request("stiction.toml", {axis}, {"last(x)"}));
  };
  EXPECT_TRUE(has(over("mas=1,2"), "mass"));
  EXPECT_TRUE(has(over("mass"), "KEY=VALUES"));
  EXPECT_TRUE(has(over("mass=lin(1,2)"), "three arguments"));
  EXPECT_TRUE(has(over("mass=lin(-1,2,3)"), "above 0"));
  EXPECT_TRUE(has(over("mass=1 m"), "kg")) << over("mass=1 m");
  EXPECT_TRUE(has(over("x=1"), "could be any of initial.x, ")) << over("x=1");
  EXPECT_EQ(over("initial.x=1"), "not refused");
  EXPECT_TRUE(has(over("mass=lin(1,2,1e7)"), "whole number"));
  const auto measure = [&](const char* text) {
    return refusal(request("stiction.toml", {"mass=1,2"}, {text}));
  };
  EXPECT_TRUE(has(measure("maximum(y)"), "unknown column 'y'"));
  EXPECT_TRUE(has(measure("events(stik)"), "stick"));
  EXPECT_TRUE(has(measure("restitution"), "unknown event 'touchdown'"));
  EXPECT_TRUE(has(measure("last(x),last(x)"), "twice"));
  EXPECT_TRUE(has(measure("last(x),"), "missing"));
  EXPECT_TRUE(has(refusal(request("stiction.toml", {"mass=1,2"}, {})), "nothing to measure"));
  EXPECT_TRUE(has(refusal(request("stiction.toml", {}, {"last(x)"})), "nothing to sweep"));
  EXPECT_TRUE(has(refusal(request("stiction.toml", {"mass=1", "mass=2"}, {"last(x)"})), "twice"));
  auto drawn = request("stiction.toml", {}, {"last(x)"});
  drawn.draws = {"mass=normal(1, 1)"};
  EXPECT_TRUE(has(refusal(drawn), "--samples"));
  drawn.samples = 1000;
  EXPECT_TRUE(has(refusal(drawn), "not allowed"));
  auto chain = request("stiction.toml", {"mass=2,1"}, {"last(x)"});
  chain.along = continuation::up;
  EXPECT_TRUE(has(refusal(chain), "increase"));
}

// ---- results ------------------------------------------------------------------------------------

TEST_F(sweep, TableIsTheSameWhateverThreadsAndChunks) {
  auto wanted = request("pushed.toml", {"F_c=lin(0.05, 0.3, 7)", "damping=lin(0, 1, 5)"},
                        {"last(x), period(x), extrema(v)"});
  const std::string reference = sweep_csv(run(wanted, "a.sqlite", 1));
  for (const long long chunk : {2, 3, 35}) {
    wanted.chunk = chunk;
    const std::string file = fmt::format("b{}.sqlite", chunk);
    EXPECT_EQ(sweep_csv(run(wanted, file, 3)), reference);
  }
}

TEST_F(sweep, ContinuationStartsWhereTheLastRunEnded) {
  auto wanted =
      request("pushed.toml", {"F_c=lin(0.05, 0.3, 6)"}, {"first(x), first(v), last(x), last(v)"});
  wanted.along = continuation::both;
  const auto table = run(wanted, "a.sqlite");
  ASSERT_EQ(table.point.size(), 12U);
  for (std::size_t i = 1; i < 6; ++i)
    for (std::size_t m = 0; m < 2; ++m) {
      EXPECT_EQ(table.values[m][i], table.values[m + 2][i - 1]);
      EXPECT_EQ(table.values[m][12 - i - 1], table.values[m + 2][12 - i]);
    }
  EXPECT_EQ(table.values[0][0], 1);  // both begin as the scenario says
  EXPECT_EQ(table.values[0][11], 1);
  EXPECT_EQ(table.branch.front(), "up");
  EXPECT_EQ(table.branch.back(), "down");
  EXPECT_EQ(table.parameters[0][0], table.parameters[0][6]);
}

TEST_F(sweep, PulledMassGoesOnBesideItsSpring) {
  auto wanted = request("stiction.toml", {"F_s=lin(1.4, 1.5, 3)"}, {"first(x), last(x)"});
  wanted.along = continuation::up;
  const auto table = run(wanted, "a.sqlite");
  for (std::size_t i = 1; i < 3; ++i)  // the spring went 0.1 m/s for 60 s and is back at 0
    EXPECT_NEAR(table.values[0][i], table.values[1][i - 1] - 6, 1e-12);
}

TEST_F(sweep, PointsThatFailSayWhyAndTheRestIsThere) {
  const auto table = run(request("stiction.toml", {"F_s=0.5,1.5"}, {"last(x)"}), "a.sqlite");
  EXPECT_EQ(table.outcome[0], "refused");
  EXPECT_TRUE(has(table.detail[0], "F_s"));
  EXPECT_TRUE(std::isnan(table.values[0][0]));
  EXPECT_EQ(table.outcome[1], "completed");
  EXPECT_TRUE(has(sweep_csv(table), "\n0,0.5,,refused,"));
}

TEST_F(sweep, ResultsOfOtherSweepsAreNotMixed) {
  const auto first = request("pushed.toml", {"F_c=0.1,0.2"}, {"last(x)"});
  run(first, "a.sqlite");
  const auto refusal = [&](sweep_request wanted) -> std::string {
    try {
      sweep_plan plan(wanted);
      const sweep_store store(path("a.sqlite"), plan);
    } catch (const error& problem) {
      return problem.what();
    }
    return "not refused";
  };
  EXPECT_EQ(refusal(first), "not refused");
  auto other = first;
  other.axes = {"F_c=0.1,0.3"};
  EXPECT_TRUE(has(refusal(other), "contains a different sweep: axis 1")) << refusal(other);
  other = first;
  other.measures = {"last(v)"};
  EXPECT_TRUE(has(refusal(other), "measure 1")) << refusal(other);
  other = first;
  other.settings = {"system.damping=0.5"};
  EXPECT_TRUE(has(refusal(other), "damping = 0.5")) << refusal(other);
  write("text.sqlite", "this is no database, but it is long enough to look at");
  sweep_plan plan(first);
  EXPECT_THROW(sweep_store(path("text.sqlite"), plan), error);
}

// Two that share a file: no chunk is given out twice, and what one leaves the other takes.
TEST_F(sweep, ChunksAreClaimed) {
  auto wanted = request("pushed.toml", {"F_c=lin(0.05, 0.3, 23)"}, {"last(x)"});
  wanted.chunk = 2;
  sweep_plan plan(wanted);
  sweep_store a(path("a.sqlite"), plan), b(path("a.sqlite"), plan);
  std::vector<long long> seen;
  for (bool more = true; more;) {
    more = false;
    for (auto* store : {&a, &b})
      if (const auto chunk = store->claim(1)) {
        seen.push_back(*chunk);
        more = true;
      }
  }
  std::sort(seen.begin(), seen.end());
  ASSERT_EQ(seen.size(), 12U);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<long long>(i));
  for (const long long chunk : seen) a.finish({{chunk, *evaluate_chunk(plan, chunk, {})}});
  EXPECT_EQ(b.finished_points(), 23);
  EXPECT_TRUE(b.complete());
}

TEST(messages, CarryResultsExactly) {
  std::vector<point_result> results(2);
  results[0] = {"completed", "", {1.5, std::numeric_limits<double>::quiet_NaN()}, {{1, 2, 3}, {}}};
  results[1] = {"refused", "why", {}, {}};
  const auto back = unpacked(packed(results));
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].values[0], 1.5);
  EXPECT_TRUE(std::isnan(back[0].values[1]));
  EXPECT_EQ(back[0].lists, results[0].lists);
  EXPECT_EQ(back[1].detail, "why");
  EXPECT_THROW(unpacked(packed(results).substr(0, 40)), error);
  // Counts that the message cannot hold, wherever they stand: no memory is asked for.
  for (std::size_t at = 0; at + 8 <= packed(results).size(); at += 8) {
    const std::string whole = packed(results);
    EXPECT_THROW(unpacked(whole.substr(0, at) + std::string(8, '\x7f') + whole.substr(at + 8, 8)),
                 error)
        << at;
  }
}

// Ranks without MPI: threads with queues of messages.
class letter_boxes {
 public:
  explicit letter_boxes(int count) : boxes_(static_cast<std::size_t>(count)) {}
  class member : public ranks {
   public:
    member(letter_boxes& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int rank_here() const override { return rank_; }
    int size() const override { return static_cast<int>(all_.boxes_.size()); }
    void send(int to, const std::string& bytes) override {
      const std::lock_guard only(all_.lock_);
      all_.boxes_[static_cast<std::size_t>(to)].push_back({rank_, bytes});
    }
    std::optional<message> receive() override {
      const std::lock_guard only(all_.lock_);
      auto& mine = all_.boxes_[static_cast<std::size_t>(rank_)];
      if (mine.empty()) return std::nullopt;
      message first = mine.front();
      mine.pop_front();
      return first;
    }
    bool all(bool yes) override { return yes; }
    void abandon(int) override {}

   private:
    letter_boxes& all_;
    int rank_;
  };

 private:
  std::mutex lock_;
  std::vector<std::deque<ranks::message>> boxes_;
};

TEST_F(sweep, RanksGiveTheSameTable) {
  const auto wanted = request("pushed.toml", {"F_c=lin(0.05, 0.3, 40)"}, {"last(x), extrema(x)"});
  const auto alone = run(wanted, "a.sqlite");
  letter_boxes boxes(3);
  std::vector<std::jthread> others;
  for (int rank = 1; rank < 3; ++rank)
    others.emplace_back([&boxes, &wanted, rank] {
      letter_boxes::member me(boxes, rank);
      sweep_plan plan(wanted);
      serve_sweep(plan, {1, nullptr, {}}, me);
    });
  letter_boxes::member me(boxes, 0);
  sweep_plan plan(wanted);
  {
    sweep_store store(path("b.sqlite"), plan);
    EXPECT_TRUE(run_sweep(plan, store, {1, nullptr, {}}, &me));
  }
  others.clear();
  const auto together = read_sweep(path("b.sqlite"));
  EXPECT_EQ(sweep_csv(together), sweep_csv(alone));
  EXPECT_EQ(sweep_lists_csv(together), sweep_lists_csv(alone));
}

// ---- attractors ---------------------------------------------------------------------------------

TEST(attractors, RestMotionAndBandsAreToldApart) {
  sweep_table table;
  const double none = std::nan("");
  table.measures = {{"attractor(x)", {}, units::second, false},
                    {"attractor(x).minimum", {}, units::metre, false},
                    {"attractor(x).maximum", {}, units::metre, false}};
  // Two motions of the same size and another period, a band of rest, a rest far away, a failure.
  table.values = {{2, 2.001, 3, none, none, none, none, none},
                  {-1, -1.001, -1, 0.1, 0.13, 0.16, 0.9, none},
                  {1, 1.001, 1, 0.1, 0.13, 0.16, 0.9, none}};
  const auto found = find_attractors(table);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].of_row, (std::vector<int>{1, 1, 2, 3, 3, 3, 4, 0}));
  EXPECT_EQ(found[0].found[2].what, attractors::kind::rest);
  EXPECT_NEAR(found[0].found[2].highest, 0.16, 1e-15);
  EXPECT_EQ(found[0].found[0].points, 2);
}

// A point is the file with its values set, to the last bit.
TEST_F(sweep, APointRunsAsTheFileWithItsValuesDoes) {
  const sweep_plan plan(request("pushed.toml", {"mass=500 g, 2 kg", "F_c=0.1, 0.3"}, {"last(x)"}));
  const run_data point = simulate(plan.at(3));
  const run_data file =
      simulate(read_scenario(path("pushed.toml"), {"system.mass=2", "friction.F_c=0.3"}));
  ASSERT_EQ(point.columns.size(), file.columns.size());
  for (std::size_t i = 0; i < file.columns.size(); ++i)
    EXPECT_EQ(point.columns[i].values, file.columns[i].values) << file.columns[i].name;
  EXPECT_EQ(point.result.steps, file.result.steps);
}

}  // namespace
}  // namespace asperity
