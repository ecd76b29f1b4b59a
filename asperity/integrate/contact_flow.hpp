// SPDX-License-Identifier: Apache-2.0
#pragma once

// The motion of a linear_contact from event to event, in closed form. In every phase
//
//   m p'' + C p' + Q p - S e = u(t),   e' = -(a p + b e)
//
// with, for a filtered contact (e is its deflection),
//
//   flies     C = c,      Q = k,                  S = 0,                 a = 0,       b = 1/beta
//   presses   C = c,      Q = k + K beta/alpha,   S = K (1 - beta/alpha),  a = b = 1/alpha
//
// and for a spring and damper without a filter S = a = b = 0 and
//
//   flies     C = c,      Q = k        also where a clamped one is released, p < 0 without force
//   presses   C = c + B,  Q = k + K
//
// A phase lasts while its guards are above 0:
//
//   filtered  flies: p + e (1 - alpha/beta);  presses: e + beta e', which is f/K
//   jumping   flies: p;  presses: -p
//   clamped   flies: p;  presses: -K p - B v;  released: -p and K p + B v
//
// p, e and each guard are sums of a polynomial, sines, decaying terms and one damped oscillation, with
// the same rates; events are looked for as in exact_flow.hpp. A filtered contact has three modes: one
// real root of
//
//   m alpha l^3 + (m + c alpha) l^2 + (c + k alpha + K beta) l + k + K = 0
//
// is split off, the one that lies furthest from the others; where all three come together, and where
// short flights would cancel, the motion is a power series from the start of the phase.

#include <asperity/integrate/exact_flow.hpp>
#include <asperity/integrate/linear_contact.hpp>
#include <asperity/integrate/phase_inputs.hpp>

namespace asperity {

template <class R>
class contact_flow {
 public:
  static constexpr int most_tones = detail::phase_inputs<R>::most_tones;
  using ending = phase_ending;
  enum class mode { flies, presses, released };

  explicit contact_flow(const linear_contact& system)
      : system_(&system),
        in_(system.body),
        m_(R(system.body.m)),
        K_(R(system.contact.K)),
        B_(R(system.contact.B)),
        alpha_(R(system.contact.alpha)),
        beta_(R(system.contact.beta)) {
    set_spectra();
  }

  void start(R t, R p, R v, R e = 0) {
    t_ = t;
    t_low_ = 0;
    p_ = p;
    v_ = v;
    e_ = is_filtered() ? e : R(0);
    choose_mode();
    in_.number = -1;
    begin();
  }
  // Onward from the end of the last phase.
  void go_on() { begin(); }

  // Finds the end of the phase, not after `limit`. With `turns`, it ends where the velocity passes 0,
  // too.
  ending find_end(R limit, bool turns = false) {
    R span = (limit - t_) - t_low_;
    if (!in_.is_last()) span = std::min(span, (in_.until() - t_) - t_low_);
    const bool is_cut = marches_ && reach_ < span;
    if (is_cut) span = reach_;
    const bool asks_turn = turns && set_turn();
    R tau = 0;
    for (long looks = 0; looks < most_looks; ++looks) {
      ++looks_;
      set_basis(tau);
      step best{span - tau};
      for (int i = 0; i < guards_; ++i) try_guard(guard_[i], i, best);
      if (asks_turn) try_guard(turn_, turn_of_v, best);
      if (!(best.length < span - tau)) {
        end_ = span;
        return is_cut ? ending::cut : ending::at_limit;
      }
      tau += best.length;
      if (!best.is_sharp) continue;
      end_ = tau;
      found_ = best.who;
      return found_ == turn_of_v ? ending::turned : ending::switched;
    }
    end_ = tau;
    return ending::stalled;
  }

  // Takes the state to the end that was found; what crossed its border changes.
  void take_end(ending how) {
    R p = p_, v = v_, e = e_;
    if (end_ > 0) state(end_, p, v, e);
    if (how == ending::switched) {
      ++switches_;
      change_mode(p, v, e);
    }
    if (how == ending::turned) v = 0;
    p_ = p;
    v_ = v;
    e_ = e;
    // Time as a sum of two numbers, so that long runs keep the digits of their phases.
    const R sum = t_ + end_, rest = end_ - (sum - t_);
    const R low = t_low_ + rest;
    t_ = sum + low;
    t_low_ = low - (t_ - sum);
  }

  // Place, velocity and deflection at tau after the start of the phase.
  void state(R tau, R& p, R& v, R& e) const {
    basis at;
    set_basis(tau, at);
    value_and_slope(place_, at, p, v);
    e = 0;
    R fall = 0;
    if (is_filtered()) value_and_slope(deflection_, at, e, fall);
  }
  void motion(R tau, R& p, R& v) const {
    basis at;
    set_basis(tau, at);
    value_and_slope(place_, at, p, v);
  }

