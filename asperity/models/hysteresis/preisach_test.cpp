// SPDX-License-Identifier: Apache-2.0
// The Everett function against relays that are switched one by one.

#include <gtest/gtest.h>

#include <asperity/models/hysteresis/preisach.hpp>
#include <asperity/testing.hpp>
#include <random>

namespace asperity {
namespace {

using model_type = preisach<double>;

// A model whose cells carry random weights; weight[i][j] is that of cell (i, j), i >= j.
struct random_mesh {
  int n;
  double weight[8][8] = {};
  model_type model;

  random_mesh(int side, unsigned seed) : n(side) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> any(0.1, 1);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) weight[i][j] = any(random);
    model.cells = n * (n + 1) / 2;
    model.x_low = -2;
    model.x_high = 3;
    for (int i = 1; i <= n; ++i)
      for (int j = 0; j < i; ++j) {
        double sum = 0;
        for (int a = j; a < i; ++a)
          for (int b = j; b <= a; ++b) sum += weight[a][b];
        model.E[detail::everett_index(i, j)] = sum;
      }
  }
};

// Relays on a fine regular grid, each switched by itself.
class relays {
 public:
  relays(const random_mesh& mesh, int fine) : low_(-2), step_(5.0 / (mesh.n * fine)) {
    for (int i = 0; i < mesh.n * fine; ++i)
      for (int j = 0; j <= i; ++j) {
        const int a = i / fine, b = j / fine;
        const double cells = a == b ? fine * fine / 2.0 : fine * fine;
        const double share = i == j ? 0.5 : 1.0;  // half a square at the diagonal
        all_.push_back({low_ + (i + 0.5) * step_, low_ + (j + 0.5) * step_,
                        mesh.weight[a][b] / cells * share, -1});
      }
  }
  double to(double x) {
    double sum = 0;
    for (auto& r : all_) {
      if (x >= r.up) r.is = 1;
      if (x <= r.down) r.is = -1;
      sum += r.weight * r.is;
    }
    return sum;
  }

 private:
  struct relay {
    double up, down, weight;
    int is;
  };
  double low_, step_;
  std::vector<relay> all_;
};

TEST(preisach, IsTheSumOfItsRelays) {
  for (const int n : {1, 2, 5}) {
    const random_mesh mesh(n, static_cast<unsigned>(n));
    relays one_by_one(mesh, 40 / n * 2);
    testing::companion body{mesh.model};
    double total = 0, error = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) total += mesh.weight[i][j];
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> anywhere(-2.2, 3.2);
    one_by_one.to(-3);
    for (int turn = 0; turn < 400; ++turn) {
      const double x = anywhere(random) * (turn % 20 < 10 ? 1 : 0.4);
      error = std::max(error, std::abs(body.go({x, 0, 1}, 1) - one_by_one.to(x)));
    }
    // A row of relays in an 80th of the range carries about that part of the weight.
    EXPECT_LT(error, 4 * total / 80) << n;
    EXPECT_GT(std::abs(body.f), 0) << n;
  }
}

double after(const model_type& model, const std::vector<double>& nodes) {
  testing::companion body{model};
  for (const double x : nodes) body.go({x, 0, 1}, 1);
  return body.f;
}

// Saturation is plus or minus the weight of all relays, whatever came before.
TEST(preisach, SaturatesAtTheWeightOfAllRelays) {
  const random_mesh mesh(5, 9);
  const double all = mesh.model.E[detail::everett_index(5, 0)];
  EXPECT_DOUBLE_EQ(after(mesh.model, {-5}), -all);
  EXPECT_DOUBLE_EQ(after(mesh.model, {5}), all);
  EXPECT_DOUBLE_EQ(after(mesh.model, {1, -1, 0.5, -0.2, 9}), all);
  EXPECT_DOUBLE_EQ(after(mesh.model, {1, -1, 0.5, -0.2, -9}), -all);
}

