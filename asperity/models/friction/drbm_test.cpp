// SPDX-License-Identifier: Apache-2.0
// What Drincic (2012), section 3.3, says of the discontinuous rotating bristle model, corrected by
// the errata: its sets, its levels, its energy, and the exact stick-slip of a mass on it.

#include <gtest/gtest.h>

#include <asperity/integrate/switch_model.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/drbm.hpp>
#include <asperity/testing.hpp>
#include <random>

#include "tests/counted.hpp"

namespace asperity {
namespace {

constexpr double pi = 3.14159265358979323846;
const drbm<double> fig_3_7{};  // the defaults are its parameters

double force(const drbm<double>& model, double x, double v) { return model({}, {x, v}).f; }

// (3.2) to (3.8) on the sets (3.14) and (3.16), found by searching a list of bristles.
struct found_by_search {
  double force = 0, mean_angle = 0;
};
found_by_search search(const drbm<double>& model, double x, double v) {
  const auto& [kappa, h, l_b, Delta, d] = model.row;
  const double d_0 = std::sqrt(l_b * l_b - h * h);
  double sum = 0, angles = 0;
  int count = 0;
  for (int i = -2000; i <= 2000; ++i) {
    const double base = i * Delta;
    const bool right = x + d / 2 - d_0 < base && base <= x + d / 2;
    const bool left = x - d / 2 <= base && base < x - d / 2 + d_0;
    if (v > 0 ? !right : !left) continue;
    const double theta = std::atan((v > 0 ? x + d / 2 - base : x - d / 2 - base) / h);
    sum += kappa * theta * std::cos(theta) * std::cos(theta) / h;
    angles += theta;
    ++count;
  }
  return {sum, angles / count};
}

TEST(drbm, ForceIsThatOfTheSetsOfTheSource) {
  drbm<double> many = fig_3_7, few = fig_3_7;
  many.row.Delta = 0.0007;  // 14 or 15 bristles at a corner
  few.row.Delta = 0.009;    // one, seldom two
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(-1, 1);
  for (const auto& model : {fig_3_7, many, few})
    for (int n = 0; n < 300; ++n) {
      const double x = anywhere(random), v = anywhere(random);
      const auto expected = search(model, x, v);
      EXPECT_NEAR(force(model, x, v), expected.force, 1e-12) << "x = " << x;
      EXPECT_NEAR(model.observe({}, {x, v})[0], expected.mean_angle, 1e-12) << "x = " << x;
    }
  EXPECT_EQ(fig_3_7.observe({}, {0.1, 0})[0], 0);
}

// (3.21): the limits at v = 0 have opposite signs everywhere, so there is always a jump. Its size
// is least just after a bristle let go.
TEST(drbm, JumpsAtRestEverywhere) {
  double least = 1, most = 0;
  for (const double x : testing::lin_space(-0.02, 0.02, 20001)) {
    const double ahead = fig_3_7.side({}, {x, 0.0}, 1.0).f;
    EXPECT_LT(fig_3_7.side({}, {x, 0.0}, -1.0).f, 0);
    least = std::min(least, ahead);
    most = std::max(most, ahead);
  }
  // d_0 is 1.9975 Delta: one bristle at d_0 - Delta after the drop, two before it. A bristle at u
  // has the moment arm u/h and resists like a spring kappa/h^2 while u is small.
  const double d_0 = fig_3_7.row.d_0(), spring = 0.1 / (0.0995 * 0.0995);
  EXPECT_NEAR(least, spring * (d_0 - 0.005), 0.01 * least);
  EXPECT_NEAR(most, spring * (2 * d_0 - 0.005), 0.02 * most);
  EXPECT_LE(most, fig_3_7.force_bound({}));
  EXPECT_GT(most, 0.99 * fig_3_7.force_bound({}));
  EXPECT_EQ(force(fig_3_7, 0.123, 0.0), 0.0);
}

// Over each spacing the body loads one bristle from upright to theta_max = acos(h/l_b).
TEST(drbm, SlidingCostsTheEnergyOfOneBristlePerSpacing) {
  for (const double Delta : {0.005, 0.003, 0.0007}) {
    drbm<double> model = fig_3_7;
    model.row.Delta = Delta;
    const double theta_max = std::acos(model.row.h / model.row.l_b);
    for (const double direction : {1.0, -1.0}) {
      double work = 0;
      constexpr int pieces = 20000;  // so many that the drops, which fall anywhere, do not matter
      for (int i = 0; i < pieces; ++i)
        work += force(model, direction * Delta * (i + 0.5) / pieces, direction) * Delta / pieces;
      EXPECT_NEAR(direction * work, model.row.kappa * theta_max * theta_max / 2,
                  1e-4 * std::abs(work));
    }
  }
}

// Far away the same bristles are met: only the rounding of x itself remains.
TEST(drbm, PeriodicInDeltaHoweverFar) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> anywhere(0.01, 0.99);
  const double Delta = fig_3_7.row.Delta,
               slope = 4 * fig_3_7.row.kappa / std::pow(fig_3_7.row.h, 2);
  // The drop is at d_0 = 1.9975 Delta behind the corner; stay away from it.
  for (int n = 0; n < 200; ++n) {
    const double x = anywhere(random) * 0.9 * Delta;
    for (const double v : {1.0, -1.0}) {
      EXPECT_NEAR(force(fig_3_7, x + 7 * Delta, v), force(fig_3_7, x, v), 1e-14);
      EXPECT_NEAR(force(fig_3_7, x - 1e6 * Delta, v), force(fig_3_7, x, v),
                  slope * 1e6 * Delta * 4e-16);
      EXPECT_EQ(force(fig_3_7, -x, -v), -force(fig_3_7, x, v));
    }
  }
}

TEST(drbm, CostGrowsWithTheBristlesAtTheCornerAndNotWithTheDistance) {
  using testing::counted;
  const auto cost = [](double x, double Delta) {
    drbm<counted> model{};
    model.row.Delta = counted(Delta);
    return testing::operations_of([&] { model({}, {counted(x), counted(1.0), counted(1.0)}); });
  };
  EXPECT_EQ(cost(0.1, 0.005), cost(1e9, 0.005));
  EXPECT_EQ(cost(0.1, 0.005), cost(-1e9, 0.005));
  const long few = cost(0.1, 0.001), many = cost(0.1, 0.0001);  // 10 and 100 bristles
  EXPECT_GT(many, 5 * few);
  EXPECT_LT(many, 12 * few);
}

// The bound is the sum over all spacings of the most that a bristle resists in each: far down, where
// it gives way again, too. No place has more.
TEST(drbm, TheBoundTakesEveryBristleAtItsWorst) {
  const auto check = [](double h, double Delta) {
    drbm<double> model = fig_3_7;
    model.row.kappa = 0.3;
    model.row.h = h;
    model.row.l_b = 2 * h;
    model.row.Delta = Delta;
    const double d_0 = std::sqrt(3.0) * h;
    double sum = 0;
    for (double start = 0; start < d_0; start += Delta) {
      double most = 0;
      for (const double u : testing::lin_space(start, std::min(start + Delta, d_0), 1001)) {
        const double theta = std::atan(u / h);
        most = std::max(most, 0.3 / h * theta * std::cos(theta) * std::cos(theta));
      }
      sum += most;
    }
    EXPECT_NEAR(model.force_bound({0, 0, 2.5}), 2.5 * sum, 1e-6 * sum) << Delta;
    for (const double x : testing::lin_space(0, Delta, 101))
      EXPECT_LE(force(model, x, 1), model.force_bound({})) << Delta;
  };
  for (const double Delta : {0.011, 0.0007, 0.2}) check(0.05, Delta);
  check(5, 0.3);
}

TEST(drbm, RefusesBristlesThatDoNotReachTheBody) {
  drbm<double> model{};
  model.row.h = 0.11;
  EXPECT_EQ(model.valid().verdict, validity::refused);
  model.row.h = 0.0995;
  model.row.Delta = 0.01;  // as printed for Fig. 3.9
  EXPECT_EQ(model.valid().verdict, validity::doubtful);
  EXPECT_EQ(fig_3_7.valid().verdict, validity::fine);
}

// ---- a mass on it, by the Switch Model ----------------------------------------------------------

struct slow_sine : no_inputs<double> {
  double omega = 1e-3;
  double force(double t) const { return std::sin(omega * t); }
};
struct pulled : no_inputs<double> {
  double anchor(double t) const { return 0.002 * t; }
};

template <class System, class Observer>
integration_result follow(const System& system, double duration, Observer observe) {
  tolerances wanted;
  wanted.relative = 1e-8;
  switch_stepper<System> stepper(system, wanted, 1e-4, 1.0);
  std::vector<event_record> none;
  run_options options;
  options.to = duration;
  const double rest[2] = {0, 0};
  return run(stepper, rest, 2, options, {}, none,
             [&](double t, const double* y) { observe(t, y, stepper.mode()); });
}

// Fig. 3.9 with Delta = 0.005 (erratum 28): the work of the push over a cycle (3.44) is what the
// bristles released on the way had stored (3.45), up to what is held at the turns by bristles still
// tilted, by the spring and the mass.
TEST(drbm, LoopAreaIsTheEnergyOfTheReleasedBristles) {
  for (const double omega : {1e-3, 0.05}) {
    sliding_mass<double, drbm<double>, slow_sine> system{fig_3_7, 1.0, 1.0, 0.0, {}};
    system.friction.row.d = 1.0;
    system.inputs.omega = omega;
    const auto& row = system.friction.row;
    const double period = 2 * pi / omega;

    double area = 0, released = 0, held = 0, u_before = 0, x_before = 0, E_before = 0;
    bool begun = false;
    const auto tilted = [&](double x, double s) { return system.friction.bristle_energy({x}, s); };
    const auto let_go = [&](double x, double s) {
      return std::floor((s * x + row.d / 2 - row.d_0()) / row.Delta);
    };
    const auto result = follow(system, 2 * period, [&](double t, const double* y, sliding_mode) {
      const double u = system.inputs.force(t), x = y[0];
      const double E = (x * x + y[1] * y[1]) / 2;  // of spring and mass
      if (begun) {
        area += (u + u_before) / 2 * (x - x_before);
        const double s = x > x_before ? 1.0 : -1.0;
        released += let_go(x, s) - let_go(x_before, s);
        held += tilted(x, s) - tilted(x_before, s) + E - E_before;
      }
      begun = t >= period;
      u_before = u;
      E_before = E;
      x_before = x;
    });
    ASSERT_EQ(result.how, outcome::completed);
    const double theta_max = std::acos(row.h / row.l_b);
    const double energy = released * row.kappa * theta_max * theta_max / 2;
    EXPECT_NEAR(area, energy + held, 1e-4 * area) << omega;
    EXPECT_NEAR(area, energy, 1e-2 * area) << omega;
    EXPECT_GT(area, 0.34) << omega;
    EXPECT_LT(area, 0.38) << omega;
  }
}

// Fig. 3.7: phases of exact rest between slips. The motion is weakly chaotic, so its statistics are
// compared: with what energy demands, and with a second method, time steps that never ask for the
// sign of v.
TEST(drbm, PulledSlowlyItSticksAndSlipsExactly) {
  constexpr double v_p = 0.002, from = 200, to = 1200;
  struct statistics {
    double pull = 0, longest = 0, fastest = 0, time = 0;
    int slips = 0;
    bool at_rest = true;
    void add(double l, double v, double dt) {
      time += dt;
      pull += l * dt;
      longest = std::max(longest, l);
      fastest = std::max(fastest, v);
      slips += at_rest && v > 0.02 ? 1 : 0;
      at_rest = v > 0.02 ? false : at_rest || v == 0;
    }
  };

  const sliding_mass<double, drbm<double>, pulled> system{fig_3_7, 1.0, 1.0, 0.0, {}};
  statistics here;
  double t_before = 0, moved_in_rest = 0, x_before = 0, v_before = 0, backwards = 0;
  const auto result = follow(system, to, [&](double t, const double* y, sliding_mode mode) {
    if (t > from) here.add(v_p * t - y[0], y[1], t - t_before);
    if (mode == sliding_mode::stuck && y[1] == 0 && v_before == 0)
      moved_in_rest = std::max(moved_in_rest, std::abs(y[0] - x_before));
    backwards = std::min(backwards, y[1]);
    t_before = t;
    x_before = y[0];
    v_before = y[1];
  });
  ASSERT_EQ(result.how, outcome::completed);
  EXPECT_EQ(moved_in_rest, 0);
  EXPECT_EQ(backwards, 0);

  statistics other;
  double x = 0, v = 0;
  constexpr double h = 5e-4;
  for (int i = 0; i * h < to; ++i) {
    const double l = v_p * i * h - x, v_free = v + h * l;
    const double f = std::clamp(v_free / h, fig_3_7.side({}, {x, 0.0}, -1.0).f,
                                fig_3_7.side({}, {x, 0.0}, 1.0).f);
    v = f == v_free / h ? 0.0 : v_free - h * f;
    x += h * v;
    if (i * h > from) other.add(l, v, h);
  }

  const double energy_per_length = fig_3_7.row.full_energy() / fig_3_7.row.Delta;
  EXPECT_NEAR(here.pull / here.time, energy_per_length, 0.02 * energy_per_length);
  EXPECT_NEAR(here.pull / here.time, other.pull / other.time, 0.02 * energy_per_length);
  EXPECT_NEAR(here.longest, other.longest, 0.01 * other.longest);
  EXPECT_NEAR(here.fastest, other.fastest, 0.05 * other.fastest);
  EXPECT_NEAR(here.slips, other.slips, 2);
  EXPECT_GT(here.slips, 10);
}

// Nothing gives way before it slides: every motion is slip, either way.
TEST(drbm, EveryMotionIsSlip) {
  const auto margin = [](double v) { return drbm<double>{}.slip_margin({}, {0, v, 1}); };
  for (const double v : {1e-9, 0.3}) {
    EXPECT_GT(margin(v), 0);
    EXPECT_EQ(margin(-v), margin(v));
  }
  EXPECT_EQ(margin(0), 0);
}

// The load scales the force and the energy alike, so that between drops the one stays the slope of
// the other.
TEST(drbm, LoadScalesForceAndEnergy) {
  const double step = 1e-7;
  drbm<double> model = fig_3_7;
  model.row.d = 0.5031;  // no whole number of spacings, which would hide where the corner is
  for (const double x : {0.0007, 0.0031, -0.0113})
    for (const double direction : {-1.0, 1.0}) {
      const auto force_under = [&](double load) {
        return model.side({}, {x, 0.0, load}, direction).f;
      };
      EXPECT_NEAR(force_under(2.5), 2.5 * force_under(1), 1e-15);
      EXPECT_EQ(model({}, {x, 0.3 * direction, 2.5}).f, force_under(2.5));
      const auto energy_at = [&](double place) {
        return model.bristle_energy({place, 0.0, 2.5}, direction);
      };
      EXPECT_NEAR((energy_at(x + step) - energy_at(x - step)) / (2 * step), force_under(2.5),
                  1e-6 * std::abs(force_under(2.5)));
    }
}

}  // namespace
}  // namespace asperity
