// SPDX-License-Identifier: Apache-2.0
// The rotating bristle model with tilt memory: against a body that keeps the tilt of every bristle
// in a list, and against its energy. What the source says of reversals, and where it errs (E-25).

#include <gtest/gtest.h>

#include <asperity/models/friction/rotating_bristle.hpp>
#include <asperity/testing.hpp>
#include <map>
#include <random>

#include "tests/counted.hpp"

namespace asperity {
namespace {

const rotating_bristle<double> fig_3_3{};  // the defaults are its parameters
// Few bristles on a short body, so that all of them change sides often.
const rotating_bristle<double> coarse{{0.5, 0.098, 0.1, 0.0083, 0.1}};

// A model that is moved about.
struct body {
  const rotating_bristle<double>& model;
  double x = 0;
  vec<double, 3> memory = {};
  double move(double to) {
    const double f = model.advance(memory, {x}, {to}, 1.0);
    x = to;
    return f;
  }
  double energy() const { return model.stored_energy(memory, {x}); }
};

// Every bristle with its own tilt, moved in steps much smaller than Delta.
class list_of_bristles {
 public:
  enum class tilt { upright, right, left };

  list_of_bristles(const detail::bristle_row<double>& row, double x) : row_(row), start_(x) {}

  // Below the body at the start they lean the way it first moves, but not where their tips would be
  // before it.
  void begin(double direction) {
    for (int i = -400; i <= 400; ++i) {
      const double base = i * row_.Delta, ahead = direction * (base - start_);
      const bool below = std::abs(base - start_) <= row_.d / 2;
      const bool leans_on = ahead + row_.d_0() <= row_.d / 2;
      tilt_[i] = !below ? tilt::upright : leans_on == (direction > 0) ? tilt::right : tilt::left;
    }
  }

  double move(double x) {
    const double right = x + row_.d / 2, left = x - row_.d / 2, d_0 = row_.d_0();
    if (tilt_.empty()) begin(x < start_ ? -1 : 1);
    double sum = 0;
    for (auto& [i, t] : tilt_) {
      const double base = i * row_.Delta;
      const bool below = left <= base && base <= right;
      // Let go: upright once nothing of the body is above its tip.
      if (t == tilt::right && (base > right || base + d_0 <= left)) t = tilt::upright;
      if (t == tilt::left && (base < left || base - d_0 >= right)) t = tilt::upright;
      // Met: by the nearer end, since the steps are small.
      if (t == tilt::upright && below)
        t = std::abs(base - right) < std::abs(base - left) ? tilt::right : tilt::left;
      if (t == tilt::right && right - base < d_0) sum += force(right - base);
      if (t == tilt::left && base - left < d_0) sum -= force(base - left);
    }
    return sum;
  }

  // Those that the body holds down below it are tilted as far as they go.
  double energy(double x) const {
    const double right = x + row_.d / 2, left = x - row_.d / 2, d_0 = row_.d_0();
    double sum = 0;
    for (const auto& [i, t] : tilt_) {
      if (t == tilt::upright) continue;
      const double base = i * row_.Delta, u = t == tilt::right ? right - base : base - left;
      const double theta = std::atan2(std::min(u, d_0), row_.h);
      sum += 0.5 * row_.kappa * theta * theta;
    }
    return sum;
  }