  // The motion at tau, tau + spacing ...: sines and exponentials go on by multiplication, and are
  // taken afresh now and then.
  void motion_on_grid(R tau, R spacing, int many, R* p, R* v) const {
    const spectrum& s = *spectrum_;
    int i = 0;
    for (; i < many && (by_series(tau + R(i) * spacing) || s.kind == pair_kind::near_critical); ++i)
      motion(tau + R(i) * spacing, p[i], v[i]);
    if (i == many) return;
    constexpr int block = 32;
    basis at, go;
    bool has_go = false;
    R E = 0, turn = 0;
    for (int since = 0; i < many; ++i, ++since) {
      const R here = tau + R(i) * spacing;
      if (since % block == 0) {
        set_basis(here, at);
        if (is_bare(at)) break;
        if (!has_go && many - i > 1) {
          set_basis(spacing, go, false);
          has_go = true;
          E = s.kind == pair_kind::swings ? (go.z + go.v) / 2 : R(0);
          turn = go.s;
        }
      }
      at.tau = here;
      value_and_slope(place_, at, p[i], v[i]);
      for (int j = 0; j < in_.tones; ++j) {
        const R next = at.sine[j] * go.cosine[j] + at.cosine[j] * go.sine[j];
        at.cosine[j] = at.cosine[j] * go.cosine[j] - at.sine[j] * go.sine[j];
        at.sine[j] = next;
      }
      for (int n = 0; n < s.decays; ++n) at.decay[n] *= go.decay[n];
      if (s.kind == pair_kind::swings) {
        // K = e^-st cos rt and S = e^-st sin rt / r turn as one number of the plane.
        const R K = (at.z + at.v) / 2, S = at.s, next = S * E + K * turn;
        const R now = K * E - S * turn * s.r * s.r;
        at.s = next;
        at.z = now + s.sg * next;
        at.v = now - s.sg * next;
      }
    }
    // Nothing but the polynomial is left.
    for (; i < many; ++i) {
      const R here = tau + R(i) * spacing;
      const R* c = place_.poly;
      p[i] = c[0] + here * (c[1] + here * (c[2] + here * c[3]));
      v[i] = c[1] + here * (2 * c[2] + here * 3 * c[3]);
    }
  }

  // Of the contact, on the body.
  R force(R tau) const {
    if (mode_ != mode::presses) return 0;
    basis at;
    set_basis(tau, at);
    R p = 0, v = 0;
    if (is_filtered()) {
      value_and_slope(deflection_, at, p, v);
      return K_ * std::max(R(0), p + beta_ * v);
    }
    value_and_slope(place_, at, p, v);
    const R f = -K_ * p - B_ * v;
    return system_->contact.kind == law::clamped ? std::max(R(0), f) : f;
  }

  R phase_start() const { return t_; }
  R since_start(R t) const { return (t - t_) - t_low_; }
  R end() const { return end_; }
  R end_time() const { return t_ + (end_ + t_low_); }
  long switches() const { return switches_; }
  long looks() const { return looks_; }
  mode now() const { return mode_; }
  int guards() const { return guards_; }
  // A guard at tau, and the size that it has in this phase.
  R guard(int i, R tau, R& size) const {
    basis at;
    set_basis(tau, at);
    R g = 0, slope = 0;
    value_and_slope(guard_[i], at, g, slope);
    size = guard_[i].size[0];
    return g;
  }

 private:
  using law = contact_element::law;
  static constexpr R eps = std::numeric_limits<R>::epsilon();
  static constexpr R spent = R(9) + R(0.6931) * std::numeric_limits<R>::digits;  // exp(-spent) is 0
  static constexpr int turn_of_v = -1;
  static constexpr long most_looks = 1'000'000;
  static constexpr int order = 18;           // of power series
  static constexpr R series_angle = R(0.5);  // up to which they are taken
  static constexpr R soft = 16, too_soft = 50;
  static constexpr R too_close = R(0.02);  // of three roots

  // The rates of a mode, which do not depend on the phase.
  enum class pair_kind { none, swings, near_critical };
  struct spectrum {
    R C = 0, Q = 0, S = 0, a = 0, b = 0;
    int decays = 0;
    R rate[3] = {};
    int first_of_pair = -1;  // where the pair is two that decay
    int of_deflection = -1;  // the decay of e in flight
    pair_kind kind = pair_kind::none;
    R sg = 0, w2 = 0, w = 0, r = 0;
    bool is_coupled = false, comes_together = false;
    R split = 0, beside = 0, gap = 0;  // the root that is split off, 1 + alpha l, alpha q(l)
  };

  // A function of time in a phase.
  struct sum {
    R poly[4];
    R cosine[most_tones], sine[most_tones];
    R decay[3];
    R h0, hv;  // of the pair, at the start
    R series[order + 1];
    R bound;              // of its third derivative, while it is a series
    R start[4], size[4];  // itself and its derivatives at the start, by the equations; their sizes
  };
  // What all of them are made of, at an instant.
  struct basis {
    R tau = 0;
    bool is_series = false;
    R sine[most_tones], cosine[most_tones];
    R decay[3];
    R z = 0, s = 0, v = 0;  // the pair is h0 z + hv s, its rate hv v - h0 w2 s
  };

