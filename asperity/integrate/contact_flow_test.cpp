// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <asperity/integrate/contact_flow.hpp>
#include <asperity/integrate/flow_testing.hpp>
#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/contact/kelvin_voigt.hpp>
#include <asperity/models/contact/kelvin_voigt_clamped.hpp>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace asperity {
namespace {

constexpr double pi = std::numbers::pi;
using law = contact_element::law;
using testing::course, testing::dice, testing::difference;

constexpr law all_laws[] = {law::filtered, law::jumping, law::clamped};

struct thrown {
  linear_contact system;
  double x = 0, v = 0, end = 0;
};

// A mass thrown at a surface under its weight and up to three sines, a ramp, a jump; on a spring or a
// damper now and then. Dampings from none to far above the critical one, many near it.
thrown random_throw(dice& roll, law kind, double K_most) {
  thrown result;
  auto& [s, x, v, end] = result;
  auto& body = s.body;
  body.m = roll.log_even(0.1, 10);
  body.k = roll.chance(0.3) ? roll.log_even(0.1, 1e3) : 0;
  body.c = roll.chance(0.3) ? roll.log_even(1e-2, 10) : 0;
  const double K = roll.log_even(1e3, K_most), w = std::sqrt(K / body.m);
  s.contact.kind = kind;
  s.contact.K = K;
  const double near = 1 + (roll.chance(0.5) ? 1 : -1) * roll.log_even(1e-14, 0.1);
  if (kind == law::filtered) {
    s.contact.beta = roll.log_even(0.05, 50) / w;
    s.contact.alpha = s.contact.beta * (roll.chance(0.1) ? 1 : roll.even(0.02, 1));
    if (roll.chance(0.2)) {  // where its three roots come together
      s.contact.alpha = near / (std::sqrt(27.0) * w);
      s.contact.beta = 9 * s.contact.alpha * (roll.chance(0.5) ? 1 : near);
    }
  } else {
    const double critical = 2 * std::sqrt(K * body.m);
    s.contact.B = critical * (roll.chance(0.1)   ? 0
                              : roll.chance(0.4) ? near
                                                 : roll.log_even(1e-3, 20));
  }
  const double weight = body.m * 9.81;
  const double omega = roll.log_even(2, 30);
  const int tones = roll.below(4);
  for (int j = 0; j < tones; ++j)
    body.tones.push_back({weight * roll.even(0.05, 1.5) / (1 + j),
                          omega * (j + 1) * roll.even(0.9, 1.1), roll.even(0, 2 * pi)});
  body.pieces.push_back(
      {0, -weight, roll.chance(0.3) ? weight * roll.even(-0.1, 0.1) : 0, 1, 0, tones});
  end = roll.even(0.5, 1.5);
  if (roll.chance(0.3))
    body.pieces.push_back({0.5 * end, -weight * roll.even(0.3, 2), 0, 1, 0, tones});
  x = roll.chance(0.2) ? 0 : roll.log_even(1e-4, 0.3);
  v = roll.chance(0.2) ? 0 : roll.even(-2, 1);
  // Laid down on a surface that loses nothing it would just touch that, again and again, for ever.
  const bool loses = kind == law::filtered ? s.contact.alpha < s.contact.beta : s.contact.B > 0;
  if (!loses && body.c == 0) x = std::max(x, 1e-3);
  return result;
}

template <class R>
course follow(const thrown& what, int samples) {
  contact_flow<R> flow(what.system);
  flow.start(0, what.x, what.v, 0);
  return testing::follow_flow<R>(flow, what.end, samples, [&](R tau) {
    double lowest = 0;
    for (int i = 0; i < flow.guards(); ++i) {
      R size = 0;
      const R g = flow.guard(i, tau, size);
      if (size > 0) lowest = std::min(lowest, static_cast<double>(g / size));
    }
    return lowest;
  });
}

// ---- a second method ----------------------------------------------------------------------------

// The text of the models itself, by Runge-Kutta steps of order 6 that are short against every rate and
// end where the law changes, which is bisected. Nothing in it is a closed form.
class runge_kutta_walk {
 public:
  using real = long double;
  explicit runge_kutta_walk(const thrown& what) : what_(what) {}