// Closed loops are forgotten to the last bit, also those inside others.
TEST(preisach, ClosedLoopsAreForgotten) {
  const random_mesh mesh(5, 4);
  EXPECT_EQ(after(mesh.model, {2, -1, 1.5, -1}), after(mesh.model, {2, -1}));
  EXPECT_EQ(after(mesh.model, {2, -1, 1.5, -0.5, 1, 0, 0.7, -0.5, 1.5, -1.5}),
            after(mesh.model, {2, -1.5}));
  EXPECT_EQ(after(mesh.model, {2, -1, 1.5, 2.5}), after(mesh.model, {2.5}));
  EXPECT_NE(after(mesh.model, {2, 0}), after(mesh.model, {0}));
}

// The Everett function is half the drop after a first turn, which is how it is measured.
TEST(preisach, FirstOrderReversalCurvesGiveTheEverettFunction) {
  const random_mesh mesh(5, 6);
  for (int i = 1; i <= 5; ++i)
    for (int j = 0; j < i; ++j) {
      const double a = -2 + i, b = -2 + j;
      EXPECT_NEAR((after(mesh.model, {-5, a}) - after(mesh.model, {-5, a, b})) / 2,
                  mesh.model.E[detail::everett_index(i, j)], 1e-13);
    }
}

// At its nodes the Everett function is what was given there, up to the last one, and nothing beyond
// the mesh is looked at.
TEST(preisach, EverettAtTheNodesIsWhatWasGiven) {
  const int n = 4;
  const auto node = [](int i, int j) {
    return i > n || j > n ? std::nan("") : i > j ? 10.0 * i * i - j * (j + 1) : 0.0;
  };
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= i; ++j)
      EXPECT_DOUBLE_EQ(detail::everett<double>(node, n, i, j), node(i, j)) << i << ' ' << j;
}

// Turns that lie inside one another, each swing a little smaller than the one before.
std::vector<double> nested_turns(int count, double ratio) {
  std::vector<double> turns{-3};
  double half = 2.4;
  for (int i = 0; i < count; ++i, half *= ratio) turns.push_back(0.5 + (i % 2 == 0 ? half : -half));
  return turns;
}

// A memory that is long enough follows any number of them; one that is not says so.
TEST(preisach, NestedTurnsAreRememberedOrTheAnswerIsNotANumber) {
  const random_mesh mesh(5, 7);
  preisach<double, 20, 250> roomy;
  roomy.cells = mesh.model.cells;
  roomy.x_low = -2;
  roomy.x_high = 3;
  roomy.E = mesh.model.E;
  double total = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j <= i; ++j) total += mesh.weight[i][j];
  for (const int count : {38, 60, 200}) {
    relays one_by_one(mesh, 40);
    testing::companion body{roomy};
    testing::companion brief{mesh.model};
    double error = 0;
    auto turns = nested_turns(count, 0.98);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const double expected = one_by_one.to(turns[i]);
      error = std::max(error, std::abs(body.go({turns[i], 0, 1}, 1) - expected));
      brief.go({turns[i], 0, 1}, 1);
      if (i < 40) {
        EXPECT_EQ(brief.f, body.f) << i;
      } else {
        EXPECT_TRUE(std::isnan(brief.f) && std::isnan(brief.state[0])) << i;
      }
    }
    EXPECT_EQ(body.state[0], count) << count;
    EXPECT_LT(error, 4 * total / 200) << count;  // as above, with 200 relays a side
    // What became unknown stays so, wherever the input goes.
    if (count > 39) {
      EXPECT_TRUE(std::isnan(brief.go({3, 0, 1}, 1)));
    }
  }
}

// Swings that die out fast end below what the output can tell, and are forgotten.
TEST(preisach, SwingsTooSmallToMatterNeedNoMemory) {
  const random_mesh mesh(5, 8);
  preisach<double, 20, 250> roomy;
  roomy.cells = mesh.model.cells;
  roomy.x_low = -2;
  roomy.x_high = 3;
  roomy.E = mesh.model.E;
  testing::companion body{roomy};
  testing::companion brief{mesh.model};
  auto turns = nested_turns(100, 0.65);
  turns.insert(turns.end(), {0.4, 0.6, -0.5, 2, -2, 3});  // and out again
  for (const double x : turns)
    EXPECT_NEAR(brief.go({x, 0, 1}, 1), body.go({x, 0, 1}, 1), 1e-10) << x;
}

