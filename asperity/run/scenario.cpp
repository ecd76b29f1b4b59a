// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/mechanics/impact_map.hpp>
#include <asperity/mechanics/respond.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/run/input.hpp>
#include <asperity/run/memory.hpp>
#include <asperity/run/scenario.hpp>
#include <asperity/text.hpp>
#include <asperity/text/pending_folder.hpp>
#include <asperity/text/reader.hpp>
#include <filesystem>
#include <limits>

namespace asperity {

namespace {

// More rows than this fill the memory of a small machine.
constexpr double most_samples = 2e7;

// ---- the model ----------------------------------------------------------------------------------

// A Stribeck curve is a friction law too, one without memory.
bool fits(const std::string& family, const std::string& table) {
  return family == table || (family == "curve" && table == "friction");
}

void read_parameter(reader& table, any_model& model,
                    const card<double>::parameter_entry& parameter) {
  const std::string& name = parameter.name;
  if (!parameter.words.empty()) {
    model.choose(name, table.word(name, parameter.words,
                                  parameter.words[static_cast<std::size_t>(*parameter.whole)]));
    return;
  }
  if (!table.has(name)) {
    table.find(name);
  } else {
    const auto values = table.numbers(name, parameter.in, parameter.allowed, true);
    const bool is_list = table.find(name)->is == toml_value::kind::list;
    try {
      if (is_list) {
        model.set(name, values);
      } else {
        model.set(name, values.front());
      }
    } catch (const error& problem) {
      table.fail(name, problem.what());
    }
  }
  const auto values = model.get(name);
  if (parameter.count != nullptr || parameter.whole != nullptr) {
    table.keep(name, toml_value::of(static_cast<long long>(values.front())));
  } else if (parameter.is_list) {
    table.keep(name, toml_value::of(values, parameter.in));
  } else {
    table.keep(name, toml_value::of(values.front(), parameter.in));
  }
}

}  // namespace

namespace {

// What `restitution` in the table of a contact makes of the model.
void read_restitution(reader& table, any_model& model, std::vector<std::string>& warnings,
                      const known_impact& known) {
  const double wanted = table.number_for_others("restitution", units::one, {0, 1, true});
  const bool has_mass = table.has("restitution_mass");
  if (!has_mass && !known.mass)
    table.fail("restitution", "the mass of the impacting body is not known: give restitution_mass");
  const double mass = has_mass
                          ? table.number_for_others("restitution_mass", units::kilogram, positive)
                          : *known.mass;
  std::optional<double> speed = known.speed;
  if (table.has("restitution_speed"))
    speed = table.number_for_others("restitution_speed", units::metre / units::second, positive);
  std::vector<std::string> given;
  for (const auto& each : model.describe().parameters)
    if (table.has(each.name)) given.push_back(each.name);
  try {
    set_restitution(model, wanted, mass, speed, given);
  } catch (const error& problem) {
    table.fail("restitution", problem.what());
  }
  for (const auto& each : model.describe().parameters)
    table.keep(each.name, toml_value::of(model.get(each.name).front(), each.in));
  if (!known.weight || !speed) return;
  const impact_law& law = *find_impact_law(model.key());
  const double T = law.time_scale(model, mass, *speed);
  const double under_weight = law.follow(law.read(model, mass, *speed, T), law.lambda(model),
                                         *known.weight / mass * T / *speed, false)
                                  .numbers.restitution;
  if (std::abs(under_weight - wanted) > 0.01 * wanted)
    warnings.push_back(
        fmt::format("{}: restitution {:g} holds for a mass without weight; under the force of {:g} "
                    "it is {:.3f} at {:g} m/s: a larger K makes the difference smaller",
                    table.place(), wanted, -*known.weight, under_weight, *speed));
}

}  // namespace

any_model read_model(reader& table, const std::string& family, std::vector<std::string>& warnings,
                     const known_impact& known) {
  std::vector<std::string> names;
  for (const catalogue_entry* entry : catalogue())
    if (fits(entry->family, family)) names.push_back(entry->key);
  const catalogue_entry& entry = find_entry(table.word("model", names));

  std::string curve;
  if (table.has("curve")) curve = table.text("curve");
  table.find("curve");
  any_model model = [&] {
    try {
      return any_model(entry, curve);
    } catch (const error& problem) {
      table.fail("curve", problem.what());
    }
  }();
  if (!model.curve().empty()) table.keep("curve", toml_value::of(model.curve()));

  // Choices come first, since what else there is may depend on them; then the number of elements,
  // which says how long lists are. The card is asked anew after each choice.
  auto the_card = model.describe();
  for (std::size_t i = 0; i < the_card.parameters.size(); ++i) {
    if (the_card.parameters[i].words.empty()) continue;
    read_parameter(table, model, the_card.parameters[i]);
    the_card = model.describe();
  }
  for (const bool counts : {true, false})
    for (const auto& parameter : the_card.parameters)
      if (parameter.words.empty() && (parameter.count != nullptr) == counts)
        read_parameter(table, model, parameter);
  if (family == "contact") {
    if (table.has("restitution")) read_restitution(table, model, warnings, known);
    for (const char* key : {"restitution", "restitution_mass", "restitution_speed"}) {
      if (table.has(key) && !table.has("restitution"))
        table.fail(key, "it can be given only together with restitution");
      table.find(key);
    }
  }
  table.finish();
  try {
    model.build();
    const std::string doubt = model.check(table.is_rotary());
    if (!doubt.empty())
      warnings.push_back(fmt::format("{}: model '{}': {}", table.place(), model.key(), doubt));
  } catch (const error& problem) {
    table.fail("", problem.what());
  }
  return model;
}

namespace {

// ---- initial state ------------------------------------------------------------------------------

// Calls visit(index, header) for the states that `key` means: its own name, or all of a list "a"
// that stands for a_1, a_2 ...
template <class States, class Visit>
int for_states_named(const States& states, const std::string& key, Visit visit) {
  int count = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string& name = states[i].name;
    const bool numbered = name.size() > key.size() + 1 && name.rfind(key + "_", 0) == 0 &&
                          name.find_first_not_of("0123456789", key.size() + 1) == std::string::npos;
    if (name != key && !numbered) continue;
    visit(i, states[i], count++);
  }
  return count;
}

// Lists of states by their common name, such as z for z_1, z_2 ...
std::vector<std::string> lists_of(const std::vector<system_quantity>& states) {
  std::vector<std::string> result;
  for (const auto& each : states) {
    const std::size_t end = each.name.find_last_not_of("0123456789");
    if (end == std::string::npos || end == 0 || end + 1 == each.name.size() ||
        each.name[end] != '_')
      continue;
    const std::string stem = each.name.substr(0, end);
    if (std::find(result.begin(), result.end(), stem) == result.end()) result.push_back(stem);
  }
  return result;
}

}  // namespace

