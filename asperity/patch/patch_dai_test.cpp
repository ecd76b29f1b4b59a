// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/models/friction/dai.hpp>
#include <asperity/models/planar/disc_coulomb.hpp>
#include <asperity/patch/limit_surface.hpp>
#include <asperity/patch/patch_dai.hpp>
#include <asperity/patch/patch_kernels.hpp>
#include <cmath>
#include <random>
#include <string>

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;

patch_dai::parameters stiff(double F_s = 1) {
  patch_dai::parameters with{.K = 1e5, .beta = 1e-3};
  with.g = {.F_c = 1, .F_s = F_s, .v_s = 1e-3};
  return with;
}

// A body whose patch lies under its centre of mass.
struct body_on_patch {
  const patch_dai& law;
  vec<double, 3> inertia;
  vec<double, 3> q{}, u{};
  std::vector<double> states, end;
  patch_dai::step_result last{};

  body_on_patch(const patch_dai& the_law, double m, double I)
      : law(the_law),
        inertia{{m, m, I}},
        states(static_cast<std::size_t>(law.states())),
        end(states.size()) {
    law.initial(q, states.data());
  }
  void step(const wrench<double>& push, double h) {
    vec<double, 3> u_free;
    for (int i = 0; i < 3; ++i) u_free[i] = u[i] + h * push[i] / inertia[i];
    last = law.step({inertia}, q, u, u_free, 1, h, states.data(), end.data());
    ASSERT_TRUE(last.converged) << last.residual;
    u = last.u;
    q = q + h * u;
    states.swap(end);
  }
};

TEST(patch_dai, OneCellIsTheVectorDaiModel) {
  const patch_dai law(contact_patch::rectangle(1e-6, 1e-6), 1, stiff());
  ASSERT_EQ(law.cells(), 1);
  const dai_vector<double, 2> one{.K = 1e5, .F = 1, .beta = 1e-3};
  vec<double, 2> a{}, v{};
  body_on_patch body(law, 2, 1);
  for (int n = 0; n < 300; ++n) {
    const double h = 1e-3, push = 0.02 * n;
    const vec<double, 2> v_free = v + (h / 2) * vec<double, 2>{{push, 0.5 * std::sin(0.1 * n)}};
    const auto f = one.react(a, v_free, h / 2, 1.0, h);
    v = v_free - (h / 2) * f;
    a = one.settle(a, f, h);
    body.step({{push, 0.5 * std::sin(0.1 * n), 0}}, h);
    EXPECT_NEAR(body.u[0], v[0], 1e-9);
    EXPECT_NEAR(body.u[1], v[1], 1e-9);
  }
}

TEST(patch_dai, SlidesOnTheExactLimitSurfaceAsCellsGetFiner) {
  const contact_patch patches[] = {
      contact_patch::disc(0.03), contact_patch::ring(0.01, 0.03),
      contact_patch::with_holes({{-0.02, -0.01}, {0.04, -0.02}, {0.01, 0.03}})};
  for (const auto& patch : patches) {
    double errors[3] = {};
    int which = 0;
    for (const int n : {10, 40, 120}) {
      auto with = stiff();
      with.K = 1e8;  // deflections far below the way of cells next to the centre of rotation
      const patch_dai law(patch, n, with);
      std::vector<double> states(static_cast<std::size_t>(law.states()));
      for (const twist<double>& t : {twist<double>{{0.01, 0.02, 1.3}}, twist<double>{{0.01, 0, -1}},
                                     twist<double>{{0, 0, 1}}}) {
        law.initial({}, states.data());
        // A body of infinite mass moves the patch steadily for 0.1 s without turning it far.
        std::vector<double> end(states.size());
        vec<double, 3> q{};
        wrench<double> f;
        for (int i = 0; i < 400; ++i) {
          const auto step = law.step({{{1e30, 1e30, 1e30}}}, q, 1e-2 * t, 1e-2 * t, 1, 1e-2,
                                     states.data(), end.data());
          f = step.f;
          states = end;
          q = q + 1e-4 * t;
        }
        // The patch has turned by q[2] in the axes of the surface.
        const double c = std::cos(q[2]), s = std::sin(q[2]);
        const auto exact =
            patch.coulomb({{c * t[0] + s * t[1], -s * t[0] + c * t[1], t[2]}}, 1e-10).value;
        const wrench<double> turned{
            {c * exact[0] - s * exact[1], s * exact[0] + c * exact[1], exact[2]}};
        for (int i = 0; i < 3; ++i)
          errors[which] =
              std::max(errors[which], std::abs(f[i] - turned[i]) / (i == 2 ? patch.reach() : 1));
      }
      ++which;
    }
    EXPECT_LT(errors[1], 0.4 * errors[0]) << patch.description();
    EXPECT_LT(errors[2], 0.6 * errors[1]) << patch.description();
    EXPECT_LT(errors[2], 2e-3) << patch.description();
  }
}

