// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <asperity/integrate/flow_testing.hpp>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace asperity {
namespace {

constexpr double pi = std::numbers::pi;
using testing::course, testing::dice, testing::difference;

// ---- random systems -----------------------------------------------------------------------------

enum class friction_kind { one_element, many_elements, no_dampers, slider };
constexpr friction_kind all_kinds[] = {friction_kind::one_element, friction_kind::many_elements,
                                       friction_kind::no_dampers, friction_kind::slider};

struct stiffness_range {
  double K_most, beta_least, rate_most;
};

// A mass under one to three sines, perhaps a ramp and a jump; without a spring, without a damper, and
// in resonance now and then. Half of the elements are near their critical damping.
linear_mass random_mass(dice& roll, friction_kind kind, const stiffness_range& allowed) {
  linear_mass s;
  s.m = roll.log_even(0.1, 10);
  s.k = roll.chance(0.15) ? 0 : roll.log_even(0.1, 1e4);
  s.c = roll.chance(0.3) ? 0 : roll.log_even(1e-2, 1e2);
  const double F = roll.log_even(0.3, 3);
  auto& f = s.friction;
  if (kind == friction_kind::slider) {
    f.has_slider = true;
    f.slider = F;
    f.grip = roll.chance(0.5) ? F * roll.even(0, 0.5) : 0;
    f.viscous = roll.chance(0.5) ? 0 : roll.log_even(1e-2, 10);
  } else {
    f.count = kind == friction_kind::one_element ? 1 : 1 + roll.below(10);
    for (int i = 0; i < f.count; ++i) {
      // Without dampers stiff elements ring for ever, slip by slip.
      const double most = kind == friction_kind::no_dampers ? 1e5 : allowed.K_most;
      const double K = roll.log_even(1e2, most);
      double beta = roll.log_even(allowed.beta_least, 1e-1);
      if (roll.chance(0.5))
        beta =
            2 * std::sqrt(s.m / K) * (1 + (roll.chance(0.5) ? 1 : -1) * roll.log_even(1e-14, 0.1));
      beta = std::min(beta, allowed.rate_most * s.m / K);
      f.of[i] = {K, kind == friction_kind::no_dampers ? 0 : K * beta,
                 F * roll.even(0.2, 1) / f.count};
    }
  }
  const double omega = roll.log_even(2, 30);
  const int tones = 1 + roll.below(3);
  for (int j = 0; j < tones; ++j)
    s.tones.push_back({roll.log_even(0.5, 4) * F / (1 + j), omega * (j + 1) * roll.even(0.9, 1.1),
                       roll.even(0, 2 * pi)});
  if (s.k > 0 && roll.chance(0.1)) {
    s.tones[0].omega = std::sqrt(s.k / s.m);
    if (roll.chance(0.5)) s.c = 0;
  }
  const double slope = roll.chance(0.5) ? 0 : F * roll.even(-0.2, 0.2);
  s.pieces.push_back({0, F * roll.even(-0.5, 0.5), slope, 1, 0, tones});
  if (roll.chance(0.3))
    s.pieces.push_back({6 / s.tones[0].omega, F * roll.even(-0.5, 0.5), 0,
                        roll.chance(0.5) ? 1 : roll.even(0.5, 2), 0, tones});
  return s;
}

// Guards are relative to the limit, or to 1 m/s.
template <class R>
course follow(const linear_mass& mass, double end, int samples, const R* start = nullptr) {
  exact_flow<R> flow(mass);
  const R rest[element_list::most] = {};
  flow.start(0, start != nullptr ? start[0] : R(0), start != nullptr ? start[1] : R(0), rest);
  return testing::follow_flow<R>(flow, end, samples, [&](R tau) {
    double lowest = 0;
    for (int i = 0; i < flow.count() && sizeof(R) == sizeof(double); ++i) {
      if (flow.limit(i) == 0) continue;
      const R scale = flow.mode(i) == 0 ? flow.limit(i) : R(1);
      lowest = std::min(lowest, static_cast<double>(flow.guard(i, tau) / scale));
    }
    return lowest;
  });
}

// ---- a second method ----------------------------------------------------------------------------

// The same equations by power series of all states together, taken from the rates, in steps that are
// short against every rate; events by bisection between dense samples of the guards. Nothing in it is
// a closed form, and nothing bounds a guard.
class series_walk {
 public:
  using real = long double;
  explicit series_walk(const linear_mass& mass) : s_(mass), n_(s_.friction.count) {}

