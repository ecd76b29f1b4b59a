// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mass that flies or slides between two walls, pushed by a force:
//
//   m v' = force(t) - f + f_left - f_right,   x' = v
//
// f_left is the contact force at the gap x - left, f_right at the gap right - x, f the friction.
// y = (x, v, states of the left contact, of the right contact, of the friction).

#include <asperity/mechanics/memory_step.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/scalar/root.hpp>

namespace asperity {

// A surface that does not resist.
template <class S>
struct no_friction {
  static constexpr int states = 0;
  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>&) const { return {}; }
};

template <class S, class Contact, class Friction = no_friction<S>, class Inputs = no_inputs<S>>
struct mass_between_walls {
  Contact contact;
  Friction friction = {};
  S m = lit<S>(1.0), left = lit<S>(-1.0), right = lit<S>(1.0);
  Inputs inputs = {};

  static constexpr int capacity = 2 + 2 * state_capacity<Contact> + state_capacity<Friction>;
  ASPERITY_FN int right_states() const { return 2 + state_count(contact); }
  ASPERITY_FN int friction_states() const { return 2 + 2 * state_count(contact); }
  ASPERITY_FN int size() const { return friction_states() + state_count(friction); }

  ASPERITY_FN drive<S> left_gap(const S* y) const { return {y[0] - left, y[1]}; }
  ASPERITY_FN drive<S> right_gap(const S* y) const { return {right - y[0], -y[1]}; }

  struct forces {
    S left, right, friction;
  };
  ASPERITY_FN forces respond_at(const S& t, const S* y, S* rate) const {
    const int at = friction_states();
    return forces_under(y, respond(friction, y + at, rub_at(t, y), rate + at), rate);
  }
  ASPERITY_FN forces side_at(const S& t, const S* y, const S& direction, S* rate) const
      requires(may_jump<Friction>) {
    const int at = friction_states();
    return forces_under(y, side(friction, y + at, rub_at(t, y), direction, rate + at), rate);
  }
  ASPERITY_FN forces forces_under(const S* y, const S& f, S* rate) const {
    const int r = right_states();
    return {respond(contact, y + 2, left_gap(y), rate + 2),
            respond(contact, y + r, right_gap(y), rate + r), f};
  }

  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    balance(t, y, respond_at(t, y, rate), rate);
  }

  // Friction that jumps at v = 0.
  ASPERITY_FN void side_rates(const S& t, const S* y, const S& direction, S* rate) const
      requires(may_jump<Friction>) {
    balance(t, y, side_at(t, y, direction, rate), rate);
  }
  static ASPERITY_FN S slip(const S* y) { return y[1]; }
  static ASPERITY_FN S slip_rate(const S* rate) { return rate[1]; }
  static ASPERITY_FN void add_slip(S* y, const S& more) { y[1] = y[1] + more; }
  ASPERITY_FN S slip_grip(const S& t, const S* y) const requires(may_jump<Friction>) {
    return grip_of(friction, y + friction_states(), inputs.load(t)) / m;
  }

  // Friction whose memory is not an ODE (memory_step.hpp).
  ASPERITY_FN drive<S> rub_at(const S& t, const S* y) const { return {y[0], y[1], inputs.load(t)}; }
  void rates_under(double t, const double* y, double f, double* rate) const {
    balance(t, y, forces_under(y, f, rate), rate);
  }
  void powers_under(double t, const double* y, double f, double* out) const {
    double rate[capacity];
    take(t, y, forces_under(y, f, rate), out);
  }
  loose_body loose(double t, const double* y) const {
    double rate[capacity];
    const forces f = forces_under(y, 0, rate);
    return {(inputs.force(t) + f.left - f.right) / m, 1 / m};
  }

  // Backward Euler. Friction answers in closed form to a push of the walls, and that push is the zero
  // of a rising function: it lies between none and what the walls would answer to none.
  forces solve_stage(double t, double h, const double* start, double* y) const {
    const int at = friction_states(), r = right_states();
    const double gap_left = start[0] - left, gap_right = right - start[0];
    const auto press_left = react(contact, start + 2, 1.0, h, gap_left);
    const auto press_right = react(contact, start + r, 1.0, h, gap_right);
    const auto left_at = [&](double v) { return press_left.solve(gap_left + h * v, 0.0); };
    const auto right_at = [&](double v) { return press_right.solve(gap_right - h * v, 0.0); };
    const auto rub = [&](double push) {
      const double free = start[1] + h * (inputs.force(t) + push) / m;
      if constexpr (std::same_as<Friction, no_friction<S>>) {
        return step_end<double>{0, free};
      } else {
        return implicit_step(friction, start + at, inputs.load(t), h,
                             free_step<double>{start[1], free, h / m}, y + at);
      }
    };
    const auto excess = [&](double push) {
      const double v = rub(push).u;
      return push - (left_at(v) - right_at(v));
    };

    const double push = root_between(excess, 0.0, -excess(0.0));
    const step_end<double> end = rub(push);
    forces f{left_at(end.u), right_at(end.u), end.f};
    if (f.right == 0) f.left = push;  // exact, where the gap is rounded
    if (f.left == 0) f.right = -push;
    y[0] = start[0] + h * end.u;
    y[1] = end.u;
    settle(contact, start + 2, f.left, h, y + 2);
    settle(contact, start + r, f.right, h, y + r);
    return f;
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out) const {
    double end[capacity];
    take(t, y, solve_stage(t, h, start, end), out);
  }

  void powers(double t, const double* y, double* out) const {
    double rate[capacity];
    take(t, y, respond_at(t, y, rate), out);
  }
  void side_powers(double t, const double* y, double direction, double* out) const
      requires(may_jump<Friction>) {
    double rate[capacity];
    take(t, y, side_at(t, y, direction, rate), out);
  }

 private:
  ASPERITY_FN void balance(const S& t, const S* y, const forces& f, S* rate) const {
    rate[0] = y[1];
    rate[1] = (inputs.force(t) - f.friction + f.left - f.right) / m;
  }
  void take(double t, const double* y, const forces& f, double* out) const {
    out[0] = inputs.force(t) * y[1];
    out[1] = -f.left * y[1];
    out[2] = f.right * y[1];
    if constexpr (!std::same_as<Friction, no_friction<S>>) out[3] = f.friction * y[1];
  }
};

}  // namespace asperity
