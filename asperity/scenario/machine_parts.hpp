// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the readers of machines share.

#include <fmt/format.h>

#include <asperity/scenario/machine_kinds.hpp>
#include <asperity/systems/mass_books.hpp>

namespace asperity {

namespace units {
inline constexpr unit speed = metre / second;
inline constexpr unit acceleration = metre / (second * second);
inline constexpr unit moment_of_inertia = kilogram * metre * metre;
}  // namespace units

// A machine around a system of known type.
template <class System>
class machine_of : public machine {
 public:
  explicit machine_of(System system) : system_(std::move(system)) {}

  std::vector<machine_quantity> states() const override { return states_; }
  std::vector<double> initial() const override { return initial_; }
  void rates(double t, const double* y, double* rate) const override { system_.rates(t, y, rate); }
  void powers(double t, const double* y, double* out) const override {
    if constexpr (requires { system_.powers(t, y, out); }) system_.powers(t, y, out);
  }

 protected:
  System system_;
  std::vector<machine_quantity> states_;
  std::vector<double> initial_;

  void add_state(const std::string& name, unit in, double start = 0, double scale = 0,
                 range allowed = any_value) {
    states_.push_back({name, in, scale, allowed});
    initial_.push_back(start);
  }
  // The states of a model, called prefix_name.
  void add_states(const any_model& model, const std::string& prefix);
};

struct named_states {
  std::vector<machine_quantity> states;
  std::vector<double> initial;
};
named_states states_of_model(const any_model& model, const std::string& prefix);

template <class System>
void machine_of<System>::add_states(const any_model& model, const std::string& prefix) {
  const named_states all = states_of_model(model, prefix);
  states_.insert(states_.end(), all.states.begin(), all.states.end());
  initial_.insert(initial_.end(), all.initial.begin(), all.initial.end());
}

// The model in the table `key`. Not every machine can run a memory that is not an ODE.
inline constexpr bool may_have_memory = true;
any_model read_machine_model(const machine_context& from, const std::string& key,
                             const std::string& family, bool memory = !may_have_memory);
// Refuses a rigid contact, which only implicit steps can follow, in a system that has none.
void refuse_rigid(const machine_context& from, const any_model& contact);
// Refuses more states than a scenario can have.
void check_size(const machine_context& from, std::size_t states);

// touchdown and liftoff of a contact: force(t, y) begins and ends.
void add_contact_events(std::vector<event>& events, const std::string& suffix,
                        std::function<double(double, const double*)> force);
// Where the law of a contact jumps: turns its side (any_model::hold_side), the last of its states,
// which begin at `states`, where the gap crosses 0.
void add_side_event(std::vector<event>& events, const any_model& contact, int states,
                    std::function<drive<double>(const double*)> gap);
// Where friction has no law without a load: bristles that leave the ground spring back (the states
// of the model, which begin at `states`, are as at the start), and what they held is lost by the
// element of the books.
void add_relax_event(std::vector<event>& events, const any_model& friction, int states, int element,
                     std::function<double(double, const double*)> load);
// The velocity, or 0 where it is below `share` of the highest that it had so far in the run (or
// below `least`): what is left there at rest is noise of the method, not a motion.
std::function<double(double velocity)> without_noise(double share, double least = 0);
// slip and stick, which alternate: `margin` is above 0 while slipping.
void add_slip_events(std::vector<event>& events, const std::string& suffix,
                     std::function<double(double, const double*)> margin);

// A model of asperity/models/frictional_contact, its parameters by the names on its card.
template <class Contact>
Contact read_touch_model(reader& table, const machine_context& from) {
  Contact contact;
  for (auto& parameter : card_of<double>(contact).parameters)
    *parameter.value.front() =
        table.number(parameter.name, parameter.in, parameter.allowed, *parameter.value.front());
  table.finish();
  const validity answer = contact.valid();
  if (answer.verdict == validity::refused) table.fail("", answer.why);
  if (answer.verdict == validity::doubtful)
    from.warnings.push_back(fmt::format("{}: {}", table.place(), answer.why));
  return contact;
}

// One for each kind.
std::shared_ptr<machine> read_sphere_on_plane(const machine_context&);
std::shared_ptr<machine> read_rolling_disc(const machine_context&);
std::shared_ptr<machine> read_mass_between_walls(const machine_context&);
std::shared_ptr<machine> read_mass_on_belt(const machine_context&);
std::shared_ptr<machine> read_two_bodies_wall_conveyor(const machine_context&);
std::shared_ptr<machine> read_rigid_bounce(const machine_context&);
std::shared_ptr<machine> read_discs(const machine_context&);
std::shared_ptr<machine> read_spheres(const machine_context&);

}  // namespace asperity
