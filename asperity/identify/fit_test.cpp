// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/identify/fit.hpp>
#include <asperity/identify/least_squares.hpp>
#include <cmath>
#include <random>

namespace asperity {
namespace {

// y = a + b x with noise: the interval is that of linear regression.
struct line {
  std::vector<double> x, y;
  explicit line(double a, double b, double noise, unsigned seed, int n = 400) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, noise);
    for (int i = 0; i < n; ++i) {
      x.push_back(i / 100.0);
      y.push_back(a + b * x.back() + normal(random));
    }
  }
  fit_problem problem(range of_b = any_value) const {
    fit_problem p;
    p.unknowns = {{.name = "a", .start = 1}, {.name = "b", .allowed = of_b, .start = 0.5}};
    p.rows = {x.size()};
    p.residual = [this](std::span<const double> v, std::span<double> r) {
      for (std::size_t i = 0; i < x.size(); ++i) r[i] = v[0] + v[1] * x[i] - y[i];
      return true;
    };
    return p;
  }
};

TEST(fit, IntervalsAreThoseOfLinearRegression) {
  const line data(3, 0.7, 0.1, 5);
  const fit_result found = fit(data.problem());
  ASSERT_EQ(found.how, fit_result::ending::converged);
  double n = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    n += 1;
    sx += data.x[i];
    sxx += data.x[i] * data.x[i];
    sy += data.y[i];
    sxy += data.x[i] * data.y[i];
  }
  const double det = n * sxx - sx * sx, b = (n * sxy - sx * sy) / det, a = (sy - b * sx) / n;
  double squares = 0;
  for (std::size_t i = 0; i < data.x.size(); ++i)
    squares += std::pow(a + b * data.x[i] - data.y[i], 2);
  const double error_b = std::sqrt(squares / (n - 2) * n / det);
  EXPECT_NEAR(found.values[0], a, 1e-6);
  EXPECT_NEAR(found.values[1], b, 1e-6);
  EXPECT_NEAR(found.estimates[1].standard_error, error_b, 0.01 * error_b);
  EXPECT_NEAR(found.estimates[1].upper - found.estimates[1].lower, 2 * 1.96 * error_b,
              0.08 * error_b);
}

// Where no slopes can be had the fit has not left its start, and says so.
TEST(fit, WithoutSlopesItFails) {
  const line data(3, 0.7, 0.1, 5);
  fit_problem p = data.problem();
  p.derivative = [](auto, auto, auto) { return false; };
  const fit_result found = fit(p, {.starts = 0});
  EXPECT_EQ(found.how, fit_result::ending::failed);
  EXPECT_EQ(found.values, (std::vector<double>{1, 0.5}));
  EXPECT_FALSE(found.detail.empty());
}

// A parameter that starts on its bound moves away from it.
TEST(fit, NoUnknownIsStuckAtABoundItStartsOn) {
  const line data(3, 0.7, 0.01, 5);
  fit_problem p = data.problem(non_negative);
  p.unknowns[1].start = 0;
  p.unknowns[1].scale = 1;
  fit_options alone;
  alone.starts = 0;
  EXPECT_NEAR(fit(p, alone).values[1], 0.7, 0.01);
}

TEST(fit, SaysThatAnUnknownIsAtItsBound) {
  const line data(3, -0.7, 0.01, 5);
  const fit_result found = fit(data.problem(non_negative));
  EXPECT_EQ(found.estimates[1].is, estimate::verdict::at_bound);
  EXPECT_NE(found.estimates[1].words.find("bound"), std::string::npos);
}

TEST(fit, SaysThatAnUnknownHasNoInfluence) {
  const line data(3, 0.7, 0.1, 5);
  fit_problem p = data.problem();
  p.unknowns.push_back({.name = "idle", .allowed = positive, .start = 2});
  const fit_result found = fit(p);
  EXPECT_EQ(found.estimates[2].is, estimate::verdict::no_influence);
  EXPECT_EQ(found.estimates[0].is, estimate::verdict::told);
  EXPECT_EQ(found.estimates[1].is, estimate::verdict::told);
}