  course follow(double end, int samples) {
    course result;
    std::vector<real> cuts;
    for (std::size_t i = 1; i < s_.pieces.size(); ++i)
      if (s_.pieces[i].from < end) cuts.push_back(s_.pieces[i].from);
    cuts.push_back(end);
    int next = 1;
    begin(0);
    choose();
    std::size_t piece = 0;
    for (const real cut : cuts) {
      while (t_ < cut) {
        relax();
        expand();
        const real h = std::min(0.1L / fastest(), cut - t_);
        real at = h;
        const int who = first_crossing(h, at);
        for (; next <= samples && real(end) * next / samples <= t_ + at; ++next)
          result.x.push_back(value(0, real(end) * next / samples - t_));
        const bool is_end = at == cut - t_;
        advance(at);
        t_ = is_end ? cut : t_ + at;
        if (who == nobody) continue;
        result.events.push_back(t_);
        switch_over(who);
      }
      if (++piece == s_.pieces.size()) break;
      const bool same_load = s_.pieces[piece].load == s_.pieces[piece - 1].load;
      begin(piece);
      if (!same_load) {
        choose();
      } else if (slider_ == 0) {
        rest();
      }
    }
    for (; next <= samples; ++next) result.x.push_back(y_[0]);
    result.is_whole = true;
    return result;
  }

 private:
  static constexpr int order = 16, nobody = -1, most = 2 + element_list::most + 8 + 1;
  const linear_mass& s_;
  int n_;
  std::size_t piece_ = 0;
  real t_ = 0;
  // x, v, deflections, sine and cosine of each tone, time in the piece.
  std::array<real, most> y_{};
  std::array<std::array<real, most>, order + 1> series_{};
  std::array<int, element_list::most> mode_{};
  std::array<bool, element_list::most> is_relaxed_{};
  int slider_ = 0;

  int tones() const { return s_.pieces[piece_].tones; }
  int tone_at(int j) const { return 2 + n_ + 2 * j; }
  int clock_at() const { return 2 + n_ + 2 * tones(); }
  int size() const { return clock_at() + 1; }
  const auto& tone(int j) const {
    return s_.tones[static_cast<std::size_t>(s_.pieces[piece_].first_tone + j)];
  }
  real limit(int i) const { return real(s_.friction.of[i].limit) * s_.pieces[piece_].load; }
  real damped() const { return real(s_.c) + s_.friction.viscous; }

  void begin(std::size_t piece) {
    piece_ = piece;
    for (int j = 0; j < tones(); ++j) {
      const real angle = real(tone(j).omega) * t_ + tone(j).phase;
      y_[static_cast<std::size_t>(tone_at(j))] = std::sin(angle);
      y_[static_cast<std::size_t>(tone_at(j) + 1)] = std::cos(angle);
    }
    y_[static_cast<std::size_t>(clock_at())] = t_ - real(s_.pieces[piece_].from);
  }
  void choose() {
    for (int i = 0; i < n_; ++i) {
      const auto& e = s_.friction.of[i];
      real& a = y_[static_cast<std::size_t>(2 + i)];
      if (e.sigma == 0) a = std::clamp(a, -limit(i) / e.kappa, limit(i) / e.kappa);
      const real q = e.kappa * a + e.sigma * y_[1];
      mode_[static_cast<std::size_t>(i)] = e.sigma == 0 || std::abs(q) < limit(i) ? 0
                                           : q > 0                                ? 1
                                                                                  : -1;
    }
    slider_ = y_[1] > 0 ? 1 : y_[1] < 0 ? -1 : 0;
    if (slider_ == 0) rest();
  }
  real push(const real* y, bool first) const {
    const auto& p = s_.pieces[piece_];
    real u = (first ? real(p.offset) : 0) + p.slope * y[clock_at()];
    for (int j = 0; j < tones(); ++j) u += tone(j).amplitude * y[tone_at(j)];
    return u;
  }
  real pull() const { return push(y_.data(), true) - real(s_.k) * y_[0]; }
  void rest() {
    const real holds = (real(s_.friction.slider) + s_.friction.grip) * s_.pieces[piece_].load;
    const real pulled = pull();
    slider_ = std::abs(pulled) <= holds ? 0 : pulled > 0 ? 1 : -1;
  }

