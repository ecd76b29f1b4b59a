// SPDX-License-Identifier: Apache-2.0
#include <asperity/fmi/description.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text/reader.hpp>
#include <cmath>
#include <set>

namespace asperity::fmi {

namespace {

using toml_kind = toml_value::kind;

bool is_number(const toml_value& value) {
  return value.is == toml_kind::real || value.is == toml_kind::integer;
}
double as_number(const toml_value& value) {
  return value.is == toml_kind::integer ? static_cast<double>(value.integer) : value.real;
}

const toml_value* find(const toml_value& root, const std::vector<std::string>& path) {
  const toml_value* at = &root;
  for (const auto& key : path) {
    if (at->is == toml_kind::list) {
      const auto i = static_cast<std::size_t>(std::stoul(key));
      at = i < at->items.size() ? &at->items[i] : nullptr;
    } else {
      at = at->is == toml_kind::table ? at->find(key) : nullptr;
    }
    if (at == nullptr) return nullptr;
  }
  return at;
}

// The place for a value, made where there is none.
toml_value& make(toml_value& root, const std::vector<std::string>& path) {
  toml_value* at = &root;
  for (const auto& key : path)
    at = at->is == toml_kind::list ? &at->items.at(std::stoul(key)) : &at->at(key);
  return *at;
}

// What the card of the system and those of its models say of a number.
class key_cards {
 public:
  explicit key_cards(const scenario& s) {
    const system_card& card = s.system->card();
    if (const system_row* row = find_system(card.kind)) keys_ = keys_of(*row);
    for (const auto& part : card.models)
      for (const auto& each : part.model->describe().parameters) {
        key_entry entry{key_entry::kind::number, part.key, each.name, each.meaning};
        entry.in = each.in;
        entry.allowed = each.allowed;
        keys_.push_back(std::move(entry));
      }
  }
  const key_entry* find(const std::string& table, const std::string& name) const {
    const auto at = std::find_if(keys_.begin(), keys_.end(), [&](const auto& each) {
      return each.table == table && each.name == name;
    });
    return at == keys_.end() ? nullptr : &*at;
  }

 private:
  std::vector<key_entry> keys_;
};

class parameter_finder {
 public:
  parameter_finder(const scenario& s, description& into) : s_(s), cards_(s), into_(into) {}

  void go() {
    const toml_value& all = s_.resolved;
    for (std::size_t i = 0; i < all.keys.size(); ++i) {
      const std::string& key = all.keys[i];
      // States have variables of their own; the importer says how long it runs.
      if (key == "initial" || key == "run" || key == "plot" || key == "states") continue;
      look_at(all.items[i], {key}, key);
    }
  }

 private:
  const scenario& s_;
  key_cards cards_;
  description& into_;

  void look_at(const toml_value& value, const std::vector<std::string>& path,
               const std::string& name) {
    const bool is_own = into_.kind == "inclusion" &&
                        (path[0] == "parameters" || path[0] == "terms" || path[0] == "inputs");
    if (value.is == toml_kind::real || (is_own && value.is == toml_kind::integer)) {
      add(value, path, name, -1, false, as_number(value), value.in.value_or(units::one));
    } else if (is_own && value.is == toml_kind::text) {
      try {
        const quantity q = parse_quantity(value.text);
        add(value, path, name, -1, true, q.value, q.in);
      } catch (const error&) {
        // A word or a unit by itself is no number.
      }
    } else if (value.is == toml_kind::table) {
      if (const toml_value* kind = value.find("kind"); kind != nullptr && kind->text == "external")
        return;
      // One for each state: too many for what they are worth.
      if (path[0] == "integrator" && path.size() > 1) return;
      for (std::size_t i = 0; i < value.keys.size(); ++i)
        look_at(value.items[i], with(path, value.keys[i]), name + '.' + value.keys[i]);
    } else if (value.is == toml_kind::list) {
      const bool is_of_numbers = std::all_of(value.items.begin(), value.items.end(), is_number);
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        const std::string element = fmt::format("{}[{}]", name, i + 1);
        if (is_of_numbers) {
          add(value, path, element, static_cast<int>(i), false, as_number(value.items[i]),
              value.in.value_or(units::one));
        } else if (value.items[i].is == toml_kind::table) {
          look_at(value.items[i], with(path, std::to_string(i)), element);
        }
      }
    }
  }

  static std::vector<std::string> with(std::vector<std::string> path, const std::string& key) {
    path.push_back(key);
    return path;
  }

