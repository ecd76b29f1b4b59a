// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/inclusion/choice.hpp>
#include <asperity/inclusion/notation.hpp>
#include <asperity/inclusion/show.hpp>
#include <asperity/json_text.hpp>
#include <asperity/quantity.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

namespace asperity {

namespace {

using row = std::vector<std::string>;

std::string in_brackets(const std::optional<unit>& in) {
  return in ? fmt::format("[{}]", to_string(*in)) : "";
}

std::string with_unit(double value, const std::optional<unit>& in) {
  if (!in || is_plain(*in)) return fmt::format("{:.4g}", value);
  return fmt::format("{:.4g} {}", value, to_string(*in));
}

std::optional<unit> times(const std::optional<unit>& a, unit b) {
  return a ? std::optional<unit>(*a * b) : std::nullopt;
}
std::optional<unit> over(const std::optional<unit>& a, const std::optional<unit>& b) {
  return a && b ? std::optional<unit>(*a / *b) : std::nullopt;
}

// Units of a term's numbers.
struct term_units {
  std::optional<unit> deflection, stiffness, mass;
};
term_units units_of(const set_valued_term& t) {
  term_units in;
  in.deflection = t.is_contact ? t.argument_in : times(t.argument_in, units::second);
  if (in.deflection == units::one && t.force_in == units::torque) in.deflection = units::radian;
  in.stiffness = over(t.force_in, in.deflection);
  in.mass = times(in.stiffness, units::second * units::second);
  return in;
}

// The unit of state i, the appended ones included.
std::optional<unit> unit_of_state(const regularised& system, int i) {
  if (i < system.user_states()) return system.source.states[static_cast<std::size_t>(i)].in;
  for (const auto& t : system.terms)
    if (i >= t.first_state && i < t.first_state + t.dimension()) return units_of(t).deflection;
  return {};
}

std::optional<unit> rate_of(const std::optional<unit>& in) {
  return over(in, std::optional<unit>(units::second));
}

shown_section as_stated(const regularised& system, const notation& text) {
  shown_section out{"Inclusion, as stated", {}};
  unit_finder unit_of;
  for (const auto& each : system.source.definitions) {
    const auto value = [&](std::size_t k) { return text.formula(each.components[k].argument(0)); };
    const bool planar = each.components.size() == 2;
    const bool set_valued =
        is_set_valued(each.components[0]) || (planar && is_set_valued(each.components[1]));
    out.rows.push_back({each.name, set_valued ? "in" : "=",
                        planar ? fmt::format("[{}, {}]", value(0), value(1)) : value(0),
                        in_brackets(unit_of(each.components[0]).shown())});
  }
  for (const auto& each : system.source.states)
    out.rows.push_back({each.name + "'", is_set_valued(*each.rate) ? "in" : "=",
                        text.formula(*each.rate), in_brackets(rate_of(each.in))});
  return out;
}

shown_section as_dai(const regularised& system, const notation& text) {
  shown_section out{
      "Differential-algebraic inclusion: each set-valued term gets a state of its own", {}};
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    const auto law = text.law(i);
    out.rows.push_back({law.force, "=", law.viscoelastic, in_brackets(system.terms[i].force_in)});
    out.rows.push_back({law.force, "in", law.inclusion, ""});
  }
  if (system.terms.empty()) out.rows.push_back({"no term is set-valued"});
  return out;
}

shown_section as_ode(const regularised& system, const notation& text) {
  shown_section out{"Ordinary differential equation", {}};
  unit_finder unit_of;
  for (const auto& each : in_order(system)) {
    if (each.named) {
      out.rows.push_back({text.formula(*each.named), "=", text.formula(each.named->argument(0)),
                          in_brackets(unit_of(*each.named).shown())});
    } else {
      const auto which = static_cast<std::size_t>(each.term);
      const auto law = text.law(which);
      out.rows.push_back({law.force, "=", law.force_is, in_brackets(system.terms[which].force_in)});
    }
  }
  for (int i = 0; i < system.user_states(); ++i)
    out.rows.push_back({text.state(i) + "'", "=",
                        text.formula(system.rates[static_cast<std::size_t>(i)]),
                        in_brackets(rate_of(unit_of_state(system, i)))});
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    const auto law = text.law(i);
    out.rows.push_back({law.rate, "=", law.rate_is,
                        in_brackets(rate_of(unit_of_state(system, system.terms[i].first_state)))});
  }
  return out;
}