  const linear_contact* system_;
  detail::phase_inputs<R> in_;
  R m_, K_, B_, alpha_, beta_;
  spectrum flies_, presses_;
  const spectrum* spectrum_ = &flies_;

  mode mode_ = mode::flies;
  R t_ = 0, t_low_ = 0, p_ = 0, v_ = 0, e_ = 0, end_ = 0;
  bool marches_ = false;  // by power series alone
  R reach_ = 0;           // up to which the series is taken
  R P_[5] = {}, P_size_[5] = {}, E_[5] = {}, E_size_[5] = {};
  sum place_, deflection_, guard_[2], turn_;
  int guards_ = 0, found_ = 0;
  basis at_;
  long switches_ = 0, looks_ = 0;

  bool is_filtered() const { return system_->contact.kind == law::filtered; }
  // A clamped one without a damper never pulls.
  bool lets_go() const { return system_->contact.kind == law::clamped && B_ > 0; }
  R share() const { return 1 - alpha_ / beta_; }

  // ---- modes --------------------------------------------------------------------------------------

  void set_spectra() {
    const R k = R(system_->body.k), c = R(system_->body.c);
    flies_.C = c;
    flies_.Q = k;
    if (!is_filtered()) {
      presses_.C = c + B_;
      presses_.Q = k + K_;
      set_pair(flies_);
      set_pair(presses_);
      return;
    }
    flies_.b = 1 / beta_;
    set_pair(flies_);
    flies_.of_deflection = flies_.decays;
    flies_.rate[flies_.decays++] = flies_.b;
    presses_.C = c;
    presses_.Q = k + K_ * (beta_ / alpha_);
    presses_.S = K_ * (1 - beta_ / alpha_);
    presses_.a = presses_.b = 1 / alpha_;
    set_three(k, c);
  }

  // m l^2 + C l + Q, with the regime that suits it.
  void set_pair(spectrum& s) const {
    s.sg = s.C / (2 * m_);
    s.w2 = s.Q / m_;
    set_regime(s);
  }
  static void set_regime(spectrum& s) {
    s.w = std::sqrt(s.w2);
    const R D = s.sg * s.sg - s.w2;
    s.r = std::sqrt(std::abs(D));
    s.kind = pair_kind::none;
    if (s.w2 == 0 && s.sg == 0) return;
    if (D < 0) {
      s.kind = pair_kind::swings;
    } else if (!(s.r > R(0.3) * s.sg)) {
      s.kind = pair_kind::near_critical;
    } else {
      s.first_of_pair = s.decays;
      s.rate[s.decays++] = s.sg + s.r;
      if (s.w2 > 0) s.rate[s.decays++] = s.w2 / (s.sg + s.r);
    }
  }

  void set_three(R k, R c) {
    spectrum& s = presses_;
    s.is_coupled = true;
    const R A2 = 1 / alpha_ + c / m_, A1 = (c + k * alpha_ + K_ * beta_) / (m_ * alpha_),
            A0 = (k + K_) / (m_ * alpha_);
    const auto value = [&](R l) { return A0 + l * (A1 + l * (A2 + l)); };
    const auto slope = [&](R l) { return A1 + l * (2 * A2 + 3 * l); };
    // Below 0 at -A2, since A1 A2 >= A0 where beta >= alpha.
    R low = -A2, high = 0;
    for (int i = 0; i < 200 && high - low > 4 * eps * -low; ++i) {
      const R middle = (low + high) / 2;
      (value(middle) <= 0 ? low : high) = middle;
    }
    const auto polished = [&](R l) {
      for (int i = 0; i < 3; ++i) {
        const R fall = slope(l);
        if (fall == 0) break;
        const R next = l - value(l) / fall;
        if (!(next < 0) || !(std::abs(next - l) < R(1e-3) * -l)) break;
        l = next;
      }
      return l;
    };
    split_off(s, low, k, c);
    if (s.sg * s.sg > s.w2) {
      // Three real ones: that with the widest ratio to its neighbour.
      const R r = std::sqrt(s.sg * s.sg - s.w2);
      R root[3] = {low, -(s.sg + r), -s.w2 / (s.sg + r)};
      std::sort(root, root + 3);
      split_off(s, polished(root[0] / root[1] > root[1] / root[2] ? root[0] : root[2]), k, c);
    } else {
      split_off(s, polished(low), k, c);
    }
    s.comes_together = !(std::abs(s.gap) > too_close * alpha_ * (s.split * s.split + s.w2));
    s.decays = 1;
    s.rate[0] = -s.split;
    set_regime(s);
  }
  // Without differences of numbers that nearly agree.
  void split_off(spectrum& s, R l, R k, R c) const {
    const R others = m_ * l * l + c * l + k + K_ * (beta_ / alpha_);
    s.split = l;
    s.beside = K_ * (beta_ / alpha_ - 1) / others;
    s.w2 = (k + K_) / (m_ * alpha_ * -l);
    s.sg = (c / m_ + s.beside / alpha_) / 2;
    s.gap = alpha_ * (l * l + 2 * s.sg * l + s.w2);
  }

