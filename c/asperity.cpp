// SPDX-License-Identifier: Apache-2.0
// The plain C interface. Nothing thrown leaves it.

#include "asperity.h"

#include <fmt/format.h>

#include <asperity/catalogue/plugin.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/run/measure.hpp>
#include <asperity/run/output.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/run/stepped_model.hpp>
#include <asperity/text/setting.hpp>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <set>

using namespace asperity;

namespace {

// Fixed, so that a failure of memory can be reported.
thread_local char message[2048] = "";

asperity_status fail(asperity_status status, const char* text) {
  std::strncpy(message, text, sizeof message - 1);
  return status;
}

// For pointers that a call cannot do without; they come with their names.
struct needed {
  const char* name;
  const void* pointer;
};
asperity_status lacks(std::initializer_list<needed> all) {
  for (const needed& each : all) {
    if (each.pointer != nullptr) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%s is NULL", each.name);
    return fail(ASPERITY_BAD_INPUT, text);
  }
  return ASPERITY_OK;
}

template <class Body>
asperity_status guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (const error& e) {
    return fail(ASPERITY_BAD_INPUT, e.what());
  } catch (const std::bad_alloc&) {
    return fail(ASPERITY_NO_MEMORY, "there is not enough memory");
  } catch (const std::exception& e) {
    return fail(ASPERITY_UNEXPECTED, e.what());
  } catch (...) {
    return fail(ASPERITY_UNEXPECTED, "unknown");
  }
}

// Of a step: what was refused, or how it ended and what can be done. Takes no memory.
asperity_status status_of(const any_model& model, const refusal& no, outcome how,
                          const double* inputs) {
  if (how == outcome::completed) return ASPERITY_OK;
  if (no.name != nullptr) {
    auto* end = fmt::format_to_n(message, sizeof message - 1, "{} = {:g}{}: it must be {}", no.name,
                                 no.value, no.unit, no.must_be)
                    .out;
    *end = '\0';
    return std::isfinite(no.value) ? ASPERITY_BAD_INPUT : ASPERITY_NOT_FINITE;
  }
  return fail(how == outcome::not_finite ? ASPERITY_NOT_FINITE : ASPERITY_TOO_STIFF,
              advice(how, model, inputs));
}

struct card_line {
  const char *name, *unit, *meaning;
  range allowed = any_value;
  std::size_t count = 1;

  asperity_quantity show() const {
    const double infinite = std::numeric_limits<double>::infinity();
    const double lower = std::max(allowed.lower, -infinite),
                 upper = std::min(allowed.upper, infinite);
    return {name, unit, meaning, lower, upper, count};
  }
};

asperity_quantity show(const std::vector<card_line>& lines, std::size_t i) {
  if (i < lines.size()) return lines[i].show();
  return {nullptr, nullptr, nullptr, 0, 0, 0};
}

}  // namespace

struct asperity_model {
  any_model chosen;  // with parameters that the next reset takes over
  std::optional<stepped_model> now;
  const char *title = nullptr, *source = nullptr;
  std::vector<card_line> parameters, states, inputs, outputs;
  // All that cards ever showed: what was read of them lives as long as the model, whatever a reset
  // changes.
  std::set<std::string> texts;

  explicit asperity_model(any_model model) : chosen(std::move(model)), now(chosen) { describe(); }
  asperity_model(const asperity_model& from) : chosen(from.chosen), now(from.now) { describe(); }

  // Throws where the parameters are refused; nothing has changed then.
  void restart() {
    stepped_model next(chosen);
    now.emplace(std::move(next));
    describe();
  }

 private:
  const char* kept(std::string text) { return texts.insert(std::move(text)).first->c_str(); }

  void describe() {
    const any_model& of = now->model();
    const auto card = of.describe();
    title = kept(card.title);
    source = kept(card.source);
    inputs.clear();
    for (const channel& c : of.at().inputs)
      inputs.push_back({c.name, kept(to_string(c.in)), "", allowed_input(of, c)});
    outputs.clear();
    for (const channel& c : of.at().outputs) outputs.push_back({c.name, kept(to_string(c.in)), ""});
    parameters.clear();
    for (const auto& p : card.parameters)
      parameters.push_back(
          {kept(p.name), kept(to_string(p.in)), kept(p.meaning), p.allowed, of.get(p.name).size()});
    states.clear();
    const auto names = of.state_names();
    const auto in = of.state_units();
    const auto ranges = of.state_ranges();
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string meaning;
      for (const auto& s : card.states)
        if (s.name == names[i] || (s.is_list && names[i].starts_with(s.name + "_")))
          meaning = s.meaning;
      states.push_back({kept(names[i]), kept(to_string(in[i])), kept(meaning), ranges[i]});
    }
  }
};