  // Linear in y; what is constant comes with the first term of the series only.
  void rates(const real* y, bool first, real* rate) const {
    const bool held = s_.friction.has_slider && slider_ == 0;
    real f = damped() * y[1] + real(s_.k) * y[0];
    if (s_.friction.has_slider && first)
      f += slider_ * real(s_.friction.slider) * s_.pieces[piece_].load;
    for (int i = 0; i < n_; ++i) {
      const auto& e = s_.friction.of[i];
      const int mode = mode_[static_cast<std::size_t>(i)];
      const real constant = first ? mode * limit(i) : 0;
      f += mode == 0 ? e.kappa * y[2 + i] + e.sigma * y[1] : constant;
      rate[2 + i] = mode == 0 ? y[1]
                    : e.sigma == 0 || is_relaxed_[static_cast<std::size_t>(i)]
                        ? real(0)
                        : (constant - e.kappa * y[2 + i]) / e.sigma;
    }
    rate[0] = held ? real(0) : y[1];
    rate[1] = held ? real(0) : (push(y, first) - f) / s_.m;
    for (int j = 0; j < tones(); ++j) {
      rate[tone_at(j)] = tone(j).omega * y[tone_at(j) + 1];
      rate[tone_at(j) + 1] = -tone(j).omega * y[tone_at(j)];
    }
    rate[clock_at()] = first ? 1 : 0;
  }
  void expand() {
    series_[0] = y_;
    for (std::size_t n = 0; n < order; ++n) {
      rates(series_[n].data(), n == 0, series_[n + 1].data());
      for (int i = 0; i < size(); ++i) series_[n + 1][static_cast<std::size_t>(i)] /= real(n + 1);
    }
  }
  real value(int i, real tau) const {
    real sum = 0;
    for (int n = order; n >= 0; --n)
      sum = sum * tau + series_[static_cast<std::size_t>(n)][static_cast<std::size_t>(i)];
    return sum;
  }
  void advance(real tau) {
    for (int i = 0; i < size(); ++i) y_[static_cast<std::size_t>(i)] = value(i, tau);
  }
  // A deflection that is at its limit but for rounding stays there, and asks for no short steps.
  void relax() {
    for (int i = 0; i < n_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const real end = mode_[at] * limit(i) / s_.friction.of[i].kappa;
      real& a = y_[static_cast<std::size_t>(2 + i)];
      is_relaxed_[at] = mode_[at] != 0 && std::abs(a - end) <= 1e-24L;
      if (is_relaxed_[at]) a = end;
    }
  }
  real fastest() const {
    real Q = s_.k, C = damped(), rate = 1;
    for (int j = 0; j < tones(); ++j) rate = std::max(rate, std::abs(real(tone(j).omega)));
    for (int i = 0; i < n_; ++i) {
      const auto& e = s_.friction.of[i];
      if (mode_[static_cast<std::size_t>(i)] == 0) {
        Q += e.kappa;
        C += e.sigma;
      } else if (e.sigma > 0 && !is_relaxed_[static_cast<std::size_t>(i)]) {
        rate = std::max(rate, real(e.kappa) / e.sigma);
      }
    }
    return std::max({rate, std::sqrt(Q / s_.m), C / s_.m});
  }

