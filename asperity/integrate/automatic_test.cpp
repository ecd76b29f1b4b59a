// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/integrate/automatic.hpp>
#include <asperity/integrate/dopri5.hpp>
#include <asperity/integrate/rosenbrock.hpp>
#include <cmath>
#include <numbers>

namespace asperity {
namespace {

// y'' + damping(t) y' + stiffness (y - t speed) = 0, as two states.
struct oscillator {
  double damping, stiffness, speed = 0;
  double damping_later = 0, later = HUGE_VAL;  // from that time on

  static constexpr int capacity = 2;
  static int size() { return 2; }
  double damping_at(double t) const { return t < later ? damping : damping_later; }
  void rates(double t, const double* y, double* rate) const {
    rate[0] = y[1];
    rate[1] = -damping_at(t) * y[1] - stiffness * (y[0] - t * speed);
  }
  void linearise(double t, double, const double* y, double* rate, double* rate_t, double* jacobian,
                 int stride) const {
    rates(t, y, rate);
    rate_t[0] = 0;
    rate_t[1] = stiffness * speed;
    jacobian[0] = 0;
    jacobian[1] = 1;
    jacobian[stride] = -stiffness;
    jacobian[stride + 1] = -damping_at(t);
  }
};

struct run_end {
  std::vector<double> y;
  long explicit_steps = 0, stiff_steps = 0;
  damped_swing damped;
};

run_end run_to(double end, const oscillator& system, std::vector<double> start,
               bool may_damp = false) {
  constexpr double first = 1e-9;
  tolerances wanted;
  using explicit_one = dopri5_stepper<oscillator>;
  using stiff_one = rosenbrock_stepper<oscillator>;
  const double longest = end / 100;
  automatic_stepper both(explicit_one(system, wanted, first, longest),
                         stiff_one(system, wanted, first, longest), 2, 2.5, longest);
  if (may_damp) both.may_damp({1}, 2, 2);
  both.start(0, start.data());
  while (both.t() < end)
    if (both.step(end, end) != outcome::completed) break;
  return {{both.y(), both.y() + 2}, both.explicit_steps(), both.stiff_steps(), both.damped()};
}

// Eigenvalues -1 and -1e8: y = e^-t. Explicit steps would be 3e-8 s long.
TEST(automatic, StaysWithTheStiffMethodOnAStiffProblem) {
  const run_end got = run_to(10, {1e8 + 1, 1e8}, {1, -1});
  EXPECT_NEAR(got.y[0], std::exp(-10.0), 1e-6);
  EXPECT_EQ(got.explicit_steps, 0);
  EXPECT_LT(got.stiff_steps, 1000);
}

// Eigenvalues +-i: 30 000 periods are more than the stiff method does alone.
TEST(automatic, LeavesALongSwingToTheExplicitMethod) {
  const double periods = 30'000, end = 2 * std::numbers::pi * periods;
  const run_end got = run_to(end, {0, 1}, {1, 0});
  EXPECT_GT(got.explicit_steps, got.stiff_steps / 10);
  EXPECT_GT(got.explicit_steps, 100'000);
  // Of the amplitude each step may lose a millionth; the phase goes with it.
  EXPECT_NEAR(std::hypot(got.y[0], got.y[1]), 1, 0.5);
}

// The damper sets in while the explicit method is at work: eigenvalues -1e-7 and -1e7.
TEST(automatic, ComesBackToTheStiffMethodWhereStiffnessSetsIn) {
  const double later = 2 * std::numbers::pi * 30'000;
  const run_end before = run_to(later, {0, 1}, {1, 0});
  const run_end got = run_to(3 * later, {0, 1, 0, 1e7, later}, {1, 0});
  EXPECT_GT(got.explicit_steps, 100'000);
  // Explicit steps of 3e-7 s through the rest would be 1e12.
  EXPECT_LT(got.explicit_steps + got.stiff_steps,
            2 * (before.explicit_steps + before.stiff_steps) + 100'000);
  EXPECT_NEAR(got.y[1], 0, 1e-6);
}

TEST(automatic, GivesTheSameBitsTwice) {
  const double end = 2 * std::numbers::pi * 30'000;
  const run_end one = run_to(end, {0, 1}, {1, 0}), other = run_to(end, {0, 1}, {1, 0});
  EXPECT_EQ(one.y, other.y);
  EXPECT_EQ(one.explicit_steps, other.explicit_steps);
  EXPECT_EQ(one.stiff_steps, other.stiff_steps);
}

// A swing of 1e-7 m at 1e6 rad/s about x = 0.1 t: 800 000 periods.
TEST(automatic, DampsASwingThatIsSeenInTheVelocityAlone) {
  const oscillator pulled{0, 1e12, 0.1};
  const run_end got = run_to(5, pulled, {0, 0}, true);
  EXPECT_EQ(got.damped.times, 1);
  EXPECT_NEAR(got.damped.width[0], 2e-7, 1e-7);
  EXPECT_NEAR(got.damped.width[1], 0.2, 0.1);
  EXPECT_NEAR(got.y[0], 0.5, 1e-6);
  EXPECT_NEAR(got.y[1], 0.1, 1e-6);
  EXPECT_LT(got.explicit_steps + got.stiff_steps, 1'000'000);
}

// The same swing about a place where it is all that is seen of x is followed.
TEST(automatic, FollowsASwingThatIsSeen) {
  const double end = 2 * std::numbers::pi * 300'000;
  const run_end got = run_to(end, {0, 1}, {1, 0}, true);
  EXPECT_EQ(got.damped.times, 0);
  EXPECT_GT(std::hypot(got.y[0], got.y[1]), 1e-3);
}

}  // namespace
}  // namespace asperity
