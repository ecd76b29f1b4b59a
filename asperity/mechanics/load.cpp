// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/mechanics/load.hpp>
#include <cmath>

namespace asperity {

std::string reason_load_is_refused(double t, double value) {
  if (value >= -no_load) return "";
  return fmt::format("it must be at least 0 during the whole run, but is {:g} at t = {:g} s", value,
                     t);
}

std::string reason_load_is_refused(const signal& load, double duration) {
  const auto least = load.lowest(0, duration);
  return reason_load_is_refused(least.t, least.value);
}
std::string reason_load_is_refused(const any_model& model, const signal& load, double duration) {
  return model.load_is_weight() ? "" : reason_load_is_refused(load, duration);
}

bool needs_load(const any_model& model) {
  double state[any_model::max_states] = {}, rate[any_model::max_states] = {};
  model.initial(state);
  double f = 0;
  if (model.is_ode()) {
    f = model.respond(state, 0.0, 1.0, 0.0, rate);
  } else {
    f = model.advance(state, {0, 1, 0}, {1e-3, 1, 0}, 1e-3);
    for (int i = 0; i < model.states(); ++i) rate[i] = state[i];
  }
  bool finite = std::isfinite(f);
  for (int i = 0; i < model.states(); ++i) finite = finite && std::isfinite(rate[i]);
  return !finite;
}

bool is_moved_by_load(const any_model& model) {
  if (!model.at().is_line() || !model.is_ode()) return false;
  if (model.functions().in_double.advance == nullptr) return false;
  double sliding[any_model::max_states] = {}, unloaded[any_model::max_states] = {};
  model.initial(sliding);
  model.advance(sliding, {0, 1, 1}, {1, 1, 1}, 1.0);
  std::copy_n(sliding, model.states(), unloaded);
  model.advance(unloaded, {1, 0, 1}, {1, 0, 1e-6}, 1.0);
  return !std::equal(sliding, sliding + model.states(), unloaded);
}

std::string explain_bad_load(const any_model& model, const signal& load, double from, double to) {
  const auto least = load.lowest(from, to);
  if (least.value > no_load || !needs_load(model)) return "";
  return fmt::format("{} needs a load above 0, but the load is {:g} at t = {:g} s", model.key(),
                     std::abs(least.value) <= no_load ? 0 : least.value, least.t);
}

}  // namespace asperity