// A steepness whose data is a step: it runs off, and is told from below.
TEST(fit, SaysThatASteepnessRunsOff) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal(0, 0.05);
  std::vector<double> x, y;
  for (int i = -200; i < 200; ++i) {
    x.push_back((i + 0.5) / 100.0);
    y.push_back((x.back() < 0 ? -1 : 1) + normal(random));
  }
  fit_problem p;
  p.unknowns = {{.name = "F", .allowed = positive, .start = 0.5},
                {.name = "slope", .allowed = positive, .start = 10}};
  p.rows = {x.size()};
  p.residual = [&](std::span<const double> v, std::span<double> r) {
    for (std::size_t i = 0; i < x.size(); ++i) r[i] = v[0] * std::tanh(v[1] * x[i]) - y[i];
    return true;
  };
  const fit_result found = fit(p);
  EXPECT_NEAR(found.values[0], 1, 0.02);
  EXPECT_EQ(found.estimates[1].is, estimate::verdict::runs_off) << to_string(found.estimates[1].is);
}

// Two unknowns that only their product matters of: named as a flat direction.
TEST(fit, NamesTheFlatDirectionOfAProduct) {
  const line data(0, 0.7, 0.01, 5);
  fit_problem p;
  p.unknowns = {{.name = "K", .allowed = positive, .start = 1},
                {.name = "gain", .allowed = positive, .start = 1}};
  p.rows = {data.x.size()};
  p.residual = [&](std::span<const double> v, std::span<double> r) {
    for (std::size_t i = 0; i < data.x.size(); ++i) r[i] = v[0] * v[1] * data.x[i] - data.y[i];
    return true;
  };
  const fit_result found = fit(p);
  ASSERT_EQ(found.flat.size(), 1U);
  EXPECT_NE(found.flat[0].words.find("K"), std::string::npos);
  EXPECT_NE(found.flat[0].words.find("gain"), std::string::npos);
  EXPECT_NEAR(found.values[0] * found.values[1], 0.7, 0.01);
}

TEST(fit, RobustLossesIgnoreWrongRows) {
  line data(3, 0.7, 0.01, 5);
  for (std::size_t i = 0; i < data.y.size(); i += 10) data.y[i] += 50;
  fit_options robust;
  robust.robust = fit_options::loss::cauchy;
  const fit_result found = fit(data.problem(), robust);
  EXPECT_NEAR(found.values[0], 3, 0.02);
  EXPECT_NEAR(found.values[1], 0.7, 0.01);
}

// Of residuals with correlation rho from one to the next, (1 - rho)/(1 + rho) count.
TEST(fit, CorrelatedResidualsCountLess) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const double rho : {0.0, 0.5, 0.9}) {
    std::vector<double> r;
    double last = 0;
    for (int i = 0; i < 50000; ++i) r.push_back(last = rho * last + normal(random));
    const std::size_t rows[] = {r.size()};
    const double expected = 50000 * (1 - rho) / (1 + rho);
    EXPECT_NEAR(effective_samples(r, rows), expected, 0.15 * expected) << rho;
  }
}

// An unknown that must not be below another stays so, wherever the data pulls it.
TEST(fit, KeepsTheOrderOfUnknowns) {
  const line data(3, 0.7, 0.01, 5);
  fit_problem p = data.problem();
  p.unknowns[0].start = 1;
  p.unknowns[1].start = 2;
  p.unknowns[1].not_below = 0;
  const fit_result found = fit(p);
  EXPECT_GE(found.values[1], found.values[0]);
  EXPECT_EQ(found.estimates[1].is, estimate::verdict::at_bound);
}

TEST(fit, BadProblemsAreRefusedInWords) {
  fit_problem none;
  EXPECT_THROW(fit(none), error);
  const line data(3, 0.7, 0.01, 5, 1);
  EXPECT_THROW(fit(data.problem()), error);
  const line more(3, 0.7, 0.01, 5);
  fit_problem p = more.problem(positive);
  p.unknowns[1].start = -1;
  EXPECT_THROW(fit(p), error);
  p.unknowns[1].start = std::nan("");
  EXPECT_THROW(fit(p), error);
}