  void choose_mode() {
    if (is_filtered()) {
      mode_ = e_ - beta_ * (p_ + e_) / alpha_ > 0 ? mode::presses : mode::flies;
      return;
    }
    const bool touches = p_ < 0 || (p_ == 0 && v_ < 0);
    mode_ = !touches                              ? mode::flies
            : lets_go() && K_ * p_ + B_ * v_ >= 0 ? mode::released
                                                  : mode::presses;
  }

  // At the border, which the state is set on.
  void change_mode(R& p, R& v, R& e) {
    if (is_filtered()) {
      mode_ = mode_ == mode::flies ? mode::presses : mode::flies;
      p = -e * share();
      return;
    }
    switch (mode_) {
      case mode::flies:
        mode_ = mode::presses;
        p = 0;
        return;
      case mode::presses:
        mode_ = lets_go() ? mode::released : mode::flies;
        break;
      case mode::released:
        mode_ = found_ == 0 ? mode::flies : mode::presses;
        if (found_ != 0) v = -K_ * p / B_;
    }
    if (mode_ == mode::released) v = -K_ * p / B_;
    if (mode_ == mode::flies) p = 0;
  }

  // ---- the phase ----------------------------------------------------------------------------------

  void begin() {
    in_.take_piece(t_);
    in_.set(t_, t_low_);
    spectrum_ = mode_ == mode::presses ? &presses_ : &flies_;
    const spectrum& s = *spectrum_;
    set_start(s);
    reach_ = 0;
    set_forced(s);
    marches_ = !set_free(s);
    if (marches_) {
      const R fast = std::max({in_.fastest, s.w, 2 * s.sg, -s.split, 1 / alpha_});
      reach_ = series_angle / fast;
      set_series(s);
    }
    // A flight is short, and small, beside what its closed form is the difference of.
    if (mode_ != mode::presses && (in_.tones > 0 || s.Q > 0 || s.C > 0)) {
      const R fast = std::max({in_.fastest, s.w, 2 * s.sg});
      reach_ = fast > 0 ? series_angle / fast : R(0);
      const R way =
          std::abs(p_) +
          reach_ * (std::abs(v_) + reach_ * (std::abs(P_[2]) / 2 + reach_ * std::abs(P_[3]) / 6));
      R largest = std::abs(place_.poly[0]) + reach_ * std::abs(place_.poly[1] - v_);
      for (int j = 0; j < in_.tones; ++j)
        largest += std::abs(place_.cosine[j]) + std::abs(place_.sine[j]);
      marches_ = fast > 0 && !(largest <= too_soft * way);
      if (largest <= soft * std::abs(p_)) {
        reach_ = 0;
      } else if (fast > 0) {
        set_series(s);
      }
    }
    set_guards();
  }

  // p, e and their derivatives by the equations themselves.
  void set_start(const spectrum& s) {
    P_[0] = p_;
    P_[1] = v_;
    E_[0] = e_;
    P_size_[0] = std::abs(p_);
    P_size_[1] = std::abs(v_);
    E_size_[0] = std::abs(e_);
    for (int n = 0; n < 3; ++n) {
      P_[n + 2] = (in_.now[n] - s.C * P_[n + 1] - s.Q * P_[n] + s.S * E_[n]) / m_;
      E_[n + 1] = -(s.a * P_[n] + s.b * E_[n]);
      P_size_[n + 2] =
          (in_.size[n] + s.C * P_size_[n + 1] + s.Q * P_size_[n] + std::abs(s.S) * E_size_[n]) / m_;
      E_size_[n + 1] = s.a * P_size_[n] + s.b * E_size_[n];
    }
    E_[4] = -(s.a * P_[3] + s.b * E_[3]);
    E_size_[4] = s.a * P_size_[3] + s.b * E_size_[3];
  }

  void clear(sum& f) const {
    std::fill_n(f.poly, 4, R(0));
    std::fill_n(f.decay, 3, R(0));
    std::fill_n(f.cosine, in_.tones, R(0));
    std::fill_n(f.sine, in_.tones, R(0));
    f.h0 = f.hv = 0;
  }

