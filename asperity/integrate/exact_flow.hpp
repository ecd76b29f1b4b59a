// SPDX-License-Identifier: Apache-2.0
#pragma once

// The motion of a linear_mass from event to event, in closed form. With every element stuck or
// slipping, z = x - x(start of the phase) obeys ONE oscillator, whatever the number of elements:
//
//   m z'' + C z' + Q z = u(t) - R,      z = 0, z' = v at the start of the phase
//   C = c + sum of sigma_i that stick,  Q = k + sum of kappa_i that stick
//   R = k x + sum of kappa_i a_i that stick + sum of s_i limit_i that slip
//   a_i = a_i(start) + z stuck,         s_i limit_i/kappa_i + d_i exp(-r_i tau) slipping, r = kappa/sigma
//
// A phase lasts while its guards are above 0:
//
//   stuck     limit_i -+ (kappa_i a_i + sigma_i v)
//   slipping  s_i (v - a_i')  =  s_i (v + r_i d_i exp(-r_i tau))
//   slider    at rest: slider + grip -+ (u - k x);  in motion: s v
//
// Each guard is a sum of a polynomial, sines and decaying terms whose derivatives are bounded for all
// later times. From where one looks,
//
//   g(tau + t) >= g + g' t + g'' t^2/2 - M t^3/6,   M >= |g'''| from there on,
//
// so that no zero lies before the first one of that cubic. Going there, again and again, never passes
// over an event, nor over two that are close, and ends like Halley's method. Terms that ring or decay
// fast may be bounded by their present size instead: whichever goes further is taken.
//
// The last step to an event is taken along a power series from where one looks: where the slope of the
// guard surely keeps its sign over a way within the reach of that series, and the guard changes its own,
// there is one zero on it, and Newton's method finds it without another look.
//
// Closed forms cancel where a slip is short on a soft spring and near an undamped resonance: there the
// motion is a power series from the start of the phase, and the phase is cut where that ends.

#include <algorithm>
#include <array>
#include <asperity/integrate/phase_inputs.hpp>
#include <asperity/portable.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace asperity {

namespace detail {

// A cube root right to a tenth, from above 0.
template <class R>
R rough_cbrt(R x) {
  if constexpr (std::is_same_v<R, double>) {
    // A third of the exponent; the fraction is taken along a line.
    return bit_cast<double>(bit_cast<std::uint64_t>(x) / 3 + 0x2A9F7893782DA1CEU);
  } else {
    return std::cbrt(x);
  }
}

// A time t > 0 before which g + g1 t + g2 t^2/2 - M t^3/6 is above 0, close to its first zero or at it.
// g >= 0 and M >= 0; a zero at t = 0 counts only where it falls from there.
template <class R>
R before_first_zero(R g, R g1, R g2, R M) {
  constexpr R never = std::numeric_limits<R>::infinity();
  if (g == 0) {
    if (g1 < 0 || (g1 == 0 && g2 < 0)) return 0;
    if (M == 0) return g2 < 0 ? -2 * g1 / g2 : never;
    const R root = std::sqrt(g2 * g2 / 4 + 2 * M * g1 / 3);
    return g2 >= 0 ? 3 * (g2 / 2 + root) / M : 2 * g1 / (root - g2 / 2);
  }
  if (M == 0) {
    const R square = g1 * g1 - 2 * g * g2;
    if (square < 0 || (g1 >= 0 && g2 >= 0)) return never;
    return g1 < 0 ? 2 * g / (std::sqrt(square) - g1) : (g1 + std::sqrt(square)) / -g2;
  }
  const auto value = [&](R t) { return g + t * (g1 + t * (g2 / 2 - t * M * (R(1) / 6))); };
  const auto slope = [&](R t) { return g1 + t * (g2 - t * M / 2); };
  // All digits count only where the zero is that of the guard, too.
  const auto enough = [&](R t) { return t * t * t * M > g * R(1e-6) ? R(0.15) : R(1e-13); };
  if (g1 < 0 && g2 > 0) {
    const R square = g2 * g2 + 2 * M * g1;
    const R lowest = square > 0 ? -2 * g1 / (g2 + std::sqrt(square)) : g2 / M;
    if (value(lowest) <= 0) {  // convex and falling up to there: tangents stay before the zero
      R t = -g / g1;
      for (int i = 0; i < 4; ++i) {
        const R left = value(t), fall = slope(t);
        if (!(left > g * enough(t)) || !(fall < 0)) break;
        t -= left / fall;
      }
      return t;
    }
  }
  // From its highest point on, or else its inflection, it is concave and falls, and it is above 0
  // before: tangents from behind the zero stay behind, and the chord from there ends before.
  const R square = g2 * g2 + 2 * M * g1;
  R from = std::max(R(0), g2 / M);
  if (g1 > 0 || (g2 > 0 && square > 0))
    from = g2 > 0 ? (g2 + std::sqrt(square)) / M : 2 * g1 / (std::sqrt(square) - g2);
  const R g_from = value(from), fall = slope(from);
  R t = fall < 0 ? -g_from / fall : never;
  if (!(M * t * t * t < 24 * g_from)) t = rough_cbrt(12 * g_from / M);
  if (const R bend = M * from - g2; bend * t * t > 8 * g_from) t = std::sqrt(2 * g_from / bend);
  t += from;
  R excess = value(t);
  for (int i = 0; i < 6 && excess < -enough(t) * g_from; ++i) {
    t -= excess / slope(t);
    excess = value(t);
  }
  if (excess >= 0) return t;
  return from + (t - from) * (g_from / (g_from - excess));
}

}  // namespace detail

// What became of a phase.
enum class phase_ending {
  at_limit,  // nothing changed
  switched,  // something did: `switches()` many so far
  turned,    // the velocity passed 0, which was asked for
  cut,       // a power series ended
  stalled    // no progress
};

template <class R>
class exact_flow {
 public:
  static constexpr int most_elements = element_list::most;
  static constexpr int most_tones = detail::phase_inputs<R>::most_tones;

  using ending = phase_ending;

  explicit exact_flow(const linear_mass& mass) : mass_(&mass), in_(mass) {
    const element_list& f = mass.friction;
    for (int i = 0; i < f.count; ++i) {
      kappa_[i] = R(f.of[i].kappa);
      sigma_[i] = R(f.of[i].sigma);
      rate_[i] = sigma_[i] > 0 ? kappa_[i] / sigma_[i] : R(0);
    }
  }

  // Each element sticks unless it is pulled beyond its limit.
  void start(R t, R x, R v, const R* a) {
    t_ = t;
    t_low_ = 0;
    x_ = x;
    v_ = v;
    for (int i = 0; i < count(); ++i) a_[i] = a[i];
    in_.number = -1;
    take_piece();
    choose_modes();
    begin();
  }