 private:
  double force(double u) const {
    const double theta = std::atan2(u, row_.h);
    return row_.kappa * theta / std::hypot(u, row_.h) * std::cos(theta);
  }
  detail::bristle_row<double> row_;
  double start_;
  std::map<int, tilt> tilt_;
};

// Random swings; within each the list takes small steps and the model a single one.
TEST(rotating_bristle, RemembersTheTiltOfEveryBristle) {
  std::mt19937 random(3);
  for (const double size : {0.02, 0.1, 0.4}) {
    std::uniform_real_distribution<double> anywhere(-size, size);
    double x = anywhere(random);
    body moved{coarse, x};
    list_of_bristles list(coarse.row, x);
    for (int swing = 0; swing < 60; ++swing) {
      const double to = anywhere(random);
      const int steps = 1 + static_cast<int>(std::abs(to - x) / (0.05 * coarse.row.Delta));
      double expected = 0;
      for (int i = 1; i <= steps; ++i) expected = list.move(x + (to - x) * i / steps);
      EXPECT_NEAR(moved.move(to), expected, 1e-9) << "swing " << swing << " of size " << size;
      x = to;
    }
  }
}

// From wherever it starts, whichever way first: force and energy are those of the list. At rest
// nothing changes.
TEST(rotating_bristle, StartsAnywhere) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> anywhere(-0.1, 0.1), part(-0.15, 0.15);
  for (int start = 0; start < 16; ++start) {
    double x = anywhere(random);
    body moved{coarse, x};
    list_of_bristles list(coarse.row, x);
    for (int swing = 0; swing < 3; ++swing) {
      const double to = x + (swing == 0 ? 0.1 : 1) * part(random);
      const int steps = 1 + static_cast<int>(std::abs(to - x) / (0.2 * coarse.row.Delta));
      double expected = 0;
      for (int i = 1; i <= steps; ++i) expected = list.move(x + (to - x) * i / steps);
      const double f = moved.move(to);
      EXPECT_NEAR(f, expected, 1e-9) << "start " << start << " swing " << swing;
      EXPECT_NEAR(moved.energy(), list.energy(to), 1e-9) << "start " << start << " swing " << swing;
      EXPECT_EQ(moved.move(to), f);
      x = to;
    }
  }
}

// What is not a number in its memory shows, and stays.
TEST(rotating_bristle, MemoryThatIsNoNumberShows) {
  for (int place = 0; place < 3; ++place)
    for (const double to : {0.02, 0.013, -0.3}) {
      body moved{coarse};
      moved.move(0.02);
      moved.memory[place] = std::nan("");
      EXPECT_TRUE(std::isnan(moved.move(to))) << place << ' ' << to;
      EXPECT_TRUE(std::isnan(moved.move(0.5))) << place << ' ' << to;
    }
}

// The same place gives the same force, whether reached in one stride or in a thousand.
TEST(rotating_bristle, AStrideIsAsGoodAsManySteps) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> anywhere(-0.3, 0.3);
  body strides{coarse}, steps{coarse};
  for (int swing = 0; swing < 100; ++swing) {
    const double from = strides.x, to = anywhere(random), far = strides.move(to);
    double near = 0;
    for (int i = 1; i <= 1000; ++i)
      near = steps.move(i == 1000 ? to : from + (to - from) * i / 1000);
    EXPECT_EQ(far, near);
    EXPECT_EQ(strides.memory[0], steps.memory[0]);
    EXPECT_EQ(strides.memory[1], steps.memory[1]);
    EXPECT_EQ(strides.memory[2], steps.memory[2]);
  }
}

// What the body does not get back is what the bristles let go behind it had stored: each costs
// kappa theta_max^2/2, and nothing is ever given for nothing.
TEST(rotating_bristle, NeverGivesMoreThanItStores) {
  const double full =
      0.5 * coarse.row.kappa * std::pow(std::acos(coarse.row.h / coarse.row.l_b), 2);
  std::mt19937 random(5);
  for (const double size : {0.01, 0.05, 0.4}) {
    std::uniform_real_distribution<double> anywhere(-size, size);
    body moved{coarse};
    const double at_start = moved.energy();  // of the bristles it was laid on
    double work = 0, f_before = 0, worst = 0, lost_before = 0, least_loss = 0;
    for (int swing = 0; swing < 200; ++swing) {
      const double from = moved.x, to = anywhere(random);
      const int steps = 200 + static_cast<int>(std::abs(to - from) / 1e-5);
      for (int i = 1; i <= steps; ++i) {
        const double x_before = moved.x, f = moved.move(from + (to - from) * i / steps);
        work += (f + f_before) / 2 * (moved.x - x_before);
        f_before = f;
      }
      const double lost = work + at_start - moved.energy();
      least_loss = std::min(least_loss, lost - lost_before);
      const double bristles = (lost - lost_before) / full;
      worst = std::max(worst, std::abs(bristles - std::round(bristles)));
      lost_before = lost;
    }
    EXPECT_GT(least_loss, -0.02 * full);
    EXPECT_LT(worst, 0.05) << "a swing loses a whole number of bristles, up to quadrature";
    if (size < 0.02) {
      EXPECT_NEAR(work, moved.energy() - at_start, 0.1 * full) << "nobody was let go";
    }
    if (size > 0.1) {
      EXPECT_GT(lost_before, 100 * full);
    }
  }
}

// A rigid bristle longer than the gap cannot stand upright below the body.
TEST(rotating_bristle, EveryBristleBelowTheBodyLeansFromTheStart) {
  const double full = coarse.row.full_energy();
  for (const double start : {0.0, 0.0213, -0.7}) {
    const double count =
        std::floor((start + 0.05) / 0.0083) - std::ceil((start - 0.05) / 0.0083) + 1;
    body still{coarse, start};
    EXPECT_NEAR(still.energy(), count * full, 1e-12);
    EXPECT_EQ(still.move(start), 0);
    EXPECT_NEAR(still.energy(), count * full, 1e-12) << "laid down, not yet moved";
    for (const double step : {1e-9, -1e-9}) {
      body moved{coarse, start};
      EXPECT_NEAR(moved.move(start + step), 0, 1e-6);
      EXPECT_NEAR(moved.energy(), count * full, 1e-6 * full);
    }
  }
}