  course follow(int samples) {
    course result;
    std::vector<real> stops;
    for (int i = 1; i <= samples; ++i) stops.push_back(real(what_.end) * i / samples);
    if (body().pieces.size() > 1) stops.push_back(body().pieces[1].from);
    std::sort(stops.begin(), stops.end());
    state y{real(what_.x), real(what_.v), 0};
    real t = 0;
    const real longest = 0.04L / fastest();
    for (const real stop : stops) {
      while (t < stop) {
        const real h = std::min(longest, stop - t);
        state next = step(y, t, h);
        const int side = side_of(y, t, h), other = side_of(next);
        if (side == other) {
          y = next;
          t = h < longest ? stop : t + h;
          continue;
        }
        real low = 0, high = h;
        for (int i = 0; i < 70; ++i) {
          const real middle = (low + high) / 2;
          (side_of(step(y, t, middle)) == side ? low : high) = middle;
        }
        y = step(y, t, high);
        t += high;
        result.events.push_back(t);
      }
      if (body().pieces.size() < 2 || stop != real(body().pieces[1].from)) result.x.push_back(y[0]);
    }
    result.is_whole = true;
    return result;
  }

 private:
  using state = std::array<real, 3>;
  const thrown& what_;

  const linear_mass& body() const { return what_.system.body; }
  real fastest() const {
    const auto& c = what_.system.contact;
    real rate = std::sqrt(real(c.K + body().k) / body().m);
    for (const auto& tone : body().tones) rate = std::max(rate, real(tone.omega));
    if (c.kind == law::filtered)
      return std::max({rate * std::sqrt(real(c.beta) / c.alpha), 1 / real(c.alpha)});
    return std::max(rate, real(c.B + body().c) / body().m);
  }
  response<real, 1> press(const state& y) const {
    const auto& c = what_.system.contact;
    const drive<real> in{y[0], y[1]};
    if (c.kind == law::filtered)
      return dai_contact<real>{.K = c.K, .beta = c.beta, .alpha = c.alpha}({{y[2]}}, in);
    if (c.kind == law::jumping) return {kelvin_voigt<real>{c.K, c.B}({}, in).f, {}};
    return {kelvin_voigt_clamped<real>{c.K, c.B}({}, in).f, {}};
  }
  real push(real t) const {
    const auto& pieces = body().pieces;
    const auto& piece = pieces.size() > 1 && t >= real(pieces[1].from) ? pieces[1] : pieces[0];
    real u = piece.offset + piece.slope * (t - real(piece.from));
    for (const auto& tone : body().tones)
      u += tone.amplitude * std::sin(real(tone.omega) * t + tone.phase);
    return u;
  }
  state rates(const state& y, real t) const {
    const auto answer = press(y);
    return {y[1], (push(t) - body().c * y[1] - body().k * y[0] + answer.f) / body().m,
            answer.rate[0]};
  }
  // Which of its laws a contact follows: away, pressed, and let go while still inside.
  int side_of(const state& y) const {
    if (press(y).f != 0) return 1;
    return what_.system.contact.kind == law::filtered || y[0] > 0 ? 0 : 2;
  }
  // On a border, that of the next instant.
  int side_of(const state& y, real t, real h) const { return side_of(step(y, t, h * 1e-9L)); }

