// SPDX-License-Identifier: Apache-2.0
#pragma once

// The energy balance (energy_terms.hpp) of models chosen by name, and of a mass that slides.

#include <asperity/integrate/energy_terms.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/mechanics/sliding_mass.hpp>

namespace asperity {

// A law without states of its own has nothing to store in; of other models only their own word
// counts.
inline energy_terms::element element_of(const std::string& name, const any_model& model) {
  const bool is_static = model.states() == 0 && !model.at().is_contact();
  energy_terms::element result{name, model.key()};
  result.has_store = (model.has_energy() && !model.has_losses()) || is_static || is_rigid(model);
  if (model.has_losses()) result.why_no_store = "this system does not count what the law loses";
  if (*model.no_energy() != 0) result.why_no_store = model.no_energy();
  return result;
}
// The same in systems that count the losses of a law that names them (book_losses).
inline energy_terms::element element_with_losses(const std::string& name, const any_model& model) {
  auto result = element_of(name, model);
  if (!model.has_losses()) return result;
  result.has_store = true;
  result.losses = {{"lost"}, {"unbalanced", true}};
  return result;
}
// Writes their powers where the model answered with f and `rate`, and returns how many there are.
inline int book_losses(const any_model& model, const double* state, const drive<double>& in,
                       double f, const double* rate, double* out) {
  if (!model.has_losses()) return 0;
  const auto lost = model.lost(state, in, f, rate);
  out[0] = lost.dissipated;
  out[1] = lost.unbalanced;
  return 2;
}
// Those of an instant.
struct losses_at {
  double power[2] = {};
  losses_at(const any_model& model, const double* state, const drive<double>& in) {
    if (!model.has_losses()) return;
    double rate[any_model::max_states];
    const double f = respond(model, state, in, rate);
    book_losses(model, state, in, f, rate, power);
  }
};
inline double stored_in(const any_model& model, const double* state, const drive<double>& in) {
  return model.has_energy() ? model.stored_energy(state, in.x, in.v, in.load) : 0.0;
}

struct sliding_mass_energy {
  using mass = sliding_mass<double, any_model, signal_inputs>;
  const mass& system;

  energy_terms terms() const {
    energy_terms result{{"kinetic", "spring"}, {"force", "anchor"}, {}};
    result.elements.push_back(element_with_losses("friction", system.friction));
    result.elements.push_back({"damper", "", true, {{"viscous"}}});
    return result;
  }
  void energies(double t, const double* y, double* out) const {
    const double stretch = y[0] - system.inputs.anchor(t);
    out[0] = 0.5 * system.m * y[1] * y[1];
    out[1] = 0.5 * system.k * stretch * stretch;
    out[2] = stored_in(system.friction, y + 2, system.drive_at(t, y));
    out[3] = 0;
  }
  void powers(double t, const double* y, double* out) const {
    double rate[any_model::max_states];
    const double f = respond(system.friction, y + 2, system.drive_at(t, y), rate);
    with_force(t, y, f, rate, out);
  }
  // Under a friction force that is known, of a law that names no losses.
  void powers_under(double t, const double* y, double f, double* out) const {
    with_force(t, y, f, nullptr, out);
  }
  void side_powers(double t, const double* y, double direction, double* out) const {
    double rate[any_model::max_states];
    const double f = side(system.friction, y + 2, system.drive_at(t, y), direction, rate);
    with_force(t, y, f, rate, out);
  }
  // A set-valued law has no force of its own at rest: there it is the one that the stage found.
  void stage_powers(double t, double h, const double* start, const double* y, double* out) const {
    double settled[any_model::max_states];
    const double f = implicit_step(system.friction, start + 2, system.inputs.load(t), h,
                                   system.stage_from(t, h, start), settled)
                         .f;
    with_force(t, y, f, nullptr, out);
  }
  // A step by the velocity Verlet method, the work of each force with the mean of its ends.
  void advance_with_work(double t, double h, double* y, double* work) const {
    const auto& in = system.inputs;
    const double x = y[0], v = y[1];
    const double f = system.friction.force(y + 2, system.drive_at(t, y));
    const double pull = in.force(t), spring = system.k * (x - in.anchor(t));
    const double ahead = v + h * (pull - spring - system.c * v - f) / system.m;
    const losses_at start(system.friction, y + 2, system.drive_at(t, y));
    system.advance(t, h, y);
    const losses_at end(system.friction, y + 2, system.drive_at(t + h, y));
    const double mean_v = 0.5 * (v + y[1]);
    const double mean_pull = 0.5 * (pull + in.force(t + h));
    const double mean_spring = 0.5 * (spring + system.k * (y[0] - in.anchor(t + h)));
    const double mean_damper = 0.5 * system.c * (v + ahead);
    const double mean_f = mean_pull - mean_spring - mean_damper - system.m * (y[1] - v) / h;
    const double anchored = in.anchor(t + h) - in.anchor(t);
    work[0] += h * mean_pull * mean_v;
    work[1] -= mean_spring * anchored;
    work[2] += h * mean_f * mean_v;
    const int named = system.friction.has_losses() ? 2 : 0;
    for (int i = 0; i < named; ++i) work[3 + i] += 0.5 * h * (start.power[i] + end.power[i]);
    work[3 + named] += h * mean_damper * mean_v;
    work[4 + named] += h * mean_damper * mean_v;
  }

 private:
  // `rate` is that of the states of the friction; a set-valued law, which names no losses, has
  // none.
  void with_force(double t, const double* y, double f, const double* rate, double* out) const {
    const auto& in = system.inputs;
    out[0] = in.force(t) * y[1];
    out[1] = -system.k * (y[0] - in.anchor(t)) * in.end_of_spring.slope(t);
    out[2] = f * y[1];
    const int named = book_losses(system.friction, y + 2, system.drive_at(t, y), f, rate, out + 3);
    out[3 + named] = out[4 + named] = system.c * y[1] * y[1];
  }
};

}  // namespace asperity
