// SPDX-License-Identifier: Apache-2.0
#pragma once

// Several packs as one number. One system after another waits for its own results: an addition
// takes four cycles, a division more. Packs that have nothing to do with each other fill the wait.

#include <asperity/scalar/pack.hpp>

namespace asperity {

template <class Pack, int M>
struct wide {
  using value_type = typename Pack::value_type;
  static constexpr int width = M * Pack::width;
  struct mask {
    typename Pack::mask part[M];
  };

  Pack part[M];

  wide() = default;
  wide(value_type x) {  // NOLINT(google-explicit-constructor): a number is a pack of it
    for (int i = 0; i < M; ++i) part[i] = Pack(x);
  }

  static wide load(const value_type* from) {
    wide result;
    for (int i = 0; i < M; ++i) result.part[i] = Pack::load(from + i * Pack::width);
    return result;
  }
  void store(value_type* to) const {
    for (int i = 0; i < M; ++i) part[i].store(to + i * Pack::width);
  }
  value_type operator[](int lane) const { return part[lane / Pack::width][lane % Pack::width]; }

  friend wide operator+(const wide& a, const wide& b) {
    return each(a, b, [](const Pack& x, const Pack& y) { return x + y; });
  }
  friend wide operator-(const wide& a, const wide& b) {
    return each(a, b, [](const Pack& x, const Pack& y) { return x - y; });
  }
  friend wide operator*(const wide& a, const wide& b) {
    return each(a, b, [](const Pack& x, const Pack& y) { return x * y; });
  }
  friend wide operator/(const wide& a, const wide& b) {
    return each(a, b, [](const Pack& x, const Pack& y) { return x / y; });
  }
  friend wide operator-(const wide& a) {
    return each(a, [](const Pack& x) { return -x; });
  }
  friend wide operator+(const wide& a) { return a; }
  wide& operator+=(const wide& b) { return *this = *this + b; }
  wide& operator-=(const wide& b) { return *this = *this - b; }
  wide& operator*=(const wide& b) { return *this = *this * b; }
  wide& operator/=(const wide& b) { return *this = *this / b; }

  friend mask operator<(const wide& a, const wide& b) {
    mask result;
    for (int i = 0; i < M; ++i) result.part[i] = a.part[i] < b.part[i];
    return result;
  }
  friend wide select(const mask& m, const wide& a, const wide& b) {
    wide result;
    for (int i = 0; i < M; ++i) result.part[i] = select(m.part[i], a.part[i], b.part[i]);
    return result;
  }

  friend wide abs(const wide& a) {
    return each(a, [](const Pack& x) { return abs(x); });
  }
  friend wide sqrt(const wide& a) {
    return each(a, [](const Pack& x) { return sqrt(x); });
  }
  friend wide floor(const wide& a) {
    return each(a, [](const Pack& x) { return floor(x); });
  }
  friend wide exp(const wide& a) {
    return each(a, [](const Pack& x) { return exp(x); });
  }
  friend wide log(const wide& a) {
    return each(a, [](const Pack& x) { return log(x); });
  }
  friend wide sin(const wide& a) {
    return each(a, [](const Pack& x) { return sin(x); });
  }
  friend wide cos(const wide& a) {
    return each(a, [](const Pack& x) { return cos(x); });
  }
  friend wide atan(const wide& a) {
    return each(a, [](const Pack& x) { return atan(x); });
  }
  friend wide tanh(const wide& a) {
    return each(a, [](const Pack& x) { return tanh(x); });
  }
  friend wide cosh(const wide& a) {
    return each(a, [](const Pack& x) { return cosh(x); });
  }
  friend wide pow(const wide& a, const wide& b) {
    return each(a, b, [](const Pack& x, const Pack& y) { return pow(x, y); });
  }

 private:
  template <class F>
  static wide each(const wide& a, F f) {
    wide result;
    for (int i = 0; i < M; ++i) result.part[i] = f(a.part[i]);
    return result;
  }
  template <class F>
  static wide each(const wide& a, const wide& b, F f) {
    wide result;
    for (int i = 0; i < M; ++i) result.part[i] = f(a.part[i], b.part[i]);
    return result;
  }
};

}  // namespace asperity