void read_start(reader& table, const std::vector<system_quantity>& states,
                std::vector<double>& start) {
  // Lists of states by their common name first, single ones after, so that these have the last
  // word.
  for (const std::string& name : lists_of(states)) {
    if (!table.has(name)) continue;
    range allowed = any_value;
    unit in = units::one;
    const int count = for_states_named(states, name, [&](std::size_t, const auto& state, int) {
      allowed = state.allowed;
      in = state.in;
    });
    const auto values = table.numbers(name, in, allowed, true);
    if (values.size() != 1 && static_cast<int>(values.size()) != count)
      table.fail(name, fmt::format("there are {} values, but {} states", values.size(), count));
    for_states_named(states, name, [&](std::size_t i, const auto&, int position) {
      start[i] = values[values.size() == 1 ? 0 : static_cast<std::size_t>(position)];
    });
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto& state = states[i];
    if (!state.given_by.empty()) {
      if (table.has(state.name))
        table.fail(state.name, fmt::format("the position is given by [{}]", state.given_by));
      continue;
    }
    if (table.has(state.name)) {
      start[i] = table.number(state.name, state.in, state.allowed);
    } else {
      table.find(state.name);
    }
  }
}

namespace {

void read_initial(reader& root, scenario& s) {
  const auto& states = s.system->card().states;
  s.initial = s.system->initial();
  reader table = root.table_or_empty("initial");
  read_start(table, states, s.initial);
  s.system->complete_start(s.initial.data());
  if (const auto wrong = s.system->check_initial(s.initial.data()); !wrong.why.empty())
    table.fail(wrong.where, wrong.why);
  table.finish();
  // What the model starts with where the file does not say may overflow, too.
  for (std::size_t i = 0; i < states.size(); ++i)
    if (!allows(states[i].allowed, s.initial[i]))
      table.fail(
          states[i].name,
          fmt::format("the parameters make it {:g} {}, but it must be {}: change the parameters",
                      s.initial[i], to_string(states_of(s)[i].in), to_string(states[i].allowed)));

  toml_value all;
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i].given_by.empty())
      all.at(states[i].name) = toml_value::of(s.initial[i], states[i].in);
  root.keep("initial", std::move(all));
}

