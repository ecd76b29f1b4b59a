// SPDX-License-Identifier: Apache-2.0
#pragma once

// The systems that sweeps step side by side, made of a row of numbers, in any number type: wide ones
// on the processor (lanes.cpp), plain ones in a thread of a GPU (cuda/lane_kernel.hpp).
//
// A Source has the types `law` and `input`, and gives one thing after another: next() the next
// number, next_input() the next input, friction() the law, whose numbers come last.

#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/systems/mass_on_belt.hpp>

namespace asperity {

// Inputs with numbers of their own; `other` is the same for all systems.
enum class input_kind { constant, ramp, sine, other };

// Numbers of one input, in this order.
template <class S>
struct input_numbers {
  S offset, slope_or_amplitude, start_or_omega, phase;

  template <class Source>
  ASPERITY_FN void read(input_kind kind, Source& from) {
    if (kind == input_kind::other) return;
    offset = from.next();
    if (kind == input_kind::constant) return;
    slope_or_amplitude = from.next();
    start_or_omega = from.next();
    if (kind == input_kind::sine) phase = from.next();
  }
  ASPERITY_FN S on_ramp(const S& t) const {
    return math::select(start_or_omega < t, S(offset + slope_or_amplitude * (t - start_or_omega)),
                        offset);
  }
  ASPERITY_FN S angle(const S& t) const { return start_or_omega * t + phase; }
  ASPERITY_FN S with(const S& sine) const { return offset + slope_or_amplitude * sine; }
};

template <class S, class Input>
struct lane_inputs {
  Input push, end_of_spring, relative_load;

  ASPERITY_FN S force(const S& t) const { return push.value(t); }
  ASPERITY_FN S anchor(const S& t) const { return end_of_spring.value(t); }
  ASPERITY_FN S load(const S& t) const { return relative_load.value(t); }
};

template <class S, class Source>
ASPERITY_FN auto sliding_mass_from(Source& from) {
  const S m = from.next(), k = from.next(), c = from.next();
  const auto push = from.next_input(), end = from.next_input(), load = from.next_input();
  return sliding_mass<S, typename Source::law, lane_inputs<S, typename Source::input>>{
      from.friction(), m, k, c, {push, end, load}};
}
template <class S, class Source>
ASPERITY_FN auto mass_on_belt_from(Source& from) {
  const S M = from.next(), k_1 = from.next(), k_2 = from.next(), u = from.next();
  return mass_on_belt<S, typename Source::law>{from.friction(), M, k_1, k_2, u};
}

// The outputs of the systems' cards.
inline constexpr int most_lane_outputs = 2;
template <class S, class Mass>
ASPERITY_FN void show(const Mass& mass, const S& t, const S* y, S* out) requires requires {
  mass.inputs;
}
{
  S rate[Mass::capacity];
  out[0] = respond(mass.friction, y + 2, mass.drive_at(t, y), rate);
}
template <class S, class Belt>
ASPERITY_FN void show(const Belt& belt, const S& t, const S* y, S* out) requires requires {
  belt.u;
}
{
  S rate[Belt::capacity];
  out[0] = -belt.slip(y);
  out[1] = respond(belt.friction, y + 2, belt.drive_at(t, y), rate);
}

// A system asked for nothing later than `latest`.
template <class S, class System>
struct lanes_until {
  const System& system;
  S latest;
  static constexpr int capacity = System::capacity;
  ASPERITY_FN int size() const { return system.size(); }
  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    system.rates(math::min<S>(t, latest), y, rate);
  }
  ASPERITY_FN void solve_stage(const S& t, const S& h, const S* start, S* y) const
      requires(closed_form_system<System, S>) {
    system.solve_stage(math::min<S>(t, latest), h, start, y);
  }
};

}  // namespace asperity
