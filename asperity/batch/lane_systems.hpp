// SPDX-License-Identifier: Apache-2.0
#pragma once

// The systems that sweeps step side by side, made of a row of numbers, in any number type: wide ones
// on the processor (lanes.cpp), plain ones in a thread of a GPU (cuda/lane_kernel.hpp).
//
// A Source has the types `law` and `input`, and gives one thing after another: next() the next
// number, next_input() the next input, next_law() the law, whose numbers come last.

#include <asperity/mechanics/planar_rates.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <asperity/systems/mass_on_belt.hpp>
#include <asperity/systems/sphere_on_plane.hpp>
#include <cmath>

namespace asperity {

// What a law stands in, by its family: friction in the first two, a contact in the third, a contact
// with friction in the next two, of which the second has three moments of inertia, and planar friction
// in the last two.
enum class lane_body { sliding, belt, bouncing, sphere, uneven_sphere, planar, planar_moved };

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
  // For inputs that count from some time on (cuda/lane_kernel.hpp).
  ASPERITY_FN void begin(double t) {
    push.begin(t);
    end_of_spring.begin(t);
    relative_load.begin(t);
  }
};

template <class S, class Input>
struct lane_contact_inputs {
  Input push, relative_load;

  ASPERITY_FN S force(const S& t) const { return push.value(t); }
  ASPERITY_FN S load(const S& t) const { return relative_load.value(t); }
  ASPERITY_FN void begin(double t) {
    push.begin(t);
    relative_load.begin(t);
  }
};

// Pushes of a body, or velocities of a contact that is moved, under a load that stays.
template <class S, class Input>
struct lane_planar_inputs {
  S relative_load;
  Input along_x, along_y, turning;

  ASPERITY_FN vec<S, 3> push(const S& t) const {
    return {{along_x.value(t), along_y.value(t), turning.value(t)}};
  }
  ASPERITY_FN vec<S, 3> motion(const S& t) const { return push(t); }
  ASPERITY_FN S load(const S&) const { return relative_load; }
  ASPERITY_FN void begin(double t) {
    along_x.begin(t);
    along_y.begin(t);
    turning.begin(t);
  }
};

template <class S, lane_body Body, class Source>
ASPERITY_FN auto lane_system_from(Source& from) {
  using law = typename Source::law;
  using input = typename Source::input;
  using enum lane_body;
  if constexpr (Body == sliding) {
    const S m = from.next(), k = from.next(), c = from.next();
    const auto push = from.next_input(), end = from.next_input(), load = from.next_input();
    return sliding_mass<S, law, lane_inputs<S, input>>{from.next_law(), m, k, c, {push, end, load}};
  } else if constexpr (Body == belt) {
    const S M = from.next(), k_1 = from.next(), k_2 = from.next(), u = from.next();
    return mass_on_belt<S, law>{from.next_law(), M, k_1, k_2, u};
  } else if constexpr (Body == bouncing) {
    const S m = from.next();
    const auto push = from.next_input(), load = from.next_input();
    return bouncing_mass<S, law, lane_contact_inputs<S, input>>{from.next_law(), m, {push, load}};
  } else if constexpr (Body == planar || Body == planar_moved) {
    using friction = carried_bristles<S, law>;
    using inputs = lane_planar_inputs<S, input>;
    S m = lit<S>(1.0), I = lit<S>(1.0);
    if constexpr (Body == planar) {
      m = from.next();
      I = from.next();
    }
    const S load = from.next();
    const auto x = from.next_input(), y = from.next_input(), turn = from.next_input();
    if constexpr (Body == planar)
      return planar_body<S, friction, inputs>{{from.next_law()}, m, I, {load, x, y, turn}};
    else
      return moved_contact<S, friction, inputs>{{from.next_law()}, {load, x, y, turn}};
  } else {
    const S m = from.next(), R = from.next(), g_x = from.next(), g_z = from.next();
    const S I_x = from.next(), I_y = from.next(), I_z = from.next();
    return sphere_on_plane<S, law, Body == sphere>{from.next_law(),  m, R, g_x, g_z,
                                                   {{I_x, I_y, I_z}}};
  }
}