  // A method of Gauss with three stages, by iteration: order 6.
  state step(const state& y, real t, real h) const {
    static const real root = std::sqrt(15.0L);
    static const real c[3] = {0.5L - root / 10, 0.5L, 0.5L + root / 10};
    static const real a[3][3] = {{5.0L / 36, 2.0L / 9 - root / 15, 5.0L / 36 - root / 30},
                                 {5.0L / 36 + root / 24, 2.0L / 9, 5.0L / 36 - root / 24},
                                 {5.0L / 36 + root / 30, 2.0L / 9 + root / 15, 5.0L / 36}};
    state k[3];
    for (int i = 0; i < 3; ++i) k[i] = rates(y, t + c[i] * h);
    for (int sweep = 0; sweep < 8; ++sweep)
      for (int i = 0; i < 3; ++i) {
        state at = y;
        for (int j = 0; j < 3; ++j)
          for (std::size_t n = 0; n < 3; ++n) at[n] += h * a[i][j] * k[j][n];
        k[i] = rates(at, t + c[i] * h);
      }
    state end = y;
    for (std::size_t n = 0; n < 3; ++n)
      end[n] += h * (5 * k[0][n] + 8 * k[1][n] + 5 * k[2][n]) / 18;
    return end;
  }
};

// ---- facts --------------------------------------------------------------------------------------

// Rounding decides about no event: in numbers with 11 bits more all are found again, at the same times.
// Throws that bounce many times multiply what rounding does to the first.
TEST(contact_flow, RandomThrowsHaveTheSameEventsInLongDouble) {
  const unsigned systems = 3000;
  long events = 0;
  std::vector<double> errors;
  for (unsigned i = 0; i < systems; ++i) {
    dice roll(1000 + i);
    const auto what = random_throw(roll, all_laws[i % 3], 1e9);
    const course in_double = follow<double>(what, 100);
    const course in_more = follow<long double>(what, 100);
    ASSERT_TRUE(in_double.is_whole && in_more.is_whole) << "system " << i;
    ASSERT_EQ(in_double.events.size(), in_more.events.size()) << "system " << i;
    for (std::size_t k = 0; k < in_more.events.size(); ++k)
      ASSERT_NEAR(static_cast<double>(in_double.events[k] - in_more.events[k]), 0, 1e-7 * what.end)
          << "system " << i << ", event " << k;
    EXPECT_GT(in_double.lowest_guard, -1e-9) << "system " << i;
    events += static_cast<long>(in_more.events.size());
    errors.push_back(difference(in_double, in_more));
  }
  EXPECT_GT(events, 30'000);
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 1e-14);
  EXPECT_LT(errors[errors.size() * 99 / 100], 1e-10);
  EXPECT_LT(errors.back(), 1e-7);
}

TEST(contact_flow, RandomThrowsHaveTheEventsThatRungeKuttaStepsFind) {
  std::vector<double> errors;
  for (unsigned i = 0; i < 15; ++i) {
    dice roll(7000 + i);
    const auto what = random_throw(roll, all_laws[i % 3], 1e4);
    const course flow = follow<long double>(what, 21);
    const course walk = runge_kutta_walk(what).follow(21);
    ASSERT_TRUE(flow.is_whole);
    EXPECT_EQ(flow.x.size(), walk.x.size());
    // One that starts on the surface presses from the first instant on, which is no event of the walk.
    const auto first = flow.events.begin();
    const bool starts_there = !flow.events.empty() && *first == 0;
    EXPECT_EQ(flow.events.size() - (starts_there ? 1 : 0), walk.events.size()) << "system " << i;
    errors.push_back(difference(flow, walk));
    EXPECT_LT(errors.back(), 1e-7) << "system " << i;
  }
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 1e-10);
}

thrown ball(law kind, double K, double second, double third, double x, double v, double weight) {
  thrown result;
  result.system.body.m = 2;
  result.system.body.pieces = {{.offset = -weight}};
  result.system.contact = {.kind = kind, .K = K};
  if (kind == law::filtered) {
    result.system.contact.alpha = second;
    result.system.contact.beta = third;
  } else {
    result.system.contact.B = second;
  }
  result.x = x;
  result.v = v;
  return result;
}

// The velocity after the first contact over that before it.
double restitution(const thrown& what) {
  contact_flow<double> flow(what.system);
  flow.start(0, what.x, what.v);
  for (int phases = 0; phases < 100'000; ++phases) {
    const auto how = flow.find_end(1e3);
    if (how == phase_ending::at_limit) return 0;
    double p = 0, v = 0, e = 0;
    flow.state(flow.end(), p, v, e);
    if (flow.now() == contact_flow<double>::mode::presses && how == phase_ending::switched)
      return v / -what.v;
    flow.take_end(how);
    flow.go_on();
  }
  return -1;
}

