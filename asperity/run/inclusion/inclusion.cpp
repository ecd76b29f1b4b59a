// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/inclusion/formula.hpp>
#include <asperity/inclusion/inclusion_system.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/quantity.hpp>
#include <asperity/run/inclusion/inclusion.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/text.hpp>
#include <unordered_map>

namespace asperity {

namespace {

std::optional<unit> read_unit(reader& table) {
  const std::string text = table.text("unit", "");
  if (text.empty()) return {};
  quantity one;
  try {
    one = parse_quantity("1 " + text);
  } catch (const error& problem) {
    table.fail("unit", problem.what());
  }
  // The numbers beside it would be taken for what they are not.
  if (one.value != 1)
    table.fail("unit", fmt::format("bare numbers and columns are in SI units: declare {}, and give "
                                   "numbers in other units as text, such as \"5 {}\"",
                                   to_string(one.in), text));
  return one.in;
}

// A number in SI whose unit is not known beforehand: a bare number has none, a text one or, where
// it is only a number, is a plain number.
quantity read_quantity(reader& table, const std::string& key) {
  const toml_value* value = table.find(key);
  table.keep(key, *value);
  quantity result;
  switch (value->is) {
    case toml_value::kind::integer:
      result.value = static_cast<double>(value->integer);
      return result;
    case toml_value::kind::real:
      result.value = value->real;
      if (!std::isfinite(result.value)) table.fail(key, "it must be a finite number");
      return result;
    case toml_value::kind::text:
      try {
        result = parse_quantity(value->text);
      } catch (const error& problem) {
        table.fail(key, problem.what());
      }
      result.has_unit = true;
      return result;
    default:
      table.fail(key, "it must be a number, or text such as \"5 N/m\"");
  }
}

std::optional<unit> unit_of(const quantity& q) {
  return q.has_unit ? std::optional<unit>(q.in) : std::nullopt;
}

template <class Make>
auto named(const reader& table, const std::string& key, const Make& make) {
  try {
    return make();
  } catch (const error& problem) {
    table.fail(key, problem.what());
  }
}

class inclusion_reader {
 public:
  inclusion_reader(reader& root, const input_files& files, const std::string& name)
      : root_(root), files_(files) {
    system_.name = name;
  }

  inclusion go() {
    read_parameters();
    read_inputs();
    read_states();
    read_definitions();
    for (auto& each : state_tables_) {
      const std::string state = each.first;
      const formula rate = read_formula(each.second, "rate");
      if (rate.is_vector())
        each.second.fail("rate",
                         "dimension mismatch: a rate must be a number, not a vector: take "
                         "a component with .x or .y");
      system_.rate(find(state)->x, rate.x);
      each.second.finish();
    }
    read_energy();
    read_terms();
    return std::move(system_);
  }

 private:
  void read_parameters() {
    reader table = root_.table_or_empty("parameters");
    for (const auto& key : table.unread()) {
      const quantity q = read_quantity(table, key);
      remember(key, named(table, key, [&] { return system_.parameter(key, q.value, unit_of(q)); }));
    }
  }

  void read_inputs() {
    reader table = root_.table_or_empty("inputs");
    for (const auto& key : table.unread()) {
      const toml_value* value = table.find(key);
      input found;
      std::optional<unit> in;
      if (value->is == toml_value::kind::table) {
        reader each = table.table(key);
        in = read_unit(each);
        found = read_input_table(each, in.value_or(units::one), files_);
      } else {
        const quantity q = read_quantity(table, key);
        found.shape = signal::constant(q.value);
        in = unit_of(q);
      }
      remember(key, named(table, key, [&] { return system_.input(key, found.shape, in); }));
      system_.inputs.back().shortest_period = found.shortest_period;
    }
  }

  void read_states() {
    reader table = root_.table("states");
    for (const auto& key : table.unread()) {
      reader each = table.table(key);
      const auto in = read_unit(each);
      const double initial = each.number("initial", in.value_or(units::one), any_value, 0);
      remember(key, named(table, key, [&] { return system_.state(key, in, initial); }));
      system_.states.back().place = each.place();
      state_tables_.emplace_back(key, std::move(each));
    }
    if (state_tables_.empty())
      root_.fail("states", "it is empty: give at least one state, such as [states.x]");
    if (state_tables_.size() > static_cast<std::size_t>(most_states_of_adaptive_steps))
      root_.fail("states", fmt::format("there are {} states, but at most {} are possible",
                                       state_tables_.size(), most_states_of_adaptive_steps));
  }