  void set_forced(const spectrum& s) {
    clear(place_);
    if (is_filtered()) clear(deflection_);
    const R steady = in_.steady, ramp = in_.slope;
    R* poly = place_.poly;
    if (s.is_coupled) {
      const R stiff = s.Q + s.S, damped = s.C + alpha_ * s.Q;
      poly[1] = ramp / stiff;
      poly[0] = (steady + alpha_ * ramp - damped * poly[1]) / stiff;
      deflection_.poly[1] = -poly[1];
      deflection_.poly[0] = alpha_ * poly[1] - poly[0];
    } else if (s.Q > 0) {
      poly[1] = ramp / s.Q;
      poly[0] = (steady - s.C * poly[1]) / s.Q;
    } else if (s.C > 0) {
      poly[2] = ramp / s.C / 2;
      poly[1] = (steady - m_ * ramp / s.C) / s.C;
    } else {
      poly[2] = steady / (2 * m_);
      poly[3] = ramp / (6 * m_);
    }
    for (int j = 0; j < in_.tones; ++j) {
      const R w = in_.omega[j], fc = in_.cosine[j], fs = in_.sine[j];
      R real = s.Q - m_ * w * w, imaginary = s.C * w, above = 0;
      if (s.is_coupled) {
        real = (s.Q + s.S) - w * w * (m_ + alpha_ * s.C);
        imaginary = w * (s.C + alpha_ * s.Q) - w * w * w * m_ * alpha_;
        above = w * alpha_;
      }
      const R scale = 1 / (real * real + imaginary * imaginary);
      // u/(real + i imaginary), which is -e where they are coupled; p = (1 + i w alpha) of that.
      const R hr = real * scale, hi = -imaginary * scale;
      const R cosine = hr * fc + hi * fs, sine = hr * fs - hi * fc;
      place_.cosine[j] = cosine + above * sine;
      place_.sine[j] = sine - above * cosine;
      if (s.is_coupled) {
        deflection_.cosine[j] = -cosine;
        deflection_.sine[j] = -sine;
      }
    }
  }

  // False where it cannot be taken apart.
  bool set_free(const spectrum& s) {
    R p = p_ - place_.poly[0], v = v_ - place_.poly[1];
    R e = e_;
    if (s.is_coupled) e -= deflection_.poly[0];
    for (int j = 0; j < in_.tones; ++j) {
      p -= place_.cosine[j];
      v -= in_.omega[j] * place_.sine[j];
      if (s.is_coupled) e -= deflection_.cosine[j];
    }
    if (s.comes_together) {
      // Nothing is left to be taken apart where it has died out.
      return std::abs(p) <= 4 * eps * std::abs(p_) && std::abs(e) <= 4 * eps * std::abs(e_) &&
             std::abs(v) <= 4 * eps * (std::abs(v_) + s.w * std::abs(p_));
    }
    if (s.is_coupled) {
      const R l = s.split, c = s.C;
      const R others = m_ * l * l + c * l + s.Q;
      const R amplitude = ((l + c / m_) * p + v - (alpha_ / m_) * others * e) / s.gap;
      const R of_p = amplitude * s.beside;
      place_.decay[0] = of_p;
      deflection_.decay[0] = -amplitude;
      const R p_pair = p - of_p, v_pair = v - l * of_p, e_pair = e + amplitude;
      set_pair_of(s, place_, p_pair, v_pair);
      set_pair_of(s, deflection_, e_pair, -s.a * (p_pair + e_pair));
      return true;
    }
    if (s.of_deflection >= 0) deflection_.decay[s.of_deflection] = e;
    if (s.Q == 0) {
      place_.poly[0] += p;
      if (s.C == 0) {
        place_.poly[1] += v;
        return true;
      }
      const R now = -v / (2 * s.sg);  // a speed that decays
      place_.decay[s.first_of_pair] = now;
      place_.poly[0] -= now;
      return true;
    }
    set_pair_of(s, place_, p, v);
    return true;
  }
  void set_pair_of(const spectrum& s, sum& f, R h0, R hv) const {
    f.h0 = h0;
    f.hv = hv;
    if (s.first_of_pair < 0) return;
    const int i = s.first_of_pair;
    f.decay[i] = -(hv + s.rate[i + 1] * h0) / (2 * s.r);
    f.decay[i + 1] = (hv + s.rate[i] * h0) / (2 * s.r);
  }

  void set_series(const spectrum& s) {
    R u[order + 1] = {};
    u[0] = in_.now[0];
    u[1] = in_.now[1];
    for (int j = 0; j < in_.tones; ++j) {
      R even = in_.cosine[j], odd = in_.sine[j], w = in_.omega[j];
      R power = 1;
      for (int n = 0; n + 2 <= order; ++n) {
        if (n >= 2) u[n] += power * (n % 2 == 0 ? even : odd);
        power *= w * (1 / R(n + 1));
        if (n % 2 == 1) {
          even = -even;
          odd = -odd;
        }
      }
    }
    R *p = place_.series, *e = deflection_.series;
    std::fill_n(p, order + 1, R(0));
    std::fill_n(e, order + 1, R(0));
    p[0] = p_;
    p[1] = v_;
    e[0] = e_;
    for (int n = 0; n < order; ++n) {
      e[n + 1] = -(s.a * p[n] + s.b * e[n]) * (1 / R(n + 1));
      if (n + 2 <= order)
        p[n + 2] = (u[n] - s.C * R(n + 1) * p[n + 1] - s.Q * p[n] + s.S * e[n]) / m_ *
                   (1 / R((n + 1) * (n + 2)));
    }
    // In flight e has an exponential of its own, which may be faster than the series can follow.
    if (!s.is_coupled) std::fill_n(e, order + 1, R(0));
  }

