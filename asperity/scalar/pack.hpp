// SPDX-License-Identifier: Apache-2.0
#pragma once

// A SIMD pack on the compiler's vector extensions (g++, clang, em++): W lanes of T in one register.
// Never wider than the machine's registers: to hide latency, step several packs side by side.
// xsimd::batch and std::experimental::simd serve as scalars too; this one needs no library.

#include <asperity/scalar/math.hpp>
#include <cstdint>
#include <limits>

namespace asperity {

#if defined(__AVX512F__)
inline constexpr int native_pack_bytes = 64;
#elif defined(__AVX__)
inline constexpr int native_pack_bytes = 32;
#else
inline constexpr int native_pack_bytes = 16;
#endif

namespace detail {
template <class T, int W>
struct vector_of {
  typedef T type __attribute__((vector_size(W * sizeof(T))));  // NOLINT(modernize-use-using)
};
}  // namespace detail

template <std::floating_point T, int W = native_pack_bytes / static_cast<int>(sizeof(T))>
struct pack {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "packs are of float or double");
  using value_type = T;
  using integer = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  using lanes = typename detail::vector_of<T, W>::type;
  using integer_lanes = typename detail::vector_of<integer, W>::type;
  struct mask {
    integer_lanes bits;  // all ones where true
  };
  static constexpr int width = W;

  lanes v;

  pack() = default;
  pack(T x) : v(lanes{} + x) {}  // NOLINT(google-explicit-constructor): a number is a pack of it
  explicit pack(lanes x) : v(x) {}

  static pack load(const T* from) {
    pack result;
    __builtin_memcpy(&result.v, from, sizeof(lanes));
    return result;
  }
  void store(T* to) const { __builtin_memcpy(to, &v, sizeof(lanes)); }
  T operator[](int lane) const { return v[lane]; }

  friend pack operator+(pack a, pack b) { return pack(lanes(a.v + b.v)); }
  friend pack operator-(pack a, pack b) { return pack(lanes(a.v - b.v)); }
  friend pack operator*(pack a, pack b) { return pack(lanes(a.v * b.v)); }
  friend pack operator/(pack a, pack b) { return pack(lanes(a.v / b.v)); }
  friend pack operator-(pack a) { return pack(lanes(-a.v)); }
  friend pack operator+(pack a) { return a; }
  pack& operator+=(pack b) { return *this = *this + b; }
  pack& operator-=(pack b) { return *this = *this - b; }
  pack& operator*=(pack b) { return *this = *this * b; }
  pack& operator/=(pack b) { return *this = *this / b; }
  friend mask operator<(pack a, pack b) { return {integer_lanes(a.v < b.v)}; }

  friend pack select(mask m, pack a, pack b) { return pack(lanes(m.bits ? a.v : b.v)); }

  friend pack abs(pack a) {
    return pack(lanes(integer_lanes(a.v) & std::numeric_limits<integer>::max()));
  }
  friend pack sqrt(pack a) {
    return each(a, [](T x) { return std::sqrt(x); });
  }
  friend pack floor(pack a) {
    return each(a, [](T x) { return std::floor(x); });
  }
  friend pack log(pack a) {
    return each(a, [](T x) { return std::log(x); });
  }
  friend pack sin(pack a) {
    return each(a, [](T x) { return std::sin(x); });
  }
  friend pack cos(pack a) {
    return each(a, [](T x) { return std::cos(x); });
  }
  friend pack atan(pack a) {
    return each(a, [](T x) { return std::atan(x); });
  }
  friend pack tanh(pack a) {
    return each(a, [](T x) { return std::tanh(x); });
  }
  friend pack cosh(pack a) {
    return each(a, [](T x) { return std::cosh(x); });
  }
  friend pack pow(pack base, pack exponent) {
    pack result;
    for (int i = 0; i < W; ++i) result.v[i] = math::power(T(base.v[i]), T(exponent.v[i]));
    return result;
  }

  // exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln(2)/2: Taylor's series to rounding, and the
  // power of two by its bits, in two factors so that subnormal results are reached gradually.
  friend pack exp(pack x) {
    constexpr bool is_double = sizeof(T) == 8;
    constexpr T largest = is_double ? T(709.782712893384) : T(88.72283);
    constexpr T smallest = is_double ? T(-745.2) : T(-103.98);
    const pack limited = math::clamp(pack(smallest), pack(largest), x);
    const T shifter = is_double ? T(6755399441055744.0) : T(12582912.0);  // 1.5 * 2^(digits - 1)
    const lanes shifted = limited.v * T(1.4426950408889634074) + shifter;
    const lanes n = shifted - shifter;
    const integer_lanes n_bits = integer_lanes(shifted) - integer_lanes(lanes{} + shifter);
    const T ln2_high = is_double ? T(0.69314718036912381649) : T(0.693359375);
    const T ln2_low = is_double ? T(1.9082149292705877e-10) : T(-2.12194440e-4);
    const lanes r = (limited.v - n * ln2_high) - n * ln2_low;
    constexpr int degree = is_double ? 13 : 7;
    lanes series = lanes{} + T(1);
    for (int k = degree; k > 0; --k) series = series * r * (T(1) / T(k)) + T(1);
    const integer_lanes half = n_bits >> 1;
    const pack result(lanes(series * power_of_two(half) * power_of_two(n_bits - half)));
    const T infinity = std::numeric_limits<T>::infinity();
    const pack capped = select(pack(largest) < x, pack(infinity), result);
    return select(x < pack(smallest), pack(T(0)), capped);
  }

 private:
  static lanes power_of_two(integer_lanes n) {
    constexpr int mantissa = std::numeric_limits<T>::digits - 1;
    constexpr integer bias = std::numeric_limits<T>::max_exponent - 1;
    return lanes((n + bias) << mantissa);
  }
  template <class F>
  static pack each(pack a, F f) {
    pack result;
    for (int i = 0; i < W; ++i) result.v[i] = f(T(a.v[i]));
    return result;
  }
};

}  // namespace asperity