// ---- integrator and run -------------------------------------------------------------------------

std::vector<std::string> names_of_methods() {
  std::vector<std::string> names;
  for (const method_row* each : methods()) names.emplace_back(each->name);
  return names;
}

std::vector<std::string> methods_for(const asperity::system& which) {
  std::vector<std::string> names;
  for (const method_row* each : methods())
    if (why_not(which, *each).empty()) names.emplace_back(each->name);
  return names;
}

void read_absolute_tolerance(reader& table, scenario& s) {
  const std::string key = "absolute_tolerance";
  const auto states = states_of(s);
  s.tolerance = default_tolerances(s.system->card(), s.tolerance.relative);
  const toml_value* given = table.find(key);
  if (given != nullptr && given->is != toml_value::kind::table) {
    s.tolerance.absolute.fill(table.number(key, units::one, positive));
  } else if (given != nullptr) {
    reader each = table.table(key);
    for (const std::string& name : each.unread()) {
      const auto set = [&](std::size_t i, const column_header& state, int) {
        s.tolerance.absolute[i] = each.number(name, state.in, positive);
      };
      if (for_states_named(states, name, set) == 0) {
        std::vector<std::string> names;
        names.reserve(states.size());
        for (const auto& state : states) names.push_back(state.name);
        each.fail(name, "unknown state: " + suggest(name, names));
      }
    }
  }
  toml_value all;
  for (std::size_t i = 0; i < states.size(); ++i) {
    all.at(states[i].name) = toml_value::of(s.tolerance.absolute[i], states[i].in);
  }
  table.keep(key, std::move(all));
}

// The step that a method of fixed step asks for, and why it is this method.
std::string wanted_step(const scenario& s, bool method_is_given) {
  std::string wanted = fmt::format("a number in s, above 0: the step of method {}", s.method->name);
  if (method_is_given) return wanted;
  // Why no method that only asks for rates can choose its steps here.
  for (const method_row* each : methods())
    if (!each->is_fixed && each->needs == method_needs::rates)
      if (const std::string why = why_not(*s.system, *each); !why.empty())
        return fmt::format("{}, which is the default here: {}", wanted, why);
  return wanted;
}

// Whether a method of fixed step can also choose its own: not where friction jumps at rest, so that
// a body held there would chatter.
bool can_adapt(const scenario& s) {
  if (s.method->needs != method_needs::memory) return false;
  return s.system->march() != nullptr ||
         (s.system->memory() != nullptr && s.system->card().chatters.empty() &&
          s.initial.size() <= most_states_of_adaptive_steps);
}

void read_step(reader& table, scenario& s, bool method_is_given) {
  const bool is_given = table.has("step");
  const bool is_fixed = s.method->is_fixed && (is_given || !can_adapt(s));
  if (is_fixed && !is_given) table.fail_missing("step", wanted_step(s, method_is_given));
  if (is_given) s.step = table.number("step", units::second, positive);
  table.find("step");
  if (is_fixed && s.step > s.duration)
    table.fail("step", fmt::format("it is longer than the run, which takes {:g} s", s.duration));
  if (is_given && !is_fixed)
    s.warnings.push_back(
        fmt::format("{}: integrator.step = {:g} s is not used: method {} chooses its steps by its "
                    "tolerances, up to max_step",
                    table.place(), s.step, s.method->name));
}

