// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/integrate/method.hpp>
#include <asperity/mechanics/gravity.hpp>
#include <asperity/mechanics/respond.hpp>
#include <asperity/mechanics/system_row.hpp>

namespace asperity {

any_model system_builder::contact(const std::string& meaning) {
  any_model model = root.model("contact", meaning);
  if (!model.is_ode())
    root.refuse(
        "contact.model",
        fmt::format("the memory of '{}' is not an ODE, which this system cannot run", model.key()));
  model.hold_side();
  return model;
}

any_model system_builder::friction(const std::string& meaning, bool memory, bool is_required) {
  any_model model = root.model("friction", meaning, is_required);
  if (!model.is_ode() && !memory)
    root.refuse(
        "friction.model",
        fmt::format("the memory of '{}' is not an ODE, which this system cannot run", model.key()));
  return model;
}

void system_builder::axis() {
  const std::string about =
      "axis of the motion: rotary reads and shows m as rad, N as N m, kg as kg m^2 and so on";
  if (word("axis", {"linear", "rotary"}, about, "linear") == "linear" || lists()) return;
  source()->make_rotary();
  root.source()->make_rotary();
}

void system_builder::gravity(double& g, range allowed) {
  g = usual_gravity;
  optional("gravity", g, units::metre / (units::second * units::second), allowed,
           "acceleration of gravity");
}

void system_builder::reference_load(double& load) {
  optional("reference_load", load, units::newton, positive,
           "normal force for which the friction parameters hold");
}

void system_builder::load(signal& relative_load) {
  root.optional("load", relative_load, units::one,
                "normal load, relative to the one for which the parameters hold");
}

void system_builder::refuse_rigid(const any_model& contact) const {
  if (is_rigid(contact))
    root.refuse("contact.model",
                fmt::format("impacts on '{}' need implicit steps, which this system does not have: "
                            "state it as an inclusion, with dio (docs/inclusions.md)",
                            contact.key()));
}

void system_builder::check_size(int states) const {
  if (states > most_states_of_adaptive_steps)
    refuse("kind", fmt::format("with these models it has {} states, more than the {} that a "
                               "scenario can have: take fewer elements",
                               states, most_states_of_adaptive_steps));
}

const system_row* find_system(std::string_view name) {
  for (const system_row* each : systems())
    if (name == each->name) return each;
  return nullptr;
}

std::string_view page_of(const system_row& row) {
  const auto all = systems();
  const auto place = std::find(all.begin(), all.end(), &row) - all.begin();
  return detail::system_pages()[static_cast<std::size_t>(place)];
}

std::string example_of(const system_row& row) {
  constexpr std::string_view begin = "```toml\n", end = "```";
  const std::string_view page = page_of(row);
  const auto from = page.find(begin);
  if (from == std::string_view::npos) return "";
  const auto first = from + begin.size();
  return std::string(page.substr(first, page.find(end, first) - first));
}

std::vector<key_entry> keys_of(const system_row& row) {
  std::vector<key_entry> keys;
  system_builder listing(keys);
  row.build(listing);
  return keys;
}

}  // namespace asperity
