// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a block of lanes.hpp is made of: for lanes.cpp, and for the sources that compile blocks, one for
// each instruction set.

#include <algorithm>
#include <asperity/batch/cuda/lane_device.hpp>
#include <asperity/batch/lane_times.hpp>
#include <asperity/mechanics/sliding_system.hpp>
#include <cmath>

namespace asperity {

// ---- models -------------------------------------------------------------------------------------

// A model of the catalogue for all systems of a block.
template <class S>
struct lane_law {
  const lane_functions<S>* functions;
  std::shared_ptr<void> self;
  int count;
};

template <class S>
int state_count(const lane_law<S>& law) {
  return law.count;
}
template <class S>
S respond(const lane_law<S>& law, const S* state, const drive<S>& in, S* rate) {
  S f;
  law.functions->respond(law.self.get(), state, in, &f, rate);
  return f;
}
template <class S>
step_end<S> implicit_step(const lane_law<S>& law, const S* from, const S& load, const S& h,
                          const free_step<S>& body, S* to, const S& x = lit<S>(0.0)) {
  step_end<S> end;
  law.functions->implicit_step(law.self.get(), from, load, h, body, x, to, &end);
  return end;
}
template <class S>
touch_forces<S> touch_respond(const lane_law<S>& law, const S* state, const touch<S>& in, S* rate) {
  touch_forces<S> f;
  law.functions->touch(law.self.get(), state, in, &f, rate);
  return f;
}

template <class S>
inline constexpr int state_capacity<lane_law<S>> = any_model::max_states;
template <class S>
inline constexpr bool may_jump<lane_law<S>> = false;
template <class S>
inline constexpr bool may_react<lane_law<S>, S> = true;  // asked again at run time

namespace detail {

// ---- inputs -------------------------------------------------------------------------------------

inline input_kind kind_of(const signal& s) {
  if (s.is_constant()) return input_kind::constant;
  if (s.made_of() == signal::kind::ramp && s.ramp_limit() == nullptr) return input_kind::ramp;
  return s.made_of() == signal::kind::sines && s.tones().size() == 1 ? input_kind::sine
                                                                     : input_kind::other;
}

inline void add_numbers(const signal& s, std::vector<double>& to) {
  switch (kind_of(s)) {
    case input_kind::constant:
      to.push_back(s.offset());
      break;
    case input_kind::ramp:
      to.insert(to.end(), {s.offset(), s.ramp_slope(), s.ramp_start()});
      break;
    case input_kind::sine: {
      const signal::tone& tone = s.tones().front();
      to.insert(to.end(), {s.offset(), tone.amplitude, tone.omega, tone.phase});
      break;
    }
    case input_kind::other:
      break;
  }
}

// One input of every system of a block. What has no numbers here is the same for all.
template <class S>
class lane_input {
 public:
  // `one_time`: whether all systems are asked at the same times.
  template <class Source>
  lane_input(const signal& like, bool one_time, Source& from)
      : like_(&like), kind_(kind_of(like)), one_time_(one_time), one_angle_(one_time) {
    numbers_.read(kind_, from);
    if (kind_ != input_kind::sine) return;
    const S &omega = numbers_.start_or_omega, &phase = numbers_.phase;
    for (int i = 1; i < S::width; ++i)
      one_angle_ = one_angle_ && omega[i] == omega[0] && phase[i] == phase[0];
  }

  S value(const S& t) const {
    switch (kind_) {
      case input_kind::constant:
        return numbers_.offset;
      case input_kind::ramp:
        return numbers_.on_ramp(t);
      case input_kind::sine:
        return numbers_.with(sine(t));
      default:
        return one_time_ ? S(like_->value(t[0])) : value_at_each(t);
    }
  }

 private:
  const signal* like_;
  input_kind kind_;
  bool one_time_, one_angle_;
  input_numbers<S> numbers_;

  S value_at_each(const S& t) const {
    double lanes[S::width];
    for (int i = 0; i < S::width; ++i) lanes[i] = like_->value(t[i]);
    return S::load(lanes);
  }

  S sine(const S& t) const {
    const S angle = numbers_.angle(t);
    return one_angle_ ? S(std::sin(angle[0])) : math::sin(angle);
  }
};

// ---- systems in wide numbers --------------------------------------------------------------------

// What the systems of a block are made of (lane_systems.hpp).
template <class S>
class lane_source {
 public:
  using law = lane_law<S>;
  using input = lane_input<S>;

  lane_source(std::vector<const signal*> inputs, const any_model& like, lane_rows rows)
      : inputs_(std::move(inputs)), like_(like), rows_(rows) {}
  S next() { return lanes_at<S>(rows_, place_++); }
  input next_input() { return input(*inputs_[input_++], !like_.holds_side(), *this); }
  law next_law() const {
    const auto& functions = functions_in<S>(*find_lane_model(like_));
    return {&functions, functions.make(like_, rows_, place_), like_.states()};
  }

