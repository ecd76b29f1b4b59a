// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/integrate/cvode.hpp>
#include <asperity/scenario/input.hpp>
#include <asperity/scenario/machine_kinds.hpp>
#include <asperity/scenario/memory.hpp>
#include <asperity/scenario/pending_folder.hpp>
#include <asperity/scenario/reader.hpp>
#include <asperity/scenario/rows.hpp>
#include <asperity/scenario/scenario.hpp>
#include <asperity/systems/load.hpp>
#include <asperity/systems/respond.hpp>
#include <asperity/text.hpp>
#include <cmath>
#include <filesystem>

namespace asperity {

namespace {

constexpr std::array kinds{system_kind::mass_under_force, system_kind::pulled_mass,
                           system_kind::wall_spring_mass, system_kind::bouncing_mass,
                           system_kind::prescribed_motion};
constexpr std::array methods{method::euler,          method::rk4,          method::dopri5,
                             method::backward_euler, method::sdirk2,       method::trbdf2,
                             method::rosenbrock,     method::automatic,    method::cvode,
                             method::advance,        method::switch_model, method::moreau_jean};
// More rows than this fill the memory of a small machine.
constexpr double most_samples = 2e7;

template <class Choices>
std::vector<std::string> words_for(const Choices& choices) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto each : choices) words.emplace_back(to_string(each));
  return words;
}

template <class Choices>
auto choose(const std::string& word, const Choices& choices) {
  return *std::find_if(choices.begin(), choices.end(),
                       [&](auto each) { return word == to_string(each); });
}

// ---- the model ----------------------------------------------------------------------------------

// Keys of the tables in which a system takes its model: the families that fit.
std::vector<std::string> model_tables(system_kind kind) {
  if (kind == system_kind::bouncing_mass) return {"contact"};
  if (kind == system_kind::prescribed_motion) return {"friction", "contact", "curve", "hysteresis"};
  return {"friction", "hysteresis"};
}

// An operator takes plain numbers to plain numbers. Plugged into a mass it is read in SI: metres
// in, newtons out.
bool is_bare_operator(const scenario& s) {
  return s.system == system_kind::prescribed_motion && s.model->entry().family == "hysteresis";
}
unit input_unit(const scenario& s) { return is_bare_operator(s) ? units::one : units::metre; }
unit output_unit(const scenario& s) { return is_bare_operator(s) ? units::one : units::newton; }

// A Stribeck curve is a friction law too, one without memory.
bool fits(const std::string& family, const std::string& table) {
  return family == table || (family == "curve" && table == "friction");
}

void read_parameter(reader& table, any_model& model,
                    const card<double>::parameter_entry& parameter) {
  const std::string& name = parameter.name;
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
  if (parameter.count != nullptr) {
    table.keep(name, toml_value::of(static_cast<long long>(values.front())));
  } else if (parameter.is_list) {
    table.keep(name, toml_value::of(values, parameter.in));
  } else {
    table.keep(name, toml_value::of(values.front(), parameter.in));
  }
}

}  // namespace

any_model read_model(reader& table, const std::string& family, std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  for (const catalogue_entry* entry : catalogue())
    if (fits(entry->family, family)) names.push_back(entry->key);
  const catalogue_entry& entry = find_model(table.word("model", names));

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

  // The number of elements comes first: it says how long lists are.
  const auto the_card = model.describe();
  for (const bool counts : {true, false})
    for (const auto& parameter : the_card.parameters)
      if ((parameter.count != nullptr) == counts) read_parameter(table, model, parameter);
  table.finish();
  try {
    const std::string doubt = model.check();
    if (!doubt.empty())
      warnings.push_back(fmt::format("{}: model '{}': {}", table.place(), model.key(), doubt));
  } catch (const error& problem) {
    table.fail("", problem.what());
  }
  return model;
}