  // Above 0 while the mode lasts, with the size of what it is a difference of.
  real guard(int i, real tau, real& size) const {
    const real v = value(1, tau);
    if (i == n_) {
      size = std::abs(y_[1]) + 1e-6L;
      if (slider_ != 0) return slider_ * v;
      real y[most];
      for (int k = 0; k < this->size(); ++k) y[k] = value(k, tau);
      size = (real(s_.friction.slider) + s_.friction.grip) * s_.pieces[piece_].load;
      return size - std::abs(push(y, true) - real(s_.k) * y[0]);
    }
    const auto& e = s_.friction.of[i];
    const int mode = mode_[static_cast<std::size_t>(i)];
    const real a = value(2 + i, tau);
    size = limit(i);
    if (mode == 0) return limit(i) - std::abs(e.kappa * a + e.sigma * v);
    size = std::abs(y_[1]) + 1e-6L;
    if (e.sigma == 0 || is_relaxed_[static_cast<std::size_t>(i)]) return mode * v;
    return mode * (v - (mode * limit(i) - e.kappa * a) / e.sigma);
  }
  int first_crossing(real h, real& at) const {
    int who = nobody;
    const int guards = n_ + (s_.friction.has_slider ? 1 : 0);
    for (int i = 0; i < guards; ++i) {
      constexpr int looks = 8;
      for (int k = 1; k <= looks; ++k) {
        real low = h * (k - 1) / looks, high = h * k / looks, size = 0;
        if (low >= at) break;
        if (guard(i, high, size) >= -1e-17L * size) continue;
        for (int halvings = 0; halvings < 64; ++halvings) {
          const real middle = (low + high) / 2;
          (guard(i, middle, size) > 0 ? low : high) = middle;
        }
        if (high < at) {
          at = high;
          who = i;
        }
        break;
      }
    }
    return who;
  }
  void switch_over(int who) {
    if (who == n_) {
      if (slider_ != 0) {
        y_[1] = 0;
        rest();
      } else {
        slider_ = pull() > 0 ? 1 : -1;
      }
      return;
    }
    const auto& e = s_.friction.of[who];
    int& mode = mode_[static_cast<std::size_t>(who)];
    real& a = y_[static_cast<std::size_t>(2 + who)];
    if (mode != 0) {
      mode = 0;
      if (e.sigma == 0) y_[1] = 0;
      return;
    }
    mode = e.kappa * a + e.sigma * y_[1] > 0 ? 1 : -1;
    if (e.sigma == 0) a = mode * limit(who) / e.kappa;
  }
};

// ---- facts --------------------------------------------------------------------------------------

// From where it is asked, a cubic is above 0 until the time that it is told, and that is no idle bound.
TEST(exact_flow, NoZeroOfACubicIsPassedOver) {
  dice roll(7);
  for (int i = 0; i < 20'000; ++i) {
    const double g = roll.chance(0.2) ? 0 : roll.log_even(1e-12, 1);
    const double g1 = roll.even(-1, 1) * roll.log_even(1e-6, 1e3);
    const double g2 = roll.even(-1, 1) * roll.log_even(1e-6, 1e6);
    const double M = roll.log_even(1e-6, 1e9);
    const double t = detail::before_first_zero(g, g1, g2, M);
    const auto value = [&](double at) { return g + at * (g1 + at * (g2 / 2 - at * M / 6)); };
    const auto size = [&](double at) {
      return g + at * (std::abs(g1) + at * (std::abs(g2) / 2 + at * M / 6));
    };
    ASSERT_GE(t, 0);
    for (int k = 1; k < 50; ++k)
      ASSERT_GE(value(t * k / 50), -1e-13 * size(t * k / 50))
          << g << ' ' << g1 << ' ' << g2 << ' ' << M;
    // It falls below 0 soon after.
    if (g == 0 && g1 < 0) {
      ASSERT_EQ(t, 0);
    } else {
      double lowest = value(t * 1.5);
      for (int k = 0; k < 50; ++k) lowest = std::min(lowest, value(t * (1 + 0.01 * k)));
      ASSERT_LT(lowest, 0) << g << ' ' << g1 << ' ' << g2 << ' ' << M;
    }
  }
}

// Rounding decides about no event: in numbers with 11 bits more all are found again, at the same times.
TEST(exact_flow, RandomSystemsHaveTheSameEventsInLongDouble) {
  long events = 0;
  std::vector<double> errors;
  for (unsigned i = 0; i < 2400; ++i) {
    dice roll(1000 + i);
    const auto mass = random_mass(roll, all_kinds[i % 4], {1e9, 1e-6, 1e12});
    const double end = 4 * 2 * pi / mass.tones[0].omega;
    const course in_double = follow<double>(mass, end, 100);
    const course in_more = follow<long double>(mass, end, 100);
    ASSERT_TRUE(in_double.is_whole && in_more.is_whole) << "system " << i;
    ASSERT_EQ(in_double.events.size(), in_more.events.size()) << "system " << i;
    for (std::size_t k = 0; k < in_more.events.size(); ++k)
      ASSERT_NEAR(static_cast<double>(in_double.events[k] - in_more.events[k]), 0, 1e-7 * end)
          << "system " << i << ", event " << k;
    EXPECT_GT(in_double.lowest_guard, -1e-9) << "system " << i;
    events += static_cast<long>(in_more.events.size());
    errors.push_back(difference(in_double, in_more));
  }
  EXPECT_GT(events, 100'000);
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 1e-14);
  EXPECT_LT(errors[errors.size() * 99 / 100], 1e-9);
}

TEST(exact_flow, RandomSystemsHaveTheEventsThatPowerSeriesFind) {
  std::vector<double> errors;
  for (unsigned i = 0; i < 40; ++i) {
    dice roll(5000 + i);
    const auto mass = random_mass(roll, all_kinds[i % 4], {3e4, 1e-4, 300});
    const double end = 2 * 2 * pi / mass.tones[0].omega;
    const course flow = follow<long double>(mass, end, 50);
    const course walk = series_walk(mass).follow(end, 50);
    ASSERT_TRUE(flow.is_whole);
    ASSERT_EQ(flow.events.size(), walk.events.size()) << "system " << i;
    errors.push_back(difference(flow, walk));
  }
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 1e-15);
  EXPECT_LT(errors.back(), 1e-10);
}