 private:
  std::vector<const signal*> inputs_;
  const any_model& like_;
  lane_rows rows_;
  std::size_t place_ = 0, input_ = 0;
};

// What is inside a system: its law, its inputs, and its own numbers in the order of
// lane_system_from().
template <lane_body Body, class Mechanics>
struct lane_parts {
  const Mechanics& of;
  static constexpr lane_body body = Body;
  static constexpr bool is_ball = Body == lane_body::sphere || Body == lane_body::uneven_sphere;

  const any_model& law() const {
    if constexpr (requires { of.friction; }) {
      return of.friction;
    } else {
      return of.contact;
    }
  }
  std::vector<const signal*> inputs() const {
    if constexpr (Body == lane_body::sliding) {
      return {&of.inputs.push, &of.inputs.end_of_spring, &of.inputs.relative_load};
    } else if constexpr (Body == lane_body::bouncing) {
      return {&of.inputs.push, &of.inputs.relative_load};
    } else {
      return {};
    }
  }
  const signal* load() const {
    if constexpr (requires { of.inputs; }) {
      return &of.inputs.relative_load;
    } else {
      return nullptr;
    }
  }
  std::vector<double> numbers() const {
    std::vector<double> all;
    if constexpr (Body == lane_body::sliding) {
      all = {of.m, of.k, of.c};
    } else if constexpr (Body == lane_body::belt) {
      all = {of.M, of.k_1, of.k_2, of.u};
    } else if constexpr (Body == lane_body::bouncing) {
      all = {of.m};
    } else {
      all = {of.m, of.R, of.g_x, of.g_z, of.I[0], of.I[1], of.I[2]};
    }
    for (const signal* each : inputs()) add_numbers(*each, all);
    return all;
  }
  template <class S>
  auto in_lanes(lane_rows rows) const {
    lane_source<S> from(inputs(), law(), rows);
    return lane_system_from<S, Body>(from);
  }
};

// Calls visit(parts) for what is inside a system, or returns `otherwise`.
template <class Answer, class Visit>
Answer with_parts(const system& which, Answer otherwise, const Visit& visit) {
  using enum lane_body;
  const auto with = [&]<lane_body Body, class Mechanics>(const Mechanics& mechanics) {
    return visit(lane_parts<Body, Mechanics>{mechanics});
  };
  if (const auto* mass = sliding_mass_in(which)) return with.template operator()<sliding>(*mass);
  if (const auto* mass = mass_on_belt_in(which)) return with.template operator()<belt>(*mass);
  if (const auto* mass = bouncing_mass_in(which)) return with.template operator()<bouncing>(*mass);
  if (const auto* ball = sphere_on_plane_in(which))
    return ball->is_isotropic ? with.template operator()<sphere>(*ball)
                              : with.template operator()<uneven_sphere>(*ball);
  return otherwise;
}

template <class S, class System>
inline void step_lanes(const System& system, batch_method method, double t, double h, double latest,
                       double* y) {
  const int n = detail::size_of(system);
  S state[System::capacity];
  for (int k = 0; k < n; ++k) state[k] = S::load(y + k * S::width);
  const lanes_until<S, System> seen{system, lit<S>(latest)};
  if (method == batch_method::rk4) {
    rk4_step(seen, lit<S>(t), lit<S>(h), state);
  } else if (method == batch_method::euler) {
    euler_step(seen, lit<S>(t), lit<S>(h), state);
  } else if constexpr (closed_form_system<System, S>) {
    S rate[System::capacity];
    backward_euler_step(seen, lit<S>(t), lit<S>(h), state, rate);
  }
  detail::tidy(system, state);
  for (int k = 0; k < n; ++k) state[k].store(y + k * S::width);
}

// The same from times of their own.
template <class S, class System>
inline void step_lanes_from(const System& system, batch_method method, const double* t,
                            const double* h, double latest, double* y) {
  const int n = detail::size_of(system);
  S state[System::capacity];
  for (int k = 0; k < n; ++k) state[k] = S::load(y + k * S::width);
  const lanes_until<S, System> seen{system, lit<S>(latest)};
  if (method == batch_method::rk4) {
    rk4_step(seen, S::load(t), S::load(h), state);
  } else {
    euler_step(seen, S::load(t), S::load(h), state);
  }
  for (int k = 0; k < n; ++k) state[k].store(y + k * S::width);
}

template <class S, class System>
inline void show_lanes(const System& system, int outputs, double t, const double* y, double* out) {
  S state[System::capacity], shown[most_lane_outputs];
  for (int k = 0; k < detail::size_of(system); ++k) state[k] = S::load(y + k * S::width);
  show(system, lit<S>(t), state, shown);
  for (int k = 0; k < outputs; ++k) shown[k].store(out + k * S::width);
}

// Everything but the model is inlined into these; which of them runs is decided when the program runs.
#define ASPERITY_STEP_LANES(lanes, ...)                                                     \
  template <class System>                                                                   \
  __VA_ARGS__ void step_in(const System& system, batch_method method, double t, double h,   \
                           double latest, double* y, const lanes*) {                        \
    step_lanes<lanes>(system, method, t, h, latest, y);                                     \
  }                                                                                         \
  template <class System>                                                                   \
  __VA_ARGS__ void step_from_in(const System& system, batch_method method, const double* t, \
                                const double* h, double latest, double* y, const lanes*) {  \
    step_lanes_from<lanes>(system, method, t, h, latest, y);                                \
  }                                                                                         \
  template <class System>                                                                   \
  __VA_ARGS__ void show_in(const System& system, int outputs, double t, const double* y,    \
                           double* out, const lanes*) {                                     \
    show_lanes<lanes>(system, outputs, t, y, out);                                          \
  }
ASPERITY_STEP_LANES(baseline_lanes, [[gnu::flatten]])
#if defined(__x86_64__)
ASPERITY_STEP_LANES(avx2_lanes, [[gnu::target("avx2"), gnu::flatten]])
ASPERITY_STEP_LANES(avx512_lanes, [[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]])
#endif
#undef ASPERITY_STEP_LANES

template <class S, class System, class Block = lane_block>
class block_of : public Block {
 public:
  block_of(System system, batch_method method, int outputs)
      : system_(std::move(system)), method_(method), outputs_(outputs) {}
  int width() const override { return S::width; }
  int states() const override { return system_.size(); }
  void step(double t, double h, double latest, double* y) const override {
    step_in(system_, method_, t, h, latest, y, static_cast<const S*>(nullptr));
  }
  void observe(double t, const double* y, double* out) const override {
    show_in(system_, outputs_, t, y, out, static_cast<const S*>(nullptr));
  }

