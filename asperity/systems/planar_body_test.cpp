// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/integrate/stepper.hpp>
#include <asperity/patch/patch_coulomb.hpp>
#include <asperity/patch/table_coupling.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/systems/planar_body.hpp>
#include <cmath>
#include <random>

#include "tests/system_in_use.hpp"

namespace asperity {
namespace {

struct steady_push : no_planar_inputs<double> {
  vec<double, 3> value{};
  vec<double, 3> push(double) const { return value; }
};

// Steps a body with one of the closed-form methods.
template <class System>
void take(const System& system, double h, int steps, double* y) {
  double rate[System::capacity];
  for (int i = 0; i < steps; ++i) backward_euler_step(system, 0.0, h, y, rate);
}

constexpr double R = 0.08, m = 2.0106, I = 0.5 * m * R * R, F = 7.1007;

TEST(planar_body, AFreeDiscTendsToTheKnownRatioFromAnyStart) {
  const planar_body<double, disc_friction> body{.friction = {{F, R}, F}, .m = m, .I = I};
  for (const double start : {0.2, 0.653, 1.0, 20.0}) {
    double y[9] = {0, 0, 0, start, 0, 1 / R}, before[9] = {};
    int steps = 0;
    // Steps shrink with the speed: the ratio settles only as the speed goes to zero.
    while ((y[3] != 0 || y[5] != 0) && steps < 200000) {
      const double speed = std::hypot(y[3], R * y[5]);
      if (speed < 1e-10) break;
      std::copy_n(y, 9, before);
      take(body, 2e-3 * speed * m / F, 1, y);
      ++steps;
    }
    ASSERT_LT(steps, 200000);
    EXPECT_NEAR(before[3] / (R * before[5]), 0.653, 2e-3) << start;
  }
}

TEST(planar_body, SlidingAndSpinningStopInTheSameStep) {
  const planar_body<double, disc_friction> disc{.friction = {{F, R}, F}, .m = m, .I = I};
  const planar_body<double, ellipsoid_friction> other{.friction = {{F, R, 0.6}, F}, .m = m, .I = I};
  const auto check = [](const auto& body, double v, double omega) {
    double y[9] = {0, 0, 0, v, 0, omega};
    for (int i = 0; i < 100000; ++i) {
      take(body, 1e-4, 1, y);
      ASSERT_EQ(y[3] == 0, y[5] == 0) << "step " << i;
      if (y[3] == 0) return;
    }
    FAIL() << "it does not stop";
  };
  check(disc, 1, 1 / R);
  check(disc, 0.1, 30);
  check(disc, 2, 0.5);
  check(other, 1, 1 / R);
}

// Inside the limit curve the body stays exactly where it is; outside it starts with the ratio that
// the onset of sliding predicts, since the first implicit step is the same equation.
TEST(planar_body, BreaksAwayAtTheLimitWithThePredictedRatio) {
  planar_body<double, disc_friction, steady_push> body{
      .friction = {{F, R}, 1.2 * F}, .m = m, .I = I};
  const double gamma = 0.7;
  const vec<double, 3> limit{{1.2 * F * disc_force(gamma), 0, 1.2 * F * R * disc_torque(gamma)}};
  double y[9] = {};
  body.inputs.value = 0.999 * limit;
  take(body, 1e-3, 100, y);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y[i], 0);
  body.inputs.value = 1.000001 * limit;
  take(body, 1e-6, 1, y);
  EXPECT_NEAR(y[3] / (R * y[5]), onset_of_sliding(gamma, 1.2, I / (m * R * R)).eps, 1e-4);
}

TEST(planar_body, ImplicitStepsAgreeWithTheEquations) {
  const planar_body<double, disc_friction, steady_push> disc{
      .friction = {{F, R}, F}, .m = m, .I = I, .inputs = {{}, {{3, -2, 0.1}}}};
  const planar_body<double, ellipsoid_friction, steady_push> other{
      .friction = {{F, R, 0.6}, F}, .m = m, .I = I, .inputs = {{}, {{3, -2, 0.1}}}};
  const auto check = [](const auto& body) {
    const double start[9] = {0, 0, 0, 0.5, 0.1, 4}, h = 1e-3;
    double y[9], rate[9];
    body.solve_stage(0, h, start, y);
    body.rates(0, y, rate);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(y[i], start[i] + h * rate[i], 1e-12);
  };
  check(disc);
  check(other);
}

// The pads hold a bar by its end: its weight and the torque of its arm.
TEST(planar_body, AGrippedObjectHangsOnItsPads) {
  const double mass = 0.05, arm = 0.015;
  patch_dai::parameters with{.K = 1e6, .beta = 2e-3};
  with.g = {.F_c = 4, .F_s = 4};
  const auto policy = [&] {
    return patch_dai_friction{patch_dai(contact_patch::disc(0.01), 10, with),
                              planar_mount::gripped};
  };
  planar_setup s;
  s.friction = make_friction(policy());
  s.m = mass;
  s.I = 1e-5;
  s.gravity = 9.81;
  s.q = {{arm, 0, 0}};
  const testing::system_in_use bar(make_planar_system(s));
  std::vector<double> y = bar.initial(), end(y.size());
  for (int i = 0; i < 4000; ++i) {
    bar.solve_stage(0, 5e-4, y.data(), end.data());
    y = end;
  }
  EXPECT_NEAR(y[0], arm, 1e-5);
  EXPECT_NEAR(y[1], 0, 1e-5);
  for (int i = 3; i < 6; ++i) EXPECT_NEAR(y[static_cast<std::size_t>(i)], 0, 1e-9);
  std::vector<double> out(bar.outputs().size());
  bar.observe(0, y.data(), out.data());
  EXPECT_NEAR(out[4], -mass * 9.81, 1e-6);  // friction holds the weight
  EXPECT_NEAR(out[5], 0, 1e-7);             // ... and no torque is left about the centre of mass
  // With its arm beyond what the pads can hold, it turns down.
  s.q = {{0.2, 0, 0}};
  s.friction = make_friction(policy());
  const testing::system_in_use falling(make_planar_system(s));
  y = falling.initial();
  for (int i = 0; i < 200; ++i) {
    falling.solve_stage(0, 5e-4, y.data(), end.data());
    y = end;
  }
  EXPECT_LT(y[1], -1e-3);
}

// A carried patch and pads that hold the same object differ only in who has the cells: as long as
// nothing slips far, the body's motion is the same.
TEST(planar_body, PadsAndPatchAgreeForSmallMotions) {
  patch_dai::parameters with{.K = 1e5, .beta = 2e-3};
  with.g = {.F_c = 1, .F_s = 1};
  double places[2][3];
  for (const auto mount : {planar_mount::carried, planar_mount::gripped}) {
    planar_setup s;
    s.friction =
        make_friction(patch_dai_friction{patch_dai(contact_patch::disc(0.01), 8, with), mount});
    s.m = 0.1;
    s.I = 5e-6;
    s.push[0] = signal::constant(0.8);
    s.push[2] = signal::constant(0.002);
    const testing::system_in_use body(make_planar_system(s));
    std::vector<double> y = body.initial(), end(y.size());
    for (int i = 0; i < 1000; ++i) {
      body.solve_stage(0, 1e-3, y.data(), end.data());
      y = end;
    }
    std::copy_n(y.begin(), 3, places[mount == planar_mount::gripped]);
  }
  EXPECT_NEAR(places[0][0] / places[1][0], 1, 1e-2);
  EXPECT_NEAR(places[0][2] / places[1][2], 1, 1e-2);
}

// The general step of Coulomb friction against the closed forms of disc and ellipsoid, which are
// found in other ways: by a root in one angle, and by a projection.
TEST(coulomb_stage, IsTheStepOfDiscAndEllipsoid) {
  const disc_friction disc{{F, R}, 1.2 * F};
  const ellipsoid_friction ellipsoid{{F, R, 0.6}, 1.2 * F};
  const support_friction same_disc{disc.law, 1.2}, same_ellipsoid{ellipsoid.law, 1.2};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  int sticking = 0, sliding = 0;
  for (int n = 0; n < 400; ++n) {
    const double h = 1e-3, push = 0.003 * std::pow(10.0, any(random));
    planar_stage<double> s{h, {}, {}, {{push * any(random), push * any(random)}}, {{m, m, I}}, 1.3};
    s.u_free[2] = push / R * any(random) * std::pow(10.0, any(random));
    if (n % 2 == 0) s.u[0] = 1e-3;
    const auto check = [&](const auto& exact, const auto& general) {
      vec<double, 3> wanted, u;
      ASSERT_TRUE(exact.stage(s, nullptr, nullptr, wanted));
      ASSERT_TRUE(general.stage(s, nullptr, nullptr, u));
      const double size = std::hypot(s.u_free[0], s.u_free[1], R * s.u_free[2]);
      for (int i = 0; i < 3; ++i)
        ASSERT_NEAR(u[i] * (i == 2 ? R : 1), wanted[i] * (i == 2 ? R : 1), 1e-6 * size) << n;
      ++(u[0] == 0 && u[2] == 0 ? sticking : sliding);
    };
    check(disc, same_disc);
    check(ellipsoid, same_ellipsoid);
  }
  EXPECT_GT(sticking, 100);
  EXPECT_GT(sliding, 100);
}

// A square that is pushed beside its centre: it holds up to the limit surface of its shape, and is
// in balance with it beyond. The same between pads, where the push turns it about them.
TEST(coulomb_stage, HoldsAndSlidesOnTheLimitSurfaceOfAPatch) {
  const patch_coulomb law{contact_patch::rectangle(0.06, 0.02), 2.0, 1e-9};
  const auto in_motion = [&](const twist<double>& t) { return law(t); };
  for (const auto mount : {planar_mount::carried, planar_mount::gripped}) {
    const support_friction friction{in_motion, 1, mount, mount == planar_mount::carried};
    const vec<double, 3> q{{0.01, -0.02, 0.4}}, inertia{{0.3, 0.3, 1e-4}};
    const auto G = friction.map(q);
    const twist<double> direction{{0.3, -0.2, 12}};
    // The wrench of that motion, as the body feels it.
    const auto limit = G.transposed(law(direction));
    for (const double part : {0.3, 0.999, 1.001, 1.5}) {
      planar_stage<double> s{1e-3, q, {}, {}, inertia, 1};
      for (int i = 0; i < 3; ++i) s.u_free[i] = s.h * part * limit[i] / inertia[i];
      vec<double, 3> u;
      ASSERT_TRUE(friction.stage(s, nullptr, nullptr, u));
      if (part < 1) {
        for (int i = 0; i < 3; ++i) EXPECT_EQ(u[i], 0) << part;
        continue;
      }
      const auto felt = friction.respond(q, u, nullptr, 1, nullptr);
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(inertia[i] * (s.u_free[i] - u[i]) / s.h, felt[i], 2e-6) << part;
      EXPECT_GT(dot(u, u), 0);
    }
  }
}

TEST(table_coupling, IsTheLimitSurfaceOfThePatch) {
  const table_coupling table(contact_patch::disc(R), 128);
  const disc_coupling<double> exact{R};
  EXPECT_NEAR(table.arm(), exact.arm(), 1e-8);
  for (int i = 0; i < 200; ++i) {
    const vec<double, 3> w{{std::sin(1.0 * i), std::cos(2.3 * i), std::sin(0.7 * i + 1)}};
    const auto a = table.at(w).steady(), b = exact.at(w).steady();
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-3);
  }
}