double limit_of(const method_row& method, const step_limits& limits) {
  return method.order == 4 ? limits.rk4 : limits.euler;
}

std::string limit_text(double limit) {
  return std::isfinite(limit) ? fmt::format("{:.3g} s", limit) : "none";
}

std::string nodes_text(const signal& shape) {
  const char* join = shape.join() == signal::joint::hold          ? "held"
                     : shape.join() == signal::joint::linear      ? "joined by straight lines"
                     : shape.join() == signal::joint::half_cosine ? "joined by half cosines"
                     : shape.join() == signal::joint::spline ? "joined by a natural cubic spline"
                                                             : "joined by monotone cubics";
  return fmt::format("{} nodes from t = {:g} s to {:g} s, {}", shape.node_times().size(),
                     shape.node_times().front(), shape.node_times().back(), join);
}

}  // namespace

std::vector<shown_section> show_equations(const regularised& system) {
  const notation text(language::text, system, "");
  return {as_stated(system, text), as_dai(system, text), as_ode(system, text)};
}

std::vector<shown_section> show(const regularised& system, const inclusion_setting& setting) {
  std::vector<shown_section> out = show_equations(system);
  const auto& source = system.source;
  const notation text(language::text, system, "");

  const auto figures = figures_of(system);
  shown_section terms{
      "Terms, at the initial state (deflection: static penetration of a contact, presliding of "
      "friction)",
      {{"name", "term", "K", "beta", "alpha", "effective mass", "load", "deflection",
        "restitution"}}};
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    const auto& t = system.terms[i];
    const auto& f = figures[i];
    const term_units in = units_of(t);
    terms.rows.push_back({t.name, t.text(), with_unit(t.K, in.stiffness),
                          with_unit(t.beta, units::second),
                          t.is_contact ? with_unit(t.alpha, units::second) : "-",
                          f.mass > 0 ? with_unit(f.mass, in.mass) : "-",
                          with_unit(f.load, t.force_in), with_unit(f.deflection, in.deflection),
                          t.is_contact && f.mass > 0 ? fmt::format("{:.3g}", f.restitution) : "-"});
  }
  if (!system.terms.empty()) out.push_back(std::move(terms));

  const step_limits limits = stable_steps(system);
  shown_section steps{"Longest stable steps", {}};
  steps.rows.push_back({"euler", limit_text(limits.euler)});
  steps.rows.push_back({"rk4", limit_text(limits.rk4)});
  steps.rows.push_back({"backward_euler, sdirk2, trbdf2", "none"});
  if (setting.method->is_explicit()) {
    const double limit = limit_of(*setting.method, limits);
    const double margin = limit / setting.step;
    steps.rows.push_back({fmt::format("the file: {} at {:g} s", setting.method->name, setting.step),
                          !std::isfinite(margin)
                              ? "no limit"
                              : fmt::format("{} by a factor of {:.3g}",
                                            margin >= 1 ? "below the limit" : "UNSTABLE: above it",
                                            margin >= 1 ? margin : 1 / margin)});
  } else {
    steps.rows.push_back({fmt::format("the file: {}", setting.method->name),
                          setting.method->needs == method_needs::impulses ? "none: hard constraints"
                          : setting.method->when_stiff == stiff_steps::long_ones
                              ? "none"
                              : "adaptive steps find the limit automatically"});
  }
  out.push_back(std::move(steps));

  if (!source.parameters.empty()) {
    shown_section parameters{"Parameters", {}};
    for (const auto& each : source.parameters)
      parameters.rows.push_back({each.name, "=", with_unit(each.value, each.in)});
    out.push_back(std::move(parameters));
  }
  if (!source.inputs.empty()) {
    shown_section inputs{"Inputs", {}};
    for (const auto& each : source.inputs) {
      std::string jumps;
      const auto times = each.shape.breakpoints(0, setting.duration);
      constexpr std::size_t most = 8;
      for (std::size_t i = 0; i < times.size() && i < most; ++i)
        jumps += fmt::format("{}{:g}", i == 0 ? "" : ", ", times[i]);
      if (times.size() > most) jumps += fmt::format(" ... ({} in all)", times.size());
      inputs.rows.push_back({each.name, "=", text.signal_formula(each.shape, nodes_text),
                             in_brackets(each.in),
                             jumps.empty() ? "no jumps" : "jumps or kinks at t = " + jumps + " s"});
    }
    out.push_back(std::move(inputs));
  }
  shown_section initial{"Initial state", {}};
  for (int i = 0; i < system.states; ++i)
    initial.rows.push_back(
        {text.state(i), "=",
         with_unit(setting.initial[static_cast<std::size_t>(i)], unit_of_state(system, i))});
  out.push_back(std::move(initial));
  return out;
}