 protected:
  System system_;
  batch_method method_;
  int outputs_;
};

template <class S, class System>
class block_of_times final : public block_of<S, System, lane_block_of_times> {
 public:
  using block_of<S, System, lane_block_of_times>::block_of;
  void step_from(const double* t, const double* h, double latest, double* y) const override {
    step_from_in(this->system_, this->method_, t, h, latest, y, static_cast<const S*>(nullptr));
  }
};

// A block of bodies like this one in S, on contacts whose force jumps.
template <class S>
std::unique_ptr<lane_block> jumping_block_in(const system& like, lane_rows numbers,
                                             batch_method method) {
  const auto& mass = *bouncing_mass_in(like);
  const lane_parts<lane_body::bouncing, std::decay_t<decltype(mass)>> parts{mass};
  auto system = parts.template in_lanes<S>(numbers);
  return std::make_unique<block_of_times<S, decltype(system)>>(
      std::move(system), method, static_cast<int>(like.card().outputs.size()));
}

template <class S, class Parts>
std::unique_ptr<lane_block> block_with(const Parts& parts, const system& like, lane_rows numbers,
                                       batch_method method) {
  auto system = parts.template in_lanes<S>(numbers);
  return std::make_unique<block_of<S, decltype(system)>>(
      std::move(system), method, static_cast<int>(like.card().outputs.size()));
}

template <class S>
std::unique_ptr<lane_block> sphere_block_in(const system& like, lane_rows numbers,
                                            batch_method method) {
  const auto& ball = *sphere_on_plane_in(like);
  using mechanics = std::decay_t<decltype(ball)>;
  using enum lane_body;
  if (ball.is_isotropic)
    return block_with<S>(lane_parts<sphere, mechanics>{ball}, like, numbers, method);
  return block_with<S>(lane_parts<uneven_sphere, mechanics>{ball}, like, numbers, method);
}

// A block of systems like this one in S; null where there is none.
template <class S>
std::unique_ptr<lane_block> block_in(const system& like, lane_rows numbers, batch_method method) {
  if (has_times_of_its_own(like)) return jumping_block_in<S>(like, numbers, method);
  if (sphere_on_plane_in(like) != nullptr) return sphere_block_in<S>(like, numbers, method);
  return with_parts<std::unique_ptr<lane_block>>(
      like, nullptr, [&](const auto& parts) -> std::unique_ptr<lane_block> {
        if constexpr (std::decay_t<decltype(parts)>::is_ball) {
          return nullptr;  // taken above
        } else {
          return block_with<S>(parts, like, numbers, method);
        }
      });
}

// Each in a source of its own, since they take long to compile.
#define ASPERITY_EXTERN_BLOCKS(lanes)                                                           \
  extern template std::unique_ptr<lane_block> jumping_block_in<lanes>(const system&, lane_rows, \
                                                                      batch_method);            \
  extern template std::unique_ptr<lane_block> sphere_block_in<lanes>(const system&, lane_rows,  \
                                                                     batch_method);             \
  extern template std::unique_ptr<lane_block> block_in<lanes>(const system&, lane_rows,         \
                                                              batch_method);
ASPERITY_EXTERN_BLOCKS(baseline_lanes)
#if defined(__x86_64__)
ASPERITY_EXTERN_BLOCKS(avx2_lanes)
ASPERITY_EXTERN_BLOCKS(avx512_lanes)
#endif
#undef ASPERITY_EXTERN_BLOCKS

}  // namespace detail

}  // namespace asperity
