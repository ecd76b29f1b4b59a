// SPDX-License-Identifier: Apache-2.0
#pragma once

// Closed convex sets and prox(S, x), the point of S nearest to x. Equation numbers are those of
// Xiong 2013, chapter 2.
//
//   prox(S, x) = argmin |z - x|^2 over z in S                                           (2.8)
//   x - y in N_S(y)  <=>  y = prox(S, x)                                                (2.6)
//
// A set is an aggregate with
//   bool contains(y, tolerance)   y is in the set, or nearer to it than about the tolerance
//   vec prox(x)                   the nearest point: no branch on a scalar, so also for packs
//                                 and dual numbers
// A NaN in x makes every component of the projection NaN that depends on it. A NaN in the set's own
// numbers is not looked for.

#include <asperity/scalar/vector.hpp>

namespace asperity {

// {y : |y| <= radius}
template <class S, int N>
struct ball {
  S radius = lit<S>(1.0);

  static ASPERITY_FN S length(const vec<S, N>& x) { return norm(x); }

  ASPERITY_FN bool contains(const vec<S, N>& y, double tolerance = 0.0) const {
    return norm(y) <= radius + tolerance;
  }

  ASPERITY_FN vec<S, N> prox(const vec<S, N>& x) const {
    if constexpr (N == 1) {
      return {{math::sat<S>(radius, x[0])}};
    } else {
      const auto [length, direction] = to_polar(x);
      vec<S, N> result;
      for (int i = 0; i < N; ++i) {
        const S inside = nan_if_nan<S>(radius, nan_if_nan(length, x[i]));
        result[i] = math::select(radius < length, S(radius * direction[i]), inside);
      }
      return result;
    }
  }
};

// The same ball for loops that must be fast: one root and one division in place of a division per
// component. Right to rounding where the squares of the components neither overflow nor vanish, that
// is from about 1e-150 to 1e150, which the forces of a contact never leave.
template <class S, int N>
struct quick_ball {
  S radius = lit<S>(1.0);

  static ASPERITY_FN S length(const vec<S, N>& x) { return math::sqrt<S>(dot(x, x)); }

  ASPERITY_FN bool contains(const vec<S, N>& y, double tolerance = 0.0) const {
    return length(y) <= radius + tolerance;
  }

  ASPERITY_FN vec<S, N> prox(const vec<S, N>& x) const {
    const S size = length(x);
    // A NaN is not inside, and so makes every component NaN.
    const S share = math::select(size <= radius, lit<S>(1.0), S(radius / size));
    return share * x;
  }
};

// {y : lower_i <= y_i <= upper_i}
template <class S, int N>
struct box {
  vec<S, N> lower, upper;

  ASPERITY_FN bool contains(const vec<S, N>& y, double tolerance = 0.0) const {
    for (int i = 0; i < N; ++i)
      if (!(lower[i] - tolerance <= y[i] && y[i] <= upper[i] + tolerance)) return false;
    return true;
  }

  ASPERITY_FN vec<S, N> prox(const vec<S, N>& x) const {
    vec<S, N> result;
    for (int i = 0; i < N; ++i) result[i] = math::clamp<S>(lower[i], upper[i], x[i]);
    return result;
  }
};

// {y : y >= start}
template <class S>
struct half_line {
  S start = lit<S>(0.0);

  ASPERITY_FN bool contains(const vec<S, 1>& y, double tolerance = 0.0) const {
    return start - tolerance <= y[0];
  }

  ASPERITY_FN vec<S, 1> prox(const vec<S, 1>& x) const { return {{math::max<S>(start, x[0])}}; }
};

// {y : sum (y_i / semi_axis_i)^2 <= 1}. A semi-axis of zero makes it flat.
template <class S, int N>
struct ellipsoid {
  vec<S, N> semi_axis;

  ASPERITY_FN bool contains(const vec<S, N>& y, double tolerance = 0.0) const {
    vec<S, N> scaled;
    for (int i = 0; i < N; ++i) {
      const S reach = semi_axis[i] + tolerance;
      scaled[i] = y[i] == S(0) ? S(0) : S(y[i] / reach);
    }
    return norm(scaled) <= S(1);
  }