  // Onward from the end of the last phase.
  void go_on() {
    const int before = in_.number;
    if (take_piece()) {
      choose_modes();
    } else if (in_.number != before && mass_->friction.has_slider && slider_ == 0) {
      rest_slider();  // the pull may have jumped
    }
    begin();
  }

  // Finds the end of the phase, not after `limit`. With `turns`, it ends where the velocity of the body
  // passes 0, too.
  ending find_end(R limit, bool turns = false) {
    R span = (limit - t_) - t_low_;
    if (!in_.is_last()) span = std::min(span, (in_.until() - t_) - t_low_);
    const bool is_cut = marches_ && reach_ < span;
    if (is_cut) span = reach_;
    turning_ = turns && !held_ ? direction() : R(0);
    local_way_ = -1;
    R tau = 0;
    int nearest = -1;
    for (long looks = 0; looks < most_looks; ++looks) {
      ++looks_;
      look(tau);
      step best{span - tau};
      // The one that was nearest when it looked last is a good first guess: others are then found
      // harmless at little cost.
      is_tried_[0] = is_tried_[1] = false;
      if (count() > 1 && nearest < 0) nearest = soonest();
      if (nearest >= 0) try_element(nearest, best);
      for (int i = 0; i < count(); ++i)
        if (i != nearest) try_element(i, best);
      if (mass_->friction.has_slider) try_slider(best);
      if (turning_ != 0) try_guard(turn_guard(), turn_of_v, best);
      if (!(best.length < span - tau)) {
        end_ = span;
        return is_cut ? ending::cut : ending::at_limit;
      }
      tau += best.length;
      nearest = best.who;
      if (!best.is_sharp) continue;
      end_ = tau;
      local_way_ = best.by_series ? best.length : R(-1);
      found_ = best.who;
      return found_ == turn_of_v ? ending::turned : ending::switched;
    }
    end_ = tau;
    return ending::stalled;
  }

  // Takes the state to the end that was found; what crossed its border changes.
  void take_end(ending how) {
    const R tau = end_;
    R a[most_elements];
    R z = 0, v = 0;
    if (local_way_ > 0) {
      sum_series(local_, local_terms_ + 1, local_way_, z, v);
    } else if (!held_) {
      position(tau, z, v);
    }
    const R x = x_ + z;
    // An element that slips goes on along its own exponential.
    R next[most_elements];
    for (int i = 0; i < count(); ++i) {
      next[i] = mode_[i] == 0 ? d_[i] : d_[i] * decay(i, tau);
      a[i] = mode_[i] == 0 ? a_[i] + z : R(mode_[i]) * limit_[i] / kappa_[i] + next[i];
    }
    if (how == ending::switched && count() > 1) look(tau);
    int mode[most_elements];
    std::copy_n(mode_, count(), mode);
    int slider = slider_;
    if (how == ending::switched) {
      bool stops = false;
      for (int i = 0; i < count(); ++i) {
        const int side = crossed(i, a[i], v);
        if (side == 0) continue;
        ++switches_;
        if (mode_[i] == 0) {
          mode[i] = side;
          next[i] = sigma_[i] > 0 ? -v / rate_[i] : R(0);  // on the border
          a[i] = R(side) * limit_[i] / kappa_[i] + next[i];
        } else {
          mode[i] = 0;
          if (sigma_[i] > 0) {
            a[i] = R(mode_[i]) * limit_[i] / kappa_[i] - v / rate_[i];
          } else {
            a[i] = R(mode_[i]) * limit_[i] / kappa_[i];
            stops = true;
          }
        }
      }
      if (found_ == slider_guard) {
        ++switches_;
        slider = held_ ? (pull(tau) > 0 ? 1 : -1) : 0;
        stops = true;
      }
      if (stops) v = 0;
    }
    if (how == ending::turned) v = -R(mass_->belt);
    x_ = x;
    v_ = v;
    std::copy_n(a, count(), a_);
    std::copy_n(next, count(), d_);
    std::copy_n(mode, count(), mode_);
    slider_ = slider;
    // Time as a sum of two numbers, so that long runs keep the digits of their phases.
    const R sum = t_ + tau, rest = tau - (sum - t_);
    const R low = t_low_ + rest;
    t_ = sum + low;
    t_low_ = low - (t_ - sum);
    if (how == ending::switched && mass_->friction.has_slider && slider_ == 0) rest_slider();
  }

  // The state at tau after the start of the phase.
  void state(R tau, R& x, R& v, R* a) const {
    R z = 0;
    v = 0;
    if (!held_) position(tau, z, v);
    x = x_ + z;
    deflections(tau, z, a);
  }
  // The motion alone.
  void motion(R tau, R& x, R& v) const {
    R z = 0;
    v = 0;
    if (!held_) position(tau, z, v);
    x = x_ + z;
  }

  // The motion at tau, tau + spacing ...: sines and exponentials go on by multiplication, and are
  // taken afresh now and then.
  void motion_on_grid(R tau, R spacing, int many, R* x, R* v) {
    int i = 0;
    const bool turns = !held_ && free_ != free_kind::near_critical;
    for (; i < many && (!turns || by_series(tau + R(i) * spacing)); ++i)
      motion(tau + R(i) * spacing, x[i], v[i]);
    if (i == many) return;
    rotation& go = rotation_;
    if (!go.fits(*this, spacing)) go.set(*this, spacing);
    constexpr int block = 32;
    R s[most_tones], c[most_tones], S = 0, K = 0, e[2] = {};
    R first_s = 0, first_c = 0;  // of the first tone, which is often the only one
    const R slowness = r_ > 0 ? 1 / r_ : R(0);
    for (int since = 0; i < many; ++i, ++since) {
      const R at = tau + R(i) * spacing;
      if (since % block == 0) {
        for (int j = 0; j < in_.tones; ++j) {
          s[j] = std::sin(in_.omega[j] * at);
          c[j] = std::cos(in_.omega[j] * at);
        }
        if (in_.tones > 0) {
          first_s = s[0];
          first_c = c[0];
        }
        if (free_ == free_kind::swings) {
          const R E = sg_ * at > spent ? R(0) : std::exp(-sg_ * at);
          S = E * std::sin(r_ * at);
          K = E * std::cos(r_ * at);
        }
        if (free_ == free_kind::decays)
          for (int n = 0; n < 2; ++n) e[n] = c_[n] == 0 ? R(0) : c_[n] * std::exp(-l_[n] * at);
      }
      R z = poly_[0] + at * (poly_[1] + at * (poly_[2] + at * poly_[3]));
      R speed = poly_[1] + at * (2 * poly_[2] + at * 3 * poly_[3]);
      if (in_.tones > 0) {
        z += cosine_[0] * first_c + sine_[0] * first_s;
        speed += in_.omega[0] * (sine_[0] * first_c - cosine_[0] * first_s);
        const R next = first_s * go.c[0] + first_c * go.s[0];
        first_c = first_c * go.c[0] - first_s * go.s[0];
        first_s = next;
      }
      for (int j = 1; j < in_.tones; ++j) {
        z += cosine_[j] * c[j] + sine_[j] * s[j];
        speed += in_.omega[j] * (sine_[j] * c[j] - cosine_[j] * s[j]);
        const R next = s[j] * go.c[j] + c[j] * go.s[j];
        c[j] = c[j] * go.c[j] - s[j] * go.s[j];
        s[j] = next;
      }
      if (free_ == free_kind::swings) {
        const R swing = S * slowness;
        z += h0_ * (K + sg_ * swing) + hv_ * swing;
        speed += hv_ * (K - sg_ * swing) - h0_ * w2_ * swing;
        const R next = S * go.K + K * go.S;
        K = K * go.K - S * go.S;
        S = next;
      } else if (free_ == free_kind::decays) {
        for (int n = 0; n < 2; ++n) {
          z += e[n];
          speed -= l_[n] * e[n];
          e[n] *= go.e[n];
        }
      }
      x[i] = x_ + z;
      v[i] = speed;
    }
  }