// Any wrench inside the limit surface is held for ever: after it has settled, no anchor moves by a
// single bit, although the load swings by a fifth.
TEST(patch_dai, HoldsEveryWrenchInsideTheLimitSurface) {
  const auto patch = contact_patch::rectangle(0.04, 0.02);
  const patch_dai law(patch, 12, stiff());
  std::mt19937 random(11);
  std::normal_distribution<double> any;
  for (int n = 0; n < 6; ++n) {
    const auto limit = patch.coulomb({{any(random), any(random), 60 * any(random)}}, 1e-8).value;
    body_on_patch body(law, 0.1, 2e-5);
    const auto load = [&](double t) { return 0.97 * std::min(1.0, 2 * t) * limit; };
    for (int i = 0; i < 2000; ++i) body.step(load(1e-3 * i), 1e-3);
    // The oscillation is slow beside the body's own on its springs, which would add to the load.
    const auto swing = [&](int cycles) {
      for (int i = 0; i < 500 * cycles; ++i)
        body.step((1 - 0.2 * std::pow(std::sin(pi * i / 500), 2)) * load(1e3), 1e-3);
    };
    swing(4);
    const auto anchors = body.states;
    const auto place = body.q;
    swing(12);
    EXPECT_EQ(anchors, body.states);
    EXPECT_NEAR(body.q[0], place[0], 1e-9);
    EXPECT_NEAR(body.q[1], place[1], 1e-9);
  }
}

// ---- holding, on shapes that nothing is tuned to ------------------------------------------------

struct odd_shape {
  contact_patch patch;
  int cells;
};
std::vector<odd_shape> odd_shapes() {
  pressure_field hertz, linear;
  hertz.is = pressure_field::kind::hertz;
  linear.is = pressure_field::kind::linear;
  linear.gradient_x = 20;
  linear.gradient_y = -15;
  return {
      {contact_patch::ring(0.02, 0.03), 12},
      {contact_patch::with_holes({{-0.02, -0.02},
                                  {0.03, -0.02},
                                  {0.03, -0.005},
                                  {-0.005, -0.005},
                                  {-0.005, 0.03},
                                  {-0.02, 0.03}}),
       10},
      {contact_patch::line(0.05, 0.4), 30},
      {contact_patch::line(0.05, -1, hertz), 30},
      // Beside the centre of mass.
      {contact_patch::with_holes({{0.04, 0.01}, {0.07, 0.02}, {0.06, 0.04}, {0.035, 0.03}}), 10},
      {contact_patch::disc(0.02, hertz), 10},
      {contact_patch::ellipse(0.03, 0.01, hertz), 10},
      {contact_patch::rectangle(0.04, 0.02, linear), 10}};
}

// A body on such a patch, pushed in cycles that are slow beside its own oscillation on the springs.
struct held_body {
  static constexpr double m = 0.1;
  struct setting {
    double h, K, damping, tau_d;
  };
  static constexpr setting settings[] = {
      {1e-5, 1e8, 1, 0}, {1e-4, 1e6, 3, 1e-3},   {1e-3, 1e5, 0.5, 0},  {1e-2, 1e4, 1, 0.05},
      {1e-2, 1e7, 1, 0}, {1e-3, 1e4, 0.3, 2e-3}, {3e-5, 1e7, 2, 0.01}, {3e-3, 1e6, 0.7, 0}};

  contact_patch patch;
  double h, elastic, arm;  // step; deflection of the whole patch; length that makes turns distances
  int steps;               // of a cycle
  patch_dai law;
  body_on_patch body;

