// SPDX-License-Identifier: Apache-2.0
#pragma once

// A SIMD pack on the compiler's vector extensions (g++, clang, em++): W lanes of T in one register.
// Never wider than the machine's registers: to hide latency, step several packs side by side.
// xsimd::batch and std::experimental::simd serve as scalars too; this one needs no library.

#include <asperity/scalar/math.hpp>
#include <cstdint>
#include <limits>

// Packs wider than the registers that a file is compiled for are only ever inlined (batch.hpp):
// how they would be passed to a function does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

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
    alignas(W * sizeof(T)) integer_lanes bits;  // all ones where true
  };
  static constexpr int width = W;

  // Also where this file is not compiled for registers as wide: the functions that are
  // (batch.hpp) load from whole lines, and g++ aligns the type alone to 16 bytes.
  alignas(W * sizeof(T)) lanes v;

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
  // Mostly one of the exponents of math::power stands in all lanes: then they stay together.
  friend pack pow(const pack& base, const pack& exponent) {
    if (exponent.is_all(T(2))) return base * base;
    if (exponent.is_all(T(1))) return base;
    if (exponent.is_all(T(1.5))) return base * sqrt(base);
    if (exponent.is_all(T(4))) return (base * base) * (base * base);
    pack result;
    for (int i = 0; i < W; ++i) result.v[i] = math::power(T(base.v[i]), T(exponent.v[i]));
    return result;
  }

  // exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln(2)/2: Taylor's series to rounding, even and
  // odd powers apart, and the power of two by its bits, in two factors so that subnormal results
  // are reached gradually and infinity beyond the largest.
  friend pack exp(pack x) {
    constexpr bool is_double = sizeof(T) == 8;
    constexpr T largest = is_double ? T(710) : T(89);
    constexpr T smallest = is_double ? T(-746) : T(-104);
    const lanes limited = math::clamp(pack(smallest), pack(largest), x).v;
    const T shifter = is_double ? T(6755399441055744.0) : T(12582912.0);  // 1.5 * 2^(digits - 1)
    const integer_lanes zero = integer_lanes(lanes{} + shifter);
    const lanes shifted = limited * T(1.4426950408889634074) + shifter;
    const lanes n = shifted - shifter;
    const T ln2_high = is_double ? T(0.69314718036912381649) : T(0.693359375);
    const T ln2_low = is_double ? T(1.9082149292705877e-10) : T(-2.12194440e-4);
    const lanes r = (limited - n * ln2_high) - n * ln2_low;
    constexpr int degree = is_double ? 13 : 7;
    const lanes square = r * r;
    lanes odd = lanes{} + one_over_factorial(degree);
    lanes even = lanes{} + one_over_factorial(degree - 1);
    for (int k = degree - 2; k > 0; k -= 2) {
      odd = odd * square + one_over_factorial(k);
      even = even * square + one_over_factorial(k - 1);
    }
    const integer_lanes half = integer_lanes(n * T(0.5) + shifter) - zero;
    const integer_lanes rest = integer_lanes(shifted) - zero - half;
    return pack(lanes((odd * r + even) * power_of_two(half) * power_of_two(rest)));
  }

 private:
  bool is_all(T x) const {
    const integer_lanes same = integer_lanes(v == x);
    integer all = -1;
    for (int i = 0; i < W; ++i) all &= same[i];
    return all != 0;
  }
  static constexpr T one_over_factorial(int k) {
    T product = 1;
    for (int i = 2; i <= k; ++i) product *= T(i);
    return T(1) / product;
  }
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