// What benchmarks/stiff_bench shakes.
linear_mass shaken_mass(double K, double beta) {
  linear_mass s{.m = 1, .k = 50, .c = 0.5};
  s.friction.count = 1;
  s.friction.of[0] = {K, K * beta, 1};
  s.tones = {{2, 2 * pi, 0}};
  s.pieces = {{.tones = 1}};
  return s;
}

TEST(exact_flow, ShakenMassesAreRightToTheLastDigits) {
  const struct {
    double K, beta;
    std::size_t events;
  } cases[] = {{1e5, 1e-3, 17}, {1e8, 1e-4, 19}};
  for (const auto& [K, beta, events] : cases) {
    const auto mass = shaken_mass(K, beta);
    const course in_double = follow<double>(mass, 4, 200);
    EXPECT_EQ(in_double.events.size(), events);
    EXPECT_LT(difference(in_double, follow<long double>(mass, 4, 200)), 1e-14) << K;
    EXPECT_LT(difference(in_double, series_walk(mass).follow(4, 200)), 1e-13) << K;
  }
}

// Without friction and damping, forced in resonance: x = F/(2 m w^2) (sin w t - w t cos w t).
TEST(exact_flow, UndampedResonanceGrowsWithoutBound) {
  linear_mass s{.m = 2, .k = 18};
  s.tones = {{5, 3, 0}};
  s.pieces = {{.tones = 1}};
  const double end = 40;
  const course found = follow<double>(s, end, 400);
  ASSERT_EQ(found.x.size(), 400U);
  for (int i = 1; i <= 400; ++i) {
    const double t = end * i / 400, w = 3;
    EXPECT_NEAR(static_cast<double>(found.x[static_cast<std::size_t>(i - 1)]),
                5 / (2 * s.m * w * w) * (std::sin(w * t) - w * t * std::cos(w * t)), 2e-12);
  }
}