struct asperity_run {
  run_data data;
  std::vector<std::string> units, warnings;
  std::string how;
};

namespace {

constexpr double not_there = std::numeric_limits<double>::quiet_NaN();

bool lacks_settings(const char* const* settings, std::size_t count) {
  if (count > 0 && lacks({{"settings", settings}}) != ASPERITY_OK) return true;
  for (std::size_t i = 0; i < count; ++i)
    if (lacks({{"a setting", settings[i]}}) != ASPERITY_OK) return true;
  return false;
}

asperity_status run_document(toml_value document, const std::string& name,
                             const std::string& folder, const char* const* settings,
                             std::size_t count, asperity_run** result) {
  for (std::size_t i = 0; i < count; ++i) apply_override(document, settings[i], "setting");
  const scenario s = read_scenario(document, name, folder);
  auto made = std::make_unique<asperity_run>();
  made->data = simulate(s);
  made->warnings = s.warnings;
  made->warnings.insert(made->warnings.end(), made->data.doubts.begin(), made->data.doubts.end());
  made->how = to_string(made->data.result.how);
  for (const column& c : made->data.columns)
    made->units.push_back(to_string(s.is_rotary ? rotary(c.in) : c.in));
  const bool failed = is_failure(made->data.result.how);
  if (failed) {
    const std::string words =
        fmt::format("{} at t = {:g} s{}{}{}", made->how, made->data.result.t,
                    made->data.result.detail.empty() ? "" : ": ", made->data.result.detail,
                    made->data.hint.empty() ? "" : "; " + made->data.hint);
    fail(ASPERITY_INCOMPLETE, words.c_str());
  }
  *result = made.release();
  return failed ? ASPERITY_INCOMPLETE : ASPERITY_OK;
}

}  // namespace

