// SPDX-License-Identifier: Apache-2.0
#pragma once

// Friction-force-based bristle model: one mean bristle whose steady force is a sawtooth in the
// position, as if the body caught on one asperity after another.
//
//   F(x, v) = F_min + (F_max - F_min) mod(sgn(v) x, Delta)/Delta     mod by floor        [N]
//   z_dot   = v - sigma_0 |v| z/(F(x, v) load)                                           [m/s]
//   f       = sigma_0 z                                                                  [N]
//
// The load must be above 0.

#include <asperity/bristle.hpp>

namespace asperity {

template <scalar S>
struct ffbm {
  S sigma_0 = lit<S>(1e5), F_min = lit<S>(1.0), F_max = lit<S>(1.5), Delta = lit<S>(0.05);

  static constexpr int states = 1;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Friction-force-based bristle model", "Drincic 2012 (3.66), (3.67)",
               odd | passive | bounded | rate_independent | continuous);
    card.parameter("sigma_0", sigma_0, newton / metre, positive, "bristle stiffness");
    card.parameter("F_min", F_min, newton, positive, "force just after a bristle is released");
    card.parameter("F_max", F_max, newton, positive, "force at which it is released");
    card.parameter("Delta", Delta, metre, positive, "distance between bristles");
    card.state("z", metre, "mean bristle deflection");
  }

  // The sawtooth at a distance covered in the direction of motion.
  ASPERITY_FN S level(const S& covered) const {
    const S teeth = covered / Delta;
    return F_min + (F_max - F_min) * (teeth - math::floor(teeth));
  }

  ASPERITY_FN response<S, 1> operator()(const vec<S, 1>& state, const drive<S>& in) const {
    const S z_ss = level(math::sgn(in.v) * in.x) * in.load / sigma_0;
    return {sigma_0 * state[0], {{bristle_rate(state[0], in.v, z_ss)}}};
  }

  // Exact at constant load, however long the way; a load that changes counts with its mean. On the
  // rise of a tooth, along the way d from F to F + c d,
  //
  //   z = z_0 + ((c d + F w)/(sigma_0 + c) - z_0 w),   w = 1 - (F/(F + c d))^(sigma_0/c),
  //
  // with z towards the motion. Whole teeth are the same step again and again.
  ASPERITY_FN S advance(vec<S, 1>& state, const drive<S>& from, const drive<S>& to,
                        const S&) const {
    const S one = lit<S>(1.0), zero = lit<S>(0.0), half = lit<S>(0.5);
    const S path = to.x - from.x, ahead = math::select(path < zero, S(-one), one);
    const S load = half * (from.load + to.load), c = (F_max - F_min) * load / Delta;
    const S begin = ahead * from.x / Delta, end = ahead * to.x / Delta;
    const S begin_tooth = math::floor(begin), end_tooth = math::floor(end);
    const S teeth = end_tooth - begin_tooth;
    const S F_begin = level(ahead * from.x) * load, F_low = F_min * load;
    const auto stays = teeth < half;

    const S first = math::select(stays, math::abs(path), S(Delta * (one - (begin - begin_tooth))));
    S z = ahead * state[0];
    z = z + rise(z, F_begin, c, first, share_forgotten(exponent(F_begin, c, first)));
    // Each whole tooth takes z a share w of the way to where it would stay.
    const S each = exponent(F_low, c, Delta), w = share_forgotten(each);
    const S end_of_teeth = rise(zero, F_low, c, Delta, w) / w;
    const S between =
        z + (end_of_teeth - z) * share_forgotten(math::max<S>(zero, teeth - one) * each);
    const S last = Delta * (end - end_tooth);
    const S behind =
        between + rise(between, F_low, c, last, share_forgotten(exponent(F_low, c, last)));
    state[0] = ahead * math::select(stays, z, behind);
    return sigma_0 * state[0];
  }

  ASPERITY_FN vec<S, 1> state_scale() const { return {{F_max / sigma_0}}; }

  ASPERITY_FN S stored_energy(const vec<S, 1>& state, const drive<S>&) const {
    return sigma_0 * math::square(state[0]) * lit<S>(0.5);
  }

  ASPERITY_FN S force_bound(const drive<S>& in) const { return F_max * in.load; }

  ASPERITY_FN validity valid() const requires std::floating_point<S> {
    return F_max < F_min ? validity{validity::refused, "F_max must be at least F_min"} : validity{};
  }

 private:
  ASPERITY_FN S rise(const S& z, const S& F, const S& c, const S& d, const S& w) const {
    return (c * d + F * w) / (sigma_0 + c) - z * w;
  }
  // sigma_0 times the integral of 1/F along the way: (sigma_0/c) log((F + c d)/F), which is
  // 2 (sigma_0/c) atanh(q), q = c d/(2 F + c d). Near q = 0 the quotient cancels, and there the
  // series is exact to rounding.
  ASPERITY_FN S exponent(const S& F, const S& c, const S& d) const {
    const S one = lit<S>(1.0), zero = lit<S>(0.0), two = lit<S>(2.0);
    const S q = c * d / (two * F + c * d), q_2 = q * q;
    const S is_small = math::select(math::abs(q) < lit<S>(0.1), one, zero);
    S series = zero;
    for (int k = 9; k >= 0; --k) series = one / lit<S>(2.0 * k + 1) + q_2 * series;
    const S safe = q + is_small;  // never 0 where it divides
    const S by_log = math::log<S>((one + q) / (one - q)) / (two * safe);
    const S atanh_over_q = math::select(zero < is_small, series, by_log);
    return two * sigma_0 * d / (two * F + c * d) * atanh_over_q;
  }
  // 1 - exp(-a), without cancellation.
  ASPERITY_FN S share_forgotten(const S& a) const {
    const S one = lit<S>(1.0), t = math::tanh<S>(lit<S>(0.5) * a);
    return lit<S>(2.0) * t / (one + t);
  }
};

}  // namespace asperity