  // The force of the friction.
  R friction(R tau) const {
    if (held_) return pull(tau);
    R x = 0, v = 0, a[most_elements];
    state(tau, x, v, a);
    R sum = R(mass_->friction.viscous) * v;
    if (mass_->friction.has_slider) sum += R(slider_) * slider_limit();
    for (int i = 0; i < count(); ++i)
      sum += mode_[i] == 0 ? kappa_[i] * a[i] + sigma_[i] * v : R(mode_[i]) * limit_[i];
    return sum;
  }

  R phase_start() const { return t_; }
  // From the start of the phase; t is a time as the caller counts it.
  R since_start(R t) const { return (t - t_) - t_low_; }
  R end() const { return end_; }
  R end_time() const { return t_ + (end_ + t_low_); }
  long switches() const { return switches_; }
  long looks() const { return looks_; }
  int mode(int i) const { return mode_[i]; }  // 0: sticks
  int count() const { return mass_->friction.count; }
  R limit(int i) const { return limit_[i]; }
  // The pull on an element at tau, which sticks while that is within its limit, or how fast its slider
  // slips.
  R guard(int i, R tau) const {
    R x = 0, v = 0, a[most_elements];
    state(tau, x, v, a);
    if (mode_[i] == 0) return limit_[i] - std::abs(kappa_[i] * a[i] + sigma_[i] * v);
    return R(mode_[i]) * (v + rate_[i] * d_[i] * decay(i, tau));
  }

 private:
  static constexpr R eps = std::numeric_limits<R>::epsilon();
  static constexpr R never = std::numeric_limits<R>::infinity();
  static constexpr R spent = R(9) + R(0.6931) * std::numeric_limits<R>::digits;  // exp(-spent) is 0
  static constexpr int turn_of_v = -1, slider_guard = -2;
  static constexpr long most_looks = 1'000'000;
  static constexpr int order = sizeof(R) > 8 ? 18 : 14;  // of power series
  static constexpr R series_angle = R(0.5);              // up to which they are taken
  static constexpr R soft = 16, too_soft = 1000;
  // Of series from where one looks, and the angle up to which they are taken.
  static constexpr int local_order = sizeof(R) > 8 ? 24 : 20;
  static constexpr R widest = R(1.3);

  // A part of z: its derivatives now, and bounds of |z|, |z'|, |z'''|, |z''''| from now on.
  struct part {
    R rate, d[4], b0, b1, b3, b4;
  };
  struct step {
    R length;
    int who = 0;
    bool is_sharp = false, by_series = false;
  };
  // base + alpha z + beta z', and what an exponential of its own adds: own exp(-rate tau), of which `left`
  // is left where one looks.
  struct guard_form {
    R base, size, alpha, beta;  // `size`: of what `base` is a sum of
    R own = 0, rate = 0, left = 0;
  };

  const linear_mass* mass_;
  R kappa_[most_elements], sigma_[most_elements], rate_[most_elements], limit_[most_elements];

  // The phase.
  detail::phase_inputs<R> in_;
  R t_ = 0, t_low_ = 0, x_ = 0, v_ = 0, end_ = 0;
  R a_[most_elements], d_[most_elements];
  int mode_[most_elements];
  int slider_ = 0;
  bool held_ = false;  // by a slider at rest: then z stands for the pull u - k x
  R Q_ = 0, C_ = 0;
  R poly_[4] = {};  // coefficients
  R cosine_[most_tones], sine_[most_tones];
  R tone_bound_[5] = {};
  enum class free_kind { none, swings, near_critical, decays } free_ = free_kind::none;
  R sg_ = 0, w2_ = 0, w_ = 0, r_ = 0;  // C/2m, Q/m, its root; root of |D|
  R h0_ = 0, hv_ = 0;                  // free part at the start
  R l_[2] = {}, c_[2] = {};            // of two that decay: rates and amplitudes
  bool marches_ = false;               // by power series alone
  R reach_ = 0;                        // up to which the series is taken
  R series_[order + 1] = {};
  R start_[5] = {};       // z and its derivatives at the start, by the equation itself
  R start_size_[5] = {};  // of the terms that they are sums of
  R b3_ = 0, b4_ = 0;     // bounds of |z'''|, |z''''| for the whole phase
  R turning_ = 0;

  // Where one looks.
  R at_ = 0;
  R total_[4] = {};
  R total_b3_ = 0, total_b4_ = 0, total_size_[2] = {};
  bool splits_ = false;  // into parts: not where it is a series
  part part_[3];
  int parts_ = 0;
  R poly_now_[4] = {};
  bool is_tried_[2] = {};  // v itself, backwards and forwards
  R free_now_[2] = {};     // z and z' of the free part, or both that decay
  R tone_now_[most_tones], tone_slope_[most_tones];
  int found_ = 0;
  long switches_ = 0, looks_ = 0;
  R local_[local_order + 1];  // z from where one looks, with so many terms but one
  int local_terms_ = 0;
  R local_way_ = -1;  // from there to the end of the phase, where that was found by it
  static constexpr auto inverse = [] {
    std::array<R, local_order + 2> table{};
    for (int i = 1; i < local_order + 2; ++i) table[static_cast<std::size_t>(i)] = 1 / R(i);
    return table;
  }();

  // From one point of a grid to the next, kept for the phases that are alike.
  struct rotation {
    R spacing = -1, sg = 0, r = 0;
    free_kind free = free_kind::none;
    int piece = -1;
    R s[most_tones], c[most_tones], S = 0, K = 0, e[2] = {};