std::string show_json(const regularised& system, const inclusion_setting& setting) {
  using json = nlohmann::ordered_json;
  const auto unit_json = [](const std::optional<unit>& in) {
    return in ? json(to_string(*in)) : json(nullptr);
  };
  const auto finite = [](double x) { return std::isfinite(x) ? json(x) : json(nullptr); };
  json out = json::object();
  out["name"] = setting.name;
  out["title"] = setting.title;
  out["file"] = setting.origin;

  const char* keys[] = {"inclusion", "dai", "ode"};
  const auto equations = show_equations(system);
  for (std::size_t i = 0; i < equations.size(); ++i) {
    out[keys[i]] = json::array();
    for (const auto& each : equations[i].rows)
      if (each.size() > 2)
        out[keys[i]].push_back({{"left", each[0]}, {"relation", each[1]}, {"right", each[2]}});
  }

  const notation text(language::text, system, "");
  out["states"] = json::array();
  for (int i = 0; i < system.states; ++i)
    out["states"].push_back({{"name", text.state(i)},
                             {"unit", unit_json(unit_of_state(system, i))},
                             {"initial", setting.initial[static_cast<std::size_t>(i)]},
                             {"appended", i >= system.user_states()}});
  out["parameters"] = json::array();
  for (const auto& each : system.source.parameters)
    out["parameters"].push_back(
        {{"name", each.name}, {"value", each.value}, {"unit", unit_json(each.in)}});
  out["inputs"] = json::array();
  for (const auto& each : system.source.inputs)
    out["inputs"].push_back({{"name", each.name},
                             {"unit", unit_json(each.in)},
                             {"formula", text.signal_formula(each.shape, nodes_text)},
                             {"jumps", each.shape.breakpoints(0, setting.duration)}});
  out["terms"] = json::array();
  const auto figures = figures_of(system);
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    const auto& t = system.terms[i];
    const auto& f = figures[i];
    const term_units in = units_of(t);
    json term{{"name", t.name},
              {"kind", t.is_contact ? "dio" : "sgn"},
              {"text", t.text()},
              {"K", t.K},
              {"K_unit", unit_json(in.stiffness)},
              {"beta", t.beta},
              {"alpha", t.is_contact ? json(t.alpha) : json(nullptr)},
              {"mass", f.mass > 0 ? json(f.mass) : json(nullptr)},
              {"mass_unit", unit_json(in.mass)},
              {"load", finite(f.load)},
              {"load_unit", unit_json(t.force_in)},
              {"deflection", finite(f.deflection)},
              {"deflection_unit", unit_json(in.deflection)},
              {"restitution", t.is_contact && f.mass > 0 ? json(f.restitution) : json(nullptr)}};
    out["terms"].push_back(std::move(term));
  }
  const step_limits limits = stable_steps(system);
  out["stable_steps"] = {
      {"euler", finite(limits.euler)}, {"rk4", finite(limits.rk4)}, {"implicit", nullptr}};
  out["integrator"] = {{"method", setting.method->name}};
  if (setting.method->is_explicit()) {
    const double limit = limit_of(*setting.method, limits);
    out["integrator"]["step"] = setting.step;
    out["integrator"]["margin"] = finite(limit / setting.step);
  }
  return json_text(out);
}

}  // namespace asperity
