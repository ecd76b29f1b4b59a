// SPDX-License-Identifier: Apache-2.0
#pragma once

// A port says what goes into a law and what comes out of it, as data: names, units, what changes
// sign in a mirror, and on which rate a force does work. Whoever lists, calls, checks or draws
// models of any kind reads this and needs no line per family.
//
//   drive     a body that slides along a line: friction and Stribeck curves        (model.hpp)
//   press     bodies that meet along their normal: contact                         (model.hpp)
//   hysteron  an operator from numbers to numbers: hysteresis                      (model.hpp)
//   touch     a point that meets a surface and slips on it: contact with friction  (touch.hpp)
//   twist     a patch that slides and spins on a surface: planar friction          (planar.hpp)

#include <asperity/units.hpp>
#include <cstddef>
#include <span>

namespace asperity {

// One number that goes in or comes out.
struct channel {
  enum kind : unsigned char { place, rate, load, force };

  const char* name;
  unit in;
  kind is;
  bool is_odd;        // changes sign when the motion is mirrored
  int rate_of = -1;   // of a place: the input that is its rate; of a force: the one it works on
  double sign = 1.0;  // of a force: power taken from the body is sign x force x that rate
};

// Outputs that are components of one vector, and bounded together.
struct vector_output {
  int first, count;
  const char* name;
};

struct port {
  const char* name;
  const char* meaning;
  std::span<const channel> inputs, outputs;
  std::span<const vector_output> vectors;

  // One place, one rate, one force: the calls in registers of any_model, and the systems that move
  // along a line.
  constexpr bool is_line() const { return outputs.size() == 1; }
  // Plain numbers in the user's units, of which no energy can be told.
  constexpr bool has_units() const { return !(outputs[0].in == units::one); }
  // The force pushes bodies apart and depends on their gap.
  constexpr bool is_contact() const { return outputs[0].sign < 0; }
  // Sliding along a line: what friction and curves share.
  constexpr bool is_sliding() const { return is_line() && has_units() && !is_contact(); }

  // The place whose rate is that input; -1 where there is none.
  constexpr int place_of(int rate) const {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].is == channel::place && inputs[i].rate_of == rate) return static_cast<int>(i);
    return -1;
  }
  // Power taken from the body [W].
  constexpr double power(const double* in, const double* out) const {
    double sum = 0;
    for (std::size_t k = 0; k < outputs.size(); ++k)
      sum += outputs[k].sign * out[k] * in[outputs[k].rate_of];
    return sum;
  }
};

namespace ports {

namespace detail {
using namespace units;
using enum channel::kind;
inline constexpr unit speed = metre / second, per_second = one / second;
inline constexpr vector_output one_force[] = {{0, 1, "f"}};

inline constexpr channel drive_in[] = {
    {"x", metre, place, true, 1}, {"v", speed, rate, true}, {"load", one, load, false}};
inline constexpr channel drive_out[] = {{"f", newton, force, true, 1}};

inline constexpr channel press_in[] = {
    {"x", metre, place, false, 1}, {"v", speed, rate, false}, {"load", one, load, false}};
inline constexpr channel press_out[] = {{"f", newton, force, false, 1, -1.0}};

inline constexpr channel hysteron_in[] = {{"x", one, place, true, 1},
                                          {"v", per_second, rate, true}};
inline constexpr channel hysteron_out[] = {{"f", one, force, true, 1}};

inline constexpr channel touch_in[] = {{"gap", metre, place, false, 1},
                                       {"gap_rate", speed, rate, false},
                                       {"slip_x", speed, rate, true},
                                       {"slip_y", speed, rate, true}};
inline constexpr channel touch_out[] = {{"f_n", newton, force, false, 1, -1.0},
                                        {"f_x", newton, force, true, 2},
                                        {"f_y", newton, force, true, 3}};
inline constexpr vector_output touch_vectors[] = {{0, 1, "f_n"}, {1, 2, "f_t"}};

// Mirrored is the motion, not the place that it passes: an anchor on the surface stays there.
inline constexpr channel twist_in[] = {
    {"x", metre, place, false, 3},      {"y", metre, place, false, 4},
    {"theta", radian, place, false, 5}, {"v_x", speed, rate, true},
    {"v_y", speed, rate, true},         {"omega", radian / second, rate, true},
    {"load", one, load, false}};
inline constexpr channel twist_out[] = {{"f_x", newton, force, true, 3},
                                        {"f_y", newton, force, true, 4},
                                        {"torque", torque, force, true, 5}};
inline constexpr vector_output twist_vectors[] = {{0, 2, "force"}, {2, 1, "torque"}};
}  // namespace detail

inline constexpr port drive{"drive", "a body that slides along a line", detail::drive_in,
                            detail::drive_out, detail::one_force};
inline constexpr port press{"press", "bodies that meet along their normal; x is the gap",
                            detail::press_in, detail::press_out, detail::one_force};
inline constexpr port hysteron{"operator", "numbers to numbers: x is the input, f the output",
                               detail::hysteron_in, detail::hysteron_out, detail::one_force};
inline constexpr port touch{"touch", "a point that meets a surface and slips on it",
                            detail::touch_in, detail::touch_out, detail::touch_vectors};
// In the axes of the surface. Laws without memory answer to the load as a factor, which is what
// Coulomb friction does.
inline constexpr port twist{"twist", "a patch that slides and spins on a surface", detail::twist_in,
                            detail::twist_out, detail::twist_vectors};

}  // namespace ports

}  // namespace asperity