  held_body(const odd_shape& shape, const setting& s)
      : patch(shape.patch),
        h(s.h),
        elastic(1 / s.K),
        arm(patch.gyration()),
        law(patch, shape.cells, parameters(s)),
        body(law, m, m * square_about_origin()) {
    const double slowest = std::sqrt(s.K / m) * arm / std::sqrt(square_about_origin());
    steps = static_cast<int>(std::max(60.0, 20 * 2 * pi / slowest / h));
  }
  static patch_dai::parameters parameters(const setting& s) {
    patch_dai::parameters with{
        .K = s.K, .beta = 2 * s.damping / std::sqrt(s.K / m), .tau_d = s.tau_d};
    with.g = {.F_c = 1, .F_s = s.tau_d > 0 ? 1.3 : 1.0, .v_s = 1e-3};
    return with;
  }
  double square_about_origin() const {
    const auto [x, y] = patch.centre();
    return arm * arm + x * x + y * y;
  }
  // Any wrench on the exact limit surface of Coulomb friction with F_c, about the centre of mass.
  template <class Random>
  wrench<double> any_limit(Random& random) const {
    std::normal_distribution<double> any;
    const auto [x, y] = patch.centre();
    auto limit =
        coulomb_about_centre(patch, {{any(random), any(random), any(random) / arm}}, 1e-8).value;
    limit[2] += x * limit[1] - y * limit[0];
    return limit;
  }
  // From rest to push(0) in a cycle, then cycles with push(phase); answers the places at their
  // ends.
  template <class Push>
  std::vector<vec<double, 3>> cycles(int count, const Push& push) {
    for (int i = 0; i < steps && !started; ++i) step((1.0 * i / steps) * push(0.0));
    started = true;
    std::vector<vec<double, 3>> places{body.q};
    for (int n = 0; n < count; ++n) {
      for (int i = 0; i < steps; ++i) step(push(1.0 * i / steps));
      places.push_back(body.q);
    }
    return places;
  }
  // Of the centre of pressure, or by turning.
  double distance(const vec<double, 3>& a, const vec<double, 3>& b) const {
    const auto [x, y] = patch.centre();
    const vec<double, 3> way = a - b;
    return std::max(std::hypot(way[0] - way[2] * y, way[1] + way[2] * x), arm * std::abs(way[2]));
  }
  double farthest = 0;  // from the start, so far

 private:
  bool started = false;
  void step(const wrench<double>& push) {
    body.step(push, h);
    farthest = std::max(farthest, distance(body.q, {}));
  }
};

// Every shape with a few of the settings, all of them in the end.
template <class Check>
void on_odd_shapes(unsigned seed, const Check& check) {
  std::mt19937 random(seed);
  std::size_t which = seed;
  for (const auto& shape : odd_shapes())
    for (int n = 0; n < 2; ++n, ++which) {
      const auto& s = held_body::settings[which % std::size(held_body::settings)];
      held_body held(shape, s);
      SCOPED_TRACE(held.patch.description() + ", h " + std::to_string(s.h) + ", K " +
                   std::to_string(s.K) + ", tau_d " + std::to_string(s.tau_d));
      check(held, random);
    }
}

TEST(patch_dai, HoldsAConstantWrenchOnOddShapes) {
  on_odd_shapes(1, [](held_body& held, std::mt19937& random) {
    const wrench<double> push = 0.95 * held.any_limit(random);
    const auto constant = [&](double) { return push; };
    held.cycles(8, constant);
    const auto anchors = held.body.states;
    const auto places = held.cycles(4, constant);
    // Cells on the very edge of slip may follow the last places of the others.
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < held.law.cells(); ++i) {
        const auto at = static_cast<std::size_t>(k * held.law.stride() + i);
        ASSERT_NEAR(anchors[at], held.body.states[at], 1e-10 * held.elastic + 1e-17);
      }
    // The balance of a step is solved to 1e-11 of the friction.
    for (const auto& place : places)
      EXPECT_LT(held.distance(place, places.front()), 1e-9 * held.elastic);
    EXPECT_LT(held.farthest, 3 * held.elastic);
  });
}

// To and fro through zero the rim of the patch slips in every cycle; on one side it need not.
// Places at equal phases approach a last one, some within hundreds of cycles: the way from the 12th
// to the 24th is far below the four times of that from the 3rd to the 6th that a drift would take.
TEST(patch_dai, DoesNotDriftUnderAWrenchThatOscillatesOnOddShapes) {
  for (const double mean : {0.0, 0.65})
    on_odd_shapes(2, [mean](held_body& held, std::mt19937& random) {
      const wrench<double> limit = held.any_limit(random);
      const auto places = held.cycles(24, [&](double phase) {
        return (mean + (0.95 - mean) * std::sin(2 * pi * phase)) * limit;
      });
      const double early = held.distance(places[6], places[3]),
                   late = held.distance(places[24], places[12]);
      EXPECT_LT(late, 2.5 * early + 1e-8 * held.elastic);
      EXPECT_LT(late, 1e-3 * held.elastic);
      EXPECT_LT(held.farthest, 3 * held.elastic);
    });
}