// A model that cannot be run anywhere is a failure in words, not an endless search.
// Where the search begins says nothing about what is believed: the centre of a prior stays.
TEST(fit, ABeginningDoesNotMoveThePrior) {
  const auto found = [](double start, std::vector<double> begin) {
    fit_problem p;
    p.unknowns = {{.name = "a", .start = start, .prior_width = 0.5}};
    p.rows = {4};
    p.residual = [](std::span<const double> v, std::span<double> r) {
      for (std::size_t i = 0; i < 4; ++i) r[i] = v[0] - 2 + (i % 2 == 0 ? 1 : -1);
      return true;
    };
    fit_options options;
    options.starts = 0;
    options.intervals = false;
    options.begin = std::move(begin);
    return fit(p, options).values[0];
  };
  const double plain = found(1, {});
  EXPECT_NEAR(found(1, {3}), plain, 1e-3);
  EXPECT_NEAR(found(1, {0.2}), plain, 1e-3);
  EXPECT_GT(std::abs(found(3, {1}) - plain), 0.01);  // the prior does pull
  EXPECT_THROW(found(1, {1, 2}), error);
}

TEST(fit, AnEndlessNumberOfStartsIsRefused) {
  const line data(3, 0.7, 0.1, 5);
  for (const int starts : {-1, -5, fit_options::most_starts + 1, 100'000'000}) {
    fit_options options;
    options.starts = starts;
    EXPECT_THROW(fit(data.problem(), options), error) << starts;
  }
}

TEST(fit, AModelThatNeverRunsFails) {
  const line data(3, 0.7, 0.01, 5);
  fit_problem p = data.problem();
  p.residual = [](std::span<const double>, std::span<double>) { return false; };
  const fit_result found = fit(p);
  EXPECT_EQ(found.how, fit_result::ending::failed);
  EXPECT_FALSE(found.detail.empty());
  p.residual = [](std::span<const double>, std::span<double> r) {
    for (double& each : r) each = std::nan("");
    return true;
  };
  EXPECT_EQ(fit(p).how, fit_result::ending::failed);
}

TEST(fit, AnInterruptReturnsTheBestSoFar) {
  const line data(3, 0.7, 0.01, 5);
  std::atomic<bool> stop{false};
  fit_problem p = data.problem();
  int calls = 0;
  const auto plain = p.residual;
  p.residual = [&](std::span<const double> v, std::span<double> r) {
    if (++calls > 40) stop = true;
    return plain(v, r);
  };
  fit_options options;
  options.interrupt = &stop;
  const fit_result found = fit(p, options);
  EXPECT_EQ(found.how, fit_result::ending::interrupted);
  EXPECT_EQ(found.values.size(), 2U);
}

// Ceres and our own method end at the same place.
TEST(least_squares, TwoMethodsAgreeInABox) {
  least_squares_problem p;
  p.residuals = 2;
  p.lower = Eigen::Vector2d(-5, -5);
  p.upper = Eigen::Vector2d(5, 0.5);
  p.evaluate = [](const Eigen::VectorXd& u, Eigen::VectorXd& r, row_matrix* j) {
    r[0] = 1 - u[0];
    r[1] = 10 * (u[1] - u[0] * u[0]);
    if (j != nullptr) *j << -1, 0, -20 * u[0], 10;
    return true;
  };
  const Eigen::VectorXd start = Eigen::Vector2d(-1.2, 0.3);
  const auto a = solve_least_squares(p, start), b = solve_by_levenberg_marquardt(p, start);
  EXPECT_NEAR(a.u[1], 0.5, 1e-6);
  EXPECT_NEAR(a.u[0], b.u[0], 1e-4);
  EXPECT_NEAR(a.u[1], b.u[1], 1e-4);
}

}  // namespace
}  // namespace asperity