  // Definitions may refer to one another in any order, but not in a circle: each is read after
  // those that it names. A chain of them may be long, so nothing here calls itself.
  void read_definitions() {
    reader table = root_.table_or_empty("definitions");
    const std::vector<std::string> all = table.unread();
    enum class progress : std::uint8_t { waiting, open, done };
    std::unordered_map<std::string, progress> state_of;
    for (const auto& key : all) {
      known_.push_back(key);
      state_of.emplace(key, progress::waiting);
    }
    struct step {
      std::string key;
      std::vector<std::string> needs;
      std::size_t next = 0;
    };
    std::vector<step> open;
    const auto begin = [&](const std::string& key) {
      progress& state = state_of.at(key);
      if (state == progress::done) return;
      if (state == progress::open) {
        std::string circle;
        for (const auto& each : open) circle += each.key + " -> ";
        table.fail(key, fmt::format("it refers to itself: {}{}", shortened(circle, 300), key));
      }
      state = progress::open;
      const toml_value* value = table.find(key);
      open.push_back({key, {}});
      if (value->is != toml_value::kind::text) return;
      for (auto& name : names_in(value->text))
        if (state_of.count(name) != 0) open.back().needs.push_back(std::move(name));
    };
    for (const auto& key : all) {
      begin(key);
      while (!open.empty()) {
        step& now = open.back();
        if (now.next < now.needs.size()) {
          begin(std::string(now.needs[now.next++]));
          continue;
        }
        define(table, now.key);
        state_of.at(now.key) = progress::done;
        open.pop_back();
      }
    }
  }

  void define(reader& table, const std::string& key) {
    const formula value = read_formula(table, key);
    named(table, key, [&] {
      if (value.is_vector()) {
        const plane_vector v = system_.define(key, plane_vector{value.x, *value.y});
        scope_.emplace(key, formula{v.x, v.y});
      } else {
        scope_.emplace(key, formula{system_.define(key, value.x), {}});
      }
      return 0;
    });
  }

  formula read_formula(reader& table, const std::string& key) {
    const toml_value* value = table.find(key);
    if (value == nullptr) table.fail_missing(key, "a formula, such as rate = \"v\"");
    if (value->is == toml_value::kind::integer || value->is == toml_value::kind::real) {
      table.keep(key, *value);
      return {
          value->is == toml_value::kind::real ? value->real : static_cast<double>(value->integer),
          {}};
    }
    if (value->is != toml_value::kind::text)
      table.fail(key, "it must be a formula as text, such as \"v\"");
    table.keep(key, *value);
    const formula_names names{[this](const std::string& name) { return find(name); },
                              [this] { return known_; }};
    // After the quotation mark.
    const std::string place =
        value->value_place.empty() ? value->place : shifted(value->value_place, 1);
    return parse_formula(value->text, names, place);
  }

  std::optional<formula> find(const std::string& name) const {
    if (name == "t") return formula{inclusion::time(), {}};
    const auto found = scope_.find(name);
    return found == scope_.end() ? std::nullopt : std::optional(found->second);
  }

  void remember(const std::string& name, const expression& e) {
    scope_.emplace(name, formula{e, {}});
    known_.push_back(name);
  }

  void read_energy() {
    reader table = root_.table_or_empty("energy");
    unit_finder unit_of;
    std::vector<formula> kept;  // what the finder has seen must not make place for others
    for (const auto& key : table.unread()) {
      const formula value = read_formula(table, key);
      if (value.is_vector()) table.fail(key, "dimension mismatch: an energy must be a number");
      kept.push_back(value);
      named(table, key, [&] {
        system_.energy(key, value.x, unit_of);
        return 0;
      });
    }
  }

  void read_terms() {
    reader table = root_.table_or_empty("terms");
    for (const auto& key : table.unread()) {
      reader each = table.table(key);
      term_wish wish;
      wish.place = each.place();
      const auto plain = [&](const char* what, std::optional<double>& into) {
        if (each.has(what)) into = read_quantity(each, what).value;
        each.find(what);
      };
      const auto number = [&](const char* what, unit in, range allowed,
                              std::optional<double>& into) {
        if (each.has(what)) into = each.number(what, in, allowed);
        each.find(what);
      };
      plain("K", wish.K);
      plain("deflection", wish.deflection);
      number("beta", units::second, positive, wish.beta);
      number("alpha", units::second, positive, wish.alpha);
      number("restitution", units::one, {0, 1}, wish.restitution);
      if (wish.K && wish.deflection)
        each.fail("deflection", "K is given as well: give only one of them");
      if (wish.restitution && wish.alpha && wish.beta)
        each.fail("restitution",
                  "alpha and beta are given as well, which determine the restitution: leave out "
                  "one or the other");
      each.finish();
      system_.wish(key, wish);
    }
    if (!table.unread().empty()) table.finish();
    check_units_of_terms(table);
  }