// Melan's theorem: where a constant wrench could be carried with 0.6 of every cell's friction, and
// the elastic pulls of an oscillating one never need more than 0.35, slip dies away.
TEST(patch_dai, ShakesDownWhereTheTheoremOfMelanSaysSo) {
  on_odd_shapes(3, [](held_body& held, std::mt19937& random) {
    std::normal_distribution<double> any;
    const wrench<double> mean = 0.6 * held.any_limit(random);
    const twist<double> deflection{{any(random), any(random), any(random) / held.arm}};
    wrench<double> swing;
    double greatest = 0;
    for (int i = 0; i < held.law.cells(); ++i) {
      const double x = held.law.x()[i], y = held.law.y()[i], share = held.law.share()[i];
      const auto pull = velocity_at<double>(deflection, x, y);
      swing = swing + share * wrench<double>{{pull[0], pull[1], x * pull[1] - y * pull[0]}};
      greatest = std::max(greatest, norm(pull));
    }
    const auto push = [&](double phase) {
      return mean + (0.35 / greatest * std::sin(2 * pi * phase)) * swing;
    };
    const auto places = held.cycles(16, push);
    EXPECT_LT(held.distance(places[16], places[12]), 1e-5 * held.elastic);
    EXPECT_LT(held.farthest, 3 * held.elastic);
  });
}

TEST(patch_dai, SlidesUnderAWrenchOutsideTheLimitSurface) {
  const auto patch = contact_patch::rectangle(0.04, 0.02);
  const patch_dai law(patch, 12, stiff());
  const auto limit = patch.coulomb({{1, 0.4, 30}}, 1e-8).value;
  body_on_patch body(law, 0.1, 2e-5);
  for (int i = 0; i < 1000; ++i) body.step(1.05 * std::min(1.0, 0.002 * i) * limit, 1e-3);
  EXPECT_GT(std::abs(body.q[2]) + std::abs(body.q[0]), 1e-3);
}

// The implicit step, checked from the states it leaves: force from deflections before and after,
// the inclusion in every cell, and the body's balance.
TEST(patch_dai, TheStepSolvesTheInclusionOfEveryCell) {
  const patch_dai law(contact_patch::disc(0.02), 9, stiff());
  const double h = 2e-3, K = law.with().K, beta = law.with().beta;
  body_on_patch body(law, 0.3, 6e-5);
  body.u = {{0.05, 0.02, 4}};
  for (int n = 0; n < 40; ++n) {
    const auto before = body;
    const wrench<double> push{{0.3 * std::sin(0.4 * n), 0.2, 0.004 * std::cos(n)}};
    body.step(push, h);
    wrench<double> sum;
    const double c = std::cos(before.q[2]), s = std::sin(before.q[2]);
    for (int i = 0; i < law.cells(); ++i) {
      const double r_x = c * law.x()[i] - s * law.y()[i], r_y = s * law.x()[i] + c * law.y()[i];
      const auto v = velocity_at<double>(body.u, r_x, r_y);
      vec<double, 2> f, b_dot;
      for (int k = 0; k < 2; ++k) {
        const std::size_t at = static_cast<std::size_t>(i + k * law.stride());
        const double a = before.q[k] + (k == 0 ? r_x : r_y) - before.states[at];
        b_dot[k] = (body.states[at] - before.states[at]) / h;
        const double a_dot = v[k] - b_dot[k];
        f[k] = K * (a + h * a_dot + beta * a_dot);
      }
      EXPECT_TRUE(in_sgn(f, 1.0, b_dot, 1e-7));
      sum[0] += law.share()[i] * f[0];
      sum[1] += law.share()[i] * f[1];
      sum[2] += law.share()[i] * (r_x * f[1] - r_y * f[0]);
    }
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(body.inertia[k] * (body.u[k] - before.u[k]) / h, push[k] - sum[k], 1e-8);
  }
}

