// SPDX-License-Identifier: Apache-2.0
#pragma once

// A number that carries its reciprocal, so that a division by it is a multiplication. A model in
// this type has the same text as in every other; what divides by a parameter alone is prepared once,
// before the first step, since compilers take the reciprocal of a parameter out of the loop and drop
// that of every number by which nobody divides.
//
// Bits differ: x (1/y) is rounded twice, and is wrong where 1/y overflows (y below 2.3e-308, in float
// 2.9e-39). On a GPU, float takes the hardware's reciprocal (1 unit in the last place) and
// exponential (2 + 1.2 |x| units) as well. docs/gpu.md has the errors measured.

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

template <class T>
ASPERITY_FN T reciprocal(const T& x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return __fdividef(1.0F, x);
#endif
  return lit<T>(1.0) / x;
}

template <class T>
ASPERITY_FN T quick_exp(const T& x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return __expf(x);
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
  ASPERITY_FN prepared(const T& x) : value_(x), inverse_(detail::reciprocal(x)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a pack of it
  ASPERITY_FN prepared(value_type x) requires(!std::same_as<T, value_type>) : prepared(T(x)) {}

  ASPERITY_FN const T& value() const { return value_; }

  friend ASPERITY_FN prepared operator+(const prepared& a, const prepared& b) {
    return a.value_ + b.value_;
  }
  friend ASPERITY_FN prepared operator-(const prepared& a, const prepared& b) {
    return a.value_ - b.value_;
  }
  friend ASPERITY_FN prepared operator*(const prepared& a, const prepared& b) {
    return a.value_ * b.value_;
  }
  friend ASPERITY_FN prepared operator/(const prepared& a, const prepared& b) {
    return a.value_ * b.inverse_;
  }
  friend ASPERITY_FN prepared operator-(const prepared& a) { return -a.value_; }
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
    return math::select(mask, a.value_, b.value_);
  }

  friend ASPERITY_FN prepared abs(const prepared& a) { return math::abs(a.value_); }
  friend ASPERITY_FN prepared sqrt(const prepared& a) { return math::sqrt(a.value_); }
  friend ASPERITY_FN prepared floor(const prepared& a) { return math::floor(a.value_); }
  friend ASPERITY_FN prepared exp(const prepared& a) { return detail::quick_exp(a.value_); }
  friend ASPERITY_FN prepared log(const prepared& a) { return math::log(a.value_); }
  friend ASPERITY_FN prepared sin(const prepared& a) { return math::sin(a.value_); }
  friend ASPERITY_FN prepared cos(const prepared& a) { return math::cos(a.value_); }
  friend ASPERITY_FN prepared atan(const prepared& a) { return math::atan(a.value_); }
  friend ASPERITY_FN prepared tanh(const prepared& a) { return math::tanh(a.value_); }
  friend ASPERITY_FN prepared cosh(const prepared& a) { return math::cosh(a.value_); }
  friend ASPERITY_FN prepared pow(const prepared& a, const prepared& b) {
    return math::power(a.value_, b.value_);
  }

 private:
  T value_, inverse_;
};

}  // namespace asperity