// Without weight a spring and damper gives back what its damping ratio says, whatever the speed.
TEST(contact_flow, SpringsAndDampersGiveBackWhatTheirDampingSays) {
  const double K = 5e4, m = 2;
  for (const double zeta : {0.0, 0.01, 0.3, 0.9, 0.999999, 1.0, 1.000001, 1.2, 4.0, 30.0}) {
    const double B = 2 * zeta * std::sqrt(K * m);
    // The clamped one ends where its force does, the other where the gap closes.
    const double angle = zeta < 1   ? std::acos(zeta) / std::sqrt(1 - zeta * zeta)
                         : zeta > 1 ? std::acosh(zeta) / std::sqrt(zeta * zeta - 1)
                                    : 1;
    const double clamped = restitution(ball(law::clamped, K, B, 0, 0, -0.7, 0));
    EXPECT_NEAR(clamped, std::exp(-2 * zeta * angle), 1e-11) << zeta;
    const double jumping = restitution(ball(law::jumping, K, B, 0, 0, -0.7, 0));
    const double expected = zeta < 1 ? std::exp(-zeta * pi / std::sqrt(1 - zeta * zeta)) : 0;
    EXPECT_NEAR(jumping, expected, 1e-13) << zeta;
  }
}

// With alpha = beta a filtered contact is a plain spring: half a swing of it at each contact, and the
// ball comes back to where it fell from.
TEST(contact_flow, AFilterThatLosesNothingIsASpring) {
  const double K = 1e4, m = 2, g = 9.81, height = 0.3;
  for (const double time : {1e-4, 3e-3, 0.05}) {
    auto what = ball(law::filtered, K, time, time, height, 0, m * g);
    const double w = std::sqrt(K / m), fall = std::sqrt(2 * height / g), speed = g * fall;
    const double pressed = (2 * pi - 2 * std::atan2(w * speed, g)) / w;
    what.end = 20 * (2 * fall + pressed) + fall + pressed / 2;
    const course found = follow<double>(what, 40);
    ASSERT_EQ(found.events.size(), 41U) << time;
    for (std::size_t i = 0; i < 41; ++i) {
      const double expected =
          fall + static_cast<double>(i / 2) * (2 * fall + pressed) + (i % 2 == 1 ? pressed : 0);
      EXPECT_NEAR(static_cast<double>(found.events[i]), expected, 1e-11) << i;
    }
  }
}

// On its way a ball only loses energy, and what it has left at rest is in the surface.
TEST(contact_flow, EnergyIsOnlyLost) {
  for (unsigned i = 0; i < 300; ++i) {
    dice roll(300 + i);
    auto what = random_throw(roll, all_laws[i % 3], 1e7);
    auto& [system, x, v, end] = what;
    system.body.tones.clear();
    const double weight = 9.81 * system.body.m;
    system.body.pieces = {{.offset = -weight}};
    const auto& c = system.contact;
    contact_flow<double> flow(system);
    flow.start(0, x, v);
    double before = HUGE_VAL, largest = weight * weight / c.K;
    for (int phases = 0; phases < 100'000; ++phases) {
      const auto how = flow.find_end(end);
      ASSERT_NE(how, phase_ending::stalled) << "system " << i;
      for (int part = 0; part <= 4; ++part) {
        double p = 0, speed = 0, e = 0;
        flow.state(flow.end() * part / 4, p, speed, e);
        double energy = 0.5 * system.body.m * speed * speed + 0.5 * system.body.k * p * p;
        energy += weight * p;
        const drive<double> in{p, speed};
        energy += c.kind == law::filtered
                      ? dai_contact<double>{c.K, c.beta, c.alpha}.stored_energy({{e}}, in)
                      : kelvin_voigt<double>{c.K, c.B}.stored_energy({}, in);
        largest = std::max(largest, std::abs(energy));
        // A jumping contact lets go with nothing stored.
        ASSERT_LE(energy, before + 1e-11 * largest) << "system " << i << ", phase " << phases;
        before = energy;
      }
      flow.take_end(how);
      if (how == phase_ending::at_limit) break;
      flow.go_on();
    }
  }
}