  // The nearest point has y_i = a_i p_i with p_i = x_i / (a_i + t / a_i), where t = 0 if x is
  // inside and otherwise the root of the secular equation |p(t)| = 1. 1/|p(t)| is concave and
  // increasing in t, so Newton's method on 1/|p(t)| - 1 climbs to the root from the left without
  // overshooting. It starts where the largest |p_i| is 1, hence |p| <= sqrt(N): a handful of steps
  // are enough.
  ASPERITY_FN vec<S, N> prox(const vec<S, N>& x) const {
    const S zero = lit<S>(0.0), one = lit<S>(1.0);

    S scale = semi_axis[0];
    for (int i = 1; i < N; ++i) scale = math::max<S>(scale, semi_axis[i]);
    scale = math::select(zero < scale, scale, one);
    vec<S, N> a, b;
    S t = zero, highest = zero;
    for (int i = 0; i < N; ++i) {
      const S relative = semi_axis[i] / scale;
      // Where the square would vanish, the ellipsoid is flat.
      a[i] = math::select(zero < relative * relative * lit<S>(1e-16), relative, zero);
      b[i] = x[i] / scale;
      const S product = a[i] * math::abs(b[i]);
      t = math::max<S>(t, product - a[i] * a[i]);
      highest = highest + product;  // |p(t)| <= highest / t
    }
    const S stretch = norm(stretched(a, b, zero));  // at most 1 inside

    for (int step = 0; step < max_steps; ++step) {
      const vec<S, N> p = stretched(a, b, t);
      const S squared = dot(p, p);
      S fall = zero;  // -1/2 d|p|^2/dt
      for (int i = 0; i < N; ++i)
        fall = fall + math::select(zero < a[i], S(p[i] / a[i] * (p[i] / (a[i] + t / a[i]))), zero);
      const S length = math::sqrt<S>(math::max<S>(lit<S>(1e-30), squared));
      const S next = t + (length - one) * squared / math::select(zero < fall, fall, one);
      const S previous = t;
      t = math::max<S>(t, math::min<S>(highest, next));
      if constexpr (std::floating_point<S>) {
        if (!(previous < t)) break;
      }
    }

    // The division by the length takes away what rounding left, along the ray.
    const vec<S, N> p = stretched(a, b, t);
    const S length = math::max<S>(one, norm(p));
    vec<S, N> result;
    for (int i = 0; i < N; ++i) {
      const S inside = nan_if_nan<S>(stretch, math::select(zero < a[i], x[i], S(zero * x[i])));
      result[i] = math::select(one < stretch, S(semi_axis[i] * (p[i] / length)), inside);
    }
    return result;
  }

 private:
  static constexpr int max_steps = 24;

  static ASPERITY_FN vec<S, N> stretched(const vec<S, N>& a, const vec<S, N>& b, const S& t) {
    const S zero = lit<S>(0.0), one = lit<S>(1.0);
    vec<S, N> p;
    for (int i = 0; i < N; ++i) {
      const S divisor = math::select(zero < a[i], a[i], one);
      p[i] = math::select(zero < a[i], S(b[i] / (a[i] + t / divisor)), zero);
    }
    return p;
  }
};

// {(t, n) : |t| <= mu n, n >= 0}, n being the last component: the forces that Coulomb friction
// allows.
template <class S, int N>
struct friction_cone {
  static_assert(N == 2 || N == 3);
  S mu = lit<S>(1.0);

  ASPERITY_FN bool contains(const vec<S, N>& y, double tolerance = 0.0) const {
    return norm(tangent(y)) <= mu * y[N - 1] + tolerance && -tolerance <= y[N - 1];
  }

  ASPERITY_FN vec<S, N> prox(const vec<S, N>& x) const {
    const S zero = lit<S>(0.0), one = lit<S>(1.0);
    const S n = x[N - 1];
    const auto [length, direction] = to_polar(tangent(x));
    // Points of the polar cone {mu |t| + n <= 0} go to the tip, others to the surface.
    const S height = math::max<S>(zero, (n + mu * length) / (one + mu * mu));
    vec<S, N> result;
    for (int i = 0; i < N - 1; ++i) {
      const S inside = nan_if_nan<S>(length + math::abs(n), x[i]);
      result[i] = math::select(mu * n < length, S(mu * height * direction[i]), inside);
    }
    const S inside = nan_if_nan<S>(length, math::max<S>(zero, n));
    result[N - 1] = math::select(mu * n < length, height, inside);
    return result;
  }

 private:
  static ASPERITY_FN vec<S, N - 1> tangent(const vec<S, N>& x) {
    vec<S, N - 1> t;
    for (int i = 0; i < N - 1; ++i) t[i] = x[i];
    return t;
  }
};

}  // namespace asperity