    bool fits(const exact_flow& f, R wanted) const {
      return spacing == wanted && sg == f.sg_ && r == f.r_ && free == f.free_ &&
             piece == f.in_.number;
    }
    void set(const exact_flow& f, R wanted) {
      spacing = wanted;
      sg = f.sg_;
      r = f.r_;
      free = f.free_;
      piece = f.in_.number;
      for (int j = 0; j < f.in_.tones; ++j) {
        s[j] = std::sin(f.in_.omega[j] * spacing);
        c[j] = std::cos(f.in_.omega[j] * spacing);
      }
      const R E = std::exp(-sg * spacing);
      S = E * std::sin(r * spacing);
      K = E * std::cos(r * spacing);
      for (int n = 0; n < 2; ++n) e[n] = std::exp(-f.l_[n] * spacing);
    }
  } rotation_;

  // The piece of the inputs that holds from here on. Returns whether the load became another one.
  bool take_piece() {
    const int before = in_.number;
    in_.take_piece(t_);
    const bool fresh = before < 0;
    const R load_before = fresh ? R(0) : R(mass_->pieces[static_cast<std::size_t>(before)].load);
    const R load = R(in_.piece().load);
    if (!fresh && load == load_before) return false;
    for (int i = 0; i < count(); ++i) limit_[i] = R(mass_->friction.of[i].limit) * load;
    return true;
  }

  R slider_limit() const { return R(mass_->friction.slider) * R(in_.piece().load); }
  R resting_limit() const {
    return (R(mass_->friction.slider) + R(mass_->friction.grip)) * R(in_.piece().load);
  }

  void choose_modes() {
    for (int i = 0; i < count(); ++i) {
      const R reach = limit_[i] / kappa_[i];
      if (sigma_[i] == 0) a_[i] = std::clamp(a_[i], -reach, reach);
      const R q = kappa_[i] * a_[i] + sigma_[i] * v_;
      mode_[i] = std::abs(q) < limit_[i] || (sigma_[i] == 0 && limit_[i] > 0) ? 0 : q < 0 ? -1 : 1;
      d_[i] = mode_[i] == 0 || sigma_[i] == 0 ? R(0) : a_[i] - R(mode_[i]) * reach;
    }
    if (!mass_->friction.has_slider) return;
    slider_ = v_ > 0 ? 1 : v_ < 0 ? -1 : 0;
    if (slider_ == 0) rest_slider();
  }
  // At rest it stays there while it holds the pull.
  void rest_slider() {
    in_.set(t_, t_low_);
    const R pulled = in_.now[0] - R(mass_->k) * x_;
    slider_ = std::abs(pulled) <= resting_limit() ? 0 : pulled > 0 ? 1 : -1;
  }

  void deflections(R tau, R z, R* a) const {
    for (int i = 0; i < count(); ++i)
      a[i] =
          mode_[i] == 0 ? a_[i] + z : R(mode_[i]) * limit_[i] / kappa_[i] + d_[i] * decay(i, tau);
  }
  R decay(int i, R tau) const {
    const R power = rate_[i] * tau;
    return d_[i] == 0 || power > spent ? R(0) : std::exp(-power);
  }

  // u - k x of a body at rest.
  R pull(R tau) const {
    R sum = poly_[0] + tau * poly_[1];
    for (int j = 0; j < in_.tones; ++j)
      sum += cosine_[j] * std::cos(in_.omega[j] * tau) + sine_[j] * std::sin(in_.omega[j] * tau);
    return sum;
  }

  // ---- the phase ----------------------------------------------------------------------------------

  void begin() {
    in_.set(t_, t_low_);
    held_ = mass_->friction.has_slider && slider_ == 0;
    free_ = free_kind::none;
    marches_ = false;
    reach_ = 0;
    std::fill_n(poly_, 4, R(0));
    if (held_) return begin_held();

    const R m = R(mass_->m), k = R(mass_->k);
    C_ = R(mass_->c) + R(mass_->friction.viscous);
    Q_ = k;
    R resisting = k * x_, size = std::abs(resisting);
    bool all_slip = true;
    for (int i = 0; i < count(); ++i) {
      const R force = mode_[i] == 0 ? kappa_[i] * a_[i] : R(mode_[i]) * limit_[i];
      resisting += force;
      size += std::abs(force);
      if (mode_[i] != 0) continue;
      all_slip = false;
      C_ += sigma_[i];
      Q_ += kappa_[i];
    }
    if (mass_->friction.has_slider) {
      resisting += R(slider_) * slider_limit();
      size += slider_limit();
    }
    const R push = in_.now[0] - resisting;
    sg_ = C_ / (2 * m);
    w2_ = Q_ / m;
    w_ = std::sqrt(w2_);

    start_[0] = 0;
    start_[1] = v_;
    const R light = 1 / m;
    start_[2] = (push - C_ * v_) * light;
    start_[3] = (in_.now[1] - C_ * start_[2] - Q_ * v_) * light;
    start_[4] = (in_.now[2] - C_ * start_[3] - Q_ * start_[2]) * light;
    start_size_[0] = 0;
    start_size_[1] = std::abs(v_);
    start_size_[2] = (in_.size[0] + size + C_ * start_size_[1]) * light;
    start_size_[3] = (in_.size[1] + C_ * start_size_[2] + Q_ * start_size_[1]) * light;
    start_size_[4] = (in_.size[2] + C_ * start_size_[3] + Q_ * start_size_[2]) * light;

    // Forced motion: polynomial and sines.
    const R ramp = in_.slope;
    const R steady = in_.steady - resisting;
    if (Q_ > 0) {
      poly_[1] = ramp / Q_;
      poly_[0] = (steady - C_ * poly_[1]) / Q_;
    } else if (C_ > 0) {
      poly_[2] = ramp / C_ / 2;
      poly_[1] = (steady - m * ramp / C_) / C_;
    } else {
      poly_[2] = steady / (2 * m);
      poly_[3] = ramp / (6 * m);
    }
    h0_ = -poly_[0];
    hv_ = v_ - poly_[1];
    std::fill_n(tone_bound_, 5, R(0));
    for (int j = 0; j < in_.tones; ++j) {
      const R w = in_.omega[j], real = Q_ - m * w * w, imaginary = C_ * w;
      const R share = 1 / (real * real + imaginary * imaginary);
      const R hr = real * share, hi = -imaginary * share;
      cosine_[j] = hr * in_.cosine[j] + hi * in_.sine[j];
      sine_[j] = hr * in_.sine[j] - hi * in_.cosine[j];
      h0_ -= cosine_[j];
      hv_ -= w * sine_[j];
      add_tone_bound(j);
    }
    set_free(m);

    // Where closed forms would cancel.
    if (all_slip) {
      const R fast = std::max({in_.fastest, w_, 2 * sg_});
      reach_ = fast > 0 ? series_angle / fast : R(0);
      const R way =
          reach_ *
          (std::abs(v_) + reach_ * (std::abs(start_[2]) / 2 + reach_ * std::abs(start_[3]) / 6));
      const R largest = std::abs(poly_[0]) + tone_bound_[0] + reach_ * std::abs(poly_[1] - v_);
      marches_ = fast > 0 && !(largest <= too_soft * way);
      if (largest <= soft * way) {
        reach_ = 0;
      } else if (fast > 0) {
        set_series(m, push);
      }
    }
    set_bounds();
  }

