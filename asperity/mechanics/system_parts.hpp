// SPDX-License-Identifier: Apache-2.0
#pragma once

// What systems with models chosen by name share.

#include <fmt/format.h>

#include <algorithm>
#include <asperity/mechanics/composed_system.hpp>
#include <asperity/mechanics/mass_energy.hpp>

namespace asperity {

struct named_states {
  std::vector<system_quantity> states;
  std::vector<double> initial;
};
named_states states_of_model(const any_model& model, const std::string& prefix);
// Which of them have columns of their own: a state named f is the force itself, which every table
// has.
std::vector<int> shown_states(const any_model&);

namespace units {
inline constexpr unit speed = metre / second;
inline constexpr unit acceleration = metre / (second * second);
}  // namespace units

// Why a model keeps a system from having an implicit step in closed form, and what to do.
std::string no_implicit_step(const any_model& model);
// Of two implicit stages with this model, in steps of dopri5 (system_card::stage_work).
double stage_work_of(const any_model& model);

// A system around mechanics of known type.
template <class Mechanics>
class system_of : public composed_system {
 public:
  system_of(const char* kind, Mechanics mechanics, int /*flows*/ = 0) : m_(std::move(mechanics)) {
    card_.kind = kind;
  }

  void rates(double t, const double* y, double* rate, workspace&) const override {
    m_.rates(t, y, rate);
  }

 protected:
  Mechanics m_;

  // The states of a model, called prefix_name.
  void add_states(const any_model& model, const std::string& prefix) {
    const named_states all = states_of_model(model, prefix);
    for (const auto& each : all.states) card_.add_state(each);
    initial_.insert(initial_.end(), all.initial.begin(), all.initial.end());
  }
  // What the model shows beside its force.
  void add_outputs(const any_model& model) {
    for (const auto& each : model.describe().outputs) add_output(each.name, each.in);
  }
  void add_contact(const any_model& contact) {
    card_.models.push_back({"contact", &contact});
    if (!is_rigid(contact)) return;
    card_.rigid = contact.key();
    card_.chatters.push_back(contact.key());
  }
  // The mechanics have an implicit step where all these models have one in closed form, contacts as
  // a single reaction.
  void set_stage(std::initializer_list<const any_model*> models) {
    has_stage_ = true;
    for (const any_model* each : models) {
      const bool is_contact = each->at().is_contact();
      if (is_contact ? each->has_react() : each->has_implicit_step()) continue;
      has_stage_ = false;
      card_.why_no.implicit = no_implicit_step(*each);
    }
  }
  // The states of the only model have its names.
  void add_own_states(const any_model& model) {
    const named_states all = states_of_model(model, "");
    const auto shown = shown_states(model);
    for (std::size_t i = 0; i < all.states.size(); ++i)
      card_.add_state(all.states[i],
                      std::find(shown.begin(), shown.end(), static_cast<int>(i)) != shown.end());
    initial_.insert(initial_.end(), all.initial.begin(), all.initial.end());
  }
  void powers(double t, const double* y, double* out, workspace&) const override {
    if constexpr (requires { m_.powers(t, y, out); }) m_.powers(t, y, out);
  }
  void solve_stage(double t, double h, const double* start, double* y, workspace&) const override {
    if constexpr (requires { m_.solve_stage(t, h, start, y); }) m_.solve_stage(t, h, start, y);
  }
  void stage_powers(double t, double h, const double* start, const double* y, double* out,
                    workspace& w) const override {
    if constexpr (requires { m_.stage_powers(t, h, start, y, out); }) {
      m_.stage_powers(t, h, start, y, out);
    } else {
      powers(t, y, out, w);
    }
  }
};

// touchdown and liftoff of a contact: force(t, y) begins and ends.
void add_contact_events(std::vector<event>& events, const std::string& suffix,
                        std::function<double(double, const double*)> force);
// Where the law of a contact jumps: turns its side (any_model::hold_side), the last of its states,
// which begin at `states`, where the gap crosses 0.
void add_side_event(std::vector<event>& events, const any_model& contact, int states,
                    std::function<drive<double>(const double*)> gap);
// Where friction has no law without a load: bristles that leave the ground spring back (the states
// of the model, which begin at `states`, are as at the start), and what they held is lost by the
// element of the energy balance.
void add_relax_event(std::vector<event>& events, const any_model& friction, int states, int element,
                     std::function<double(double, const double*)> load);
// The velocity, or 0 where it is below `share` of the highest that it had so far in the run (or
// below `least`): what is left there at rest is noise of the method, not a motion.
std::function<double(double velocity)> without_noise(double share, double least = 0);
event reversal_of(std::size_t velocity, workspace&);  // of the state that is a velocity
// slip and stick, which alternate: `margin` is above 0 while slipping.
void add_slip_events(std::vector<event>& events, const std::string& suffix,
                     std::function<double(double, const double*)> margin);

}  // namespace asperity