extern "C" {

const char* asperity_version(void) { return version(); }
asperity_status asperity_check_abi(int abi) {
  if (abi == ASPERITY_ABI) return ASPERITY_OK;
  return guarded([&]() -> asperity_status {
    throw error(fmt::format(
        "the program was compiled for ABI {}, but the library has ABI {}: compile it again", abi,
        ASPERITY_ABI));
  });
}
const char* asperity_message(void) { return message; }

asperity_status asperity_load_plugin(const char* file) {
  return guarded([&] {
    load_plugin(file == nullptr ? "" : file);
    return ASPERITY_OK;
  });
}

size_t asperity_model_count(void) { return catalogue().size(); }
const char* asperity_model_name(size_t i) {
  return i < catalogue().size() ? catalogue()[i]->key.c_str() : nullptr;
}
const char* asperity_model_family(size_t i) {
  return i < catalogue().size() ? catalogue()[i]->family.c_str() : nullptr;
}
size_t asperity_system_count(void) { return systems().size(); }
const char* asperity_system_name(size_t i) {
  return i < systems().size() ? systems()[i]->name : nullptr;
}
size_t asperity_measure_count(void) { return measures().size(); }
const char* asperity_measure_name(size_t i) {
  return i < measures().size() ? measures()[i]->word : nullptr;
}

asperity_status asperity_model_create(const char* name, const char* curve, asperity_model** model) {
  if (lacks({{"model", model}}) != ASPERITY_OK) return ASPERITY_BAD_INPUT;
  *model = nullptr;
  return guarded([&] {
    any_model chosen(find_entry(name == nullptr ? "" : name), curve == nullptr ? "" : curve);
    *model = new asperity_model(std::move(chosen));
    return ASPERITY_OK;
  });
}
asperity_status asperity_model_copy(const asperity_model* from, asperity_model** to) {
  if (lacks({{"to", to}}) != ASPERITY_OK) return ASPERITY_BAD_INPUT;
  *to = nullptr;
  if (lacks({{"from", from}}) != ASPERITY_OK) return ASPERITY_BAD_INPUT;
  return guarded([&] {
    *to = new asperity_model(*from);
    return ASPERITY_OK;
  });
}
void asperity_model_destroy(asperity_model* m) { delete m; }

asperity_status asperity_model_set(asperity_model* m, const char* name, double value) {
  if (lacks({{"model", m}, {"name", name}}) != ASPERITY_OK) return ASPERITY_BAD_INPUT;
  return guarded([&] {
    m->chosen.set(name, value);
    return ASPERITY_OK;
  });
}
asperity_status asperity_model_set_text(asperity_model* m, const char* name, const char* value) {
  if (lacks({{"model", m}, {"name", name}, {"value", value}}) != ASPERITY_OK)
    return ASPERITY_BAD_INPUT;
  return guarded([&] {
    const auto card = m->chosen.describe();
    for (const auto& p : card.parameters) {
      if (p.name != name) continue;
      if (!p.words.empty()) {
        m->chosen.choose(name, value);
      } else {
        double in_si_units = 0;
        try {
          in_si_units = in_si(value, p.in);
        } catch (const error& problem) {
          throw error(fmt::format("{}.{}: {}", m->chosen.key(), name, problem.what()));
        }
        m->chosen.set(name, in_si_units);
      }
      return ASPERITY_OK;
    }
    m->chosen.set(name, 0.0);  // says which names there are
    return ASPERITY_OK;
  });
}
asperity_status asperity_model_set_list(asperity_model* m, const char* name, const double* values,
                                        size_t count) {
  if (lacks({{"model", m}, {"name", name}}) != ASPERITY_OK ||
      (count > 0 && lacks({{"values", values}}) != ASPERITY_OK))
    return ASPERITY_BAD_INPUT;
  if (count > std::numeric_limits<std::size_t>::max() / (2 * sizeof(double)))
    return fail(ASPERITY_BAD_INPUT, "count is larger than any list: give the number of values");
  return guarded([&] {
    m->chosen.set(name, std::vector<double>(values, values + count));
    return ASPERITY_OK;
  });
}
asperity_status asperity_model_get(const asperity_model* m, const char* name, double* values,
                                   size_t room, size_t* count) {
  if (lacks({{"model", m}, {"name", name}}) != ASPERITY_OK ||
      (room > 0 && lacks({{"values", values}}) != ASPERITY_OK))
    return ASPERITY_BAD_INPUT;
  return guarded([&] {
    const auto found = m->chosen.get(name);
    if (count != nullptr) *count = found.size();
    std::copy_n(found.begin(), std::min(room, found.size()), values);
    return ASPERITY_OK;
  });
}

asperity_quantity asperity_model_parameter(const asperity_model* m, size_t i) {
  return m == nullptr ? show({}, 0) : show(m->parameters, i);
}
asperity_quantity asperity_model_state_info(const asperity_model* m, size_t i) {
  return m == nullptr ? show({}, 0) : show(m->states, i);
}
asperity_quantity asperity_model_input(const asperity_model* m, size_t i) {
  return m == nullptr ? show({}, 0) : show(m->inputs, i);
}
asperity_quantity asperity_model_output(const asperity_model* m, size_t i) {
  return m == nullptr ? show({}, 0) : show(m->outputs, i);
}
size_t asperity_model_parameters(const asperity_model* m) {
  return m == nullptr ? 0 : m->parameters.size();
}
size_t asperity_model_states(const asperity_model* m) {
  return m == nullptr ? 0 : m->now->state().size();
}
size_t asperity_model_inputs(const asperity_model* m) {
  return m == nullptr ? 0 : m->inputs.size();
}
size_t asperity_model_outputs(const asperity_model* m) {
  return m == nullptr ? 0 : m->outputs.size();
}
const char* asperity_model_title(const asperity_model* m) {
  return m == nullptr ? nullptr : m->title;
}
const char* asperity_model_source(const asperity_model* m) {
  return m == nullptr ? nullptr : m->source;
}

asperity_status asperity_model_reset(asperity_model* m, const double* inputs) {
  if (lacks({{"model", m}}) != ASPERITY_OK) return ASPERITY_BAD_INPUT;
  return guarded([&] {
    if (inputs != nullptr)  // before anything has changed
      if (const refusal no = refused(m->chosen, inputs); no.name != nullptr)
        throw error(fmt::format("model '{}': {}", m->chosen.key(), to_string(no)));
    m->restart();
    if (inputs != nullptr) m->now->reset({inputs, m->inputs.size()});
    return ASPERITY_OK;
  });
}
asperity_status asperity_model_step(asperity_model* m, const double* inputs, double h,
                                    double* outputs) {
  if (lacks({{"model", m}, {"inputs", inputs}, {"outputs", outputs}}) != ASPERITY_OK)
    return ASPERITY_BAD_INPUT;
  const outcome how = m->now->step(inputs, h);
  std::copy_n(m->now->outputs().begin(), m->outputs.size(), outputs);
  return status_of(m->chosen, m->now->refused(inputs, h), how, inputs);
}
asperity_status asperity_model_step_coupled(asperity_model* m, const double* inputs,
                                            const double* free_end, const double* mobility,
                                            double h, double* outputs) {
  if (lacks({{"model", m},
             {"inputs", inputs},
             {"free_end", free_end},
             {"mobility", mobility},
             {"outputs", outputs}}) != ASPERITY_OK)
    return ASPERITY_BAD_INPUT;
  if (!m->now->can_couple())
    return fail(ASPERITY_BAD_INPUT, "this model has no closed-form step together with a body");
  const outcome how = m->now->step_coupled(inputs, free_end, mobility, h);
  std::copy_n(m->now->outputs().begin(), m->outputs.size(), outputs);
  return status_of(m->chosen, m->now->refused(inputs, free_end, mobility, h), how, inputs);
}
int asperity_model_can_couple(const asperity_model* m) {
  return m != nullptr && m->now->can_couple() ? 1 : 0;
}

const double* asperity_model_inputs_now(const asperity_model* m) {
  return m == nullptr ? nullptr : m->now->inputs().data();
}
const double* asperity_model_outputs_now(const asperity_model* m) {
  return m == nullptr ? nullptr : m->now->outputs().data();
}
const double* asperity_model_state(const asperity_model* m) {
  return m == nullptr ? nullptr : m->now->state().data();
}
asperity_status asperity_model_set_state(asperity_model* m, const double* state, size_t count) {
  if (lacks({{"model", m}}) != ASPERITY_OK ||
      (count > 0 && lacks({{"state", state}}) != ASPERITY_OK))
    return ASPERITY_BAD_INPUT;
  return guarded([&] {
    m->now->set_state({state, count});
    return ASPERITY_OK;
  });
}
double asperity_model_stored_energy(const asperity_model* m) {
  return m == nullptr ? not_there : m->now->stored_energy();
}
double asperity_model_work(const asperity_model* m) {
  return m == nullptr ? not_there : m->now->work();
}

asperity_status asperity_run_text(const char* toml, const char* folder, const char* const* settings,
                                  size_t count, asperity_run** run) {
  if (lacks({{"run", run}}) != ASPERITY_OK) return ASPERITY_BAD_INPUT;
  *run = nullptr;
  if (lacks({{"toml", toml}}) != ASPERITY_OK || lacks_settings(settings, count))
    return ASPERITY_BAD_INPUT;
  return guarded([&] {
    return run_document(parse_toml(toml, "scenario"), "scenario", folder == nullptr ? "" : folder,
                        settings, count, run);
  });
}
asperity_status asperity_run_file(const char* file, const char* const* settings, size_t count,
                                  asperity_run** run) {
  if (lacks({{"run", run}}) != ASPERITY_OK) return ASPERITY_BAD_INPUT;
  *run = nullptr;
  if (lacks({{"file", file}}) != ASPERITY_OK || lacks_settings(settings, count))
    return ASPERITY_BAD_INPUT;
  return guarded([&] {
    const std::filesystem::path path(file);
    return run_document(read_toml(file), path.stem().string(), path.parent_path().string(),
                        settings, count, run);
  });
}
void asperity_run_destroy(asperity_run* r) { delete r; }
const char* asperity_run_outcome(const asperity_run* r) {
  return r == nullptr ? nullptr : r->how.c_str();
}
size_t asperity_run_columns(const asperity_run* r) {
  return r == nullptr ? 0 : r->data.columns.size();
}
size_t asperity_run_rows(const asperity_run* r) {
  return r == nullptr || r->data.columns.empty() ? 0 : r->data.columns.front().values.size();
}
const char* asperity_run_column_name(const asperity_run* r, size_t i) {
  return r != nullptr && i < r->data.columns.size() ? r->data.columns[i].name.c_str() : nullptr;
}
const char* asperity_run_column_unit(const asperity_run* r, size_t i) {
  return r != nullptr && i < r->units.size() ? r->units[i].c_str() : nullptr;
}
const double* asperity_run_column(const asperity_run* r, size_t i) {
  return r != nullptr && i < r->data.columns.size() ? r->data.columns[i].values.data() : nullptr;
}
const double* asperity_run_find(const asperity_run* r, const char* name) {
  if (r == nullptr || name == nullptr) return nullptr;
  const column* found = r->data.find(name);
  return found == nullptr ? nullptr : found->values.data();
}
size_t asperity_run_events(const asperity_run* r) {
  return r == nullptr ? 0 : r->data.events.size();
}
const char* asperity_run_event_name(const asperity_run* r, size_t i) {
  return r != nullptr && i < r->data.events.size() ? r->data.events[i].name.c_str() : nullptr;
}
double asperity_run_event_time(const asperity_run* r, size_t i) {
  return r != nullptr && i < r->data.events.size() ? r->data.events[i].t : not_there;
}
size_t asperity_run_warnings(const asperity_run* r) {
  return r == nullptr ? 0 : r->warnings.size();
}
const char* asperity_run_warning(const asperity_run* r, size_t i) {
  return r != nullptr && i < r->warnings.size() ? r->warnings[i].c_str() : nullptr;
}

}  // extern "C"