TEST(contact_flow, ABallComesToRestOnItsSurface) {
  const double K = 1e5, weight = 19.62;
  for (const auto& what : {ball(law::filtered, K, 3e-3, 1e-2, 0.2, 0, weight),
                           ball(law::filtered, K, 1e-4, 1e-2, 0.2, 0, weight),
                           ball(law::jumping, K, 200, 0, 0.2, 0, weight),
                           ball(law::clamped, K, 200, 0, 0.2, 0, weight),
                           ball(law::clamped, K, 5000, 0, 0.2, 0, weight)}) {
    auto long_one = what;
    long_one.end = 1000;
    const course found = follow<double>(long_one, 1000);
    ASSERT_TRUE(found.is_whole);
    EXPECT_LT(found.looks, 2000);
    EXPECT_NEAR(static_cast<double>(found.x.back()), -weight / K, 1e-15);
  }
}

// Points of a grid are those that are asked for one by one, and so are those of a grid twice as fine.
TEST(contact_flow, AGridIsItsPoints) {
  for (unsigned i = 0; i < 300; ++i) {
    dice roll(9000 + i);
    const auto what = random_throw(roll, all_laws[i % 3], 1e7);
    contact_flow<double> flow(what.system);
    flow.start(0, what.x, what.v);
    // At rest on the surface it moves by less than rounding.
    double largest[2] = {9.81 * what.system.body.m / what.system.contact.K, 1e-6}, off[2] = {};
    double halved = 0;
    for (int phases = 0; phases < 100; ++phases) {
      const auto how = flow.find_end(what.end);
      constexpr int many = 100;
      double x[many], v[many], fine[2 * many], unused[2 * many];
      const double spacing = flow.end() / many;
      flow.motion_on_grid(spacing, spacing, many, x, v);
      flow.motion_on_grid(0.5 * spacing, 0.5 * spacing, 2 * many, fine, unused);
      for (int k = 0; k < many; ++k) {
        double one = 0, speed = 0;
        flow.motion((k + 1) * spacing, one, speed);
        largest[0] = std::max(largest[0], std::abs(one));
        largest[1] = std::max(largest[1], std::abs(speed));
        off[0] = std::max(off[0], std::abs(x[k] - one));
        off[1] = std::max(off[1], std::abs(v[k] - speed));
        halved = std::max(halved, std::abs(fine[2 * k + 1] - x[k]));
      }
      if (flow.end_time() >= what.end) break;
      flow.take_end(how);
      flow.go_on();
    }
    EXPECT_LE(off[0], 1e-12 * largest[0]) << "system " << i;
    EXPECT_LE(off[1], 1e-12 * largest[1]) << "system " << i;
    EXPECT_LE(halved, 1e-12 * largest[0]) << "system " << i;
  }
}

// Where bodies just touch, with nothing that leads across the border, time goes on.
TEST(contact_flow, TiesStay) {
  for (const law kind : all_laws) {
    auto what = ball(kind, 1e4, kind == law::filtered ? 3e-3 : 50, 1e-2, 0, 0, 0);
    what.end = 5;
    course found = follow<double>(what, 5);
    EXPECT_TRUE(found.is_whole);
    EXPECT_TRUE(found.events.empty());
    EXPECT_EQ(static_cast<double>(found.x.back()), 0);
  }
}

// A swing that stays a nanometre above the surface has no event, one that dips as deep has two in each
// period.
TEST(contact_flow, GrazingIsDecidedByNanometres) {
  for (const law kind : all_laws)
    for (const double depth : {-1e-9, 1e-9}) {
      auto what = ball(kind, 1e4, kind == law::filtered ? 3e-3 : 50, 1e-2, 0, 0, 0);
      // x = (0.5 - depth) + 0.5 cos 3t under m x'' = -9 cos 3t
      what.system.body.tones = {{-9, 3, pi / 2}};
      what.system.body.pieces = {{.tones = 1}};
      what.x = 1 - depth;
      what.end = 1.5;  // once
      const course found = follow<double>(what, 10);
      EXPECT_EQ(found.events.size(), depth < 0 ? 0U : kind == law::clamped ? 3U : 2U);
    }
}

}  // namespace
}  // namespace asperity
