// SPDX-License-Identifier: Apache-2.0
#pragma once

// The compliant ground of `azad_featherstone_clutch` with a Stribeck drop in its clutch. With V
// the slip velocity, V_clutch = V - u_dot and w = |V_clutch|, the friction of the slipping clutch
// is
//
//   |f_t| = f_n (mu + (mu_s - mu) exp(-(w/V_s)^2)) + C_v w                               [N]
//
// along f_stick, and it is also K_t z^(1/2) u + D_t z^(1/2) u_dot, so that w solves
//
//   F = phi(w) = f_n (mu + (mu_s - mu) exp(-(w/V_s)^2)) + (D_t z^(1/2) + C_v) w,   F = |f_stick|
//
// phi rises, falls and rises again where the drop is steeper than D_t z^(1/2) + C_v; then up to
// three speeds fit. The law chosen here: the clutch follows a root until that root is lost, and
// then takes the other one. From rest (w = 0 where F <= mu_s f_n) that is the least root, up to the
// peak of phi; from there the greatest root, down to the low point of phi. It is what a clutch with
// an inertia does as the inertia goes to 0. The branches overlap, so the choice is a state,
// `slides`, 0 or 1, with rate 0; remember() makes it between steps. A branch that has lost its root
// is held at its end, so that a step may run across it and find the event.
//
// On every branch phi rises between ends that are known, and the root is bracketed.

#include <asperity/models/frictional_contact/azad_featherstone_clutch.hpp>

namespace asperity {

template <std::floating_point S>
struct azad_featherstone_stribeck : azad_featherstone_ground<S> {
  S mu = S(0.2), mu_s = S(0.24), V_s = S(0.03138), C_v = S(0.1);
  using ground = azad_featherstone_ground<S>;

  static constexpr int states = 3;

  template <class Card>
  void describe(Card& card) {
    using namespace units;
    card.about("Azad-Featherstone contact with Stribeck clutch",
               "Xia 2012 (3.14) and its program, corrected", odd | never_pulls);
    ground::describe(card);
    card.parameter("mu", mu, one, non_negative, "coefficient of friction in fast slip");
    card.parameter("mu_s", mu_s, one, non_negative, "coefficient of friction at rest");
    card.parameter("V_s", V_s, metre / second, positive, "Stribeck velocity of the clutch");
    card.parameter("C_v", C_v, newton * second / metre, non_negative, "viscous part of the clutch");
    card.state("u_x", metre, "tangential displacement of the ground");
    card.state("u_y", metre, "tangential displacement of the ground");
    card.even_state("slides", one, "1 on the branch of the greatest root, 0 on that of rest",
                    whole(0, 1));
  }

  ASPERITY_FN vec<S, 3> state_scale() const { return {{S(1e-4), S(1e-4), S(1)}}; }

  ASPERITY_FN touch_response<S, 3> operator()(const vec<S, 3>& state, const touch<S>& in) const {
    return respond(state, in, ground::look({{state[0], state[1]}}, in));
  }

  ASPERITY_FN touch_energy<S> energy(const vec<S, 3>& state, const touch<S>& in) const {
    const vec<S, 2> u{{state[0], state[1]}};
    const auto at = ground::look(u, in);
    const auto answer = respond(state, in, at);
    const vec<S, 2> u_dot{{answer.rate[0], answer.rate[1]}};
    return ground::energy(u, u_dot, in.slip, answer.f_t, C_v * norm(in.slip - u_dot), at);
  }

  // Above 0 where the clutch slips, be it slowly.
  ASPERITY_FN S slip_margin(const vec<S, 3>& state, const touch<S>& in) const {
    const auto at = ground::look({{state[0], state[1]}}, in);
    const curve phi = curve_at(at.f, at.root);
    const S rest = phi(S(0));
    return norm(at.stick) - (slides(state) ? math::min<S>(rest, phi(phi.low_point())) : rest);
  }

  // Above 0 where the branch that the clutch is on has lost its root. Without force it is at rest.
  ASPERITY_FN S branch_excess(const vec<S, 3>& state, const touch<S>& in) const {
    const auto at = ground::look({{state[0], state[1]}}, in);
    if (!(S(0) < at.f)) return slides(state) ? S(1) : S(-1);
    const curve phi = curve_at(at.f, at.root);
    const S F = norm(at.stick);
    return slides(state) ? phi(phi.low_point()) - F : F - phi(phi.peak());
  }

  ASPERITY_FN void remember(vec<S, 3>& state, const touch<S>& in) const {
    if (S(0) < branch_excess(state, in)) state[2] = slides(state) ? S(0) : S(1);
  }