namespace {

// ---- system and inputs --------------------------------------------------------------------------

// The model of a system that has one.
any_model read_only_model(reader& root, scenario& s) {
  const auto tables = model_tables(s.system);
  std::string table_key;
  for (const auto& key : tables) {
    if (root.find(key) == nullptr) continue;
    if (!table_key.empty())
      root.fail(key, fmt::format("there is also [{}]: give only one model", table_key));
    table_key = key;
  }
  if (table_key.empty())
    root.fail_missing(tables.front(),
                      fmt::format("a table [{}] with model = ...", fmt::join(tables, "], [")));
  reader table = root.table(table_key);
  return read_model(table, table_key, s.warnings);
}

// Returns the shortest period among the inputs.
double read_system(reader& root, reader& table, scenario& s, const input_files& files) {
  using enum system_kind;
  double shortest = unbounded;
  const auto take = [&](const char* key, unit in) {
    const input found = read_input(root, key, in, files);
    shortest = std::min(shortest, found.shortest_period);
    return found.shape;
  };
  const auto take_or = [&](const char* key, unit in, double otherwise) {
    if (root.find(key) != nullptr) return take(key, in);
    root.keep(key, toml_value::of(otherwise, in));
    return signal::constant(otherwise);
  };

  if (s.is_mass()) {
    s.mass = table.number("mass", units::kilogram, positive);
    if (s.system == pulled_mass || s.system == wall_spring_mass)
      s.stiffness = table.number("stiffness", units::newton / units::metre, positive);
    if (s.system != bouncing_mass)
      s.damping =
          table.number("damping", units::newton * units::second / units::metre, non_negative, 0);
    if (s.system == pulled_mass) {
      if (root.find("anchor") != nullptr) {
        if (table.has("speed")) table.fail("speed", "there is also an [anchor]: give only one");
        s.anchor = take("anchor", units::metre);
      } else {
        s.anchor = signal::ramp(table.number("speed", units::metre / units::second, any_value));
      }
    }
    s.force = s.system == mass_under_force ? take("force", units::newton)
                                           : take_or("force", units::newton, 0);
  } else {
    reader motion = root.table("motion");
    s.motion_is_velocity = motion.word("of", {"position", "velocity"}) == "velocity";
    const unit in = s.motion_is_velocity ? input_unit(s) / units::second : input_unit(s);
    const input found = read_input_table(motion, in, files);
    shortest = found.shortest_period;
    s.motion = found.shape;
  }
  s.load = take_or("load", units::one, 1);
  table.finish();
  return shortest;
}

// ---- initial state ------------------------------------------------------------------------------

// Calls visit(index, header) for the states that `key` means: its own name, or all of a list "a"
// that stands for a_1, a_2 ...
template <class Visit>
int for_states_named(const scenario& s, const std::string& key, Visit visit) {
  const auto states = states_of(s);
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

// What each state may be at the start.
std::vector<range> ranges_of(const scenario& s) {
  if (!s.assembled) {
    std::vector<range> result(static_cast<std::size_t>(s.mechanical_states()), any_value);
    const auto of_model = s.model->state_ranges();
    result.insert(result.end(), of_model.begin(), of_model.end());
    return result;
  }
  std::vector<range> result;
  for (const auto& each : s.assembled->states()) result.push_back(each.allowed);
  return result;
}

void read_initial(reader& root, scenario& s) {
  const auto states = states_of(s);
  const auto allowed = ranges_of(s);
  if (s.assembled) {
    s.initial = s.assembled->initial();
  } else {
    s.initial.assign(states.size(), 0.0);
    s.model->initial(s.initial.data() + s.mechanical_states());
  }

  reader table = root.table_or_empty("initial");
  const bool position_is_given =
      s.system == system_kind::prescribed_motion && !s.motion_is_velocity;
  if (position_is_given && table.has("x")) table.fail("x", "the position is given by [motion]");

  // Lists of states by their common name first, single ones after, so that these have the last
  // word.
  const auto entries = s.model ? s.model->describe().states : decltype(card<double>::states){};
  for (const auto& entry : entries) {
    if (!entry.is_list || !table.has(entry.name)) continue;
    const auto values = table.numbers(entry.name, entry.in, entry.allowed, true);
    const int count =
        for_states_named(s, entry.name, [&](std::size_t i, const auto&, int position) {
          const auto which = static_cast<std::size_t>(position);
          if (which < values.size()) s.initial[i] = values[which];
          if (values.size() == 1) s.initial[i] = values[0];
        });
    if (values.size() != 1 && static_cast<int>(values.size()) != count)
      table.fail(entry.name,
                 fmt::format("there are {} values, but {} states", values.size(), count));
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (position_is_given && i == 0) continue;
    if (table.has(states[i].name)) {
      s.initial[i] = table.number(states[i].name, states[i].in, allowed[i]);
    } else {
      table.find(states[i].name);
    }
  }
  if (s.assembled)
    if (const auto wrong = s.assembled->check_initial(s.initial.data()); !wrong.why.empty())
      table.fail(wrong.state, wrong.why);
  table.finish();
  if (position_is_given) s.initial[0] = s.motion.value(0);
  // What the model starts with where the file does not say may overflow, too.
  for (std::size_t i = 0; i < states.size(); ++i)
    if (!allows(allowed[i], s.initial[i]))
      table.fail(states[i].name,
                 fmt::format("it is {:g} {} by the parameters, but must be {}: give it, or change "
                             "the parameters",
                             s.initial[i], to_string(states[i].in), to_string(allowed[i])));

  toml_value all;
  for (std::size_t i = position_is_given ? 1 : 0; i < states.size(); ++i) {
    all.at(states[i].name) = toml_value::of(s.initial[i], states[i].in);
  }
  root.keep("initial", std::move(all));
}

// ---- integrator and run -------------------------------------------------------------------------

}  // namespace

std::string unfit(const scenario& s, method which) {
  if (which == method::cvode && !has_cvode()) return "this build has no SUNDIALS";
  if (s.assembled && s.assembled->runs_itself()) {
    const auto own = s.assembled->own_methods();
    return std::find(own.begin(), own.end(), to_string(which)) != own.end()
               ? ""
               : fmt::format("{} take steps of their own", s.assembled_kind);
  }
  if (s.assembled) {
    if (s.assembled->has_rigid_contact() && which != method::backward_euler)
      return "impacts on a rigid contact are for backward_euler";
    if (is_closed_form(which) && !s.assembled->has_stage())
      return fmt::format(
          "a {} has no implicit step of its own (the same system stated as an inclusion has one: "
          "docs/inclusions.md)",
          s.assembled_kind);
    if (!is_fixed_step(which) && s.initial.size() > machine_capacity)
      return fmt::format("adaptive methods take at most {} states, this one has {}",
                         machine_capacity, s.initial.size());
    if (which == method::automatic && s.assembled->has_stage())
      return fmt::format("a {} has an implicit step of its own: trbdf2", s.assembled_kind);
    if (which == method::moreau_jean) return s.assembled->no_impulse_step();
    if (which == method::switch_model && !s.assembled->has_sides())
      return fmt::format("no friction of this {} jumps where it does not slip", s.assembled_kind);
    if (const std::string friction = s.assembled->chattering();
        !friction.empty() && !is_fixed_step(which))
      return fmt::format(
          "model '{}' is set-valued or jumps at rest, where adaptive steps shrink without end; the "
          "same system stated as an inclusion, with sgn, runs (docs/inclusions.md)",
          friction);
    const std::string memory = s.assembled->memory();
    if (which == method::advance && memory.empty())
      return fmt::format("no memory in this {} is other than an ODE", s.assembled_kind);
    if (which != method::advance && !memory.empty())
      return fmt::format("model '{}' has a memory that is not an ODE", memory);
    return "";
  }
  // Velocities jump in its impacts: methods of higher order answer with rebounds of their own.
  if (s.system == system_kind::bouncing_mass && is_rigid(*s.model) &&
      which != method::backward_euler)
    return fmt::format("impacts on model '{}' are for backward_euler", s.model->key());
  if (which == method::moreau_jean) return "it needs a system stated as an inclusion";
  if (is_closed_form(which) && !s.model->has_implicit_step())
    return fmt::format("model '{}' has no closed-form implicit step", s.model->key());
  if (which != method::advance && !s.model->is_ode())
    return fmt::format("model '{}' has a memory that is not an ODE", s.model->key());
  if (which == method::advance && s.system == system_kind::bouncing_mass)
    return "a bouncing mass has no step of its own";
  if (which == method::switch_model && !s.model->has_side())
    return fmt::format("the force of model '{}' does not jump at v = 0", s.model->key());
  if (which == method::switch_model &&
      (s.system == system_kind::bouncing_mass || s.system == system_kind::prescribed_motion))
    return "the Switch Model needs a mass that slides";
  return "";
}

namespace {

method default_method(const scenario& s) {
  if (s.assembled && s.assembled->runs_itself())
    return choose(s.assembled->own_methods().front(), methods);
  if (s.assembled && s.initial.size() > machine_capacity)
    return s.assembled->has_stage() ? method::backward_euler : method::rk4;
  if (s.assembled && !s.assembled->memory().empty()) return method::advance;
  if (s.assembled && !s.assembled->chattering().empty()) return method::rk4;
  if (s.assembled && s.assembled->has_rigid_contact()) return method::backward_euler;
  if (s.assembled && s.assembled->has_stage()) return method::trbdf2;
  if (s.assembled) return method::automatic;
  if (!s.model->is_ode()) return method::advance;
  if (!unfit(s, method::trbdf2).empty() && unfit(s, method::backward_euler).empty())
    return method::backward_euler;
  // A law that is moved may have unstable branches, which long implicit steps would stay on.
  return s.is_mass() ? method::automatic : method::dopri5;
}

std::vector<std::string> methods_for(const scenario& s) {
  std::vector<std::string> names;
  for (const method each : methods)
    if (unfit(s, each).empty()) names.emplace_back(to_string(each));
  return names;
}

void read_absolute_tolerance(reader& table, scenario& s) {
  const std::string key = "absolute_tolerance";
  const auto states = states_of(s);
  s.tolerance = s.assembled
                    ? default_tolerances(*s.assembled, s.tolerance.relative)
                    : default_tolerances(*s.model, s.mechanical_states(), s.tolerance.relative);
  // Held by friction alone, under a law that may drift, a body creeps a little with each swing and
  // nothing brings it back: an error of its velocity adds up for as long as it is held.
  if (s.system == system_kind::mass_under_force && s.model->states() > 0 &&
      (s.model->describe().claims & no_drift) == 0)
    s.tolerance.absolute[1] = 1e-5 * s.tolerance.relative;
  const toml_value* given = table.find(key);
  if (given != nullptr && given->is != toml_value::kind::table) {
    s.tolerance.absolute.fill(table.number(key, units::one, positive));
  } else if (given != nullptr) {
    reader each = table.table(key);
    for (const std::string& name : each.unread()) {
      const auto set = [&](std::size_t i, const column_header& state, int) {
        s.tolerance.absolute[i] = each.number(name, state.in, positive);
      };
      if (for_states_named(s, name, set) == 0) {
        std::vector<std::string> names;
        names.reserve(states.size());
        for (const auto& state : states) names.push_back(state.name);
        each.fail(name, "no such state: " + suggest(name, names));
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
  std::string wanted =
      fmt::format("a number in s, above 0: the step of method {}", to_string(s.integrator));
  if (method_is_given) return wanted;
  const std::string why = unfit(s, method::dopri5);
  return why.empty() ? wanted : fmt::format("{}, the default here: {}", wanted, why);
}

// Whether `advance` can choose its own steps: not where friction jumps at rest, so that a body held
// there would chatter.
bool adapts_advance(const scenario& s) {
  if (s.integrator != method::advance) return false;
  if (s.assembled) return s.initial.size() <= machine_capacity;
  return !s.is_mass() || !(is_set_valued(*s.model) || s.model->has_side());
}

void read_step(reader& table, scenario& s, bool method_is_given) {
  const bool is_given = table.has("step");
  const bool is_fixed = is_fixed_step(s.integrator) && (is_given || !adapts_advance(s));
  if (is_fixed && !is_given) table.fail_missing("step", wanted_step(s, method_is_given));
  if (is_given) s.step = table.number("step", units::second, positive);
  table.find("step");
  if (is_fixed && s.step > s.duration)
    table.fail("step", fmt::format("it is longer than the run, which takes {:g} s", s.duration));
  if (is_given && !is_fixed)
    s.warnings.push_back(fmt::format(
        "{}: integrator.step = {:g} s is not used: method {} chooses its steps by its tolerances, "
        "and max_step bounds them",
        table.place(), s.step, to_string(s.integrator)));
}

void read_integrator(reader& root, scenario& s, double shortest_period) {
  reader table = root.table_or_empty("integrator");
  const bool is_given = table.has("method");
  const std::string word = table.word("method", words_for(methods), to_string(default_method(s)));
  s.integrator = choose(word, methods);
  if (const std::string why = unfit(s, s.integrator); !why.empty())
    table.fail("method", fmt::format("{}; allowed: {}", why, fmt::join(methods_for(s), ", ")));

  // Settings of the methods not chosen are checked all the same: changing the method is one word.
  read_step(table, s, is_given);
  if (s.assembled)
    for (const auto& doubt :
         s.assembled->plan(to_string(s.integrator), has_fixed_step(s) ? s.step : 0))
      s.warnings.push_back(fmt::format("{}: {}", root.place(), doubt));
  s.tolerance.relative = table.number("relative_tolerance", units::one, {1e-14, 1, true}, 1e-6);
  read_absolute_tolerance(table, s);
  // Long steps could jump over a whole period of an input and never see it.
  const double longest = std::min(s.duration / 100, shortest_period / 10);
  s.max_step = table.number("max_step", units::second, positive, longest);
  s.first_step =
      table.number("first_step", units::second, positive, std::min(s.max_step, 1e-6 * s.duration));
  if (s.integrator == method::switch_model ||
      (s.integrator == method::automatic && unfit(s, method::switch_model).empty())) {
    s.switch_eta = table.number("eta", units::metre / units::second, positive, 1e-8);
    s.switch_tau = table.number("tau", units::second, positive, 1e-2);
  }
  s.max_steps = static_cast<long>(
      table.integer("max_steps", {1, 1e15}, s.sample > 0 ? 1'000'000'000 : 20'000'000));
  if (has_fixed_step(s) && s.duration / s.step > static_cast<double>(s.max_steps))
    table.fail("step", fmt::format("{:g} s in steps of {:g} s are more than max_steps = {}",
                                   s.duration, s.step, s.max_steps));
  table.finish();

  if (s.assembled) return;
  const bool is_contact = s.model->entry().family == "contact";
  if (s.is_mass() && !is_contact && is_set_valued(*s.model) && !is_closed_form(s.integrator) &&
      s.integrator != method::switch_model && s.integrator != method::automatic)
    s.warnings.push_back(
        fmt::format("model '{}' is set-valued at rest, where method {} can only chatter: "
                    "use trbdf2",
                    s.model->key(), word));
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
  s.sample = table.number("sample", units::second, non_negative, s.duration / 1000);
  if (s.sample > 0 && s.duration / s.sample > most_samples)
    table.fail("sample", fmt::format("{:g} samples are too many: it must be at least {:g} s",
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
    const auto found = std::find(in.begin(), in.end(), header.in);
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
  if (s.assembled) return panels_by_unit(s);
  std::vector<std::string> place{"x"}, forces{"f"};
  for (const auto& header : columns_of(s)) {
    if (header.name == "anchor") place.emplace_back("anchor");
    if (header.name == "force") forces.emplace_back("force");
  }
  const bool is_contact = s.model->entry().family == "contact";
  if (is_bare_operator(s))
    return {{"Input", "t", {"x"}, "", ""},
            {"Output", "t", {"f"}, "", ""},
            {"Output over input", "x", {"f"}, "", ""}};
  const char* force = is_contact ? "Contact force" : "Friction force";
  if (s.system == system_kind::prescribed_motion)
    return {{is_contact ? "Gap" : "Position", "t", {"x"}, "", ""},
            {force, "t", {"f"}, "", ""},
            {is_contact ? "Force over gap" : "Force over position", "x", {"f"}, "", ""},
            {is_contact ? "Force over rate" : "Force over velocity", "v", {"f"}, "", ""}};
  return {{is_contact ? "Gap" : "Position", "t", place, "", ""},
          {"Velocity", "t", {"v"}, "", ""},
          {forces.size() > 1 ? "Forces" : force, "t", forces, "", ""}};
}

unit unit_of_column(reader& table, const std::string& key, const std::string& name,
                    const std::vector<column_header>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) {
    if (column.name == name) return column.in;
    names.push_back(column.name);
  }
  table.fail(key, fmt::format("no such column '{}': {}", name, suggest(name, names)));
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
        table.fail("y", fmt::format("columns of one panel must have one unit: '{}' is in {}, '{}' "
                                    "in {}",
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

// ---- words --------------------------------------------------------------------------------------

const char* to_string(system_kind kind) {
  switch (kind) {
    case system_kind::mass_under_force:
      return "mass_under_force";
    case system_kind::pulled_mass:
      return "pulled_mass";
    case system_kind::wall_spring_mass:
      return "wall_spring_mass";
    case system_kind::bouncing_mass:
      return "bouncing_mass";
    case system_kind::prescribed_motion:
      return "prescribed_motion";
    case system_kind::machine:
      return "machine";
  }
  return "";
}

const char* to_string(method which) {
  switch (which) {
    case method::euler:
      return "euler";
    case method::rk4:
      return "rk4";
    case method::dopri5:
      return "dopri5";
    case method::backward_euler:
      return "backward_euler";
    case method::sdirk2:
      return "sdirk2";
    case method::trbdf2:
      return "trbdf2";
    case method::rosenbrock:
      return "rosenbrock";
    case method::automatic:
      return "automatic";
    case method::cvode:
      return "cvode";
    case method::advance:
      return "advance";
    case method::switch_model:
      return "switch";
    case method::moreau_jean:
      return "moreau_jean";
  }
  return "";
}

bool is_closed_form(method which) {
  return which == method::backward_euler || which == method::sdirk2 || which == method::trbdf2;
}

bool is_fixed_step(method which) {
  return which == method::euler || which == method::rk4 || which == method::backward_euler ||
         which == method::sdirk2 || which == method::advance || which == method::moreau_jean;
}

bool has_fixed_step(const scenario& s) { return is_fixed_step(s.integrator) && s.step > 0; }

// ---- columns and states -------------------------------------------------------------------------

std::vector<column_header> states_of(const scenario& s) {
  if (s.assembled) {
    std::vector<column_header> result;
    for (const auto& each : s.assembled->states()) result.push_back({each.name, each.in});
    return result;
  }
  std::vector<column_header> result{{"x", input_unit(s)}};
  if (s.is_mass()) result.push_back({"v", units::metre / units::second});
  const auto names = s.model->state_names();
  const auto in = s.model->state_units();
  for (std::size_t i = 0; i < names.size(); ++i) result.push_back({names[i], in[i]});
  return result;
}

std::vector<column_header> columns_of(const scenario& s) {
  if (s.assembled) {
    std::vector<column_header> result{{"t", units::second}};
    for (const auto& list : {s.assembled->states(), s.assembled->outputs()})
      for (const auto& each : list) result.push_back({each.name, each.in});
    return result;
  }
  std::vector<column_header> result{{"t", units::second},
                                    {"x", input_unit(s)},
                                    {"v", input_unit(s) / units::second},
                                    {"f", output_unit(s)}};
  if (!s.force.is_constant()) result.push_back({"force", units::newton});
  if (!s.anchor.is_constant()) result.push_back({"anchor", units::metre});
  if (!s.load.is_constant()) result.push_back({"load", units::one});
  const auto states = states_of(s);
  for (const int i : shown_states(*s.model))
    result.push_back(states[static_cast<std::size_t>(s.mechanical_states() + i)]);
  return result;
}

tolerances default_tolerances(const any_model& model, int mechanical_states, double relative) {
  tolerances result;
  result.relative = relative;
  result.absolute.fill(1e-3 * relative);  // of positions and velocities in SI
  std::array<double, any_model::max_states> scale;
  scale.fill(1e-12 / relative);  // where the model does not say
  model.state_scale(scale.data());
  for (int i = 0; i < model.states(); ++i)
    result.absolute[static_cast<std::size_t>(mechanical_states + i)] =
        relative * scale[static_cast<std::size_t>(i)];
  return result;
}

tolerances default_tolerances(const machine& which, double relative) {
  tolerances result;
  result.relative = relative;
  result.absolute.fill(1e-3 * relative);
  const auto states = which.states();
  for (std::size_t i = 0; i < states.size() && i < result.absolute.size(); ++i)
    if (states[i].scale > 0) result.absolute[i] = relative * states[i].scale;
  return result;
}

// ---- the whole file -----------------------------------------------------------------------------

scenario read_scenario(const toml_value& document, const std::string& name,
                       const std::string& folder) {
  toml_value record;
  reader root(document, "", record);
  const std::string own_name = root.name("name", name);
  const std::string title = root.text("title", own_name);

  reader system = root.table("system");
  std::vector<std::string> kind_words = words_for(kinds);
  for (const auto& each : machine_kinds()) kind_words.emplace_back(each.name);
  const std::string kind_word = system.word("kind", kind_words);

  scenario s;
  s.name = own_name;
  s.title = title;
  const input_files files{folder, &s.attachments};
  double shortest_period = unbounded;
  if (const machine_kind* wanted = find_machine_kind(kind_word)) {
    s.system = system_kind::machine;
    s.assembled_kind = kind_word;
    s.assembled = wanted->read({root, system, files, s.warnings});
    system.finish();
    shortest_period = s.assembled->shortest_period();
  } else {
    s.system = choose(kind_word, kinds);
    s.model = read_only_model(root, s);
    if (s.system == system_kind::bouncing_mass) s.model->hold_side();
    shortest_period = read_system(root, system, s, files);
  }
  read_initial(root, s);
  read_run(root, s);
  const machine::input_complaint wrong =
      s.assembled ? s.assembled->check_inputs(s.duration)
                  : machine::input_complaint{"load", why_not_load(*s.model, s.load, s.duration)};
  if (!wrong.why.empty()) root.fail(wrong.key, wrong.why);
  read_integrator(root, s, shortest_period);
  read_panels(root, s);
  root.finish();
  s.resolved = std::move(record);
  return s;
}

any_model make_model(const std::string& key, const std::string& curve,
                     const std::vector<std::string>& settings, std::vector<std::string>& warnings) {
  toml_value document, record;
  document.place = key;
  assign(document, "model", toml_value::of(key));
  if (!curve.empty()) {
    assign(document, "curve", toml_value::of(curve));
    document.items.back().place = "--curve " + curve;
  }
  for (const auto& setting : settings) apply_override(document, setting);
  reader table(document, "", record);
  return read_model(table, find_model(key).family, warnings);
}

scenario read_scenario(const std::string& file, const std::vector<std::string>& overrides) {
  toml_value document = read_toml(file);
  for (const auto& setting : overrides) apply_override(document, setting);
  const std::filesystem::path path(file);
  return read_scenario(document, path.stem().string(), path.parent_path().string());
}

}  // namespace asperity
