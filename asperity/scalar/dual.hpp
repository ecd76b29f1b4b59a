// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dual numbers: a value with N partial derivatives, over any scalar (also over packs, which
// ceres::Jet cannot do, and in device code). Where a function has a kink, the derivative is the one
// of the branch taken.

#include <asperity/scalar/math.hpp>

namespace asperity {

template <scalar S, int N>
struct dual {
  S value;
  S derivative[N];

  dual() = default;
  ASPERITY_FN dual(const S& x) : value(x), derivative{} {  // NOLINT(google-explicit-constructor)
    for (int i = 0; i < N; ++i) derivative[i] = lit<S>(0.0);
  }
  ASPERITY_FN explicit dual(double x) requires(!std::same_as<S, double>) : dual(lit<S>(x)) {}

  // The variable number `index`: its derivative with respect to itself is 1.
  ASPERITY_FN static dual variable(const S& x, int index) {
    dual result(x);
    result.derivative[index] = lit<S>(1.0);
    return result;
  }

  friend ASPERITY_FN dual operator+(const dual& a, const dual& b) {
    return combine(a.value + b.value, lit<S>(1.0), a, lit<S>(1.0), b);
  }
  friend ASPERITY_FN dual operator-(const dual& a, const dual& b) {
    return combine(a.value - b.value, lit<S>(1.0), a, lit<S>(-1.0), b);
  }
  friend ASPERITY_FN dual operator*(const dual& a, const dual& b) {
    return combine(a.value * b.value, b.value, a, a.value, b);
  }
  friend ASPERITY_FN dual operator/(const dual& a, const dual& b) {
    const S quotient = a.value / b.value;
    return combine(quotient, lit<S>(1.0) / b.value, a, -quotient / b.value, b);
  }
  friend ASPERITY_FN dual operator-(const dual& a) { return chain(-a.value, lit<S>(-1.0), a); }
  friend ASPERITY_FN dual operator+(const dual& a) { return a; }
  ASPERITY_FN dual& operator+=(const dual& b) { return *this = *this + b; }
  ASPERITY_FN dual& operator-=(const dual& b) { return *this = *this - b; }
  ASPERITY_FN dual& operator*=(const dual& b) { return *this = *this * b; }
  ASPERITY_FN dual& operator/=(const dual& b) { return *this = *this / b; }

  friend ASPERITY_FN auto operator<(const dual& a, const dual& b) { return a.value < b.value; }

  friend ASPERITY_FN dual abs(const dual& a) {
    return chain(math::abs(a.value), math::select(a.value < lit<S>(0.0), lit<S>(-1.0), lit<S>(1.0)),
                 a);
  }
  friend ASPERITY_FN dual exp(const dual& a) {
    const S e = math::exp(a.value);
    return chain(e, e, a);
  }
  friend ASPERITY_FN dual log(const dual& a) {
    return chain(math::log(a.value), lit<S>(1.0) / a.value, a);
  }
  friend ASPERITY_FN dual sqrt(const dual& a) {
    const S root = math::sqrt(a.value);
    return steep_chain(root, lit<S>(0.5) / root, a);
  }
  friend ASPERITY_FN dual sin(const dual& a) {
    return chain(math::sin(a.value), math::cos(a.value), a);
  }
  friend ASPERITY_FN dual cos(const dual& a) {
    return chain(math::cos(a.value), -math::sin(a.value), a);
  }
  friend ASPERITY_FN dual atan(const dual& a) {
    return chain(math::atan(a.value), lit<S>(1.0) / (lit<S>(1.0) + a.value * a.value), a);
  }
  friend ASPERITY_FN dual tanh(const dual& a) {
    const S t = math::tanh(a.value);
    return chain(t, lit<S>(1.0) - t * t, a);
  }
  friend ASPERITY_FN dual cosh(const dual& a) {  // d cosh = sinh = tanh cosh
    const S c = math::cosh(a.value);
    return chain(c, math::tanh(a.value) * c, a);
  }
  friend ASPERITY_FN dual floor(const dual& a) { return dual(math::floor(a.value)); }
  // For base >= 0, as math::power. At base 0 the term of the exponent's derivative is 0.
  friend ASPERITY_FN dual pow(const dual& base, const dual& exponent) {
    const S one = lit<S>(1.0), zero = lit<S>(0.0);
    const S p = math::power(base.value, exponent.value);
    const S by_base = exponent.value * math::power(base.value, S(exponent.value - one));
    dual result = steep_chain(p, by_base, base);
    if constexpr (std::floating_point<S>) {  // mostly a constant: no logarithm then
      bool changes = false;
      for (int i = 0; i < N; ++i) changes = changes || exponent.derivative[i] != zero;
      if (!changes) return result;
    }
    const S by_exponent = math::select(zero < base.value, S(p * math::log(base.value)), zero);
    for (int i = 0; i < N; ++i)
      result.derivative[i] = result.derivative[i] + by_exponent * exponent.derivative[i];
    return result;
  }

 private:
  ASPERITY_FN static dual chain(const S& value, const S& slope, const dual& a) {
    dual result(value);
    for (int i = 0; i < N; ++i) result.derivative[i] = slope * a.derivative[i];
    return result;
  }
  // For slopes that may be infinite: what does not depend on a variable stays so, inf * 0 = 0. Thus
  // sqrt(max(0, x)) has the derivative 0 for x < 0.
  ASPERITY_FN static dual steep_chain(const S& value, const S& slope, const dual& a) {
    const S zero = lit<S>(0.0);
    dual result(value);
    for (int i = 0; i < N; ++i) {
      const S& d = a.derivative[i];
      const S product = slope * d;
      result.derivative[i] = math::select(d < zero, product, math::select(zero < d, product, d));
    }
    return result;
  }
  ASPERITY_FN static dual combine(const S& value, const S& slope_a, const dual& a, const S& slope_b,
                                  const dual& b) {
    dual result(value);
    for (int i = 0; i < N; ++i)
      result.derivative[i] = slope_a * a.derivative[i] + slope_b * b.derivative[i];
    return result;
  }
};

// Lane by lane for duals over packs, whole for duals over plain numbers.
template <class Mask, scalar S, int N>
requires(!std::same_as<Mask, bool>) ASPERITY_FN dual<S, N> select(const Mask& mask,
                                                                  const dual<S, N>& a,
                                                                  const dual<S, N>& b) {
  dual<S, N> result(math::select(mask, a.value, b.value));
  for (int i = 0; i < N; ++i)
    result.derivative[i] = math::select(mask, a.derivative[i], b.derivative[i]);
  return result;
}

}  // namespace asperity
