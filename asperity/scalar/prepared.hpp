// SPDX-License-Identifier: Apache-2.0
#pragma once

// A number that carries its reciprocal, so that a division by it is a multiplication. A model in
// this type has the same text as in every other; what divides by a parameter alone is prepared once,
// before the first step, since compilers take the reciprocal of a parameter out of the loop and drop
// that of every number by which nobody divides.
//
// Bits differ: x (1/y) is rounded twice, and is wrong where 1/y overflows (y below 2.3e-308, in float
// 2.9e-39). On a GPU, float takes the hardware's exponential (2 + 1.2 |x| units in the last place) as
// well, and its reciprocal (1 unit) for what is not a parameter; double has both without branches, to
// 2 units (device_doubles.hpp). docs/gpu.md has the errors measured.

#include <asperity/scalar/math.hpp>

namespace asperity {

namespace detail {

template <class T>
struct value_type_of {
  using type = typename T::value_type;
};
template <std::floating_point T>
struct value_type_of<T> {
  using type = T;
};

#if defined(__CUDA_ARCH__)
// One instruction each; numbers below 1.2e-38 count as 0.
inline __device__ float quick_reciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
inline __device__ float quick_power_of_two(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
#endif

template <class T>
ASPERITY_FN T reciprocal(const T& x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return quick_reciprocal(x);
  if constexpr (std::is_same_v<T, double>) return reciprocal_on_device(x);
#endif
  return lit<T>(1.0) / x;
}

template <class T>
ASPERITY_FN T quick_exp(const T& x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return quick_power_of_two(1.44269504F * x);
  if constexpr (std::is_same_v<T, double>) return exp_on_device(x);
#endif
  return math::exp(x);
}

}  // namespace detail

template <class T>
class prepared {
 public:
  using value_type = typename detail::value_type_of<T>::type;

  prepared() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a prepared one
  ASPERITY_FN prepared(const T& x) : value_(x), inverse_(lit<T>(1.0) / x) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a pack of it
  ASPERITY_FN prepared(value_type x) requires(!std::same_as<T, value_type>) : prepared(T(x)) {}

  ASPERITY_FN const T& value() const { return value_; }

  friend ASPERITY_FN prepared operator+(const prepared& a, const prepared& b) {
    return found(a.value_ + b.value_);
  }
  friend ASPERITY_FN prepared operator-(const prepared& a, const prepared& b) {
    return found(a.value_ - b.value_);
  }
  friend ASPERITY_FN prepared operator*(const prepared& a, const prepared& b) {
    return found(a.value_ * b.value_);
  }
  friend ASPERITY_FN prepared operator/(const prepared& a, const prepared& b) {
    return found(a.value_ * b.inverse_);
  }
  friend ASPERITY_FN prepared operator-(const prepared& a) { return found(-a.value_); }
  friend ASPERITY_FN prepared operator+(const prepared& a) { return a; }
  ASPERITY_FN prepared& operator+=(const prepared& b) { return *this = *this + b; }
  ASPERITY_FN prepared& operator-=(const prepared& b) { return *this = *this - b; }
  ASPERITY_FN prepared& operator*=(const prepared& b) { return *this = *this * b; }
  ASPERITY_FN prepared& operator/=(const prepared& b) { return *this = *this / b; }

  friend ASPERITY_FN auto operator<(const prepared& a, const prepared& b) {
    return a.value_ < b.value_;
  }
  template <class Mask>
  friend ASPERITY_FN prepared select(const Mask& mask, const prepared& a, const prepared& b) {
    return found(math::select(mask, a.value_, b.value_));
  }

  friend ASPERITY_FN prepared abs(const prepared& a) { return found(math::abs(a.value_)); }
  friend ASPERITY_FN prepared sqrt(const prepared& a) { return found(math::sqrt(a.value_)); }
  friend ASPERITY_FN prepared floor(const prepared& a) { return found(math::floor(a.value_)); }
  friend ASPERITY_FN prepared exp(const prepared& a) { return found(detail::quick_exp(a.value_)); }
  friend ASPERITY_FN prepared log(const prepared& a) { return found(math::log(a.value_)); }
  friend ASPERITY_FN prepared sin(const prepared& a) { return found(math::sin(a.value_)); }
  friend ASPERITY_FN prepared cos(const prepared& a) { return found(math::cos(a.value_)); }
  friend ASPERITY_FN prepared atan(const prepared& a) { return found(math::atan(a.value_)); }
  friend ASPERITY_FN prepared tanh(const prepared& a) { return found(math::tanh(a.value_)); }
  friend ASPERITY_FN prepared cosh(const prepared& a) { return found(math::cosh(a.value_)); }
  friend ASPERITY_FN prepared pow(const prepared& a, const prepared& b) {
    return found(math::power(a.value_, b.value_));
  }

 private:
  // A result of an operation, which a step may divide by.
  static ASPERITY_FN prepared found(const T& x) {
    prepared result;
    result.value_ = x;
    result.inverse_ = detail::reciprocal(x);
    return result;
  }
  T value_, inverse_;
};

}  // namespace asperity
