// SPDX-License-Identifier: Apache-2.0
#pragma once

// One way to call a model of contact with friction from a system, whether it is one of
// asperity/models/frictional_contact (its type known, inlined), or put together from a normal model
// chosen by name and planar DAI friction. States lie in the system's own array.

#include <asperity/integrate/energy_terms.hpp>
#include <asperity/mechanics/respond.hpp>
#include <asperity/model.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/touch.hpp>

namespace asperity {

// Any normal contact of the catalogue, with DAI friction in the plane whose limit is mu times its
// force: f_t = sat(mu f_n, K (a + beta w)). States: those of the contact, a_x, a_y.
struct named_touch {
  any_model contact;
  double K = 1e5, beta = 1e-3, mu = 0.1;

  static constexpr int states = any_model::max_states + 2;
  int active_states() const { return contact.states() + 2; }
  dai_vector<double, 2> friction() const { return {K, mu, beta}; }
};

// ---- forces -------------------------------------------------------------------------------------

template <class S>
struct touch_forces {
  S f_n;
  vec<S, 2> f_t;
};

template <class Contact, class S>
ASPERITY_FN touch_forces<S> touch_respond(const Contact& contact, const S* state,
                                          const touch<S>& in, S* rate) {
  const auto answer = contact(gather(contact, state), in);
  for (int i = 0; i < Contact::states; ++i) rate[i] = answer.rate[i];
  return {answer.f_n, answer.f_t};
}
inline touch_forces<double> touch_respond(const named_touch& contact, const double* state,
                                          const touch<double>& in, double* rate) {
  const int n = contact.contact.states();
  const double f_n = contact.contact.respond(state, in.gap, in.gap_rate, 1.0, rate);
  // Where a normal model pulls, friction has nothing to be limited by.
  const auto dragged =
      contact.friction()({{state[n], state[n + 1]}}, in.slip, math::max<double>(0.0, f_n));
  rate[n] = dragged.a_dot[0];
  rate[n + 1] = dragged.a_dot[1];
  return {f_n, dragged.f};
}

template <class Contact, class S>
ASPERITY_FN S touch_slip_margin(const Contact& contact, const S* state, const touch<S>& in) {
  return contact.slip_margin(gather(contact, state), in);
}
inline double touch_slip_margin(const named_touch& contact, const double* state,
                                const touch<double>& in) {
  double rate[any_model::max_states + 2];
  const int n = contact.contact.states();
  const double f_n = touch_respond(contact, state, in, rate).f_n;
  const vec<double, 2> a{{state[n], state[n + 1]}};
  return norm(contact.K * (a + contact.beta * in.slip)) - contact.mu * f_n;
}

// ---- energy -------------------------------------------------------------------------------------

template <class Contact>
void touch_energy_terms(const Contact&, const std::string& model, energy_terms& terms) {
  terms.elements.push_back({"contact", model, true, losses_of_touch()});
}
inline void touch_energy_terms(const named_touch& contact, const std::string&,
                               energy_terms& terms) {
  terms.elements.push_back({"contact", contact.contact.key(), contact.contact.has_energy()});
  terms.elements.push_back({"friction", "dai", true, {{"tangential damper"}, {"slider"}}});
}

template <class Contact>
void touch_stores(const Contact& contact, const double* state, const touch<double>& in,
                  double* out) {
  const auto energy = contact.energy(gather(contact, state), in);
  out[0] = energy.stored_normal + energy.stored_tangential;
}
inline void touch_stores(const named_touch& contact, const double* state, const touch<double>& in,
                         double* out) {
  const int n = contact.contact.states();
  out[0] = contact.contact.has_energy()
               ? contact.contact.stored_energy(state, in.gap, in.gap_rate, 1.0)
               : 0.0;
  out[1] = contact.friction().stored_energy({{state[n], state[n + 1]}});
}

template <class Contact>
void touch_powers(const Contact& contact, const double* state, const touch<double>& in,
                  double* out) {
  double rate[Contact::states + 1];
  const auto f = touch_respond(contact, state, in, rate);
  const auto energy = contact.energy(gather(contact, state), in);
  out[0] = -f.f_n * in.gap_rate + dot(f.f_t, in.slip);
  out[1] = energy.normal_damper;
  out[2] = energy.tangential_damper;
  out[3] = energy.slider;
  out[4] = energy.viscous;
  out[5] = energy.unbalanced;
}
inline void touch_powers(const named_touch& contact, const double* state, const touch<double>& in,
                         double* out) {
  double rate[any_model::max_states + 2];
  const int n = contact.contact.states();
  const auto f = touch_respond(contact, state, in, rate);
  const vec<double, 2> a_dot{{rate[n], rate[n + 1]}};
  out[0] = -f.f_n * in.gap_rate;
  out[1] = dot(f.f_t, in.slip);
  out[2] = contact.K * contact.beta * dot(a_dot, a_dot);
  out[3] = dot(f.f_t, in.slip - a_dot);
}

}  // namespace asperity