  void add(const toml_value&, const std::vector<std::string>& path, const std::string& name,
           int element, bool with_unit, double value, unit in) {
    if (!std::isfinite(value)) return;  // "none": an importer can neither read nor write it
    variable v{variable::kind::parameter, name};
    v.in = in;
    v.start = value;
    v.index = into_.parameters.size();
    const std::string table = path.size() > 1 ? path[path.size() - 2] : "";
    if (const key_entry* key = cards_.find(table, path.back()); key != nullptr) {
      v.meaning = key->meaning;
      v.allowed = key->allowed;
    }
    into_.variables.push_back(std::move(v));
    into_.parameters.push_back({path, element, with_unit});
  }
};

// Why only our own methods can run it; empty where any solver of ODEs can.
std::string why_no_model_exchange(const scenario& s) {
  const system_card& card = s.system->card();
  if (s.system->march() != nullptr) return "it has its own stepper";
  if (!card.memory.empty())
    return fmt::format("model '{}' has a memory that is not an ODE", card.memory);
  if (!card.rigid.empty()) return fmt::format("contact '{}' is rigid", card.rigid);
  if (!card.chatters.empty())
    return fmt::format("model '{}' is set-valued at rest, where another solver can only chatter",
                       card.chatters.front());
  if (const planar_setup* planar = planar_setup_in(*s.system);
      planar != nullptr && !planar->is_moved && planar->friction->is_set_valued())
    return "its planar friction is set-valued at rest, where another solver can only chatter";
  if (s.method->needs == method_needs::impulses) return "its method computes impulses";
  if (s.system->own() != nullptr && s.method->needs == method_needs::memory)
    return "it has its own stepper";
  if (s.initial.size() != card.states.size()) return "it has states without names";
  return "";
}

// Events that a solver should stop at: those that change the state, and where laws have a kink.
bool is_for_solvers(const event& each) {
  return each.change || each.name.starts_with("slip") || each.name.starts_with("touchdown");
}

// A column keeps its name: a number of the scenario called alike, such as an input that does not vary,
// has the word scenario in front. A state that is the force f itself becomes f#2 beside it.
void make_names_unique(std::vector<variable>& all) {
  std::set<std::string> taken;
  for (const bool parameters : {false, true})
    for (variable& v : all) {
      if ((v.is == variable::kind::parameter) != parameters) continue;
      if (parameters && taken.contains(v.name)) v.name = "scenario." + v.name;
      const std::string name = v.name;
      for (int n = 2; !taken.insert(v.name).second; ++n) v.name = fmt::format("{}#{}", name, n);
    }
}

}  // namespace

std::vector<std::shared_ptr<external_value>> inputs_of(const scenario& s,
                                                       const external_inputs& read) {
  const auto& inputs = s.system->card().inputs;
  std::vector<std::shared_ptr<external_value>> result(inputs.size());
  for (const auto& each : read.found) {
    const double start = each->now;
    each->now = std::nan("");  // who shows it has it
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (std::isnan(inputs[i].shape->value(0))) result[i] = each;
    each->now = start;
  }
  return result;
}

double value_of(const toml_value& document, const parameter& which) {
  const toml_value* at = find(document, which.path);
  if (at == nullptr) return std::nan("");
  if (which.with_unit && at->is == toml_kind::text) return parse_quantity(at->text).value;
  if (which.element < 0) return as_number(*at);
  const auto i = static_cast<std::size_t>(which.element);
  return at->is == toml_kind::list && i < at->items.size() ? as_number(at->items[i])
                                                           : as_number(*at);
}

void set_value(toml_value& document, const toml_value& resolved, const parameter& which, unit in,
               double value) {
  toml_value next = toml_value::of(value);
  if (which.with_unit)
    next = toml_value::of(fmt::format("{} {}", value, is_plain(in) ? "1" : to_string(in)));
  if (which.element >= 0) {
    const toml_value* present = find(document, which.path);
    // A list may be written as one number for all of its elements.
    next = present != nullptr && present->is == toml_kind::list ? *present
                                                                : *find(resolved, which.path);
    next.items.at(static_cast<std::size_t>(which.element)) = toml_value::of(value);
  }
  std::string name;
  for (const auto& key : which.path) name += (name.empty() ? "" : ".") + key;
  next.place = fmt::format("{} = {}", name, value);
  next.value_place.clear();
  make(document, which.path) = std::move(next);
}

