// SPDX-License-Identifier: Apache-2.0
// Inputs as functions of time, made of any finite numbers.

#include <asperity/mechanics/signal.hpp>

#include "fuzz/fuzz.hpp"

namespace asperity::fuzz {

namespace {

signal a_signal(bytes& from, int depth) {
  const auto rising_times = [&](std::size_t count) {
    std::vector<double> times;
    for (std::size_t i = 0; i < count; ++i) times.push_back(from.finite_number());
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  };
  switch (from.below(depth > 0 ? 6 : 5)) {
    case 0:
      return signal::constant(from.finite_number());
    case 1: {
      const double slope = from.finite_number(), start = from.finite_number();
      return signal::ramp(slope, start, from.finite_number());
    }
    case 2: {
      const double slope = from.finite_number(), limit = from.finite_number();
      const double start = from.finite_number(), offset = from.finite_number();
      return signal::ramp_to(slope, limit, start, offset);
    }
    case 3: {
      std::vector<signal::tone> tones(1 + from.below(4));
      for (auto& each : tones)
        each = {from.finite_number(), from.finite_number(), from.finite_number()};
      return signal::sines(std::move(tones), from.finite_number());
    }
    case 4: {
      constexpr signal::joint joints[] = {signal::joint::hold, signal::joint::linear,
                                          signal::joint::half_cosine, signal::joint::cubic,
                                          signal::joint::spline};
      const auto join = joints[from.below(5)];
      auto times = rising_times(1 + from.below(6));
      std::vector<double> values;
      for (std::size_t i = 0; i < times.size(); ++i) values.push_back(from.finite_number());
      return signal::nodes(std::move(times), std::move(values), join);
    }
    default: {
      std::vector<signal::piece> pieces;
      for (const double until : rising_times(1 + from.below(4)))
        pieces.push_back({until, a_signal(from, depth - 1)});
      return signal::pieces(std::move(pieces));
    }
  }
}

}  // namespace

void try_input(std::string_view input) {
  bytes from(input);
  const signal s = a_signal(from, 2);
  for (int i = 0; i < 8; ++i) {
    const double t = from.number();
    (void)s.value(t);
    (void)s.slope(t);
  }
  const double start = from.finite_number(), end = from.finite_number();
  const auto jumps = s.breakpoints(start, end);
  for (std::size_t i = 0; i < jumps.size(); ++i)
    require(start < jumps[i] && jumps[i] < end, "breakpoints lie inside");
  if (!(start < end)) return;
  const auto lowest = s.lowest(start, end);
  require(std::isnan(lowest.value) || (start <= lowest.t && lowest.t <= end),
          "the least value is taken inside");
}

}  // namespace asperity::fuzz