// Too small is below a millionth of a cell.
TEST(preisach, SwingsOfAMillionthOfACellAreRemembered) {
  const preisach<double, 20, 4> brief{.cells = 15, .x_low = 0, .x_high = 5};  // cells of width 1
  for (const double swing : {0.9e-6, 1.1e-6}) {
    testing::companion body{brief};
    for (const double x : {4.0, 1.0, 3.0, 3.0 - swing}) body.go({x, 0, 1}, 1);
    ASSERT_EQ(body.state[0], 4);
    EXPECT_EQ(std::isnan(body.go({3.0 - swing / 2, 0, 1}, 1)), swing > 1e-6) << swing;
  }
}

TEST(preisach, RefusesAMeshThatIsNoTriangle) {
  model_type model;
  model.cells = 7;
  EXPECT_EQ(model.valid().verdict, validity::refused);
  model.cells = 6;
  EXPECT_EQ(model.valid().verdict, validity::fine);
  model.x_high = -1;
  EXPECT_EQ(model.valid().verdict, validity::refused);
}

// Relays are spread evenly within a cell: a mesh of a fifth of the width with the same relays is the
// same operator, and it has nodes inside the cells of the coarse one.
TEST(preisach, AFinerMeshOfTheSameRelaysIsTheSame) {
  const int n = 4, parts = 5, m = n * parts;
  const random_mesh coarse(n, 11);
  const auto weight = [&](int i, int j) {  // of a cell of the fine mesh, i >= j
    const bool on_diagonal = i == j, in_triangle = i / parts == j / parts;
    const double area = on_diagonal ? 0.5 : 1.0, whole = in_triangle ? 0.5 : 1.0;
    return coarse.weight[i / parts][j / parts] * area / (whole * parts * parts);
  };
  model_type fine{.cells = m * (m + 1) / 2, .x_low = -2, .x_high = 3};
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j < i; ++j) {
      double sum = 0;
      for (int a = j; a < i; ++a)
        for (int b = j; b <= a; ++b) sum += weight(a, b);
      fine.E[detail::everett_index(i, j)] = sum;
    }
  for (int i = 1; i <= m; ++i)
    for (int j = 0; j <= i; ++j) {
      const double a = -2 + i * 5.0 / m, b = -2 + j * 5.0 / m;
      EXPECT_NEAR(after(coarse.model, {-5, a, b}), after(fine, {-5, a, b}), 1e-12) << i << ' ' << j;
    }
}

// As it comes, the weight 1 is spread evenly over a triangle of sides 2: the loading curve is a
// parabola. In the beginning the input has come up from far below.
TEST(preisach, TheUsualOneLoadsAlongAParabola) {
  const model_type usual{};
  for (const double x : {-1.0, -0.62, 0.0, 0.31, 1.0}) {
    EXPECT_NEAR(after(usual, {-5, x}), (x + 1) * (x + 1) / 2 - 1, 1e-14);
    EXPECT_NEAR(after(usual, {5, x}), 1 - (1 - x) * (1 - x) / 2, 1e-14);
  }
  EXPECT_EQ(after(usual, {0}), after(usual, {-5, 0}));
  EXPECT_EQ(after(usual, {-0.3}), after(usual, {-5, 0, -0.3}));
}

// An input or a memory that is not a number makes the answer unknown for ever.
TEST(preisach, WhatIsNotANumberStaysSo) {
  const double unknown = std::nan("");
  const model_type usual{};
  EXPECT_TRUE(std::isnan(after(usual, {0.5, unknown})));
  EXPECT_TRUE(std::isnan(after(usual, {0.5, unknown, 0.2, 5})));
  EXPECT_TRUE(std::isnan(after(usual, {-5, unknown})));  // with nothing in memory
  EXPECT_TRUE(std::isnan(after(usual, {-5, unknown, 0.2})));
  for (const int place : {0, 1, 2}) {
    testing::companion body{usual};
    for (const double x : {0.5, -0.5, 0.2}) body.go({x, 0, 1}, 1);
    ASSERT_EQ(body.state[0], 3);
    body.state[place] = unknown;
    EXPECT_TRUE(std::isnan(body.go({0.1, 0, 1}, 1))) << place;
    EXPECT_TRUE(std::isnan(body.go({5, 0, 1}, 1))) << place;
  }
}

}  // namespace
}  // namespace asperity