  void add_tone_bound(int j) {
    const R w = std::abs(in_.omega[j]);
    R size = std::sqrt(cosine_[j] * cosine_[j] + sine_[j] * sine_[j]);
    for (int n = 0; n < 5; ++n, size *= w) tone_bound_[n] += size;
  }

  void begin_held() {
    const R k = R(mass_->k);
    poly_[0] = in_.steady - k * x_;
    poly_[1] = in_.slope;
    std::fill_n(tone_bound_, 5, R(0));
    for (int j = 0; j < in_.tones; ++j) {
      cosine_[j] = in_.cosine[j];
      sine_[j] = in_.sine[j];
      add_tone_bound(j);
    }
    v_ = 0;
    start_[0] = in_.now[0] - k * x_;
    start_[1] = in_.now[1];
    start_[2] = in_.now[2];
    start_[3] = start_[4] = 0;
    for (int j = 0; j < in_.tones; ++j)
      start_[3] -= in_.omega[j] * in_.omega[j] * in_.omega[j] * in_.sine[j];
    start_size_[0] = in_.size[0] + std::abs(k * x_);
    start_size_[1] = in_.size[1];
    start_size_[2] = in_.size[2];
    start_size_[3] = start_size_[4] = tone_bound_[3];
    b3_ = tone_bound_[3];
    b4_ = tone_bound_[4];
  }

  // The free motion of the oscillator, with the regime that suits it.
  void set_free(R m) {
    if (Q_ == 0) {
      poly_[0] += h0_;
      if (C_ == 0) {
        poly_[1] += hv_;
        return;
      }
      // A speed that decays.
      free_ = free_kind::decays;
      l_[0] = C_ / m;
      l_[1] = 0;
      c_[0] = -hv_ / l_[0];
      c_[1] = 0;
      poly_[0] -= c_[0];
      return;
    }
    const R D = sg_ * sg_ - w2_;
    r_ = std::sqrt(std::abs(D));
    if (D < 0) {
      free_ = free_kind::swings;
      return;
    }
    if (!(r_ > R(0.3) * sg_)) {
      free_ = free_kind::near_critical;
      return;
    }
    free_ = free_kind::decays;
    l_[0] = sg_ + r_;
    l_[1] = w2_ / l_[0];
    c_[0] = -(hv_ + l_[1] * h0_) / (2 * r_);
    c_[1] = (hv_ + l_[0] * h0_) / (2 * r_);
  }

  void set_series(R m, R push) {
    R u[order + 1] = {};
    u[0] = push;
    u[1] = in_.now[1];
    for (int j = 0; j < in_.tones; ++j) {
      R even = in_.cosine[j], odd = in_.sine[j], w = in_.omega[j];
      R power = 1;
      for (int n = 0; n + 2 <= order; ++n) {
        if (n >= 2) u[n] += power * (n % 2 == 0 ? even : odd);
        power *= w * inverse[static_cast<std::size_t>(n + 1)];
        if (n % 2 == 1) {
          even = -even;
          odd = -odd;
        }
      }
    }
    const R* part = inverse.data();
    series_[0] = 0;
    series_[1] = v_;
    for (int n = 0; n + 2 <= order; ++n) {
      const R share = part[n + 1] * part[n + 2];
      series_[n + 2] =
          u[n] / m * share - (2 * sg_ * part[n + 2]) * series_[n + 1] - (w2_ * share) * series_[n];
    }
  }

  // Bounds from the start of the phase on.
  void set_bounds() {
    if (marches_) {
      b3_ = b4_ = 0;
      R power = 1;
      for (int n = 3; n <= order; ++n) {
        const R of_third = std::abs(series_[n]) * R(n * (n - 1) * (n - 2)) * power;
        b3_ += of_third;
        if (n < order) power *= reach_;
      }
      power = 1;
      for (int n = 4; n <= order; ++n) {
        b4_ += std::abs(series_[n]) * R(n * (n - 1) * (n - 2)) * R(n - 3) * power;
        power *= reach_;
      }
      return;
    }
    look_at_free(0);
    b3_ = tone_bound_[3] + 6 * std::abs(poly_[3]);
    b4_ = tone_bound_[4];
    for (int i = 0; i < parts_; ++i) {
      b3_ += part_[i].b3;
      b4_ += part_[i].b4;
    }
  }

  // ---- the motion at an instant -------------------------------------------------------------------

  // z and z' of the free part.
  void free_motion(R tau, R& z, R& v) const {
    switch (free_) {
      case free_kind::none:
        return;
      case free_kind::swings: {
        const R power = sg_ * tau;
        if (power > spent) return;
        const R E = std::exp(-power), angle = r_ * tau;
        const R S = E * std::sin(angle) / r_, K = E * std::cos(angle);
        z += h0_ * (K + sg_ * S) + hv_ * S;
        v += hv_ * (K - sg_ * S) - h0_ * w2_ * S;
        return;
      }
      case free_kind::near_critical: {
        const R l1 = -(sg_ + r_), l2 = w2_ / l1;
        if (-l2 * tau > spent) return;
        const R q = r_ > 0 ? -std::expm1(-2 * r_ * tau) / (2 * r_) : tau;
        const R e = std::exp(l2 * tau), E = 1 - 2 * r_ * q, S = e * q;
        const R back = r_ < sg_ / 8 ? e * (1 + l1 * q) : e * (l2 - E * l1) / (2 * r_);
        z += h0_ * e * ((1 + E) / 2 + sg_ * q) + hv_ * S;
        v += hv_ * back - h0_ * w2_ * S;
        return;
      }
      case free_kind::decays:
        for (int i = 0; i < 2; ++i) {
          if (c_[i] == 0 || l_[i] * tau > spent) continue;
          const R now = c_[i] * std::exp(-l_[i] * tau);
          z += now;
          v -= l_[i] * now;
        }
    }
  }

  bool by_series(R tau) const { return reach_ > 0 && tau <= reach_; }

  void position(R tau, R& z, R& v) const {
    if (by_series(tau)) {
      sum_series(series_, order + 1, tau, z, v);
      return;
    }
    z = poly_[0] + tau * (poly_[1] + tau * (poly_[2] + tau * poly_[3]));
    v = poly_[1] + tau * (2 * poly_[2] + tau * 3 * poly_[3]);
    for (int j = 0; j < in_.tones; ++j) {
      const R s = std::sin(in_.omega[j] * tau), c = std::cos(in_.omega[j] * tau);
      z += cosine_[j] * c + sine_[j] * s;
      v += in_.omega[j] * (sine_[j] * c - cosine_[j] * s);
    }
    free_motion(tau, z, v);
  }

