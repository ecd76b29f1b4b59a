// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/scenario/machine_parts.hpp>

namespace asperity {

named_states states_of_model(const any_model& model, const std::string& prefix) {
  named_states result;
  const auto count = static_cast<std::size_t>(model.states());
  const auto names = model.state_names();
  const auto in = model.state_units();
  std::vector<double> scale(any_model::max_states, 0.0);
  model.state_scale(scale.data());
  std::vector<double> start(any_model::max_states, 0.0);
  model.initial(start.data());
  for (std::size_t i = 0; i < count; ++i)
    result.states.push_back({prefix + names[i], in[i], scale[i]});
  result.initial.assign(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(count));
  return result;
}

any_model read_machine_model(const machine_context& from, const std::string& key,
                             const std::string& family) {
  reader table = from.root.table(key);
  any_model model = read_model(table, family, from.warnings);
  if (!model.is_ode())
    table.fail(
        "model",
        fmt::format("the memory of '{}' is not an ODE, which this system cannot run", model.key()));
  return model;
}

void check_size(const machine_context& from, std::size_t states) {
  if (states > machine_capacity)
    from.system.fail("kind",
                     fmt::format("with these models it has {} states, more than the {} that "
                                 "a scenario can have: take fewer elements",
                                 states, machine_capacity));
}

void add_contact_events(std::vector<event>& events, const std::string& suffix,
                        std::function<double(double, const double*)> force) {
  const auto touching = [force = std::move(force)](double t, const double* y) {
    return force(t, y) != 0 ? 1.0 : -1.0;
  };
  events.push_back({"touchdown" + suffix, touching, event::direction::rising});
  events.push_back({"liftoff" + suffix, touching, event::direction::falling});
}

void add_slip_events(std::vector<event>& events, const std::string& suffix,
                     std::function<double(double, const double*)> margin) {
  events.push_back({"slip" + suffix, margin, event::direction::rising});
  events.push_back({"stick" + suffix, std::move(margin), event::direction::falling});
}

}  // namespace asperity