TEST(patch_dai, NeverGivesBackMoreEnergyThanItTook) {
  const patch_dai law(contact_patch::disc(0.02), 9, stiff(1.4));
  std::mt19937 random(5);
  std::normal_distribution<double> any;
  for (int n = 0; n < 10; ++n) {
    body_on_patch body(law, 0.3, 6e-5);
    body.u = {{0.1 * any(random), 0.1 * any(random), 5 * any(random)}};
    double energy = 1e9;
    for (int i = 0; i < 600; ++i) {
      body.step({}, 5e-4);
      double now = law.stored_energy(body.q, body.states.data());
      for (int k = 0; k < 3; ++k) now += 0.5 * body.inertia[k] * body.u[k] * body.u[k];
      EXPECT_LE(now, energy * (1 + 1e-6) + 1e-12);
      energy = now;
    }
  }
}

// A free disc: whatever the start, both motions end together, and the ratio of the last velocities
// is the one known for uniform pressure, 0.653.
TEST(patch_dai, AFreeDiscStopsSlidingAndSpinningTogether) {
  const double R = 0.05, m = 1;
  auto with = stiff();
  with.K = 1e8;
  with.beta = 3e-4;
  const patch_dai law(contact_patch::disc(R), 30, with);
  for (const double start : {0.5, 1.0, 3.0}) {
    body_on_patch body(law, m, 0.5 * m * R * R);
    body.u = {{start * 2, 0, 2 / R}};
    double eps = 0;
    int i = 0;
    for (; i < 20000 && body.last.slipping + (i == 0) > 0.5; ++i) {
      if (norm(vec<double, 2>{{body.u[0], body.u[1]}}) > 4e-3) eps = body.u[0] / (R * body.u[2]);
      body.step({}, 5e-4);
    }
    ASSERT_LT(i, 20000);
    EXPECT_NEAR(eps, 0.653, 0.03) << start;  // approached like a root of the speed
    // From the instant at which most cells stick nothing moves beyond the springs' swing.
    const auto place = body.q;
    for (int k = 0; k < 1000; ++k) body.step({}, 5e-4);
    EXPECT_NEAR(body.q[0], place[0], 3e-6);
    EXPECT_NEAR(R * body.q[2], R * place[2], 3e-6);
  }
}

TEST(patch_dai, TheStepConvergesForEverySizeOfStepAndLoad) {
  auto with = stiff(1.5);
  const patch_dai law(contact_patch::with_holes({{-0.02, -0.01}, {0.04, -0.02}, {0.01, 0.03}}), 12,
                      with);
  std::mt19937 random(17);
  std::normal_distribution<double> any;
  std::uniform_real_distribution<double> size(-4, 1);
  int most = 0;
  for (int n = 0; n < 300; ++n) {
    body_on_patch body(law, std::pow(10, size(random)), 1e-4 * std::pow(10, size(random)));
    body.u = {{std::pow(10, size(random)) * any(random), any(random), 100 * any(random)}};
    for (int i = 0; i < 10; ++i) {
      body.step({{10 * any(random), any(random), 0.1 * any(random)}},
                std::pow(10, size(random) - 2));
      most = std::max(most, body.last.passes);
    }
  }
  EXPECT_LT(most, patch_dai::most_passes);
}

// Patches so stiff that friction nearly jumps, light and heavy bodies, all sizes of steps: pushed
// to and fro from a start in motion, none fails. Free ones come to rest.
TEST(patch_dai, TheStepConvergesForEveryStiffness) {
  const contact_patch shapes[] = {
      contact_patch::disc(0.1), contact_patch::ring(0.09, 0.1), contact_patch::line(0.2, 0.3),
      contact_patch::with_holes(
          {{0.1, 0}, {0.4, 0}, {0.4, 0.1}, {0.2, 0.1}, {0.2, 0.3}, {0.1, 0.3}})};
  std::mt19937 random(5);
  std::normal_distribution<double> any;
  const auto power = [&](double from, double to) {
    return std::pow(10, std::uniform_real_distribution<double>(from, to)(random));
  };
  for (int n = 0; n < 120; ++n) {
    patch_dai::parameters with{.K = power(3, 11), .beta = power(-5, -1)};
    with.g.F_c = power(-2, 3);
    with.g.F_s = (n % 2 == 0 ? 1 : 1.7) * with.g.F_c;
    with.g.sigma_2 = n % 3 == 0 ? 5 : 0;
    with.tau_d = n % 7 == 0 ? 0.01 : 0;
    const patch_dai law(shapes[n % 4], 6 + n % 12, with);
    const double mass = power(-2, 2), h = power(-5, -1), pace = power(-1, 2);
    body_on_patch body(law, mass, mass * power(-3, -1));
    body.u = {{0.1 * any(random), 0.1 * any(random), 3 * any(random)}};
    const double push = with.g.F_c * power(-1, 0.3), turn = 0.06 * with.g.F_c * power(-1, 0.3);
    for (int i = 0; i < 60; ++i) {
      const double angle = pace * h * i;
      body.step({{push * std::sin(angle), 0, turn * std::cos(1.3 * angle)}}, h);
      ASSERT_TRUE(body.last.converged) << n << ' ' << i << " K " << with.K << " h " << h;
    }
  }
  for (const double K : {1e6, 1e7, 1e8})
    for (const double h : {2e-4, 1e-3, 3e-3, 1e-2})
      for (int n = 0; n < 6; ++n) {
        patch_dai::parameters with{.K = K, .beta = 1e-3};
        const patch_dai law(shapes[n % 2], 12, with);
        body_on_patch body(law, 0.3, 1.5e-3);
        const double speed = power(-2, 0);
        body.u = {{speed * std::cos(0.7 * n), speed * std::sin(0.7 * n), 10 * power(-2, 0)}};
        for (double t = 0; t < 0.8; t += h) {
          body.step({}, h);
          ASSERT_TRUE(body.last.converged) << K << ' ' << h;
        }
        EXPECT_LT(norm(body.u), 1e-6) << K << ' ' << h;
      }
}