// Chosen by name it is the law whose type is known, under the body and between pads.
TEST(planar_body, ALawOfTheCatalogueIsMountedByItsPort) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const auto mount : {planar_mount::carried, planar_mount::gripped}) {
    const model_friction named{any_model(find_entry("patch_dai")), mount};
    const patch_shape shape;
    const patch_dai_friction typed{patch_dai(shape.build(), shape.cells, {}), mount};
    const auto n = static_cast<std::size_t>(typed.states());
    ASSERT_EQ(named.states(), typed.states());
    std::vector<double> z(n), same(n), rate(n), expected(n);
    for (int i = 0; i < 20; ++i) {
      const vec<double, 3> start{{any(random), any(random), 3 * any(random)}},
          way{{1e-5 * any(random), 1e-5 * any(random), 1e-4 * any(random)}},
          u{{0.01 * any(random), 0.01 * any(random), any(random)}};
      typed.initial(start, z.data());
      named.initial(start, same.data());
      EXPECT_EQ(z, same);
      const auto f = named.respond(start + way, u, z.data(), 0.7, rate.data());
      const auto g = typed.respond(start + way, u, z.data(), 0.7, expected.data());
      EXPECT_GT(norm(g), 0.01);
      EXPECT_LT(norm(f - g), 1e-12);
      EXPECT_EQ(rate, expected);
    }
  }
}

// A disc that does not spin slides like a point: m v^2/(2 F_c) far.
TEST(planar_body, SlidesLikeAPointWhereItDoesNotSpin) {
  const auto data = simulate(
      read_scenario(parse_toml("system = { kind = 'planar_body', mass = 2, inertia = 0.01 }\n"
                               "friction = { model = 'disc_coulomb', F_c = 4, R = 0.1 }\n"
                               "initial = { v_x = 0.6, v_y = -0.8 }\nrun = { duration = 1 }\n",
                               "test"),
                    "test", ""));
  ASSERT_EQ(data.result.how, outcome::completed);
  EXPECT_NEAR(data["x"].back(), 0.6 * 0.25, 1e-6);
  EXPECT_NEAR(data["y"].back(), -0.8 * 0.25, 1e-6);
  EXPECT_EQ(data["omega"].back(), 0);
}

}  // namespace
}  // namespace asperity
