// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/mechanics/input_signal.hpp>
#include <cmath>
#include <numbers>

namespace asperity {

namespace {

// Between `start` and `start` + `duration` the frequency goes evenly from one to the other.
struct swept_sine final : signal::form {
  double amplitude = 1, offset = 0, from = 1, to = 10, start = 0, duration = 1;

  struct wave {
    double angle, omega;
  };
  wave at(double t) const {
    constexpr double turn = 2 * std::numbers::pi;
    const double s = std::clamp(t - start, 0.0, duration), more = t - start - s;
    const double rise = (to - from) / duration, f = from + rise * s;
    return {turn * (s * (from + 0.5 * rise * s) + more * f), turn * f};
  }
  double value(double t) const override { return offset + amplitude * std::sin(at(t).angle); }
  double slope(double t) const override {
    const auto [angle, omega] = at(t);
    return amplitude * omega * std::cos(angle);
  }
  double fastest() const override { return 2 * std::numbers::pi * std::max(from, to); }
};

signal read_chirp(key_builder& table, unit in) {
  constexpr unit per_second = units::one / units::second;
  auto wave = std::make_shared<swept_sine>();
  table.required("amplitude", wave->amplitude, in, any_value, "amplitude of the wave");
  table.required("from", wave->from, per_second, positive, "frequency at the start, in Hz");
  table.required("to", wave->to, per_second, positive, "frequency at the end, in Hz");
  table.required("duration", wave->duration, units::second, positive,
                 "duration of the sweep; the frequency is constant before and after it");
  table.optional("start", wave->start, units::second, any_value, "time at which it begins");
  table.optional("offset", wave->offset, in, any_value, "constant added to the wave");
  return signal::of(wave);
}

}  // namespace

namespace detail {

extern const signal_row chirp{
    .name = "chirp",
    .meaning = "offset + amplitude sin(angle), whose frequency goes evenly from `from` to `to`",
    .read = read_chirp};

}  // namespace detail

}  // namespace asperity
