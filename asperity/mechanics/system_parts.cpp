// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/mechanics/system_parts.hpp>
#include <cmath>
#include <limits>

namespace asperity {

std::string no_implicit_step(const any_model& model) {
  return fmt::format(
      "model '{}' has no implicit step in closed form; method = \"automatic\" or \"rosenbrock\" "
      "can run any law that is an ODE",
      model.key());
}
double stage_work_of(const any_model& model) {
  return model.functions().implicit_step != nullptr ? 8 : 1;
}

named_states states_of_model(const any_model& model, const std::string& prefix) {
  named_states result;
  const auto count = static_cast<std::size_t>(model.states());
  const auto names = model.state_names();
  const auto in = model.state_units();
  const auto allowed = model.state_ranges();
  std::vector<double> scale(any_model::max_states, unknown_scale);
  model.state_scale(scale.data());
  std::vector<double> start(any_model::max_states, 0.0);
  model.initial(start.data());
  for (std::size_t i = 0; i < count; ++i)
    result.states.push_back({prefix + names[i], in[i], scale[i], allowed[i]});
  result.initial.assign(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(count));
  return result;
}

std::vector<int> shown_states(const any_model& model) {
  std::vector<int> shown;
  const auto names = model.state_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] != "f") shown.push_back(static_cast<int>(i));
  return shown;
}

void add_contact_events(std::vector<event>& events, const std::string& suffix,
                        std::function<double(double, const double*)> force) {
  const auto touching = [force = std::move(force)](double t, const double* y) {
    return force(t, y) != 0 ? 1.0 : -1.0;
  };
  events.push_back({"touchdown" + suffix, touching, event::direction::rising});
  events.push_back({"liftoff" + suffix, touching, event::direction::falling});
}

void add_side_event(std::vector<event>& events, const any_model& contact, int states,
                    std::function<drive<double>(const double*)> gap) {
  if (!contact.holds_side()) return;
  const auto side = static_cast<std::size_t>(states + contact.states() - 1);
  event crossing;
  // Above 0 on the wrong side. On the surface itself both sides are right.
  crossing.value = [side, gap](double, const double* y) {
    const double x = gap(y).x;
    return x == 0 ? -1.0 : -y[side] * x;
  };
  crossing.crossing = event::direction::rising;
  crossing.change = [side](double, double* y) { y[side] = -y[side]; };
  crossing.prepare = [side, gap = std::move(gap)](double, double* y) {
    const auto at = gap(y);
    y[side] = at.x > 0 || (at.x == 0 && at.v > 0) ? 1.0 : -1.0;
  };
  events.push_back(std::move(crossing));
}

void add_relax_event(std::vector<event>& events, const any_model& friction, int states, int element,
                     std::function<double(double, const double*)> load) {
  if (least_load_of(friction) == 0) return;
  event lifted;
  lifted.value = [load = std::move(load)](double t, const double* y) {
    return load(t, y) > 0 ? 1.0 : -1.0;
  };
  lifted.crossing = event::direction::falling;
  lifted.change = [&friction, states](double, double* y) { friction.initial(y + states); };
  lifted.element = element;
  events.push_back(std::move(lifted));
}

std::function<double(double)> without_noise(double share, double least) {
  return [share, least, highest = std::make_shared<double>(0.0)](double v) {
    *highest = std::max(*highest, std::abs(v));
    return std::abs(v) <= std::max(least, share * *highest) ? 0.0 : v;
  };
}

event reversal_of(std::size_t velocity, workspace& w) {
  // Slower than its tolerance a body is at rest.
  const auto moving =
      without_noise(w.setting.tolerance.relative, w.setting.tolerance.absolute[velocity]);
  return {"reversal", [velocity, moving](double, const double* y) { return moving(y[velocity]); }};
}

void add_slip_events(std::vector<event>& events, const std::string& suffix,
                     std::function<double(double, const double*)> margin) {
  // Never 0, so that one of them follows the other.
  const auto either = [margin = std::move(margin)](double t, const double* y) {
    const double value = margin(t, y);
    return value > 0 ? value : std::min(value, -std::numeric_limits<double>::min());
  };
  events.push_back({"slip" + suffix, either, event::direction::rising});
  events.push_back({"stick" + suffix, either, event::direction::falling});
}

}  // namespace asperity
