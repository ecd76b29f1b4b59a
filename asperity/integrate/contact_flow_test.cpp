// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <asperity/integrate/contact_flow.hpp>
#include <asperity/models/contact/dai_contact.hpp>
#include <asperity/models/contact/kelvin_voigt.hpp>
#include <asperity/models/contact/kelvin_voigt_clamped.hpp>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace asperity {
namespace {

constexpr double pi = std::numbers::pi;
using law = contact_element::law;

class dice {
 public:
  explicit dice(unsigned seed) : engine_(seed) {}
  double even(double a, double b) {
    return a + (b - a) * static_cast<double>(engine_()) / 4294967296.0;
  }
  double log_even(double a, double b) { return std::exp(even(std::log(a), std::log(b))); }
  bool chance(double p) { return even(0, 1) < p; }
  int below(int n) { return std::min(n - 1, static_cast<int>(even(0, n))); }

 private:
  std::mt19937 engine_;  // the same numbers everywhere
};

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
  return result;
}

struct course {
  std::vector<long double> x, events;  // at even times; where they touch, part or let go
  double lowest_guard = 0;             // relative to its size
  long looks = 0, phases = 0;
  bool is_whole = false;
};

template <class R>
course follow(const thrown& what, int samples) {
  course result;
  contact_flow<R> flow(what.system);
  flow.start(0, what.x, what.v, 0);
  int next = 1;
  for (; result.phases < 1'000'000; ++result.phases) {
    const auto how = flow.find_end(what.end);
    if (how == phase_ending::stalled) return result;
    const bool is_last = how == phase_ending::at_limit && flow.end_time() >= R(what.end);
    for (int i = 0; i < flow.guards(); ++i)
      for (int part = 1; part < 8; ++part) {
        R size = 0;
        const R g = flow.guard(i, flow.end() * R(part) / R(8), size);
        if (size > 0)
          result.lowest_guard = std::min(result.lowest_guard, static_cast<double>(g / size));
      }
    for (; next <= samples; ++next) {
      const R t = R(what.end) * R(next) / R(samples);
      if (!is_last && t > flow.end_time()) break;
      R x = 0, v = 0;
      flow.motion(std::min(flow.since_start(t), flow.end()), x, v);
      result.x.push_back(x);
    }
    const long before = flow.switches();
    flow.take_end(how);
    for (long i = before; i < flow.switches(); ++i) result.events.push_back(flow.phase_start());
    if (is_last) {
      result.is_whole = true;
      break;
    }
    flow.go_on();
  }
  result.looks = flow.looks();
  return result;
}

// Of x, relative to the largest.
double difference(const course& a, const course& b) {
  long double most = 0, largest = 1e-300L;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    most = std::max(most, std::abs(a.x[i] - b.x[i]));
    largest = std::max(largest, std::abs(b.x[i]));
  }
  return static_cast<double>(most / largest);
}

// ---- facts --------------------------------------------------------------------------------------

// Rounding decides about no event: in numbers with 11 bits more all are found again, at the same times.
TEST(contact_flow, RandomThrowsHaveTheSameEventsInLongDouble) {
  const unsigned systems = 1500;
  long events = 0, phases = 0, looks = 0;
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
    phases += in_double.phases;
    looks += in_double.looks;
    errors.push_back(difference(in_double, in_more));
    if (errors.back() > 1e-12) {
      auto moved = what;
      moved.x *= 1 + 1e-15;
      moved.v *= 1 - 1e-15;
      moved.system.contact.K *= 1 + 1e-15;
      moved.system.body.pieces[0].offset *= 1 + 1e-15;
      std::printf("%u law %d error %g moved %g\n", i, int(what.system.contact.kind), errors.back(), difference(follow<long double>(moved, 100), in_more));
    }
  }
  EXPECT_GT(events, 50'000);
  std::sort(errors.begin(), errors.end());
  RecordProperty("events", std::to_string(events));
  std::printf("%ld events, %ld phases, %ld looks; median %g, 99 %% %g, worst %g\n", events, phases,
              looks, errors[errors.size() / 2], errors[errors.size() * 99 / 100], errors.back());
}

}  // namespace
}  // namespace asperity