// Where all cells are fast none is looked at: slow ones next to a centre of rotation must be.
TEST(patch_dai, FastAndSlowCellsHaveTheLevelOfTheCurve) {
  auto with = stiff(1.5);
  with.K = 1e8;  // all cells slip, and pull along their velocities
  const patch_dai law(contact_patch::rectangle(0.02, 0.02), 10, with);
  std::vector<double> states(static_cast<std::size_t>(law.states()));
  law.initial({}, states.data());
  std::mt19937 random(23);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int n = 0; n < 300; ++n) {
    const twist<double> t{{0.05 * any(random), 0.05 * any(random), 5 * any(random)}};
    wrench<double> exact;
    for (int i = 0; i < law.cells(); ++i) {
      const double x = law.x()[i], y = law.y()[i];
      const auto v = velocity_at<double>(t, x, y);
      const auto f = law.share()[i] * with.g.level(norm(v)) / norm(v) * v;
      exact = exact + wrench<double>{{f[0], f[1], x * f[1] - y * f[0]}};
    }
    const auto f = law.respond({}, states.data(), t, 1, nullptr);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(f[k], exact[k], 1e-13);
  }
}

TEST(patch_dai, LagDelaysTheFallOfFriction) {
  auto slow = stiff(2);
  slow.tau_d = 0.05;
  const patch_dai lagging(contact_patch::disc(0.02), 8, slow),
      prompt(contact_patch::disc(0.02), 8, stiff(2));
  // Dragged from rest at ten times the Stribeck velocity: the force after 20 ms.
  const auto dragged = [](const patch_dai& law) {
    std::vector<double> states(static_cast<std::size_t>(law.states())), end(states.size());
    law.initial({}, states.data());
    wrench<double> f;
    for (int i = 0; i < 200; ++i) {
      f = law.step({{{1e30, 1e30, 1e30}}}, {{1e-6 * i, 0, 0}}, {{1e-2, 0, 0}}, {{1e-2, 0, 0}}, 1,
                   1e-4, states.data(), end.data())
              .f;
      states = end;
    }
    return f[0];
  };
  EXPECT_NEAR(dragged(prompt), 1, 1e-3);
  EXPECT_NEAR(dragged(lagging), 1 + std::exp(-0.02 / 0.05), 5e-3);
}

TEST(patch_dai, EveryProcessorGivesTheSameBits) {
  const patch_dai law(contact_patch::disc(0.02), 13, [] {
    auto with = stiff(1.3);
    with.tau_d = 0.01;
    return with;
  }());
  const auto ends = [&](kernels::instructions most) {
    kernels::allow(most);
    body_on_patch body(law, 0.3, 6e-5);
    body.u = {{0.05, 0.02, 4}};
    for (int n = 0; n < 60; ++n) body.step({{0.3, 0, 0.001}}, 1e-3);
    kernels::allow(kernels::instructions::avx512);
    return body.states;
  };
  const auto baseline = ends(kernels::instructions::baseline);
  EXPECT_EQ(ends(kernels::instructions::avx2), baseline);
  EXPECT_EQ(ends(kernels::instructions::avx512), baseline);
}

}  // namespace
}  // namespace asperity
