// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests of flows from event to event share: random numbers, and the course of a flow at even
// times with its events.

#include <asperity/integrate/exact_flow.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace asperity::testing {

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

struct course {
  std::vector<long double> x, events;  // at even times; one for each change of the law
  double lowest_guard = 0;             // relative to its size
  long looks = 0, phases = 0;
  bool is_whole = false;
};

// From where the flow was started. In each phase `lowest_guard(part)` answers the lowest guard, relative
// to its size, at that part of it.
template <class R, class Flow, class Lowest>
course follow_flow(Flow& flow, double end, int samples, const Lowest& lowest_guard) {
  course result;
  int next = 1;
  for (; result.phases < 1'000'000; ++result.phases) {
    const phase_ending how = flow.find_end(end);
    if (how == phase_ending::stalled) return result;
    const bool is_last = how == phase_ending::at_limit && flow.end_time() >= R(end);
    for (int part = 1; part < 8; ++part)
      result.lowest_guard =
          std::min(result.lowest_guard, lowest_guard(flow.end() * R(part) / R(8)));
    for (; next <= samples; ++next) {
      const R t = R(end) * R(next) / R(samples);
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
inline double difference(const course& a, const course& b) {
  long double most = 0, largest = 1e-300L;
  for (std::size_t i = 0; i < a.x.size(); ++i) {
    most = std::max(most, std::abs(a.x[i] - b.x[i]));
    largest = std::max(largest, std::abs(b.x[i]));
  }
  return static_cast<double>(most / largest);
}

}  // namespace asperity::testing