  // The root w >= 0 of F = phi(w) on one of the branches, and its end where that has none.
  ASPERITY_FN S clutch_speed(const S& F, const S& f_n, const S& root_of_depth,
                             bool on_greatest) const {
    return curve_at(f_n, root_of_depth).branch(F, on_greatest);
  }

  ASPERITY_FN validity valid() const {
    return mu_s < mu ? validity{validity::doubtful, "mu_s below mu: friction rises with speed"}
                     : validity{};
  }

 private:
  // phi(w) = low + drop exp(-(w/scale)^2) + slope w
  struct curve {
    S low, drop, scale, slope;

    ASPERITY_FN S bump(const S& w) const {
      return drop * math::exp<S>(-math::square<S>(w / scale));
    }
    ASPERITY_FN S operator()(const S& w) const { return low + bump(w) + slope * w; }
    ASPERITY_FN S derivative(const S& w) const {
      return slope - S(2) * w / math::square(scale) * bump(w);
    }
    ASPERITY_FN S curvature(const S& w) const {
      const S x = w / scale;
      return (S(4) * x * x - S(2)) / math::square(scale) * bump(w);
    }
    ASPERITY_FN S steepest() const { return scale * S(0.70710678118654752440); }
    // Whether it has a falling part, and so a peak and a low point.
    ASPERITY_FN bool falls() const { return derivative(steepest()) < S(0); }

    // Where it turns, one on either side of its steepest fall. As the fall goes, both go there.
    ASPERITY_FN S low_point() const {
      if (!falls()) return steepest();
      S from = steepest(), to = from;
      for (int i = 0; i < 60 && derivative(to) < S(0); ++i) to = S(2) * to;
      return root([&](const S& w) { return derivative(w); },
                  [&](const S& w) { return curvature(w); }, from, to);
    }
    ASPERITY_FN S peak() const {
      if (!falls()) return steepest();
      return root([&](const S& w) { return -derivative(w); },
                  [&](const S& w) { return -curvature(w); }, S(0), steepest());
    }

    ASPERITY_FN S branch(const S& F, bool greatest) const {
      const auto value = [&](const S& w) { return (*this)(w)-F; };
      const bool two = falls();
      const S from = two && greatest ? low_point() : S(0);
      if (!(value(from) < S(0))) return from;
      const S to = two && !greatest ? peak() : (F - low - math::min<S>(S(0), drop)) / slope;
      if (!(S(0) < value(to))) return to;
      return root(
          value, [&](const S& w) { return derivative(w); }, from, to);
    }

    // The zero of a function that rises from [from] to [to], where it is not below 0: Newton's
    // method from the right, and halving where it would leave the bracket.
    template <class Value, class Rate>
    ASPERITY_FN static S root(const Value& value, const Rate& rate, S from, S to) {
      S w = to;
      for (int i = 0; i < 200; ++i) {
        const S v = value(w);
        (v < S(0) ? from : to) = w;
        const S slope_here = rate(w);
        S next = S(0) < slope_here ? w - v / slope_here : from;
        if (!(from < next && next < to)) next = from + (to - from) / S(2);
        if (next == w || !(from < next && next < to)) break;
        const S step = math::abs<S>(next - w);
        w = next;
        if (step < S(4) * epsilon() * math::abs(w)) break;
      }
      return w;
    }
    static ASPERITY_FN S epsilon() { return sizeof(S) == 4 ? S(6e-8) : S(1.2e-16); }
  };

  static ASPERITY_FN bool slides(const vec<S, 3>& state) { return !(state[2] < S(0.5)); }
  ASPERITY_FN curve curve_at(const S& f_n, const S& root_of_depth) const {
    return {f_n * mu, f_n * (mu_s - mu), V_s, ground::D_t * root_of_depth + C_v};
  }

  ASPERITY_FN touch_response<S, 3> respond(const vec<S, 3>& state, const touch<S>& in,
                                           const typename ground::state_of_ground& at) const {
    const vec<S, 2> u{{state[0], state[1]}};
    touch_response<S, 3> out;
    out.f_n = at.f;
    if (!(S(0) < at.f)) {
      const vec<S, 2> recovering = ground::recovery(u, at);
      out.rate = {{recovering[0], recovering[1], S(0)}};
      return out;
    }
    const auto [pull, direction] = to_polar(at.stick);
    const S w = clutch_speed(pull, at.f, at.root, slides(state));
    for (int i = 0; i < 2; ++i) {
      out.f_t[i] = at.stick[i] - ground::D_t * at.root * w * direction[i];
      out.rate[i] = in.slip[i] - w * direction[i];
    }
    return out;
  }
};

}  // namespace asperity