// Section 3.2.2: it begins without force, the force grows while the first bristles tilt, and it
// keeps its sign when the velocity turns.
TEST(rotating_bristle, ForceKeepsItsSignWhenTheMotionTurns) {
  body moved{fig_3_3};
  EXPECT_EQ(moved.move(0.0), 0.0);
  double before = 0;
  for (int i = 1; i <= 19; ++i) {  // before d_0 = 0.0199 no bristle slips below
    const double f = moved.move(0.001 * i);
    EXPECT_GT(f, before - 1e-15);
    before = f;
  }
  for (int i = 1; i <= 200; ++i) before = moved.move(0.019 + 0.02 * i);
  const double turned = moved.move(moved.x - 1e-6);
  EXPECT_GT(before, 0.5);
  EXPECT_NEAR(turned, before, 1e-2 * before);
  // Back by more than its own length, the force has changed sides.
  EXPECT_LT(moved.move(moved.x - 1.1), -0.5 * before);
}

// Steady sliding costs the energy of one bristle per spacing, as for drbm.
TEST(rotating_bristle, SteadySlidingCostsOneBristlePerSpacing) {
  body moved{fig_3_3};
  moved.move(3.0);
  double work = 0;
  constexpr int steps = 40000;
  const double length = 4 * fig_3_3.row.Delta;
  for (int i = 1; i <= steps; ++i) work += moved.move(3.0 + length * i / steps) * length / steps;
  const double theta_max = std::acos(0.98);
  EXPECT_NEAR(work, 4 * 0.1 * theta_max * theta_max / 2, 1e-3 * work);
}

// Mirrored motion, mirrored force, bit by bit; and the whole row shifted by any number of bristles.
TEST(rotating_bristle, MirroredAndShifted) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> anywhere(-0.2, 0.2);
  const double far = 1e6 * coarse.row.Delta;
  body here{coarse, 0.03}, mirrored{coarse, -0.03}, there{coarse, 0.03 + far};
  for (int swing = 0; swing < 200; ++swing) {
    const double to = anywhere(random), f = here.move(to);
    EXPECT_EQ(mirrored.move(-to), -f);
    EXPECT_NEAR(there.move(to + far), f, 1e-6);
    EXPECT_EQ(here.memory[0], -mirrored.memory[0]);
    EXPECT_EQ(here.memory[1], mirrored.memory[1]);
    EXPECT_EQ(here.memory[2], -mirrored.memory[2]);
    EXPECT_EQ(there.memory[0], here.memory[0] + 2e6);
    EXPECT_EQ(there.memory[2], here.memory[2] + 2e6);
  }
}

TEST(rotating_bristle, CostDoesNotGrowWithTheDistance) {
  using testing::counted;
  const auto cost = [](double from, double to) {
    const rotating_bristle<counted> model{};
    vec<counted, 3> memory{};
    const auto at = [](double x) { return drive<counted>{counted(x), counted(0.0), counted(1.0)}; };
    return testing::operations_of([&] { model.advance(memory, at(from), at(to), counted(1.0)); });
  };
  EXPECT_EQ(cost(0, 0.01), cost(0, 1e6));
  EXPECT_EQ(cost(0, 0.01), cost(-1e7, -2e7));
}

// E-25: with tilt memory the pulled mass of Fig. 3.5 does not fall back into rest; it slides on.
TEST(rotating_bristle, PulledMassSlidesOn) {
  const rotating_bristle<double> fig_3_5{{0.5, 0.098, 0.1, 0.01, 1.0}};
  body moved{fig_3_5};
  double v = 0, f = 0, slowest = 1;
  constexpr double h = 1e-4;
  for (int i = 0; i * h < 60; ++i) {  // Stoermer and Verlet
    const auto a = [&](double t) { return 0.5 * t - moved.x - f; };
    v += h / 2 * a(i * h);
    f = moved.move(moved.x + h * v);
    v += h / 2 * a((i + 1) * h);
    if (i * h > 30) slowest = std::min(slowest, v);
  }
  EXPECT_GT(slowest, 0);
}

// The load scales the force and the energy, and nothing else.
TEST(rotating_bristle, LoadScalesTheForce) {
  const rotating_bristle<double> model{};
  auto once = testing::initial_state(model), doubled = once;
  double x = 0, largest = 0;
  for (const double to : {0.013, 0.2, 0.19, 0.194, -0.3}) {
    const double f = model.advance(once, {x, 0, 1}, {to, 0, 1}, 1.0);
    EXPECT_NEAR(model.advance(doubled, {x, 0, 2}, {to, 0, 2}, 1.0), 2 * f, 1e-14);
    EXPECT_NEAR(model.stored_energy(doubled, {to, 0, 2}), 2 * model.stored_energy(once, {to, 0, 1}),
                1e-12);
    largest = std::max(largest, std::abs(f));
    x = to;
  }
  EXPECT_GT(largest, 0.1);
}

}  // namespace
}  // namespace asperity