TEST(exact_flow, AFreeMassFollowsARampCubically) {
  linear_mass s{.m = 4};
  s.pieces = {{.offset = 1, .slope = 6}};
  const course found = follow<double>(s, 3, 30);
  for (int i = 1; i <= 30; ++i) {
    const double t = 0.1 * i;
    EXPECT_NEAR(static_cast<double>(found.x[static_cast<std::size_t>(i - 1)]),
                (t * t / 2 + t * t * t) / 4, 1e-14);
  }
}

linear_mass rigid_slider(double F, double grip = 0) {
  linear_mass s;
  s.friction.has_slider = true;
  s.friction.slider = F;
  s.friction.grip = grip;
  s.pieces = {{}};
  return s;
}

// A block that slides comes to rest after m v^2/2F and m v/F, and stays.
TEST(exact_flow, ABlockSlidesUntilItsEnergyIsSpent) {
  auto s = rigid_slider(3);
  s.m = 2;
  const double start[] = {1, 6};
  const course found = follow<double>(s, 10, 10, start);
  ASSERT_EQ(found.events.size(), 1U);
  EXPECT_NEAR(static_cast<double>(found.events[0]), 4, 1e-14);
  EXPECT_NEAR(static_cast<double>(found.x.back()), 1 + 12, 1e-13);
}

// It holds more than it resists in motion: slip begins where the ramp reaches F_c + grip.
TEST(exact_flow, StictionBreaksAwayAtItsOwnLimit) {
  auto s = rigid_slider(2, 1);
  s.pieces = {{.slope = 0.5}};
  const course found = follow<double>(s, 8, 8);
  ASSERT_EQ(found.events.size(), 1U);
  EXPECT_NEAR(static_cast<double>(found.events[0]), 6, 1e-14);
  EXPECT_NEAR(static_cast<double>(found.x.back()), 0.5 * 1 * 4 + 0.5 * 8.0 / 6, 1e-14);
}

// Each half swing of a mass on a spring over Coulomb friction loses 2 F/k of its amplitude and takes
// the time of a free one; it ends within F/k of the middle.
TEST(exact_flow, CoulombFrictionTakesTheSameFromEachHalfSwing) {
  auto s = rigid_slider(0.3);
  s.m = 2;
  s.k = 8;
  const double start[] = {1, 0}, half = pi / 2;
  const course found = follow<double>(s, 20 * half, 20, start);
  const double lost = 2 * 0.3 / 8;
  double amplitude = 1;
  int swings = 0;
  for (; amplitude > 0.3 / 8; ++swings) amplitude -= lost;
  ASSERT_GT(swings, 5);
  for (int i = 1; i <= 20; ++i) {
    const int n = std::min(i, swings);
    EXPECT_NEAR(static_cast<double>(found.x[static_cast<std::size_t>(i - 1)]),
                (n % 2 == 0 ? 1 : -1) * (1 - n * lost), 1e-13);
  }
}

// What has not gone into springs and motion was lost, and never less than nothing.
TEST(exact_flow, EnergyIsOnlyLost) {
  for (unsigned i = 0; i < 200; ++i) {
    dice roll(300 + i);
    auto mass = random_mass(roll, all_kinds[i % 4], {1e8, 1e-6, 1e12});
    mass.pieces = {{}};
    mass.tones.clear();
    exact_flow<double> flow(mass);
    double a[element_list::most] = {};
    for (int k = 0; k < mass.friction.count; ++k)
      a[k] = roll.even(-1, 1) * mass.friction.of[k].limit / mass.friction.of[k].kappa;
    flow.start(0, roll.even(-1, 1), roll.even(-3, 3), a);
    double x = 0, v = 0, before = HUGE_VAL;
    for (int phases = 0; phases < 10'000; ++phases) {
      const auto how = flow.find_end(20);
      ASSERT_NE(how, exact_flow<double>::ending::stalled) << "system " << i;
      for (int part = 0; part <= 4; ++part) {
        flow.state(flow.end() * part / 4, x, v, a);
        double energy = 0.5 * mass.m * v * v + 0.5 * mass.k * x * x;
        for (int k = 0; k < mass.friction.count; ++k)
          energy += 0.5 * mass.friction.of[k].kappa * a[k] * a[k];
        ASSERT_LE(energy, before * (1 + 1e-12) + 1e-15) << "system " << i;
        before = energy;
      }
      flow.take_end(how);
      if (how == exact_flow<double>::ending::at_limit) break;
      flow.go_on();
    }
  }
}