void read_integrator(reader& root, scenario& s, double shortest_period) {
  reader table = root.table_or_empty("integrator");
  const bool is_given = table.has("method");
  s.method = find_method(table.word("method", names_of_methods(), default_method(*s.system).name));
  if (const std::string why = why_not(*s.system, *s.method); !why.empty())
    table.fail("method",
               fmt::format("{}; allowed: {}", why, fmt::join(methods_for(*s.system), ", ")));

  // Settings of the methods not chosen are checked all the same: changing the method is one word.
  read_step(table, s, is_given);
  if (const auto planned = s.system->planned(s)) s.system = planned;
  s.tolerance.relative = table.number("relative_tolerance", units::one, {1e-14, 1, true}, 1e-6);
  read_absolute_tolerance(table, s);
  // Long steps could jump over a whole period of an input and never see it.
  const double longest = std::min(s.duration / 100, shortest_period / 10);
  s.max_step = table.number("max_step", units::second, positive, longest);
  s.first_step =
      table.number("first_step", units::second, positive, std::min(s.max_step, 1e-6 * s.duration));
  if (may_switch(*s.system, *s.method)) {
    s.switch_eta = table.number("eta", units::metre / units::second, positive, 1e-8);
    s.switch_tau = table.number("tau", units::second, positive, 1e-2);
  }
  s.max_steps = static_cast<long>(
      table.integer("max_steps", {1, 1e15}, s.sample > 0 ? 1'000'000'000 : 20'000'000));
  if (has_fixed_step(s) && s.duration / s.step > static_cast<double>(s.max_steps))
    table.fail("step", fmt::format("{:g} s in steps of {:g} s take more than max_steps = {} steps",
                                   s.duration, s.step, s.max_steps));
  table.finish();

  auto doubts = s.system->doubts(s);
  // A system that knows what it will meet has said it.
  const auto is_about_stability = [](const auto& d) { return d.find("is unstable") != d.npos; };
  if (std::none_of(doubts.begin(), doubts.end(), is_about_stability))
    if (auto unstable = instability_at_start(*s.system, s, s.initial.data()); !unstable.empty())
      doubts.push_back(std::move(unstable));
  for (const auto& doubt : doubts) s.warnings.push_back(fmt::format("{}: {}", root.place(), doubt));
  if (s.method->holds_at_rest) return;
  const char* instead = s.system->implicit() != nullptr ? ": use trbdf2"
                        : s.system->sides() != nullptr  ? ": use switch"
                                                        : "";
  for (const auto& model : s.system->card().chatters)
    s.warnings.push_back(
        fmt::format("{}: model '{}' is set-valued at rest, where method {} can only chatter{}",
                    root.place(), model, s.method->name, instead));
}

// In bytes; 0 where it is not given.
double read_memory_limit(reader& table) {
  const toml_value* value = table.find("memory_limit");
  if (value == nullptr) return 0;
  if (value->is != toml_value::kind::text)
    return table.number("memory_limit", units::one, positive);
  try {
    const double bytes = parse_bytes(value->text);
    table.keep("memory_limit", toml_value::of(bytes));
    return bytes;
  } catch (const error& problem) {
    table.fail("memory_limit", problem.what());
  }
}

void read_run(reader& root, scenario& s) {
  reader table = root.table("run");
  s.duration = table.number("duration", units::second, positive);
  if (s.duration < 1e-250) table.fail("duration", "a run this short has no steps above 0");
  s.sample = table.number("sample", units::second, non_negative, s.duration / 1000);
  if (s.sample > 0 && s.duration / s.sample > most_samples)
    table.fail(
        "sample",
        fmt::format("this gives {:g} samples, which are too many: it must be at least {:g} s",
                    s.duration / s.sample, s.duration / most_samples));
  if (table.find("time_limit") != nullptr)
    s.time_limit = table.number("time_limit", units::second, positive);
  s.memory_limit = read_memory_limit(table);
  s.events = table.flag("events", true);
  s.audit = table.flag("audit", false);
  // Looser than any balance of a sound run, and far tighter than a wrong sign.
  s.audit_tolerance = table.number("audit_tolerance", units::one, positive, 1e-3);
  table.finish();
}

// ---- plots --------------------------------------------------------------------------------------

// One panel for each unit that occurs, outputs and states together.
std::vector<panel> panels_by_unit(const scenario& s) {
  constexpr std::size_t most_lines = 8;
  std::vector<panel> panels;
  std::vector<unit> in;
  for (const auto& header : columns_of(s)) {
    if (header.name == "t") continue;
    const auto found =
        std::find_if(in.begin(), in.end(), [&](unit each) { return same_text(each, header.in); });
    const auto which = static_cast<std::size_t>(found - in.begin());
    if (found == in.end()) {
      in.push_back(header.in);
      panels.push_back({"", "t", {}, "", ""});
    }
    if (panels[which].y.size() < most_lines) panels[which].y.push_back(header.name);
  }
  return panels;
}

std::vector<panel> default_panels(const scenario& s) {
  std::vector<panel> panels;
  for (const auto& each : s.system->card().pictures)
    panels.push_back({each.title, each.x, each.y, "", ""});
  return panels.empty() ? panels_by_unit(s) : panels;
}

unit unit_of_column(reader& table, const std::string& key, const std::string& name,
                    const std::vector<column_header>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) {
    if (column.name == name) return column.in;
    names.push_back(column.name);
  }
  table.fail(key, fmt::format("unknown column '{}': {}", name, suggest(name, names)));
}

void read_panels(reader& root, scenario& s) {
  constexpr std::size_t most_panels = 64, most_lines = 64;  // more is no picture
  const auto columns = columns_of(s);
  auto tables = root.tables("plot");
  if (tables.size() > most_panels)
    root.fail("plot", fmt::format("there are {} panels, at most {} are possible", tables.size(),
                                  most_panels));
  for (reader& table : tables) {
    panel p;
    p.title = table.text("title", "");
    p.x = table.text("x", "t");
    p.y = table.texts("y");
    if (p.y.size() > most_lines)
      table.fail("y", fmt::format("there are {} columns, at most {} are possible in one panel",
                                  p.y.size(), most_lines));
    const unit x_in = unit_of_column(table, "x", p.x, columns);
    const unit y_in = unit_of_column(table, "y", p.y.front(), columns);
    for (const auto& name : p.y) {
      const unit in = unit_of_column(table, "y", name, columns);
      if (!(in == y_in))
        table.fail(
            "y",
            fmt::format("columns of one panel must have the same unit: '{}' is in {}, '{}' in {}",
                        p.y.front(), to_string(y_in), name, to_string(in)));
    }
    const auto read_unit = [&](const char* key, unit in) {
      std::string text = table.text(key, "");
      if (text.empty()) return text;
      try {
        static_cast<void>(in_si("1 " + text, in));
      } catch (const error& problem) {
        table.fail(key, problem.what());
      }
      return text;
    };
    p.x_unit = read_unit("x_unit", x_in);
    p.y_unit = read_unit("y_unit", y_in);
    table.finish();
    s.panels.push_back(p);
  }
  if (s.panels.empty()) s.panels = default_panels(s);
}

}  // namespace

