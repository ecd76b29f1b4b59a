// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/inclusion/choice.hpp>
#include <asperity/inclusion/inclusion.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text.hpp>
#include <cctype>

namespace asperity {

// ---- building -----------------------------------------------------------------------------------

namespace {
constexpr std::size_t longest_formula_name = 100;
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > longest_formula_name) return false;
  if (std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

void inclusion::check_name(const std::string& name, const char* what) {
  static const std::vector<std::string> reserved{"t",   "pi",   "sgn",  "dio",  "min", "max",
                                                 "abs", "sqrt", "exp",  "log",  "sin", "cos",
                                                 "tan", "atan", "tanh", "cosh", "norm"};
  if (!is_name(name))
    throw error(
        fmt::format("'{}' is not a valid name: use a letter, then letters, digits and _, at most "
                    "{} characters in all",
                    shortened(printable(name), 60), longest_formula_name));
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
    throw error(fmt::format("'{}' is reserved in formulas: choose another name", name));
  const auto [known, is_new] = taken_.emplace(name, what);
  if (!is_new)
    throw error(fmt::format("'{}' is already {}: names must differ", name, known->second));
}

expression inclusion::state(const std::string& name, std::optional<unit> in, double initial) {
  check_name(name, "a state");
  states.push_back({name, in, initial, {}, {}});
  return expression::symbol(symbol_kind::state, static_cast<int>(states.size()) - 1, name, in);
}

expression inclusion::parameter(const std::string& name, double value, std::optional<unit> in) {
  check_name(name, "a parameter");
  parameters.push_back({name, value, in});
  return expression::symbol(symbol_kind::parameter, static_cast<int>(parameters.size()) - 1, name,
                            in);
}

expression inclusion::input(const std::string& name, signal shape, std::optional<unit> in) {
  check_name(name, "an input");
  inputs.push_back({name, std::move(shape), in});
  return expression::symbol(symbol_kind::input, static_cast<int>(inputs.size()) - 1, name, in);
}

expression inclusion::time() {
  return expression::symbol(symbol_kind::time, 0, "t", units::second);
}

expression inclusion::define(const std::string& name, const expression& value) {
  check_name(name, "a definition");
  expression result = expression::named(name, value);
  definitions.push_back({name, {result}});
  return result;
}

plane_vector inclusion::define(const std::string& name, const plane_vector& value) {
  check_name(name, "a definition");
  plane_vector result{expression::named(name + ".x", value.x),
                      expression::named(name + ".y", value.y)};
  definitions.push_back({name, {result.x, result.y}});
  return result;
}

void inclusion::rate(const expression& state, const expression& value) {
  if (!state.is(operation::symbol) || state->kind != symbol_kind::state)
    throw error(fmt::format("'{}' is not a state: only states have rates", to_text(state)));
  states[static_cast<std::size_t>(state->slot)].rate = value;
}

// ---- terms --------------------------------------------------------------------------------------

std::string set_valued_term::text() const {
  if (is_contact) return fmt::format("dio({})", to_text(argument[0]));
  const std::string inside =
      argument.size() == 2 ? fmt::format("[{}, {}]", to_text(argument[0]), to_text(argument[1]))
                           : to_text(argument[0]);
  if (factor.is_number(1)) return fmt::format("sgn({})", inside);
  const bool sum = factor.is(operation::add) || factor.is(operation::subtract);
  return fmt::format("{}*sgn({})", sum ? fmt::format("({})", to_text(factor)) : to_text(factor),
                     inside);
}

std::string set_valued_term::complaint_about_factor(double value, double t) const {
  return fmt::format(
      "the factor of {} became negative ({:g}) at t = {:g} s; friction needs a factor of at least "
      "0: cut it with max(0, ...), or name the force in [definitions] so that directions stay "
      "outside the factor",
      text(), value, t);
}

namespace {

const char* direction_against_itself(const set_valued_term& term) {
  return term.is_contact ? "force does not open its own gap, but closes"
                         : "friction does not oppose its own velocity, but drives";
}

}  // namespace

unit set_valued_term::state_in() const {
  if (!argument_in) return units::one;
  return is_contact ? *argument_in : *argument_in * units::second;
}

std::string set_valued_term::complaint_about_start() const {
  return fmt::format(
      "term '{}', {}: at the initial state its {} it: check the sign of the term in the rates",
      name, text(), direction_against_itself(*this));
}

std::string set_valued_term::complaint_about_direction(double mobility, double t) const {
  std::string in;
  if (argument_in && force_in) {
    const double rates = is_contact ? 2 : 1;
    in = fmt::format(" {}", to_string(*argument_in / *force_in / power(units::second, rates)));
  }
  return fmt::format(
      "term '{}', {}: at t = {:.6g} s the {} it by {:.3g}{} for each unit of force: check the sign "
      "and the factors of the term in the rates",
      name, text(), t, direction_against_itself(*this), -mobility, in);
}

std::string set_valued_term::state_name(int component) const {
  const char* suffix = dimension() == 1 ? "" : component == 0 ? "_x" : "_y";
  return fmt::format("{}_{}{}", is_contact ? "e" : "a", name, suffix);
}

std::vector<double> regularised::parameter_values() const {
  std::vector<double> values;
  for (const auto& each : source.parameters) values.push_back(each.value);
  return values;
}

std::vector<term_to_compile> regularised::to_compile() const {
  std::vector<term_to_compile> result;
  for (const auto& t : terms)
    result.push_back(
        {t.is_contact, t.argument, t.factor, t.K, t.beta, t.alpha, t.first_state, t.first_force});
  return result;
}

namespace {

std::string at(const expression& e) { return e->place.empty() ? "" : e->place + ": "; }

[[noreturn]] void refuse(const expression& e, const std::string& why) {
  throw error(fmt::format("{}'{}': {}", at(e), to_text(e), why));
}

// A product as it was written, signs and divisors apart. A definition is one factor: it is not
// looked into.
struct product {
  bool negative = false;
  std::vector<expression> factors, divisors;
};

void take_apart(const expression& e, product& into, bool below) {
  if (e.is(operation::negate)) {
    into.negative = !into.negative;
    take_apart(e.argument(0), into, below);
  } else if (e.is(operation::multiply)) {
    take_apart(e.argument(0), into, below);
    take_apart(e.argument(1), into, below);
  } else if (e.is(operation::divide)) {
    take_apart(e.argument(0), into, below);
    take_apart(e.argument(1), into, !below);
  } else if (e.is(operation::number) && e->value < 0) {
    into.negative = !into.negative;
    (below ? into.divisors : into.factors).emplace_back(-e->value);
  } else {
    (below ? into.divisors : into.factors).push_back(e);
  }
}

class replacement {
 public:
  explicit replacement(const inclusion& source) { result_.source = source; }

  regularised go() {
    check_source();
    // Contacts first, everywhere; then friction, whose factors may hold contact forces.
    const auto& source = result_.source;
    std::vector<expression> rates;
    std::vector<inclusion::definition_entry> definitions;
    for (const auto& each : source.definitions) {
      definitions.push_back({each.name, {}});
      for (const auto& part : each.components)
        definitions.back().components.push_back(without_dio(part, ""));
    }
    for (const auto& each : source.states) rates.push_back(without_dio(*each.rate, ""));
    memo_.clear();
    for (auto& each : definitions)
      for (auto& part : each.components) part = without_sgn(part, "");
    for (auto& each : rates) each = without_sgn(each, "");
    result_.rates = std::move(rates);
    result_.definitions = std::move(definitions);
    number_states();
    check_names_and_units();
    return std::move(result_);
  }

 private:
  void check_source() const {
    const auto& source = result_.source;
    if (source.states.empty()) throw error("the system has no states: it needs at least one");
    for (const auto& each : source.states)
      if (!each.rate)
        throw error(fmt::format("{}state '{}' has no rate: give one",
                                each.place.empty() ? "" : each.place + ": ", each.name));
  }

  // `name`: of the definition that consists of this expression alone.
  expression without_dio(const expression& e, const std::string& name) {
    if (!contains(e, operation::set_dio)) return e;
    const auto known = memo_.find(&*e);
    if (known != memo_.end()) return known->second;
    expression changed = e;
    if (e.is(operation::set_dio)) {
      const expression& gap = e.argument(0);
      if (is_set_valued(gap))
        refuse(e,
               "the argument of a dio must be a function of the states: it may not contain a sgn "
               "or dio itself");
      if (is_constant(gap))
        refuse(e, "the argument of a dio does not depend on any state: there is no gap to close");
      changed = contact_force(e, name);
    } else if (!e->arguments.empty()) {
      expression::node n = *e;
      const bool passes_name = e.is(operation::named);
      for (auto& each : n.arguments) each = without_dio(each, passes_name ? strip(e->name) : "");
      if (!same_arguments(n, *e)) changed = expression(std::move(n));
    }
    memo_.emplace(&*e, changed);
    kept_.push_back(e);
    return changed;
  }

  static bool same_arguments(const expression::node& a, const expression::node& b) {
    for (std::size_t i = 0; i < a.arguments.size(); ++i)
      if (&*a.arguments[i] != &*b.arguments[i]) return false;
    return true;
  }

  static std::string strip(const std::string& name) { return name.substr(0, name.find('.')); }

  expression contact_force(const expression& e, const std::string& name) {
    const std::vector<int> key{number_of_(e.argument(0))};
    for (std::size_t i = 0; i < result_.terms.size(); ++i) {
      if (key_[i] != key) continue;
      if (!name.empty() && !has_own_name_[i]) rename(i, name);
      return force_of(i, 0);
    }
    set_valued_term t;
    t.is_contact = true;
    t.argument = {e.argument(0)};
    t.place = e->place;
    return add_term(std::move(t), key, name);
  }

  expression add_term(set_valued_term t, const std::vector<int>& key, const std::string& name,
                      int component = 0) {
    const auto count =
        1 + std::count_if(result_.terms.begin(), result_.terms.end(),
                          [&](const auto& o) { return o.is_contact == t.is_contact; });
    t.name = name.empty() ? fmt::format("{}_{}", t.is_contact ? "dio" : "sgn", count) : name;
    result_.terms.push_back(std::move(t));
    key_.push_back(key);
    has_own_name_.push_back(!name.empty());
    return force_of(result_.terms.size() - 1, component);
  }

  // Forces made before the name was known keep their text: it is only shown.
  void rename(std::size_t i, const std::string& name) {
    result_.terms[i].name = name;
    has_own_name_[i] = true;
  }

  expression force_of(std::size_t i, int component) {
    const set_valued_term& t = result_.terms[i];
    // The unit: of a contact force energy over gap, of friction that of its factor.
    const inferred_unit found = force_unit(t);
    const char* suffix = t.dimension() == 1 ? "" : component == 0 ? ".x" : ".y";
    return expression::force(static_cast<int>(i), component, t.name + suffix, found.shown(),
                             found.is != inferred_unit::sort::known);
  }

  static inferred_unit force_unit(const set_valued_term& t) {
    return t.is_contact ? infer_unit(dio(t.argument[0])) : infer_unit(t.factor);
  }

  expression without_sgn(const expression& e, const std::string& name) {
    if (!contains(e, operation::set_sgn)) return e;
    const auto known = memo_.find(&*e);
    if (known != memo_.end()) return known->second;
    const bool is_product = e.is(operation::multiply) || e.is(operation::divide) ||
                            e.is(operation::negate) || e.is(operation::set_sgn);
    expression changed = is_product ? friction_in_product(e, name) : descend(e);
    memo_.emplace(&*e, changed);
    kept_.push_back(e);
    return changed;
  }

  expression descend(const expression& e) {
    expression::node n = *e;
    for (auto& each : n.arguments)
      each = without_sgn(each, e.is(operation::named) ? strip(e->name) : "");
    return expression(std::move(n));
  }

  expression friction_in_product(const expression& e, const std::string& name) {
    product parts;
    take_apart(e, parts, false);
    std::vector<expression> signs, others;
    for (const auto& each : parts.factors)
      (each.is(operation::set_sgn) ? signs : others).push_back(each);
    for (const auto& each : parts.divisors)
      if (each.is(operation::set_sgn))
        refuse(e, "a division by sgn is not defined where the sign is a set");
    if (signs.empty()) return descend(e);
    if (signs.size() > 1)
      refuse(e, fmt::format("the factor of '{}' contains another sgn; a product of two cannot be "
                            "handled: write the force without it",
                            to_text(signs[0])));
    const expression& sign = signs.front();
    for (const auto& each : others)
      if (contains(each, operation::set_sgn))
        refuse(e, fmt::format("the factor '{}' of '{}' contains a sgn itself, which cannot be "
                              "handled: the factor must be continuous",
                              to_text(each), to_text(sign)));
    for (const auto& each : sign->arguments)
      if (is_set_valued(each) || contains(each, operation::force))
        refuse(sign,
               "the argument of a sgn must be a function of the states: it may not contain a sgn "
               "or dio itself");
    if (std::all_of(sign->arguments.begin(), sign->arguments.end(), is_constant))
      refuse(sign, "the argument of a sgn does not depend on any state: there is no velocity");

    // Constant divisors (a mass, say) stay outside, so that the term is a force.
    expression factor = 1.0;
    for (const auto& each : others) factor = factor.is_number(1) ? each : factor * each;
    bool divided = false;
    expression below = 1.0;
    for (const auto& each : parts.divisors) {
      if (contains(each, operation::set_sgn)) refuse(e, "a sgn is in a divisor");
      if (is_constant(each)) {
        below = divided ? below * each : each;
        divided = true;
      } else {
        factor = factor / each;
      }
    }
    const bool alone = !parts.negative && !divided;
    const expression force = friction_force(sign, factor, alone ? name : "");
    const expression signed_force = parts.negative ? -force : force;
    return divided ? (signed_force / below).at_place(e->place) : signed_force;
  }

  expression friction_force(const expression& sign, const expression& factor,
                            const std::string& name) {
    std::vector<int> key{number_of_(factor)};
    for (const auto& each : sign->arguments) key.push_back(number_of_(each));
    for (std::size_t i = 0; i < result_.terms.size(); ++i) {
      if (key_[i] != key) continue;
      if (!name.empty() && !has_own_name_[i]) rename(i, name);
      return force_of(i, sign->index);
    }
    set_valued_term t;
    t.argument = sign->arguments;
    t.factor = factor;
    t.place = sign->place;
    if (is_constant(factor)) check_constant_factor(sign, factor);
    return add_term(std::move(t), key, name, sign->index);
  }

  void check_constant_factor(const expression& sign, const expression& factor) {
    program_layout layout;
    layout.states = static_cast<int>(result_.source.states.size());
    layout.inputs = static_cast<int>(result_.source.inputs.size());
    layout.parameters = result_.parameter_values();
    const program p = compile({factor}, {}, layout);
    std::vector<double> r(static_cast<std::size_t>(p.registers));
    p.prepare(r.data());
    p.run(r.data());
    const double value = r[p.outputs[0]];
    if (value < 0)
      refuse(sign, fmt::format("its factor '{}' is {:g}; friction needs a factor of at least 0: "
                               "move the sign in front of the product",
                               to_text(factor), value));
  }

  void number_states() {
    int state = static_cast<int>(result_.source.states.size()), force = 0;
    for (auto& t : result_.terms) {
      t.first_state = state;
      t.first_force = force;
      state += t.dimension();
      force += t.dimension();
    }
    result_.states = state;
    result_.forces = force;
  }

  // Columns of a run: what is appended must not be called like what the user named.
  void check_columns() const {
    using description = std::function<std::string()>;  // texts may be long: only for messages
    std::map<std::string, description> used;
    const auto add = [&](const std::string& name, const description& what,
                         const std::string& place) {
      const auto [known, is_new] = used.emplace(name, what);
      if (is_new) return;
      throw error(fmt::format("{}'{}' would be both {} and {}: rename one of them",
                              place.empty() ? "" : place + ": ", name, known->second(), what()));
    };
    const auto simply = [](const char* text) { return [text] { return std::string(text); }; };
    for (const char* own : {"solver_residual", "solver_sweeps"})
      used.emplace(own, simply("a column of the solver"));
    const auto& source = result_.source;
    for (const auto& each : source.states) add(each.name, simply("a state"), each.place);
    for (const auto& each : source.inputs) add(each.name, simply("an input"), "");
    for (const auto& each : result_.definitions) {
      if (each.components.size() == 1) add(each.name, simply("a definition"), "");
      if (each.components.size() == 2)
        for (const char* suffix : {"_x", "_y"})
          add(
              each.name + suffix,
              [&each] { return fmt::format("a component of definition '{}'", each.name); }, "");
    }
    for (const auto& t : result_.terms) {
      for (int k = 0; k < t.dimension(); ++k)
        add(
            t.state_name(k),
            [&t] { return fmt::format("the state of term '{}', {}", t.name, t.text()); }, t.place);
      const bool is_definition = std::any_of(result_.definitions.begin(), result_.definitions.end(),
                                             [&](const auto& each) { return each.name == t.name; });
      if (is_definition) continue;
      for (int k = 0; k < t.dimension(); ++k)
        add(
            t.name + (t.dimension() == 1 ? ""
                      : k == 0           ? "_x"
                                         : "_y"),
            [&t] { return fmt::format("the force of {}", t.text()); }, t.place);
    }
  }

  void check_names_and_units() {
    check_columns();
    auto& source = result_.source;
    // In the user's own words first.
    unit_finder unit_of;
    for (const auto& each : source.definitions)
      for (const auto& part : each.components) unit_of(part);
    for (const auto& each : source.states) unit_of(*each.rate);
    for (auto& t : result_.terms) {
      const inferred_unit argument = unit_of(t.argument[0]), force = force_unit(t);
      t.argument_in = argument.shown();
      t.force_in = force.shown();
      t.units_are_declared =
          argument.is == inferred_unit::sort::known && force.is == inferred_unit::sort::known;
    }
    for (std::size_t i = 0; i < source.states.size(); ++i) {
      const auto& each = source.states[i];
      const inferred_unit found = unit_of(result_.rates[i]);
      if (found.is != inferred_unit::sort::known || !each.in) continue;
      const unit wanted = *each.in / units::second;
      const auto text = [](unit in) { return to_string(in); };
      if (!(found.in == wanted))
        throw error(fmt::format(
            "{}the rate of '{}' is in {}, but the rate of a state in {} must be in {}{}",
            at(*each.rate), each.name, text(found.in), text(*each.in), text(wanted),
            contains(*each.rate, operation::set_dio)
                ? "; dio of a gap in m is a force in N: is a mass missing?"
                : ""));
    }
    for (const auto& [key, wanted] : source.wishes) {
      std::vector<std::string> names;
      const set_valued_term* found = nullptr;
      for (const auto& t : result_.terms) {
        names.push_back(t.name);
        if (t.name == key) found = &t;
      }
      const std::string where = wanted.place.empty() ? "" : wanted.place + ": ";
      if (found == nullptr)
        throw error(
            fmt::format("{}no term is called '{}'; the terms are: {}", where, key,
                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
      if (!found->is_contact && (wanted.alpha || wanted.restitution))
        throw error(fmt::format("{}'{}' is friction, {}: alpha and restitution belong to contacts",
                                where, key, found->text()));
    }
  }

  regularised result_;
  formula_numbers number_of_;
  std::vector<std::vector<int>> key_;  // of each term: equal terms are one
  std::vector<bool> has_own_name_;
  std::unordered_map<const expression::node*, expression> memo_;
  std::vector<expression> kept_;
};

}  // namespace

void inclusion::energy(const std::string& name, const expression& value) {
  unit_finder unit_of;
  energy(name, value, unit_of);
}

void inclusion::energy(const std::string& name, const expression& value, unit_finder& unit_of) {
  if (contains(value, operation::set_sgn) || contains(value, operation::set_dio))
    throw error(
        fmt::format("energy '{}': it must not depend on sgn or dio: the energy that their terms "
                    "store is counted separately",
                    name));
  const inferred_unit in = unit_of(value);
  if (in.is == inferred_unit::sort::known && !(in.in == units::joule))
    throw error(fmt::format("energy '{}': it is in {}, but must be in J", name, to_string(in.in)));
  energies.push_back({name, value});
}

regularised replace_terms(const inclusion& source) { return replacement(source).go(); }

regularised regularise(const inclusion& source, double h, double duration) {
  regularised result = replace_terms(source);
  choose_constants(result, h, duration);
  return result;
}

}  // namespace asperity