// How many states come before those of the law, and how many outputs there are.
template <lane_body Body>
inline constexpr int lane_mechanical_states = Body < lane_body::sphere          ? 2
                                              : Body == lane_body::planar       ? 6
                                              : Body == lane_body::planar_moved ? 3
                                                                                : 13;
template <lane_body Body>
inline constexpr int lane_outputs = Body == lane_body::belt    ? 2
                                    : Body < lane_body::sphere ? 1
                                                               : 9;

// The outputs of the systems' cards.
inline constexpr int most_lane_outputs = 9;
template <class S, class Mass>
ASPERITY_FN void show(const Mass& mass, const S& t, const S* y, S* out) requires requires {
  mass.inputs;
  mass.k;
}
{
  S rate[Mass::capacity];
  out[0] = respond(mass.friction, y + 2, mass.drive_at(t, y), rate);
}
template <class S, class Mass>
ASPERITY_FN void show(const Mass& mass, const S& t, const S* y, S* out) requires requires {
  mass.inputs;
  mass.contact;
}
{
  S rate[Mass::capacity];
  out[0] = respond(mass.contact, y + 2, mass.drive_at(t, y), rate);
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

// A function of plain numbers for each system.
template <class S, class F>
ASPERITY_FN S of_each(const S& a, const S& b, const F& function) {
  if constexpr (requires { S::width; }) {
    double lanes[S::width];
    for (int i = 0; i < S::width; ++i) lanes[i] = function(a[i], b[i]);
    return S::load(lanes);
  } else if constexpr (requires { a.value(); }) {
    return lit<S>(function(a.value(), b.value()));
  } else {
    return lit<S>(function(a, b));
  }
}
template <class S, class Sphere>
ASPERITY_FN void show(const Sphere& sphere, const S&, const S* y, S* out) requires requires {
  sphere.R;
}
{
  S rate[Sphere::capacity];
  const auto in = sphere.touch_at(y);
  const auto f =
      touch_respond(sphere.contact, y + Sphere::mechanical, in, rate + Sphere::mechanical);
  const S zero = lit<S>(0.0);
  out[0] = in.gap;
  out[1] = f.f_n;
  out[2] = -f.f_t[0];
  out[3] = -f.f_t[1];
  out[4] = in.slip[0];
  out[5] = in.slip[1];
  out[6] = math::sqrt<S>(y[9] * y[9] + y[10] * y[10] + y[11] * y[11] + y[12] * y[12]);
  const S level = of_each(y[3], y[4], [](double a, double b) { return std::hypot(a, b); });
  out[7] = of_each(y[5], level, [](double a, double b) { return std::atan2(a, b); });
  out[8] = math::select(zero < f.f_n, S(norm(f.f_t) / f.f_n), zero);
}

template <class S, class Contact>
ASPERITY_FN void show(const Contact& contact, const S& t, const S* y, S* out) requires requires {
  contact.inputs.turning;
}
{
  constexpr int bristles = Contact::capacity - 3;
  S rate[3];
  const vec<S, 3> q{{y[0], y[1], y[2]}}, u = contact.velocities(t, y),
                                         given = contact.inputs.push(t);
  const vec<S, 3> f =
      respond_under_load<S>(contact.friction, q, u, y + bristles, contact.inputs.load(t), rate);
  for (int i = 0; i < 3; ++i) {
    out[i] = given[i];
    out[3 + i] = f[i];
  }
  const S zero = lit<S>(0.0), rim = contact.friction.law.coupling.R * math::abs<S>(u[2]);
  const S speed = of_each(u[0], u[1], [](double a, double b) { return std::hypot(a, b); });
  out[6] = speed;
  out[7] = rim;
  out[8] = math::select(zero < rim, S(speed / rim), zero);
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