void make_external(toml_value& document, const scenario& read, const std::string& input) {
  const auto& inputs = read.system->card().inputs;
  const auto at = std::find_if(inputs.begin(), inputs.end(),
                               [&](const auto& each) { return each.name == input; });
  if (at == inputs.end()) {
    std::vector<std::string> names;
    names.reserve(inputs.size());
    for (const auto& each : inputs) names.push_back(each.name);
    throw error(fmt::format(
        "--input {}: {}", input,
        names.empty() ? "this system has no inputs" : "unknown input: " + suggest(input, names)));
  }
  const std::string& kind = read.system->card().kind;
  std::vector<std::string> path{input};
  toml_value next;
  if (kind == "inclusion") {
    path = {"inputs", input};
  } else if (const system_row* row = find_system(kind)) {
    for (const key_entry& key : keys_of(*row))
      if (key.is == key_entry::kind::signal && key.name == input && !key.table.empty())
        path = {key.table, input};
  }
  if (const toml_value* present = find(document, path); present != nullptr) {
    // What the input is, beside its signal.
    if (present->is == toml_kind::table)
      for (const char* key : {"unit", "of"})
        if (const toml_value* kept = present->find(key)) next.at(key) = *kept;
    if (present->is == toml_kind::text && kind == "inclusion")
      next.at("unit") = toml_value::of(is_plain(at->in) ? std::string("1") : to_string(at->in));
  }
  next.at("kind") = toml_value::of(std::string("external"));
  next.at("start") = toml_value::of(at->shape->value(0));
  next.place = "--input " + input;
  make(document, path) = std::move(next);
}

description describe(toml_value document, const std::string& name, const std::string& folder) {
  external_inputs listening;
  const scenario s = read_scenario(document, name, folder);
  const system_card& card = s.system->card();
  description d;
  d.document = std::move(document);
  d.resolved = s.resolved;
  d.name = s.name;
  d.folder = folder;
  d.title = s.title;
  d.kind = card.kind;
  d.states = s.initial.size();
  d.duration = s.duration;
  d.sample = s.sample;
  d.tolerance = has_fixed_step(s) ? 0 : s.tolerance.relative;
  d.can_save = s.system->march() == nullptr;
  d.warnings = s.warnings;
  const auto work = s.system->new_workspace();
  work->setting = s;
  const auto events = s.system->events(*work);
  d.no_model_exchange = why_no_model_exchange(s);

  const auto about_axis = [&](unit in) { return s.is_rotary ? rotary(in) : in; };
  const auto add = [&](variable::kind is, const std::string& called, unit in,
                       std::size_t index) -> variable& {
    variable& v = d.variables.emplace_back(variable{is, called});
    v.in = about_axis(in);
    v.index = index;
    return v;
  };
  variable& time = add(variable::kind::time, "time", units::second, 0);
  time.meaning = "simulation time";
  parameter_finder(s, d).go();
  const auto inputs = inputs_of(s, listening);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i])
      add(variable::kind::input, card.inputs[i].name, card.inputs[i].in, i).start = inputs[i]->now;
  std::vector<bool> is_shown(card.states.size(), false);
  const auto add_state = [&](std::size_t i, bool shown) {
    variable& v = add(variable::kind::state, card.states[i].name, card.states[i].in, i);
    v.start = s.initial[i];
    v.allowed = card.states[i].allowed;
    v.given_by = card.states[i].given_by;
    v.is_shown = shown;
  };
  for (const auto& [of, index] : card.columns) {
    using enum system_card::column::kind;
    if (of == state) {
      add_state(index, true);
      is_shown[index] = true;
    } else if (of == output) {
      add(variable::kind::output, card.outputs[index].name, card.outputs[index].in, index);
    } else if (!inputs[index] && !card.inputs[index].shape->is_constant()) {
      add(variable::kind::given, card.inputs[index].name, card.inputs[index].in, index);
    }
  }
  for (std::size_t i = 0; i < card.states.size(); ++i)
    if (!is_shown[i]) add_state(i, false);
  if (d.no_model_exchange.empty()) {
    for (std::size_t i = 0; i < card.states.size(); ++i)
      add(variable::kind::derivative, fmt::format("der({})", card.states[i].name),
          card.states[i].in / units::second, i);
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (!is_for_solvers(events[i])) continue;
      d.indicators.push_back(i);
      add(variable::kind::indicator, fmt::format("indicator({})", i + 1), units::one, i).meaning =
          fmt::format("its sign changes at an event: {}",
                      events[i].name.empty() ? "a change of the state" : events[i].name);
    }
  }
  make_names_unique(d.variables);
  return d;
}

}  // namespace asperity::fmi