  // K and deflection in the units that their term asks for.
  void check_units_of_terms(reader& table) {
    if (system_.wishes.empty()) return;
    const regularised replaced = replace_terms(system_);
    for (const auto& t : replaced.terms) {
      if (system_.wishes.count(t.name) == 0 || !t.units_are_declared) continue;
      reader each = table.table(t.name);
      const unit deflection = t.is_contact ? *t.argument_in : *t.argument_in * units::second;
      const auto check = [&](const char* key, unit wanted) {
        const toml_value* value = each.find(key);
        if (value == nullptr || value->is != toml_value::kind::text) return;
        const quantity q = parse_quantity(value->text);
        if (!(q.in == wanted))
          each.fail(key, fmt::format("it is in {}, but {} is wanted", to_string(q.in),
                                     to_string(wanted)));
      };
      check("K", *t.force_in / deflection);
      check("deflection", deflection);
    }
  }

  reader& root_;
  const input_files& files_;
  inclusion system_;
  std::unordered_map<std::string, formula> scope_;
  std::vector<std::string> known_{"t", "pi"};
  std::vector<std::pair<std::string, reader>> state_tables_;
};

// The run starts where [initial] says, and so K, beta and alpha are chosen there.
void start_at_initial(reader& root, inclusion& source) {
  if (!root.has("initial")) return;
  const regularised all = replace_terms(source);
  std::vector<system_quantity> states;
  std::vector<double> start;
  for (const auto& each : source.states) {
    states.push_back({each.name, each.in.value_or(units::one)});
    start.push_back(each.initial);
  }
  for (const auto& t : all.terms)
    for (int k = 0; k < t.dimension(); ++k) states.push_back({t.state_name(k), t.state_in()});
  start.resize(states.size());
  reader table = root.table("initial");
  read_start(table, states, start);
  for (std::size_t i = 0; i < source.states.size(); ++i) source.states[i].initial = start[i];
}

std::shared_ptr<system> read(const toml_keys& document, const key_builder& of_system) {
  reader& root = document.document();
  inclusion source = inclusion_reader(root, document.files(), "inclusion").go();
  auto result = [&] {
    try {
      start_at_initial(root, source);
      return std::make_shared<inclusion_system>(source);
    } catch (const error& problem) {
      // Most messages know their place already.
      const std::string text = problem.what();
      if (text.rfind(root.place().substr(0, root.place().find(':')), 0) == 0) throw;
      throw error(fmt::format("{}: {}", root.table("system").place(), text));
    }
  }();
  if (result->equations().states > most_states_of_adaptive_steps)
    of_system.refuse(
        "",
        fmt::format("with the states of its terms it has {} states, but at most {} are possible",
                    result->equations().states, most_states_of_adaptive_steps));
  return result;
}

std::shared_ptr<system> build(system_builder& b) {
  if (!b.lists()) return read(dynamic_cast<const toml_keys&>(*b.root.source()), b);
  b.root.table("states", "[states.NAME]: `rate`, a formula; `unit`; `initial`");
  b.root.table("parameters", "NAME = number, with its unit", is_optional);
  b.root.table("inputs", "NAME = number, or an input with its `unit`", is_optional);
  b.root.table("definitions", "NAME = formula", is_optional);
  b.root.table("energy", "NAME = formula, the energy of the bodies", is_optional);
  b.root.table("terms", "[terms.NAME]: K, beta, alpha, deflection or restitution of sgn or dio",
               is_optional);
  return nullptr;
}

}  // namespace

namespace detail {

extern const system_row inclusion{
    .name = "inclusion", .what = "your own system, stated with sgn and dio", .build = build};

}  // namespace detail

stated_inclusion read_stated_inclusion(const std::string& file,
                                       const std::vector<std::string>& overrides) {
  const scenario s = read_scenario(file, overrides);
  const auto* stated = dynamic_cast<const inclusion_system*>(s.system.get());
  if (stated == nullptr)
    throw error(
        fmt::format("{}: the system is a {}, not an inclusion: an inclusion is stated with "
                    "[system] kind = \"inclusion\"",
                    file, s.system->card().kind));
  stated_inclusion result;
  result.system = stated->equations();
  auto& setting = result.setting;
  setting.name = s.name;
  setting.title = s.title;
  setting.origin = file;
  setting.initial = s.initial;
  setting.method = s.method;
  setting.step = has_fixed_step(s) ? s.step : 0;
  setting.duration = s.duration;
  setting.sample = s.sample;
  setting.shortest_period = unbounded;
  for (const auto& each : stated->card().inputs)
    setting.shortest_period = std::min(setting.shortest_period, each.shortest_period);
  result.warnings = s.warnings;
  return result;
}

}  // namespace asperity