  void look_at_free(R tau) {
    parts_ = 0;
    free_now_[0] = free_now_[1] = 0;
    if (free_ == free_kind::none) return;
    if (free_ == free_kind::decays) {
      for (int i = 0; i < 2; ++i) {
        if (c_[i] == 0 || l_[i] * tau > spent) continue;
        const R l = l_[i], now = tau == 0 ? c_[i] : c_[i] * std::exp(-l * tau);
        const R size = std::abs(now);
        free_now_[i] = now;
        part_[parts_++] = {l,
                           {now, -l * now, l * l * now, -l * l * l * now},
                           size,
                           l * size,
                           l * l * l * size,
                           l * l * l * l * size};
      }
      return;
    }
    R z = h0_, v = hv_;
    if (tau > 0) {
      z = v = 0;
      free_motion(tau, z, v);
    }
    const R slowest = free_ == free_kind::swings ? sg_ : w2_ / (sg_ + r_);
    if (slowest * tau > spent) return;
    free_now_[0] = z;
    free_now_[1] = v;
    part& p = part_[parts_++];
    p.d[0] = z;
    p.d[1] = v;
    p.d[2] = -2 * sg_ * v - w2_ * z;
    p.d[3] = -2 * sg_ * p.d[2] - w2_ * v;
    const R other = std::abs(v + sg_ * z), size = std::abs(z);
    const auto bound = [&](int n) {
      if (free_ == free_kind::swings) {
        const R most = sg_ > 0 ? std::min(1 / r_, (R(n) + R(0.37)) / sg_) : 1 / r_;
        return size + other * most;
      }
      return size + other * (R(n) / (sg_ + r_) + R(0.37) / slowest);
    };
    p.rate = free_ == free_kind::swings ? w_ : sg_ + r_;
    p.b0 = bound(0);
    p.b1 = bound(1) * p.rate;
    const R cube = p.rate * p.rate * p.rate;
    p.b3 = bound(3) * cube;
    p.b4 = bound(4) * cube * p.rate;
  }

  void look(R tau) {
    at_ = tau;
    local_terms_ = 0;
    parts_ = 0;
    if (tau == 0) {
      std::copy_n(start_, 4, total_);
      std::copy_n(start_size_, 2, total_size_);
      total_b3_ = b3_;
      total_b4_ = b4_;
      if (held_ || by_series(tau)) {
        splits_ = false;
        return;
      }
    } else if (by_series(tau) && !held_) {
      // All derivatives in one go: Horner's scheme on its own sums.
      R d[4] = {};
      for (int n = order; n >= 0; --n) {
        d[3] = d[3] * tau + d[2];
        d[2] = d[2] * tau + d[1];
        d[1] = d[1] * tau + d[0];
        d[0] = d[0] * tau + series_[n];
      }
      total_[0] = d[0];
      total_[1] = d[1];
      total_[2] = 2 * d[2];
      total_[3] = 6 * d[3];
      total_size_[0] = std::abs(total_[0]) + std::abs(v_) * tau;
      total_size_[1] = std::abs(total_[1]) + std::abs(v_);
      total_b3_ = b3_;
      total_b4_ = b4_;
      splits_ = false;
      return;
    }
    poly_now_[0] = poly_[0] + tau * (poly_[1] + tau * (poly_[2] + tau * poly_[3]));
    poly_now_[1] = poly_[1] + tau * (2 * poly_[2] + tau * 3 * poly_[3]);
    poly_now_[2] = 2 * poly_[2] + tau * 6 * poly_[3];
    poly_now_[3] = 6 * poly_[3];
    if (!held_) look_at_free(tau);
    if (in_.tones > 0) {
      part& p = part_[parts_++];
      p.rate = in_.fastest;
      std::fill_n(p.d, 4, R(0));
      for (int j = 0; j < in_.tones; ++j) {
        const R w = in_.omega[j];
        const R s = tau == 0 ? R(0) : std::sin(w * tau), c = tau == 0 ? R(1) : std::cos(w * tau);
        const R now = cosine_[j] * c + sine_[j] * s, rise = w * (sine_[j] * c - cosine_[j] * s);
        tone_now_[j] = now;
        tone_slope_[j] = rise;
        p.d[0] += now;
        p.d[1] += rise;
        p.d[2] -= w * w * now;
        p.d[3] -= w * w * rise;
      }
      p.b0 = tone_bound_[0];
      p.b1 = tone_bound_[1];
      p.b3 = tone_bound_[3];
      p.b4 = tone_bound_[4];
    }
    // Slow ones first.
    for (int i = 1; i < parts_; ++i)
      for (int j = i; j > 0 && part_[j].rate < part_[j - 1].rate; --j)
        std::swap(part_[j], part_[j - 1]);
    splits_ = parts_ > 0;
    if (tau == 0) return;
    std::copy_n(poly_now_, 4, total_);
    for (int n = 0; n < 2; ++n) total_size_[n] = std::abs(poly_now_[n]);
    total_b3_ = std::abs(poly_now_[3]);
    total_b4_ = 0;
    for (int i = 0; i < parts_; ++i) {
      for (int n = 0; n < 4; ++n) total_[n] += part_[i].d[n];
      for (int n = 0; n < 2; ++n) total_size_[n] += std::abs(part_[i].d[n]);
      total_b3_ += part_[i].b3;
      total_b4_ += part_[i].b4;
    }
  }

  // Of the motion of the body from the start on; 0 where there is none.
  R direction() const {
    if (const R v = v_ + R(mass_->belt); v != 0) return v > 0 ? R(1) : R(-1);
    for (int n = 2; n <= 4; ++n)
      if (std::abs(start_[n]) > 16 * eps * start_size_[n]) return start_[n] > 0 ? R(1) : R(-1);
    return 0;
  }

  // ---- guards -------------------------------------------------------------------------------------

  guard_form v_guard(R side) const { return {0, 0, 0, side}; }
  guard_form turn_guard() const {
    const R belt = R(mass_->belt);
    return {turning_ * belt, std::abs(belt), 0, turning_};
  }
  guard_form stuck_guard(int i, R side) const {
    const R bent = side * kappa_[i] * a_[i];
    return {limit_[i] - bent, limit_[i] + std::abs(bent), -side * kappa_[i], -side * sigma_[i]};
  }
  guard_form slip_guard(int i) const {
    const R s = R(mode_[i]);
    guard_form form{0, 0, 0, s};
    if (d_[i] != 0 && rate_[i] * at_ <= spent) {
      form.own = s * rate_[i] * d_[i];
      form.rate = rate_[i];
      form.left = at_ == 0 ? form.own : form.own * std::exp(-form.rate * at_);
    }
    return form;
  }
  guard_form held_guard(R side) const { return {resting_limit(), resting_limit(), -side, 0}; }