// Hours later the phase of the input is as right as at the start.
TEST(exact_flow, LongRunsKeepTheirDigits) {
  const auto mass = shaken_mass(1e5, 1e-3);
  const course in_double = follow<double>(mass, 3600, 3600);
  const course in_more = follow<long double>(mass, 3600, 3600);
  ASSERT_EQ(in_double.events.size(), in_more.events.size());
  EXPECT_GT(in_more.events.size(), 10'000U);
  EXPECT_LT(difference(in_double, in_more), 1e-12);
}

// Points of a grid are those that are asked for one by one.
TEST(exact_flow, AGridIsItsPoints) {
  for (unsigned i = 0; i < 200; ++i) {
    dice roll(9000 + i);
    const auto mass = random_mass(roll, all_kinds[i % 4], {1e6, 1e-5, 1e12});
    const double end = 2 * 2 * pi / mass.tones[0].omega;
    exact_flow<double> flow(mass);
    const double rest[element_list::most] = {};
    flow.start(0, 0, 0, rest);
    double largest[2] = {}, off[2] = {};
    for (int phases = 0; phases < 100; ++phases) {
      const auto how = flow.find_end(end);
      constexpr int many = 100;
      double x[many], v[many];
      const double spacing = flow.end() / many;
      flow.motion_on_grid(0.5 * spacing, spacing, many, x, v);
      for (int k = 0; k < many; ++k) {
        double one = 0, speed = 0;
        flow.motion((k + 0.5) * spacing, one, speed);
        largest[0] = std::max(largest[0], std::abs(one));
        largest[1] = std::max(largest[1], std::abs(speed));
        off[0] = std::max(off[0], std::abs(x[k] - one));
        off[1] = std::max(off[1], std::abs(v[k] - speed));
      }
      if (flow.end_time() >= end) break;
      flow.take_end(how);
      flow.go_on();
    }
    // Where constant and free part cancel, a thousandfold at most, so much more of rounding is left.
    EXPECT_LE(off[0], 1e-12 * largest[0]) << "system " << i;
    EXPECT_LE(off[1], 1e-12 * largest[1]) << "system " << i;
  }
}

// On the border with nothing that leads across it, all stays as it is, and time goes on.
TEST(exact_flow, TiesStay) {
  auto block = rigid_slider(2);
  block.pieces = {{.offset = 2}};
  const course resting = follow<double>(block, 5, 5);
  EXPECT_TRUE(resting.is_whole);
  EXPECT_TRUE(resting.events.empty());
  EXPECT_EQ(static_cast<double>(resting.x.back()), 0);

  for (const double sigma : {0.0, 10.0}) {
    linear_mass s{.m = 1, .c = 1};
    s.friction.count = 3;
    for (int i = 0; i < 3; ++i) s.friction.of[i] = {100, sigma, 1};
    s.pieces = {{.offset = 3}};  // just what the three can carry
    EXPECT_TRUE(follow<double>(s, 50, 5).is_whole) << sigma;
    s.friction.of[1].limit = 0;  // one that carries nothing
    EXPECT_TRUE(follow<double>(s, 50, 5).is_whole) << sigma;
  }
}

// A motion that just touches a border changes nothing; a little more does.
TEST(exact_flow, GrazingIsDecidedByRounding) {
  auto s = rigid_slider(2);
  s.tones = {{2, 3, 0}};
  s.pieces = {{.tones = 1}};
  EXPECT_LT(std::abs(static_cast<double>(follow<double>(s, 20, 4).x.back())), 1e-9);
  s.tones[0].amplitude = 1.999999;
  EXPECT_TRUE(follow<double>(s, 20, 4).events.empty());
  s.tones[0].amplitude = 2.000001;
  EXPECT_GE(follow<double>(s, 20, 4).events.size(), 2U * 19U);
}

}  // namespace
}  // namespace asperity