// ---- columns and states -------------------------------------------------------------------------

namespace {

std::vector<column_header> about_its_axis(std::vector<column_header> headers, const scenario& s) {
  if (s.is_rotary)
    for (auto& each : headers) each.in = rotary(each.in);
  return headers;
}

}  // namespace

std::vector<column_header> states_of(const scenario& s) {
  std::vector<column_header> result;
  for (const auto& each : s.system->card().states) result.push_back({each.name, each.in});
  return about_its_axis(std::move(result), s);
}

std::vector<column_header> columns_of(const scenario& s) {
  const system_card& card = s.system->card();
  std::vector<column_header> result{{"t", units::second}};
  for (const auto& [of, index] : card.columns) {
    using enum system_card::column::kind;
    if (of == input && card.inputs[index].shape->is_constant()) continue;
    if (of == state) result.push_back({card.states[index].name, card.states[index].in});
    if (of == output) result.push_back({card.outputs[index].name, card.outputs[index].in});
    if (of == input) result.push_back({card.inputs[index].name, card.inputs[index].in});
  }
  return about_its_axis(std::move(result), s);
}

tolerances default_tolerances(const system_card& card, double relative) {
  tolerances result;
  result.relative = relative;
  result.absolute.fill(1e-3 * relative);  // of positions and velocities in SI
  for (std::size_t i = 0; i < card.states.size() && i < result.absolute.size(); ++i) {
    const double scale = card.states[i].scale;
    // A spring of nearly no stiffness yields endlessly far: a size that overflows stays a number.
    if (scale > 0)
      result.absolute[i] = std::clamp(relative * scale, std::numeric_limits<double>::min(),
                                      std::numeric_limits<double>::max());
    if (scale == unknown_scale) result.absolute[i] = 1e-12;
  }
  return result;
}

// ---- the whole file -----------------------------------------------------------------------------