  void try_element(int i, step& best) {
    if (mode_[i] != 0) {
      if (limit_[i] == 0) return;
      const guard_form form = slip_guard(i);
      // Elements that are relaxed have the same guard.
      if (form.own == 0 && std::exchange(is_tried_[mode_[i] > 0], true)) return;
      try_guard(form, i, best);
      return;
    }
    const R q = kappa_[i] * (a_[i] + total_[0]) + sigma_[i] * total_[1];
    // The nearer border first.
    const R side = q < 0 ? R(-1) : R(1);
    try_guard(stuck_guard(i, side), i, best);
    try_guard(stuck_guard(i, -side), i, best);
  }
  // The element that seems to reach its border first, as a guess.
  int soonest() const {
    int who = -1;
    R least = never;
    for (int i = 0; i < count(); ++i) {
      R g = 0, fall = 0;
      if (mode_[i] == 0) {
        const R q = kappa_[i] * (a_[i] + total_[0]) + sigma_[i] * total_[1];
        const R rise = kappa_[i] * total_[1] + sigma_[i] * total_[2];
        g = limit_[i] - (rise < 0 ? -q : q);
        fall = std::abs(rise);
      } else {
        g = R(mode_[i]) * total_[1];
        fall = R(-mode_[i]) * total_[2];
      }
      if (fall > 0 && g < least * fall) {
        least = g / fall;
        who = i;
      }
    }
    return who;
  }
  void try_slider(step& best) {
    if (!held_) return try_guard(v_guard(R(slider_)), slider_guard, best);
    try_guard(held_guard(1), slider_guard, best);
    try_guard(held_guard(-1), slider_guard, best);
  }

  struct value {
    R g, g1, g2, M;
  };
  value value_of(const guard_form& f) const {
    value now;
    now.g = f.base + f.alpha * total_[0] + f.beta * total_[1];
    now.g1 = f.alpha * total_[1] + f.beta * total_[2];
    now.g2 = f.alpha * total_[2] + f.beta * total_[3];
    now.M = std::abs(f.alpha) * total_b3_ + std::abs(f.beta) * total_b4_;
    if (f.own != 0) {
      const R squared = f.rate * f.rate;
      now.g += f.left;
      now.g1 -= f.rate * f.left;
      now.g2 += squared * f.left;
      now.M += squared * f.rate * std::abs(f.left);
    }
    return now;
  }
  // Rounding of a guard and of its derivatives at the start of a phase.
  R rounding_of(const guard_form& f, int n) const {
    const R own = std::abs(f.own) * (n == 0 ? R(1) : n == 1 ? f.rate : f.rate * f.rate);
    return 16 * eps *
           ((n == 0 ? f.size : R(0)) + std::abs(f.alpha) * start_size_[n] +
            std::abs(f.beta) * start_size_[n + 1] + own);
  }

  // Whether the cubic is surely above 0 all the way. By the signs of its coefficients it has one zero,
  // so that its end tells; only where it falls, and bends upwards, it may have three.
  static bool stays_above(R g, R g1, R g2, R M, R way) {
    if (g1 < 0 && g2 > 0) g2 = 0;
    return g + way * (g1 + way * (g2 / 2 - way * M * (R(1) / 6))) > 0;
  }

  void try_guard(const guard_form& f, int who, step& best) {
    value now = value_of(f);
    if (stays_above(now.g, now.g1, now.g2, now.M, best.length)) return;
    now.g = std::max(now.g, R(0));
    if (at_ == 0 && now.g <= rounding_of(f, 0)) {
      // On the border: the first derivative that is more than rounding decides; a tie stays.
      now.g = 0;
      if (std::abs(now.g1) <= rounding_of(f, 1)) now.g1 = 0;
      if (now.g1 == 0 && std::abs(now.g2) <= rounding_of(f, 2)) {
        const R pace = std::max({w_, 2 * sg_, in_.fastest, f.rate});
        const R while_away = pace > 0 ? R(0.01) / pace : best.length;
        const R third = f.alpha * start_[3] + f.beta * start_[4] - f.own * f.rate * f.rate * f.rate;
        const R third_size =
            16 * eps *
            (std::abs(f.alpha) * start_size_[3] + std::abs(f.beta) * start_size_[4] +
             std::abs(f.own) * f.rate * f.rate * f.rate);
        if (third >= -third_size) {
          if (while_away < best.length) best = {while_away, who, false};
          return;
        }
        now.g2 = -std::abs(third_size);
      }
    }
    if (splits_ && !held_ && now.g1 < 0 && now.g > 0)
      if (const R zero = along_series(f, now); zero > 0) {
        if (zero < best.length) best = {zero, who, true, true};
        return;
      }
    // Fast parts by their size: the guard's own exponential, and parts of z from the fastest on. Most
    // guards are found harmless without any zero being looked for.
    value bounded[4];
    int bounds = 0;
    if (f.own != 0 || splits_) {
      const R own = f.left;
      const int most = splits_ ? parts_ : 0;
      for (int kept = most; kept >= 0; --kept) {
        if (kept == most && own == 0) continue;  // that is all of it
        value sum = sum_of_parts(f, kept);
        if (kept < most && f.rate < part_[kept].rate) {
          sum.g += own;
          sum.g1 -= f.rate * own;
          sum.g2 += f.rate * f.rate * own;
          sum.M += f.rate * f.rate * f.rate * std::abs(own);
        } else {
          sum.g -= std::abs(own);
        }
        if (!(sum.g > 0)) continue;
        if (stays_above(sum.g, sum.g1, sum.g2, sum.M, best.length)) return;
        bounded[bounds++] = sum;
      }
    }
    R length = detail::before_first_zero(now.g, now.g1, now.g2, now.M);
    for (int i = 0; i < bounds && length < best.length; ++i) {
      const auto& [g, g1, g2, M] = bounded[i];
      if (g + length * (g1 + length * (g2 / 2 - length * M * (R(1) / 6))) <= 0)
        continue;  // no further
      length = std::max(length, detail::before_first_zero(g, g1, g2, M));
    }
    // What its own exponential will have left by then, without another look.
    if (f.own != 0 && length < best.length) {
      value sum = sum_of_parts(f, splits_ ? parts_ : 0);
      sum.g -= std::abs(f.own) * std::exp(-f.rate * (at_ + length));
      const auto& [g, g1, g2, M] = sum;
      if (g > 0 && g + length * (g1 + length * (g2 / 2 - length * M * (R(1) / 6))) > 0) {
        if (stays_above(g, g1, g2, M, best.length)) return;
        length = std::max(length, detail::before_first_zero(g, g1, g2, M));
      }
    }
    if (length >= best.length) return;
    const R resolved = eps * (at_ + length);
    const bool is_sharp =
        length <= resolved || now.M * length * length * length <= std::abs(now.g1) * resolved;
    best = {length, who, is_sharp};
  }

