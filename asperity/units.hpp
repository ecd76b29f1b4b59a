// SPDX-License-Identifier: Apache-2.0
#pragma once

// A unit as data: the powers of kilogram, metre and second. Equations are plain numbers in SI; a
// unit stands on the card of each parameter, is printed from there, and a law checks that it is the
// right one. Powers may be broken (N/m^1.5 in Hertzian contact).

namespace asperity {

struct unit {
  double kilogram = 0, metre = 0, second = 0;

  friend constexpr unit operator*(unit a, unit b) {
    return {a.kilogram + b.kilogram, a.metre + b.metre, a.second + b.second};
  }
  friend constexpr unit operator/(unit a, unit b) {
    return {a.kilogram - b.kilogram, a.metre - b.metre, a.second - b.second};
  }
  friend constexpr unit power(unit a, double p) {
    return {a.kilogram * p, a.metre * p, a.second * p};
  }
  friend constexpr bool operator==(unit a, unit b) {
    return a.kilogram == b.kilogram && a.metre == b.metre && a.second == b.second;
  }
};

namespace units {
inline constexpr unit one{};
inline constexpr unit kilogram{1, 0, 0};
inline constexpr unit metre{0, 1, 0};
inline constexpr unit second{0, 0, 1};
inline constexpr unit newton = kilogram * metre / (second * second);
inline constexpr unit joule = newton * metre;
inline constexpr unit watt = joule / second;
}  // namespace units

}  // namespace asperity
