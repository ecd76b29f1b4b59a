// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/linear_motion.hpp>
#include <asperity/integrate/method.hpp>
#include <asperity/integrate/rosenbrock.hpp>

namespace asperity {

system_view::system_view(const system& which, workspace& of_run, int count, bool audited)
    : of(&which),
      work(&of_run),
      states(count),
      stage(which.implicit()),
      both_sides(which.sides()),
      own(which.own()),
      memory(which.memory()),
      exact(which.exact()),
      energy(audited ? which.energy() : nullptr),
      flows(energy != nullptr ? energy->terms().powers() : 0) {}

void system_view::linearise(double t, double beside, const double* y, double* rate, double* rate_t,
                            double* jacobian, int stride) const {
  if (exact == nullptr || flows > 0) {
    differenced<system_view> by_differences{*this, {}, states};
    const tolerances& wanted = work->setting.tolerance;
    for (std::size_t i = 0; i < static_cast<std::size_t>(states); ++i)
      by_differences.scale[i] = wanted.absolute[i] / wanted.relative;
    by_differences.linearise(t, beside, y, rate, rate_t, jacobian, stride);
  }
  // The states' own derivatives stay exact when flows are appended.
  if (exact != nullptr) exact->linearise(t, y, rate, rate_t, jacobian, stride);
}

const method_row* find_method(std::string_view name) {
  for (const method_row* each : methods())
    if (name == each->name) return each;
  return nullptr;
}

const linear_mass* linear_mass_in(const system& s) {
  const auto* part = dynamic_cast<const linear_motion*>(&s);
  return part != nullptr ? part->linear() : nullptr;
}

const linear_contact* linear_contact_in(const system& s) {
  const auto* part = dynamic_cast<const linear_motion*>(&s);
  return part != nullptr ? part->linear_touch() : nullptr;
}

std::string why_not_linear(const system& s) {
  if (linear_mass_in(s) != nullptr || linear_contact_in(s) != nullptr) return "";
  const auto* part = dynamic_cast<const linear_motion*>(&s);
  return part != nullptr ? part->why_not_linear()
                         : fmt::format(
                               "a {} is not known to be linear between events: only one sliding "
                               "mass, on a linear spring, and one bouncing mass are",
                               s.card().kind);
}

const char* to_string(method_needs needs) {
  switch (needs) {
    case method_needs::rates:
      return "rates";
    case method_needs::stage:
      return "implicit step in closed form";
    case method_needs::sides:
      return "friction that jumps at rest";
    case method_needs::memory:
      return "step of the system's own";
    case method_needs::impulses:
      return "system stated as an inclusion";
    case method_needs::linear:
      return "motion that is linear between events";
  }
  return "";
}

double run_setting::instant() const {
  return has_fixed_step(*this) ? 1e-3 * step : 1e-6 * max_step;
}

bool has_fixed_step(const run_setting& s) { return s.method->is_fixed && s.step > 0; }

bool may_switch(const system& s, const method_row& m) {
  return s.sides() != nullptr &&
         (m.needs == method_needs::sides || (!m.is_fixed && m.holds_at_rest));
}

std::string why_not(const system& s, const method_row& m) {
  if (m.why_absent != nullptr)
    if (const char* why = m.why_absent(); why != nullptr) return why;
  const system_card& card = s.card();
  if (const marching* march = s.march(); march != nullptr) {
    const auto its = march->methods();
    if (std::find(its.begin(), its.end(), &m) != its.end()) return "";
    return fmt::format("a system of kind {} has its own stepper", card.kind);
  }
  if (!card.rigid.empty() && !m.follows_impacts)
    return fmt::format("impacts on model '{}' need method backward_euler", card.rigid);
  if (m.needs == method_needs::impulses) return card.why_no.impulses;
  if (m.needs == method_needs::linear) return why_not_linear(s);
  if (m.is_closed_form() && s.implicit() == nullptr) return card.why_no.implicit;
  const bool has_impulses = card.why_no.impulses.empty();  // then its own step is one with them
  if (m.needs == method_needs::memory && (s.own() == nullptr || has_impulses))
    return card.why_no.memory;
  if (m.needs != method_needs::memory && !card.memory.empty())
    return fmt::format("model '{}' has a memory that is not an ODE", card.memory);
  if (m.needs == method_needs::sides && s.sides() == nullptr) return card.why_no.sides;
  const auto most = static_cast<std::size_t>(m.is_fixed ? most_states_of_fixed_steps
                                                        : most_states_of_adaptive_steps);
  if (const std::size_t states = s.initial().size(); states > most)
    return fmt::format("{} methods take at most {} states, but this system has {}",
                       m.is_fixed ? "these" : "adaptive", most, states);
  if (!m.is_fixed && !card.chatters.empty() && s.implicit() == nullptr && s.sides() == nullptr)
    return fmt::format(
        "model '{}' is set-valued or jumps at rest, where adaptive steps shrink without end; the "
        "same system can be run if it is stated as an inclusion, with sgn (docs/inclusions.md)",
        card.chatters.front());
  return "";
}

const method_row& default_method(const system& s) {
  if (const marching* march = s.march(); march != nullptr) return *march->methods().front();
  if (const method_row* wanted = s.card().preferred;
      wanted != nullptr && why_not(s, *wanted).empty())
    return *wanted;
  const method_row* best = nullptr;
  for (const method_row* each : methods())
    if (each->preference > 0 && (best == nullptr || each->preference < best->preference) &&
        (each->needs != method_needs::memory || !s.card().memory.empty()) &&
        why_not(s, *each).empty())
      best = each;
  if (best == nullptr) throw error(fmt::format("no method can run a {}", s.card().kind));
  return *best;
}

}  // namespace asperity
