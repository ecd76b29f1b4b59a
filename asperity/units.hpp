// SPDX-License-Identifier: Apache-2.0
#pragma once

// A unit as data: the powers of kilogram, metre and second. Equations are plain numbers in SI; a
// unit stands on the card of each parameter, is printed from there, and a law checks that it is the
// right one. Powers may be broken (N/m^1.5 in Hertzian contact).
//
// The radian is a plain number, and units that differ in it are equal. It is counted all the same,
// so that a torque (J/rad) is printed in N m, an inertia (J s^2/rad^2) in kg m^2, an energy in J.

namespace asperity {

struct unit {
  double kilogram = 0, metre = 0, second = 0, radian = 0;

  friend constexpr unit operator*(unit a, unit b) {
    return {a.kilogram + b.kilogram, a.metre + b.metre, a.second + b.second, a.radian + b.radian};
  }
  friend constexpr unit operator/(unit a, unit b) {
    return {a.kilogram - b.kilogram, a.metre - b.metre, a.second - b.second, a.radian - b.radian};
  }
  friend constexpr unit power(unit a, double p) {
    return {a.kilogram * p, a.metre * p, a.second * p, a.radian * p};
  }
  friend constexpr bool operator==(unit a, unit b) {
    return a.kilogram == b.kilogram && a.metre == b.metre && a.second == b.second;
  }
  // Whether they are printed alike, too.
  friend constexpr bool same_text(unit a, unit b) { return a == b && a.radian == b.radian; }
  // What a quantity of a motion along a line becomes about an axis: m to rad, N to N m, kg to
  // kg m^2. Energies and times stay, and so does what is rotary already.
  friend constexpr unit rotary(unit a) {
    return {a.kilogram, 2 * a.kilogram, a.second, a.radian + a.metre - 2 * a.kilogram};
  }
};

namespace units {
inline constexpr unit one{};
inline constexpr unit kilogram{1, 0, 0};
inline constexpr unit metre{0, 1, 0};
inline constexpr unit second{0, 0, 1};
inline constexpr unit radian{0, 0, 0, 1};
inline constexpr unit newton = kilogram * metre / (second * second);
inline constexpr unit joule = newton * metre;
inline constexpr unit watt = joule / second;
inline constexpr unit torque = rotary(newton);
inline constexpr unit moment_of_inertia = rotary(kilogram);
}  // namespace units

constexpr bool is_plain(unit u) { return same_text(u, units::one); }  // nothing is printed

}  // namespace asperity