  // ---- guards -------------------------------------------------------------------------------------

  void set_guards() {
    make_guards();
    for (int i = 0; i < guards_; ++i) set_bound(guard_[i]);
  }
  // The series ends the phase, or else its closed form goes on.
  void set_bound(sum& f) {
    if (!(reach_ > 0)) return;
    f.bound = 0;
    if (marches_) {
      R power = 1;
      for (int i = 3; i <= order; ++i, power *= reach_)
        f.bound += std::abs(f.series[i]) * R(i * (i - 1) * (i - 2)) * power;
      return;
    }
    set_basis(0, at_, false);
    cubic base;
    part parts[5];
    const int many = split(f, base, parts);
    f.bound = base.M;
    for (int i = 0; i < many; ++i) f.bound += parts[i].b3;
  }
  void make_guards() {
    if (is_filtered()) {
      guards_ = 1;
      if (mode_ == mode::presses) {
        combine(guard_[0], deflection_, 1, beta_, E_, E_size_);
      } else {
        combine(guard_[0], place_, 1, 0, P_, P_size_);
        add(guard_[0], deflection_, share());
      }
      return;
    }
    guards_ = mode_ == mode::released ? 2 : 1;
    switch (mode_) {
      case mode::flies:
        combine(guard_[0], place_, 1, 0, P_, P_size_);
        return;
      case mode::presses:
        if (lets_go()) {
          combine(guard_[0], place_, -K_, -B_, P_, P_size_);
        } else {
          combine(guard_[0], place_, -1, 0, P_, P_size_);
        }
        return;
      case mode::released:
        combine(guard_[0], place_, -1, 0, P_, P_size_);
        combine(guard_[1], place_, K_, B_, P_, P_size_);
    }
  }
  // Above 0 in the direction in which the body moves from the start on; false where it does not.
  bool set_turn() {
    R direction = 0;
    for (int n = 1; n <= 4 && direction == 0; ++n)
      if (std::abs(P_[n]) > (n == 1 ? R(0) : 16 * eps * P_size_[n]))
        direction = P_[n] > 0 ? R(1) : R(-1);
    if (direction == 0) return false;
    combine(turn_, place_, 0, direction, P_, P_size_);
    set_bound(turn_);
    return true;
  }

  // a f + b f'.
  void combine(sum& to, const sum& f, R a, R b, const R* start, const R* size) const {
    const spectrum& s = *spectrum_;
    for (int n = 0; n < 4; ++n) {
      to.poly[n] = a * f.poly[n] + (n < 3 ? b * R(n + 1) * f.poly[n + 1] : R(0));
      to.start[n] = a * start[n] + b * start[n + 1];
      to.size[n] = std::abs(a) * size[n] + std::abs(b) * size[n + 1];
    }
    for (int j = 0; j < in_.tones; ++j) {
      to.cosine[j] = a * f.cosine[j] + b * in_.omega[j] * f.sine[j];
      to.sine[j] = a * f.sine[j] - b * in_.omega[j] * f.cosine[j];
    }
    for (int i = 0; i < s.decays; ++i) to.decay[i] = (a - b * s.rate[i]) * f.decay[i];
    to.h0 = a * f.h0 + b * f.hv;
    to.hv = a * f.hv - b * (2 * s.sg * f.hv + s.w2 * f.h0);
    if (reach_ > 0)
      for (int n = 0; n <= order; ++n)
        to.series[n] = a * f.series[n] + (n < order ? b * R(n + 1) * f.series[n + 1] : R(0));
  }
  // The deflection of a flight, which is one exponential.
  void add(sum& to, const sum& f, R a) const {
    const int i = spectrum_->of_deflection;
    to.decay[i] += a * f.decay[i];
    for (int n = 0; n < 4; ++n) {
      to.start[n] += a * E_[n];
      to.size[n] += std::abs(a) * E_size_[n];
    }
  }

  // ---- an instant ---------------------------------------------------------------------------------

  bool by_series(R tau) const { return reach_ > 0 && (marches_ || tau <= reach_); }
  bool is_bare(const basis& at) const {
    if (in_.tones > 0 || at.is_series) return false;
    for (int i = 0; i < spectrum_->decays; ++i)
      if (at.decay[i] * place_.decay[i] != 0) return false;
    return spectrum_->kind == pair_kind::none || (at.z == 0 && at.s == 0);
  }

