// SPDX-License-Identifier: Apache-2.0
#pragma once

// A number that counts the operations made with it, for tests of cost.

#include <asperity/scalar/math.hpp>

namespace asperity::testing {

struct counted {
  double x = 0;
  static inline long operations = 0;
  static constexpr int width = 1;  // a pack of one lane

  counted() = default;
  explicit counted(double value) : x(value) {}
  double operator[](int) const { return x; }

  static counted made(double value) {
    ++operations;
    return counted(value);
  }
  friend counted operator+(counted a, counted b) { return made(a.x + b.x); }
  friend counted operator-(counted a, counted b) { return made(a.x - b.x); }
  friend counted operator*(counted a, counted b) { return made(a.x * b.x); }
  friend counted operator/(counted a, counted b) { return made(a.x / b.x); }
  friend counted operator-(counted a) { return made(-a.x); }
  friend bool operator<(counted a, counted b) { return a.x < b.x; }
  friend counted abs(counted a) { return made(std::abs(a.x)); }
  friend counted atan(counted a) { return made(std::atan(a.x)); }
  friend counted sqrt(counted a) { return made(std::sqrt(a.x)); }
  friend counted floor(counted a) { return made(std::floor(a.x)); }
  friend counted sin(counted a) { return made(std::sin(a.x)); }
  friend counted cos(counted a) { return made(std::cos(a.x)); }
};

// How many operations `work` takes.
template <class Work>
long operations_of(Work work) {
  counted::operations = 0;
  work();
  return counted::operations;
}

}  // namespace asperity::testing
