// SPDX-License-Identifier: Apache-2.0
// What Canudas de Wit, Olsson, Astrom and Lischinsky (1995) say of LuGre.

#include <gtest/gtest.h>

#include <asperity/models/friction/lugre.hpp>
#include <asperity/scalar/dual.hpp>
#include <asperity/testing.hpp>

namespace asperity {
namespace {

const lugre<double> paper{};  // the defaults are the values of the paper's simulations

double sliding_force(double v, double load = 1.0) {
  const double relaxation = paper.g.level(v) * load / (paper.sigma_0 * v);
  return testing::steady_force(paper, {0, v, load}, 0.05 * relaxation, 1000);
}

// Sliding far faster than the Stribeck velocity leaves Coulomb plus viscous friction.
TEST(lugre, FastSlidingIsCoulombPlusViscous) {
  const double v = 100 * paper.g.v_s;
  EXPECT_NEAR(sliding_force(v), paper.g.F_c + paper.g.sigma_2 * v, 1e-9);
}

// Sliding far slower leaves the stiction force.
TEST(lugre, CreepingNeedsTheStictionForce) {
  EXPECT_NEAR(sliding_force(1e-4 * paper.g.v_s), paper.g.F_s, 1e-6);
}

// The load scales dry friction, not the viscous part.
TEST(lugre, LoadScalesTheLimit) {
  const double v = 100 * paper.g.v_s;
  EXPECT_NEAR(sliding_force(v, 3.0), 3 * paper.g.F_c + paper.g.sigma_2 * v, 1e-9);
}

// Stuck, the contact is a spring sigma_0 beside a damper sigma_1 + sigma_2.
TEST(lugre, StuckIsADampedSpring) {
  using number = dual<double, 2>;
  const auto f = lugre<number>{}({{number::variable(0, 0)}},
                                 {number(0.0), number::variable(0, 1), number(1.0)})
                     .f;
  EXPECT_DOUBLE_EQ(f.derivative[0], paper.sigma_0);
  EXPECT_DOUBLE_EQ(f.derivative[1], paper.sigma_1 + paper.g.sigma_2);
}

// The paper's boundedness property: |z| <= F_s/sigma_0 is invariant, whatever the velocity does.
TEST(lugre, DeflectionNeverExceedsStictionOverStiffness) {
  const double z_max = paper.g.F_s / paper.sigma_0;
  for (const double v : testing::log_space(1e-9, 1e2, 1000)) {
    EXPECT_LE(paper({{z_max}}, {0, +v, 1}).rate[0], 0) << "v = " << v;
    EXPECT_GE(paper({{-z_max}}, {0, -v, 1}).rate[0], 0) << "v = " << v;
  }
}

// Without motion nothing relaxes: z is a function of the path alone where the curve is flat.
TEST(lugre, PathAloneMattersWithoutStribeckEffect) {
  lugre<double> flat;
  flat.g.F_s = flat.g.F_c;
  EXPECT_EQ(flat({{1e-6}}, {0, 0, 1}).rate[0], 0);
  const auto after = [&](double v) {
    return testing::follow(
        flat, {},
        [v](double) {
          return drive<double>{0, v, 1};
        },
        1e-5 / v, 1e-8 / v)[0];
  };
  EXPECT_NEAR(after(1e-6), after(1.0), 1e-12 * after(1.0));
}

// Bristles store the work of the force that they hold at rest, which grows as that of a spring.
TEST(lugre, BristlesStoreTheWorkOfHoldingForces) {
  for (const double z : {-1e-5, 4e-6})
    EXPECT_DOUBLE_EQ(paper.stored_energy({{z}}, {}), z * paper({{z / 2}}, {0, 0, 1}).f);
}

}  // namespace
}  // namespace asperity