  // The zero of a guard that falls, by the series from where one looks; 0 where that does not reach it
  // or its slope might change its sign before.
  R along_series(const guard_form& f, const value& now) {
    const R fall = -now.g1, g2 = now.g2;
    R pace = f.own != 0 ? f.rate : R(0);
    if (parts_ > 0) pace = std::max(pace, part_[parts_ - 1].rate);
    if (!(pace > 0)) return 0;
    R way = widest / pace;
    if (!(now.g + way * (now.g1 + way * g2 / 2) < 0)) return 0;
    R t = 2 * now.g / (fall + std::sqrt(std::max(R(0), fall * fall - 2 * now.g * g2)));
    // As many terms as the angle asks for.
    int n = local_order;
    if (const R angle = t * pace; sizeof(R) == 8 && angle < R(0.8)) {
      n = angle < R(0.15) ? 11 : angle < R(0.4) ? 14 : 18;
      way = (angle < R(0.15) ? R(0.2) : angle < R(0.4) ? R(0.5) : R(1)) / pace;
    }
    expand(n);
    R series[local_order + 1];
    for (int i = 0; i < n; ++i) series[i] = f.alpha * local_[i] + f.beta * R(i + 1) * local_[i + 1];
    series[0] += f.base;
    if (f.own != 0) {
      R e = f.left;
      for (int i = 0; i < n; ++i) {
        series[i] += e;
        e *= -f.rate * inverse[static_cast<std::size_t>(i + 1)];
      }
    }
    // A better guess by the first terms.
    if (const R slope = series[1] + t * (2 * series[2] + t * 3 * series[3]); slope < 0) {
      const R rest = series[0] + t * (series[1] + t * (series[2] + t * series[3]));
      t = std::min(std::max(t - rest / slope, R(0)), way);
    }
    for (int i = 0; i < 8; ++i) {
      R g = 0, slope = 0;
      sum_series(series, n, t, g, slope);
      const R off = g / slope;
      t -= off;
      if (!(t > 0 && t <= way)) return 0;
      if (off * off >= eps * t * t) continue;  // the next is smaller than rounding
      if (std::max(g2, R(0)) * t + now.M * t * t / 2 < fall) return t;
      // The slope is below its first term and those that are above 0 at the end.
      R most = 0;
      for (int k = n - 1; k >= 2; --k) most = (most + std::max(R(0), R(k) * series[k])) * t;
      return most < -series[1] ? t : R(0);
    }
    return 0;
  }
  // A series of n terms and its slope: even and odd powers apart, so that they do not wait.
  static void sum_series(const R* c, int n, R t, R& value, R& slope) {
    const R s = t * t;
    R even = 0, odd = 0, even_slope = 0, odd_slope = 0;
    int i = n - 1;
    if (i % 2 == 0) even = c[i--];
    for (; i > 0; i -= 2) {
      odd_slope = odd_slope * s + odd;
      odd = odd * s + c[i];
      even_slope = even_slope * s + even;
      even = even * s + c[i - 1];
    }
    value = even + t * odd;
    slope = odd + 2 * (t * even_slope + s * odd_slope);
  }
  // z from where one looks, with terms up to the power n.
  void expand(int n) {
    if (local_terms_ >= n) return;
    local_terms_ = n;
    R* c = local_;
    std::fill_n(c, n + 1, R(0));
    c[0] = poly_now_[0];
    c[1] = poly_now_[1];
    c[2] = poly_now_[2] / 2;
    c[3] = poly_now_[3] / 6;
    const R* part = inverse.data();
    const auto add_swing = [&](R value, R slope, R damped, R square) {
      c[0] += value;
      c[1] += slope;
      for (int i = 0; i + 2 <= n; ++i) {
        const R next =
            (-square * part[i + 1] * part[i + 2]) * value - (damped * part[i + 2]) * slope;
        value = slope;
        slope = next;
        c[i + 2] += next;
      }
    };
    if (free_ == free_kind::decays) {
      for (int k = 0; k < 2; ++k) {
        R e = free_now_[k];
        if (e == 0) continue;
        for (int i = 0; i <= n; ++i) {
          c[i] += e;
          e *= -l_[k] * part[i + 1];
        }
      }
    } else if (free_now_[0] != 0 || free_now_[1] != 0) {
      add_swing(free_now_[0], free_now_[1], 2 * sg_, w2_);
    }
    for (int j = 0; j < in_.tones; ++j)
      add_swing(tone_now_[j], tone_slope_[j], 0, in_.omega[j] * in_.omega[j]);
  }

  value sum_of_parts(const guard_form& f, int kept) const {
    value sum;
    const R* from = splits_ ? poly_now_ : total_;
    sum.g = f.base + f.alpha * from[0] + f.beta * from[1];
    sum.g1 = f.alpha * from[1] + f.beta * from[2];
    sum.g2 = f.alpha * from[2] + f.beta * from[3];
    sum.M = splits_ ? std::abs(f.alpha * poly_now_[3])
                    : std::abs(f.alpha) * total_b3_ + std::abs(f.beta) * total_b4_;
    if (!splits_) return sum;
    for (int i = 0; i < parts_; ++i) {
      const part& p = part_[i];
      if (i < kept) {
        sum.g += f.alpha * p.d[0] + f.beta * p.d[1];
        sum.g1 += f.alpha * p.d[1] + f.beta * p.d[2];
        sum.g2 += f.alpha * p.d[2] + f.beta * p.d[3];
        sum.M += std::abs(f.alpha) * p.b3 + std::abs(f.beta) * p.b4;
      } else {
        sum.g -= std::abs(f.alpha) * p.b0 + std::abs(f.beta) * p.b1;
      }
    }
    return sum;
  }

  // The border that an element crossed where the phase ends: +-1 for the side, 0 for none. With the
  // one that was found, all that cross within the resolution of time.
  int crossed(int i, R a, R v) const {
    if (limit_[i] == 0) return 0;
    const auto crosses = [&](const guard_form& f) {
      const value now = value_of(f);
      if (found_ != i && !(now.g1 < 0)) return false;
      const R size = f.size + std::abs(f.alpha) * total_size_[0] +
                     std::abs(f.beta) * total_size_[1] + std::abs(f.own);
      return now.g <= 4 * eps * (std::abs(now.g1) * at_ + size);
    };
    if (mode_[i] != 0) return found_ == i || crosses(slip_guard(i)) ? mode_[i] : 0;
    const int side = kappa_[i] * a + sigma_[i] * v < 0 ? -1 : 1;
    return found_ == i || crosses(stuck_guard(i, R(side))) ? side : 0;
  }
};

}  // namespace asperity