  void set_basis(R tau) { set_basis(tau, at_); }
  void set_basis(R tau, basis& at, bool may_be_series = true) const {
    const spectrum& s = *spectrum_;
    at.tau = tau;
    at.is_series = may_be_series && by_series(tau);
    at.z = at.s = at.v = 0;
    for (int i = 0; i < s.decays; ++i)
      at.decay[i] = s.rate[i] * tau > spent ? R(0) : std::exp(-s.rate[i] * tau);
    if (at.is_series) return;
    for (int j = 0; j < in_.tones; ++j) {
      at.sine[j] = std::sin(in_.omega[j] * tau);
      at.cosine[j] = std::cos(in_.omega[j] * tau);
    }
    if (s.kind == pair_kind::swings) {
      const R power = s.sg * tau;
      if (power > spent) return;
      const R E = std::exp(-power), angle = s.r * tau;
      at.s = E * std::sin(angle) / s.r;
      const R K = E * std::cos(angle);
      at.z = K + s.sg * at.s;
      at.v = K - s.sg * at.s;
    } else if (s.kind == pair_kind::near_critical) {
      const R l1 = -(s.sg + s.r), l2 = s.w2 / l1;
      if (-l2 * tau > spent) return;
      const R q = s.r > 0 ? -std::expm1(-2 * s.r * tau) / (2 * s.r) : tau;
      const R e = std::exp(l2 * tau), E = 1 - 2 * s.r * q;
      at.s = e * q;
      at.v = s.r < s.sg / 8 ? e * (1 + l1 * q) : e * (l2 - E * l1) / (2 * s.r);
      at.z = e * ((1 + E) / 2 + s.sg * q);
    }
  }

  void value_and_slope(const sum& f, const basis& at, R& value, R& slope) const {
    const spectrum& s = *spectrum_;
    const R tau = at.tau;
    if (at.is_series) {
      R z = 0, v = 0;
      for (int n = order; n >= 0; --n) {
        v = v * tau + z;
        z = z * tau + f.series[n];
      }
      value = z;
      slope = v;
      if (s.of_deflection >= 0) {
        const R e = f.decay[s.of_deflection] * at.decay[s.of_deflection];
        value += e;
        slope -= s.rate[s.of_deflection] * e;
      }
      return;
    }
    value = f.poly[0] + tau * (f.poly[1] + tau * (f.poly[2] + tau * f.poly[3]));
    slope = f.poly[1] + tau * (2 * f.poly[2] + tau * 3 * f.poly[3]);
    for (int j = 0; j < in_.tones; ++j) {
      value += f.cosine[j] * at.cosine[j] + f.sine[j] * at.sine[j];
      slope += in_.omega[j] * (f.sine[j] * at.cosine[j] - f.cosine[j] * at.sine[j]);
    }
    for (int i = 0; i < s.decays; ++i) {
      const R e = f.decay[i] * at.decay[i];
      value += e;
      slope -= s.rate[i] * e;
    }
    if (s.kind != pair_kind::none) {
      value += f.h0 * at.z + f.hv * at.s;
      slope += f.hv * at.v - f.h0 * s.w2 * at.s;
    }
  }

  // ---- the first crossing (exact_flow.hpp) --------------------------------------------------------

  struct step {
    R length;
    int who = 0;
    bool is_sharp = false;
  };
  // A part of a guard: its derivatives now, and bounds of |g| and |g'''| from now on.
  struct part {
    R rate, d[3], b0, b3;
  };
  struct cubic {
    R g, g1, g2, M;
    void add(const part& p) {
      g += p.d[0];
      g1 += p.d[1];
      g2 += p.d[2];
      M += p.b3;
    }
    bool stays_above(R way) const {
      const R bend = g1 < 0 && g2 > 0 ? R(0) : g2;
      return g + way * (g1 + way * (bend / 2 - way * M * (R(1) / 6))) > 0;
    }
    R at(R t) const { return g + t * (g1 + t * (g2 / 2 - t * M * (R(1) / 6))); }
  };

