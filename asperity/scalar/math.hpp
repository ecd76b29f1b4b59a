// SPDX-License-Identifier: Apache-2.0
#pragma once

// One spelling of the mathematics for every number type: double, float, long double, SIMD packs,
// dual numbers, and both sides of CUDA. Models use nothing but `math::` and `lit`.
//
// A comparison of packs is not a bool, so models never branch on a scalar: they `select`. Both
// sides of a select are evaluated and the dead one is dropped lane by lane, so that a NaN on the
// side not taken never leaks.

#include <cmath>
#include <concepts>
#include <type_traits>
#if defined(__CUDACC__)
#define ASPERITY_FN __host__ __device__ constexpr
#include <asperity/scalar/device_doubles.hpp>
#else
#define ASPERITY_FN constexpr
#endif

namespace asperity {

inline constexpr double unbounded = __builtin_huge_val();

// The number `x` as an S. Written out because some packs accept no mixed arithmetic.
template <class S>
ASPERITY_FN S lit(double x) {
  if constexpr (requires {
                  typename S::value_type;
                  requires std::floating_point<typename S::value_type>;
                }) {
    return S(static_cast<typename S::value_type>(x));
  } else {
    return S(x);
  }
}

// Functions of a number type are found by argument-dependent lookup alone, here and in math, so that
// it may be declared before or after the models that use it.
namespace detail::lookup {

void select() = delete;
void where() = delete;

template <class Mask, class S>
concept has_select = requires(const Mask& mask, const S& a, const S& b) {
  { select(mask, a, b) } -> std::convertible_to<S>;
};

}  // namespace detail::lookup

namespace detail {

// A number with something beside its value, which a choice between two of them need not carry along:
// prepared.hpp.
template <class S>
concept wraps_number = requires(const S& x) {
  S(x.value());
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// The smaller and the larger, or NaN where one of them is: an instruction each.
inline __device__ float min_or_nan(float a, float b) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
inline __device__ float max_or_nan(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
// math::sat to the bit.
inline __device__ float sat_on_device(float Z, float x) { return min_or_nan(Z, max_or_nan(-Z, x)); }
#endif

}  // namespace detail

namespace math {

template <class Mask, class S>
ASPERITY_FN S select(const Mask& mask, const S& if_true, const S& if_false) {
  using detail::lookup::select, detail::lookup::where;
  if constexpr (std::is_same_v<Mask, bool> && detail::wraps_number<S>) {
    return S(mask ? if_true.value() : if_false.value());
  } else if constexpr (std::is_same_v<Mask, bool>) {
    return mask ? if_true : if_false;
  } else if constexpr (detail::lookup::has_select<Mask, S>) {
    return select(mask, if_true, if_false);
  } else {  // std::experimental::simd
    S result = if_false;
    where(mask, result) = if_true;
    return result;
  }
}

template <class S>
ASPERITY_FN S abs(const S& x) {
  using std::abs;
  return abs(x);
}
template <class S>
ASPERITY_FN S atan(const S& x) {
  using std::atan;
  return atan(x);
}
template <class S>
ASPERITY_FN S cos(const S& x) {
  using std::cos;
  return cos(x);
}
template <class S>
ASPERITY_FN S cosh(const S& x) {
  using std::cosh;
  return cosh(x);
}
template <class S>
ASPERITY_FN S exp(const S& x) {
  using std::exp;
  return exp(x);
}
template <class S>
ASPERITY_FN S floor(const S& x) {
  using std::floor;
  return floor(x);
}
template <class S>
ASPERITY_FN S log(const S& x) {
  using std::log;
  return log(x);
}
template <class S>
ASPERITY_FN S sin(const S& x) {
  using std::sin;
  return sin(x);
}
template <class S>
ASPERITY_FN S sqrt(const S& x) {
  using std::sqrt;
  return sqrt(x);
}
template <class S>
ASPERITY_FN S tanh(const S& x) {
  using std::tanh;
  return tanh(x);
}

// A NaN in the second argument of min and max comes out as NaN; in the bound it is dropped.
template <class S>
ASPERITY_FN S min(const S& bound, const S& x) {
  return select(bound < x, bound, x);
}
template <class S>
ASPERITY_FN S max(const S& bound, const S& x) {
  return select(x < bound, bound, x);
}

template <class S>
ASPERITY_FN S square(const S& x) {
  return x * x;
}

// base^exponent for base >= 0. Exponents 1, 3/2, 2 and 4, which is what the laws of friction and
// contact mostly carry, cost no logarithm.
template <class S>
ASPERITY_FN S power(const S& base, const S& exponent) {
  if constexpr (std::floating_point<S>) {
    if (exponent == S(2)) return base * base;
    if (exponent == S(1)) return base;
    if (exponent == S(1.5)) return base * sqrt(base);
    if (exponent == S(4)) return (base * base) * (base * base);
  }
  using std::pow;
  return pow(base, exponent);
}

// Single-valued sign: -1, 0 or 1.
template <class S>
ASPERITY_FN S sgn(const S& x) {
  const S zero = lit<S>(0.0);
  return select(zero < x, lit<S>(1.0), select(x < zero, lit<S>(-1.0), x));
}

// Projection of x on [lower, upper].
template <class S>
ASPERITY_FN S clamp(const S& lower, const S& upper, const S& x) {
  return min(upper, max(lower, x));
}

// sat(Z, x): projection of x on the ball of radius Z >= 0. sat(0, x) is 0. A NaN in either comes
// out as NaN: a Z that is not above -1 is none, and is handed on.
template <class S>
ASPERITY_FN S sat(const S& Z, const S& x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::floating_point<S> && sizeof(S) <= 8) return detail::sat_on_device(Z, x);
#endif
  if constexpr (detail::wraps_number<S>) {
    return S(sat(Z.value(), x.value()));
  } else {
    return select(lit<S>(-1.0) < Z, clamp<S>(-Z, Z, x), Z);
  }
}

}  // namespace math

// What a model may be evaluated with.
template <class S>
concept scalar = std::copyable<S> && requires(const S& a, const S& b) {
  { a + b } -> std::convertible_to<S>;
  { a - b } -> std::convertible_to<S>;
  { a* b } -> std::convertible_to<S>;
  { a / b } -> std::convertible_to<S>;
  { -a } -> std::convertible_to<S>;
  { lit<S>(1.0) } -> std::same_as<S>;
  { math::select(a < b, a, b) } -> std::same_as<S>;
};

}  // namespace asperity