scenario read_scenario(const toml_value& document, const std::string& name,
                       const std::string& folder, wanted_of_scenario wanted) {
  toml_value record;
  const bool all = wanted == wanted_of_scenario::all;
  reader root(document, "", all ? &record : nullptr);
  const std::string own_name = root.name("name", name);
  const std::string title = root.text("title", own_name);

  reader system = root.table("system");
  std::vector<std::string> kinds;
  for (const system_row* each : systems()) kinds.emplace_back(each->name);
  const system_row& kind = *find_system(system.word("kind", kinds));

  scenario s;
  s.name = own_name;
  s.title = title;
  std::vector<key_entry> keys;
  const input_files files{folder, &s.attachments};
  system_builder builder(keys, std::make_shared<toml_keys>(root, files, s.warnings),
                         std::make_shared<toml_keys>(system, files, s.warnings));
  s.system = kind.build(builder);
  s.is_rotary = root.is_rotary();
  system.finish();
  double shortest_period = s.system->card().shortest_period;
  for (const auto& each : s.system->card().inputs)
    shortest_period = std::min(shortest_period, each.shortest_period);
  read_initial(root, s);
  read_run(root, s);
  if (const auto wrong = s.system->check_inputs(s.duration); !wrong.why.empty())
    root.fail(wrong.where, wrong.why);
  read_integrator(root, s, shortest_period);
  if (all) read_panels(root, s);
  root.find("plot");
  root.finish();
  s.resolved = std::move(record);
  return s;
}

namespace {

void add_defaults(const toml_value& given, const toml_value& resolved, const std::string& place,
                  std::vector<std::string>& told) {
  if (resolved.is != toml_value::kind::table) return;
  const toml_value* model = resolved.find("model");
  if (model != nullptr && model->is == toml_value::kind::text) {
    std::size_t all = 0;
    std::vector<std::string> defaults;
    for (std::size_t i = 0; i < resolved.keys.size(); ++i) {
      const std::string& key = resolved.keys[i];
      // Choices and numbers of elements say what the model is.
      const toml_value& value = resolved.items[i];
      if (value.is != toml_value::kind::real && value.is != toml_value::kind::list) continue;
      ++all;
      if (given.find(key) != nullptr) continue;
      if (value.is == toml_value::kind::list) {
        defaults.push_back(key);
      } else {
        const bool is_plain = !value.in || *value.in == units::one;
        const std::string in = is_plain ? "" : to_string(*value.in);
        defaults.push_back(
            fmt::format("{} = {:g}{}{}", key, value.real, in.empty() ? "" : " ", in));
      }
    }
    const bool is_ordered = given.find("restitution") != nullptr;
    if (!defaults.empty() && !is_ordered)
      told.push_back(fmt::format(
          "{}: {} of {} parameters of {} {} ({})", place, defaults.size(), all, model->text,
          defaults.size() == 1 ? "is a default" : "are defaults", fmt::join(defaults, ", ")));
  }
  for (std::size_t i = 0; i < resolved.keys.size(); ++i)
    if (const toml_value* inner = given.find(resolved.keys[i]))
      add_defaults(*inner, resolved.items[i],
                   place.empty() ? resolved.keys[i] : place + '.' + resolved.keys[i], told);
}

}  // namespace

std::vector<std::string> defaults_taken(const toml_value& document, const toml_value& resolved) {
  std::vector<std::string> told;
  add_defaults(document, resolved, "", told);
  return told;
}

any_model make_any_model(const std::string& key, const std::string& curve,
                         const std::vector<std::string>& settings,
                         std::vector<std::string>& warnings) {
  toml_value document, record;
  document.place = key;
  assign(document, "model", toml_value::of(key));
  if (!curve.empty()) {
    assign(document, "curve", toml_value::of(curve));
    document.items.back().place = "--curve " + curve;
  }
  for (const auto& setting : settings) apply_override(document, setting);
  reader table(document, "", record);
  return read_model(table, find_entry(key).family, warnings);
}

any_model make_model(const std::string& key, const std::string& curve,
                     const std::vector<std::string>& settings, std::vector<std::string>& warnings) {
  return make_any_model(find_model(key).key, curve, settings, warnings);
}

scenario read_scenario(const std::string& file, const std::vector<std::string>& overrides) {
  toml_value document = read_toml(file);
  for (const auto& setting : overrides) apply_override(document, setting);
  const std::filesystem::path path(file);
  return read_scenario(document, path.stem().string(), path.parent_path().string());
}

}  // namespace asperity