  // What is always followed, and the parts, slow ones first.
  int split(const sum& f, cubic& base, part* parts) const {
    const spectrum& s = *spectrum_;
    const R tau = at_.tau;
    int n = 0;
    const auto add_decay = [&](int i) {
      const R l = s.rate[i], e = f.decay[i] * at_.decay[i];
      if (e == 0) return;
      const R size = std::abs(e);
      parts[n++] = {l, {e, -l * e, l * l * e}, size, l * l * l * size};
    };
    if (at_.is_series) {
      R d[3] = {};
      for (int i = order; i >= 0; --i) {
        d[2] = d[2] * tau + d[1];
        d[1] = d[1] * tau + d[0];
        d[0] = d[0] * tau + f.series[i];
      }
      base = {d[0], d[1], 2 * d[2], f.bound};
      if (s.of_deflection >= 0) add_decay(s.of_deflection);
      return n;
    }
    base.g = f.poly[0] + tau * (f.poly[1] + tau * (f.poly[2] + tau * f.poly[3]));
    base.g1 = f.poly[1] + tau * (2 * f.poly[2] + tau * 3 * f.poly[3]);
    base.g2 = 2 * f.poly[2] + tau * 6 * f.poly[3];
    base.M = 6 * std::abs(f.poly[3]);
    for (int i = 0; i < s.decays; ++i) add_decay(i);
    if (s.kind != pair_kind::none && (at_.z != 0 || at_.s != 0)) {
      part& p = parts[n++];
      const R z = f.h0 * at_.z + f.hv * at_.s, v = f.hv * at_.v - f.h0 * s.w2 * at_.s;
      p.d[0] = z;
      p.d[1] = v;
      p.d[2] = -2 * s.sg * v - s.w2 * z;
      const R other = std::abs(v + s.sg * z), size = std::abs(z);
      if (s.kind == pair_kind::swings) {
        const R least = 1 / s.r;
        p.rate = s.w;
        p.b0 = size + other * (s.sg > 0 ? std::min(least, R(0.37) / s.sg) : least);
        p.b3 = (size + other * (s.sg > 0 ? std::min(least, R(3.37) / s.sg) : least)) * s.w * s.w2;
      } else {
        const R fast = s.sg + s.r, slow = s.w2 / fast;
        p.rate = fast;
        p.b0 = size + other * (R(0.37) / slow);
        p.b3 = (size + other * (3 / fast + R(0.37) / slow)) * fast * fast * fast;
      }
    }
    if (in_.tones > 0) {
      part& p = parts[n++];
      p = {in_.fastest, {}, 0, 0};
      for (int j = 0; j < in_.tones; ++j) {
        const R w = std::abs(in_.omega[j]);
        const R now = f.cosine[j] * at_.cosine[j] + f.sine[j] * at_.sine[j];
        const R size = std::abs(f.cosine[j]) + std::abs(f.sine[j]);
        p.d[0] += now;
        p.d[1] += in_.omega[j] * (f.sine[j] * at_.cosine[j] - f.cosine[j] * at_.sine[j]);
        p.d[2] -= w * w * now;
        p.b0 += size;
        p.b3 += w * w * w * size;
      }
    }
    for (int i = 1; i < n; ++i)
      for (int j = i; j > 0 && parts[j].rate < parts[j - 1].rate; --j)
        std::swap(parts[j], parts[j - 1]);
    return n;
  }

  void try_guard(const sum& f, int who, step& best) const {
    cubic base, now;
    part parts[5];
    const int many = split(f, base, parts);
    now = base;
    for (int i = 0; i < many; ++i) now.add(parts[i]);
    if (at_.tau == 0) {
      now.g = f.start[0];
      now.g1 = f.start[1];
      now.g2 = f.start[2];
    }
    if (now.stays_above(best.length)) return;
    now.g = std::max(now.g, R(0));
    const bool on_border = at_.tau == 0 && now.g <= 16 * eps * f.size[0];
    if (on_border) {
      // The first derivative that is more than rounding decides; a tie stays.
      now.g = 0;
      if (std::abs(now.g1) <= 16 * eps * f.size[1]) now.g1 = 0;
      if (now.g1 == 0 && std::abs(now.g2) <= 16 * eps * f.size[2]) {
        const R slack = 16 * eps * f.size[3];
        if (f.start[3] >= -slack) {
          const R pace = std::max({spectrum_->w, 2 * spectrum_->sg, in_.fastest,
                                   spectrum_->decays > 0 ? spectrum_->rate[0] : R(0)});
          const R while_away = pace > 0 ? R(0.01) / pace : best.length;
          if (while_away < best.length) best = {while_away, who, false};
          return;
        }
        now.g2 = -slack;
      }
    }
    // Fast parts by their size, from the fastest on.
    cubic bounded[5];
    int bounds = 0;
    for (int kept = many - 1; kept >= 0 && !on_border; --kept) {
      cubic some = base;
      for (int i = 0; i < many; ++i) {
        if (i < kept) {
          some.add(parts[i]);
        } else {
          some.g -= parts[i].b0;
        }
      }
      if (!(some.g > 0)) continue;
      if (some.stays_above(best.length)) return;
      bounded[bounds++] = some;
    }
    R length = detail::before_first_zero(now.g, now.g1, now.g2, now.M);
    for (int i = 0; i < bounds && length < best.length; ++i) {
      const cubic& some = bounded[i];
      if (some.at(length) <= 0) continue;  // no further
      length = std::max(length, detail::before_first_zero(some.g, some.g1, some.g2, some.M));
    }
    if (length >= best.length) return;
    const R resolved = eps * (at_.tau + length);
    const bool is_sharp =
        length <= resolved || now.M * length * length * length <= std::abs(now.g1) * resolved;
    best = {length, who, is_sharp};
  }
};

}  // namespace asperity
